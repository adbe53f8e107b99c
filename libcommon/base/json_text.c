/* Writes strings and numbers of JSON (json.h). Separate from json.c, so that
   `idset` can use it without jansson. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

static bool is_plain_byte(char c)
{
    return (unsigned char)c >= ' ' && c != '"' && c != '\\';
}

size_t json_plain_length(const char *text)
{
    const char *p = text;

    while (is_plain_byte(*p))
        p++;
    return (size_t)(p - text);
}

static void write_bytes(FILE *fp, const char *p, const char *end)
{
    while (p < end) {
        const char *start = p;
        while (p < end && is_plain_byte(*p))
            p++;
        fwrite_unlocked(start, 1, (size_t)(p - start), fp);
        if (p == end)
            break;
        if (*p == '"' || *p == '\\')
            fprintf(fp, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", fp);
        else if (*p == '\t')
            fputs("\\t", fp);
        else
            fprintf(fp, "\\u%04X", (unsigned)(unsigned char)*p);
        p++;
    }
}

void json_write_text(FILE *fp, const char *text)
{
    write_bytes(fp, text, text + strlen(text));
}

void json_write_string(FILE *fp, const char *text)
{
    putc_unlocked('"', fp);
    write_bytes(fp, text, text + strlen(text));
    putc_unlocked('"', fp);
}

void json_write_message(FILE *fp, const char *text)
{
    putc_unlocked('"', fp);
    while (*text) {
        const char *start = text;
        for (size_t n; *text && (n = utf8_length(text)); text += n)
            ;
        write_bytes(fp, start, text);
        if (*text) {
            fputs("\xef\xbf\xbd", fp);
            text++;
        }
    }
    putc_unlocked('"', fp);
}

void json_write_field(FILE *fp, const char *key, const char *text)
{
    if (!text)
        return;
    fprintf(fp, ",\"%s\":", key);
    json_write_message(fp, text);
}

/*
 * Write a real with at most six decimals, as most times have. Returns false for
 * other values. Digits that take less than 52 bits identify a double, and no
 * shorter form does.
 */
static bool write_millionths(FILE *fp, double value)
{
    double millionths = value * 1e6 + 0.5;
    int64_t n, rest;
    int digits = 6;

    if (!(value >= 1 && millionths < 0x1p52))
        return false;
    n = (int64_t)millionths;
    if ((double)n / 1e6 != value)
        return false;
    for (rest = n % 1000000; digits > 1 && rest % 10 == 0; digits--)
        rest /= 10;
    fprintf(fp, "%lld.%0*lld", (long long)(n / 1000000), digits,
            (long long)rest);
    return true;
}

void json_write_real(FILE *fp, double value)
{
    char text[40];

    if (FLT_EVAL_METHOD == 0 && write_millionths(fp, value))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, fp);
    if (!strpbrk(text, ".e"))
        fputs(".0", fp);
}

/*
 * The core schema of YAML 1.2 as a table: a type is a reader that knows its
 * spellings. Each reader looks at a scalar (which a NUL ends): 1 with a new
 * value; 0 if it is not of this type; -1 with a text in `d` if JSON cannot
 * hold it.
 */
#include "base/yaml_scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int scalar_reader(const char *s, json_t **value, struct diag *d);

/* Is the word one of three spellings: null, Null, NULL? */
static bool is_word(const char *s, const char *const spellings[3])
{
    for (int i = 0; i < 3; i++)
        if (!strcmp(s, spellings[i]))
            return true;
    return false;
}

static int read_null(const char *s, json_t **value, struct diag *d)
{
    static const char *const spellings[] = {"null", "Null", "NULL"};

    (void)d;
    *value = json_null();
    return s[0] == '\0' || !strcmp(s, "~") || is_word(s, spellings);
}

static int read_bool(const char *s, json_t **value, struct diag *d)
{
    static const char *const yes[] = {"true", "True", "TRUE"};
    static const char *const no[] = {"false", "False", "FALSE"};

    (void)d;
    *value = json_boolean(is_word(s, yes));
    return is_word(s, yes) || is_word(s, no);
}

static bool all_of(const char *s, const char *accepted)
{
    return s[0] && s[strspn(s, accepted)] == '\0';
}

static int read_int(const char *s, json_t **value, struct diag *d)
{
    long long n;

    errno = 0;
    if (s[0] == '0' && s[1] == 'o' && all_of(s + 2, "01234567"))
        n = strtoll(s + 2, NULL, 8);
    else if (s[0] == '0' && s[1] == 'x'
             && all_of(s + 2, "0123456789abcdefABCDEF"))
        n = strtoll(s + 2, NULL, 16);
    else if (all_of(s + (s[0] == '-' || s[0] == '+'), "0123456789"))
        n = strtoll(s, NULL, 10);
    else
        return 0;
    if (errno == ERANGE)
        return diag_set(d, "%s: an integer beyond 64 bits",
                        quote(s, strlen(s)).text);
    *value = json_integer(n);
    return 1;
}

/* .inf and .nan: numbers for YAML, not for JSON. */
static bool not_finite(const char *s)
{
    static const char *const inf[] = {".inf", ".Inf", ".INF"};
    static const char *const nan[] = {".nan", ".NaN", ".NAN"};

    return is_word(s + (s[0] == '-' || s[0] == '+'), inf) || is_word(s, nan);
}

/* [-+]? ( "." digits | digits [ "." [ digits ] ] ) [ exponent ] */
static bool is_float(const char *s)
{
    const char *digits = "0123456789";
    size_t whole, part = 0;

    s += *s == '-' || *s == '+';
    s += whole = strspn(s, digits);
    if (*s == '.')
        s += 1 + (part = strspn(s + 1, digits));
    if (whole + part == 0)
        return false;
    if (*s != 'e' && *s != 'E')
        return *s == '\0';
    s++;
    s += *s == '-' || *s == '+';
    return all_of(s, digits);
}

static int read_float(const char *s, json_t **value, struct diag *d)
{
    double n;

    if (!is_float(s) && !not_finite(s))
        return 0;
    n = not_finite(s) ? HUGE_VAL : strtod(s, NULL);
    if (!isfinite(n))
        return diag_set(d, "%s: not a finite number", quote(s, strlen(s)).text);
    *value = json_real(n);
    return 1;
}

static int read_string(const char *s, json_t **value, struct diag *d)
{
    (void)d;
    *value = json_string(s);
    return 1;
}

/* The first that fits a plain scalar is its type; the last fits all. */
static const struct {
    const char *tag;
    scalar_reader *read;
} scalar_types[] = {
    {"null", read_null},   {"bool", read_bool},  {"int", read_int},
    {"float", read_float}, {"str", read_string},
};
enum { NTYPES = sizeof(scalar_types) / sizeof(scalar_types[0]) };

/* The name of a tag of YAML's own: "int"; NULL if it is another's. */
static const char *core_tag(const char *tag)
{
    static const char prefix[] = "tag:yaml.org,2002:";

    return strncmp(tag, prefix, sizeof(prefix) - 1) ? NULL
                                                    : tag + sizeof(prefix) - 1;
}

static int unknown_tag(const char *tag, struct diag *d)
{
    return diag_set(d, "%s: unknown tag", quote(tag, strlen(tag)).text);
}

/* A scalar that says its type. */
static int read_tagged(const char *tag, const char *s, json_t **value,
                       struct diag *d)
{
    const char *name = core_tag(tag);
    int rc, i = 0;

    while (name && i < NTYPES && strcmp(name, scalar_types[i].tag))
        i++;
    if (!name || i == NTYPES)
        return unknown_tag(tag, d);
    rc = scalar_types[i].read(s, value, d);
    if (rc == 0)
        return diag_set(d, "%s: not of type %s", quote(s, strlen(s)).text,
                        name);
    return rc;
}

static int read_plain(const char *s, json_t **value, struct diag *d)
{
    int rc = 0;

    for (int i = 0; rc == 0; i++)
        rc = scalar_types[i].read(s, value, d);
    return rc;
}

json_t *yaml_scalar(const char *text, const char *tag, bool quoted,
                    struct diag *d)
{
    json_t *value = NULL;
    int rc;

    if (tag && strcmp(tag, "!"))
        rc = read_tagged(tag, text, &value, d);
    else if (tag || quoted)
        rc = read_string(text, &value, d);
    else
        rc = read_plain(text, &value, d);
    return rc > 0 ? value : NULL;
}

int yaml_collection_tag(const char *tag, const char *type, struct diag *d)
{
    const char *name = tag ? core_tag(tag) : NULL;

    if (!tag || !strcmp(tag, "!") || (name && !strcmp(name, type)))
        return 0;
    return unknown_tag(tag, d);
}

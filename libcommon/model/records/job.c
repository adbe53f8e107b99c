/* Names of jobs: any text, numbers, and numbers in F58 (RFC 19). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/records/records.h"

bool job_is_number(const char *job, int64_t *number)
{
    size_t len = strspn(job, "0123456789");

    if (len == 0 || len > 19 || job[len] || (job[0] == '0' && len > 1))
        return false;
    errno = 0;
    *number = strtoll(job, NULL, 10);
    return errno == 0;
}

static bool f58_decode(const char *text, uint64_t *out)
{
    static const char digits[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
                                 "abcdefghijkmnopqrstuvwxyz";
    uint64_t value = 0;

    for (const char *p = text; *p; p++) {
        const char *digit = strchr(digits, *p);
        if (!digit || __builtin_mul_overflow(value, 58, &value)
            || __builtin_add_overflow(value, (uint64_t)(digit - digits),
                                      &value))
            return false;
    }
    *out = value;
    return *text;
}

static bool hex_decode(const char *text, uint64_t *out)
{
    char *end;

    if (strlen(text) > 16 || strspn(text, "0123456789abcdefABCDEF") == 0)
        return false;
    *out = strtoull(text, &end, 16);
    return *end == '\0';
}

bool job_decode(const char *text, bool plain, char out[JOB_DIGITS_MAX])
{
    uint64_t value;
    bool is_id = false;

    if (!strncmp(text, "\xc6\x92", 2))
        is_id = f58_decode(text + 2, &value);
    else if (plain && *text == 'f')
        is_id = f58_decode(text + 1, &value);
    else if (plain && !strncmp(text, "0x", 2))
        is_id = hex_decode(text + 2, &value);
    if (is_id)
        snprintf(out, JOB_DIGITS_MAX, "%llu", (unsigned long long)value);
    return is_id;
}

const char *job_from_json(struct map *names, const json_t *value,
                          struct diag *d)
{
    char text[JOB_DIGITS_MAX];
    const char *name = json_string_value(value);
    size_t len = json_string_length(value);

    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
        return map_intern(names, text, strlen(text));
    }
    if (name && len > 0 && len <= JOB_NAME_MAX)
        return job_decode(name, false, text)
                   ? map_intern(names, text, strlen(text))
                   : map_intern(names, name, len);
    diag_set(d,
             "%s: a job is a non-negative integer or a name of at most "
             "%d bytes",
             value ? json_quote(value).text : "missing", JOB_NAME_MAX);
    return NULL;
}

json_t *job_to_json(const char *job)
{
    int64_t number;

    return job_is_number(job, &number) ? json_integer(number)
                                       : json_string(job);
}

int job_compare(const char *a, const char *b)
{
    int64_t na = 0, nb = 0;
    bool a_is_number = job_is_number(a, &na),
         b_is_number = job_is_number(b, &nb);

    if (a_is_number && b_is_number)
        return (na > nb) - (na < nb);
    if (a_is_number != b_is_number)
        return a_is_number ? -1 : 1;
    return strcmp(a, b);
}

int job_compare_first(const void *a, const void *b)
{
    return job_compare(*(const char *const *)a, *(const char *const *)b);
}

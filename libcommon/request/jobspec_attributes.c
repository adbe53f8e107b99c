/*
 * RFC 14, attributes: the words of `system` that the RFC knows are checked,
 * duration and constraints are kept, and words that it does not know pass.
 */
#include "request/jobspec_private.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static int any_object(struct jobspec *js, json_t *value, void *to)
{
    (void)to;
    return json_is_object(value) ? 0 : jobspec_wrong(js, value, "an object");
}

static int read_seconds(struct jobspec *js, json_t *value, void *to)
{
    double seconds = json_number_value(value);

    (void)to;
    if (!json_is_number(value) || !isfinite(seconds) || seconds < 0)
        return jobspec_wrong(js, value, "a number of seconds, not negative");
    return 0;
}

static int read_duration(struct jobspec *js, json_t *value, void *to)
{
    if (read_seconds(js, value, to) < 0)
        return -1;
    *(double *)to = json_number_value(value);
    return 0;
}

static int read_constraints(struct jobspec *js, json_t *value, void *to)
{
    struct constraint **c = to;

    if (any_object(js, value, to) < 0)
        return -1;
    *c = constraint_from_json(value, js->d);
    return *c ? 0 : -1;
}

/* An object with any keys, by a reader of all values. */
static int read_values(struct jobspec *js, json_t *object, jobspec_reader *read)
{
    const char *name;
    json_t *value;

    if (any_object(js, object, NULL) < 0)
        return -1;
    json_object_foreach (object, name, value)
        if (read(js, value, NULL) < 0)
            return diag_in(js->d, "%s", name);
    return 0;
}

static int string_or_null(struct jobspec *js, json_t *value, void *to)
{
    (void)to;
    return json_is_string(value) || json_is_null(value)
               ? 0
               : jobspec_wrong(js, value, "a string or null");
}

int jobspec_environment(struct jobspec *js, json_t *value, void *to)
{
    (void)to;
    return read_values(js, value, string_or_null);
}

static int read_strings(struct jobspec *js, json_t *value, void *to)
{
    (void)to;
    return read_values(js, value, jobspec_string);
}

static int read_cwd(struct jobspec *js, json_t *value, void *to)
{
    const char *path = json_string_value(value);

    (void)to;
    if (!path || path[0] != '/')
        return jobspec_wrong(js, value, "an absolute path");
    return 0;
}

/* --- dependencies (RFC 26) ---------------------------------------------- */

static int one_of(struct jobspec *js, json_t *value, const char *const *words)
{
    const char *text = json_string_value(value);

    for (int i = 0; text && words[i]; i++)
        if (!strcmp(text, words[i]))
            return 0;
    return diag_set(js->d, "%s: must be one of \"%s\", \"%s\"%s%s%s",
                    json_quote(value).text, words[0], words[1],
                    words[2] ? ", \"" : "", words[2] ? words[2] : "",
                    words[2] ? "\"" : "");
}

static int read_dependency_type(struct jobspec *js, json_t *value, void *to)
{
    static const char *const words[] = {"in", "out", "inout", NULL};

    (void)to;
    return one_of(js, value, words);
}

static int read_dependency_scope(struct jobspec *js, json_t *value, void *to)
{
    static const char *const words[] = {"user", "global", NULL};

    (void)to;
    return one_of(js, value, words);
}

/*
 * Type and scope are not asked for, and other keys pass: deployed schemes
 * leave those out and have keys of their own.
 */
static const struct jobspec_key dependency_keys[] = {
    {"type", false, read_dependency_type, 0},
    {"scope", false, read_dependency_scope, 0},
    {"scheme", true, jobspec_string, 0},
    {"value", true, jobspec_string, 0},
    {0}};

/* It is the first of its kind: `to` has the text of those before. */
static int read_dependency(struct jobspec *js, json_t *value, void *to)
{
    json_t *seen = to;
    char *text;
    int rc = 0;

    if (jobspec_object(js, value, "a dependency", dependency_keys, false, NULL)
        < 0)
        return -1;
    text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    if (json_object_get(seen, text))
        rc = diag_set(js->d, "%s: dependency is repeated",
                      json_quote(value).text);
    else
        json_object_set_new(seen, text, json_true());
    free(text);
    return rc;
}

static int read_dependencies(struct jobspec *js, json_t *value, void *to)
{
    json_t *seen = json_object();
    int rc = jobspec_list(js, value, "dependencies", read_dependency, seen);

    (void)to;
    json_decref(seen);
    return rc;
}

/* --- the whole ---------------------------------------------------------- */

static const struct jobspec_key system_keys[] = {
    {"duration", false, read_duration, offsetof(struct request, duration)},
    {"preemptible-after", false, read_seconds, 0},
    {"environment", false, jobspec_environment, 0},
    {"cwd", false, read_cwd, 0},
    {"queue", false, jobspec_string, 0},
    {"bank", false, jobspec_string, 0},
    {"project", false, jobspec_string, 0},
    {"dependencies", false, read_dependencies, 0},
    {"constraints", false, read_constraints,
     offsetof(struct request, constraint)},
    {"job", false, read_strings, 0},
    {"shell", false, any_object, 0},
    {0}};

static int read_system(struct jobspec *js, json_t *value, void *to)
{
    return jobspec_object(js, value, "\"system\"", system_keys, false, to);
}

static const struct jobspec_key attribute_keys[] = {
    {"system", false, read_system, 0}, {"user", false, any_object, 0}, {0}};

int jobspec_attributes(struct jobspec *js, json_t *value, void *to)
{
    if (json_is_null(value)) /* the schema of the RFC has this too */
        return 0;
    return jobspec_object(js, value, "\"attributes\"", attribute_keys, true,
                          to);
}

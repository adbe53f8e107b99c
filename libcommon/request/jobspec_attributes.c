/*
 * RFC 14, attributes: the words of `system` that the RFC knows are checked,
 * duration and constraints are kept, and words that it does not know pass.
 */
#include "request/jobspec_private.h"

#include <math.h>
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
    ((struct request *)to)->duration = json_number_value(value);
    return 0;
}

static int read_constraints(struct jobspec *js, json_t *value, void *to)
{
    struct request *req = to;

    if (any_object(js, value, to) < 0)
        return -1;
    req->constraint = constraint_from_json(value, js->d);
    return req->constraint ? 0 : -1;
}

int jobspec_environment(struct jobspec *js, json_t *value, void *to)
{
    const char *name;
    json_t *text;

    if (any_object(js, value, to) < 0)
        return -1;
    json_object_foreach (value, name, text)
        if (!json_is_string(text) && !json_is_null(text)) {
            jobspec_wrong(js, text, "a string or null");
            return diag_in(js->d, "%s", name);
        }
    return 0;
}

static int read_strings(struct jobspec *js, json_t *value, void *to)
{
    const char *name;
    json_t *text;

    if (any_object(js, value, to) < 0)
        return -1;
    json_object_foreach (value, name, text)
        if (jobspec_string(js, text, to) < 0)
            return diag_in(js->d, "%s", name);
    return 0;
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
    {"type", false, read_dependency_type},
    {"scope", false, read_dependency_scope},
    {"scheme", true, jobspec_string},
    {"value", true, jobspec_string},
    {NULL, false, NULL}};

/* Is this the first of its kind? `seen` has the text of those before. */
static int note_dependency(struct jobspec *js, const json_t *value,
                           json_t *seen)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    int rc = 0;

    if (json_object_get(seen, text))
        rc = diag_set(js->d, "%s: dependency is repeated",
                      json_quote(value).text);
    else
        json_object_set_new(seen, text, json_true());
    free(text);
    return rc;
}

static int read_dependency_list(struct jobspec *js, json_t *list, json_t *seen)
{
    size_t i;
    json_t *value;

    json_array_foreach (list, i, value)
        if (jobspec_object(js, value, "a dependency", dependency_keys, false,
                           NULL)
                < 0
            || note_dependency(js, value, seen) < 0)
            return diag_in(js->d, "[%zu]", i);
    return 0;
}

static int read_dependencies(struct jobspec *js, json_t *value, void *to)
{
    json_t *seen;
    int rc;

    (void)to;
    if (!json_is_array(value) || json_array_size(value) == 0)
        return jobspec_wrong(js, value, "a list of dependencies, not empty");
    seen = json_object();
    rc = read_dependency_list(js, value, seen);
    json_decref(seen);
    return rc;
}

/* --- the whole ---------------------------------------------------------- */

static const struct jobspec_key system_keys[] = {
    {"duration", false, read_duration},
    {"preemptible-after", false, read_seconds},
    {"environment", false, jobspec_environment},
    {"cwd", false, read_cwd},
    {"queue", false, jobspec_string},
    {"bank", false, jobspec_string},
    {"project", false, jobspec_string},
    {"dependencies", false, read_dependencies},
    {"constraints", false, read_constraints},
    {"job", false, read_strings},
    {"shell", false, any_object},
    {NULL, false, NULL}};

static int read_system(struct jobspec *js, json_t *value, void *to)
{
    return jobspec_object(js, value, "\"system\"", system_keys, false, to);
}

static const struct jobspec_key attribute_keys[] = {
    {"system", false, read_system},
    {"user", false, any_object},
    {NULL, false, NULL}};

int jobspec_attributes(struct jobspec *js, json_t *value, void *to)
{
    if (json_is_null(value)) /* the schema of the RFC has this too */
        return 0;
    return jobspec_object(js, value, "\"attributes\"", attribute_keys, true,
                          to);
}

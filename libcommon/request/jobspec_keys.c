/*
 * RFC 14, attributes and tasks. Of attributes the words of `system` that the
 * RFC knows are checked, duration and constraints are kept, and words that it
 * does not know pass. Tasks are read for their rules alone, as it is the
 * resources that are matched. A task names a slot, and may name a type inside
 * it; the types inside a slot are gathered once, when the first task asks for
 * them.
 */
#include "request/jobspec_private.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* --- attributes ----------------------------------------------------------- */

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

    if (js->known)
        return 0;
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

static int read_environment(struct jobspec *js, json_t *value, void *to)
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

static const struct jobspec_key system_keys[] = {
    {"duration", false, read_duration, offsetof(struct request, duration)},
    {"preemptible-after", false, read_seconds, 0},
    {"environment", false, read_environment, 0},
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

/* --- tasks ---------------------------------------------------------------- */

/* A task while it is read. */
struct task {
    const char *slot; /* label */
    json_t *types;    /* what is inside the slot; NULL: not asked for yet */
};

static int read_command(struct jobspec *js, json_t *value, void *to)
{
    return jobspec_list(js, value, "strings", jobspec_string, to);
}

static bool is_slot(const json_t *vertex)
{
    const char *type = json_string_value(json_object_get(vertex, "type"));

    return type && !strcmp(type, "slot");
}

static int read_slot(struct jobspec *js, json_t *value, void *to)
{
    struct task *task = to;

    if (jobspec_string(js, value, NULL) < 0)
        return -1;
    task->slot = json_string_value(value);
    if (!is_slot(json_object_get(js->labels, task->slot)))
        return diag_set(js->d, "%s: no slot has this label",
                        json_quote(value).text);
    return 0;
}

/* All types below a vertex. The depth was bounded when it was read. */
static void add_types(const json_t *vertex, json_t *types)
{
    json_t *with = json_object_get(vertex, "with"), *child;
    size_t i;

    json_array_foreach (with, i, child) {
        const char *type = json_string_value(json_object_get(child, "type"));
        json_object_set_new(types, type, json_true());
        add_types(child, types);
    }
}

/* The types inside a slot, gathered at the first call; borrowed. */
static json_t *types_inside(struct jobspec *js, const char *label)
{
    json_t *types = json_object_get(js->types, label);

    if (types)
        return types;
    types = json_object();
    json_object_set_new(js->types, label, types);
    add_types(json_object_get(js->labels, label), types);
    return types;
}

static int read_resource_type(struct jobspec *js, json_t *value, void *to)
{
    struct task *task = to;

    if (jobspec_string(js, value, NULL) < 0)
        return -1;
    if (json_object_get(types_inside(js, task->slot), json_string_value(value)))
        return 0;
    return diag_set(js->d, "%s: not in slot %s", json_quote(value).text,
                    quote(task->slot, strlen(task->slot)).text);
}

static int read_per_resource(struct jobspec *js, json_t *value, void *to)
{
    static const struct jobspec_key keys[] = {
        {"type", true, read_resource_type, 0},
        {"count", true, jobspec_positive, 0},
        {0}};

    return jobspec_object(js, value, "\"per_resource\"", keys, true, to);
}

static int read_task_count(struct jobspec *js, json_t *value, void *to)
{
    static const struct jobspec_key keys[] = {
        {"per_slot", false, jobspec_positive, 0},
        {"total", false, jobspec_positive, 0},
        {"per_resource", false, read_per_resource, 0},
        {0}};

    if (jobspec_object(js, value, "a count of tasks", keys, true, to) < 0)
        return -1;
    if (json_object_size(value) == 1)
        return 0;
    return jobspec_wrong(js, value,
                         "one of \"per_slot\", \"total\" and "
                         "\"per_resource\"");
}

static int read_task_attributes(struct jobspec *js, json_t *value, void *to)
{
    static const struct jobspec_key keys[] = {
        {"environment", false, read_environment, 0}, {0}};

    return jobspec_object(js, value, "\"attributes\"", keys, false, to);
}

/* "slot" comes before "count", which looks into it. */
static const struct jobspec_key task_keys[] = {
    {"command", true, read_command, 0},
    {"slot", true, read_slot, 0},
    {"count", true, read_task_count, 0},
    {"distribution", false, jobspec_string, 0},
    {"attributes", false, read_task_attributes, 0},
    {0}};

static int read_task(struct jobspec *js, json_t *value, void *to)
{
    struct task task = {0};

    (void)to;
    return jobspec_object(js, value, "a task", task_keys, true, &task);
}

int jobspec_tasks(struct jobspec *js, json_t *value, void *to)
{
    return jobspec_list(js, value, "tasks", read_task, to);
}

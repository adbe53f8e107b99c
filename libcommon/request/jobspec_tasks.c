/*
 * RFC 14, tasks: read for their rules alone, as it is the resources that are
 * matched. A task names a slot, and may name a type inside it; the types
 * inside a slot are gathered once, when the first task asks for them.
 */
#include "request/jobspec_private.h"

#include <string.h>

#include "base/json.h"

/* A task while it is read. */
struct task {
    const char *slot; /* label */
    json_t *types;    /* what is inside the slot; NULL: not asked for yet */
};

static int read_command(struct jobspec *js, json_t *value, void *to)
{
    size_t i;
    json_t *word;

    if (!json_is_array(value) || json_array_size(value) == 0)
        return jobspec_wrong(js, value, "a list of strings, not empty");
    json_array_foreach (value, i, word)
        if (jobspec_string(js, word, to) < 0)
            return diag_in(js->d, "[%zu]", i);
    return 0;
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
        {"type", true, read_resource_type},
        {"count", true, jobspec_positive},
        {NULL, false, NULL}};

    return jobspec_object(js, value, "\"per_resource\"", keys, true, to);
}

static int read_task_count(struct jobspec *js, json_t *value, void *to)
{
    static const struct jobspec_key keys[] = {
        {"per_slot", false, jobspec_positive},
        {"total", false, jobspec_positive},
        {"per_resource", false, read_per_resource},
        {NULL, false, NULL}};

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
        {"environment", false, jobspec_environment}, {NULL, false, NULL}};

    return jobspec_object(js, value, "\"attributes\"", keys, false, to);
}

/* "slot" comes before "count", which looks into it. */
static const struct jobspec_key task_keys[] = {
    {"command", true, read_command},
    {"slot", true, read_slot},
    {"count", true, read_task_count},
    {"distribution", false, jobspec_string},
    {"attributes", false, read_task_attributes},
    {NULL, false, NULL}};

int jobspec_tasks(struct jobspec *js, json_t *value, void *to)
{
    size_t i;
    json_t *item;

    (void)to;
    if (!json_is_array(value) || json_array_size(value) == 0)
        return jobspec_wrong(js, value, "a list of tasks, not empty");
    json_array_foreach (value, i, item) {
        struct task task = {0};
        if (jobspec_object(js, item, "a task", task_keys, true, &task) < 0)
            return diag_in(js->d, "[%zu]", i);
    }
    return 0;
}

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
        {"environment", false, jobspec_environment, 0}, {0}};

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

/*
 * RFC 25: what version 1 forbids of what RFC 14 allows. All that RFC 14 asks
 * was checked before, so values are taken without asking for their types.
 */
#include "request/jobspec_private.h"

#include <string.h>

#include "base/json.h"

static const char *type_of(const json_t *vertex)
{
    return json_string_value(json_object_get(vertex, "type"));
}

static uint64_t count_of(const json_t *vertex)
{
    return (uint64_t)json_integer_value(json_object_get(vertex, "count"));
}

/* What holds for any vertex; `type` must be one of the two. */
static int check_vertex(struct jobspec *js, const json_t *vertex,
                        const char *type, const char *other)
{
    json_t *count = json_object_get(vertex, "count");

    if (strcmp(type_of(vertex), type) && strcmp(type_of(vertex), other)) {
        diag_set(js->d, "%s: version 1 has \"%s\"%s%s%s here",
                 quote(type_of(vertex), strlen(type_of(vertex))).text, type,
                 strcmp(type, other) ? " or \"" : "",
                 strcmp(type, other) ? other : "",
                 strcmp(type, other) ? "\"" : "");
        return diag_in(js->d, "type");
    }
    if (!json_is_integer(count)) {
        jobspec_wrong(js, count, "an integer in version 1");
        return diag_in(js->d, "count");
    }
    if (json_object_get(vertex, "id"))
        return diag_set(js->d, "\"id\": no key of version 1");
    return 0;
}

/* A core or a gpu: nothing in it. */
static int check_leaf(struct jobspec *js, const json_t *vertex)
{
    static const char *const not_here[] = {"with", "exclusive"};

    if (check_vertex(js, vertex, "core", "gpu") < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (json_object_get(vertex, not_here[i]))
            return diag_set(js->d, "version 1 has no \"%s\" in a %s",
                            not_here[i], type_of(vertex));
    return 0;
}

/* A core and perhaps a gpu, each once. */
static int check_leaves(struct jobspec *js, const json_t *list)
{
    size_t i, ncores = 0;
    json_t *leaf;

    json_array_foreach (list, i, leaf) {
        if (check_leaf(js, leaf) < 0)
            return diag_in(js->d, "[%zu]", i);
        ncores += !strcmp(type_of(leaf), "core");
    }
    if (ncores != 1 || i > 2)
        return diag_set(js->d, "a slot of version 1 has one \"core\" and at "
                               "most one \"gpu\"");
    return 0;
}

static int check_v1_slot(struct jobspec *js, const json_t *slot)
{
    if (check_vertex(js, slot, "slot", "slot") < 0)
        return -1;
    if (check_leaves(js, json_object_get(slot, "with")) < 0)
        return diag_in(js->d, "with");
    return 0;
}

/* The single vertex at the top: a slot, or a node with one slot. */
static int check_top(struct jobspec *js, const json_t *top)
{
    json_t *with = json_object_get(top, "with");

    if (check_vertex(js, top, "node", "slot") < 0)
        return -1;
    if (!strcmp(type_of(top), "slot"))
        return check_v1_slot(js, top);
    if (json_array_size(with) != 1)
        return diag_set(js->d, "a node of version 1 has one slot");
    if (check_v1_slot(js, json_array_get(with, 0)) < 0)
        return diag_in(js->d, "with[0]");
    return 0;
}

/* One task a slot, or some tasks: a node gets one, and a slot at most one. */
static int check_task_count(struct jobspec *js, const json_t *count,
                            const json_t *top)
{
    json_t *total = json_object_get(count, "total");
    json_t *per_slot = json_object_get(count, "per_slot");
    json_t *inner = json_array_get(json_object_get(top, "with"), 0);
    uint64_t nodes = 1, slots = count_of(top);
    uint64_t n = (uint64_t)json_integer_value(total);

    if (json_integer_value(per_slot) == 1)
        return 0;
    if (!total)
        return jobspec_wrong(js, count,
                             "{\"per_slot\":1} or a \"total\" in version 1");
    if (!strcmp(type_of(top), "node")) {
        nodes = slots;
        slots *= count_of(inner); /* both are below 2^31 */
    }
    if (n >= nodes && n <= slots)
        return 0;
    diag_set(js->d, "%s: must be from %llu (nodes) to %llu (slots)",
             json_quote(total).text, (unsigned long long)nodes,
             (unsigned long long)slots);
    return diag_in(js->d, "total");
}

/* --- the keys of a jobspec ---------------------------------------------- */

static int check_version(struct jobspec *js, json_t *value, void *to)
{
    (void)to;
    return json_integer_value(value) == 1 ? 0 : jobspec_wrong(js, value, "1");
}

/* The vertex at the top is kept for the tasks. */
static int check_resources(struct jobspec *js, json_t *value, void *to)
{
    json_t **top = to;

    if (json_array_size(value) != 1)
        return diag_set(js->d, "version 1 has exactly one resource here");
    *top = json_array_get(value, 0);
    return check_top(js, *top) < 0 ? diag_in(js->d, "[0]") : 0;
}

static int check_tasks(struct jobspec *js, json_t *value, void *to)
{
    json_t **top = to, *task = json_array_get(value, 0);

    if (json_array_size(value) != 1)
        return diag_set(js->d, "version 1 has exactly one task");
    if (check_task_count(js, json_object_get(task, "count"), *top) < 0)
        return diag_in(js->d, "[0].count");
    return 0;
}

static int check_attributes(struct jobspec *js, json_t *value, void *to)
{
    json_t *system = json_object_get(value, "system");

    (void)to;
    if (!system)
        return diag_set(js->d, "version 1 needs \"system\"");
    if (json_object_get(system, "duration"))
        return 0;
    diag_set(js->d, "version 1 needs \"duration\"");
    return diag_in(js->d, "system");
}

int jobspec_check_v1(struct jobspec *js, json_t *jobspec)
{
    static const struct jobspec_key keys[] = {
        {"version", true, check_version, 0},
        {"resources", true, check_resources, 0},
        {"tasks", true, check_tasks, 0},
        {"attributes", true, check_attributes, 0},
        {0}};
    json_t *top = NULL;

    return jobspec_object(js, jobspec, "a jobspec", keys, true, &top);
}

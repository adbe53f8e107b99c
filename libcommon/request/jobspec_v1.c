/*
 * RFC 25: the restrictions of version 1. The jobspec has passed the checks of
 * RFC 14, so the types of values are known.
 */
#include "request/request_private.h"

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

/* Check rules for any vertex. Its type must be `type` or `other`. */
static int check_vertex(const json_t *vertex, const char *type,
                        const char *other, struct diag *d)
{
    json_t *count = json_object_get(vertex, "count");

    if (strcmp(type_of(vertex), type) && strcmp(type_of(vertex), other)) {
        diag_set(d, "%s: version 1 allows \"%s\"%s%s%s here",
                 quote(type_of(vertex), strlen(type_of(vertex))).text, type,
                 strcmp(type, other) ? " or \"" : "",
                 strcmp(type, other) ? other : "",
                 strcmp(type, other) ? "\"" : "");
        return diag_in(d, "type");
    }
    if (!json_is_integer(count)) {
        jobspec_wrong(d, count, "an integer in version 1");
        return diag_in(d, "count");
    }
    if (json_object_get(vertex, "id"))
        return diag_set(d, "\"id\": no key of version 1");
    return 0;
}

/* Check for one core and at most one gpu, with nothing in them. */
static int check_leaves(const json_t *list, struct diag *d)
{
    static const char *const not_here[] = {"with", "exclusive"};
    size_t i, ncores = 0;
    json_t *leaf;

    json_array_foreach (list, i, leaf) {
        if (check_vertex(leaf, "core", "gpu", d) < 0)
            return diag_in(d, "[%zu]", i);
        for (int k = 0; k < 2; k++)
            if (json_object_get(leaf, not_here[k])) {
                diag_set(d, "version 1 allows no \"%s\" in a %s", not_here[k],
                         type_of(leaf));
                return diag_in(d, "[%zu]", i);
            }
        ncores += !strcmp(type_of(leaf), "core");
    }
    if (ncores != 1 || i > 2)
        return diag_set(d, "a slot of version 1 has one \"core\" and at "
                           "most one \"gpu\"");
    return 0;
}

static int check_v1_slot(const json_t *slot, struct diag *d)
{
    if (check_vertex(slot, "slot", "slot", d) < 0)
        return -1;
    if (check_leaves(json_object_get(slot, "with"), d) < 0)
        return diag_in(d, "with");
    return 0;
}

/* Check the vertex at the top: a slot, or a node with one slot. */
static int check_top(const json_t *top, struct diag *d)
{
    json_t *with = json_object_get(top, "with");

    if (check_vertex(top, "node", "slot", d) < 0)
        return -1;
    if (!strcmp(type_of(top), "slot"))
        return check_v1_slot(top, d);
    if (json_array_size(with) != 1)
        return diag_set(d, "a node of version 1 has one slot");
    if (check_v1_slot(json_array_get(with, 0), d) < 0)
        return diag_in(d, "with[0]");
    return 0;
}

/* Check for one task per slot, or a total that gives each node at least one
   task and each slot at most one. */
static int check_task_count(const json_t *count, const json_t *top,
                            struct diag *d)
{
    json_t *total = json_object_get(count, "total");
    json_t *per_slot = json_object_get(count, "per_slot");
    json_t *inner = json_array_get(json_object_get(top, "with"), 0);
    uint64_t nodes = 1, slots = count_of(top);
    uint64_t n = (uint64_t)json_integer_value(total);

    if (json_integer_value(per_slot) == 1)
        return 0;
    if (!total)
        return jobspec_wrong(d, count,
                             "{\"per_slot\":1} or a \"total\" in version 1");
    if (!strcmp(type_of(top), "node")) {
        nodes = slots;
        slots *= count_of(inner); /* both are below 2^31 */
    }
    if (n >= nodes && n <= slots)
        return 0;
    diag_set(d, "%s: must be from %llu (nodes) to %llu (slots)",
             json_quote(total).text, (unsigned long long)nodes,
             (unsigned long long)slots);
    return diag_in(d, "total");
}

int jobspec_check_duration(const json_t *jobspec, struct diag *d)
{
    const json_t *attributes = json_object_get(jobspec, "attributes"),
                 *system = json_object_get(attributes, "system");

    if (json_integer_value(json_object_get(jobspec, "version")) != 1
        || json_object_get(system, "duration"))
        return 0;
    diag_set(d, "version 1 needs \"%s\"", system ? "duration" : "system");
    if (system)
        diag_in(d, "system");
    return diag_in(d, "attributes");
}

int jobspec_check_v1(const json_t *jobspec, struct diag *d)
{
    const json_t *version = json_object_get(jobspec, "version");
    const json_t *list = json_object_get(jobspec, "resources");
    const json_t *tasks = json_object_get(jobspec, "tasks");
    const json_t *top = json_array_get(list, 0),
                 *count = json_object_get(json_array_get(tasks, 0), "count");

    if (json_integer_value(version) != 1) {
        jobspec_wrong(d, version, "1");
        return diag_in(d, "version");
    }
    if (json_array_size(list) != 1) {
        diag_set(d, "version 1 has exactly one resource here");
        return diag_in(d, "resources");
    }
    if (check_top(top, d) < 0)
        return diag_in(d, "resources[0]");
    if (json_array_size(tasks) != 1) {
        diag_set(d, "version 1 has exactly one task");
        return diag_in(d, "tasks");
    }
    if (check_task_count(count, top, d) < 0)
        return diag_in(d, "tasks[0].count");
    return jobspec_check_duration(jobspec, d);
}

/* Writes `execution`; properties are gathered from their targets. */
#include "model/document/execution.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "model/document/edition.h"

/* A property by its name in an R, with its ranks. */
struct ranked {
    const char *name;
    struct idset *ranks;
};

struct ranked_list {
    struct rset *rs;
    struct ranked *list;
    size_t n;
    struct map names; /* the number in the list + 1 */
};

static struct idset *ranked_get(struct ranked_list *l, const char *name)
{
    struct map_slot *slot = map_at(&l->names, name, strlen(name));

    if (!slot->value.number) {
        VECTOR_GROW(l->list, l->n);
        l->list[l->n] = (struct ranked){slot->key, idset_create()};
        slot->value.number = ++l->n;
    }
    return l->list[slot->value.number - 1].ranks;
}

/* Gather properties by name (the key, or key=value): first in the order in
   which names were read, then in the order of targets. */
static void gather_properties(struct ranked_list *l)
{
    struct vertex **targets;
    size_t n = rset_targets(l->rs, &targets);

    for (size_t i = 0; i < l->rs->document.nproperty_names; i++)
        ranked_get(l, l->rs->document.property_names[i]);
    for (size_t i = 0; i < n; i++) {
        const struct vertex *v = targets[i];
        for (unsigned k = 0; v->properties && k < v->properties->count; k++) {
            const struct property *p = &v->properties->list[k];
            char *text = NULL;
            const char *name = p->key;
            if (*p->value) {
                xasprintf(&text, "%s=%s", p->key, p->value);
                name = text;
            }
            if (!*name || strpbrk(name, PROPERTY_FORBIDDEN))
                rset_note(l->rs,
                          "property %s is left out of execution: the name is "
                          "not allowed in an R",
                          quote(name, strlen(name)).text);
            else if (v->run)
                idset_add_set(ranked_get(l, name), v->run);
            else
                idset_add(ranked_get(l, name), (uint32_t)v->rank,
                          (uint32_t)v->rank);
            free(text);
        }
    }
    free(targets);
}

static void write_properties(struct ranked_list *l, FILE *fp)
{
    const char *sep = ",\"properties\":{";

    for (size_t i = 0; i < l->n; i++) {
        if (!idset_empty(l->list[i].ranks)) {
            rlite_write_ids(fp, sep, l->list[i].name, l->list[i].ranks);
            sep = ",";
        }
        idset_destroy(l->list[i].ranks);
    }
    if (!sep[1])
        putc('}', fp);
    free(l->list);
    map_fini(&l->names);
}

void execution_write(struct rset *rs, const struct rlite *lite,
                     enum dialect dialect, FILE *fp)
{
    const json_t *nslots = edition_nslots(rs);
    struct ranked_list properties = {.rs = rs};
    const char *key;
    char *hosts;
    json_t *value;

    gather_properties(&properties); /* before anything is written */
    fputs("{\"R_lite\":", fp);
    rlite_write(lite, RLITE_EXECUTION, fp);
    if (rs->hosts) {
        fputs(",\"nodelist\":[", fp);
        if (hostlist_count(rs->hosts) > 0) {
            hosts = hostlist_encode(rs->hosts);
            json_write_string(fp, hosts);
            free(hosts);
        }
        putc(']', fp);
    }
    if (dialect == DIALECT_CURRENT)
        json_write_member(fp, ",", "nslots", nslots);
    write_properties(&properties, fp);
    json_write_member(fp, ",", "starttime", rs->starttime);
    json_write_member(fp, ",", "expiration", rs->expiration);
    json_object_foreach (rs->document.execution, key, value)
        if (value != nslots)
            json_write_member(fp, ",", key, value);
    putc('}', fp);
}

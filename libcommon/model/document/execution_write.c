/* Writes `execution`; properties are gathered from their targets. */
#include "model/document/execution.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "model/document/edition.h"

/* Return the ranks of the property with a name; made if there are none. */
static struct idset *ranks_with(struct map *ranks, const char *name)
{
    struct map_slot *slot = map_at(ranks, name, strlen(name));

    if (!slot->value.pointer)
        slot->value.pointer = idset_create();
    return slot->value.pointer;
}

/* Gather the ranks of properties by name (the key, or key=value): first in the
   order in which names were read, then in the order of targets. */
static void gather_properties(struct rset *rs, struct map *ranks)
{
    struct vertex **targets;
    size_t n = rset_targets(rs, &targets);

    for (size_t i = 0; i < rs->document.nproperty_names; i++)
        ranks_with(ranks, rs->document.property_names[i]);
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
                rset_note(rs,
                          "property %s is left out of execution: the name is "
                          "not allowed in an R",
                          quote_all(name).text);
            else
                target_add_ranks(v, ranks_with(ranks, name));
            free(text);
        }
    }
    free(targets);
}

void execution_write(struct rset *rs, const struct rlite *lite,
                     enum dialect dialect, FILE *fp)
{
    const json_t *nslots = edition_nslots(rs);
    struct map properties = {0};
    const char *key, *sep = ",\"properties\":{";
    char *hosts;
    json_t *value;

    gather_properties(rs, &properties); /* before anything is written */
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
    for (size_t i = 0; i < properties.count; i++) {
        struct idset *ranks = properties.slots[i].value.pointer;
        if (!idset_empty(ranks)) {
            rlite_write_ids(fp, sep, properties.slots[i].key, ranks);
            sep = ",";
        }
        idset_destroy(ranks);
    }
    if (!sep[1])
        putc('}', fp);
    map_fini(&properties);
    json_write_member(fp, ",", "starttime", rs->starttime);
    json_write_member(fp, ",", "expiration", rs->expiration);
    json_object_foreach (rs->document.execution, key, value)
        if (value != nslots)
            json_write_member(fp, ",", key, value);
    putc('}', fp);
}

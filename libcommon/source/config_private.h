/* The parts of config.c. */
#ifndef SOURCE_CONFIG_PRIVATE_H
#define SOURCE_CONFIG_PRIVATE_H

#include <jansson.h>

#include "model/tree/rset.h"

/* Make a set from the list `config` of Flux (config_hosts.c) or from the list
   `resources` (config_pools.c). Returns NULL with a diag. */
struct rset *config_hosts(json_t *list, struct diag *d);
struct rset *config_pools(json_t *list, struct diag *d);

/* Read a string with an idset, for tables of keys (base/keys.h). The caller
   owns the new idset. */
int config_read_ids(void *arg, json_t *value, void *to, struct diag *d);

/* --- resources ---------------------------------------------------------- */

/* An entry of `resources`; texts are borrowed. */
struct pool_entry {
    const char *type, *name, *unit;
    const char *subsystem; /* NULL: containment */
    const char *path;      /* of an existing pool; NULL: make a new one */
    int64_t size;
    uint64_t count;
    struct idset *ids;         /* NULL: the next free ones */
    bool counted;              /* count or ids were given */
    json_t *properties, *tags; /* objects; NULL: none */
    struct pool_list {
        struct pool_entry *list;
        size_t n;
    } with;
    char *place; /* in the configuration, for messages */
};

/* Is it a node in containment? */
static inline bool pool_is_node(const struct pool_entry *p)
{
    return !p->subsystem && type_is_node(p->type);
}

/* The set of entries (config_build.c); NULL with a diag. */
struct rset *pools_build(const struct pool_list *pools, struct diag *d);

#endif /* SOURCE_CONFIG_PRIVATE_H */

/* Inside the reading of configurations: the parts of config.c. */
#ifndef SOURCE_CONFIG_PRIVATE_H
#define SOURCE_CONFIG_PRIVATE_H

#include <jansson.h>

#include "model/tree/rset.h"

/*
 * The list `config` of Flux (config_hosts.c), and the list `resources`
 * (config_pools.c), made into a set; NULL with a diag.
 */
struct rset *config_hosts(json_t *list, struct diag *d);
struct rset *config_pools(json_t *list, struct diag *d);

/* A reader (base/keys.h) of a string with an idset, which is new. */
int config_read_ids(void *arg, json_t *value, void *to, struct diag *d);

/* --- resources ---------------------------------------------------------- */

/* An entry of `resources`; texts are borrowed. */
struct pool_entry {
    const char *type, *name, *unit;
    const char *subsystem; /* NULL: containment */
    const char *path; /* of a pool that is there already; NULL: a new one */
    int64_t size;
    uint64_t count;
    struct idset *ids;         /* NULL: they are counted */
    bool counted;              /* how many there are was said */
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

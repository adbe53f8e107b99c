/*
 * Names from templates (RFC 4: "node-${frameid}-${rack}").
 *
 * In a template `${KEY}` stands for the first of these that exists: the pool's
 * property KEY; its attribute KEY (type, id, rank, host); the id of the
 * enclosing pool of type KEY. All other text stands for itself.
 */
#ifndef SOURCE_NAME_H
#define SOURCE_NAME_H

#include "model/tree/rset.h"

/* Does a text contain `${`? */
bool name_is_template(const char *text);

/* A pool, or a member of a run, that gets a name. A missing number is -1, a
   missing host NULL. */
struct named_pool {
    const struct vertex *v; /* with its properties and its parent */
    int64_t id, rank;
    const char *host;
};

/*
 * Return the name, a new string. Returns NULL with a diag if no property,
 * attribute or enclosing type has a key, if a property has no value, or if a
 * `${` has no `}`.
 */
char *name_make(const char *text, const struct named_pool *of, struct diag *d);

/* Name the nodes with these ranks by a template. Each name must be a valid
   host. Returns 0, or -1 with a diag; then the set can't be used any more. */
int rset_name_nodes(struct rset *rs, const struct idset *ranks,
                    const char *text, struct diag *d);

/* Most ranks in a set whose nodes are named. */
enum { NAMED_MAX = 1 << 24 };

#endif /* SOURCE_NAME_H */

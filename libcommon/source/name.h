/*
 * Names from templates (RFC 4: "node-${frameid}-${rack}").
 *
 * In a template `${KEY}` stands for the first of these that exists: the value
 * of the pool's property KEY; its attribute KEY (type, id, rank, host); the id
 * of the pool of type KEY in which it lies. All else stands for itself.
 */
#ifndef SOURCE_NAME_H
#define SOURCE_NAME_H

#include "model/tree/rset.h"

/* Has a text any `${` in it? */
bool name_is_template(const char *text);

/*
 * A pool, or a member of a run, that gets a name. What it does not have is -1
 * or NULL.
 */
struct named_pool {
    const struct vertex *v; /* with its properties and its parent */
    int64_t id, rank;
    const char *host;
};

/*
 * Return the name, a new string. Fails with NULL and a diag if the pool does
 * not have a key, if a property has no value, or if a `${` has no `}`.
 */
char *name_make(const char *text, const struct named_pool *of, struct diag *d);

/*
 * Name the nodes with these ranks by a template. Each name must be that of a
 * host. Returns 0, or -1 with a diag; then the set can't be used.
 */
int rset_name_nodes(struct rset *rs, const struct idset *ranks,
                    const char *text, struct diag *d);

/* At most so many nodes get names. */
enum { NAMED_MAX = 1 << 24 };

#endif /* SOURCE_NAME_H */

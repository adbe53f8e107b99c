/*
 * Names made of what is known of a pool (RFC 4: "node-${frameid}-${rack}").
 *
 * In a template `${KEY}` stands for the value of the pool's property KEY, or
 * for its attribute KEY (type, id, rank, host), or for the id of the pool of
 * type KEY in which it lies, whichever there is first. All else stands for
 * itself.
 */
#ifndef SOURCE_NAME_H
#define SOURCE_NAME_H

#include "model/tree/rset.h"

/* Has a text any `${` in it? */
bool name_is_template(const char *text);

/*
 * A pool, or a member of a run, that is to be named: `id` and `rank` are -1 if
 * it has none, `host` is NULL.
 */
struct named_pool {
    const struct vertex *v; /* with its properties and its parent */
    int64_t id, rank;
    const char *host;
};

/*
 * The name, a new string. NULL with a diag: a key that the pool does not
 * have, a property without a value, a `${` without its end.
 */
char *name_make(const char *text, const struct named_pool *of, struct diag *d);

/*
 * The nodes with these ranks get such names, of which each must be one of a
 * host. 0, or -1 with a diag; the set is of no use then.
 */
int rset_name_nodes(struct rset *rs, const struct idset *ranks,
                    const char *text, struct diag *d);

/* More nodes than that do not get names. */
enum { NAMED_MAX = 1 << 24 };

#endif /* SOURCE_NAME_H */

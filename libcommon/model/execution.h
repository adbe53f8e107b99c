/*
 * The execution half of an R (RFC 20, Execution): R_lite, nodelist,
 * properties and times, read key by key and written in the standard's order.
 */
#ifndef MODEL_EXECUTION_H
#define MODEL_EXECUTION_H

#include "base/stream.h"
#include "model/document.h"
#include "model/rlite.h"

/* What the name of a property must not hold (RFC 20). */
#define PROPERTY_FORBIDDEN "!&'\"^`|()"

/* What `execution` said, before it is put into the set. */
struct execution {
    struct rlite lite;
    uint64_t nranks; /* how often ranks were listed */
    struct hostlist *hosts;
    json_t *properties;
    struct layer *unknown; /* keys of entries, on their ranks: unknown.h */
    size_t nunknown;
};

void execution_fini(struct execution *ex);

/* Read the value of the key, which comes next; times go into the set. */
int execution_read(struct execution *ex, struct rset *rs, struct stream *s,
                   struct diag *d);

/*
 * Put it into the set: it becomes the tree if there is no graph, and must
 * agree with the graph if there is one (unless `trust` says which is right).
 */
int execution_apply(struct execution *ex, struct rset *rs, enum trust trust,
                    struct diag *d);

/*
 * Does it agree with the graph that was read, in its ranks (`ranks`), their
 * children and hosts? Returns 0, or -1 with a diag that names the first rank
 * where they differ.
 */
int execution_agrees(const struct execution *ex, const struct rset *rs,
                     const struct idset *ranks, struct diag *d);

/*
 * Write the object of an R_lite that was made of the set. `nslots` is a key
 * of the current edition; in the seed edition it is elsewhere (edition.h).
 */
int execution_write(struct rset *rs, const struct rlite *lite,
                    enum dialect dialect, FILE *fp);

#endif /* MODEL_EXECUTION_H */

/*
 * Audit: an inventory and the resources of many jobs. What is held twice,
 * and what is held that the inventory does not have?
 *
 * Ranks of the inventory and of all jobs are laid over each other once, so
 * the cost follows the runs of all of them together. Pools that R_lite does
 * not speak of (memory, storage) are compared by path and units where the
 * inventory and the job have graphs.
 */
#ifndef COMPARE_AUDIT_H
#define COMPARE_AUDIT_H

#include "compare/changes.h"

/* The resources of a job; `name` is what messages call it. */
struct held {
    struct rset *rs;
    const char *name;
};

/*
 * Find all faults, as changes that are ALTERED (held twice, more units held
 * than there are, another host) or NEW (not in the inventory). Returns 0, or
 * -1 with a diag.
 */
int rset_audit(struct rset *inventory, const struct held *jobs, size_t n,
               struct changes *faults, struct diag *d);

#endif /* COMPARE_AUDIT_H */

/*
 * Audit: compare an inventory with the resources of many jobs. Finds resources
 * that several jobs hold, and held resources that the inventory does not have.
 *
 * The ranks of the inventory and of all jobs are overlaid once, so that the
 * cost follows the runs of all of them together. Pools that R_lite can't list
 * (memory, storage) are compared by path and units, if the inventory and the
 * job have graphs.
 */
#ifndef COMPARE_AUDIT_H
#define COMPARE_AUDIT_H

#include "compare/changes.h"

/* The resources of a job; `name` is used in messages. */
struct held {
    struct rset *rs;
    const char *name;
};

/*
 * Find all faults, as changes that are ALTERED (held twice, more units held
 * than there are, another host) or NEW (not in the inventory). Returns 0, or -1
 * with a diag.
 */
int rset_audit(struct rset *inventory, const struct held *jobs, size_t n,
               struct changes *faults, struct diag *d);

#endif /* COMPARE_AUDIT_H */

/*
 * What differs between two resource sets, in meaning: the order of keys, how
 * ranks are grouped and how idsets are spelled do not matter.
 */
#ifndef COMPARE_DIFF_H
#define COMPARE_DIFF_H

#include "compare/changes.h"

/*
 * Find the changes that lead from a to b; both may be cut in runs. A set
 * with a graph is compared with one without by what R_lite can say, which is
 * noted in a. Returns 0 with the changes in order (none: they are the same),
 * or -1 with a diag.
 */
int rset_diff(struct rset *a, struct rset *b, struct changes *changes,
              struct diag *d);

#endif /* COMPARE_DIFF_H */

/*
 * Resources of a provider whose halves disagree. Flux takes excluded ranks out
 * of R_lite alone, and numbers the ranks of a nested instance anew in R_lite
 * alone. A scheduler has to work with both:
 *
 *     R_lite and the graph                 result
 *     name the ranks of hosts otherwise    the graph, with the ranks of R_lite
 *     disagree about ranks, cores, gpus    the graph, with what R_lite lists;
 *                                          what has no rank stays
 *     the graph can't be read              R_lite
 */
#ifndef COMPARE_RECONCILE_H
#define COMPARE_RECONCILE_H

#include "model/document/document.h"

/*
 * Read an R, which messages call `name`. If its halves disagree, and `trust` is
 * TRUST_NONE, returns what they have in common as above. *note: a new string
 * that says what was done; NULL: nothing. Returns NULL with a diag if R_lite
 * can't be read either.
 */
struct rset *rset_read_reconciled(const char *text, size_t len,
                                  const char *name, enum trust trust,
                                  char **note, struct diag *d);

#endif /* COMPARE_RECONCILE_H */

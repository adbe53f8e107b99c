/*
 * Properties given beside a source: `NAME` or `NAME:TARGETS`, such as `amd:0-3`
 * or `amd:node[0-3]`. Without TARGETS every rank has the property.
 *
 * NAME is a property of an R (RFC 20, Execution): `name`, or `key=value` for a
 * property with a value. It may contain colons; TARGETS begin behind the last
 * one.
 */
#ifndef SOURCE_PROPERTY_H
#define SOURCE_PROPERTY_H

#include "model/tree/rset.h"

/*
 * Add `n` properties to the targets of a set, in their order. TARGETS of the
 * same name add up. The cost follows runs of ranks. Returns 0, or -1 with a
 * diag that quotes the text at fault: a name that RFC 20 forbids, TARGETS that
 * are neither an idset nor a hostlist, or that are not in the set. After a
 * fault the set can't be used any more.
 */
int rset_add_properties(struct rset *rs, const char *const *texts, size_t n,
                        struct diag *d);

/*
 * Read TARGETS: ranks of a set as an idset, or its hosts as a hostlist. Returns
 * 0 with a new idset of ranks, or -1 with a diag. The caller destroys the
 * idset, also after a fault.
 */
int targets_read(const struct rset *rs, const char *text, struct idset **ranks,
                 struct diag *d);

/* Check the name of a property. Returns 0, or -1 with a diag. */
int property_check(const char *name, struct diag *d);

#endif /* SOURCE_PROPERTY_H */

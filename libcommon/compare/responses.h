/*
 * The difference of two inventories, as the responses of RFC 28 that would take
 * a scheduler from the first to the second.
 *
 * Responses are about whole targets. A rank that has other resources, another
 * host or other properties in the second inventory is removed and added again.
 *
 * The seed edition has grow, shrink, online and offline; the current edition,
 * which is deployed, has up, down, shrink and expiration.
 */
#ifndef COMPARE_RESPONSES_H
#define COMPARE_RESPONSES_H

#include <stdio.h>

#include "model/document/document.h"

/*
 * Write the responses, one on each line, in the required order: shrink, grow,
 * offline, online. Returns their number. Returns -1 with a diag, and writes
 * nothing, on errors: the current edition can't add resources. Facts that the
 * chosen edition can't express become notes of b.
 */
int rset_responses(struct rset *a, struct rset *b, enum dialect dialect,
                   FILE *fp, struct diag *d);

/* Write a set of targets as a string of a response, after `before`, which ends
   with the opening quote. */
void responses_put_set(FILE *fp, const char *before, const struct idset *set);

/* Write the response of the current edition for a new end; TIME_UNSET: none. */
void responses_put_end(FILE *fp, double end);

/*
 * Return the resources of some ranks in the form that responses have: an R
 * without records and states of targets, a text for free(). NULL with a diag.
 * Facts that the edition can't express become notes of rs.
 */
char *resources_text(struct rset *rs, const struct idset *ranks,
                     enum dialect dialect, struct diag *d);

#endif /* COMPARE_RESPONSES_H */

/*
 * The difference of two inventories as the responses of RFC 28 that would
 * take a scheduler from the first to the second.
 *
 * Responses speak of whole targets. A rank that has other resources, another
 * host or other properties in the second inventory is taken away and added
 * anew.
 *
 * The seed edition speaks of grow, shrink, online and offline; the current
 * one, which is deployed, of up, down, shrink and expiration.
 */
#ifndef COMPARE_RESPONSES_H
#define COMPARE_RESPONSES_H

#include <stdio.h>

#include "model/document/document.h"

/*
 * Write the responses, a line each, in the order in which they have to come:
 * shrink, grow, offline, online. Returns their number, or -1 with a diag and
 * nothing written: the current edition can't add resources. What the chosen
 * edition can't say is in b's notes.
 */
int rset_responses(struct rset *a, struct rset *b, enum dialect dialect,
                   FILE *fp, struct diag *d);

/* A set of targets as a string of a response: behind `before`, which ends with
   the quote that opens it. */
void responses_put_set(FILE *fp, const char *before, const struct idset *set);

/* That of the current edition that tells an end, TIME_UNSET: none. */
void responses_put_end(FILE *fp, double end);

/* A whole set as a response has it, its graph with it: a text for free(). NULL
   with a diag. */
char *rset_R_text(struct rset *rs, enum dialect dialect, struct diag *d);

/*
 * The resources of some ranks as a response has them: an R without records and
 * states of targets, as a text for free(). NULL with a diag. What that edition
 * can't say of them is in the set's notes.
 */
char *resources_text(struct rset *rs, const struct idset *ranks,
                     enum dialect dialect, struct diag *d);

#endif /* COMPARE_RESPONSES_H */

/* Within usage: rows of sums, and what its files do for each other. */
#ifndef MODEL_RECORDS_USAGE_PRIVATE_H
#define MODEL_RECORDS_USAGE_PRIVATE_H

#include "model/records/usage.h"

/* Rows of units by type: as usage has them, and what there is in all. */
enum { FREE, IDLE, USAGE_ROWS, TOTAL = USAGE_ROWS, ROWS };

/* --- types.c ------------------------------------------------------------ */

/* Number the vertices of the set, and find all that `types` tells. */
void usage_survey(struct usage *u);
void types_fini(struct types *t);

/* ROWS rows of an inner vertex, with nobody having anything; NULL: a leaf. */
const int64_t *usage_rows(const struct usage *u, const struct vertex *v);

/* --- lots.c ------------------------------------------------------------- */

void lots_begin(struct usage *u);
void lots_end(struct usage *u);

/* Free what is in a lot. */
void lot_close(struct usage *u, struct lot *lot);

/* What a lot gives is another: tell the treap that it stands in. */
void lots_pull(struct usage *u, struct lot *lot);

/* --- usage.c ------------------------------------------------------------ */

/* What a lot gives to its parent, of each member: USAGE_ROWS rows. */
void lot_gives(const struct usage *u, const struct lot *lot, int64_t *rows);

/* Find `blocked`, `touched`, `taken` and `held` of a lot anew. */
void lot_refresh(struct usage *u, struct lot *lot);

/* The grants on a lot are not those of the set's records any more. */
void lot_soil(struct lot *lot);

/* A lot got its first grant, or lost its last one. */
void lot_granted(struct lot *lot, bool first);

/* A grant has not begun; it has, or is gone. */
void usage_comes(struct usage *u, struct grant *g);
void usage_has_come(struct grant *g);

/* --- settle.c ----------------------------------------------------------- */

/* Make grants of the records of the set. */
void usage_load(struct usage *u);

#endif /* MODEL_RECORDS_USAGE_PRIVATE_H */

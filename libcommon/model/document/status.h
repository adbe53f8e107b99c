/*
 * What a scheduler of Flux answers when it is asked for the state of its
 * resources, which is what `flux resource list` shows:
 *
 *     {"all": R, "down": R, "allocated": R}
 *
 * It is read as the set `all`, in which the nodes of `down` are down, and what
 * is in `allocated` is held by a job of that name: the answer says no other.
 */
#ifndef MODEL_DOCUMENT_STATUS_H
#define MODEL_DOCUMENT_STATUS_H

#include "model/document/marks.h"

/*
 * The R in `all` was read, and what stands beside it is in the set's unknown
 * keys: take `down` and `allocated` from there, and make them the text of the
 * lists of states and allocations.
 */
void status_read(struct reader *r, struct mark_text *marks);

#endif /* MODEL_DOCUMENT_STATUS_H */

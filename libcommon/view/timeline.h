/*
 * Who has what of a set when: allocations and reservations as bars over time,
 * in rows of nodes or of jobs. For a screen of characters, and as SVG.
 *
 *     struct timeline *t = timeline_create(rs, &tops, now, TIMELINE_NODES);
 *
 *     timeline_print(t, &screen);  or  timeline_svg(t, fp);
 *     timeline_destroy(t);
 */
#ifndef VIEW_TIMELINE_H
#define VIEW_TIMELINE_H

#include "model/records/usage.h"
#include "view/screen.h"

/*
 * Of some pools, and of what is in them. Rows are nodes, and what is in none of
 * them; with FOLDED, or where there are many, those that have the same bars are
 * one row. Or they are jobs.
 */
enum timeline_rows { TIMELINE_NODES, TIMELINE_FOLDED, TIMELINE_JOBS };

struct timeline *timeline_create(struct rset *rs, const struct lots *tops,
                                 double now, enum timeline_rows rows);
void timeline_destroy(struct timeline *t);

/* Write it. The palette of the screen is not used. */
void timeline_print(const struct timeline *t, const struct screen *s);
void timeline_svg(const struct timeline *t, FILE *fp);

#endif /* VIEW_TIMELINE_H */

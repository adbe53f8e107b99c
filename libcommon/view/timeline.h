/*
 * Allocations and reservations of a set as bars over time, in rows of nodes or
 * of jobs, on a screen of characters or as SVG.
 *
 *     struct timeline *t = timeline_create(rs, &tops, now, TIMELINE_NODES);
 *
 *     timeline_print(t, &screen);  or  timeline_svg(t, fp);
 *     timeline_destroy(t);
 */
#ifndef VIEW_TIMELINE_H
#define VIEW_TIMELINE_H

#include "model/records/lots.h"
#include "view/screen.h"

/*
 * Make the timeline of the pools in `tops` and everything in them, for
 * timeline_destroy(). Rows are jobs, or nodes and other pools outside nodes.
 * With TIMELINE_FOLDED, or if there are many nodes, nodes with the same bars
 * share a row.
 */
enum timeline_rows { TIMELINE_NODES, TIMELINE_FOLDED, TIMELINE_JOBS };

struct timeline *timeline_create(struct rset *rs, const struct lots *tops,
                                 double now, enum timeline_rows rows);
void timeline_destroy(struct timeline *t);

/* Write a timeline. Ignores the palette of the screen. */
void timeline_print(const struct timeline *t, const struct screen *s);
void timeline_svg(const struct timeline *t, FILE *fp);

#endif /* VIEW_TIMELINE_H */

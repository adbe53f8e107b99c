/* The legend of a drawing: a swatch and a name for each state and each job. */
#ifndef VIEW_LEGEND_H
#define VIEW_LEGEND_H

#include "view/palette.h"

struct legend {
    struct paint *list; /* states, then jobs; what there is no room for is
                           counted; legend_fini() frees it */
    size_t nstates, n;
    const char *note; /* a line below it; NULL: none */
};

void legend_add(struct legend *l, const struct paint *paint, bool job);
void legend_fini(struct legend *l);

/* Draw it; returns its height, which is all that is done without a stream. */
double legend_draw(const struct legend *l, double x, double y, double width,
                   FILE *fp);

#endif /* VIEW_LEGEND_H */

/* The legend of a drawing: a swatch and a name for each state and each job. */
#ifndef VIEW_LEGEND_H
#define VIEW_LEGEND_H

#include "view/palette.h"

struct legend {
    struct legend_entry {
        struct paint paint;
        char *text;
        size_t njobs; /* that look like this; 0: a state */
    } * list;
    size_t n;
    bool shared;      /* several look alike */
    const char *note; /* a line below it; NULL: none */
};

/* Of what is shown of a palette, by number. The note is borrowed. */
struct legend legend_of(const struct palette *p, const bool *shown,
                        const char *note);
void legend_fini(struct legend *l);

/* Draw it; returns its height, which is all that is done without a stream. */
double legend_draw(const struct legend *l, double x, double y, double width,
                   FILE *fp);

#endif /* VIEW_LEGEND_H */

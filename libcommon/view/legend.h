/* The legend of a drawing: a swatch and a name for each state and each job, or
   each type. */
#ifndef VIEW_LEGEND_H
#define VIEW_LEGEND_H

#include "view/palette.h"

struct legend {
    struct legend_entry {
        struct paint paint;
        char *text;
        size_t njobs;   /* that look like this; 0: a state or type */
        bool no_swatch; /* of all jobs, if there are more than looks */
    } * list;
    size_t n;
    bool shared;      /* some jobs look alike */
    const char *note; /* line below the legend; NULL: none */
};

/* Make the legend of the paints in `shown`, indexed by number. Jobs are not
   named if there are more of them than looks. Borrows the note. */
struct legend legend_of(const struct palette *p, const bool *shown,
                        const char *note);
void legend_fini(struct legend *l);

/* Draw the legend and return its height. Without a stream it only returns the
   height. */
double legend_draw(const struct legend *l, double x, double y, double width,
                   FILE *fp);

#endif /* VIEW_LEGEND_H */

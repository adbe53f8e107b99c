/* A screen of characters, in a terminal or a pipe: painted cells, labels before
   them, and a legend below. */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/records/job_list.h"
#include "view/palette.h"

struct screen {
    FILE *fp;
    int width, height; /* in characters and lines; height 0: no limit */
    bool colour, utf8;
    uint32_t fill;                 /* colour of the last cell; 0: none */
    const struct palette *palette; /* of all cells */
    struct job_list used_by[PAINT_STATES]; /* jobs in pools of this state, for
                                              the legend */
};

/* Write a cell. Equal cells share one colour sequence. Call with paint NULL to
   end the cells, before other text. */
void screen_cell(struct screen *s, const struct paint *paint);

/* Write a text, escaped, and padded or cut to a width in columns. */
void screen_label(const struct screen *s, const char *text, size_t width);

/*
 * Write a legend; one line, without the names of jobs, if there are more jobs
 * than letters. counts[i] is the number of cells with paint number i; it is
 * cleared. Paints that look alike share an entry; with `numbers` each entry has
 * its number of cells. On a screen with a height the legend has at most two
 * lines.
 */
void screen_legend(struct screen *s, size_t *counts, bool numbers);

#endif /* VIEW_SCREEN_H */

/*
 * A screen of characters, in a terminal or a pipe: cells that are painted,
 * labels before them, and a legend below.
 */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "view/palette.h"

struct screen {
    FILE *fp;
    int width, height; /* columns, and lines; height 0: any number */
    bool colour, utf8;
    const struct palette *palette; /* of all that is painted */
};

/*
 * Cells in a line, one behind the other: `last` (NULL: none) is the one before,
 * so that what is equal is painted in one go; with paint NULL the line ends.
 */
void screen_cell(const struct screen *s, const struct paint *paint,
                 const struct paint *last);

/* A text as it is shown, and filled or cut to a width in columns. */
void screen_label(const struct screen *s, const char *text, size_t width);

/* The columns that a label needs. */
size_t screen_columns(const char *text);

/*
 * A legend: what was painted how, by numbers of paints, what looks alike
 * together; with `numbers` how many cells that were, too. It is not long where
 * the screen is not high. The counts are used up.
 */
void screen_legend(const struct screen *s, size_t *counts, bool numbers);

#endif /* VIEW_SCREEN_H */

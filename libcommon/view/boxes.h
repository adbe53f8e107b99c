/*
 * Boxes in boxes: where pools stand in a drawing. A box is as large as what is
 * in it needs. What is alike in it (cells of one type; boxes with others in
 * them) stands in a grid of its own; the grids follow each other in lines.
 */
#ifndef VIEW_BOXES_H
#define VIEW_BOXES_H

#include "model/records/usage.h"

struct box {
    struct box *parent, *child, *next;
    struct lot *lot;
    uint32_t at, n;    /* members of it: at, at + 1, ... (n of them) */
    char *label;       /* its name; NULL: it has no room for one */
    bool begins_row;   /* of cells without labels: it is named beside it */
    double x, y, w, h; /* in its parent, but for the outermost */
};

/* How much is drawn. */
enum detail {
    DETAIL_ALL,   /* every pool */
    DETAIL_NODES, /* a node is a cell with its name */
    DETAIL_CELLS, /* the same without */
    DETAIL_RUNS   /* equal nodes beside each other are a cell */
};

/* Lengths, and sizes of fonts, of which text in boxes is. */
enum { BOX_PAD = 6, BOX_HEADER = 20, BOX_FONT = 12, CELL_FONT = 10 };

/*
 * A box for each pool that is in a lot, for boxes_destroy(); lots are opened as
 * far as they are drawn.
 */
struct box *boxes_create(struct usage *u, struct lot *top, enum detail detail);
void boxes_destroy(struct box *list); /* NULL is allowed */

/* The detail that shows a set in about so many shapes as a browser likes. */
enum detail boxes_detail(const struct usage *u);

/* Give them places side by side; how wide and high they are together. */
void boxes_place(const struct usage *u, struct box *list, double *width,
                 double *height);

/* The name of what a box stands for: a new string. */
char *box_name(const struct usage *u, const struct box *box);

#endif /* VIEW_BOXES_H */

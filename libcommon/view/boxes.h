/*
 * Boxes in boxes: the places of pools in a drawing. A box is large enough for
 * its contents. Boxes of one kind (cells of one type, or boxes that contain
 * others) form a grid; the grids of a box follow each other in lines.
 */
#ifndef VIEW_BOXES_H
#define VIEW_BOXES_H

#include "model/tree/rset.h"

struct box {
    struct box *parent, *child, *next;
    struct lot *lot;
    uint32_t at, n;  /* its members of the lot: at, at + 1, ... (n of them) */
    char *label;     /* name; NULL: no room for one */
    char *brief;     /* name, state and job of a drained pool in use; or NULL */
    double text;     /* width of the widest label of a box of this type */
    bool begins_row; /* cell without a label: name beside it */
    double x, y, w, h; /* in its parent; outermost boxes: in the drawing */
};

/* How much to draw. */
enum detail {
    DETAIL_ALL,   /* every pool */
    DETAIL_NODES, /* a node is a cell with its name */
    DETAIL_CELLS, /* a node is a cell without a name */
    DETAIL_RUNS   /* equal neighbouring nodes are one cell */
};

/* Lengths, and font sizes of the text in boxes. */
enum { BOX_PAD = 6, BOX_HEADER = 20, BOX_FONT = 12, CELL_FONT = 10 };

/* Make a box for each pool in a lot, for boxes_destroy(). Opens lots as far as
   they are drawn. */
struct box *boxes_create(struct usage *u, struct lot *top, enum detail detail);
void boxes_destroy(struct box *list); /* NULL is allowed */

/* Return the detail that keeps the number of shapes small enough for
   browsers. */
enum detail boxes_detail(const struct usage *u);

/* Place boxes side by side. Sets the width and height of them all. */
void boxes_place(const struct usage *u, struct box *list, double *width,
                 double *height);

/* Return the name of the pools that a box stands for, a new string. */
char *box_name(const struct usage *u, const struct box *box);

#endif /* VIEW_BOXES_H */

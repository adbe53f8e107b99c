/*
 * A tree of pools in which equal pools are joined: the content of -o tree and
 * -o dot.
 *
 * A fold stands for all pools under one parent that have the same text, except
 * for their number, and the same text below them. A map from this text to the
 * fold finds equal pools, so that a thousand equal nodes are shown as one.
 * Racks contain nodes of different names and so have different text. If their
 * text is long, racks that differ only in names are joined too, and the fold
 * shows sums of their contents.
 */
#ifndef VIEW_FOLD_H
#define VIEW_FOLD_H

#include "view/view.h"

struct fold {
    struct fold *child, *next;
    const struct vertex *v; /* first pool */
    struct idset *ids;      /* ids of the pools; ranks if they are targets */
    struct hostlist *hosts; /* hosts of targets; NULL: no targets */
    char *note;             /* rest of the line, begins with blanks */
    uint64_t count;         /* number of pools */
    bool out;               /* the first pool is not up */
    size_t below;           /* number of lines shown below it */
    bool borrowed;          /* another fold owns the children */
    bool summed;            /* show only sums of the contents */
    bool mixed;             /* its pools have different states and jobs */
    struct fold *like;      /* first fold that differs only in names */
    size_t lines;           /* lines below the folds like this first one */
};

/* Fold all pools of a set. For folds_destroy(). */
struct fold *folds_create(struct rset *rs, const struct view *view);
void folds_destroy(struct fold *list); /* NULL is allowed */

/* Write the name of the pools, without ranks: node[0-3], core[0-7], pdu0. */
void fold_name(const struct fold *f, FILE *fp);

/* Write what each pool contains: "2 socket, 48 core, 8 gpu". */
void fold_sum(const struct fold *f, FILE *fp);

#endif /* VIEW_FOLD_H */

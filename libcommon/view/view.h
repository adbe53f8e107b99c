/*
 * What people look at: resource sets as short text, trees and drawings.
 *
 * Every function writes whole lines and returns 0; or -1 with a diag if the
 * set can't be shown so, and then nothing was written. Write errors show in
 * ferror().
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <stdio.h>

#include "model/tree/rset.h"

/* One line: `rank[0-3]/core[0-47],gpu[0-7] rank4/core0`. */
int view_short(struct rset *rs, FILE *fp, struct diag *d);

/* One line: the hosts of the targets as a hostlist; their ranks. */
int view_hosts(struct rset *rs, FILE *fp, struct diag *d);
int view_ranks(struct rset *rs, FILE *fp, struct diag *d);

/* How a tree of pools is to be shown, or drawn. */
struct view {
    bool expand; /* each pool by itself, not equal ones as one */
    double now;  /* the moment of which states and holders are told */
};

/*
 * A line a pool, indented by containment; pools that are equal in all that
 * is shown and in all below them are one line. Where more than 40 lines would
 * follow the first of several that differ in names alone, as racks do, they are
 * one line that tells how much is in each.
 */
int view_tree(struct rset *rs, const struct view *view, FILE *fp,
              struct diag *d);

/* A graph for graphviz, of the pools that the tree has lines of. */
int view_dot(struct rset *rs, const struct view *view, FILE *fp,
             struct diag *d);

/* A drawing, of boxes in boxes: svg.c tells how. */
int view_svg(struct rset *rs, const struct view *view, FILE *fp,
             struct diag *d);

#endif /* VIEW_VIEW_H */

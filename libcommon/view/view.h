/*
 * Views for people: resource sets as short text, trees and drawings.
 *
 * Each function writes whole lines. One with a diag returns 0, or, if the set
 * can't be shown in this form, writes nothing and returns -1. Write errors show
 * in ferror().
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <stdio.h>

#include "model/tree/rset.h"

/* Write one line such as `rank[0-3]/core[0-47],gpu[0-7] rank4/core0`. */
int view_short(struct rset *rs, FILE *fp, struct diag *d);

/* Write one line: the hosts of all targets as a hostlist, or their ranks. */
int view_hosts(struct rset *rs, FILE *fp, struct diag *d);
int view_ranks(struct rset *rs, FILE *fp, struct diag *d);

/* How to show or draw a tree of pools. */
enum tree_order { ORDER_OF_SET, ORDER_NAME, ORDER_ID, ORDER_SIZE, ORDER_FREE };
struct view {
    bool expand; /* show each pool by itself; don't join equal ones */
    bool few;    /* of more than 200 lines: also join pools of equal contents
                    that differ in states and jobs */
    double now;  /* time at which states and holders are shown */
    /* in which order a tree visits the pools in one pool (RFC 4, Traversal);
       ORDER_FREE: by free cores, or by free units where there are no cores */
    enum tree_order order;
    bool descending;
};

/*
 * Write a line for each pool, indented by containment. Pools are joined in one
 * line if everything shown of them, and of the pools below them, is equal. If
 * pools differ only in names, as racks do, and more than 40 lines would follow
 * the first, they are joined too, and the line shows the sums of their
 * contents.
 */
void view_tree(struct rset *rs, const struct view *view, FILE *fp);

/* Write a graph for graphviz: a box for each line of the tree. */
void view_dot(struct rset *rs, const struct view *view, FILE *fp);

/* Write a drawing of boxes in boxes (see svg.c). */
void view_svg(struct rset *rs, const struct view *view, FILE *fp);

#endif /* VIEW_VIEW_H */

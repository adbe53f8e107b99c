/*
 * A tree of pools in which equal ones are one: what -o tree and -o dot show.
 *
 * Pools under one parent of which the same is to be said, and of all below
 * them, but for their number, are one fold. A map from that text to the fold
 * finds them, so that a thousand equal nodes are shown as one. Racks have nodes
 * of different names, and so different text: where that is long, those that
 * differ in nothing else are one fold, too, of which sums are shown.
 */
#ifndef VIEW_FOLD_H
#define VIEW_FOLD_H

#include "view/view.h"

struct fold {
    struct fold *child, *next;
    const struct vertex *v; /* the first */
    struct idset *ids;      /* their ids, or the ranks of targets */
    struct hostlist *hosts; /* of targets */
    char *note;             /* what is to be said of each: begins with blanks */
    uint64_t count;         /* how many they are */
    size_t below;           /* lines that are shown below it */
    bool borrowed;          /* its children are another one's */
    bool summed;            /* of what is in it only how much that is */
    struct fold *like;      /* the first that differs in names alone, of... */
    size_t lines;           /* ...which so many would follow its line */
};

/* All of a set, for folds_destroy(). */
struct fold *folds_create(struct rset *rs, const struct view *view);
void folds_destroy(struct fold *list); /* NULL is allowed */

/* Their name, without ranks: node[0-3], core[0-7], pdu0. */
void fold_name(const struct fold *f, FILE *fp);

/* What is in each of them: "2 socket, 48 core, 8 gpu". */
void fold_sum(const struct fold *f, FILE *fp);

#endif /* VIEW_FOLD_H */

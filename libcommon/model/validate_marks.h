/*
 * Inside the validation of records in an R without a graph: what reading
 * them and laying them over each other share.
 */
#ifndef MODEL_VALIDATE_MARKS_H
#define MODEL_VALIDATE_MARKS_H

#include "model/marks_private.h"
#include "model/validate_private.h"

/* A record on some ranks. */
struct laid {
    struct hold hold;
    enum mark_kind mark;
    struct idset *ranks;
    struct lite_children children; /* none: the targets themselves */
    bool held;                     /* whole, whatever is listed */
    bool faulty;                   /* who holds it, or when, is not known */
    bool told;                     /* that it names what is not there */
    bool partial;                  /* told that it has only a part */
    bool conflict;                 /* told that another has it */
    bool locks_whole;              /* a lock of what its job holds whole */
    bool stale;                    /* told that it locks what is not held */
};

struct marks {
    struct check *c;
    const struct place *at;
    const struct half *half;
    struct laid *list;
    size_t n, size;
    struct idset *exclusive; /* ranks taken whole or not at all, or NULL */
};

/* Ranks of which everything is the same: the same records lie on them. */
struct group {
    struct marks *m;
    const struct idset *ranks;
    const struct lite_children *there; /* NULL: no such ranks */
    struct laid **on;                  /* the records on it */
    size_t n;
    struct hold *holds; /* room for n */
    const struct idset **sets;
    const char **jobs; /* room for n */
};

/* Hold the records on them against each other, and against what there is. */
void check_group(struct group *g);

#endif /* MODEL_VALIDATE_MARKS_H */

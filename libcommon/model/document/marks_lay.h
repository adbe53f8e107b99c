/*
 * Inside the reading of records in an R without a graph (marks.h): the entries
 * of all lists are laid over the targets together. Ranks on which the same
 * records lie are a group, and are checked and filled in at once.
 */
#ifndef MODEL_DOCUMENT_MARKS_LAY_H
#define MODEL_DOCUMENT_MARKS_LAY_H

#include "base/map.h"
#include "model/document/holds.h"
#include "model/document/marks.h"
#include "model/document/reader.h"
#include "model/document/rlite.h"
#include "set/overlay.h"

/* An element of one of the lists. */
struct record {
    struct hold hold; /* who, when; of shares, locks, states and tags, too */
    struct term like; /* its terms, of no job yet */
    const char *word; /* the name of a state or a tag */
    json_t *value;    /* of a tag; NULL: none */
    struct record *next;
    struct job *granted; /* the job, once it has anything */
    struct term *term;   /* and for what term, once it has a claim */
    enum mark_kind mark : 8;
    bool faulty; /* who holds it, or when, is not known */
};

/* A record on some ranks, all with the same children. */
struct laid {
    struct record *record;
    struct idset *ranks;
    struct lite_children children;
    unsigned char puts;   /* what it does to the pools at hand */
    bool borrowed : 1;    /* the children are another's */
    bool bare : 1;        /* there are no `children`: all of the target */
    bool held : 1;        /* the job holds the target, whatever is listed */
    bool told : 1;        /* that it names what is not there */
    bool partial : 1;     /* told that it has only a part */
    bool conflict : 1;    /* told that another has it */
    bool locks_whole : 1; /* a lock of what its job holds whole */
    bool stale : 1;       /* told that it locks what is not held */
};

struct marks {
    struct reader *r;
    enum mark_use use;
    const struct place *at; /* of the scheduler's object */
    struct arena arena;
    struct record *records; /* the last one first */
    struct laid *list;
    size_t n;
    size_t before;           /* refused before them */
    struct idset *exclusive; /* ranks taken whole or not at all, or NULL */
};

/* Ranks of which everything is the same: the same records lie on them. */
struct rank_group {
    struct marks *m;
    const struct idset *ranks;
    struct vertex *target; /* NULL: no such ranks */
    struct laid **on;      /* the records on it */
    size_t n;
    struct laid **by;          /* room for n: those that name ids of a type */
    struct hold *holds;        /* room for n */
    const char **jobs;         /* room for n */
    const struct idset **sets; /* room for n and one more */
};

/* Are they laid, as nothing was refused so far? */
bool marks_lie(const struct marks *m);

/* Check that a group has what records name, and check records of all of the
   target against all others. */
void group_check(struct rank_group *g);

/* Are the ids that it names to be checked against others? */
bool laid_counts(const struct rank_group *g, const struct laid *l);

/* Check records that name the same ids of a type against each other. */
void group_check_ids(struct rank_group *g, const struct overlay_group *same,
                     const char *type);

/* Check the ids that records name, and unless anything was refused put the
   records on the target and its pools, which are cut where records differ. */
void group_lay(struct rank_group *g);

#endif /* MODEL_DOCUMENT_MARKS_LAY_H */

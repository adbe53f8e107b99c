/*
 * Inside the reading of records in an R without a graph (marks.h). The entries
 * of all lists are laid over the targets together. Ranks with the same records
 * form a group, and are checked and filled in at once.
 */
#ifndef MODEL_DOCUMENT_MARKS_LAY_H
#define MODEL_DOCUMENT_MARKS_LAY_H

#include "model/document/holds.h"
#include "model/document/marks.h"
#include "model/document/reader.h"
#include "model/document/rlite.h"
#include "set/overlay.h"

/* An element of one of the lists. */
struct record {
    struct hold hold; /* job and times; for all kinds of records */
    struct term like; /* its term, not yet a job's */
    const char *word; /* name of the state or tag */
    json_t *value;    /* of the tag; NULL: none */
    struct record *next;
    struct job *granted; /* the job, once it has a grant */
    struct term *term;   /* the job's term, once it has a claim */
    enum mark_kind mark : 8;
    bool faulty; /* job or times are unknown */
};

/* A record on ranks with the same children. */
struct laid {
    struct record *record;
    struct idset *ranks;
    struct lite_children children;
    unsigned char puts;   /* its effects on the current pools */
    bool borrowed : 1;    /* the children belong to another */
    bool bare : 1;        /* without `children`: the whole target */
    bool held : 1;        /* the job holds the target whole */
    bool reported : 1;    /* reported: names unknown resources */
    bool partial : 1;     /* reported: has only a part */
    bool conflict : 1;    /* reported: another job holds it */
    bool locks_whole : 1; /* a lock on a target that its job holds whole */
    bool stale : 1;       /* reported: locks pools that are not held */
};

struct marks {
    struct reader *r;
    bool sound;             /* the set has no faults */
    const struct place *at; /* of the scheduler's object */
    struct arena arena;
    struct record *records; /* the last one first */
    struct laid *list;
    size_t n;
    size_t before;           /* number of faults before the records */
    struct idset *exclusive; /* ranks that must be taken whole, or NULL */
};

/* Ranks on which the same records lie. */
struct rank_group {
    struct marks *m;
    const struct idset *ranks;
    struct vertex *target; /* NULL: the ranks are not in the set */
    struct laid **on;      /* the records on these ranks */
    size_t n;
    struct laid **by;          /* room for n: records with ids of a type */
    struct hold *holds;        /* room for n */
    const char **jobs;         /* room for n */
    const struct idset **sets; /* room for n and one more */
};

/* Return whether records are put into the set: there were no faults so far. */
bool marks_lie(const struct marks *m);

/* Check that the pools named by a group's records exist, and check records on
   whole targets against all others. */
void group_check(struct rank_group *g);

/* Return whether the ids in a record must be checked against other records. */
bool laid_counts(const struct rank_group *g, const struct laid *l);

/* Check records with the same ids of a type against each other. */
void group_check_ids(struct rank_group *g, const struct overlay_group *same,
                     const char *type);

/* Check the ids in records. If nothing was refused, put the records on the
   target and its pools, and cut runs where records differ. */
void group_lay(struct rank_group *g);

#endif /* MODEL_DOCUMENT_MARKS_LAY_H */

/*
 * Selections: a part of a resource set, as a tree of picks beside the tree
 * of vertices.
 *
 * A match, what a job holds and what is available are all selections. They
 * point into the set and change nothing in it; a set of their own is made by
 * rset_extract(), records are made of them by the ledger.
 */
#ifndef MODEL_CHANGE_SELECT_H
#define MODEL_CHANGE_SELECT_H

#include "model/records/usage.h"

struct pick {
    struct pick *next, *child; /* like the vertices': children of v */
    struct vertex *v;
    uint64_t nmembers; /* of a run, how many; 0 in a single vertex */
    uint32_t first;    /* of a run, members first, first+1, ... */
    int64_t amount;    /* units of the pool (of each member) */
    bool whole;        /* all below v is selected, too; no child picks */
    bool exclusive;    /* v is held whole, whatever is selected below it */
    bool shared;       /* v is used, but no units of it are taken */
};

struct selection {
    struct arena arena;
    struct pick *picks; /* of the set's root, if it is picked, and behind it
                           those of pools in no containment */
    bool records;       /* records go with it */
    bool inventory;     /* a part of an inventory: `exclusive` stays what it
                           was; otherwise it says what a job holds */
    const char *job;    /* whose R it is, or NULL: a pool with nothing in it
                           that the job only shares is to say so, ... */
    const char *queue;  /* that the job was in, or NULL */
    double start, end;  /* ... and the R has the times of the allocation */
    uint64_t nslots;    /* of the request that it was found for; 0: none */
    bool moldable;      /* which left their number open */
};

struct selection *selection_create(void);
void selection_destroy(struct selection *sel); /* NULL is allowed */

/* The number of its slots, if it was left open and can be kept; or 0. */
static inline uint32_t selection_open_slots(const struct selection *sel)
{
    return sel->moldable && sel->nslots <= UINT32_MAX ? (uint32_t)sel->nslots
                                                      : 0;
}

/* A new pick of v: all of it, with no children. */
struct pick *selection_pick(struct selection *sel, struct vertex *v);

/* Visit all picks, each with the units of all pools that it stands for. */
void selection_units(const struct selection *sel,
                     void (*visit)(const struct pick *p, uint64_t units,
                                   void *arg),
                     void *arg);

/* So many units of its pool, of nodes with their share; of all: it whole. */
void pick_take(struct selection *sel, struct pick *p, int64_t units);
/* The same of a lot, with the picks of those that it lies in. */
void selection_take(struct selection *sel, const struct usage *u,
                    const struct lot *lot, int64_t units);

/* What is held whole goes as a whole, whatever is listed of it. */
void selection_fold(struct selection *sel);

/* Name all members of a run (nothing to do for a single vertex). */
void pick_all_members(struct pick *p);

/* The members of a run that a pick names, as a new set. */
struct idset *pick_members(const struct pick *p);

/*
 * A new set of what is selected: the picks with their ancestors, sizes as
 * selected, `exclusive` where a pick is held whole, records only if the
 * selection says so; names, uuids, properties and states as they are; links
 * between what is in it; times, attributes and what is carried. The number
 * of slots (nslots) goes, or becomes that of the selection.
 */
struct rset *rset_extract(const struct rset *rs, const struct selection *sel);

/* A new set that is the same in all (RFC 4, Duplicate). */
struct rset *rset_duplicate(struct rset *rs);

#endif /* MODEL_CHANGE_SELECT_H */

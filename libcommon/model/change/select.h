/*
 * Selections: a part of a resource set, as a tree of picks beside the tree of
 * vertices.
 *
 * A match, the resources of a job and available resources are selections. They
 * point into the set and change nothing in it. rset_extract() makes a set from
 * a selection; the ledger makes grants from it.
 */
#ifndef MODEL_CHANGE_SELECT_H
#define MODEL_CHANGE_SELECT_H

#include "model/records/lots.h"
#include "model/records/records.h"

struct pick {
    struct pick *next, *child; /* like vertices: children of v */
    struct vertex *v;
    uint64_t nmembers; /* of a run: number of members; 0 for a single vertex */
    uint32_t first;    /* of a run: the first member */
    int64_t amount;    /* units of the pool (of each member) */
    bool whole;        /* all contents of v are selected; no child picks */
    bool exclusive; /* v is held whole, even if only a part of its contents is
                       selected */
    bool shared;    /* v is used, but no units of it are taken */
};

struct selection {
    struct arena arena;
    struct pick *picks; /* of the root, if it is picked; then of pools outside
                           containment */
    bool records;       /* copy grants and states, too */
    bool inventory; /* keep `exclusive`, as in an inventory; otherwise it means
                       that the job holds the pool */
    /* The result is the R of this job; NULL: of none. In it, pools without
       contents that the job only shares are marked. */
    const char *job;
    const char *queue; /* queue of the job, or NULL */
    double start, end; /* of the allocation */
    uint64_t nslots;   /* slots of the request; 0: none */
    bool moldable;     /* the request left their number open */
    bool root_found;   /* what a filter finds is the root itself */
};

struct selection *selection_create(void);
void selection_destroy(struct selection *sel); /* NULL is allowed */

/* Return the number of slots if the request left it open and it fits; otherwise
   0. */
static inline uint32_t selection_open_slots(const struct selection *sel)
{
    return sel->moldable && sel->nslots <= UINT32_MAX ? (uint32_t)sel->nslots
                                                      : 0;
}

/* Return a new pick of v: all its units, without children. */
struct pick *selection_pick(struct selection *sel, struct vertex *v);

/* Take units of a lot, and pick the lots around it. All units: the whole pool;
   a part of several nodes gets their share of the contents. */
void selection_take(struct selection *sel, const struct usage *u,
                    const struct lot *lot, int64_t units);

/* Take lots whole, which are different and not in each other. */
void selection_take_all(struct selection *sel, const struct usage *u,
                        const struct lots *lots);

/* Return the ranks of the execution targets in a selection, as a new set. */
struct idset *selection_ranks(const struct selection *sel);

/* Make picks that are held whole, in a list or below it, select all contents,
   even if only a part is listed. */
void picks_fold(struct pick *list);

/* Pick all members of a run. Does nothing for a single vertex. */
void pick_all_members(struct pick *p);

/* Return whether any child of a pick's pool is not picked with all its units
   (or with more: listed units stay when a pool shrinks); with `deep` whether
   any is picked with less, or not whole. */
bool pick_is_part(const struct pick *p, bool deep);

/* Return the members of a run that a pick selects, as a new set. */
struct idset *pick_members(const struct pick *p);

/*
 * Return a new set of the selected pools. It has the picks and their ancestors,
 * with selected sizes; `exclusive` on picks that are held whole; records only
 * if the selection says so. Names, uuids, properties, states, times, attributes
 * and unknown keys are copied, and links between selected pools. The number of
 * slots (nslots) is that of the selection, or removed.
 */
struct rset *rset_extract(const struct rset *rs, const struct selection *sel);

/* Return a copy of a set with everything in it (RFC 4, Duplicate). */
struct rset *rset_duplicate(struct rset *rs);

#endif /* MODEL_CHANGE_SELECT_H */

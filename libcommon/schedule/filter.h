/*
 * Filters: selecting from a resource set without a request.
 *
 * A filter has several criteria. A pool passes if it satisfies all of them. The
 * selection consists of these pools and their ancestors up to the root (RFC 4,
 * Find).
 */
#ifndef SCHEDULE_FILTER_H
#define SCHEDULE_FILTER_H

#include "model/change/select.h"
#include "request/constraint.h"

struct filter {
    struct constraint *targets; /* execution targets that satisfy it, with
                                   everything below them; NULL: any */
    bool outside; /* with `targets`: also pools that lie in no target, if any
                     target is left */
    struct constraint *find;  /* pools that satisfy it, with everything below
                                 them */
    struct constraint *each;  /* pools that satisfy it themselves */
    struct constraint *enter; /* pools that don't satisfy it are pruned, with
                                 everything below them (RFC 4, Traversal) */
    const char *job;          /* resources allocated to this job; NULL: any */
    bool held;      /* with `job`: everything that it holds, listed or not */
    bool available; /* only available resources (RFC 4, Copy): sizes are what is
                       available... */
    struct period when; /* ... throughout this period */
    bool usable; /* with `available`: only nodes in which a job could start */
};

/* Return whether a filter has any criterion. */
bool filter_is_set(const struct filter *f);

/*
 * Select the pools that pass, with their records unless `available` or `job` is
 * given. The set is not changed: picks name single members of runs. Returns a
 * new selection, empty if nothing passes.
 */
struct selection *filter_select(struct rset *rs, const struct filter *f);

/*
 * Return a new set with everything on some ranks and the pools around it, with
 * or without records.
 */
struct rset *rset_on_ranks(struct rset *rs, const struct idset *ranks,
                           bool records);

/* Return a new set without some ranks, but with all other pools and the
   records. */
struct rset *rset_without_ranks(struct rset *rs, const struct idset *ranks);

/* Return a new set with all pools of a set, without jobs and states. */
struct rset *rset_facts(struct rset *rs);

#endif /* SCHEDULE_FILTER_H */

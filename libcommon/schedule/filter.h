/*
 * Filters: selecting from a resource set without a request.
 *
 * A filter says of every pool yes or no; with several, all have to say yes.
 * What is selected are the pools that pass and their ancestors to the root
 * (RFC 4, Find).
 */
#ifndef SCHEDULE_FILTER_H
#define SCHEDULE_FILTER_H

#include "model/change/select.h"
#include "request/constraint.h"

struct filter {
    struct constraint *targets; /* execution targets that satisfy it, and all
                                   below them; NULL: any */
    struct constraint *find;    /* pools that do, and all below them */
    struct constraint *each;    /* only pools that do themselves */
    const char *job;            /* what is allocated to it; NULL: any */
    bool held;      /* with `job`: all that it holds, listed or not */
    bool available; /* RFC 4, Copy: what is available, sizes set to that... */
    struct period when; /* ... throughout this time */
};

/* Does a filter ask for anything? */
bool filter_given(const struct filter *f);

/*
 * Select what passes. Records go with it, but not where `available` or `job`
 * is given. The set stays as it is: of a run some members may be picked. A
 * new selection, empty if nothing passes; NULL with a diag.
 */
struct selection *filter_select(struct rset *rs, const struct filter *f,
                                struct diag *d);

/*
 * What is on these ranks, and what that lies in, as a set of its own: with
 * records or without. NULL with a diag.
 */
struct rset *rset_on_ranks(struct rset *rs, const struct idset *ranks,
                           bool records, struct diag *d);

/* All of a set as it is, but for who has it and what state it is in. */
struct rset *rset_facts(struct rset *rs, struct diag *d);

#endif /* SCHEDULE_FILTER_H */

/*
 * Future usage: first starts, promises of the planner, and ends.
 *
 * usage_first_start() adds up what all nodes will have, and so may name a start
 * that is too early: the parts may lie in the wrong nodes. usage_first_window()
 * asks each node, and costs a walk over all of them. Both only know claims of
 * nodes and what is in them, not of racks, licences or power.
 *
 * Ends come from the agenda of terms (jobs.h), numbers from the profiles of
 * nodes (profile.h).
 */
#ifndef MODEL_RECORDS_FORECAST_H
#define MODEL_RECORDS_FORECAST_H

#include "model/records/orders.h"

struct job;
struct period;

/*
 * A kind of equal parts of nodes: what each part needs in a node, and the ranks
 * of the nodes that count; NULL: all.
 */
struct part_kind {
    struct needs each;
    struct idset *in;
};
bool part_kind_equal(const struct part_kind *a, const struct part_kind *b);
/* Does a part of `a` need no more than one of `b`, in the same nodes? */
bool part_kind_within(const struct part_kind *a, const struct part_kind *b);

/*
 * Return the first start, not before `from`, at which all nodes together may
 * give `least` parts of a kind, beside promises, for a duration (0: without
 * end). INFINITY if there is none before `limit`.
 */
double usage_first_start(struct usage *u, const struct part_kind *kind,
                         int64_t least, double from, double limit,
                         double duration);

/*
 * The result of usage_first_window() for each start before `limit`: an upper
 * bound of the number of parts. With it the next question finds out faster that
 * there is no start. That question may have other times, but it has to be about
 * the same units on the same targets, and leave out the same job. All zeros:
 * nothing is known.
 */
struct outlook {
    double *starts;   /* ascending */
    int64_t *changes; /* from each start on, more or less than before it */
    size_t n;
    double from, limit, duration;
    uint64_t since; /* `gained` of the usage */
};
void outlook_fini(struct outlook *o);

/* Return the first start, not before `from`, with enough; INFINITY: there is
   none before the limit of the last question. Nothing may have changed since.
 */
double outlook_next(const struct outlook *o, int64_t least, double from);

/*
 * As usage_first_start(), but each node has to have its part of the units for
 * the whole duration, and nodes that are not `allowed` (ranks; NULL: all are)
 * or that a place has meanwhile don't count. It is nearer to the truth, and
 * costs a walk over all nodes. Only for sets whose targets are the nodes it may
 * get the outlook of earlier questions; otherwise NULL.
 */
double usage_first_window(struct usage *u, const struct needs *each,
                          int64_t least, const struct idset *allowed,
                          double from, double limit, double duration,
                          struct outlook *outlook);

/* Set the present time. A window or a match that starts now, and not later,
   counts what jobs hold past their end. */
void usage_set_now(struct usage *u, double now);

/* Let usage_first_window() leave out the claims of a job with one term, which
   has not ended, on the targets with these ranks; NULL: count all again.
   Nothing may change in between. */
void usage_leave_out(struct usage *u, const struct job *job,
                     const struct idset *ranks);

/*
 * Parts of nodes that are promised for a time. A promise is no grant. It is a
 * number, which usage_first_start() leaves out; and if it has a place, which
 * only a promise of whole nodes can have, a match leaves out the nodes with
 * these ranks for that time. Set the last five members before usage_promise(),
 * and keep the promise and its kind where they are until it is taken back.
 * usage_taken() returns the places of all promises between two times, a new
 * set; NULL: there are none.
 */
struct promise {
    struct promise *next, *prev;
    const struct part_kind *kind;
    int64_t times;
    double from, to;     /* INFINITY: for ever */
    struct idset *ranks; /* its place; NULL: it has none */
};
void usage_promise(struct usage *u, struct promise *p);
void usage_take_back(struct usage *u, struct promise *p);
struct idset *usage_taken(struct usage *u, double from, double to);

/*
 * usage_place() finds a place for a promise that has none and is not made yet:
 * the nodes with the lowest ranks that are idle all the time, and that no other
 * place has then; first those on which a claim begins later, then those that
 * another place has later. Returns false if there are too few.
 * usage_keeps_place() returns whether nothing is in the way of a place.
 * usage_unplace() drops it. All three are only for sets where
 * usage_counts_nodes() holds.
 */
bool usage_place(struct usage *u, struct promise *p);
bool usage_keeps_place(struct usage *u, const struct promise *p);
void usage_unplace(struct promise *p);

/* Return whether usage_first_start() is exact if only nodes can be down, and
   all promises are of the kind or lie in other nodes: not if there are several
   types of nodes, a node lies in another one, a vertex stands for several
   nodes, or anything around nodes is held. */
bool usage_counts_nodes(struct usage *u);

/*
 * Questions about claims and the promises that have places: the first end after
 * a time, or INFINITY if there is none.
 */
double usage_next_end(struct usage *u, double time);

/* Return the number of ends with from <= end < to, and set *ends to a new array
   of them, ascending; free it with free(). */
size_t usage_ends(struct usage *u, double from, double to, double **ends);

/* Return whether any begins between two times. */
bool usage_begins(struct usage *u, double after, double before);

/*
 * Does any job have parts of nodes without naming its units (struct term)? Then
 * a node has less than its lots say. usage_least_in() returns the units of a
 * type that it has at each moment of a period, at least: none if it is not up.
 * INT64_MAX: nothing in it was ever claimed.
 */
bool usage_has_parts(const struct usage *u);
int64_t usage_least_in(const struct lot *node, unsigned ntype,
                       const struct period *when);

/* Return whether a time is the present, and jobs that are past their end hold
   what is counted as free. */
bool usage_is_late(const struct usage *u, double time);

#endif /* MODEL_RECORDS_FORECAST_H */

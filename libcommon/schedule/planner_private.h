/*
 * Within the planner: its state, and the functions that its files offer each
 * other. planner.c goes through the jobs; planner_start.c starts one job, or
 * finds a time for it; planner_exchange.c moves reservations out of its way;
 * planner_hold.c holds them; planner_why.c explains.
 *
 * A reservation promises a time. If all of them ask for equal parts of nodes,
 * whole nodes or slots, or for parts of other nodes, only numbers count: each
 * is a number over time (usage_promise()), and a job of such a kind starts, or
 * gets a reservation, if the numbers allow it. That is exact, since what is
 * free in a node only grows. Other jobs have to see which units are meant. For
 * them the promises get places, in the order of their times. As soon as one of
 * them gets a reservation, or the site makes one, the places are fixed: whole
 * nodes, wherever they lie, are left out by the matcher, and others are claimed
 * in the ledger. These claims are parts of nodes: numbers of units, and not
 * particular ones. The free units of a node only grow, so these are found when
 * the job starts. Only beside windows of the site, and beside requests for
 * units in particular places, each reservation names its units. A job that does
 * not fit beside the places starts if all of them can be found anew
 * (planner_exchange()). Claims and promises are taken back before anybody else
 * looks at the ledger (planner_unhold()); a pass holds them again.
 */
#ifndef SCHEDULE_PLANNER_PRIVATE_H
#define SCHEDULE_PLANNER_PRIVATE_H

#include <math.h>

#include "base/time.h"
#include "schedule/plan.h"
#include "schedule/planner.h"

/* A kind of parts of nodes, and the number of reservations of it. */
struct known_kind {
    struct part_kind kind;
    bool any_nodes; /* whole nodes, wherever they lie */
    bool units;     /* units in nodes, not whole nodes */
    size_t used;
};

/* When a request could not start: `duration` is the shortest that was tried
   then; 0: endless. */
struct failure {
    uint64_t when;
    double duration;
};

/* What is known of a request. */
struct planned_request {
    uint64_t counted; /* `generation` at which the next four were found */
    struct known_kind *kind;  /* NULL: it asks for something else */
    int64_t times;            /* parts of the kind that it asks for */
    const struct needs *each; /* the units of one part of a node, if it takes
                                 such parts; NULL: it takes whole nodes, or
                                 names its units */
    bool names_units;
    uint64_t judged;              /* `generation` at which `never` was found */
    struct failure alone, beside; /* without reservations of others (`passes`),
                                     and beside them (`epoch`) */
};

/* Return what is known of the request of a job. */
struct planned_request *planned(struct cached_request *k);

struct reservation {
    double at;     /* when the job will start. At most now: when a job is gone
                      whose end has passed */
    double base;   /* the time without what late jobs have added to it */
    double latest; /* if it waits for late jobs: it can be kept if it starts
                      until then */
    struct known_kind *kind;  /* NULL: none */
    const struct needs *each; /* see struct planned_request */
    bool names_units;
    bool fixed;             /* it is held by claims, otherwise by a promise */
    bool claimed;           /* it is held by claims now */
    struct promise promise; /* the number, and the place: that of `plan`, if
                               it is known */
    struct selection *plan; /* units to claim; NULL: not known */
    bool held;              /* it is sure that the time can be kept */
    bool due;               /* the time has come since the last pass */
    struct outlook outlook; /* of earlier starts */
    uint64_t barred; /* `gained` of the planner when numbers, or a search, said
                        that it can't be earlier; 0: they did not */
};

/* So many parts of a kind, for so long, can't begin before a time. The last
   ones that were found are kept, while nothing has changed `since`. */
struct bound {
    const struct known_kind *kind;
    int64_t times;
    double duration, until;
};
enum { BOUNDS = 32 };
struct bounds {
    struct bound list[BOUNDS];
    size_t n;
    uint64_t since;
};

struct planner {
    struct planner_options options;
    struct queues *queues;           /* of the options, like `how` */
    const struct match_options *how; /* its `now` is the time of the pass */
    struct usage *u;                 /* NULL: no resources are known yet */
    const struct idset *gone;        /* ranks that are not used */
    bool windows;
    uint64_t generation;  /* counts changes of the resources, not of states */
    uint64_t frees;       /* counts events that may let a job start */
    uint64_t changes;     /* counts changes of the reasons for waiting */
    uint64_t gained;      /* counts events that may let a job be earlier */
    struct bounds bounds; /* for reservations, at this `gained` */
    struct bounds failed; /* for starts now, at this `epoch` */
    struct map waited;    /* struct waited by the id of a job */
    int64_t *lost;        /* ids of jobs that have lost their reservations since
                             the last estimates */
    size_t nlost;

    /* Reservations. */
    struct pending **reserved; /* jobs that have one, in their order */
    size_t nreserved;
    bool moved;                /* their order has changed since the last pass */
    struct known_kind **kinds; /* that jobs ask for, in this generation */
    size_t nkinds;
    size_t nodd;          /* reservations without a kind */
    size_t nnamed;        /* those that have to name their units */
    uint64_t named_until; /* `passes` until which jobs have waited that have to
                           */
    uint64_t surveyed;    /* `generation` at which `countable` was found */
    bool countable;       /* only nodes can be down */
    bool counts;          /* nodes can be counted over time */
    bool counting;        /* so are all reservations */
    bool in_parts;        /* claims of units are parts of nodes */
    bool placed;          /* promises have places, though only numbers count */
    bool displaced;       /* reservations have lost their units */
    bool hopeless; /* some job has no reservation as no time is possible */
    struct pending last_timeless; /* a copy of the last one of these */
    int64_t
        effort; /* that planner_exchange() may still spend: parts to be found */

    /* Passes. */
    int64_t *risen; /* ids of jobs that are new or have risen */
    size_t nrisen;
    uint64_t pass_frees;    /* `frees` at the last pass */
    double pass_now;        /* the time of the last pass */
    uint64_t epoch, passes; /* count the events after which a request that
                               failed may succeed; full passes */
    uint64_t whole;         /* the last one of these that came to its end */

    /* This pass. */
    bool full;              /* all jobs are looked at, and not only new ones */
    struct pending **fresh; /* new jobs, in their order */
    size_t nfresh, next;    /* the next one */
    struct queue_heap heap; /* of queues with candidates, at this epoch */
    uint64_t heaped;
    struct pending last; /* a copy of the job that was looked at last; all
                            zeros: none yet */
    bool yielded;        /* the reservations behind it are not held */
    uint32_t left;       /* jobs that may still start or be denied; 0: no
                            limit */

    /* Jobs with estimates under fcfs, `frees` and `changes` then, and until
       when these estimates are good. */
    int64_t *estimated;
    size_t nestimated;
    uint64_t estimate_frees, estimate_changes;
    double estimate_until;
};

/* Should the pass end early? */
static inline bool planner_stopped(const struct planner *p)
{
    return p->options.stopped && p->options.stopped();
}

/* Is a job before the last one with a reservation? */
static inline bool planner_is_before_any(const struct planner *p,
                                         const struct pending *job)
{
    return p->nreserved > 0
           && pending_before(job, p->reserved[p->nreserved - 1]);
}

/* By the order of jobs, or of times, then of jobs: for qsort(). */
int planner_compare_jobs(const void *a, const void *b);
int planner_compare_times(const void *a, const void *b);

/* --- planner_hold.c: reservations ----------------------------------------- */

/* Return when a reservation needs its units. One that waits for jobs whose end
   has passed needs them just after now: then they count as gone. */
static inline double begin_of(double now, double at)
{
    return at > now ? at : nextafter(now, INFINITY);
}
/* Return the end of a job that begins at a time; INFINITY: it is endless. From
   just after now it ends at the same time as from now on, or, if it waits for
   late jobs, as from the latest time on for which it is held. */
double end_of(double now, const struct pending *job, double from);
/* Return the duration of a job from a time on until its end (0: endless). */
double lasts(const struct planner *p, const struct pending *job, double from);

/* Return how to match a request for a job that lasts so long; 0: for ever. */
struct match_options how_long(const struct planner *p, double duration);
/* Would a job that begins at a time end after the set? */
bool ends_too_late(const struct planner *p, const struct pending *job,
                   double from);

/* Return the kind of parts that a job asks for, or NULL. */
struct known_kind *kind_of(struct planner *p, const struct pending *job);
/* Return the first time from `at` on, and before `limit`, at which there may be
   enough for a job that lasts so long (possible_from(): until its end if it
   starts at `at`); INFINITY: there is none. With `windows`, see
   match_possible(); an outlook (or NULL) makes them cheaper for a job with a
   kind. possible_at(): may there be at this time? */
double possible_for(struct planner *p, const struct pending *job, double at,
                    double limit, double duration, bool windows,
                    struct outlook *outlook);
double possible_from(struct planner *p, const struct pending *job, double at,
                     double limit, bool windows);
bool possible_at(struct planner *p, const struct pending *job, double at);
/* May a job that begins at a time find less than numbers say there is, without
   a window: does a claim begin before its end, or does a late job hold some? */
bool needs_window(struct planner *p, const struct pending *job, double at);
/* Find units for a job from a time on; NULL: there are none. */
struct selection *find_units(struct planner *p, struct pending *job, double at,
                             enum match_answer *answer, struct diag *d);
/* Can a job start now, beside the reservations that are held? */
bool can_start(struct planner *p, struct pending *job);
/* Is the reservation of a job a promise of a number? If all are counting, then
   only numbers decide whether the job delays one. */
bool reservation_counts(struct planner *p, const struct pending *job);
/* Give a job a reservation without a time. */
struct reservation *reservation_add(struct planner *p, struct pending *job);
/* Drop the reservation of a job, if it has one. */
void reservation_forget(struct planner *p, struct pending *job);
/* Claim the plan of a reservation, which has just been found for its time. */
void reservation_claim(struct planner *p, const struct pending *job);
/* Hold a reservation at its time, if that is possible; let it hold nothing. */
void reservation_hold(struct planner *p, struct pending *job);
void reservation_unhold(struct planner *p, const struct pending *job);
/* Drop the units or the place that a reservation would take. */
void reservation_drop_place(struct reservation *r);
/* Hold all reservations as far as that is possible, in the order of the jobs;
   or of their times, if they have no units and all can be held then. Return
   whether all are held. */
bool reservations_hold(struct planner *p);
/* Return a new list of the jobs with reservations in another order. */
struct pending **reservations_by(const struct planner *p,
                                 int (*compare)(const void *, const void *));
/* If there were no units for the i-th of these reservations, which are being
   held in their order, and another order may do: let it be the first, and the
   ones before it hold nothing. Returns false if that has been tried often
   enough; *tried counts. */
bool reservations_again(struct planner *p, struct pending **list, size_t i,
                        int *tried);
/* Give all promises places, in the order of their times; forget them, if any
   have places while only numbers count. */
void reservations_place(struct planner *p);
void reservations_unplace(struct planner *p);
/* If a job has to name its units, let all reservations name theirs, in the
   order of their times, until no such job was looked at in a full pass. Return
   whether any did not. */
bool reservations_name_units(struct planner *p, const struct pending *job);
/* Decide whether nodes can be counted, and for which reservations. */
void reservations_survey(struct planner *p);
/* Free everything. */
void reservations_fini(struct planner *p);

/* --- planner_start.c: one job --------------------------------------------- */

/* Serve one job. Returns false if it has to wait. The reservations behind it
   may have yielded: hold the next one, and all the others unless it fails. */
bool planner_consider(struct planner *p, struct pending *job);
/* Let a job that waits have no reservation. */
void planner_unreserve(struct planner *p, struct pending *job);
/* May a job of a queue get a reservation? */
bool planner_is_entitled(const struct planner *p, const struct queue *q);
/* Has a request failed in this pass, for all that has changed since? */
bool planner_fails(const struct planner *p, const struct cached_request *k,
                   double duration);

/* Note that the request of a job failed at a count of `passes` or `epoch`. */
void planner_note_failure(struct failure *f, uint64_t when,
                          const struct pending *job);

/* --- planner_exchange.c: other places for reservations -------------------- */

/* Return the duration of the present moment, before anything that is reserved
   for later begins. */
double moment(const struct planner *p);
/* May there be enough for a request at this moment? */
bool may_fit_now(struct planner *p, const struct request *req);
/* Find units that are free at this moment; NULL: there are none. */
struct selection *find_momentary(struct planner *p, const struct request *req,
                                 enum match_answer *answer, struct diag *d);

/*
 * Find units for a job that starts now, and other places for the reservations
 * that are held, each at its time. With `few` only for those in the way of
 * what is free at this moment.
 */
struct selection *planner_exchange(struct planner *p, struct pending *job,
                                   bool few, enum match_answer *answer,
                                   struct diag *d);
/* Should that be tried? Not if numbers say that it fails, however the
   reservations are placed. With all reservations: not if it has been tried in
   vain too often lately, measured by the parts that have to be found. */
bool planner_may_exchange(struct planner *p, struct pending *job);
bool planner_may_exchange_all(const struct planner *p);
/* Return how many parts a job asks for; a guess if it asks for something
   else. */
int64_t planner_parts(const struct pending *job);

/* --- planner_why.c: reasons and estimates --------------------------------- */

/* Return why there is no match, a new string. */
char *planner_why_not(struct planner *p, const struct cached_request *k,
                      double duration, enum match_answer answer);
/* Report why the first job of each queue waits, if that may have changed. */
void planner_explain(struct planner *p);
/* Report when jobs will start. */
void planner_estimate(struct planner *p);

#endif /* SCHEDULE_PLANNER_PRIVATE_H */

/*
 * Within the scheduler: its state, and the functions that its files offer each
 * other. The sections are in order: a file uses only sections before its own.
 *
 * A message is handled in two steps. The handler of its topic changes the state
 * and notes which steps are due. Then scheduler_step() does these, in a fixed
 * order. The queues are served once for all messages of a moment
 * (scheduler_serve()).
 */
#ifndef PROTOCOL_SCHEDULER_PRIVATE_H
#define PROTOCOL_SCHEDULER_PRIVATE_H

#include "model/records/usage.h"
#include "protocol/message.h"
#include "protocol/queue.h"
#include "protocol/scheduler.h"
#include "schedule/ledger.h"

/* A group that was acquired, or at least asked for. */
struct acquisition {
    const char *name;
    uint32_t matchtag;
    bool grown;          /* it has received resources */
    struct rset *first;  /* these, until every group has some */
    struct idset *ranks; /* targets in it now */
    struct idset *lost;  /* targets taken away and not released yet */
};

/* Steps of the start; SERVING is the last. */
enum phase { ACQUIRING, GREETING, READYING, SERVING };

/* The name of a job in the usage: the digits of its id. */
struct job_name {
    char text[JOB_DIGITS_MAX];
};
struct job_name job_name(int64_t id);

/* Steps due after a message, in the order in which they are done. */
enum due {
    DUE_RENEW = 1,   /* targets or times of the set have changed */
    DUE_HELLO = 2,   /* the set is known: ask which jobs hold some of it */
    DUE_RELEASE = 4, /* targets that were taken away may be unused now */
    DUE_READY = 8,   /* hello has ended: send ready */
    DUE_JUDGE = 16,  /* pending jobs may have become impossible */
};

/* Counts of events, for sched.stats-get. */
struct counters {
    uint64_t requests, granted, denied, canceled, freed, raised, bad;
};

struct scheduler {
    struct scheduler_options options;
    bool current; /* speaks the current edition */
    bool asking;  /* it is not known yet whether the provider speaks it */
    bool alone;   /* there is no provider */
    bool failed;
    enum phase phase;
    unsigned due;  /* bits of enum due */
    int64_t freed; /* job whose sched.free needs an answer; -1: none */
    uint32_t last_tag, hello_tag, ready_tag;
    struct acquisition *groups;
    size_t ngroups;
    struct rset *rs; /* all resources ever received; NULL: none yet */
    struct usage *u;
    struct idset *down;          /* ranks that are offline */
    struct idset *gone;          /* ranks of the set that were taken away */
    struct constraint *usable;   /* all other ranks; NULL: all ranks */
    uint64_t generation;         /* counts changes of the inventory, not of
                                    states */
    const struct keeper *keeper; /* NULL: nothing is durable */
    struct map greeted;          /* during hello: the known jobs. The value is
                                    an R, if the job lost a part when the set
                                    was replaced */
    struct map promised;         /* ids of jobs that waited when the last
                                    service ended, and the time that they were
                                    told: a double */
    struct queues queues;
    struct jobspec_cache cache;
    double now;       /* seconds since the Epoch, see scheduler_now() */
    double served;    /* time of the last look at the queues */
    uint64_t frees;   /* counts events that may let a job start */
    uint64_t changes; /* counts changes of the reasons for waiting */
    int64_t *noted;   /* ids of jobs whose rows in the store must be written */
    size_t nnoted;
    /* For serve.c: ids of jobs with estimates under fcfs, and `frees` and
       `changes` when they were found. */
    int64_t *estimated;
    size_t nestimated;
    uint64_t estimate_frees, estimate_changes;
    bool recorded;     /* the keeper has got operations since its last sync() */
    bool more;         /* the queues are to be served, or served further */
    uint32_t nlines;   /* handled since they were */
    struct map raised; /* ids of jobs with an exception and resources */
    struct backfill *bf; /* order, reservations and passes: backfill.c */
    struct site *site; /* reservations of the site, the newest first: site.c */
    struct owed *owed; /* jobs that did not get all of their R: held.c */
    struct kvs *kvs;
    struct counters counters;
};

/* Return the edition that is spoken, in which each R is written too. */
static inline enum dialect scheduler_dialect(const struct scheduler *s)
{
    return s->current ? DIALECT_CURRENT : DIALECT_SEED;
}

/* --- report.c: the log, exceptions and the store -------------------------- */

/* Return the time of this moment: everything in a line, or in a look at the
   queues, happens at one time. scheduler_tick() begins a moment. */
double scheduler_now(const struct scheduler *s);
void scheduler_tick(struct scheduler *s);

/* Log an event. scheduler_fail() logs an error and ends the service. */
void scheduler_log(struct scheduler *s, enum log_level level, const char *fmt,
                   ...) __attribute__((format(printf, 3, 4)));
void scheduler_fail(struct scheduler *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* End the service after an error response from `who` to the request `what`. */
void scheduler_refused(struct scheduler *s, const char *what, const char *who,
                       const struct message *m);

/* Return an unused matchtag. */
uint32_t scheduler_tag(struct scheduler *s);

/* Raise an exception on a job (RFC 27), once until raise_forget(). */
void raise_job(struct scheduler *s, const char *job, const char *type,
               const char *note);
/* Forget a job that holds nothing any more, so that a later job with this id
   can get an exception. */
void raise_forget(struct scheduler *s, int64_t id);

/* Note an operation for the store. `facts`: it changed more than records,
   namely the resources or their times. */
void scheduler_record(struct scheduler *s, const char *command, const char *job,
                      bool facts);

/* Let the next commit write the row of a job that waits, unless it has not been
   told that it does; or remove the row, if the job is gone by then. */
void scheduler_note(struct scheduler *s, struct pending *job);

/* --- kvs.c: the R of each job in a folder ------------------------------- */

struct kvs;
/* Open a folder and lock it. Returns NULL with a diag, also if another process
   has it open. */
struct kvs *kvs_open(const char *folder, struct diag *d);
void kvs_close(struct kvs *k); /* NULL is allowed */
/*
 * Return the R of a job, a new string, and in *path the name of its file for
 * messages, also new. Returns NULL if the job has none, or with a diag on
 * errors.
 */
char *kvs_read(struct kvs *k, int64_t id, char **path, struct diag *d);
/* Write the R of a job, or remove it (NULL). The next kvs_sync() does it. */
void kvs_put(struct kvs *k, int64_t id, const char *R);
/*
 * Change the expiration in the R of a job, if it has an R. `end` below 0: none.
 */
void kvs_put_end(struct kvs *k, int64_t id, double end);
/* Remove the R of all jobs that are not in the map. Returns their number. */
size_t kvs_remove_others(struct kvs *k, const struct map *jobs);
/* Make all changes durable. Returns 0, or -1 with a diag if any was not
   written. */
int kvs_sync(struct kvs *k, struct diag *d);

/* --- held.c: what jobs hold ---------------------------------------------- */

/* Return the ranks on which no job holds anything, a new set. */
struct idset *held_unused(struct scheduler *s, const struct idset *ranks);
/* Raise an exception on each job that holds anything on these ranks. */
void held_raise(struct scheduler *s, const struct idset *ranks);
/* Give a job the resources of R, which is taken over, as far as they exist and
   are free. It gets the rest as soon as it can. Returns whether there is a
   rest. *gone: a new string that names targets that do not exist; NULL: all do.
 */
bool held_take(struct scheduler *s, const char *job, struct rset *R,
               struct term *terms, char **gone);
/* Give jobs that did not get all of their R what exists and is free now. */
void held_retry(struct scheduler *s);
/* At the end of hello: raise an exception on each job that still lacks a part
   of its R. */
void held_raise_lacking(struct scheduler *s);
/* Forget what a job (NULL: any one) did not get; with `ranks` only what lies
   there. Returns false if there is nothing. */
bool held_forget(struct scheduler *s, const char *job,
                 const struct idset *ranks);
/* Does a job hold anything, or lack a part of its R? */
bool held_any(const struct scheduler *s, const char *job);
/* Free everything that a job holds on these ranks. */
void held_free(struct scheduler *s, const char *job, const struct idset *ranks);
/* Move the end of each job that ended with the set, at `old`, to the set's new
   end. Flux's job manager moves these ends itself and sends no request. */
void held_follow_end(struct scheduler *s, double old);

/* --- site.c: reservations of the site ------------------------------------- */

/* Is this the name of a reservation of the site, and not the id of a job? */
bool site_owns(const char *name);
/* Begin with the reservations of the set and of the options; forget all. */
void site_begin(struct scheduler *s);
void site_end(struct scheduler *s);
/* Give a reservation its R, which is taken over, in another set. */
void site_move(struct scheduler *s, const char *name, struct rset *R,
               struct term *terms);
/* Return the first end of a reservation; TIME_UNSET: there is none. */
double site_ends(const struct scheduler *s);
/* Free reservations whose end has come. */
void site_expire(struct scheduler *s);
/* Requests: sched.reserve, sched.unreserve, sched.reservations. */
void site_take_reserve(struct scheduler *s, const struct message *m);
void site_take_unreserve(struct scheduler *s, const struct message *m);
void site_take_list(struct scheduler *s, const struct message *m);

/* --- inventory.c: the set, and how it is kept ---------------------------- */

/* Make the set when every group has received resources. */
void inventory_begin(struct scheduler *s);
/* Add resources to the set. `part` is taken over. */
void inventory_grow(struct scheduler *s, struct rset *part);
/* Mark ranks up or down. */
void inventory_set_up(struct scheduler *s, const struct idset *ranks, bool up);
/* Update which targets may be used. */
void inventory_renew(struct scheduler *s);

/* --- serve.c: answers to sched.alloc (RFC 27) ---------------------------- */

/* Does the service end? */
bool serve_stopped(const struct scheduler *s);
/* Serve the queues in order, unless nothing has changed since the last time.
   Sets s->more if the burst ended before. */
void serve_queues(struct scheduler *s);
/* Deny pending jobs that can never be satisfied any more. */
void serve_judge(struct scheduler *s);
/* Return why a request can never be satisfied, or NULL if it can. */
const char *serve_never(struct scheduler *s, struct cached_request *k);
/* Annotate a job with the reason that others are before it in the queue. Does
   nothing for the first job. */
void serve_tell_behind(struct scheduler *s, struct pending *job);
/* Answer CANCEL or DENY and drop the job from the queue. serve_write_denial()
   denies a job that is not in the queue. */
void serve_cancel(struct scheduler *s, struct pending *job);
void serve_deny(struct scheduler *s, struct pending *job, const char *note);
void serve_write_denial(struct scheduler *s, int64_t id, const char *note);

/* Tell when a job will start (TIME_UNSET: not known), if that changed by a
   second or more. */
void serve_tell_estimate(struct scheduler *s, struct pending *job, double at);
/* Return the end of a job that starts at a time. Without a duration it may run
   until the resources expire (RFC 14, duration). */
double serve_end(const struct scheduler *s, const struct pending *job,
                 double start);
/* Check that a job that starts now can have the end of its duration (0: none).
   Returns 0, or -1 with a diag. */
int serve_check_duration(const struct scheduler *s, double duration,
                         struct diag *d);
/* Give a job the resources of a plan, or deny it; or deny it because of the
   answer MATCH_NEVER or MATCH_ERROR. */
void serve_grant(struct scheduler *s, struct pending *job,
                 const struct selection *plan);
void serve_refuse(struct scheduler *s, struct pending *job,
                  enum match_answer answer, const struct diag *d);
/* Return how requests are matched, now. */
struct match_options serve_options(const struct scheduler *s);

/* --- backfill.c: the order of jobs, and their reservations ---------------- */

struct backfill *backfill_create(void);
/* Start jobs and give reservations, by the policy. */
void backfill_pass(struct scheduler *s);
/* Tell the estimates that have changed. */
void backfill_tell(struct scheduler *s);
/* Note a job that is new or has risen in priority. */
void backfill_note(struct scheduler *s, struct pending *job);
/* Drop the reservation of a job, if it has one. */
void backfill_forget(struct scheduler *s, struct pending *job);
/* Drop all reservations, and tell that. */
void backfill_forget_all(struct scheduler *s);
/* Free everything, at the end of the scheduler. */
void backfill_end(struct scheduler *s);
/* Return the first job whose reservation begins before `end`, except this one,
   and set *at to its time; NULL: none. */
const struct pending *backfill_delayed(const struct scheduler *s,
                                       const struct pending *job, double end,
                                       double *at);
/* Take the reservation of a job out of the ledger, if it is held. Returns
   whether it was; then backfill_put_back() holds it again. */
bool backfill_leave_out(struct scheduler *s, struct pending *job);
void backfill_put_back(struct scheduler *s, struct pending *job);
/* Take reservations out of the ledger: before anything else looks at it.
   backfill_unclaim() does so before it is written to a store. */
void backfill_unhold(struct scheduler *s);
void backfill_unclaim(struct scheduler *s);
/* The resources have changed: reservations keep their times, as far as
   possible, and get other units. */
void backfill_lose_plans(struct scheduler *s);

/* --- acquire.c: resources of the provider (RFC 28) ------------------------ */

void acquire_start(struct scheduler *s);
void acquire_response(struct scheduler *s, const struct message *m);
/* Release targets that were taken away and that no job uses any more. */
void acquire_release(struct scheduler *s);

/* --- hello.c: which jobs hold resources (RFC 27) -------------------------- */

void hello_start(struct scheduler *s);
void hello_response(struct scheduler *s, const struct message *m);
void hello_ready(struct scheduler *s);
void ready_response(struct scheduler *s, const struct message *m);

/* --- ask.c: requests that change nothing ---------------------------------- */

void ask_status(struct scheduler *s, const struct message *m);
void ask_stats(struct scheduler *s, const struct message *m);
void ask_feasible(struct scheduler *s, const struct message *m);

/* --- jobs.c: requests of the job manager (RFC 27) ------------------------ */

/* Handle a request. Returns false if its topic is unknown. */
bool jobs_request(struct scheduler *s, const struct message *m);
/* Answer the last sched.free, if it needs an answer. */
void jobs_answer_free(struct scheduler *s);

#endif /* PROTOCOL_SCHEDULER_PRIVATE_H */

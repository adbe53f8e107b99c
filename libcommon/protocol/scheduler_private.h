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

#include "protocol/message.h"
#include "protocol/scheduler.h"
#include "schedule/ledger.h"
#include "schedule/planner.h"

/* A group that was acquired, or at least asked for. */
struct acquisition {
    const char *name;
    uint32_t matchtag;
    bool grown;          /* it has received resources */
    struct idset *ranks; /* targets in it now */
    struct idset *lost;  /* targets taken away and not released yet */
};

/* Steps of the start; SERVING is the last. */
enum phase { ACQUIRING, GREETING, READYING, SERVING };

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
    bool alone;   /* there is no provider */
    bool failed;
    enum phase phase;
    unsigned due;  /* bits of enum due */
    int64_t freed; /* job whose sched.free needs an answer; -1: none */
    uint32_t last_tag, hello_tag, ready_tag;
    uint64_t waiting; /* jobs that wait, as the response to ready says, until as
                         many have sent their requests */
    struct acquisition *groups;
    size_t ngroups;
    struct rset *offered; /* the set is made from these resources; NULL:
                             none yet, or it was made */
    struct rset *rs;      /* all resources ever received; NULL: none yet */
    struct usage *u;
    struct idset *down;        /* ranks that are offline */
    struct idset *gone;        /* ranks of the set that were taken away */
    struct constraint *usable; /* all other ranks; NULL: all ranks */
    struct keeper *keeper;     /* NULL: nothing is durable */
    struct map greeted;        /* during hello: the known jobs. The value is
                                  an R, if the job lost a part when the set
                                  was replaced */
    struct queues queues;
    struct jobspec_cache cache;
    double served;  /* time of the last look at the queues */
    int64_t *noted; /* ids of jobs whose rows in the store must be written */
    size_t nnoted;
    int64_t *earlier; /* ids of jobs that waited in an earlier service */
    size_t nearlier;
    bool recorded;     /* the keeper has got operations since its last sync() */
    bool more;         /* the queues are to be served, or served further */
    uint32_t nlines;   /* handled since they were */
    struct map raised; /* ids of jobs with an exception and resources */
    struct planner *planner;
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
static inline double scheduler_now(const struct scheduler *s)
{
    return s->options.how.now;
}
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
                      const char *what, bool facts);

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
   are free. It gets the rest as soon as it can. Returns the first thing that it
   lacks; NULL: nothing. *gone: a new string that names targets that do not
   exist; NULL: all do. */
const char *held_take(struct scheduler *s, const char *job, struct rset *R,
                      struct term *terms, char **gone);
/* A job that hello lists has begun: it has its resources now, if it had them
   for later, because the clock has gone back. */
void held_begin(struct scheduler *s, const char *job);
/* Before targets are replaced: a job gets again what it has there. */
void held_keep(struct scheduler *s, const char *job);
/* Return all that a job has, or will get, a new R; and its terms. */
struct rset *held_R(struct scheduler *s, const char *job, struct term *terms);
/* Give jobs that did not get all of their R what exists and is free now. */
void held_retry(struct scheduler *s);
/* At the end of hello: raise an exception on each job that still lacks a part
   of its R. */
void held_raise_lacking(struct scheduler *s);
/* Forget what a job (NULL: any one) did not get; with `ranks` only what lies
   there. Returns false if there is nothing. */
bool held_forget(struct scheduler *s, const char *job,
                 const struct idset *ranks);
/* Return how many jobs hold anything. */
size_t held_jobs(const struct scheduler *s);
/* Does a job hold anything, or lack a part of its R? */
bool held_any(struct scheduler *s, const char *job);
/* Free everything that a job has, and record that as this command. */
void held_release(struct scheduler *s, const char *job, const char *command);
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
/* Before targets are replaced: reservations get what they have there again. */
void site_keep(struct scheduler *s);
/* Give a reservation its R, which is taken over, in another set. */
void site_move(struct scheduler *s, const char *name, struct rset *R,
               struct term *terms);
/* Return when the next reservation begins or ends; TIME_UNSET: none does. */
double site_changes(const struct scheduler *s);
/* Free reservations whose end has come. */
void site_expire(struct scheduler *s);
/* Requests: sched.reserve, sched.unreserve, sched.reservations. The first one
   returns 0, or the number of an error with a diag. */
int site_take_reserve(struct scheduler *s, const struct message *m,
                      struct diag *d);
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

/* Return the options of the planner. */
struct planner_options serve_planner_options(struct scheduler *s);
/* Deny pending jobs that can never be satisfied any more. */
void serve_judge(struct scheduler *s);
/* Answer CANCEL and drop the job from the queue. serve_write_denial() denies a
   job that is not in the queue. */
void serve_cancel(struct scheduler *s, struct pending *job);
void serve_write_denial(struct scheduler *s, int64_t id, const char *note);
/* Check that a job that starts now can have the end of its duration (0: none).
   Returns 0, or -1 with a diag. */
int serve_check_duration(const struct scheduler *s, double duration,
                         struct diag *d);

/* --- acquire.c: resources of the provider (RFC 28) ------------------------ */

void acquire_start(struct scheduler *s);
void acquire_response(struct scheduler *s, const struct message *m);
/* Release targets that were taken away and that no job uses any more. */
void acquire_release(struct scheduler *s);

/* --- hello.c: which jobs hold resources (RFC 27) -------------------------- */

void hello_start(struct scheduler *s);
void hello_response(struct scheduler *s, const struct message *m);
void hello_ready(struct scheduler *s);
/* Forget the jobs of a hello that may not have ended. */
void hello_end(struct scheduler *s);
void ready_response(struct scheduler *s, const struct message *m);

/* --- query.c: requests that change nothing -------------------------------- */

void answer_status(struct scheduler *s, const struct message *m);
void answer_stats(struct scheduler *s, const struct message *m);
void answer_feasible(struct scheduler *s, const struct message *m);

/* --- jobs.c: requests of the job manager (RFC 27) ------------------------ */

/* Handle a request. Returns false if its topic is unknown. */
bool jobs_request(struct scheduler *s, const struct message *m);
/* Answer the last sched.free, if it needs an answer. */
void jobs_answer_free(struct scheduler *s);

#endif /* PROTOCOL_SCHEDULER_PRIVATE_H */

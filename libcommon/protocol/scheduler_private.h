/* Within the scheduler: its state, and what its files do for each other. */
#ifndef PROTOCOL_SCHEDULER_PRIVATE_H
#define PROTOCOL_SCHEDULER_PRIVATE_H

#include "model/records/usage.h"
#include "protocol/message.h"
#include "protocol/queue.h"
#include "protocol/scheduler.h"
#include "schedule/ledger.h"

/* A group of resources that was asked for. */
struct acquisition {
    const char *name;
    uint32_t matchtag;
    bool grown;          /* something was given */
    struct rset *first;  /* that, until all have something */
    struct idset *ranks; /* that it has */
    struct idset *lost;  /* taken away, and not released yet */
};

/* How far it has come. */
enum phase { ACQUIRING, GREETING, READYING, SERVING };

/* A name of a job, as usage has it: the digits of its id. */
struct job_name {
    char text[JOB_DIGITS_MAX];
};
struct job_name job_name(int64_t id);

/* How often what happened. */
struct counters {
    uint64_t requests, granted, denied, canceled, freed, raised, bad;
};

struct scheduler {
    struct scheduler_options options;
    bool current; /* the edition that is spoken */
    bool asking;  /* whether the provider speaks the current one */
    bool alone;   /* there is no provider */
    bool failed;
    enum phase phase;
    uint32_t last_tag, hello_tag, ready_tag;
    struct acquisition *groups;
    size_t ngroups;
    struct rset *rs; /* all that was ever given; NULL: nothing yet */
    struct usage *u;
    struct idset *down;          /* ranks that are offline */
    struct idset *gone;          /* ranks of the set that were taken away */
    struct constraint *usable;   /* all others; NULL: all */
    uint64_t generation;         /* of what there is, up or not */
    const struct keeper *keeper; /* NULL: nothing is kept */
    struct map greeted;          /* while it says hello: jobs, and of those that
                                    lack something the R they had: a text */
    struct queue queue;
    struct known_requests known;
    int64_t blocked;   /* the job that is first and had to wait; -1: none */
    double served;     /* when it was looked at last */
    bool changed;      /* something has come free since */
    bool more;         /* a burst ended before the queue did */
    bool reason_old;   /* what stands in the way may be something else */
    struct map raised; /* ids of jobs that were, and have something yet */
    struct kvs *kvs;
    struct counters counters;
};

double scheduler_now(const struct scheduler *s);

/* The edition that is spoken, in which an R is written, too. */
static inline enum dialect scheduler_dialect(const struct scheduler *s)
{
    return s->current ? DIALECT_CURRENT : DIALECT_SEED;
}

/* An event; an error also ends the service. */
void scheduler_log(struct scheduler *s, enum log_level level, const char *fmt,
                   ...) __attribute__((format(printf, 3, 4)));
void scheduler_fail(struct scheduler *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* An error response from `who` to what was asked, which ends the service. */
void scheduler_refused(struct scheduler *s, const char *what, const char *who,
                       const struct message *m);

/* A new matchtag. */
uint32_t scheduler_tag(struct scheduler *s);

/* --- acquire.c: what there is (RFC 28) ---------------------------------- */

void acquire_start(struct scheduler *s);
void acquire_response(struct scheduler *s, const struct message *m);
/* Something has come free: what was taken away may be released. */
void acquire_release(struct scheduler *s);
/* The same; jobs that have anything of it are told of once. */
void acquire_settle(struct scheduler *s);
/* What is usable is another. */
void acquire_renew(struct scheduler *s);
/* Raise an exception on a job, once until it ends. */
void raise_job(struct scheduler *s, const char *job, const char *type,
               const char *note);
/* It has nothing any more: another one of that id may be raised. */
void raise_forget(struct scheduler *s, int64_t id);

/* --- inventory.c: the set, and how it is kept --------------------------------
 */

/* All groups have something: it becomes the set. */
void inventory_begin(struct scheduler *s);
/* More of it, taken over. */
void inventory_grow(struct scheduler *s, struct rset *part);
/* Ranks are up, or not. */
void inventory_set_up(struct scheduler *s, const struct idset *ranks, bool up);
/* Of these ranks those that nobody has anything of, in a new set. */
struct idset *inventory_unused(struct scheduler *s, const struct idset *ranks);
/*
 * A job has what an R names, which is the caller's and may change, as far as it
 * is there and free. NULL; or what is not, a new string.
 */
char *inventory_hold(struct scheduler *s, const char *job, struct rset *R,
                     struct term *terms);
/*
 * Visit each grant by which a job has anything of a lot, in it, or of what it
 * lies in, until a visit is true: was one?
 */
typedef bool grant_visit_fn(struct scheduler *s, const struct grant *g,
                            const void *arg);
bool inventory_visit(struct scheduler *s, struct lot *top,
                     grant_visit_fn *visit, const void *arg);
/* Something was done that is to be durable; or the set has another end. */
void inventory_record(struct scheduler *s, const char *command,
                      const char *job);
void inventory_record_end(struct scheduler *s);

/* --- hello.c: which jobs have something --------------------------------- */

void hello_start(struct scheduler *s);
void hello_response(struct scheduler *s, const struct message *m);
void ready_response(struct scheduler *s, const struct message *m);

/* --- jobs.c, serve.c: requests of the job manager (RFC 27) -------------- */

/* Serve the queue, as far as that may come to something (serve.c). */
void jobs_serve(struct scheduler *s);
/* Say of a job that others are before it in the queue, unless it is the first
   (serve.c). */
void jobs_tell_behind(struct scheduler *s, struct pending *job);
/* What can never be had any more is denied (serve.c). */
void jobs_judge(struct scheduler *s);
/* Take a request; false: there is no such topic (jobs.c). */
bool jobs_request(struct scheduler *s, const struct message *m);
/* Of some resources: why they can never be had; NULL: they can. */
const char *jobs_never(struct scheduler *s, struct known *k);

/* Answer a sched.alloc: CANCEL, or DENY with a note; and it waits no more. */
void jobs_cancel(struct scheduler *s, struct pending *job);
void jobs_deny(struct scheduler *s, struct pending *job, const char *note);
void jobs_write_denial(struct scheduler *s, int64_t id, const char *note);
/* The set ended at `old` and has another end now: so have jobs that ended with
   it. */
void jobs_follow_end(struct scheduler *s, double old);
/* On these ranks a job has nothing any more. */
void jobs_free_ranks(struct scheduler *s, const char *job,
                     const struct idset *ranks);

/* The id of a payload; -1: none that can be used. */
int64_t payload_id(const json_t *payload);
/* An idset by its key, new; NULL with a diag: it is none. */
struct idset *payload_ranks(const json_t *payload, const char *key,
                            struct diag *d);

/* --- ask.c: requests that change nothing -------------------------------- */

void ask_status(struct scheduler *s, const struct message *m);
void ask_stats(struct scheduler *s, const struct message *m);
void ask_feasible(struct scheduler *s, const struct message *m);

/* --- kvs.c: the R of each job in a folder ------------------------------- */

struct kvs;
/* NULL with a diag, also while another process has it open. */
struct kvs *kvs_open(const char *folder, struct diag *d);
void kvs_close(struct kvs *k); /* NULL is allowed */
/*
 * The text of the R of a job, and what messages call it, both new; NULL with
 * nothing in the diag: there is none.
 */
char *kvs_read(struct kvs *k, int64_t id, char **path, struct diag *d);
/* Write it, NULL: remove it, by the next kvs_sync(). */
void kvs_put(struct kvs *k, int64_t id, const char *R);
/* Remove those of all jobs but these; how many that are. */
size_t kvs_remove_others(struct kvs *k, const struct map *jobs);
/* -1 with a diag: what was to be written is not, or not all of it. */
int kvs_sync(struct kvs *k, struct diag *d);

#endif /* PROTOCOL_SCHEDULER_PRIVATE_H */

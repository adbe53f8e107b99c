/*
 * Within the scheduler: its state, and what its files do for each other. The
 * sections are in their order: a file uses those before it and none behind it.
 *
 * A message is handled in two steps. The handler of its topic changes the state
 * and notes what is due. Then scheduler_step() does that, in a fixed order.
 */
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

/* What is due when a message was handled, in the order in which it is done. */
enum due {
    DUE_RENEW = 1,   /* targets or times of the set have changed */
    DUE_HELLO = 2,   /* the set is there: ask which jobs hold something */
    DUE_RELEASE = 4, /* targets that were taken away may be unused now */
    DUE_READY = 8,   /* hello has ended */
    DUE_JUDGE = 16,  /* jobs may ask for what can never be had any more */
    DUE_BEHIND = 32, /* jobs were queued before hello ended */
};

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
    unsigned due;  /* of enum due */
    int64_t freed; /* the job whose sched.free is to be answered; -1: none */
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
    struct jobspec_cache cache;
    int64_t blocked;   /* the job that is first and had to wait; -1: none */
    double served;     /* when it was looked at last */
    bool changed;      /* something has come free since */
    bool more;         /* a burst ended before the queue did */
    bool reason_old;   /* what stands in the way may be something else */
    struct map raised; /* ids of jobs that were, and have something yet */
    struct kvs *kvs;
    struct counters counters;
};

/* The edition that is spoken, in which an R is written, too. */
static inline enum dialect scheduler_dialect(const struct scheduler *s)
{
    return s->current ? DIALECT_CURRENT : DIALECT_SEED;
}

/* --- report.c: what it says and keeps beside its answers ----------------- */

double scheduler_now(const struct scheduler *s);

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

/* Raise an exception on a job, once until raise_forget(). */
void raise_job(struct scheduler *s, const char *job, const char *type,
               const char *note);
/* A job has nothing any more: another one of that id may be raised. */
void raise_forget(struct scheduler *s, int64_t id);

/* An operation was done that is to be durable; with `facts` it changed more
   than records: the resources, or their times. */
void scheduler_record(struct scheduler *s, const char *command, const char *job,
                      bool facts);

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
/* Give the R of a job another end, if there is one; below 0: none. */
void kvs_put_end(struct kvs *k, int64_t id, double end);
/* Remove those of all jobs but these; how many that are. */
size_t kvs_remove_others(struct kvs *k, const struct map *jobs);
/* -1 with a diag: what was to be written is not, or not all of it. */
int kvs_sync(struct kvs *k, struct diag *d);

/* --- held.c: what jobs hold ---------------------------------------------- */

/* Return those of some ranks of which no job holds anything, a new set. */
struct idset *held_unused(struct scheduler *s, const struct idset *ranks);
/* Raise an exception on each job that holds anything of some ranks. */
void held_raise(struct scheduler *s, const struct idset *ranks);
/*
 * Give a job the resources of R that exist and are free. May change R. Returns
 * NULL, or a new string: what could not be given.
 */
char *held_take(struct scheduler *s, const char *job, struct rset *R,
                struct term *terms);
/* Free what a job holds on some ranks. */
void held_free(struct scheduler *s, const char *job, const struct idset *ranks);
/* Give jobs that ended with the set, which ended at `old`, its new end. The job
   manager of Flux moves these ends, too, and sends no request for it. */
void held_follow_end(struct scheduler *s, double old);

/* --- inventory.c: the set, and how it is kept ---------------------------- */

/* All groups have something: make it the set. */
void inventory_begin(struct scheduler *s);
/* Add more to the set, which is taken over. */
void inventory_grow(struct scheduler *s, struct rset *part);
/* Ranks are up, or not. */
void inventory_set_up(struct scheduler *s, const struct idset *ranks, bool up);
/* Find out anew which targets may be used. */
void inventory_renew(struct scheduler *s);

/* --- serve.c: answers to sched.alloc (RFC 27) ---------------------------- */

/* Serve the queue, as far as that may come to something. */
void serve_queue(struct scheduler *s);
/* Deny jobs that ask for what can never be had any more. */
void serve_judge(struct scheduler *s);
/* Return why a request can never be satisfied; NULL: it can. */
const char *serve_never(struct scheduler *s, struct cached_request *k);
/* Say of a job that others are before it in the queue, unless it is the first;
   or of each job. */
void serve_tell_behind(struct scheduler *s, struct pending *job);
void serve_tell_all_behind(struct scheduler *s);
/* Answer CANCEL, or DENY with a note, and drop the job from the queue; or DENY
   for a job that is not in it. */
void serve_cancel(struct scheduler *s, struct pending *job);
void serve_deny(struct scheduler *s, struct pending *job, const char *note);
void serve_write_denial(struct scheduler *s, int64_t id, const char *note);

/* --- acquire.c: which resources there are (RFC 28) ----------------------- */

void acquire_start(struct scheduler *s);
void acquire_response(struct scheduler *s, const struct message *m);
/* Release targets that were taken away and that no job holds any more. */
void acquire_release(struct scheduler *s);

/* --- hello.c: which jobs hold something (RFC 27) ------------------------- */

void hello_start(struct scheduler *s);
void hello_response(struct scheduler *s, const struct message *m);
void hello_ready(struct scheduler *s);
void ready_response(struct scheduler *s, const struct message *m);

/* --- ask.c: requests that change nothing --------------------------------- */

void ask_status(struct scheduler *s, const struct message *m);
void ask_stats(struct scheduler *s, const struct message *m);
void ask_feasible(struct scheduler *s, const struct message *m);

/* --- jobs.c: requests of the job manager (RFC 27) ------------------------ */

/* Take a request. Returns false if there is no such topic. */
bool jobs_request(struct scheduler *s, const struct message *m);
/* Answer the sched.free that was taken, if it is to be answered. */
void jobs_answer_free(struct scheduler *s);

#endif /* PROTOCOL_SCHEDULER_PRIVATE_H */

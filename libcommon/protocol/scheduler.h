/*
 * A scheduler acquires resources, asks which jobs hold any of them, declares
 * itself ready, and serves the requests of the job manager in the order of its
 * queue. It writes to streams. Send what was written only after
 * scheduler_keep(), which makes the grants durable.
 *
 *     struct scheduler *s = scheduler_create(&options);
 *
 *     scheduler_start(s);
 *     while (scheduler_fine(s) && (line = next_line(&len))) {
 *         scheduler_line(s, SCHEDULER_MANAGER, line, len, ++number);
 *         while (scheduler_more(s) && no line waits)
 *             scheduler_serve(s);
 *         scheduler_keep(s);
 *         ...                          send what was written
 *     }
 *     scheduler_end(s);
 *     scheduler_destroy(s);
 *
 * While no line comes, call scheduler_look() at the time of scheduler_wakes().
 *
 * When scheduler_more() is false, every request has been allocated, denied, or
 * told why it waits; the ledger has the resources of all jobs that the job
 * manager has not freed, and of no others.
 *
 * Limits: one provider and one job manager; no job is preempted; a line has at
 * most 1 GiB.
 */
#ifndef PROTOCOL_SCHEDULER_H
#define PROTOCOL_SCHEDULER_H

#include "compare/job_R.h"
#include "model/document/document.h"
#include "schedule/queue_policy.h"
#include "schedule/match.h"
#include "store/store.h"

struct scheduler;

enum log_level { LEVEL_ERROR, LEVEL_WARNING, LEVEL_INFO, LEVEL_DEBUG, LEVELS };

/* Return the level with a name, such as "warning"; LEVELS with a diag if there
   is none. */
enum log_level log_level_of(const char *name, struct diag *d);

/* A place that keeps the set and its jobs durably: a store (store/store.h) and
   its functions, which a scheduler without one need not link. */
struct keeper {
    const char *name;    /* of its file, and for messages */
    struct store *store; /* NULL: not created yet */
    const struct store_options *options;
    /*
     * Return the kept set with its jobs; the caller destroys it. If none was
     * kept yet, keep a copy of `given` (borrowed), return that, and set *fresh.
     */
    struct rset *(*opened)(struct keeper *k, struct rset *given, bool *fresh);
    /* Call `each` for the jobs that waited when it was kept last. */
    void (*waited)(struct store *s,
                   void (*each)(const struct pending_row *row, void *of),
                   void *of);
    /* Keep this set from now on. */
    void (*replace)(struct store *s, struct rset *rs);
    /* Note an operation on the set. The next sync() makes it durable. */
    void (*record)(struct store *s, const struct operation *op);
    /* Keep the row of a job that waits, or remove it, with the next sync(),
       which is called right after this. It need not be durable. */
    void (*pending)(struct store *s, const struct pending_row *row);
    void (*sync)(struct store *s);
    void (*close)(struct store *s); /* called after the set was destroyed */
};

enum { SCHEDULER_SLACK = 60, SCHEDULER_ESTIMATES = 8 }; /* the usual values */

struct scheduler_options {
    enum dialect dialect;
    bool any_dialect;          /* acquire in the current edition; if refused, in
                                  the seeds' */
    const char *const *groups; /* to acquire; ends with NULL */
    uint32_t limit;            /* most open requests (RFC 27, Ready); 0: no
                                  limit */
    uint32_t burst;            /* jobs served in one step; 0: no limit */
    struct match_options how;  /* how requests are matched */
    struct rset *rs;           /* all resources; NULL: acquire them */
    FILE *manager, *provider;  /* may be the same */
    struct keeper *keeper;     /* makes grants durable; NULL: nothing does */
    const char *kvs;           /* folder for the R of each job; NULL: none */
    /* Called if that folder fails; must not return. */
    void (*fail)(struct diag *d) __attribute__((noreturn));
    enum trust trust;   /* the half of the resources to use if both disagree;
                           TRUST_NONE: see compare/reconcile.h */
    enum job_form form; /* how the R of a job is written */
    bool shell;         /* jobs run under flux-shell: each needs a core */
    const char *input;  /* name of the job manager's lines; NULL: stdin */
    bool joined;        /* jobs of all queues wait in one */
    struct queue_rules rules; /* policies of queues; none: fcfs */
    uint32_t depth;           /* reservations of rules without a depth; 0: 64 */
    uint32_t estimates;       /* jobs of each queue that get estimates of their
                                 start, under fcfs */
    double slack;             /* seconds by which a late job may delay any
                                 reservation, in sum */
    double now;               /* seconds since the Epoch; below 0: the clock */
    bool clocked;             /* sched.clock sets `now`, which is at least 0 */
    bool (*stopped)(void);    /* should a look at the queues end early, because
                                 the service ends? NULL: never */
    enum log_level most;      /* least urgent level that is logged */
    /* Log an event: a line of text without its newline. */
    void (*log)(enum log_level level, const char *text, void *arg);
    /* Reservations of the site to begin with, as sched.reservations lists them;
       borrowed, NULL: none. `reserved` (NULL: nothing) is called when one is
       made, and with NULL when it is gone. */
    json_t *reservations;
    void (*reserved)(const char *name, json_t *reservation, void *arg);
    /* Write a set in short form as one line. */
    int (*summary)(struct rset *rs, FILE *fp, struct diag *d);
    void *arg; /* argument of log() and reserved() */
};

/*
 * Return a keeper for the store `s`, which was opened with a lease and is taken
 * over. If `s` is NULL, the store `file` is created with the first set. `file`
 * and `options` are borrowed. free() the keeper after scheduler_destroy().
 */
struct keeper *scheduler_store(struct store *s, const char *file,
                               const struct store_options *options);

/* Create a scheduler. Options and what they point to are borrowed, except `rs`
   and `rules`, which are taken over. */
struct scheduler *scheduler_create(const struct scheduler_options *options);
void scheduler_destroy(struct scheduler *s); /* NULL is allowed */

/*
 * Follow other options from now on: how requests are matched, the rules of
 * queues, which are taken over, their depth and slack, estimates, the form
 * of R's, and what is logged. Jobs that wait are looked at again. Returns false
 * if other options differ too: they count at the next start.
 */
bool scheduler_configure(struct scheduler *s,
                         struct scheduler_options *options);

/* Write the first requests. */
void scheduler_start(struct scheduler *s);

/* The sender of a line. */
enum peer { SCHEDULER_MANAGER, SCHEDULER_PROVIDER };

/* Handle line `number` of its stream, counted from 1. The queues are served
   before sched.ping is answered, and before sched.clock moves the clock. */
void scheduler_line(struct scheduler *s, enum peer from, const char *line,
                    size_t len, uint64_t number);

/* Are the queues to be served, or did the last burst end before they did? If
   so, call scheduler_serve() when all lines that have arrived are handled. */
bool scheduler_more(const struct scheduler *s);
void scheduler_serve(struct scheduler *s);

/*
 * Return the time in seconds since the Epoch at which the resources begin, if a
 * job waits for it, or a reservation of the site ends; TIME_UNSET: there is no
 * such time. Call scheduler_look() then. An earlier call is harmless.
 */
double scheduler_wakes(const struct scheduler *s);
void scheduler_look(struct scheduler *s);

/* Make all grants so far durable. Doesn't return if that fails. */
void scheduler_keep(struct scheduler *s);

/* Return false after an error that ends the service. The error was logged. */
bool scheduler_fine(const struct scheduler *s);

/* Write the disconnect requests, when no more lines come. */
void scheduler_end(struct scheduler *s);

#endif /* PROTOCOL_SCHEDULER_H */

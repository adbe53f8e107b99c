/*
 * A scheduler that speaks RFC 28 to a resource provider and RFC 27 to a job
 * manager, in either edition.
 *
 * It asks for resources, then which jobs have any of them, then it is ready,
 * and serves the requests of the job manager in the order of its queue. It
 * writes to streams. Send what they have only after scheduler_keep(), which
 * makes durable what was promised.
 *
 *     struct scheduler *s = scheduler_create(&options);
 *
 *     scheduler_start(s);
 *     while (scheduler_fine(s) && (line = next_line(&len))) {
 *         scheduler_line(s, SCHEDULER_MANAGER, line, len, ++number);
 *         while (scheduler_more(s))    if options.burst is set
 *             scheduler_serve(s);
 *         scheduler_keep(s);
 *         ...                          send what was written
 *     }
 *     scheduler_end(s);
 *     scheduler_destroy(s);
 *
 * While no line comes, call scheduler_look() at the time of scheduler_wakes().
 */
#ifndef PROTOCOL_SCHEDULER_H
#define PROTOCOL_SCHEDULER_H

#include "model/document/document.h"
#include "schedule/match.h"
#include "store/store.h"

struct scheduler;

enum log_level { LEVEL_ERROR, LEVEL_WARNING, LEVEL_INFO, LEVEL_DEBUG, LEVELS };

/* The level of a name, as "warning"; LEVELS: there is none of this name. */
enum log_level log_level_of(const char *name);

/*
 * Where the set and the jobs in it are durable: functions of the caller, with
 * an argument. scheduler_store() makes them of a store (store/store.h).
 */
struct keeper {
    const char *name; /* for messages */
    /* Return the set that is kept, with its jobs, for the caller to destroy. If
       none was kept yet it is a copy of `given` (borrowed), and *fresh. */
    struct rset *(*opened)(void *arg, struct rset *given, bool *fresh);
    /* From now on this set is kept instead. */
    void (*replace)(void *arg, struct rset *rs);
    /* An operation changed the set. The next sync() makes it durable. */
    void (*record)(void *arg, const struct operation *op);
    void (*sync)(void *arg);
    void (*close)(void *arg); /* after the set was destroyed */
    void *arg;
};

struct scheduler_options {
    enum dialect dialect;
    bool any_dialect;          /* ask for resources in the current edition, then
                                  in that of the seeds: what is understood */
    const char *const *groups; /* terminated; each is acquired */
    uint32_t limit;            /* requests at a time; 0: any number */
    uint32_t burst;            /* jobs served in a row; 0: any number */
    struct match_options how;  /* requests are served */
    struct rset *rs;           /* all resources; NULL: those of a provider */
    FILE *manager, *provider;  /* may be the same */
    const struct keeper *keeper; /* where grants are durable; NULL: nowhere */
    const char *kvs; /* a folder for the R of each job; NULL: none */
    /* Trouble with that folder; it must not return. */
    void (*fail)(struct diag *d) __attribute__((noreturn));
    const char *input;   /* how messages call the lines of the job manager;
                            NULL: stdin */
    double now;          /* seconds since the Epoch; below 0: the clock's */
    enum log_level most; /* events beyond that are not told */
    /* Tell an event, which is one line of text. */
    void (*log)(enum log_level level, const char *text, void *arg);
    /* Write a set as one line of short text. */
    int (*summary)(struct rset *rs, FILE *fp, struct diag *d);
    void *arg; /* of log() */
};

/*
 * Keep the set in a store, `s`, which was opened with a lease and is taken
 * over; NULL: the file is not there, and will be created with what is given.
 * For free() after scheduler_destroy().
 */
struct keeper *scheduler_store(struct store *s, const char *file,
                               const struct store_options *options);

/* Options, and what they point to, are borrowed; but `rs` is taken over. */
struct scheduler *scheduler_create(const struct scheduler_options *options);
void scheduler_destroy(struct scheduler *s); /* NULL is allowed */

/* Write the first requests. */
void scheduler_start(struct scheduler *s);

/* From whom a line is. */
enum peer { SCHEDULER_MANAGER, SCHEDULER_PROVIDER };

/*
 * Take a line, the so-many-eth of its stream, and serve the queue.
 */
void scheduler_line(struct scheduler *s, enum peer from, const char *line,
                    size_t len, uint64_t number);

/*
 * Did the last burst end before the queue did? Then serve the next burst when
 * other work was done.
 */
bool scheduler_more(const struct scheduler *s);
void scheduler_serve(struct scheduler *s);

/*
 * When a job waits for the time at which the resources begin: that time, in
 * seconds since the Epoch. Call scheduler_look() then; earlier does no harm.
 * TIME_UNSET: no job waits for a time.
 */
double scheduler_wakes(const struct scheduler *s);
void scheduler_look(struct scheduler *s);

/* What was promised so far becomes durable. Trouble does not return. */
void scheduler_keep(struct scheduler *s);

/* False: something happened after which it can't go on, and that was logged. */
bool scheduler_fine(const struct scheduler *s);

/* No more lines come: it takes its leave. */
void scheduler_end(struct scheduler *s);

#endif /* PROTOCOL_SCHEDULER_H */

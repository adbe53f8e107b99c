/*
 * A scheduler that speaks RFC 28 to a resource provider and RFC 27 to a job
 * manager, in either edition.
 *
 * It asks for resources, then which jobs have any of them, then it is ready,
 * and serves the requests of the job manager in the order of its queue. What it
 * says is written to streams; whoever holds their other ends may send them when
 * scheduler_keep() has made durable what was promised.
 *
 *     struct scheduler *s = scheduler_create(&options);
 *     scheduler_start(s);
 *     while (... scheduler_fine(s))
 *         scheduler_line(s, SCHEDULER_MANAGER, line, len, number);
 *     scheduler_end(s);
 */
#ifndef PROTOCOL_SCHEDULER_H
#define PROTOCOL_SCHEDULER_H

#include "model/document/document.h"
#include "schedule/match.h"
#include "store/store.h"

struct scheduler;

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG, LOG_LEVELS };

struct scheduler_options {
    enum dialect dialect;
    bool any_dialect;          /* ask for resources in the current edition, then
                                  in that of the seeds: what is understood */
    const char *const *groups; /* terminated; each is acquired */
    uint32_t limit;            /* requests at a time; 0: any number */
    struct match_options how;  /* requests are served */
    struct rset *rs;           /* all resources; NULL: those of a provider */
    FILE *manager, *provider;  /* may be the same */
    const char *store_file;    /* where grants are durable; NULL: nowhere */
    struct store *store;       /* that file, with a lease, if it is there */
    const struct store_options *store_options;
    const char *kvs;     /* a folder for the R of each job; NULL: none */
    double now;          /* seconds since the Epoch; below 0: the clock's */
    enum log_level most; /* events beyond that are not told */
    /* An event, as a line, and a set in one line of short text. */
    void (*log)(enum log_level level, const char *text);
    int (*summary)(struct rset *rs, FILE *fp, struct diag *d);
};

/* Options, and what they point to, are borrowed; but `rs` is taken over. */
struct scheduler *scheduler_create(const struct scheduler_options *options);
void scheduler_destroy(struct scheduler *s); /* NULL is allowed */

/* Write the first requests. */
void scheduler_start(struct scheduler *s);

/* From whom a line is. */
enum peer { SCHEDULER_MANAGER, SCHEDULER_PROVIDER };

/* A line came in, the so-many-eth of its stream. */
void scheduler_line(struct scheduler *s, enum peer from, const char *line,
                    size_t len, uint64_t number);

/*
 * Does a job wait for the time at which the resources begin? Then look whether
 * it has come, now and then.
 */
bool scheduler_waits(const struct scheduler *s);
void scheduler_look(struct scheduler *s);

/* What was promised so far becomes durable. Trouble does not return. */
void scheduler_keep(struct scheduler *s);

/* False: something happened after which it can't go on, and that was logged. */
bool scheduler_fine(const struct scheduler *s);

/* No more lines come: it takes its leave. */
void scheduler_end(struct scheduler *s);

#endif /* PROTOCOL_SCHEDULER_H */

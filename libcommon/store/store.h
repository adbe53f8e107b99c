/*
 * The durable store: a resource set, its jobs and the history of operations in
 * a SQLite database (rset-store(5)), so that they outlive processes.
 *
 * Facts are read without parsing a document. A grant is a row. An operation is
 * a transaction: after a loss of power it is complete, or not there at all. One
 * writer works at a time; the others wait for their turn. Readers see the last
 * commit. They block nobody, and wait only while the first writer opens the
 * store.
 *
 *     struct store *s = store_open(file, STORE_WRITE, &options);
 *     struct rset *rs = store_read(s);
 *     ...                                       change it
 *     store_record(s, &operation);
 *     store_sync(s);
 *     store_close(s);
 *
 * Faults go to the handler in the options, which does not return. Changes that
 * were not committed are lost then.
 *
 * After a commit the revision is the number of operations; the rows of grants,
 * states and targets are those of the set in memory; no other process has
 * written since the store was opened for writing.
 *
 * Limits: the file must be on a file system with POSIX locks and shared memory,
 * so not on NFS; a set is read by one process version at a time
 * (rset-store(5), Other versions); history is cut, and never undone.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdint.h>

#include "model/tree/rset.h"

struct store;

struct store_options {
    /* Called with each fault, whose source is the store. Must not return. */
    void (*fail)(struct diag *d) __attribute__((noreturn));
    double wait;   /* seconds to wait for others */
    uint64_t keep; /* number of operations in the history */
};

enum { STORE_KEEP = 1000000 };

enum store_mode {
    STORE_READ,
    STORE_WRITE, /* one operation: nobody else writes until the commit */
    STORE_LEASE, /* any number of operations: other writers are refused */
    STORE_MARK,  /* read, and store_mark(); also beside a lease */
    STORE_MARKED /* read the set as it was at the last mark */
};

/* Make a store with a set. Fails if the file exists. */
void store_create(const char *file, struct rset *rs,
                  const struct store_options *options);

/*
 * Open a store. A process that reads and writes the same store at the same time
 * must first open it for writing: SQLite shares the index of the log between
 * the two.
 */
struct store *store_open(const char *file, enum store_mode mode,
                         const struct store_options *options);

/* Close a store. Changes that were not committed are lost. NULL is allowed. */
void store_close(struct store *s);

/* Read the set with all records; once for each open store. Commits write the
   changes of this set. The caller destroys the set before closing the store. */
struct rset *store_read(struct store *s);

/*
 * Let the next commit store this set instead of everything stored. Later
 * commits then write the changes of this set; the caller may destroy the set
 * that was read.
 */
void store_replace(struct store *s, struct rset *rs);

/*
 * Read a set in pieces (model/records/pieces.h), each on demand. This is for
 * matches and for operations on one job; commands on facts, states or all jobs
 * use store_read(). `times`: an earliest start will be searched. That needs the
 * grants with a start or an end, or the whole set if there are many of them.
 */
struct rset *store_read_pieces(struct store *s, double now, bool times);

/* End the reading of the last commit before something that takes long: while
   anybody reads, the log can't be written back. */
void store_end_reading(struct store *s);

/* An operation in the history. `what` is the state or fact that it changes,
   `reason` the user's reason. */
struct operation {
    double time;
    const char *command;
    const char *job;           /* NULL: none */
    const char *what, *reason; /* NULL: none */
    bool facts; /* facts may have changed too, such as properties or tags */
};

/*
 * store_record() notes an operation for the history. store_sync() stores the
 * set as it is now, makes all noted operations durable, and keeps pending jobs.
 * Fails if a file of the store was removed, renamed or replaced since it was
 * opened: then nothing is durable.
 */
void store_record(struct store *s, const struct operation *op);
void store_sync(struct store *s);

/* Return the number of operations so far. */
int64_t store_revision(struct store *s);

/* From now on let STORE_MARKED read the state that this store had when it was
   opened with STORE_MARK. */
void store_mark(struct store *s);

/* An operation of the history. store_history() calls `each` for all of them, in
   order. */
struct past {
    int64_t revision;
    double time;
    const char *user, *command;      /* texts: valid during the call */
    const char *job, *what, *reason; /* NULL: none */
};
void store_history(struct store *s,
                   void (*each)(const struct past *past, void *arg), void *arg);

/* A job that waits in the queue of a service. Such rows are not durable: they
   may be lost with the power. */
struct pending_row {
    int64_t id, owner;
    uint32_t priority;
    const char *queue; /* NULL: none */
    const char *request, *reason;
    double submitted, duration, estimate; /* TIME_UNSET: none */
};

/* Keep the row of a job with the next store_sync(); or remove it, if `request`
   is NULL. Call this after store_record(). */
void store_pending(struct store *s, const struct pending_row *row);
/* Call `each` for each job, by id. */
void store_each_pending(struct store *s,
                        void (*each)(const struct pending_row *row, void *arg),
                        void *arg);

/*
 * store_check: check the database. store_check_counts: check the counts of a
 * set that was read whole, and that no pool is allocated beyond its size. Each
 * calls `fault` for each fault.
 */
typedef void store_fault_fn(const char *text, void *arg);
void store_check(struct store *s, store_fault_fn *fault, void *arg);
void store_check_counts(struct store *s, store_fault_fn *fault, void *arg);

#endif /* STORE_STORE_H */

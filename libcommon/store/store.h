/*
 * The durable store: a resource set, its jobs and the history of operations in
 * a SQLite database (rset-store(5)), so that they outlive processes.
 *
 * Facts are read without parsing a document. A grant is a row. An operation is
 * a transaction: after a loss of power it is there whole, or not at all. One
 * writer is at work at a time; the others wait for their turn. Readers see the
 * last commit. They keep nobody out, and wait only while the first writer opens
 * the store.
 *
 *     struct store *s = store_open(file, STORE_WRITE, &options);
 *     struct rset *rs = store_read(s);
 *     ...                                       change it
 *     store_commit(s, &operation);
 *     store_close(s);
 *
 * Faults go to the handler in the options, which does not return. Changes that
 * were not committed are lost then.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdint.h>

#include "model/tree/rset.h"

struct store;

struct store_options {
    /* Gets each fault, whose source is the store; must not return. */
    void (*fail)(struct diag *d) __attribute__((noreturn));
    double wait;   /* seconds for which to wait for others */
    uint64_t keep; /* operations of history */
};

enum { STORE_KEEP = 1000000 };

enum store_mode {
    STORE_READ,
    STORE_WRITE, /* one operation: nobody else writes until it is committed */
    STORE_LEASE, /* any number: others are refused meanwhile */
    STORE_MARK,  /* read, and store_mark(), also beside a lease */
    STORE_MARKED /* read the set as it was when it was marked last */
};

/* Make a store of a set. It is a fault if the file exists. */
void store_create(const char *file, struct rset *rs,
                  const struct store_options *options);

/*
 * Open a store. A process that reads and writes the same store at the same time
 * opens it for writing first: SQLite shares the index of the log between them.
 */
struct store *store_open(const char *file, enum store_mode mode,
                         const struct store_options *options);

/* Close a store; changes that were not committed are lost. NULL is allowed. */
void store_close(struct store *s);

/*
 * Read the set with all records, once for a store. store_commit() writes the
 * changes of the set. The caller destroys it before the store is closed.
 */
struct rset *store_read(struct store *s);

/*
 * store_facts: read the inventory alone, without records, before store_read().
 * store_replace: the next commit stores this set instead of all that is stored.
 * Commits then write the changes of this set; the set that was read may go.
 */
struct rset *store_facts(struct store *s);
void store_replace(struct store *s, struct rset *rs);

/*
 * Read a set in pieces (model/records/pieces.h): each when it is asked for. It
 * is for matches and for operations on one job; commands on facts, states or
 * all jobs use store_read(). `times`: an earliest start is searched, which
 * needs the grants with a start or an end, or the whole set if they are many.
 */
struct rset *store_read_pieces(struct store *s, double now, bool times);

/*
 * End the reading of the last commit, before something that takes long: the log
 * can't be written back as long as somebody reads.
 */
void store_end_reading(struct store *s);

/* An operation, as the history has it. */
struct operation {
    double time;
    const char *command;
    const char *job;           /* NULL: none */
    const char *what, *reason; /* of a state or a fact; NULL: none */
    bool facts; /* facts may have changed, too: properties, tags... */
};

/*
 * Store the set as it is now, with an operation in the history. store_record()
 * only notes the operation; store_sync() makes many of them durable at once.
 * Both fail if a file of the store was removed, renamed or replaced since it
 * was opened: nothing is durable then.
 */
void store_commit(struct store *s, const struct operation *op);
void store_record(struct store *s, const struct operation *op);
void store_sync(struct store *s);

/* Return the number of operations so far. */
int64_t store_revision(struct store *s);

/*
 * From now on STORE_MARKED reads what was stored when this store was opened for
 * STORE_MARK.
 */
void store_mark(struct store *s);

/* An operation of the history; store_history() calls `each` in their order. */
struct past {
    int64_t revision;
    double time;
    const char *user, *command;      /* valid in the call, as are... */
    const char *job, *what, *reason; /* NULL: none */
};
void store_history(struct store *s,
                   void (*each)(const struct past *past, void *arg), void *arg);

/*
 * store_check: is the database sound? store_check_counts: are the counts of the
 * set, which was read as a whole, right, and is no pool allocated beyond its
 * size? Each calls `fault` once for each fault.
 */
typedef void store_fault_fn(const char *text, void *arg);
void store_check(struct store *s, store_fault_fn *fault, void *arg);
void store_check_counts(struct store *s, store_fault_fn *fault, void *arg);

#endif /* STORE_STORE_H */

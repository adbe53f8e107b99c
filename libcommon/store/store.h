/*
 * The durable store: a resource set, the jobs that hold any of it and what was
 * done, in a SQLite database (rset-store(5)), so that they outlive processes.
 *
 * The facts stand in it in a form that is read without parsing a document, a
 * grant is a row, and an operation is a transaction: it is there whole, also
 * after a loss of power, or not at all. One writer is at work at a time; the
 * others wait for their turn. Readers see what was committed last. They keep
 * nobody out, and wait only while the first writer at work opens the store.
 *
 *     struct store *s = store_open(file, STORE_WRITE, &options);
 *     struct rset *rs = store_read(s);
 *     ...                                       change it
 *     store_commit(s, &operation);
 *     store_close(s);
 *
 * Trouble is told to the handler in the options, which does not return; what
 * was not committed never was.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdint.h>

#include "model/tree/rset.h"

struct store;

struct store_options {
    /* Trouble, which names the store; it must not return. */
    void (*fail)(struct diag *d) __attribute__((noreturn));
    double wait;   /* seconds for which to wait for others */
    uint64_t keep; /* so many operations of history */
};

enum { STORE_KEEP = 1000000 };

enum store_mode {
    STORE_READ,
    STORE_WRITE, /* one operation: nobody else writes until it is committed */
    STORE_LEASE, /* any number: others are refused meanwhile */
    STORE_MARK,  /* read, and store_mark(), also beside a lease */
    STORE_MARKED /* read the set as it was when it was marked last */
};

/* A new store of a set. A file that is there already is trouble. */
void store_create(const char *file, struct rset *rs,
                  const struct store_options *options);

/*
 * Open a store. A process that reads and writes the same store at the same time
 * opens it for writing first: SQLite shares the index of the log between them.
 */
struct store *store_open(const char *file, enum store_mode mode,
                         const struct store_options *options);

/* What was not committed is lost. NULL is allowed. */
void store_close(struct store *s);

/*
 * The set with all records. It is the caller's, must go before the store is
 * closed, and store_commit() writes what was changed in it. Once for a store.
 */
struct rset *store_read(struct store *s);

/*
 * The inventory alone, without records: another set, before store_read(). And
 * all that is stored becomes this set by the next commit, which store_commit()
 * then goes on with; the one that was read may go.
 */
struct rset *store_facts(struct store *s);
void store_replace(struct store *s, struct rset *rs);

/*
 * The same in pieces (model/records/pieces.h): what is not asked for is not
 * read. For matches, and for what is done to one job; commands on facts, states
 * or all jobs read the whole. For an earliest start `times` are read, or all if
 * there are many.
 */
struct rset *store_read_pieces(struct store *s, double now, bool times);

/*
 * Nothing is read any more but what is stored then. Before what takes its time:
 * the log can't be written back as long as somebody reads.
 */
void store_end_reading(struct store *s);

/* What somebody did. */
struct operation {
    double time;
    const char *command;
    const char *job;           /* NULL: none */
    const char *what, *reason; /* of a state or a fact; NULL: none */
    bool facts; /* also facts of the set may be others: properties, tags... */
};

/*
 * The set as it is now becomes what is stored, with an operation in the
 * history. store_record() leaves it to store_sync() to make that durable,
 * which is for many of them at once. Both fail if a file of the store was
 * removed, renamed or replaced since it was opened: nothing is durable then.
 */
void store_commit(struct store *s, const struct operation *op);
void store_record(struct store *s, const struct operation *op);
void store_sync(struct store *s);

/* How many operations there were. */
int64_t store_revision(struct store *s);

/*
 * What is stored is what STORE_MARKED reads from now on. The store was opened
 * for that, and nothing was committed since.
 */
void store_mark(struct store *s);

/* What was done, from the first that is kept on. */
struct past {
    int64_t revision;
    double time;
    const char *user, *command;      /* valid in the call, as are... */
    const char *job, *what, *reason; /* NULL: none */
};
void store_history(struct store *s,
                   void (*each)(const struct past *past, void *arg), void *arg);

/*
 * Is the database sound; and, once its set was read as a whole, is what is
 * counted of it what there is, and no more of it allocated? One call for each
 * fault.
 */
typedef void store_fault_fn(const char *text, void *arg);
void store_check(struct store *s, store_fault_fn *fault, void *arg);
void store_check_counts(struct store *s, store_fault_fn *fault, void *arg);

#endif /* STORE_STORE_H */

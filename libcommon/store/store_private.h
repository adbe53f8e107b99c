/* The database of a store, and the functions that the files of store/ share. */
#ifndef STORE_STORE_PRIVATE_H
#define STORE_STORE_PRIVATE_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/map.h"
#include "model/records/pieces.h"
#include "store/store.h"

enum { STORE_FILES = 4 };

/*
 * The id of a row of grants. The bits above are the number of the grant, in the
 * order in which grants were made; these bits are the number of the row in its
 * job.
 */
enum { ROW_BITS = 24 };

struct store {
    char *file;
    enum store_mode mode;
    struct store_options options;
    sqlite3 *db;
    int lock; /* descriptor of the lock file; -1: none */
    struct {
        char *name;
        struct stat is;
    } files[STORE_FILES];  /* of a writer: must not be moved while open */
    struct map statements; /* prepared, by the address of their text */
    struct rset *rs;       /* the set that was read */
    struct map words;      /* by id - 1: words in the database, to their texts
                              interned in the set being read */
    struct vertex **by_number; /* vertices that are not runs */
    size_t nnumbers;
    struct target_range *ranks; /* ranges of runs of targets, sorted */
    size_t nranks;
    size_t cuts;               /* value in the set when `ranks` was made */
    struct rset_source source; /* for a set read in pieces */
    struct {
        sqlite3_stmt *rows;
        int64_t key;     /* of the current row; INT64_MAX: no more rows */
    } images[2];         /* of ranks, and of pools */
    struct map changed;  /* keys of lots whose images must be written */
    const char **states; /* of targets in order, as written last */
    size_t nstates;
    int64_t marks;             /* 1, or 2 while somebody saves: see db.c */
    int64_t marked[2];         /* their revisions */
    bool hasty;                /* commits are not synced to the disk */
    int64_t revision;          /* as read or committed */
    double counted;            /* the time of images: see lots.c */
    struct operation *pending; /* for store_sync() to commit */
    size_t npending;
    bool replaced;          /* by store_replace() */
    char *user;             /* name of the user; NULL: not looked up yet */
    struct joined_log *log; /* NULL: it is written as SQLite does it */
    int log_pages;
    bool log_is_long; /* it has the space of what was written back */
};

/* --- store.c ------------------------------------------------------------ */

/* Make a store that has no database yet. */
struct store *store_new(const char *file, enum store_mode mode,
                        const struct store_options *options);

/* --- db.c: SQLite ------------------------------------------------------- */

/* Report a fault to the handler, which does not return. */
void store_fail(struct store *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
/* Report SQLite's last error. */
void store_fail_db(struct store *s) __attribute__((noreturn));
/* Report that `what` can't be read. */
void store_corrupt(struct store *s, const char *what) __attribute__((noreturn));

/* Return true if the store is open for reading only. */
bool store_only_reads(const struct store *s);

/* Open the database. Checks that it is a store before its log is read.
   `makes_index`: a reader may have to make the index of the log. */
void store_connect(struct store *s, bool makes_index);
/* Read the log, which may have to wait. Checks the version. */
void store_read_log(struct store *s);
/* Begin a transaction. It does not see later commits of others. A writer's one
   brings the schema up to date. */
void store_begin(struct store *s);
/* Begin the transaction of store_sync(), if it has not begun. It is not synced
   to the disk if nothing but jobs that wait has changed. */
void store_begin_sync(struct store *s);
/* Make the records of an older schema readable, in a transaction that reads;
   or, in that of a writer, bring the schema up to date. */
void store_adapt(struct store *s, bool migrates);
/* Return whether the schema is older: then an older program has the lease, or
   this one only reads. */
bool store_is_older(struct store *s);

/*
 * store_note_files: note the files of the database, its log, its index and its
 * locks. store_check_files: fail if one of these was removed, renamed or
 * replaced since then, because other programs would not find anything written
 * to it.
 */
void store_note_files(struct store *s);
void store_check_files(struct store *s);

/*
 * Prepare a statement with values. `types` has a letter for each value: i
 * int64_t, d double (NULL if below 0), t text or NULL, b bytes and their number
 * (size_t). Texts and bytes must stay as they are until the last row is read.
 * `sql` must be a literal: statements are found by its address.
 */
sqlite3_stmt *store_query(struct store *s, const char *sql, const char *types,
                          ...);
/* Go to the next row. Returns false if there is none; then the statement is
   reset. */
bool store_row(struct store *s, sqlite3_stmt *statement);
/* Run a statement that returns no rows. Returns the number of rows it
   changed. */
int64_t store_do(struct store *s, const char *sql, const char *types, ...);
/* Run statements without values. */
void store_run(struct store *s, const char *sql);
/* Return the integer that a statement selects; 0 if no row. */
int64_t store_number(struct store *s, const char *sql, const char *types, ...);

/* Return a text or a time in a column. For NULL it is NULL or TIME_UNSET. */
const char *column_text(sqlite3_stmt *statement, int column);
double column_time(sqlite3_stmt *statement, int column);

extern const char store_schema[];
/* The schemas that are known: STORE_OLDEST can be read, and migrated. */
enum {
    STORE_ID = 0x72736574,
    STORE_OLDEST = 3,
    STORE_WITH_QUEUE, /* jobs that wait */
    STORE_WITH_TERMS, /* records by the names of jobs, and a table of terms */
    STORE_VERSION
};

/* --- log.c: commits ----------------------------------------------------- */

/* Begin to watch the log of an open database, or end it with a lease. */
void log_begin(struct store *s);
void log_end(struct store *s);
/* Commit, and write the log back when it has become long. Fails if the files of
   the store are not in place. */
void log_commit(struct store *s);

/* --- lock.c: who may write ---------------------------------------------- */

/* Wait for the turn to write, at most for the time in the options. */
void store_lock(struct store *s);
/* Keep the turn: refuse other writers from now on. */
void store_lock_lease(struct store *s);
void store_unlock(struct store *s);
/* Take or end the turn for a small transaction of a process that saves. Needs
   no turn if there is a lease: then store_take_turn() returns false. */
bool store_take_turn(struct store *s);
void store_end_turn(struct store *s);

/* --- words.c: texts that many pools have -------------------------------- */

/* Return the id of a text. Adds a new text to the database. */
int64_t word_id(struct store *s, const char *text);
/* Return the text with an id, interned in the set being read. */
const char *word_at(struct store *s, int64_t id);
void words_read(struct store *s, struct rset *rs);

/* --- facts.c: the inventory --------------------------------------------- */

/* Read all facts into the set of the store, and return it. */
struct rset *facts_read(struct store *s);
/* Write the rows of facts that differ from the database. */
void facts_write(struct store *s, struct rset *rs);
/* Read the pools in a node of a set that is read in pieces. */
void facts_open(struct rset_source *source, struct vertex *v);

/* --- pools.c: a part of the facts --------------------------------------- */

void pools_write(struct store *s, const struct rset *rs);
void pools_read(struct store *s, struct rset *rs);

/* --- address.c, records.c ----------------------------------------------- */

/* The place of a lot, in numbers that don't change when runs are cut or
   joined. */
struct address {
    int64_t lot;    /* its key: a rank, or a pool's number * 2^32 */
    int64_t up;     /* pool in it that contains the run; 0: the outer lot */
    int64_t pool;   /* its number; 0: the outer lot; < 0: a run, the word of its
                       type */
    uint32_t at, n; /* members of the run */
};

/* Index pools by number, and targets by rank. */
void address_index(struct store *s, struct rset *rs);
void address_add(struct store *s, struct vertex *v);
void address_end(struct store *s);

/* Return the address of a lot. For a run of targets it is that of the first
   rank. */
struct address address_of(struct store *s, const struct lot *lot);
/* Return the outer lot of a lot, which may be the lot itself; or the lot with a
   key. */
const struct lot *outer_lot(const struct lot *lot);
struct lot *lot_of_key(struct store *s, struct usage *u, int64_t key);
/* Return the pool with a number. */
struct vertex *vertex_of_number(struct store *s, int64_t number);
/* Return the lots at an address and split them off. Looks only in `outer`
   unless it is NULL. The caller frees the list. */
struct lots address_lots(struct store *s, struct usage *u, struct lot *outer,
                         const struct address *a);

void jobs_load(struct store *s, struct rset *rs);
/* Read the grants of one outer lot of a set that is read in pieces. */
void jobs_load_lot(struct rset_source *source, struct usage *u,
                   struct lot *lot);
/* Write all jobs that changed, and states. */
void jobs_write(struct store *s, struct rset *rs);
/* Drop all jobs and states. */
void jobs_drop(struct store *s);
/* Note that the image (lots.c) of the lot with a key may have changed. */
void image_changes(struct store *s, int64_t key);

/* --- lots.c: images of outer lots --------------------------------------- */

/* Write the facts about types, or the images of changed lots.
   types_check: check that the facts that were read have the types of the
   vertices from an index on. images_begin: from now on images count the claims
   that have started by a time. Call it before jobs_write(). */
void types_write(struct store *s, struct usage *u);
void types_check(struct store *s, size_t from);
void images_begin(struct store *s, double now);
void images_write(struct store *s, struct usage *u);

/* Read a set in pieces, and begin its usage at a time. `times`: also read all
   grants with a start or an end. */
void pieces_read(struct store *s, double now, bool times);
/* Return the store that is the source of a set read in pieces. */
struct store *store_of(struct rset_source *source);

/* --- targets.c ---------------------------------------------------------- */

/* Write the table of targets: all rows, or only states. */
void targets_write(struct store *s, struct rset *rs, bool all);

#endif /* STORE_STORE_PRIVATE_H */

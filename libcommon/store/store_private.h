/* Within the store: the database, and what its files do for each other. */
#ifndef STORE_STORE_PRIVATE_H
#define STORE_STORE_PRIVATE_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/map.h"
#include "model/records/usage.h"
#include "model/records/pieces.h"
#include "store/store.h"

enum { STATEMENTS = 64, STORE_FILES = 4 };

/*
 * The id of a row of a grant has its place in the order of giving above these
 * bits, and below them the number of the row among those of its job.
 */
enum { ROW_BITS = 24 };

struct store {
    char *file;
    enum store_mode mode;
    struct store_options options;
    sqlite3 *db;
    int lock; /* of the file beside it; -1: none */
    struct {
        char *name;
        struct stat is;
    } files[STORE_FILES]; /* of who writes: those that a promise rests on */
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } statements[STATEMENTS]; /* those that were asked */
    struct rset *rs;          /* of store_read() */
    const char **words;       /* by id, interned in the set that is read */
    size_t nwords;
    struct map word_ids;       /* those that are in the database */
    struct vertex **by_number; /* vertices that are no run */
    size_t nnumbers;
    struct target_range *ranks; /* runs of targets, in order */
    size_t nranks;
    size_t cuts;               /* of the set, when these were found */
    struct rset_source source; /* of a set that is read in pieces */
    struct {
        sqlite3_stmt *rows;
        int64_t key;    /* of the row at hand; beyond all keys: there is none */
    } images[2];        /* of ranks, and of pools */
    struct map changed; /* keys of lots whose images are others */
    const char **states; /* of targets in order, as they were written last */
    size_t nstates;
    int64_t marks;             /* 1, or 2 while somebody saves: db.c */
    int64_t revision;          /* as it was read, or committed */
    struct operation *pending; /* what store_sync() will commit */
    size_t npending;
    bool replaced; /* the set is another one than what is stored */
    char *user;    /* who is at work; NULL: not looked up yet */
    int log_pages;
};

/* --- store.c ------------------------------------------------------------ */

/* A store without a database yet. */
struct store *store_new(const char *file, enum store_mode mode,
                        const struct store_options *options);

/* --- db.c: SQLite ------------------------------------------------------- */

/* Trouble with the store: it ends with the handler. */
void store_fail(struct store *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
/* What SQLite says. */
void store_fail_db(struct store *s) __attribute__((noreturn));
/* What stands there can't be: `what` it is of. */
void store_corrupt(struct store *s, const char *what) __attribute__((noreturn));

/* Open the database, and see that it is a store, before its log is read. */
void store_connect(struct store *s);
/* Read the log, which may mean to wait; see that the version is known. */
void store_read_log(struct store *s);
/* Begin to read or to write: what others do from now on is not seen. */
void store_begin(struct store *s);

/*
 * Note which files the database, its log, its index and its locks are. And fail
 * if one of them has been removed, renamed or replaced since: other programs
 * do not find in the store what is written to it then.
 */
void store_note_files(struct store *s);
void store_check_files(struct store *s);

/*
 * A statement with values, a letter each: i int64_t, d double (NULL where it is
 * below 0), t text (NULL where it is that), b bytes and their number (size_t).
 * The text of a statement is a literal: it is known by its address.
 */
sqlite3_stmt *store_ask(struct store *s, const char *sql, const char *types,
                        ...);
/* Its next row; false: there is none, and the statement is done. */
bool store_row(struct store *s, sqlite3_stmt *statement);
/* A statement without rows; how many rows it changed. */
int64_t store_do(struct store *s, const char *sql, const char *types, ...);
/* The integer that a statement without values answers. */
int64_t store_number(struct store *s, const char *sql);

/* A text or time in a column of a row: NULL, TIME_UNSET where it is NULL. */
const char *column_text(sqlite3_stmt *statement, int column);
double column_time(sqlite3_stmt *statement, int column);

extern const char store_schema[];
enum { STORE_ID = 0x72736574, STORE_VERSION = 3 };

/* --- lock.c: who may write ---------------------------------------------- */

/* Wait for the turn to write, for a time. */
void store_lock(struct store *s);
/* Whoever has the turn keeps it: from now on others are refused. */
void store_lock_lease(struct store *s);
void store_unlock(struct store *s);
/* For a small transaction of who saves; others have theirs before and after. */
void store_take_turn(struct store *s);
void store_end_turn(struct store *s);

/* --- words.c: texts that many have -------------------------------------- */

/* The id of a text, which is put into the database if it is new. */
int64_t word_id(struct store *s, const char *text);
/* The text of an id, interned in the set that is read. */
const char *word_at(struct store *s, int64_t id);
void words_read(struct store *s, struct rset *rs);
void words_end(struct store *s);

/* --- facts.c: the inventory --------------------------------------------- */

struct rset *facts_read(struct store *s);
/* Write those that are others than in the database. */
void facts_write(struct store *s, struct rset *rs);
/* Read what is in a node, of a set that is read in pieces. */
void facts_open(struct store *s, struct vertex *v);

/* pools.c: a part of them. */
void pools_write(struct store *s, const struct rset *rs);
void pools_read(struct store *s, struct rset *rs);

/* --- address.c, records.c ----------------------------------------------- */

/* Where a lot is, by what stays. */
struct address {
    int64_t lot;  /* the outer one: of a run of targets the rank, of a pool its
                     number * 2^32 */
    int64_t up;   /* a pool in it in which the run lies; 0: the outer lot */
    int64_t pool; /* in that, by number; 0: it is the outer lot; below 0: of a
                     run, the word of its type */
    uint32_t at, n; /* members of that run */
};

/* Find the pools by their numbers, targets by their ranks. */
void address_index(struct store *s, struct rset *rs);
void address_add(struct store *s, struct vertex *v);
void address_end(struct store *s);

/* Of a run of targets that of the first rank. */
struct address address_of(struct store *s, const struct lot *lot);
/* The outer lot in which it lies, or itself; and the one of a key. */
const struct lot *outer_lot(const struct lot *lot);
struct lot *lot_of_key(struct store *s, struct usage *u, int64_t key);
/* The pool of a number. */
struct vertex *vertex_of_number(struct store *s, int64_t number);
/* The lots there, which are split; of an outer lot (NULL: find it). */
struct lots address_lots(struct store *s, struct usage *u, struct lot *outer,
                         const struct address *a);

void jobs_load(struct store *s, struct rset *rs);
/* Those of one outer lot, of a set that is read in pieces. */
void jobs_load_lot(struct store *s, struct usage *u, struct lot *lot);
/* All jobs that changed, and states. */
void jobs_write(struct store *s, struct rset *rs);
/* Nothing of jobs and states is stored any more. */
void jobs_drop(struct store *s);
/* The image (lots.c) of the lot of a key may be another. */
void image_changes(struct store *s, int64_t key);

/* --- lots.c: what is counted of outer lots ------------------------------ */

/* What is known of types; and the images of lots that changed, at a time. */
void types_write(struct store *s, struct usage *u);
void images_write(struct store *s, struct usage *u, double now);

/* A set is going to be read in pieces; begin its usage, at a time; with `times`
   of all that begins or ends. */
void pieces_prepare(struct store *s);
void pieces_begin(struct store *s, double now, bool times);

/* targets.c: what the view of targets tells; all rows, or states alone. */
void targets_write(struct store *s, struct rset *rs, bool all);

#endif /* STORE_STORE_PRIVATE_H */

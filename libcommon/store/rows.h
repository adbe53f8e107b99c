/*
 * Numbers and texts as bytes. A number has 7 bits in each byte, the lowest
 * first; the highest bit says that more bytes follow. A signed number has its
 * sign as the lowest bit. A text has its length before it.
 *
 * The facts of a set are rows of such bytes. The id of a row says what it
 * contains:
 *
 *     FACTS_HEADER       all except pools and edges, as JSON
 *     FACTS_POOLS + k    pools in preorder, first those below the root, then
 *                        other hierarchies, THINGS_A_ROW of them
 *     FACTS_INSIDE + n   the pools in the node with number n
 *     FACTS_LINKS + k    edges, THINGS_A_ROW of them
 *     FACTS_TYPES        what usage knows about types (lots.c)
 *
 * When a row changes, its value at the time of the mark is kept.
 */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "store/store_private.h"

/* --- bytes -------------------------------------------------------------- */

void bytes_put(FILE *fp, uint64_t n);
void bytes_put_signed(FILE *fp, int64_t n);

/* Bytes that are being read. Any other bytes are a fault: the store is
   corrupt. */
struct bytes {
    struct store *s;
    const char *what; /* name of their contents, for messages */
    const unsigned char *at, *end;
};

/* Go to the bytes in column 1. */
void bytes_begin(struct bytes *in, sqlite3_stmt *statement);
uint64_t bytes_get(struct bytes *in);
int64_t bytes_get_signed(struct bytes *in);
/* Read the number of things that follow, each with at least one byte. */
size_t bytes_get_count(struct bytes *in);

/* --- rows --------------------------------------------------------------- */

enum { FACTS_HEADER = 0, FACTS_KIND = 40 };
#define FACTS_POOLS ((int64_t)1 << FACTS_KIND)
#define FACTS_INSIDE ((int64_t)2 << FACTS_KIND)
#define FACTS_LINKS ((int64_t)3 << FACTS_KIND)
#define FACTS_TYPES ((int64_t)4 << FACTS_KIND)

enum { THINGS_A_ROW = 512 };

/* --- writing ------------------------------------------------------------ */

/* A writer of rows, one after the other. */
struct row_writer {
    struct store *s;
    FILE *fp;
    char *bytes;
    size_t len;
    uint64_t things; /* number of things in the row */
    int64_t id;      /* id of the row */
    uint32_t number; /* number of the last pool written */
};

void row_begin(struct row_writer *w);
/* Store the row under its id, unless it is empty. Increments the id. */
void row_end(struct row_writer *w);
/* Does the store have these bytes in a row? */
bool row_is(struct store *s, int64_t id, const void *bytes, size_t len);
/* Call this before each thing. Begins a new row if this one is full. */
void row_thing(struct row_writer *w);

void put_string(FILE *fp, const char *text);
void put_json(FILE *fp, const json_t *value);

/* Drop the rows with ids from `from` on, below `to`. */
void rows_drop(struct store *s, int64_t from, int64_t to);

/* --- reading ------------------------------------------------------------ */

/* A row that is being read. At its end the next row may follow. */
struct facts_row {
    struct bytes in;
    sqlite3_stmt *st;
    sqlite3_stmt *insides; /* rows of nodes' pools; NULL: read on demand */
    uint32_t number;       /* number of the last pool read */
    int depth;             /* lists of pools in which that pool is */
};

/*
 * Query the rows with ids from `from` on, below `to`: as they are, or as they
 * were when the store was marked. `what` is a literal that makes the statement
 * different from others that are read at the same time.
 */
#define ROWS_ARE(what)                                     \
    "SELECT id, facts FROM facts WHERE id >= ? AND id < ?" \
    " ORDER BY id -- " what
#define ROWS_WERE(what)                                         \
    "SELECT id, facts FROM facts WHERE id >= ?1 AND id < ?2"    \
    " AND id NOT IN (SELECT id FROM old_facts WHERE mark = 0)"  \
    " UNION ALL SELECT id, facts FROM old_facts WHERE mark = 0" \
    " AND id >= ?1 AND id < ?2 AND facts NOT NULL ORDER BY id -- " what
#define rows_query(s, what, from, to)                                         \
    store_query((s),                                                          \
                (s)->mode == STORE_MARKED ? ROWS_WERE(what) : ROWS_ARE(what), \
                "ii", (int64_t)(from), (int64_t)(to))

struct facts_row row_of(struct store *s, sqlite3_stmt *st);
/* Go to the next row. row_step() returns false if there is none; row_next()
   reports a fault. */
bool row_step(struct facts_row *r);
void row_next(struct facts_row *r);

/* Read a text or a word, interned in the set, or a JSON value. */
const char *get_text(struct facts_row *r, struct rset *rs);
const char *get_word(struct facts_row *r);
json_t *get_json(struct facts_row *r);

#endif /* STORE_ROWS_H */

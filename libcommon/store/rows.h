/*
 * Numbers and texts as bytes, as rows of a store have them: a number with 7
 * bits in a byte, the lowest first, and the highest bit says that more follow;
 * one with a sign has that as its lowest bit; a text has its length before it.
 *
 * Rows of the facts of a set, by what they have in them:
 *
 *   FACTS_HEADER       all that is no pool, as JSON
 *   FACTS_POOLS + k    the pools in preorder, those of other hierarchies after
 *                      the root's, so many in a row
 *   FACTS_INSIDE + n   what is in the node of number n
 *   FACTS_LINKS + k    the edges, so many in a row
 *   FACTS_TYPES        what usage knows of types (lots.c)
 *
 * What a row was when the store was marked is kept when it becomes another.
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
void bytes_put_text(FILE *fp, const char *text, size_t len);

/* Bytes that are being read; what can't be is a store that is corrupt. */
struct bytes {
    struct store *s;
    const char *what; /* it is of, for a message */
    const unsigned char *at, *end;
};

uint64_t bytes_get(struct bytes *in);
int64_t bytes_get_signed(struct bytes *in);
/* A number of things each of which has a byte at least. */
size_t bytes_get_count(struct bytes *in);
const char *bytes_get_text(struct bytes *in, size_t *len);

/* --- rows --------------------------------------------------------------- */

enum { FACTS_HEADER = 0, FACTS_KIND = 40 };
#define FACTS_POOLS ((int64_t)1 << FACTS_KIND)
#define FACTS_INSIDE ((int64_t)2 << FACTS_KIND)
#define FACTS_LINKS ((int64_t)3 << FACTS_KIND)
#define FACTS_TYPES ((int64_t)4 << FACTS_KIND)

/* So many pools, or edges, in a row. */
enum { THINGS_A_ROW = 512 };

/* --- writing ------------------------------------------------------------ */

/* Rows that are being written, one after the other. */
struct row_writer {
    struct store *s;
    FILE *fp;
    char *bytes;
    size_t len;
    uint64_t things; /* in the row */
    int64_t id;      /* of the row */
    uint32_t number; /* of the pool that was written last */
};

void row_begin(struct row_writer *w);
/* Make it the row of its id; none if there is nothing in it. */
void row_end(struct row_writer *w);
/* Another thing comes: into this row, or a new one. */
void row_thing(struct row_writer *w);

void put_string(FILE *fp, const char *text);
void put_json(FILE *fp, const json_t *value);

/* Rows from one on up to another are no more. */
void rows_drop(struct store *s, int64_t from, int64_t to);

/* --- reading ------------------------------------------------------------ */

/* A row that is being read; the next one follows where it ends. */
struct facts_row {
    struct bytes in;
    sqlite3_stmt *st;
    sqlite3_stmt *insides; /* those of what is in nodes, in order; NULL: they
                              are read when they are asked for */
    uint32_t number;       /* of the pool that was read last */
};

/*
 * Rows from one on up to another, as they are, or as they were when the store
 * was marked. `what` is a literal: two that are read at a time have another.
 */
#define ROWS_ARE(what)                                     \
    "SELECT id, facts FROM facts WHERE id >= ? AND id < ?" \
    " ORDER BY id -- " what
#define ROWS_WERE(what)                                         \
    "SELECT id, facts FROM facts WHERE id >= ?1 AND id < ?2"    \
    " AND id NOT IN (SELECT id FROM old_facts WHERE mark = 0)"  \
    " UNION ALL SELECT id, facts FROM old_facts WHERE mark = 0" \
    " AND id >= ?1 AND id < ?2 AND facts NOT NULL ORDER BY id -- " what
#define rows_ask(s, what, from, to)                                         \
    store_ask((s),                                                          \
              (s)->mode == STORE_MARKED ? ROWS_WERE(what) : ROWS_ARE(what), \
              "ii", (int64_t)(from), (int64_t)(to))

struct facts_row row_of(struct store *s, sqlite3_stmt *st);
/* Go to the next row; false: there is none. Or it is trouble. */
bool row_step(struct facts_row *r);
void row_next(struct facts_row *r);

/* A text, or a word, interned in the set; a value. */
const char *get_text(struct facts_row *r, struct rset *rs);
const char *get_word(struct facts_row *r);
json_t *get_json(struct facts_row *r);

#endif /* STORE_ROWS_H */

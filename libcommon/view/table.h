/*
 * Tables: rows of cells under headings, or the same rows as JSON. The user
 * chooses and sorts columns. All programs print their tables this way.
 *
 *     static const struct table_column columns[] = {
 *         [JOB] = {"job", CELL_JOB, false},
 *         [CORES] = {"cores", CELL_NUMBER, false},
 *         [RANKS] = {"ranks", CELL_NAME, true},
 *         {0}};
 *     struct table *t = table_create(columns);
 *     struct table_choice choice;
 *
 *     if (table_choose(columns, "job,cores", "-cores", &choice, &d) < 0)
 *         cli_usage(...);
 *     table_row(t);
 *     table_text(t, JOB, "17");
 *     table_number(t, CORES, 48);
 *     table_print(t, &choice, stdout);
 *
 * A line is always one row, and a word one cell. Names are escaped
 * (base/show.h), with a blank as `\x20`. A cell without a value is `-`. A
 * CELL_PROSE keeps its blanks in the last column.
 *
 * As comma-separated values (RFC 4180, with line feeds) the headings are the
 * names of the columns, a cell without a value is empty, and a list is whole.
 * Durations are seconds.
 */
#ifndef VIEW_TABLE_H
#define VIEW_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

enum cell_kind {
    CELL_NAME,
    CELL_STATE,    /* a name; of a state that is not up, it has its colour */
    CELL_PROSE,    /* text written by people */
    CELL_JOB,      /* JSON: an integer if the name is one */
    CELL_LIST,     /* text, and a JSON value */
    CELL_NUMBER,   /* to the right, as durations */
    CELL_TIME,     /* seconds since the Epoch; local time, ISO 8601 */
    CELL_DURATION, /* seconds; [D-]HH:MM:SS */
};

/* The name is used in --columns, in JSON, and in capitals as the heading. */
struct table_column {
    const char *name; /* NULL: end of the columns */
    enum cell_kind kind;
    bool hidden; /* shown only on request */
};

/* Which columns of a table to show, and how. */
enum { TABLE_COLUMNS_MAX = 24 };
struct table_choice {
    unsigned char columns[TABLE_COLUMNS_MAX]; /* indices, in order of display */
    size_t ncolumns;
    int sort; /* column to sort by; -1: don't sort */
    bool descending, bare /* no headings */, csv /* comma-separated values */;
    int width;    /* cut lines to this width; 0: don't */
    bool colours; /* the terminal has 256 of them */
};

/*
 * Read a list of columns, `NAME[,NAME...]` (NULL: all that are not hidden;
 * `all`: all), and a column to sort by, `[-]NAME` (NULL: don't sort). Returns
 * 0, or -1 with a diag.
 */
int table_choose(const struct table_column *columns, const char *names,
                 const char *sort, struct table_choice *choice, struct diag *d);

/* Make a table without rows. Borrows the columns. */
struct table *table_create(const struct table_column *columns);
void table_destroy(struct table *t);

/* Begin a row, with no value in any cell. */
void table_row(struct table *t);

/*
 * Set a cell of the last row: to a copy of a text (NULL: no value), a number,
 * seconds (negative: no value), or a list as text and JSON. The JSON is stolen;
 * NULL means an empty array.
 */
void table_text(struct table *t, int column, const char *text);
void table_number(struct table *t, int column, int64_t number);
void table_seconds(struct table *t, int column, double seconds);
void table_list(struct table *t, int column, const char *text, json_t *data);

/* Write the heading and the rows. Destroys the table. */
void table_print(struct table *t, const struct table_choice *choice, FILE *fp);

/* Return a new array with an object for each row. Omits cells without a value.
   Destroys the table. */
json_t *table_json(struct table *t, const struct table_choice *choice);

#endif /* VIEW_TABLE_H */

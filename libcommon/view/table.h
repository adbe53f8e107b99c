/*
 * Tables: rows of cells under headings, which people choose columns of and
 * sort; and the same rows as JSON. One way for all programs.
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
 * A line is a row and a word is a cell, whatever is in it: what a name has that
 * does not belong into a line is escaped (base/show.h), a blank as `\x20`; a
 * cell without a value is `-`. The reason of CELL_PROSE keeps its blanks where
 * it is the last column.
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
    CELL_PROSE,    /* text of people */
    CELL_JOB,      /* JSON: an integer if the name is one */
    CELL_LIST,     /* text, and what it is in JSON */
    CELL_NUMBER,   /* to the right, as durations are */
    CELL_TIME,     /* seconds since the Epoch; local time, ISO 8601 */
    CELL_DURATION, /* seconds; [D-]HH:MM:SS */
};

/* The name is that of --columns, of JSON and, in capitals, the heading. */
struct table_column {
    const char *name; /* NULL: behind the last */
    enum cell_kind kind;
    bool hidden; /* only shown if it is asked for */
};

/* What of a table is shown, and how. */
enum { TABLE_COLUMNS_MAX = 24 };
struct table_choice {
    unsigned char columns[TABLE_COLUMNS_MAX]; /* by their number, in order */
    size_t ncolumns;
    int sort; /* column; -1: the rows are in order */
    bool descending, bare /* no headings */;
    int width; /* lines are cut to it; 0: they are not */
};

/*
 * Read `NAME[,NAME...]` (NULL: those that are not hidden; `all`: all) and
 * `[-]NAME` (NULL: no sorting) into a choice. Returns 0 or -1 with a diag.
 */
int table_choose(const struct table_column *columns, const char *names,
                 const char *sort, struct table_choice *choice, struct diag *d);

/* A table without rows. The columns are borrowed. */
struct table *table_create(const struct table_column *columns);
void table_destroy(struct table *t);

/* Begin a row, with no value in any cell. */
void table_row(struct table *t);

/*
 * The value of a cell of the last row: text, which is copied (NULL: none); a
 * number, or seconds (negative: none); a list with its JSON, which is stolen
 * (NULL: an empty array).
 */
void table_text(struct table *t, int column, const char *text);
void table_number(struct table *t, int column, int64_t number);
void table_seconds(struct table *t, int column, double seconds);
void table_list(struct table *t, int column, const char *text, json_t *data);

/* Write the heading and the rows. */
void table_print(const struct table *t, const struct table_choice *choice,
                 FILE *fp);

/* An array of an object a row; cells without a value are not in it. */
json_t *table_json(const struct table *t, const struct table_choice *choice);

#endif /* VIEW_TABLE_H */

/*
 * Tables (table.h). Rows keep values. table_print() makes the text of all cells
 * before it writes the first line, because a column is as wide as its widest
 * cell. A cell of more than WIDE columns does not widen the others: it moves
 * the rest of its own line to the right. So a table takes at most its text and
 * WIDE blanks for each cell.
 */
#include "view/table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/show.h"
#include "base/time.h"
#include "model/records/records.h"
#include "model/tree/rset.h"
#include "base/digits.h"
#include "view/palette.h"

struct cell {
    const char *text; /* NULL: no value; empty: shown as - */
    union {
        int64_t number;
        double seconds;
        json_t *data; /* JSON value of a list */
    } is;
};

struct table_line {
    struct cell *cells;
    size_t number; /* index at insertion */
};

struct table {
    const struct table_column *columns;
    size_t ncolumns;
    struct arena arena;
    struct table_line *rows;
    size_t nrows;
};

/* --- rows ---------------------------------------------------------------- */

struct table *table_create(const struct table_column *columns)
{
    struct table *t = xcalloc(1, sizeof(*t));

    t->columns = columns;
    while (columns[t->ncolumns].name)
        t->ncolumns++;
    return t;
}

void table_destroy(struct table *t)
{
    for (size_t i = 0; i < t->nrows; i++)
        for (size_t c = 0; c < t->ncolumns; c++)
            if (t->columns[c].kind == CELL_LIST)
                json_decref(t->rows[i].cells[c].is.data);
    free(t->rows);
    arena_fini(&t->arena);
    free(t);
}

void table_row(struct table *t)
{
    VECTOR_GROW(t->rows, t->nrows);
    t->rows[t->nrows].cells = arena_alloc(&t->arena,
                                          t->ncolumns * sizeof(struct cell));
    t->rows[t->nrows].number = t->nrows;
    t->nrows++;
}

/* Text that marks a cell with a number or a time as set. */
static const char some[] = "value";

static struct cell *last(struct table *t, int column)
{
    return &t->rows[t->nrows - 1].cells[column];
}

void table_text(struct table *t, int column, const char *text)
{
    if (text)
        last(t, column)->text = arena_strndup(&t->arena, text, strlen(text));
}

void table_number(struct table *t, int column, int64_t number)
{
    *last(t, column) = (struct cell){.text = some, .is.number = number};
}

void table_seconds(struct table *t, int column, double seconds)
{
    if (seconds >= 0)
        *last(t, column) = (struct cell){.text = some, .is.seconds = seconds};
}

void table_list(struct table *t, int column, const char *text, json_t *data)
{
    table_text(t, column, text);
    last(t, column)->is.data = data;
}

/* --- choosing columns ---------------------------------------------------- */

static int find_column(const struct table_column *columns, const char *name,
                       size_t len, struct diag *d)
{
    struct near near = {.word = name, .len = len};

    for (int i = 0; columns[i].name; i++) {
        if (strlen(columns[i].name) == len
            && !strncasecmp(name, columns[i].name, len))
            return i;
        near_try(&near, columns[i].name);
    }
    return diag_set(d, "there is no column %s%s", quote(name, len).text,
                    near_or_all(&near));
}

static int choose_columns(const struct table_column *columns, const char *names,
                          struct table_choice *choice, struct diag *d)
{
    if (!names || !strcmp(names, "all")) {
        for (int i = 0; columns[i].name; i++)
            if (names || !columns[i].hidden)
                choice->columns[choice->ncolumns++] = (unsigned char)i;
        return 0;
    }
    for (const char *end;; names = end + 1) {
        int column;
        end = strchrnul(names, ',');
        column = find_column(columns, names, (size_t)(end - names), d);
        if (column < 0)
            return -1;
        if (choice->ncolumns == TABLE_COLUMNS_MAX)
            return diag_set(d, "more than %d columns", TABLE_COLUMNS_MAX);
        choice->columns[choice->ncolumns++] = (unsigned char)column;
        if (!*end)
            return 0;
    }
}

int table_choose(const struct table_column *columns, const char *names,
                 const char *sort, struct table_choice *choice, struct diag *d)
{
    *choice = (struct table_choice){.sort = -1};
    if (choose_columns(columns, names, choice, d) < 0)
        return diag_in(d, "--columns");
    if (!sort)
        return 0;
    choice->descending = *sort == '-';
    sort += choice->descending;
    choice->sort = find_column(columns, sort, strlen(sort), d);
    return choice->sort < 0 ? diag_in(d, "--sort") : 0;
}

/* --- the order of output ------------------------------------------------- */

/* The text of a cell, and its width in columns of a terminal. */
struct shown {
    const char *text;
    size_t width;
};

enum { WIDE = 256 };

/* A table that is written. */
struct sheet {
    const struct table *t;
    const struct table_choice *choice;
    struct arena arena;
    struct shown *cells; /* row by row, first the headings */
    size_t widths[TABLE_COLUMNS_MAX];
    bool filled[TABLE_COLUMNS_MAX];       /* columns with any value */
    bool out[TABLE_COLUMNS_MAX], any_out; /* columns left out */
};

/* Compare rows. Cells without a value come last in any order. Equal rows keep
   their order. */
static int compare_rows(const void *a, const void *b, void *arg)
{
    const struct table_line *x = a, *y = b;
    const struct sheet *s = arg;
    int column = s->choice->sort, by;
    const struct cell *cx = &x->cells[column], *cy = &y->cells[column];
    enum cell_kind kind = s->t->columns[column].kind;
    bool no_x = !cx->text || !*cx->text, no_y = !cy->text || !*cy->text;

    if (no_x || no_y)
        by = no_x - no_y;
    else if (kind == CELL_NUMBER)
        by = COMPARE(cx->is.number, cy->is.number);
    else if (kind == CELL_TIME || kind == CELL_DURATION)
        by = COMPARE(cx->is.seconds, cy->is.seconds);
    else
        by = strverscmp(cx->text, cy->text); /* puts node2 before node10 */
    if (s->choice->descending && !no_x && !no_y)
        by = -by;
    return by ? by : COMPARE(x->number, y->number);
}

/* Begin to write a table: put its rows into the order of output. */
static struct sheet begin(struct table *t, const struct table_choice *choice)
{
    struct sheet s = {.t = t, .choice = choice};

    if (choice->sort >= 0 && t->nrows)
        qsort_r(t->rows, t->nrows, sizeof(*t->rows), compare_rows, &s);
    return s;
}

/* --- the text of cells --------------------------------------------------- */

/* Escape text so that it is one word, or, with `blanks`, one line. */
static const char *escape(struct arena *arena, const char *text, bool blanks)
{
    char *out = NULL, *copy;
    size_t len, n = 0;
    FILE *fp;

    for (const char *p = text;; p++) {
        if (!*p && p > text)
            return text;
        if (*p <= ' ' || *p > '~')
            break;
    }
    fp = memory_open(&out, &len);
    show(fp, text);
    memory_close(fp);
    copy = arena_alloc(arena, 4 * len + 1);
    for (const char *p = out; *p; p++)
        n += (size_t)sprintf(copy + n, *p == ' ' && !blanks ? "\\x20" : "%c",
                             *p);
    free(out);
    return copy;
}

/* Return the text of a cell, in the arena. */
static const char *show_cell(struct arena *arena, const struct cell *cell,
                             enum cell_kind kind, bool at_end)
{
    char text[TIME_TEXT], *end;
    double seconds = cell->is.seconds;
    int64_t number = cell->is.number;
    int n = 0;

    if (!cell->text || !*cell->text)
        return "-";
    switch (kind) {
    case CELL_NUMBER:
        *text = '-';
        end = put_number(text + (number < 0),
                         number < 0 ? -(uint64_t)number : (uint64_t)number);
        return arena_strndup(arena, text, (size_t)(end - text));
    case CELL_TIME:
        time_text(seconds, text);
        break;
    case CELL_DURATION:
        if (seconds >= 86400e9) {
            snprintf(text, sizeof(text), "%.15gs", seconds);
            break;
        }
        number = (int64_t)seconds;
        if (number >= 86400)
            n = snprintf(text, sizeof(text), "%lld-",
                         (long long)(number / 86400));
        snprintf(text + n, sizeof(text) - (size_t)n, "%02d:%02d:%02d",
                 (int)(number % 86400 / 3600), (int)(number % 3600 / 60),
                 (int)(number % 60));
        break;
    default:
        return escape(arena, cell->text, kind == CELL_PROSE && at_end);
    }
    return arena_strndup(arena, text, strlen(text));
}

/* Make the text of all cells, and measure the columns. */
static void fill(struct sheet *s)
{
    const struct table_choice *choice = s->choice;
    struct shown *shown;
    size_t n = choice->ncolumns;

    shown = s->cells = xreallocarray(NULL, (s->t->nrows + 1) * n,
                                     sizeof(*shown));
    for (size_t c = 0; c < n; c++, shown++) {
        const char *name = s->t->columns[choice->columns[c]].name;
        char *text = arena_strndup(&s->arena, name, strlen(name));
        shown->text = text;
        shown->width = show_width(text);
        s->widths[c] = choice->bare ? 0 : shown->width;
        for (; *text; text++)
            *text = (char)toupper((unsigned char)*text);
    }
    for (size_t i = 0; i < s->t->nrows; i++)
        for (size_t c = 0; c < n; c++, shown++) {
            int at = choice->columns[c];
            shown->text = show_cell(&s->arena, &s->t->rows[i].cells[at],
                                    s->t->columns[at].kind, c + 1 == n);
            shown->width = show_width(shown->text);
            s->filled[c] |= strcmp(shown->text, "-") != 0;
            if (shown->width > s->widths[c])
                s->widths[c] = shown->width < WIDE ? shown->width : WIDE;
        }
}

/* --- writing ------------------------------------------------------------- */

enum { GAP = 2, NARROW = 12 };
#define MORE " +"

static enum cell_kind kind_of(const struct sheet *s, size_t c)
{
    return s->t->columns[s->choice->columns[c]].kind;
}

/* Return the width of the columns that are not left out, and of the mark for
   those that are. With `least`, assume that text columns are narrowed. */
static size_t total(const struct sheet *s, bool least)
{
    size_t sum = s->any_out ? strlen(MORE) : 0;

    for (size_t c = 0; c < s->choice->ncolumns; c++) {
        bool narrows = least && kind_of(s, c) <= CELL_LIST;
        if (s->out[c])
            continue;
        sum += c ? GAP : 0;
        sum += narrows && s->widths[c] > NARROW ? NARROW : s->widths[c];
    }
    return sum;
}

/* How soon a column is left out: one without values first, then times. */
static int rank_of(const struct sheet *s, size_t c)
{
    return !s->filled[c] ? 2 : kind_of(s, c) == CELL_TIME;
}

/*
 * Leave out columns that have no room: each time the last one of those that are
 * left out soonest, never the first. Then narrow text columns, the widest
 * first.
 */
static void narrow(struct sheet *s)
{
    size_t room = (size_t)s->choice->width;

    while (total(s, true) > room) {
        size_t last = 0;
        for (size_t c = 1; c < s->choice->ncolumns; c++)
            if (!s->out[c] && (!last || rank_of(s, c) >= rank_of(s, last)))
                last = c;
        if (!last)
            break;
        s->out[last] = s->any_out = true;
    }
    for (size_t sum = total(s, false); sum > room; sum--) {
        size_t widest = 0;
        for (size_t c = 1; c < s->choice->ncolumns; c++)
            if (!s->out[c] && kind_of(s, c) <= CELL_LIST
                && (s->widths[c] > s->widths[widest]
                    || kind_of(s, widest) > CELL_LIST))
                widest = c;
        if (s->widths[widest] > 1)
            s->widths[widest]--;
    }
}

static void pad(FILE *fp, size_t n)
{
    static const char blanks[] = "                                ";

    for (; n >= sizeof(blanks); n -= sizeof(blanks) - 1)
        fwrite_unlocked(blanks, 1, sizeof(blanks) - 1, fp);
    fwrite_unlocked(blanks, 1, n, fp);
}

/* Begin the colour of a state that is not up. Returns whether there is one. */
static bool begin_colour(const struct sheet *s, const char *text, FILE *fp)
{
    for (int i = PAINT_DRAINED; s->choice->colours && i < PAINT_STATES; i++) {
        const struct paint paint = paint_state((enum paint_state)i);
        if (strcmp(paint.name, text) != 0)
            continue;
        paint_begin(&paint, fp);
        return true;
    }
    return false;
}

/* Write a line. If the width is limited, `+` stands for the rest of a cell. */
static void put_line(const struct sheet *s, size_t line, FILE *fp)
{
    const struct shown *cell = &s->cells[line * s->choice->ncolumns];
    size_t blanks = 0;

    for (size_t c = 0; c < s->choice->ncolumns; c++, cell++) {
        size_t width = s->widths[c],
               less = cell->width < width ? width - cell->width : 0;
        enum cell_kind kind = kind_of(s, c);
        bool right = kind == CELL_NUMBER || kind == CELL_DURATION;
        if (s->out[c])
            continue;
        pad(fp, blanks + (c ? GAP : 0) + (right ? less : 0));
        blanks = right ? 0 : less;
        if (!s->choice->width || cell->width <= width) {
            bool painted = kind == CELL_STATE
                           && begin_colour(s, cell->text, fp);
            fputs_unlocked(cell->text, fp);
            if (painted)
                paint_end(fp);
            continue;
        }
        fwrite_unlocked(cell->text, 1, show_fitting(cell->text, width - 1), fp);
        putc_unlocked('+', fp);
    }
    fputs_unlocked(s->any_out && line == 0 ? MORE "\n" : "\n", fp);
}

/* Write a value, in quotes if it needs them. */
static void put_value(const char *text, FILE *fp)
{
    bool quoted = strpbrk(text, ",\"\r\n") || *text == ' ';

    if (quoted)
        putc('"', fp);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', fp);
        putc(*text, fp);
    }
    if (quoted)
        putc('"', fp);
}

/* Return the elements of a list with commas between them, in the arena. */
static const char *list_text(struct arena *arena, const json_t *list)
{
    char *text, *copy;
    size_t len, i;
    json_t *value;
    FILE *fp = memory_open(&text, &len);

    json_array_foreach (list, i, value) {
        fputs(i ? "," : "", fp);
        if (json_is_string(value))
            fputs(json_string_value(value), fp);
        else
            json_dumpf(value, fp, JSON_ENCODE_ANY | JSON_COMPACT);
    }
    memory_close(fp);
    copy = arena_strndup(arena, text, len);
    free(text);
    return copy;
}

static void put_csv(struct sheet *s, FILE *fp)
{
    for (size_t i = s->choice->bare; i <= s->t->nrows; i++)
        for (size_t c = 0; c < s->choice->ncolumns; c++) {
            int at = s->choice->columns[c];
            enum cell_kind kind = kind_of(s, c);
            const struct cell *cell = i ? &s->t->rows[i - 1].cells[at] : NULL;
            if (!cell)
                fputs(s->t->columns[at].name, fp);
            else if (cell->text && kind == CELL_DURATION)
                fprintf(fp, "%.15g", cell->is.seconds);
            else if (kind == CELL_LIST && json_is_array(cell->is.data))
                put_value(escape(&s->arena, list_text(&s->arena, cell->is.data),
                                 true),
                          fp);
            else if (cell->text && *cell->text)
                put_value(show_cell(&s->arena, cell,
                                    kind == CELL_NUMBER || kind == CELL_TIME
                                        ? kind
                                        : CELL_PROSE,
                                    true),
                          fp);
            putc(c + 1 < s->choice->ncolumns ? ',' : '\n', fp);
        }
}

void table_print(struct table *t, const struct table_choice *choice, FILE *fp)
{
    struct sheet s = begin(t, choice);

    if (choice->csv) {
        put_csv(&s, fp);
    } else {
        fill(&s);
        if (choice->width)
            narrow(&s);
        for (size_t i = choice->bare; i <= t->nrows; i++)
            put_line(&s, i, fp);
    }
    free(s.cells);
    arena_fini(&s.arena);
    table_destroy(t);
}

/* --- JSON ---------------------------------------------------------------- */

static json_t *cell_json(const struct cell *cell, enum cell_kind kind)
{
    switch (kind) {
    case CELL_NUMBER:
        return json_integer(cell->is.number);
    case CELL_TIME:
    case CELL_DURATION:
        return time_to_json(cell->is.seconds);
    case CELL_JOB:
        return job_to_json(cell->text);
    case CELL_LIST:
        return cell->is.data ? json_incref(cell->is.data) : json_array();
    default:
        return json_string(cell->text);
    }
}

json_t *table_json(struct table *t, const struct table_choice *choice)
{
    const struct sheet s = begin(t, choice);
    json_t *list = json_array();

    for (size_t i = 0; i < t->nrows; i++) {
        json_t *object = json_object();
        for (size_t c = 0; c < choice->ncolumns; c++) {
            int at = choice->columns[c];
            const struct cell *cell = &t->rows[i].cells[at];
            if (cell->text)
                json_object_set_new(object, t->columns[at].name,
                                    cell_json(cell, kind_of(&s, c)));
        }
        json_array_append_new(list, object);
    }
    table_destroy(t);
    return list;
}

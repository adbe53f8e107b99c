/* A timeline on a screen of characters (timeline.h): a line for each row. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/show.h"
#include "view/timeline_private.h"

struct chart {
    const struct timeline *t;
    struct screen *s;
    size_t label, columns;
    size_t *counts; /* number of cells of each paint */
};

/* Return the column that contains a moment. */
static size_t column_of(const struct chart *c, double time)
{
    double part = (time - c->t->from) / (c->t->to - c->t->from);
    size_t column = part > 0 ? (size_t)(part * (double)c->columns) : 0;

    return column < c->columns ? column : c->columns - 1;
}

/*
 * A column in the row of a timeline: the first job at its middle; if there is
 * none, the first job at any time in it. `many`: there are several such jobs.
 */
struct chart_cell {
    const struct bar *bar;
    bool middle, many;
};

/* Mark the cells that a bar covers. */
static void mark_bar(const struct chart *c, struct chart_cell *cells,
                     const struct bar *bar)
{
    double width = (c->t->to - c->t->from) / (double)c->columns;
    size_t last = column_of(c, bar->to);

    for (size_t i = column_of(c, bar->from); i <= last; i++) {
        struct chart_cell *cell = &cells[i];
        double start = c->t->from + width * (double)i, half = start + width / 2;
        bool middle = bar->from <= half && half < bar->to;
        if (bar->to <= start && bar->from != bar->to)
            continue;
        if (cell->bar && cell->middle && !middle)
            continue;
        cell->many = cell->bar && cell->middle == middle
                     && (cell->many || cell->bar->term->job != bar->term->job);
        if (!cell->many)
            cell->bar = bar;
        cell->middle = middle;
    }
}

static void chart_row(const struct chart *c, const struct timeline_row *row)
{
    struct chart_cell *cells = xcalloc(c->columns, sizeof(*cells));
    struct paint paint;

    for (uint32_t i = idset_first(row->bars); i != IDSET_INVALID;
         i = idset_next(row->bars, i))
        mark_bar(c, cells, &c->t->bars[i]);
    screen_label(c->s, row->label, c->label);
    putc(' ', c->s->fp);
    for (size_t i = 0; i < c->columns; i++) {
        paint = !cells[i].bar   ? paint_state(PAINT_IDLE)
                : cells[i].many ? paint_state(PAINT_MIXED)
                                : cells[i].bar->paint;
        c->counts[paint.number]++;
        screen_cell(c->s, &paint);
    }
    screen_cell(c->s, NULL);
    putc('\n', c->s->fp);
    free(cells);
}

/* Print the title on as many lines as needed, and return their number. The
   words "to" and "now" stay before their times. */
static size_t chart_title(const struct chart *c)
{
    char *title = timeline_title(c->t), *piece = title;
    size_t lines = 1, column = 0;

    while (*piece) {
        size_t len = strcspn(piece, " ");
        if (len < strlen("0000-00-00"))
            len += 1 + strcspn(piece + len + 1, " ");
        if (column && column + 1 + len > (size_t)c->s->width) {
            putc('\n', c->s->fp);
            column = 0;
            lines++;
        }
        column += (size_t)fprintf(c->s->fp, "%s%.*s", column ? " " : "",
                                  (int)len, piece);
        piece += len + (piece[len] == ' ');
    }
    putc('\n', c->s->fp);
    free(title);
    return lines;
}

/* Print times above the rows, with a mark at the column of each. */
static void chart_axis(const struct chart *c)
{
    enum { ROOM = 10 };
    struct tick *ticks;
    size_t n = timeline_ticks(c->t, c->columns / ROOM, &ticks), end = 0;

    fprintf(c->s->fp, "%*s", (int)c->label + 1, "");
    for (size_t i = 0; i < n; i++) {
        size_t column = column_of(c, ticks[i].time),
               len = strlen(ticks[i].text) + 1;
        if (column < end || column + len > c->columns)
            continue;
        fprintf(c->s->fp, "%*s|%s", (int)(column - end), "", ticks[i].text);
        end = column + len;
    }
    putc('\n', c->s->fp);
    free(ticks);
}

void timeline_print(const struct timeline *t, const struct screen *s)
{
    struct screen screen = *s;
    struct chart c = {.t = t, .s = &screen};
    size_t width = (size_t)s->width, most = width / 3, rows = t->nrows, others,
           now;
    bool before;

    screen.palette = t->palette;
    c.counts = xcalloc(palette_count(t->palette), sizeof(*c.counts));
    for (size_t i = 0; i < t->nrows; i++) {
        size_t n = show_columns(t->rows[i].label);
        c.label = n > c.label ? n : c.label;
    }
    c.label = c.label < most ? c.label : most;
    c.columns = width > c.label + 1 ? width - c.label - 1 : 1;
    others = chart_title(&c) + 6;
    if (s->height > 9 && rows + others > (size_t)s->height)
        rows = (size_t)s->height - others;
    chart_axis(&c);
    for (size_t i = 0; i < rows; i++)
        chart_row(&c, &t->rows[i]);
    if (rows < t->nrows)
        fprintf(s->fp, "and %zu more rows\n", t->nrows - rows);
    now = column_of(&c, t->now);
    before = now + 5 > c.columns && now >= 4;
    fprintf(s->fp, "%*s%s\n", (int)(c.label + 1 + now - (before ? 4 : 0)), "",
            before ? "now ^" : "^ now");
    screen_legend(&screen, c.counts, false);
    free(c.counts);
}

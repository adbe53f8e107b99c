/*
 * A timeline as SVG (timeline.h). Each row is a band. Bars that overlap lie in
 * different lanes of the band. A bar is one shape in each of its rows; if a row
 * stands for many nodes, the shapes of a bar form a group, so that the title of
 * the job is written once.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "view/legend.h"
#include "view/svg_write.h"
#include "view/timeline_private.h"

enum {
    MARGIN = 12,
    LABELS = 190, /* width of labels and of bars */
    CHART = 1000,
    HEAD = 44, /* space above the rows */
    FOOT = 18, /* space below them, for "now" */
    LANE = 18, /* height of a lane, by default */
    MANY_ROWS = 200,
    LANE_MANY = 10, /* height of a lane in many rows */
    LANE_LEAST = 3, /* height of a lane in a row of many lanes */
    ROW_MOST = 108, /* limit for a row, if lanes can shrink */
    TICK_ROOM = 90,
    HIGH = 1000,    /* a higher drawing has times below, too */
    FONT_SMALL = 8, /* font size in low lanes */
    NAME_LEAST = 40 /* a narrower bar has no cut name */
};

static const char LINES[] = "#ccc", NOW[] = "#d01c1c", EDGE[] = "#444";

/* The place of a row in the drawing; a bar in one row; all shapes of a bar. */
struct band {
    double y, height, lane;
};
struct bar_shape {
    const struct band *band;
    size_t lane;
};
struct shapes {
    struct bar_shape *list;
    size_t n;
};

struct drawing {
    const struct timeline *t;
    FILE *fp;
    struct band *bands;
    struct shapes *bars; /* by index of the bar */
    double lane;         /* height of lanes, unless a row has many */
    double bottom;
};

static double x_of(const struct drawing *d, double time)
{
    const struct timeline *t = d->t;

    return MARGIN + LABELS + CHART * (time - t->from) / (t->to - t->from);
}

/* --- places ------------------------------------------------------------- */

/* Give each row a band. Put each of its bars into the first lane that is free
   when the bar begins. */
static void place_bands(struct drawing *d)
{
    double *ends = xcalloc(d->t->nbars + 1, sizeof(*ends)); /* by lane */

    d->bottom = MARGIN + HEAD;
    for (size_t i = 0; i < d->t->nrows; i++) {
        const struct idset *bars = d->t->rows[i].bars;
        struct band *band = &d->bands[i];
        size_t n = 0;
        for (uint32_t k = idset_first(bars); k != IDSET_INVALID;
             k = idset_next(bars, k)) {
            const struct bar *bar = &d->t->bars[k];
            struct shapes *of = &d->bars[k];
            size_t lane = VECTOR_FIND(at, n, ends[at] <= bar->from);
            n += lane == n;
            ends[lane] = bar->to;
            VECTOR_ADD(of->list, of->n, (struct bar_shape){band, lane});
        }
        n = n ? n : 1;
        band->y = d->bottom;
        band->lane = fmax(LANE_LEAST, fmin(d->lane, ROW_MOST / (double)n));
        band->height = (double)n * band->lane + 4;
        d->bottom += band->height;
    }
    free(ends);
}

/* --- drawing ------------------------------------------------------------ */

static void draw_rows(const struct drawing *d)
{
    for (size_t i = 0; i < d->t->nrows; i++) {
        const struct timeline_row *row = &d->t->rows[i];
        const struct band *band = &d->bands[i];
        svg_rect(d->fp, &(struct svg_rect){.x = MARGIN,
                                           .y = band->y,
                                           .w = LABELS + CHART,
                                           .h = band->height,
                                           .fill = i % 2 ? "#fff" : "#f4f4f4"});
        svg_text(d->fp,
                 &(struct svg_text){.x = MARGIN + 4,
                                    .y = band->y + band->height / 2 + 4,
                                    .size = d->lane < LANE ? LANE_MANY : 0,
                                    .room = LABELS - 12},
                 row->label);
    }
}

/* Draw the title, and a line with its time for each tick. */
static void draw_axis(const struct drawing *d)
{
    struct tick *ticks;
    size_t n = timeline_ticks(d->t, CHART / TICK_ROOM, &ticks);
    char *title = timeline_title(d->t);
    double now = x_of(d, d->t->now);

    svg_text(d->fp, &(struct svg_text){.x = MARGIN, .y = MARGIN + 14}, title);
    for (size_t i = 0; i < n; i++) {
        double x = x_of(d, ticks[i].time);
        double half = svg_text_width(ticks[i].text, 0) / 2;
        struct svg_text text = {
            .x = fmin(x, 2 * MARGIN + LABELS + CHART - half),
            .y = MARGIN + HEAD - 10,
            .anchor = SVG_MIDDLE};
        svg_line(d->fp, x, MARGIN + HEAD - 6, x, d->bottom, LINES);
        svg_text(d->fp, &text, ticks[i].text);
        text.y = d->bottom + FOOT - 2;
        if (d->bottom > HIGH && fabs(x - now) > TICK_ROOM / 2.0)
            svg_text(d->fp, &text, ticks[i].text);
    }
    free(title);
    free(ticks);
}

/* Draw a bar in a row, with its name if that is whole or long enough to
   be cut. */
static void draw_shape(const struct drawing *d, const struct bar *bar,
                       const struct bar_shape *shape, const char *title)
{
    const struct band *band = shape->band;
    const char *name = bar->term->job->name;
    char fill[PAINT_FILL], ink[PAINT_FILL];
    double x = x_of(d, bar->from), w = fmax(2, x_of(d, bar->to) - x),
           y = band->y + 2 + (double)shape->lane * band->lane;
    bool low = band->lane < LANE;
    struct svg_text text = {.x = x + 4,
                            .y = y + band->lane / 2 + (low ? 3 : 4),
                            .size = low ? FONT_SMALL : 0,
                            .room = w - 6,
                            .fill = paint_colour(bar->paint.ink, ink)};

    svg_rect(d->fp, &(struct svg_rect){.x = x,
                                       .y = y,
                                       .w = w,
                                       .h = band->lane,
                                       .fill = paint_fill(&bar->paint, fill),
                                       .stroke = EDGE,
                                       .title = title});
    if (band->lane < LANE_MANY
        || (w < NAME_LEAST && svg_text_width(name, text.size) > text.room))
        return;
    svg_text(d->fp, &text, name);
    if (bar->term->end >= 0 || w < 2 * NAME_LEAST)
        return;
    text.x = x + w - 4;
    text.anchor = SVG_END;
    svg_text(d->fp, &text, "\u2192");
}

static void draw_bars(const struct drawing *d)
{
    for (size_t i = 0; i < d->t->nbars; i++) {
        const struct bar *bar = &d->t->bars[i];
        const struct shapes *of = &d->bars[i];
        char *title = bar_title(d->t, bar);
        bool group = d->t->folded && of->n > 1;
        if (group)
            svg_group(d->fp, title);
        for (size_t k = 0; k < of->n; k++)
            draw_shape(d, bar, &of->list[k], group ? NULL : title);
        if (group)
            svg_group_end(d->fp);
        free(title);
    }
}

void timeline_svg(const struct timeline *t, FILE *fp)
{
    struct drawing d = {.t = t,
                        .fp = fp,
                        .lane = t->nrows > MANY_ROWS ? LANE_MANY : LANE,
                        .bands = xcalloc(t->nrows + 1, sizeof(*d.bands)),
                        .bars = xcalloc(t->nbars + 1, sizeof(*d.bars))};
    bool *drawn = xcalloc(palette_count(t->palette), sizeof(*drawn));
    double width = LABELS + CHART, now = x_of(&d, t->now);
    struct legend legend;

    place_bands(&d);
    for (size_t i = 0; i < t->nbars; i++)
        drawn[t->bars[i].paint.number] |= t->bars[i].met;
    legend = legend_of(t->palette, drawn, NULL);
    free(drawn);
    svg_begin(fp, 2 * MARGIN + width,
              d.bottom + FOOT + 2 * MARGIN
                  + legend_draw(&legend, 0, 0, width, NULL),
              "timeline");
    palette_stripes(t->palette, fp);
    draw_rows(&d);
    draw_axis(&d);
    draw_bars(&d);
    svg_line(fp, now, MARGIN + HEAD - 6, now, d.bottom + 4, NOW);
    svg_text(fp,
             &(struct svg_text){.x = now,
                                .y = d.bottom + FOOT - 2,
                                .anchor = SVG_MIDDLE,
                                .fill = NOW},
             "now");
    legend_draw(&legend, MARGIN, d.bottom + FOOT + MARGIN, width, fp);
    svg_end(fp);
    legend_fini(&legend);
    for (size_t i = 0; i < t->nbars; i++)
        free(d.bars[i].list);
    free(d.bars);
    free(d.bands);
}

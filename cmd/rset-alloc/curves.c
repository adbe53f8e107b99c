/* Draws simulations over time (figures.h): curves of the utilisation, and of
   the number of jobs that wait. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/time.h"
#include "figures.h"
#include "view/svg_write.h"

enum {
    LEFT = 70,
    TOP = 56,
    WIDTH = 860, /* of a curve, in pixels */
    HEIGHT = 180,
    GAP = 56, /* between the two */
    TICKS = 4
};

/* Dark colours of Paul Tol, which people with any colour vision can tell apart,
   also in print. */
static const char *const colours[] = {"#004488", "#bb5566", "#997700",
                                      "#117733", "#882255", "#44aa99"};
enum { COLOURS = sizeof(colours) / sizeof(*colours) };

struct chart {
    const struct simulation *runs;
    size_t n;
    double from, to, most; /* times; the largest value */
    bool waiting;          /* of jobs that wait; else the utilisation */
    double top;            /* y of its upper edge */
};

/* Draw the curve of a simulation: the mean value of each pixel's time, which is
   `y` of its point until all are known. */
static void draw_curve(const struct chart *c, size_t run, FILE *fp)
{
    const struct simulation *s = &c->runs[run];
    double step = (c->to - c->from) / WIDTH;
    struct svg_point *points = xcalloc(WIDTH, sizeof(*points));
    size_t n = 0;

    for (size_t i = 0; i < s->nsamples; i++) {
        const struct sample *of = &s->samples[i];
        double at = of->time, end = i + 1 < s->nsamples ? of[1].time : s->now,
               value = c->waiting ? (double)of->waiting
                       : s->capacity > 0
                           ? 100 * (double)of->busy / (double)s->capacity
                           : 0;
        size_t x = (size_t)fmin((at - c->from) / step, WIDTH - 1);
        for (; x < WIDTH && c->from + step * (double)x < end; x++) {
            double left = fmax(at, c->from + step * (double)x),
                   right = fmin(end, c->from + step * (double)(x + 1));
            points[x].y += value * fmax(right - left, 0) / step;
        }
    }
    for (;
         n < WIDTH && c->from + (c->to - c->from) * (double)n / WIDTH < s->now;
         n++)
        points[n] = (struct svg_point){
            LEFT + (double)n, c->top + HEIGHT * (1 - points[n].y / c->most)};
    svg_curve(fp, points, n, colours[run % COLOURS], s->policy);
    free(points);
}

/* Return a round number that is not below a value: 1, 2 or 5 times a power of
   ten. */
static double round_up(double value)
{
    double unit = pow(10, floor(log10(fmax(value, 1))));
    int k = 1;

    while (k * unit < value)
        k = k == 2 ? 5 : 2 * k;
    return k * unit;
}

/* Draw the frame of a chart, and its curves. */
static void draw_chart(const struct chart *c, const char *title, FILE *fp)
{
    char text[TIME_TEXT];

    svg_text(fp, &(struct svg_text){.x = LEFT, .y = c->top - 8}, title);
    for (int i = 0; i <= TICKS; i++) {
        double y = c->top + HEIGHT - (double)(HEIGHT * i) / TICKS;
        svg_line(fp, LEFT, y, LEFT + WIDTH, y, i == 0 ? "#555" : "#ddd");
        snprintf(text, sizeof(text), "%g", c->most * i / TICKS);
        svg_text(fp,
                 &(struct svg_text){
                     .x = LEFT - 6, .y = y + 4, .anchor = SVG_END, .size = 10},
                 text);
    }
    for (int i = 0; i <= TICKS; i++) {
        double x = LEFT + (double)(WIDTH * i) / TICKS;
        svg_line(fp, x, c->top + HEIGHT, x, c->top + HEIGHT + 4, "#555");
        svg_text(fp,
                 &(struct svg_text){.x = x,
                                    .y = c->top + HEIGHT + 16,
                                    .anchor = i == 0       ? SVG_START
                                              : i == TICKS ? SVG_END
                                                           : SVG_MIDDLE,
                                    .size = 10},
                 time_text(c->from + (c->to - c->from) * i / TICKS, text));
    }
    for (size_t i = 0; i < c->n; i++)
        draw_curve(c, i, fp);
}

void draw_runs(const struct simulation *runs, size_t n, FILE *fp)
{
    struct chart c = {
        .runs = runs, .n = n, .from = runs[0].first, .most = 100, .top = TOP};
    double waiting = 1, x = LEFT;

    for (size_t i = 0; i < n; i++) {
        c.to = fmax(c.to, runs[i].now);
        for (size_t k = 0; k < runs[i].nsamples; k++)
            waiting = fmax(waiting, (double)runs[i].samples[k].waiting);
    }
    c.to = fmax(c.to, c.from + 1);
    svg_begin(fp, LEFT + WIDTH + 30, TOP + 2 * HEIGHT + GAP + 30, "replay");
    for (size_t i = 0; i < n; i++) { /* the legend */
        svg_rect(fp, &(struct svg_rect){.x = x,
                                        .y = 12,
                                        .w = 12,
                                        .h = 12,
                                        .fill = colours[i % COLOURS]});
        svg_text(fp, &(struct svg_text){.x = x + 18, .y = 22}, runs[i].policy);
        x += 42 + svg_text_width(runs[i].policy, 0);
    }
    draw_chart(&c, "utilisation, %", fp);
    c.waiting = true;
    c.most = round_up(waiting);
    c.top += HEIGHT + GAP;
    draw_chart(&c, "jobs that wait", fp);
    svg_end(fp);
}

/*
 * Colours of states and jobs: text on them is readable (WCAG 2, contrast); no
 * two look alike to people who lack one kind of cones (Machado, Oliveira and
 * Fernandes, 2009); and a job keeps its colour.
 */
#include "view/palette.h"

#include <math.h>
#include <stdlib.h>

#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "tap.h"

/* For light: normal vision, and without long, middle and short waves. */
static const double visions[][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779},
     {-0.078411, 0.930809, 0.147602},
     {0.004733, 0.691367, 0.303900}},
};
enum { VISIONS = sizeof(visions) / sizeof(visions[0]) };

static void light(uint32_t rgb, double out[3])
{
    for (int i = 0; i < 3; i++) {
        double c = (double)(rgb >> (16 - 8 * i) & 0xff) / 255;
        out[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
}

static double luminance(uint32_t rgb)
{
    double l[3];

    light(rgb, l);
    return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
}

static double contrast(uint32_t a, uint32_t b)
{
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

    return x > y ? x / y : y / x;
}

static double bend(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* Convert a colour, as seen, to L*a*b*. */
static void seen(uint32_t rgb, const double vision[3][3], double lab[3])
{
    double l[3], s[3], x, y, z;

    light(rgb, l);
    for (int i = 0; i < 3; i++) {
        const double *row = vision[i];
        s[i] = fmin(1, fmax(0, row[0] * l[0] + row[1] * l[1] + row[2] * l[2]));
    }
    x = bend((0.4124 * s[0] + 0.3576 * s[1] + 0.1805 * s[2]) / 0.9505);
    y = bend(0.2126 * s[0] + 0.7152 * s[1] + 0.0722 * s[2]);
    z = bend((0.0193 * s[0] + 0.1192 * s[1] + 0.9505 * s[2]) / 1.089);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double distance(uint32_t a, uint32_t b, const double vision[3][3])
{
    double p[3], q[3];

    seen(a, vision, p);
    seen(b, vision, q);
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1])
                + (p[2] - q[2]) * (p[2] - q[2]));
}

static bool look_alike(const struct paint *a, const struct paint *b)
{
    for (unsigned i = 0; i < VISIONS; i++)
        if (distance(a->fill, b->fill, visions[i]) < 10)
            return printf("# %s and %s, vision %u\n", a->name, b->name, i);
    return false;
}

static struct palette *make_palette(struct usage *u, int from, int to)
{
    char name[16];

    for (int i = from; i <= to; i++) {
        snprintf(name, sizeof(name), "%d", i);
        job_get(u, name);
    }
    return palette_create(u);
}

/* Do all jobs have different fills? */
static bool fills_differ(const struct paint *jobs, size_t n)
{
    char one[PAINT_FILL], other[PAINT_FILL];

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(paint_fill(&jobs[i], one), paint_fill(&jobs[k], other)))
                return false;
    return true;
}

static void test_colours(const struct paint *jobs, size_t n)
{
    struct paint all[64];
    size_t count = 0;
    bool read = true, differ = true;

    for (int i = 0; i < PAINT_STATES; i++)
        all[count++] = paint_state(i);
    for (size_t i = 0; i < n; i++)
        all[count++] = jobs[i];
    for (size_t i = 0; i < count; i++) {
        read &= contrast(all[i].fill, all[i].ink) >= 4.5;
        if (i >= PAINT_STATES)
            read &= contrast(all[i].stripe, all[i].ink) >= 4.5;
        for (size_t k = 0; i < PAINT_STATES + 7 && k < i; k++)
            differ &= !look_alike(&all[i], &all[k]);
    }
    ok(read, "text on colours can be read");
    ok(differ, "colours differ for everybody");
    ok(fills_differ(jobs, n), "%zu jobs are told apart", n);
}

int main(void)
{
    struct rset *rs = rset_create(), *other = rset_create();
    struct palette *p = make_palette(usage_get(rs), 101, 121), *q;
    struct paint jobs[21], paint;
    char fill[PAINT_FILL];
    size_t n = palette_count(p) - PAINT_STATES;

    for (size_t i = 0; i < n; i++)
        jobs[i] = palette_at(p, PAINT_STATES + i);
    test_colours(jobs, n);
    q = make_palette(usage_get(other), 103, 105);
    paint = palette_of(q, "104");
    is(paint_fill(&paint, fill), "#44bb99", "a fill");
    paint = palette_of(p, "118");
    is(paint_fill(&paint, fill), "url(#s44bb99d)", "a fill of stripes");
    ok(palette_of(q, "104").letter == palette_of(p, "104").letter
           && palette_of(q, "104").fill == palette_of(p, "104").fill,
       "a job keeps its paint when others come");
    is(palette_of(q, "7").name, "several jobs", "no such job");
    is(paint_state(paint_of_pool(STATE_DOWN)).name, "down", "down");
    palette_destroy(q);
    palette_destroy(p);
    rset_destroy(other);
    rset_destroy(rs);
    return done_testing();
}

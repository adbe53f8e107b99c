/*
 * How states and jobs are painted: the same in maps, trees and drawings, in a
 * terminal and in SVG.
 *
 * Colours are those of Paul Tol that people with any colour vision tell apart:
 * light ones for jobs, dark ones for what is not up, greys between. What is
 * written on each has a contrast of 4.5 at least (WCAG). A job keeps its colour
 * and its letter while jobs come and go, as far as there are enough: both
 * follow from its name, unless a job before it, in the order of jobs, has them.
 * When all colours are in use they come again with stripes, and then, as
 * letters do, as they were: but not with jobs that are near each other in the
 * set, and a legend names the jobs that look alike together.
 *
 *     struct palette *p = palette_create(usage);
 *     struct paint paint = palette_job(p, "101");
 *     char fill[PAINT_FILL];
 *
 *     palette_stripes(p, fp);                  in <defs>, once
 *     ... paint_fill(&paint, fill) ...         a fill of SVG
 *
 *     paint_begin(&paint, fp);                 in a terminal with colours
 *     putc(paint.letter, fp);
 *     paint_end(fp);
 */
#ifndef VIEW_PALETTE_H
#define VIEW_PALETTE_H

#include <stdint.h>
#include <stdio.h>

#include "model/tree/rset.h"

/* Of a node, or of what else there is; `down` and so on as pool_state_names. */
enum paint_state {
    PAINT_IDLE,  /* nobody has anything of it */
    PAINT_MIXED, /* several jobs have some of it, and some is left */
    PAINT_FULL,  /* several jobs have all of it */
    PAINT_DRAINED,
    PAINT_DOWN,
    PAINT_DEGRADED,
    PAINT_FAILING,
    PAINT_UNKNOWN,
    PAINT_NONE,
    PAINT_STATES
};

struct paint {
    const char *name;           /* of the state, or of the job */
    uint32_t fill, ink, stripe; /* 0xrrggbb; stripe as fill: there is none */
    char letter;
    size_t number; /* see palette_at() */
};

/* A state; that of a pool which is not up. */
struct paint paint_state(enum paint_state state);
enum paint_state paint_of_pool(enum pool_state state, bool drained);

/* For all jobs of a usage, which it does not outlive. For palette_destroy(). */
struct palette *palette_create(struct usage *u);
void palette_destroy(struct palette *p);

/* The paint of a job of that usage; of no such job it is PAINT_MIXED. */
struct paint palette_job(const struct palette *p, const char *job);

/* States, and then jobs in their order (job_compare), have numbers from 0 to
   palette_count(). */
struct paint palette_at(const struct palette *p, size_t number);
size_t palette_count(const struct palette *p);

/* Do they look alike in a drawing? */
bool paint_is_like(const struct paint *a, const struct paint *b);

/* "#rrggbb", or "url(#...)" of stripes, which palette_stripes() writes. */
enum { PAINT_FILL = 24 };
const char *paint_fill(const struct paint *paint, char buf[PAINT_FILL]);
const char *paint_colour(uint32_t rgb, char buf[PAINT_FILL]);
void palette_stripes(const struct palette *p, FILE *fp);

/* In a terminal of 256 colours: from here on, and as before. */
void paint_begin(const struct paint *paint, FILE *fp);
void paint_end(FILE *fp);

#endif /* VIEW_PALETTE_H */

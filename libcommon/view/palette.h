/*
 * The paints of states and jobs, the same in maps, trees and drawings, in a
 * terminal and in SVG.
 *
 * The colours are Paul Tol's, which people with any colour vision can tell
 * apart: light ones for jobs, dark ones for pools that are not up, greys
 * between. Text on each has a contrast of at least 4.5 (WCAG). A job keeps its
 * colour and letter while other jobs come and go: both follow from its name,
 * unless an earlier job (in the order of jobs) has them. When all colours are
 * in use they repeat with stripes, and then without; letters repeat too. Jobs
 * that are near each other in the set don't get the same look, and a legend
 * names the jobs that look alike together.
 *
 *     struct palette *p = palette_create(usage);
 *     struct paint paint = palette_of(p, "101");
 *     char fill[PAINT_FILL];
 *
 *     palette_stripes(p, fp);                  once, before the shapes
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

/* The state of a pool. `down` and so on mean the same as in
   pool_state_names. */
enum paint_state {
    PAINT_IDLE,  /* no job holds any part of it */
    PAINT_MIXED, /* jobs hold parts of it, and some is free */
    PAINT_FULL,  /* none of it is free: several jobs hold it, or none may */
    PAINT_DRAINED,
    PAINT_DRAINING, /* drained, and jobs still hold parts of it */
    PAINT_DOWN,     /* this and those below in the order of enum pool_state */
    PAINT_DEGRADED,
    PAINT_FAILING,
    PAINT_UNKNOWN,
    PAINT_NONE,
    PAINT_STATES
};

struct paint {
    const char *name;           /* of the state or job */
    uint32_t fill, ink, stripe; /* 0xrrggbb; stripe equals fill: no stripes */
    char letter;
    size_t number; /* see palette_at() */
    bool job;      /* of a job */
};

/* How many jobs can have different letters on a screen, and different looks in
   a drawing. */
enum { PALETTE_LETTERS = 52, PALETTE_LOOKS = 21 };

/* Return the paint of a state, or the paint state of a pool. */
struct paint paint_state(enum paint_state state);
enum paint_state paint_of_pool(enum pool_state state);

/* Make a palette for all jobs of a usage, or, if there are no jobs, for all
   types. For palette_destroy(). The usage must outlive it. */
struct palette *palette_create(struct usage *u);
void palette_destroy(struct palette *p);

/* Return the paint of a job or type of the palette; of another one:
   PAINT_MIXED. */
struct paint palette_of(const struct palette *p, const char *name);

/* Return the paint with a number, 0 to palette_count() - 1: first states, then
   jobs in their order (job_compare). */
struct paint palette_at(const struct palette *p, size_t number);
size_t palette_count(const struct palette *p);

/* Do two paints look alike in a drawing? */
bool paint_is_like(const struct paint *a, const struct paint *b);

/* Return buf: "#rrggbb", or "url(#...)" of stripes. palette_stripes() writes
   the stripes of all jobs, in <defs>. */
enum { PAINT_FILL = 24 };
const char *paint_fill(const struct paint *paint, char buf[PAINT_FILL]);
const char *paint_colour(uint32_t rgb, char buf[PAINT_FILL]);
void palette_stripes(const struct palette *p, FILE *fp);

/* Begin or end a colour in a terminal with 256 colours. */
void paint_begin(const struct paint *paint, FILE *fp);
void paint_end(FILE *fp);

#endif /* VIEW_PALETTE_H */

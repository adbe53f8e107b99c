/* The parts of a timeline (timeline.h); see timeline.c. */
#ifndef VIEW_TIMELINE_PRIVATE_H
#define VIEW_TIMELINE_PRIVATE_H

#include "model/records/jobs.h"
#include "set/hostlist.h"
#include "view/timeline.h"

/* A term in which a job holds anything, on all its nodes. */
struct bar {
    const struct term *term;
    double from, to;        /* limits in the drawing, within the timeline */
    struct hostlist *hosts; /* hosts where the job holds anything */
    bool met;               /* some pool in the drawing has it */
    struct paint paint;
};

struct timeline_row {
    struct hostlist *hosts; /* NULL: a job, or a pool outside nodes */
    char *label;
    const char *state;  /* NULL: up */
    struct idset *bars; /* indices of bars, so in order of their start */
};

struct timeline {
    double now, from, to;
    bool folded; /* a row may stand for many nodes */
    struct palette *palette;
    struct bar *bars; /* by start, then by job */
    size_t nbars;
    struct timeline_row *rows;
    size_t nrows;
};

/* A round moment. timeline_ticks() returns at most `most`, as a new array. */
struct tick {
    double time;
    char text[16];
};
size_t timeline_ticks(const struct timeline *t, size_t most,
                      struct tick **ticks);

/* Return a new string: "2026-11-23T05:00:00 to ..., now ...", or "job 7:
   node[0-3], ...". */
char *timeline_title(const struct timeline *t);
char *bar_title(const struct timeline *t, const struct bar *bar);

#endif /* VIEW_TIMELINE_PRIVATE_H */

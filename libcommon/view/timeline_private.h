/* What timelines are made of (timeline.h): see timeline.c. */
#ifndef VIEW_TIMELINE_PRIVATE_H
#define VIEW_TIMELINE_PRIVATE_H

#include "model/records/jobs.h"
#include "set/hostlist.h"
#include "view/timeline.h"

/* What a job has for a term; of all nodes. */
struct bar {
    const struct term *term;
    double from, to;        /* as it is drawn: within the timeline */
    bool cut_to;            /* it never ends */
    struct hostlist *hosts; /* on which it is */
    bool met;               /* it is in what is drawn */
    struct paint paint;
};

struct timeline_row {
    struct hostlist *hosts; /* NULL: a job, or what is in no node */
    char *label;
    const char *state;  /* NULL: they are up */
    struct idset *bars; /* their numbers, by when they begin */
};

struct timeline {
    double now, from, to;
    bool folded; /* a row may be many nodes */
    struct palette *palette;
    struct bar *bars; /* by when they begin, and in the order of jobs */
    size_t nbars;
    struct timeline_row *rows;
    size_t nrows;
};

/* Round moments, of which so many at most are in a timeline. */
struct tick {
    double time;
    char text[16];
};
size_t timeline_ticks(const struct timeline *t, size_t most,
                      struct tick **ticks);

/* "2026-11-23T05:00:00 to ..., now ..."; "job 7: node[0-3], ...". New strings.
 */
char *timeline_title(const struct timeline *t);
char *bar_title(const struct timeline *t, const struct bar *bar);

#endif /* VIEW_TIMELINE_PRIVATE_H */

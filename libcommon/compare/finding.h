/*
 * Inside diff: what is found to differ at one target, or at one vertex
 * without a rank, and below it.
 */
#ifndef COMPARE_FINDING_H
#define COMPARE_FINDING_H

#include "compare/changes.h"

/* What is found below one target, or below one vertex without a rank. */
struct finding {
    struct changes *out;
    struct found {
        enum change_sign sign;
        char *text; /* what of the pools; "": they are there or not */
        struct parts parts;
    } * list;
    size_t n;
    struct idset *ranks; /* NULL: `path` is the place */
    const char *path;
};

void finding_fini(struct finding *f);

/*
 * Compare two vertices that are the same pool: states, records, sizes,
 * properties, other metadata. `place` is the pool as it is named below the
 * finding's place, with `prefix` before it; NULL for that place itself.
 */
void finding_pool(struct finding *f, const char *prefix,
                  const struct vertex *place, const struct vertex *a,
                  const struct vertex *b);

/*
 * Compare everything below a pair. Targets below it are left out: they are
 * places of their own.
 */
void finding_below(struct finding *f, const char *prefix,
                   const struct vertex *a, const struct vertex *b);

/* Put all that was found into the list of changes. */
void finding_report(struct finding *f);

#endif /* COMPARE_FINDING_H */

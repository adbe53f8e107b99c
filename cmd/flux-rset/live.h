/*
 * What a live Flux instance says of its resources and of its jobs, read with
 * requests that every scheduler's instance answers:
 *
 *     struct live live = {0};
 *     if (live_read(&live, &d) == 0)
 *         use(&live);
 *     live_fini(&live);
 */
#ifndef FLUX_RSET_LIVE_H
#define FLUX_RSET_LIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "set/idset.h"

/* Ranks that were drained together. */
struct outage {
    struct idset *ranks;
    char *reason; /* "": not said */
    double time;  /* seconds since the Epoch */
};

/*
 * A job that holds resources: those of its R, less the ranks that it released
 * or all that it freed, and those that are kept for it by housekeeping.
 */
struct live_job {
    char id[24], owner[24]; /* decimal */
    char *queue;            /* NULL: none */
    char *R;                /* with its current end */
    struct idset *released;
    struct idset *kept; /* NULL: none */
    bool all_free;
};

struct live {
    char *R; /* all resources, also the excluded ones */
    struct idset *excluded, *offline, *torpid;
    struct outage *drained;
    size_t ndrained;
    struct live_job *jobs;
    size_t njobs;
};

/*
 * Read all of it from the instance that the environment names. Returns 0; or -1
 * with a diag. Either way the caller ends it with live_fini().
 */
int live_read(struct live *live, struct diag *d);
void live_fini(struct live *live);

#endif /* FLUX_RSET_LIVE_H */

/*
 * The resources and jobs of a live Flux instance, read with requests that work
 * with every scheduler:
 *
 *     struct live live = {0};
 *     if (live_read(&live, &d) == 0)
 *         use(&live);
 *     live_fini(&live);
 */
#ifndef FLUX_RSET_LIVE_H
#define FLUX_RSET_LIVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "set/idset.h"

/* Ranks that were drained together. */
struct outage {
    struct idset *ranks;
    char *reason; /* "": not given */
    double time;  /* seconds since the Epoch */
};

/* A job that holds resources: the ranks of its R that it has not released, and
   those that housekeeping keeps for it. */
struct live_job {
    char id[24], owner[24]; /* decimal */
    char *queue;            /* NULL: none */
    char *R;                /* with its current end */
    struct idset *released; /* all ids: it has freed all */
    struct idset *kept;     /* NULL: none */
};

struct live {
    char *R; /* all resources, also the excluded ones, with the graph of the
                instance if it has one */
    char *status; /* for a guest, who may not read the jobs of others: what
                     sched.resource-status answers; NULL: all is read */
    struct idset *excluded, *offline, *torpid;
    struct outage *drained;
    size_t ndrained;
    struct live_job *jobs;
    size_t njobs;
    json_t *reservations; /* of the site, as sched.reservations lists them;
                             NULL: the scheduler has none */
};

/* Read everything from the instance that the environment names. Returns 0, or
   -1 with a diag. Always end with live_fini(). */
int live_read(struct live *live, struct diag *d);
void live_fini(struct live *live);

#endif /* FLUX_RSET_LIVE_H */

/*
 * Many jobspecs have equal resources and constraints. All jobs with them share
 * one request.
 */
#ifndef REQUEST_JOBSPEC_CACHE_H
#define REQUEST_JOBSPEC_CACHE_H

#include "base/map.h"
#include "request/request.h"

struct cached_request {
    struct request *req; /* its duration is that of the first jobspec */
    /* For the planner (schedule/planner.h): one block that is freed with this,
       and why the request never fits. */
    struct planned_request *planned;
    char *never;
    size_t users;
};

/* A cache of all zeros is empty and ready. */
struct jobspec_cache {
    struct map map; /* by resources and constraints as text */
    size_t nidle;
};
void jobspec_cache_fini(struct jobspec_cache *cache);

/*
 * Return the request of a jobspec, checked by RFC 14, and the job's duration
 * (0: unset). Give the request back with jobspec_cache_drop(). NULL with a
 * diag: see request_from_jobspec().
 */
struct cached_request *jobspec_cache_get(struct jobspec_cache *cache,
                                         const json_t *jobspec,
                                         double *duration, struct diag *d);
void jobspec_cache_drop(struct jobspec_cache *cache, struct cached_request *k);

#endif /* REQUEST_JOBSPEC_CACHE_H */

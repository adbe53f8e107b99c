/*
 * Jobspecs come in great number, and most of them ask for the same: resources
 * and constraints that are written alike are read once, and all jobs that ask
 * for them have one request.
 */
#ifndef REQUEST_JOBSPEC_CACHE_H
#define REQUEST_JOBSPEC_CACHE_H

#include "base/map.h"
#include "request/request.h"

struct cached_request {
    struct request *req; /* its duration is that of whoever asks last */
    /* For who judges it: of what it was judged, and why it never fits. */
    uint64_t judged;
    char *never; /* NULL: it may */
    size_t users;
    json_t *labels; /* what the other parts of a jobspec need */
};

/* A cache of all zeros is empty and ready. */
struct jobspec_cache {
    struct map map; /* by the text of what is asked for */
    size_t nidle;
};
void jobspec_cache_fini(struct jobspec_cache *cache);

/*
 * The request of a jobspec, by the rules of RFC 14, and the job's duration (0:
 * unset); to be given back by jobspec_cache_drop(). NULL with a diag: see
 * request_from_jobspec().
 */
struct cached_request *jobspec_cache_get(struct jobspec_cache *cache,
                                         const json_t *jobspec,
                                         double *duration, struct diag *d);
void jobspec_cache_drop(struct jobspec_cache *cache, struct cached_request *k);

#endif /* REQUEST_JOBSPEC_CACHE_H */

/*
 * Many jobspecs have equal resources and constraints. They are read once, and
 * all jobs with them share one request.
 */
#ifndef REQUEST_JOBSPEC_CACHE_H
#define REQUEST_JOBSPEC_CACHE_H

#include "base/map.h"
#include "request/request.h"

struct cached_request {
    /* For the scheduler: the kind of parts that it asks for (NULL: it asks for
       something else), their number, and the generation of the set in which
       both were found. */
    uint64_t counted;
    struct known_kind *kind;
    int64_t times;
    struct request *req; /* its duration is that of the last jobspec */
    /* For the scheduler: why the request never fits, and the generation of the
       set in which that was found. */
    uint64_t judged;
    char *never; /* NULL: it may fit */
    /* Also for the scheduler: when a job with this request could not start,
       without reservations of others and beside them. */
    struct failure {
        uint64_t when;
        double duration; /* the shortest that was tried then; 0: endless */
    } alone, beside;
    size_t users;
    json_t *labels; /* for reading the other parts of a jobspec */
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

/*
 * Jobspecs come in great number, and most of them ask for the same: resources
 * and constraints that are written alike are read once, and all jobs that ask
 * for them have one request.
 */
#ifndef REQUEST_KNOWN_H
#define REQUEST_KNOWN_H

#include "base/map.h"
#include "request/request.h"

struct known {
    struct request *req; /* its duration is that of whoever asks last */
    /* For who judges it: of what it was judged, and why it never fits. */
    uint64_t judged;
    char *never; /* NULL: it may */
    size_t users;
    json_t *labels; /* what the other parts of a jobspec need */
};

/* A table of all zeros is empty and ready. */
struct known_requests {
    struct map map; /* by the text of what is asked for */
    size_t nidle;
};
void known_fini(struct known_requests *table);

/*
 * The request of a jobspec, by the rules of RFC 14, and the job's duration (0:
 * unset); to be given back by known_drop(). NULL with a diag: see
 * request_from_jobspec().
 */
struct known *known_get(struct known_requests *table, const json_t *jobspec,
                        double *duration, struct diag *d);
void known_drop(struct known_requests *table, struct known *k);

#endif /* REQUEST_KNOWN_H */

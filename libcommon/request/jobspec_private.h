/* Jobspecs (RFC 14) in parts: what the readers of requests share of them. */
#ifndef REQUEST_JOBSPEC_PRIVATE_H
#define REQUEST_JOBSPEC_PRIVATE_H

#include "request/request_private.h"

/*
 * Read a whole one into a request; or, with `known`, what is beside resources
 * and constraints, of which *labels is what an earlier one left there.
 */
int jobspec_read(const json_t *jobspec, bool v1, bool known, json_t **labels,
                 struct request *req, struct diag *d);

/* `value` is not what it must be: `"x": must be <what>`. Returns -1. */
int jobspec_wrong(struct diag *d, const json_t *value, const char *what);

/* RFC 25, of a jobspec that has passed all rules of RFC 14. */
int jobspec_check_v1(const json_t *jobspec, struct diag *d);

#endif /* REQUEST_JOBSPEC_PRIVATE_H */

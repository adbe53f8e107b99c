/* What the readers and writers of requests share. */
#ifndef REQUEST_REQUEST_PRIVATE_H
#define REQUEST_REQUEST_PRIVATE_H

#include "request/request.h"

/* The label of a slot that needs none (RFC 46). */
#define REQUEST_DEFAULT_LABEL "default"

/* A new vertex with a count of 1 and all else unset. */
struct request_vertex *request_vertex_create(void);

/* Free a vertex, its siblings and all that they contain. */
void request_vertex_destroy(struct request_vertex *v);

/* A new request of these vertices, which it takes over. */
struct request *request_create(struct request_vertex *resources);

/* Set a fixed count. */
void request_count_fix(struct request_count *count, uint64_t n);

/*
 * RFC 14, 46: read a count of `len` bytes: a number, an idset (RFC 22) or a
 * range (RFC 45), up to `most`. -1 with the offending text in `d`.
 */
int request_count_decode(const char *text, size_t len, uint64_t most,
                         struct request_count *count, struct diag *d);

/*
 * Take a range that was read as a count: bounds are checked, and one of a
 * single value becomes fixed. -1 with `d`.
 */
int request_count_range(struct request_count *count, const struct range *range,
                        uint64_t most, struct diag *d);

/* Write a count as a shape and a jobspec have it. */
void request_count_write(const struct request_count *count, FILE *fp);

/*
 * Read a jobspec (RFC 14) into a request; or, with `known`, what is beside
 * resources and constraints, of which *labels is what an earlier one left
 * there.
 */
int jobspec_read(const json_t *jobspec, bool v1, bool known, json_t **labels,
                 struct request *req, struct diag *d);

/* `value` is not what it must be: `"x": must be <what>`. Returns -1. */
int jobspec_wrong(struct diag *d, const json_t *value, const char *what);

/*
 * RFC 25: a jobspec of version 1 has a duration, which may be 0. One of another
 * version need not. Returns -1 with a diag.
 */
int jobspec_check_duration(const json_t *jobspec, struct diag *d);

/* RFC 25, of a jobspec that has passed all rules of RFC 14. */
int jobspec_check_v1(const json_t *jobspec, struct diag *d);

#endif /* REQUEST_REQUEST_PRIVATE_H */

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

#endif /* REQUEST_REQUEST_PRIVATE_H */

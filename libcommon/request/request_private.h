/* For the readers and writers of requests. */
#ifndef REQUEST_REQUEST_PRIVATE_H
#define REQUEST_REQUEST_PRIVATE_H

#include "request/request.h"

/* The label of a slot that needs none (RFC 46). */
#define REQUEST_DEFAULT_LABEL "default"

/* Make a vertex with a count of 1 and everything else unset. */
struct request_vertex *request_vertex_create(void);

/* Set a fixed count. */
void request_count_fix(struct request_count *count, uint64_t n);

/*
 * Read a count of `len` bytes (RFC 14, 46): a number, an idset (RFC 22) or a
 * range (RFC 45), up to `most`. Returns -1 with a diag that has the offending
 * text.
 */
int request_count_decode(const char *text, size_t len, uint64_t most,
                         struct request_count *count, struct diag *d);

/*
 * Set a count to a range. Its bounds are checked, and a range of a single value
 * becomes fixed. Returns -1 with a diag.
 */
int request_count_range(struct request_count *count, const struct range *range,
                        uint64_t most, struct diag *d);

/* Write a count as in a shape or a jobspec. */
void request_count_write(const struct request_count *count, FILE *fp);

/* Return the vertex with a label, in a list or below it; NULL: none. */
const struct request_vertex *request_labelled(const struct request_vertex *list,
                                              const char *label);

#endif /* REQUEST_REQUEST_PRIVATE_H */

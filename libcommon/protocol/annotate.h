/* Annotations of a job (RFC 27). */
#ifndef PROTOCOL_ANNOTATE_H
#define PROTOCOL_ANNOTATE_H

#include <jansson.h>

/*
 * Bring new annotations into those that a job has: an object goes into an
 * object, another value takes the place of what was there, null takes it away.
 */
void annotations_merge(json_t *into, const json_t *update);

#endif /* PROTOCOL_ANNOTATE_H */

/*
 * Between the editions of RFC 28: a line of the one as lines of the other. What
 * is already of that edition, lines of other topics, and events stay as they
 * are.
 */
#ifndef PROTOCOL_TRANSLATE_H
#define PROTOCOL_TRANSLATE_H

#include "model/document/document.h"

struct translator;

struct translator *translator_create(enum dialect to, FILE *out,
                                     void (*log)(const char *text));
void translator_destroy(struct translator *t); /* NULL is allowed */

/*
 * Translate a line. What is lost is logged. Returns 0; or -1 with a diag: it
 * can't be said in that edition, or is none of either.
 */
int translate_line(struct translator *t, const char *line, size_t len,
                   struct diag *d);

#endif /* PROTOCOL_TRANSLATE_H */

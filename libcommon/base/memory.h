/*
 * Text that is written through a FILE to memory, with the certainty that a
 * loss is noticed: a stream of open_memstream() that can't grow drops what
 * is written and does not say so, not even by ferror().
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdio.h>

/*
 * Open a stream whose text, terminated, is in *text when it is closed, for
 * free(), and its length in *len; both must stay until then. NULL when
 * memory ran out.
 */
FILE *memory_open(char **text, size_t *len);

/* Close it; -1 if anything is lost, and then *text is NULL. */
int memory_close(FILE *fp);

#endif /* BASE_MEMORY_H */

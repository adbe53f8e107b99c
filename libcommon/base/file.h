/* Files that are read whole. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

#include "base/diag.h"

/*
 * All that is in a file ("-": standard input), with a NUL byte behind its *len
 * bytes: a new string for free(). NULL with a diag if it can't be read, or is
 * not smaller than `most`, and so too large for `what` it should be.
 */
char *file_read(const char *path, size_t most, const char *what, size_t *len,
                struct diag *d);

/* Write all of some bytes: 0, or -1 with errno. */
int file_write(int fd, const void *bytes, size_t len);

#endif /* BASE_FILE_H */

/* Reading and writing whole files. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

#include "base/diag.h"

/*
 * Read all bytes of a file ("-": standard input). Returns a new string for
 * free(), with a NUL byte behind its *len bytes. Returns NULL with a diag if
 * the file can't be read, or is not smaller than `most` and so too large for
 * `what` it should be.
 */
char *file_read(const char *path, size_t most, const char *what, size_t *len,
                struct diag *d);

/* Write all bytes. Returns 0, or -1 with errno. */
int file_write(int fd, const void *bytes, size_t len);

#endif /* BASE_FILE_H */

#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* The same of a stream, in *text on failure as well. */
static int read_stream(FILE *fp, size_t most, const char *what, char **text,
                       size_t *len, struct diag *d)
{
    size_t size = 0;

    do {
        if (*len + 1 >= size) {
            size = size ? 2 * size : 16384;
            if (size > most)
                return diag_set(d, "too large for %s", what);
            *text = xrealloc(*text, size);
        }
        errno = 0;
        *len += fread(*text + *len, 1, size - *len - 1, fp);
        if (ferror(fp))
            return diag_set(d, "%s", strerror(errno ? errno : EIO));
    } while (!feof(fp));
    (*text)[*len] = '\0';
    return 0;
}

char *file_read(const char *path, size_t most, const char *what, size_t *len,
                struct diag *d)
{
    bool standard = !strcmp(path, "-");
    FILE *fp = standard ? stdin : fopen(path, "re");
    char *text = NULL;
    int rc;

    *len = 0;
    if (!fp) {
        diag_set(d, "%s", strerror(errno));
        return NULL;
    }
    rc = read_stream(fp, most, what, &text, len, d);
    if (!standard)
        fclose(fp);
    if (rc == 0)
        return text;
    free(text);
    return NULL;
}

int file_write(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

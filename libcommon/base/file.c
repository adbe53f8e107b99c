#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

char *file_read(const char *path, size_t most, const char *what, size_t *len,
                struct diag *d)
{
    bool standard = !strcmp(path, "-");
    FILE *fp = standard ? stdin : fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    int rc = 0;

    *len = 0;
    if (!fp) {
        diag_set(d, "%s", strerror(errno));
        return NULL;
    }
    do {
        if (*len + 1 >= most) {
            rc = diag_set(d, "too large for %s", what);
            break;
        }
        VECTOR_ROOM(text, size, *len + 16384);
        errno = 0;
        *len += fread(text + *len, 1, size - *len - 1, fp);
        if (ferror(fp))
            rc = diag_set(d, "%s", strerror(errno ? errno : EIO));
    } while (rc == 0 && !feof(fp));
    if (!standard)
        fclose(fp);
    if (rc < 0) {
        free(text);
        return NULL;
    }
    text[*len] = '\0';
    return text;
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

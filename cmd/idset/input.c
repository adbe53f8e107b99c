/*
 * Reads the input of idset (input.h): a file or standard input, block by block,
 * each cut where a line ends.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define BLOCK (256 * 1024)

int input_open(struct input *in, const char *path, struct diag *d)
{
    *in = (struct input){.fd = STDIN_FILENO};
    if (!path)
        return 0;
    in->fd = open(path, O_RDONLY | O_CLOEXEC);
    return in->fd < 0 ? diag_set(d, "%s", strerror(errno)) : 0;
}

void input_close(struct input *in)
{
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    free(in->buf);
}

/* Read more behind what there is. Returns -1 with the reason. */
static int fill(struct input *in, struct diag *d)
{
    ssize_t n;

    if (in->start > 0) {
        memmove(in->buf, in->buf + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
    }
    if (in->end == in->cap) {
        in->cap = in->cap ? in->cap * 2 : BLOCK;
        in->buf = xrealloc(in->buf, in->cap);
    }
    do
        n = read(in->fd, in->buf + in->end, in->cap - in->end);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return diag_set(d, "%s", strerror(errno));
    in->over = n == 0 || memchr(in->buf + in->end, '\0', (size_t)n);
    in->end += (size_t)n;
    return 0;
}

static int hand_out(struct input *in, size_t end, const char **text,
                    size_t *len)
{
    *text = in->buf + in->start;
    *len = end - in->start;
    in->start = end;
    return *len > 0;
}

int input_block(struct input *in, bool whole, const char **text, size_t *len,
                struct diag *d)
{
    size_t seen = in->end; /* there is no line feed in what is left */

    while (!in->over) {
        const char *last;

        seen -= in->start;
        if (fill(in, d) < 0)
            return -1;
        last = memrchr(in->buf + seen, '\n', in->end - seen);
        if (last && !whole)
            return hand_out(in, (size_t)(last + 1 - in->buf), text, len);
        if (in->most && in->end > in->most)
            return diag_set(d, "a line of more than %zu MiB", in->most >> 20);
        seen = in->end;
    }
    return hand_out(in, in->end, text, len);
}

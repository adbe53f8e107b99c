/*
 * Text from standard input or a file for `idset`, in big blocks.
 *
 * A block ends where a line ends, so that no number or name is cut in two;
 * memory is that of a block, or of the longest line.
 */
#ifndef IDSET_INPUT_H
#define IDSET_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

struct input {
    int fd;
    char *buf;
    size_t cap;
    size_t start, end; /* what is read and not handed out */
    bool over;         /* the end of the file was seen, or a NUL byte */
    size_t most;       /* that a line may have; 0: as much as it likes */
};

/* Open a file; NULL is standard input. Returns 0, or -1 with the reason. */
int input_open(struct input *in, const char *path, struct diag *d);
void input_close(struct input *in);

/*
 * The next block; with `whole`, all of the text. It belongs to the input
 * and stays until the next call. Returns 1; 0 at the end; -1 with the
 * reason in `d`.
 */
int input_block(struct input *in, bool whole, const char **text, size_t *len,
                struct diag *d);

#endif /* IDSET_INPUT_H */

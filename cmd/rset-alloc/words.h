/*
 * A line as sh reads it: words between blanks; in single quotes all is as it
 * stands, in double quotes all but a backslash before one of $`"\\ , and
 * outside of quotes a backslash takes the next character as it is. A word that
 * begins with # begins a comment. Nothing is expanded.
 */
#ifndef RSET_ALLOC_WORDS_H
#define RSET_ALLOC_WORDS_H

#include <stddef.h>

#include "base/diag.h"

struct words {
    const char **list; /* terminated */
    size_t n;
    char *text; /* where they are */
};

/* Split a line of `len` bytes. Returns 0, or -1 with a diag. */
int words_split(const char *line, size_t len, struct words *out,
                struct diag *d);
void words_fini(struct words *words);

#endif /* RSET_ALLOC_WORDS_H */

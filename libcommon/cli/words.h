/*
 * A line as sh reads it: words between blanks. In single quotes every character
 * stands for itself, in double quotes every one but a backslash before one of
 * $ ` " and \ . Outside of quotes a backslash takes the next character as it
 * is, and a word that begins with # begins a comment. Nothing is expanded.
 */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <popt.h>
#include <stddef.h>

#include "base/diag.h"

struct words {
    const char **list; /* terminated */
    size_t n;
    char *text; /* where they are */
    poptContext ctx;
};

/*
 * Split a line of `len` bytes. Returns 0, or -1 with a diag, and the words up
 * to the fault. For words_fini() either way.
 */
int words_split(const char *line, size_t len, struct words *out,
                struct diag *d);

/* The words as a command line with these options: popt's context of them. */
poptContext words_options(struct words *words,
                          const struct poptOption *options);

/*
 * The line is answered: all that was made for it is freed, and none of these
 * options is given any more.
 */
void words_fini(struct words *words, const struct poptOption *options);

#endif /* CLI_WORDS_H */

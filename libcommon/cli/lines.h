/*
 * A program that answers line by line, as `rset-alloc batch` does. What it
 * answers is out as soon as no more input waits, so that a program can hold the
 * other ends of both pipes and talk.
 *
 *     lines_open(&lines, file);
 *     while (lines_next(&lines))
 *         ...                          what is in lines.text, to lines.out
 *     lines_close(&lines);
 *     lines_check(&lines);
 */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"

struct lines {
    FILE *out; /* answers, which wait for lines_send() */
    char *answers;
    size_t nanswers, room;
    /* Called before answers go out (NULL: nothing has to be done before). */
    void (*before)(void *arg);
    void *arg;
    char *text; /* of the line at hand, terminated, without its end */
    size_t len;
    /* of the input: */
    const char *name;
    int fd;
    char *bytes;
    size_t at, end, size; /* what was read, and not handed out */
    const char *fault;    /* why it can't be read any further */
    const char *lost;     /* why answers don't arrive any more */
};

/* Read a file, "-": standard input. One that is not there ends the program. */
void lines_open(struct lines *l, const char *file);

/*
 * What ends other programs, a signal or an output that nobody reads, ends the
 * lines from now on: there is something to do yet.
 */
void lines_catch_signals(void);

/* Go to the next line; false: there is none. The last one may have no end. */
bool lines_next(struct lines *l);

/* The answers go out: also when no more input waits, and by lines_close(). */
void lines_send(struct lines *l);
void lines_close(struct lines *l);

/* What ended the lines before their end ends the program. */
void lines_check(const struct lines *l);

/*
 * A line as sh reads it: words between blanks. In single quotes every character
 * stands for itself, in double quotes every one but a backslash before one of
 * $ ` " and \ . Outside of quotes a backslash takes the next character as it
 * is, and a word that begins with # begins a comment. Nothing is expanded.
 */
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

#endif /* CLI_LINES_H */

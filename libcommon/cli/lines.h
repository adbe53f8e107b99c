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
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

enum {
    LINES_TALK = 64 << 20,
    /* A line of a service has at most these bytes: 10,000 nodes as a graph are
       80 MB. It protects against a peer that never ends a line. */
    LINES_LONGEST = 1 << 30
};

struct lines {
    FILE *out;  /* answers on their way to standard output */
    char *text; /* of the line at hand, terminated, without its end */
    size_t len;
    uint64_t nlines; /* the number of it, from 1 */
    /*
     * Called before answers go out, before waiting for the next line, and
     * whenever nothing is to be done; NULL: nothing is called.
     */
    void (*before)(void *arg);
    void (*waits)(void *arg);
    void (*idle)(void *arg);
    void *arg;
    bool skips;  /* of a service: pass over a line of more than 1 GiB, and say
                    so. Else a line of more than 64 MiB ends the lines */
    size_t most; /* bytes of answers that wait while lines are read on (64 KiB);
                    two programs that talk to each other must not wait for each
                    other: LINES_TALK */
    /* of the answers: */
    char *answers;
    size_t nanswers, room, sent;
    size_t settled; /* so many bytes of them may go out */
    /* of the input: */
    const char *name;
    int fd, to;
    bool can_read, can_write; /* without waiting */
    bool ended;               /* all of it was read */
    char *bytes;
    size_t at, end, size; /* what was read, and not handed out */
    size_t endless;       /* no line ends before this */
    bool too_long;        /* the line that is being read */
    const char *fault;    /* why it can't be read any further */
    const char *lost;     /* why answers don't arrive any more */
};

/* Read a file, "-": standard input. One that is not there ends the program. */
void lines_open(struct lines *l, const char *file);
/* Read from the one and answer to the other, under a name. */
void lines_open_pipes(struct lines *l, const char *name, int in, int out);

/*
 * What ends other programs, a signal or an output that nobody reads, ends the
 * lines from now on: there is something to do yet.
 */
void lines_catch_signals(void);
/* Has one of these signals come? */
bool lines_stopped(void);

/* Go to the next line; false: there is none. The last one may have no end. */
bool lines_next(struct lines *l);

/*
 * The same of several peers, two at most: the one that has a line; NULL: one of
 * them has none any more. Answers to all of them go out together. `idle` is
 * that of the first.
 */
struct lines *lines_next_of(struct lines *const *peers, size_t n);

/*
 * A file that others write to is read as far as it goes: the next line; false:
 * there is no whole one yet. One that is cut, or that another has taken the
 * place of, is read from the new beginning, with a warning. Nothing is
 * answered.
 */
void lines_open_followed(struct lines *l, const char *file);
bool lines_follow(struct lines *l);

/* Is nothing more read of it? */
bool lines_over(const struct lines *l);

/* The answers go out: also when no more input waits, and by lines_close(). */
void lines_send(struct lines *l);
void lines_close(struct lines *l);

/* Write a member of an answer, `,"key":"text"`; the text may be any bytes. */
void lines_put(FILE *fp, const char *key, const char *text);

/*
 * What ended the lines before their end ends the program; for a service (the
 * end of all lines is that of their reader) a signal is as good as the end.
 */
void lines_check(const struct lines *l);
void lines_check_service(const struct lines *l);

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

/*
 * Begin to read the words as a command line (cli_options) into a struct that
 * has no options yet. Returns popt's context, which words_fini() frees.
 */
poptContext words_options(struct words *words, const struct poptOption *options,
                          void *into);

/* The line is answered: all that was made for it is freed. */
void words_fini(struct words *words);

#endif /* CLI_LINES_H */

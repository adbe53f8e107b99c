/*
 * A program that answers line by line, as `rset-alloc batch` does. Its answers
 * are written as soon as no more input waits, so that another program can hold
 * the other ends of both pipes and talk to it.
 *
 *     lines_open(&lines, file);
 *     while (lines_next(&lines))
 *         ...                          answer lines.text on lines.out
 *     lines_close(&lines);
 *     lines_check(&lines);
 */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "cli/cli.h"

enum {
    LINES_TALK = 64 << 20,
    /* Longest line of a service in bytes: 10,000 nodes as a graph are 80 MB.
       Protects against a peer that never ends a line. */
    LINES_LONGEST = 1 << 30
};

struct lines {
    FILE *out;  /* write answers here */
    char *text; /* the current line without its newline, NUL-terminated */
    size_t len;
    uint64_t nlines; /* number of the current line, from 1 */
    /* Called before answers are written; before waiting for the next line;
       whenever there is nothing to do. NULL: nothing is called. */
    void (*before)(void *arg);
    void (*waits)(void *arg);
    void (*idle)(void *arg);
    void *arg;
    bool skips;  /* of a service: skip a line of more than 1 GiB with a warning.
                    Otherwise a line of more than 64 MiB ends the lines */
    size_t most; /* read lines while at most these bytes of answers wait
                    (default 64 KiB). Two programs that talk to each other must
                    not wait for each other: LINES_TALK */
    /* the answers: */
    char *answers;
    size_t nanswers, room, sent;
    size_t settled; /* how many of their bytes may be written */
    /* the input: */
    const char *name;
    int fd, to;
    bool can_read, can_write; /* without waiting */
    bool ended;               /* the end was reached */
    char *bytes;
    size_t at, end, size; /* bytes read but not returned yet */
    size_t endless;       /* no newline before this position */
    bool too_long;        /* the line being read is too long */
    const char *fault;    /* why reading failed */
    const char *lost;     /* why writing failed */
};

/* Read a file ("-": standard input) and answer on standard output. Ends the
   program if the file can't be opened. */
void lines_open(struct lines *l, const char *file);
/* Read from descriptor `in` and answer to `out`. `name`: for messages. */
void lines_open_pipes(struct lines *l, const char *name, int in, int out);

/* Let a signal, or an output that nobody reads, end the lines and not the
   program, which still has work to do. */
void lines_catch_signals(void);
/* Has such a signal come? */
bool lines_stopped(void);

/* Read the next line. Returns false if there is none. The last line may lack
   its newline. */
bool lines_next(struct lines *l);

/*
 * Read the next line of several peers, at most two. Returns the peer that has a
 * line, or NULL as soon as one of them has ended. Answers to all peers are
 * written together. Only the first peer's `idle` is called.
 */
struct lines *lines_next_of(struct lines *const *peers, size_t n);

/*
 * Follow a file to which other programs write. lines_follow() reads the next
 * line; false: no complete line yet. If the file is truncated or replaced,
 * starts again at its beginning, with a warning. There are no answers.
 */
void lines_open_followed(struct lines *l, const char *file);
bool lines_follow(struct lines *l);

/* Has the input ended, or reading or writing failed? */
bool lines_over(const struct lines *l);

/* Write out all answers, as is also done when no input waits or lines end. */
void lines_send(struct lines *l);
void lines_close(struct lines *l);

/*
 * End the program with a message if the lines ended early. For
 * lines_check_service() a signal is not early: the end of a service's lines is
 * up to its peer.
 */
void lines_check(const struct lines *l);
void lines_check_service(const struct lines *l);

/*
 * The words of a line, as sh splits it: words between blanks. In single quotes
 * each character stands for itself. In double quotes all do, except a backslash
 * before one of $ ` " and \ . Outside of quotes a backslash takes the next
 * character literally, and a word that begins with # begins a comment. Nothing
 * is expanded.
 */
struct words {
    const char **list; /* ends with NULL */
    size_t n;
    char *text; /* their characters */
    poptContext ctx;
};

/* Split a line of `len` bytes. Returns 0, or -1 with a diag and the words up to
   the fault. Always end with words_fini(). */
int words_split(const char *line, size_t len, struct words *out,
                struct diag *d);

/* Begin to read the words as a command line (cli_options) into a struct of
   zeros. Returns popt's context, which words_fini() frees. */
poptContext words_options(struct words *words, const struct cli_option *options,
                          void *into);

/* Free all that was made for the line. */
void words_fini(struct words *words);

#endif /* CLI_LINES_H */

/*
 * The process of a scheduler: lines to it and from it, and a report if it
 * breaks a promise. A program defines answer(), and calls:
 *
 *     child_start(command, NULL);
 *     say("{\"topic\":...}");
 *     said();
 *     while (...)
 *         pump(true); // calls answer() for each line
 *     child.may_end = true;
 *     child_close();
 *     while (!child.ended)
 *         pump(true);
 *     status = child_reap();
 */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct child {
    int pid;
    uint64_t sent;    /* lines in all sessions */
    uint64_t acked;   /* number of lines that were certainly read */
    uint64_t heard;   /* lines from the scheduler */
    bool may_end;     /* it was asked to end */
    bool ended;       /* its output has ended */
    const char *line; /* the line in work; NULL: none */
};

extern struct child child;

/* Report a broken promise, and end with status 1. */
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Start the command. All lines are also written to the file `path`, if it is
   not NULL. */
void child_start(char *const command[], const char *path);
/* Write to its standard input, in parts. said() ends the line and returns its
   number. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
uint64_t said(void);
/* Write the next lines to a file instead. */
void said_to(const char *path);
/* Write and read as far as possible; with `wait`, wait until it is. */
void pump(bool wait);
/* Close its standard input. */
void child_close(void);
/* Return its end (see waitpid()), after its output ended. */
int child_reap(void);
/* Run a program and return its output, or NULL if it fails. */
char *output_of(const char *const argv[]);

/* Take a line from the scheduler. The program defines this. */
void answer(const char *line, size_t len);

#endif /* TEST_CHILD_H */

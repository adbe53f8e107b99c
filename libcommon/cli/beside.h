/*
 * Files that are written beside standard output, or instead of it, and are
 * changed as a whole or not at all: whoever finds one believes what it says.
 *
 * A text goes into a file of its own in the same directory, which takes the
 * other's name in the end, when all output has arrived; so two that write at
 * once leave the file of one of them, and whoever reads never sees half of it.
 * What is no regular file (a pipe, a device) is written as it is.
 *
 * A file that is read to be replaced is locked in between:
 *
 *     beside_lock(file);
 *     ...                          read it, make the text
 *     beside_write(file, text);
 *     beside_keep();
 */
#ifndef CLI_BESIDE_H
#define CLI_BESIDE_H

#include <stdbool.h>

/*
 * Is it what standard output, or standard input, is? Then it can't be
 * written beside it.
 */
bool beside_is_stdio(const char *file);

/* Are they the same file? */
bool beside_is(const char *file, const char *other);

/* Can the file be written? If not, it ends the program with a message. */
void beside_check(const char *file);

/*
 * --wait, for the table of a program that waits for others; `with` says with
 * which options.
 */
extern const char *cli_wait_text;
#define CLI_WAIT_OPTION(with)                                             \
    {                                                                     \
        "wait", '\0', POPT_ARG_STRING, &cli_wait_text, 0,                 \
            with ": how long to wait for others (default: 60)", "SECONDS" \
    }

/*
 * Return the seconds of --wait, or 60. It is a usage error if it was given but
 * `needs` an option that was not (NULL: it needs none).
 */
double cli_wait(const char *needs);

/*
 * Lock a file until the program ends. Waits as long as --wait says for another
 * program that has locked it. It has to be a regular file that can be written.
 * Ends the program with a message on failure, which names who has the lock.
 */
void beside_lock(const char *file);

/*
 * Write a text to a file, which keeps its owner, group and mode. Where the
 * group can't be kept it has no rights. Removes temporary files beside it that
 * programs of the same user left when they were killed. Ends the program with a
 * message on failure. At most twice in a program.
 */
void beside_write(const char *file, const char *text);

/*
 * All of standard output has gone out: now what was written is to be there,
 * the last one first. It survives a loss of power.
 */
void beside_keep(void);

/* The files that were written are not kept: the program ends before. */
void beside_forget(void);

#endif /* CLI_BESIDE_H */

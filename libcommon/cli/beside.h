/*
 * Files that are written beside standard output or in place of it. Each changes
 * as a whole or not at all, so that whoever finds it can trust it.
 *
 * A text is written to a temporary file in the same directory, which is renamed
 * when all output has arrived. If two programs write at once, one of the two
 * files remains; a reader never sees half of it. A pipe or device is written
 * directly.
 *
 * A file that is read and then replaced is locked in between:
 *
 *     beside_lock(file);
 *     ...                          read it, make the text
 *     beside_write(file, text);
 *     beside_keep();
 */
#ifndef CLI_BESIDE_H
#define CLI_BESIDE_H

#include <stdbool.h>

/* Is the file standard input or output? Then it can't be written beside it. */
bool beside_is_stdio(const char *file);

/* Do both names lead to the same file? */
bool beside_is(const char *file, const char *other);

/* Check that the file can be written, or end the program with a message. */
void beside_check(const char *file);

/* Option --wait for a program's table. `with`: the options that it needs. */
extern const char *cli_wait_text;
#define CLI_WAIT_OPTION(with)                                             \
    {                                                                     \
        "wait", '\0', CLI_VARIABLE(cli_wait_text), 0,                     \
            with ": how long to wait for others (default: 60)", "SECONDS" \
    }

/*
 * Return the seconds of --wait, or 60. It is a usage error if it was given but
 * `needs` an option that was not (NULL: it needs none).
 */
double cli_wait(const char *needs);

/*
 * Lock a file until the program ends. Waits up to --wait for a program that has
 * locked it. It must be a regular file that can be written. On failure ends the
 * program with a message, which names the holder of the lock.
 */
void beside_lock(const char *file);

/*
 * Write a text to a file. The file keeps its owner, group and mode; a group
 * that can't be kept loses its rights. Removes temporary files in the same
 * directory that killed programs of the same user left. Ends the program with a
 * message on failure. May be called at most twice in a program.
 */
void beside_write(const char *file, const char *text);

/* Give all written files their final names, the last one first, when standard
   output has been written. They survive a loss of power. */
void beside_keep(void);

/* Drop the written files, because the program ends early. */
void beside_forget(void);

#endif /* CLI_BESIDE_H */

/*
 * The progress line of long work on standard error: `rset-match: reading
 * big.json: 45 %`. It appears after two seconds, only if standard error is a
 * terminal of this program, and disappears when the work is done.
 *
 *     progress_read(file);
 *     progress_count(&bytes);
 *     ...
 *     progress_end();
 *
 * The work looks at no clock: a timer draws the line now and then.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* --no-progress: show nothing. */
extern bool progress_off;

/* Show nothing from now on: a program that waits for others has no progress. */
void progress_stop(void);

/* Begin and end a piece of work on something with a name (NULL: none). A new
   piece of work replaces the one before. */
void progress_begin(const char *verb, const char *name);
void progress_end(void);

/* Begin to read a file ("-": standard input). progress_count() sets the counter
   of its bytes. */
void progress_read(const char *file);
void progress_count(const uint64_t *bytes);

/* Hide the line while a message is written, and show it again. */
void progress_pause(void);
void progress_resume(void);

#endif /* CLI_PROGRESS_H */

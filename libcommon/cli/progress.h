/*
 * What takes its time, on standard error: `rset-match: reading big.json: 45 %`,
 * from the third second on, and only if that is a terminal of this program. It
 * is gone when the work is done.
 *
 *     progress_read(file);
 *     progress_count(&bytes);
 *     ...
 *     progress_end();
 *
 * No work looks at a clock: a timer draws the line now and then.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* No progress is told, as --no-progress has it. */
extern bool progress_off;

/* None is told from now on: whoever waits for others makes none. */
void progress_stop(void);

/*
 * Work begins, in place of other work, on what has a name (NULL: none); and
 * ends.
 */
void progress_begin(const char *verb, const char *name);
void progress_end(void);

/* The work is to read a file ("-": standard input), as far as it is counted. */
void progress_read(const char *file);
void progress_count(const uint64_t *bytes);

/* Something else is written to standard error, in a line of its own. */
void progress_pause(void);
void progress_resume(void);

#endif /* CLI_PROGRESS_H */

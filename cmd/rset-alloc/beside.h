/*
 * A file that is written beside standard output, and must not be there, or
 * not be changed, unless all of standard output has arrived: whoever finds it
 * believes what it says.
 *
 * The text goes into a file of its own in the same directory, which takes the
 * other's name in the end; so two that write at once leave the file of one of
 * them, and whoever reads never sees half of it. What is no regular file, or
 * lies in a directory that can't be written, is written as it is.
 */
#ifndef RSET_ALLOC_BESIDE_H
#define RSET_ALLOC_BESIDE_H

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
 * Write a text to a file. It ends the program with a message if that can't
 * be done. Once in a program.
 */
void beside_write(const char *file, const char *text);

/* All of standard output has gone out: now it is to be there. */
void beside_keep(void);

#endif /* RSET_ALLOC_BESIDE_H */

/*
 * Text for people at a terminal. Whatever a name contains, it does nothing to
 * the terminal, stays in its line, and hides nothing.
 *
 * Control characters (C0, DEL, C1), line separators, marks of direction, and
 * characters without width are written as `\x1b` or `\u202e`, and so are bytes
 * that are not UTF-8. All views and all messages print input this way.
 */
#ifndef BASE_SHOW_H
#define BASE_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Is the text shown unchanged? */
bool show_is_plain(const char *text);

/* Write a name. If it is not plain, backslashes in it are doubled. */
void show(FILE *fp, const char *name);

/* Write a text that contains names into a buffer. Does not double backslashes.
   Text that does not fit is cut off between characters. Returns buf. */
const char *show_in(char *buf, size_t size, const char *text);

/* Write a text that contains names to a stream, or return it as a new string,
   without doubling backslashes. */
void show_text(FILE *fp, const char *text);
char *show_copy(const char *text);

/* Return the columns of a terminal that a text takes unchanged, or the number
   of bytes, in whole characters, that fit into a width. */
size_t show_width(const char *text);
size_t show_fitting(const char *text, size_t width);

/* Return the columns that show_text() takes. */
size_t show_columns(const char *text);

#endif /* BASE_SHOW_H */

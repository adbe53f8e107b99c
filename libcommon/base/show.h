/*
 * Text for people to look at, at a terminal: whatever a name has in it, it
 * does nothing to the terminal, stays in its line, and hides nothing.
 *
 * Control characters (C0, DEL, C1), separators of lines, marks of direction,
 * and what has no width are written as `\x1b` or `\u202e`; so is what is no
 * UTF-8. All views and all messages print what was read through this.
 */
#ifndef BASE_SHOW_H
#define BASE_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Is the text shown as it is? */
bool show_is_plain(const char *text);

/* Write a name. If it is not plain a backslash in it is written twice. */
void show(FILE *fp, const char *name);

/*
 * A text that has names and other things in it, into a buffer; what does not
 * fit is cut off, between characters. A backslash stays one. Returns buf.
 */
const char *show_in(char *buf, size_t size, const char *text);

/* The same, written; and as a new string. */
void show_text(FILE *fp, const char *text);
char *show_copy(const char *text);

/*
 * How many columns of a terminal a text takes as it is; and how many bytes of
 * it, whole characters, are in so many.
 */
size_t show_width(const char *text);
size_t show_fitting(const char *text, size_t width);

#endif /* BASE_SHOW_H */

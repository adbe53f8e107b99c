/* The abilities of the terminal, if there is one: its width, its height,
   colours, and more than ASCII. Only output for people depends on these. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Return the columns of a stream: COLUMNS, else those of the terminal, else 80.
   Without a terminal returns 0, any number, unless `cut_in_pipe`. */
int cli_width(FILE *fp, bool cut_in_pipe);

/* Return the lines of a terminal: LINES, else those of the terminal, else 24.
   Without a terminal returns 0. */
int cli_height(FILE *fp);

/* Use the terminal of this descriptor for standard output, which goes there. */
void cli_shown_on(int fd);

/* Return how many colours the stream has, 0, 8 or 256, by TERM and COLORTERM.
   None if it is no terminal, or if NO_COLOR is set and not empty. */
int cli_colours(FILE *fp);

/* Is it a terminal, and does the locale write UTF-8? In a pipe or a file the
   same characters are written in every locale. */
bool cli_utf8(FILE *fp);

#endif /* CLI_TERMINAL_H */

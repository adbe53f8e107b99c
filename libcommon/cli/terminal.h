/*
 * What the terminal, if there is one, can show: how wide it is, and whether it
 * has colours and more than ASCII. Only what people look at depends on that.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/*
 * How many columns a stream has: COLUMNS, else those of the terminal, else 80.
 * What is no terminal has any number of them, 0, unless it is to be cut there,
 * too.
 */
int cli_width(FILE *fp, bool cut_in_pipe);

/* The same of the terminal's lines: LINES, else what it has, else 24. */
int cli_height(FILE *fp);

/* What goes to standard output will be seen on the terminal of a descriptor. */
void cli_shown_on(int fd);

/* Is it a terminal with colours, and NO_COLOR not set, or empty? */
bool cli_colour(FILE *fp);

/* Is it a terminal, and does the locale write UTF-8? In a pipe or a file the
   same characters are written in every locale. */
bool cli_utf8(FILE *fp);

#endif /* CLI_TERMINAL_H */

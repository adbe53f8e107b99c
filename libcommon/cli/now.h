/* What time it is for a program: --now, RSET_NOW, or the system's clock. */
#ifndef CLI_NOW_H
#define CLI_NOW_H

#include <stdbool.h>

#include "base/diag.h"

/* --now of the command line, for cli_clock(); NULL: not given. */
void cli_clock_is(const char *text);

/*
 * When it was asked for first: --now, or the environment's RSET_NOW, or else
 * the system's clock, which is not `given`. Seconds since the Epoch. A fault
 * ends the program.
 */
double cli_clock(bool *given);

/* Read the text of an option that is a time. Returns 0, or -1 with a diag. */
int cli_read_time(const char *option, const char *text, double now, double *out,
                  struct diag *d);

#endif /* CLI_NOW_H */

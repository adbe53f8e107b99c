/* The current time of a program: --now, RSET_NOW, or the system's clock. */
#ifndef CLI_NOW_H
#define CLI_NOW_H

#include <stdbool.h>

#include "base/diag.h"

/* Set --now for cli_clock(); NULL: not given. */
void cli_clock_is(const char *text);

/*
 * Return the current time in seconds since the Epoch: --now, or else the
 * environment's RSET_NOW, or else the system's clock at the first call. *given:
 * it is not from the clock. A fault ends the program.
 */
double cli_clock(bool *given);

/* Read the text of an option that is a time. Returns 0, or -1 with a diag. */
int cli_read_time(const char *option, const char *text, double now, double *out,
                  struct diag *d);

#endif /* CLI_NOW_H */

/* What --help prints: of a program, and of one of its commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/cli.h"

/* Usage, commands, and each option of the table, in lines of at most 79. */
void help_program(const struct cli *cli, const struct poptOption *table);

/* About ten lines: usage, the names of the options it takes, two examples. */
void help_command(const struct cli *cli, const struct cli_command *command,
                  const struct poptOption *table);

#endif /* CLI_HELP_H */

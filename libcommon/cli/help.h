/* Help texts of a program and of each of its commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/cli.h"

/* Print the usage, the commands by groups, and each option of the table that
   can be used without a command, in lines of at most 79 columns. */
void help_program(const struct cli *cli, const struct cli_option *table);

/* Print one screen: the usage, the names of the commands, the options with a
   letter, and where more is. */
void help_short(const struct cli *cli, const struct cli_option *table);

/* Print the usage of a command, each option that it takes, and examples. */
void help_command(const struct cli *cli, const struct cli_command *command,
                  const struct cli_option *table);

/* Return the text about an option, for a command or (NULL) in general. */
const char *help_meaning(const struct cli_command *command,
                         const struct cli_option *o);

#endif /* CLI_HELP_H */

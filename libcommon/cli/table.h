/* Tables on the command line (view/table.h): the choice and order of columns,
   and the heading. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/cli.h"
#include "view/table.h"

/* --columns, --sort and --no-header, of kind CLI_TABLES. */
struct cli_table_options {
    char *columns, *sort;
    bool no_header;
};
extern const struct cli_option cli_table_options[];
#define CLI_TABLE_OPTIONS(at) CLI_INCLUDE(cli_table_options, at, "Tables:")

/* Check the options of a table with these columns, after all options are read.
   `json`: it will be written as JSON. Returns 0, or -1 with a diag. */
int cli_table_check(const struct cli_table_options *o,
                    const struct table_column *columns, bool json,
                    struct table_choice *choice, struct diag *d);

/* Write a table as the stream and --output need it. Destroys it. */
void cli_table_print(struct table *t, struct table_choice *choice, FILE *fp);

#endif /* CLI_TABLE_H */

/*
 * Tables on the command line (view/table.h): which columns, in what order, and
 * with or without a heading.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <popt.h>

#include "view/table.h"
#include "view/view.h"

/* --columns, --sort and --no-header, for inclusion in a program's table; of
   kind CLI_TABLES. */
extern struct poptOption cli_table_options[];
#define CLI_TABLE_OPTIONS                                         \
    {                                                             \
        NULL, '\0', POPT_ARG_INCLUDE_TABLE, cli_table_options, 0, \
            "Tables:", NULL                                       \
    }

/*
 * When options are read: the answer is a table of these columns. With `json` it
 * is told as JSON. A usage error ends.
 */
void cli_table_check(const struct table_column *columns, bool json);

/* Show this column, too, unless columns were chosen. */
void cli_table_show(int column);

/* Write a table to standard output, or make its rows JSON; it is destroyed. */
void cli_table_print(struct table *t);
json_t *cli_table_json(struct table *t);

/* The table of the pools of a set, as a view. */
int cli_view_table(struct rset *rs, const struct view *view, FILE *fp,
                   struct diag *d);

#endif /* CLI_TABLE_H */

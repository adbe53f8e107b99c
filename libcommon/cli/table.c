/* Tables on the command line (table.h). */
#include "cli/table.h"

#include <stdio.h>

#include "cli/documents.h"
#include "cli/terminal.h"

#define AT(member) CLI_AT(struct cli_table_options, member)
const struct cli_option cli_table_options[] = {
    {"columns", '\0', AT(columns), CLI_TABLES,
     "show these columns (names as in the heading), or all",
     "COLUMN[,COLUMN...]"},
    {"sort", '\0', AT(sort), CLI_TABLES,
     "sort by a column; with - from the greatest to the least", "[-]COLUMN"},
    {"no-header", '\0', AT(no_header), CLI_TABLES, "leave out the heading"},
    {0}};

int cli_table_check(const struct cli_table_options *o,
                    const struct table_column *columns, bool json,
                    struct table_choice *choice, struct diag *d)
{
    struct diag why = {0};

    if (json && o->no_header)
        return cli_fault(d, "--no-header: JSON has no heading");
    if (table_choose(columns, json && !o->columns ? "all" : o->columns, o->sort,
                     choice, &why)
        < 0)
        return cli_fault(d, "%s: %s", why.where, why.text);
    choice->bare = o->no_header;
    return 0;
}

void cli_table_print(struct table *t, struct table_choice *choice, FILE *fp)
{
    choice->width = cli_width(fp, false);
    choice->colours = cli_colours(fp) == 256;
    choice->csv = cli_output_is("csv");
    table_print(t, choice, fp);
}

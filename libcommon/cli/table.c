/* Tables on the command line (table.h). */
#include "cli/table.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/terminal.h"
#include "view/pool_table.h"

static const char *columns_text, *sort_text;
static int no_header;
static struct table_choice choice;

struct poptOption cli_table_options[] = {
    CLI_OWN_TEXTS,
    {"columns", '\0', POPT_ARG_STRING, &columns_text, CLI_TABLES,
     "these columns, named as in the heading; all", "COLUMN[,COLUMN...]"},
    {"sort", '\0', POPT_ARG_STRING, &sort_text, CLI_TABLES,
     "sort by a column, with - from the greatest to the least", "[-]COLUMN"},
    {"no-header", '\0', POPT_ARG_NONE, &no_header, CLI_TABLES, "no heading",
     NULL},
    POPT_TABLEEND};

void cli_table_check(const struct table_column *columns, bool json)
{
    struct diag d = {0};

    if (json && no_header)
        cli_usage("--no-header: JSON has no heading");
    if (table_choose(columns, json && !columns_text ? "all" : columns_text,
                     sort_text, &choice, &d)
        < 0)
        cli_usage("%s: %s", d.where, d.text);
    choice.bare = no_header;
}

void cli_table_show(int column)
{
    for (size_t i = 0; i < choice.ncolumns; i++)
        if (choice.columns[i] == column)
            return;
    if (!columns_text)
        choice.columns[choice.ncolumns++] = (unsigned char)column;
}

static void print(struct table *t, FILE *fp)
{
    choice.width = cli_width(fp, false);
    table_print(t, &choice, fp);
    table_destroy(t);
}

void cli_table_print(struct table *t)
{
    print(t, stdout);
}

json_t *cli_table_json(struct table *t)
{
    json_t *rows = table_json(t, &choice);

    table_destroy(t);
    return rows;
}

int cli_view_table(struct rset *rs, const struct view *view, FILE *fp,
                   struct diag *d)
{
    (void)d;
    print(pool_table(rs, view), fp);
    return 0;
}

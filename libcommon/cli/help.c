/*
 * Prints help texts (help.h) from the tables of options and commands, in two
 * columns: what is typed, and what it does.
 */
#include "cli/help.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/complete.h"
#include "cli/walk.h"

enum { WIDTH = 79, COLUMN = 28 };

/*
 * Words that begin in column `at`, in lines that go on at `indent`. Returns the
 * column behind them.
 */
static size_t put_words(const char *text, size_t at, size_t indent)
{
    bool begun = false;

    for (size_t n; *text; text += n) {
        text += strspn(text, " ");
        n = strcspn(text, " ");
        if (begun && at + 1 + n > WIDTH) {
            printf("\n%*s", (int)indent, "");
            at = indent;
        } else if (begun) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)n, text);
        at += n;
        begun = true;
    }
    return at;
}

/* What was printed has `width` columns; what it means comes beside or below. */
static void put_meaning(int width, int column, const char *text)
{
    if (width + 2 > column) {
        putchar('\n');
        width = 0;
    }
    printf("%*s", column - width, "");
    put_words(text, (size_t)column, (size_t)column);
    putchar('\n');
}

/* --- options -------------------------------------------------------------- */

static void put_option(const struct poptOption *o)
{
    int width = o->shortName ? printf("  -%c, ", o->shortName)
                             : printf("      ");

    width += printf("--%s%s%s", o->longName, o->argDescrip ? "=" : "",
                    o->argDescrip ? o->argDescrip : "");
    put_meaning(width, COLUMN, o->descrip);
}

/* Options of a table, and of those in it, whose titles are not told. */
static void put_options(const struct poptOption *table)
{
    for (const struct poptOption *o = table; !walk_is_end(o); o++) {
        if (walk_is_table(o))
            put_options(o->arg);
        else if (o->longName)
            put_option(o);
    }
}

/* Those of no table in it come first, then those of each, with its title. */
static void put_sections(const struct poptOption *table)
{
    const char *title = "Options:";

    for (const struct poptOption *o = table; !walk_is_end(o); o++) {
        if (walk_is_table(o) || !o->longName)
            continue;
        if (title)
            puts(title);
        title = NULL;
        put_option(o);
    }
    for (const struct poptOption *o = table; !walk_is_end(o); o++) {
        if (!walk_is_table(o))
            continue;
        if (o->descrip)
            printf("%s%s\n", title ? "" : "\n", o->descrip);
        title = NULL;
        put_options(o->arg);
    }
}

/* Without the document, which nearly all of them take. */
static void put_command(const struct cli_command *command)
{
    const char *operands = command->operands, *end = strstr(operands, "[FILE]");

    if (!end)
        end = strchr(operands, '\0');
    if (end > operands && end[-1] == ' ')
        end--;
    put_meaning(
        printf("  %s %.*s", command->name, (int)(end - operands), operands),
        COLUMN + 2, command->summary);
}

void help_program(const struct cli *cli, const struct poptOption *table)
{
    const struct cli_command *command;

    printf("usage: %s %s\n\n", cli->name, cli->synopsis);
    put_words(cli->summary, 0, 0);
    puts(cli->command ? "\n\nCommands:" : "\n");
    for (size_t i = 0; cli->command && (command = cli->command(i)); i++)
        put_command(command);
    if (cli->command)
        printf("'%s COMMAND --help' and '%s help COMMAND' tell more.\n\n",
               cli->name, cli->name);
    if (cli->about)
        printf("%s\n", cli->about);
    put_sections(table);
    if (cli->footer)
        printf("\n%s", cli->footer);
}

/* --- one command ---------------------------------------------------------- */

/* Options that are its own, by their shortest names. Returns the next column.
 */
static size_t put_names(const struct poptOption *table,
                        const struct cli_command *command, size_t at)
{
    char name[128];

    for (const struct poptOption *o = table; !walk_is_end(o); o++) {
        if (walk_is_table(o)) {
            at = put_names(o->arg, command, at);
        } else if (o->longName && o->val && o->val < CLI_SHARED
                   && cli_takes(command, o)) {
            if (o->shortName)
                snprintf(name, sizeof(name), "-%c%s%s", o->shortName,
                         o->argDescrip ? " " : "",
                         o->argDescrip ? o->argDescrip : "");
            else
                snprintf(name, sizeof(name), "--%s%s", o->longName,
                         o->argDescrip ? "=" : "");
            if (at + 1 + strlen(name) > WIDTH)
                at = (size_t)printf("\n        ") - 1;
            at += (size_t)printf(" %s", name);
        }
    }
    return at;
}

/* The words that a placeholder of the command stands for. */
static void put_offers(const struct cli *cli, const struct cli_command *command,
                       const char *title, const char *placeholder)
{
    struct complete c = {.command = command, .word = ""};
    char *text;
    size_t len;

    c.list = memory_open(&text, &len);
    cli->offer(&c, placeholder);
    memory_close(c.list);
    if (len > 0) {
        printf("%-9s", title);
        put_words(text, 9, 9);
        putchar('\n');
    }
    free(text);
}

void help_command(const struct cli *cli, const struct cli_command *command,
                  const struct poptOption *table)
{
    printf("usage: %s %s%s%s [OPTION...]\n", cli->name, command->name,
           *command->operands ? " " : "", command->operands);
    putchar(toupper((unsigned char)*command->summary));
    put_words(command->summary + 1, 1, 0);
    printf(".\n\nOptions:");
    if (put_names(table, command, 8) == 8)
        printf(" none of its own");
    putchar('\n');
    if (command->takes & CLI_TABLES)
        put_offers(cli, command, "Columns:", "COLUMN");
    if (command->takes & CLI_FORMS && !(command->takes & CLI_SETS))
        put_offers(cli, command, "-o:", "FORM");
    printf("'%s --help' says what they mean, and has those of all commands.\n"
           "Examples:\n",
           cli->name);
    for (size_t i = 0; i < 2; i++)
        printf("  %s %s %s\n", cli->name, command->name, command->examples[i]);
}

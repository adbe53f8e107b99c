/* Prints help texts (help.h) from the tables of options and commands, in two
   columns: the words to type, and their meaning. */
#include "cli/help.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/complete.h"
#include "cli/walk.h"

enum { WIDTH = 79, COLUMN = 28 };

/* Print words from column `at` on, in lines that continue at `indent`. */
static void put_words(const char *text, size_t at, size_t indent)
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
}

/* Print a meaning after the `width` columns already printed, or below them. */
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

const char *help_meaning(const struct cli_command *command,
                         const struct cli_option *o)
{
    const struct cli_meaning *m = cli_program()->meanings;

    for (; m && m->commands; m++)
        if (!strcmp(m->option, o->name)
            && (command ? cli_has_word(m->commands, command->name)
                        : !*m->commands))
            return m->text;
    return o->help;
}

/* Print the options that a command takes (NULL: all) of a table and the tables
   in it, or only the common ones. Prints `title` before the first one and
   clears it. */
static void put_options(const struct cli_option *table,
                        const struct cli_command *command, bool common,
                        const char **title)
{
    for (const struct cli_option *o = table; !walk_is_end(o); o++) {
        if (o->table)
            put_options(o->table, command, common, title);
        if (o->table
            || (common && !o->letter
                && !cli_has_word(cli_program()->common, o->name))
            || (command && !cli_takes(command, o)))
            continue;
        if (*title)
            printf("\n%s\n", *title);
        *title = NULL;
        put_meaning(
            (o->letter ? printf("  -%c, ", o->letter) : printf("      "))
                + printf("--%s%s%s", o->name, o->placeholder ? "=" : "",
                         o->placeholder ? o->placeholder : ""),
            COLUMN, help_meaning(command, o));
    }
}

/* Print the table's own options, then each inner table with its title. */
static void put_sections(const struct cli_option *table,
                         const struct cli_command *command)
{
    const char *title = "Options:";

    for (const struct cli_option *o = table; !walk_is_end(o); o++) {
        const struct cli_option one[] = {*o, {0}};
        if (!o->table)
            put_options(one, command, false, &title);
    }
    for (const struct cli_option *o = table; !walk_is_end(o); o++) {
        if (!o->table)
            continue;
        if (o->help)
            title = o->help;
        put_options(o->table, command, false, &title);
    }
}

/* --- the program ---------------------------------------------------------- */

void help_program(const struct cli *cli, const struct cli_option *table)
{
    /*
     * Options that can be used without a command. These are the options of
     * every command. If the program also works without commands, they are all
     * options that commands don't name.
     */
    struct cli_command none = {.name = "",
                               .takes = cli->files_with ? ~CLI_NAMED : 0};
    const struct cli_command *command;
    const char *group = NULL;

    printf("usage: %s %s\n\n", cli->name, cli->synopsis);
    put_words(cli->summary, 0, 0);
    putchar('\n');
    for (size_t i = 0; cli->command && (command = cli->command(i)); i++) {
        /* without [FILE], which nearly all commands take */
        const char *operands = command->operands,
                   *end = strstr(operands, "[FILE]");

        if (group != command->group)
            printf("\n%s\n", command->group);
        group = command->group;
        if (!end)
            end = strchr(operands, '\0');
        if (end > operands && end[-1] == ' ')
            end--;
        put_meaning(
            printf("  %s %.*s", command->name, (int)(end - operands), operands),
            COLUMN + 2, command->summary);
    }
    if (cli->command)
        printf("\n'%s COMMAND --help' explains a command and its options.\n",
               cli->name);
    if (cli->about)
        printf("\n%s", cli->about);
    put_sections(table, cli->command ? &none : NULL);
    if (cli->examples)
        printf("\nExamples:\n%s", cli->examples);
    if (cli->footer)
        printf("\n%s", cli->footer);
}

void help_short(const struct cli *cli, const struct cli_option *table)
{
    const struct cli_command *command = cli->command ? cli->command(0) : NULL;
    const char *group, *title = "Options:";
    size_t i = 0;
    char *names;

    printf("usage: %s %s\n\n", cli->name, cli->synopsis);
    put_words(cli->summary, 0, 0);
    puts(command ? "\n" : "");
    while (command) {
        FILE *fp = memory_open(&names, NULL);
        group = command->group;
        do
            fprintf(fp, " %s", command->name);
        while ((command = cli->command(++i)) && command->group == group);
        memory_close(fp);
        printf("%s\n  ", group);
        put_words(names, 2, 2);
        putchar('\n');
        free(names);
    }
    put_options(table, NULL, true, &title);
    printf("\n'%s --help' lists everything; see also %s(1).\n", cli->name,
           cli->name);
    if (cli->command)
        printf("'%s COMMAND --help' shows what a command takes.\n", cli->name);
}

/* --- one command ---------------------------------------------------------- */

void help_command(const struct cli *cli, const struct cli_command *command,
                  const struct cli_option *table)
{
    printf("usage: %s %s%s%s [OPTION...]\n\n", cli->name, command->name,
           *command->operands ? " " : "", command->operands);
    putchar(toupper((unsigned char)*command->summary));
    put_words(command->summary + 1, 1, 0);
    puts(".");
    put_sections(table, command);
    if (command->takes & CLI_TABLES) {
        struct complete c = {.command = command, .word = ""};
        char *text;

        c.list = memory_open(&text, NULL);
        cli->offer(&c, "COLUMN");
        memory_close(c.list);
        printf("\nColumns: ");
        put_words(text, 9, 9);
        putchar('\n');
        free(text);
    }
    puts("\nExamples:");
    for (size_t i = 0; i < 4 && command->examples[i]; i++)
        printf("  %s %s %s\n", cli->name, command->name, command->examples[i]);
}

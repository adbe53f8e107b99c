/* Goes through the words of a command line (walk.h). */
#include "cli/walk.h"

#include <stdlib.h>
#include <string.h>

/* Find an option by its letter, or ('\0') by its name. */
static const struct cli_option *find(const struct cli_option *table,
                                     char letter, const char *name, size_t len)
{
    const struct cli_option *found = NULL;

    for (const struct cli_option *o = table; !found && !walk_is_end(o); o++)
        if (o->table)
            found = find(o->table, letter, name, len);
        else if (letter ? o->letter == letter
                        : !strncmp(o->name, name, len) && !o->name[len])
            found = o;
    return found;
}

const struct cli_option *walk_find_option(const struct cli_option *table,
                                          const char *name, size_t len)
{
    return find(table, '\0', name, len);
}

enum walk_kind walk_word(struct walk *w, const char *word)
{
    if (w->waits) {
        w->waits = false;
        return WORD_VALUE;
    }
    w->option = NULL;
    if (w->ended || word[0] != '-' || !word[1]) {
        w->noperands++;
        /* as popt does */
        if (getenv("POSIXLY_CORRECT") || getenv("POSIX_ME_HARDER"))
            w->ended = true;
        return WORD_OPERAND;
    }
    if (!strcmp(word, "--")) {
        w->ended = true;
        return WORD_END;
    }
    if (word[1] == '-') {
        const char *name = word + 2;
        size_t len = strcspn(name, "=");
        w->option = walk_find_option(w->table, name, len);
        w->waits = w->option && w->option->form != CLI_FLAG && !name[len];
        return WORD_LONG;
    }
    for (const char *letter = word + 1; *letter; letter++) {
        w->option = find(w->table, *letter, NULL, 0);
        if (!w->option || w->option->form == CLI_FLAG)
            continue;
        w->waits = !letter[1];
        break;
    }
    return WORD_SHORT;
}

const struct cli_command *walk_find_command(const char *name)
{
    const struct cli *cli = cli_program();
    const struct cli_command *command;

    for (size_t i = 0; cli->command && (command = cli->command(i)); i++)
        if (!strcmp(command->name, name))
            return command;
    return NULL;
}

const struct cli_command *walk_command(const struct cli_option *table,
                                       const char *const *words, size_t n)
{
    struct walk w = {.table = table};

    for (size_t i = 0; i < n; i++)
        if (walk_word(&w, words[i]) == WORD_OPERAND)
            return walk_find_command(words[i]);
    return NULL;
}

/* Goes through the words of a command line (walk.h). */
#include "cli/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_name(struct walk_names *names, const struct poptOption *o)
{
    size_t n = strlen(names->text);

    names->valued |= walk_takes_value(o);
    names->only = names->n++ ? NULL : o;
    snprintf(names->text + n, sizeof(names->text) - n, "%s--%s", n ? ", " : "",
             o->longName);
}

/* A name that is there as a whole is it, whatever else begins so. */
static bool find_names(const struct poptOption *table,
                       const struct cli_command *command, const char *name,
                       size_t len, struct walk_names *names)
{
    for (const struct poptOption *o = table; !walk_is_end(o); o++) {
        if (walk_is_table(o)) {
            if (find_names(o->arg, command, name, len, names))
                return true;
        } else if (o->longName && !strncmp(o->longName, name, len)) {
            if (!o->longName[len]) {
                *names = (struct walk_names){.n = 0};
                add_name(names, o);
                return true;
            }
            if (!command || cli_takes(command, o))
                add_name(names, o);
        }
    }
    return false;
}

static const struct poptOption *find_letter(const struct poptOption *table,
                                            char letter)
{
    const struct poptOption *found = NULL;

    for (const struct poptOption *o = table; !found && !walk_is_end(o); o++)
        if (walk_is_table(o))
            found = find_letter(o->arg, letter);
        else if (o->shortName == letter)
            found = o;
    return found;
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
        /* as popt has it */
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
        w->names = (struct walk_names){.n = 0};
        if (w->command && len > 0)
            find_names(w->table, w->command, name, len, &w->names);
        if (!w->names.n && len > 0)
            find_names(w->table, NULL, name, len, &w->names);
        w->option = w->names.only;
        w->waits = w->names.valued && !name[len];
        return WORD_LONG;
    }
    for (const char *letter = word + 1; *letter; letter++) {
        w->option = find_letter(w->table, *letter);
        if (!w->option || !walk_takes_value(w->option))
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

const struct cli_command *walk_command(const struct poptOption *table,
                                       const char *const *words, size_t n)
{
    struct walk w = {.table = table};

    for (size_t i = 0; i < n; i++)
        if (walk_word(&w, words[i]) == WORD_OPERAND)
            return walk_find_command(words[i]);
    return NULL;
}

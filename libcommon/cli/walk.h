/*
 * Goes through the words of a command line as popt will, before it does: which
 * are options, and whose, which their values, and what is the command.
 *
 *     struct walk w = {.table = options, .command = walk_command(...)};
 *
 *     for (i = 1; i < argc; i++)
 *         if (walk_word(&w, argv[i]) == WORD_OPERAND)
 *             ...
 */
#ifndef CLI_WALK_H
#define CLI_WALK_H

#include "cli/cli.h"

enum walk_kind { WORD_OPERAND, WORD_LONG, WORD_SHORT, WORD_VALUE, WORD_END };

/* Names that begin so. */
struct walk_names {
    const struct poptOption *only; /* the one that there is; NULL: none, more */
    size_t n;
    bool valued;    /* one of them takes a value */
    char text[400]; /* "--exclude, --exclusive" */
};

struct walk {
    const struct poptOption *table;
    const struct cli_command *command; /* whose options they are; NULL: all */
    /* of the last word: */
    const struct poptOption *option; /* that it is, or is the value of */
    struct walk_names names;         /* of a WORD_LONG */
    size_t noperands;                /* up to it */
    bool waits; /* the next word is the value of an option */
    bool ended; /* no options come any more */
};

/* What the next word is. */
enum walk_kind walk_word(struct walk *w, const char *word);

/* The command of this name; NULL: there is none. */
const struct cli_command *walk_find_command(const char *name);

/* The command that the first operand of a line names, or NULL. */
const struct cli_command *walk_command(const struct poptOption *table,
                                       const char *const *words, size_t n);

/* Is an entry of a table another one, is it its end, has it a value? */
static inline bool walk_is_table(const struct poptOption *o)
{
    return (o->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE;
}

static inline bool walk_is_end(const struct poptOption *o)
{
    return !o->longName && !o->shortName && !o->arg;
}

static inline bool walk_takes_value(const struct poptOption *o)
{
    return (o->argInfo & POPT_ARG_MASK) != POPT_ARG_NONE;
}

#endif /* CLI_WALK_H */

/*
 * Goes through the words of a command line as popt will later: which words are
 * options, values or operands, and which is the command.
 *
 *     struct walk w = {.table = options};
 *
 *     for (i = 1; i < argc; i++)
 *         if (walk_word(&w, argv[i]) == WORD_OPERAND)
 *             ...
 */
#ifndef CLI_WALK_H
#define CLI_WALK_H

#include "cli/cli.h"

enum walk_kind { WORD_OPERAND, WORD_LONG, WORD_SHORT, WORD_VALUE, WORD_END };

struct walk {
    const struct poptOption *table;
    /* The option of the last word, or of its value; NULL: none. */
    const struct poptOption *option;
    size_t noperands; /* up to the last word */
    bool waits;       /* the next word is the value of `option` */
    bool ended;       /* no more options follow */
};

/* Find a long option of a table by its name, of `len` letters; or NULL. */
const struct poptOption *walk_find_option(const struct poptOption *table,
                                          const char *name, size_t len);

/* Return the kind of the next word. */
enum walk_kind walk_word(struct walk *w, const char *word);

/* Find the command of this name; or NULL. */
const struct cli_command *walk_find_command(const char *name);

/* Find the command that the first operand of a line names; or NULL. */
const struct cli_command *walk_command(const struct poptOption *table,
                                       const char *const *words, size_t n);

/* Is an entry an inner table? Is it the end? Does it take a value? */
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

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
    const struct cli_option *table;
    /* The option of the last word, or of its value; NULL: none. */
    const struct cli_option *option;
    size_t noperands; /* up to the last word */
    bool waits;       /* the next word is the value of `option` */
    bool ended;       /* no more options follow */
};

/* Find a long option of a table by its name, of `len` letters; or NULL. */
const struct cli_option *walk_find_option(const struct cli_option *table,
                                          const char *name, size_t len);

/* Return the kind of the next word. */
enum walk_kind walk_word(struct walk *w, const char *word);

/* Find the command of this name; or NULL. */
const struct cli_command *walk_find_command(const char *name);

/* Find the command that the first operand of a line names; or NULL. */
const struct cli_command *walk_command(const struct cli_option *table,
                                       const char *const *words, size_t n);

/* Is a row the end of a table? */
static inline bool walk_is_end(const struct cli_option *o)
{
    return !o->name && !o->table;
}

#endif /* CLI_WALK_H */

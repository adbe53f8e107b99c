/*
 * Completion of command lines, for the shells:
 *
 *     PROGRAM --complete N WORD...
 *
 * prints what the Nth WORD, from 0, can become. The words are those after the
 * name of the program, including words after the Nth. The first line is
 * `words`, or `files` or `folders` with a tab and the part of the word before
 * the name of a file: the shell adds these names. Each further line is a whole
 * word, a tab and its meaning. Nothing is changed. Words about a set come from
 * the document or store that the line names.
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <stdio.h>

#include "cli/cli.h"

struct complete {
    const struct cli_option *table;
    const char *const *words;
    size_t n, at; /* their number; the word to complete */
    const struct cli_command *command;
    /* The part of this word that stays ("--type=node,"), and the part to
       complete. */
    char *before;
    const char *word;
    FILE *list; /* unless NULL: write words here, separated by blanks */
};

/* Answer a command line whose first word is --complete, and end the program. */
void complete_answer(int argc, const char **argv,
                     const struct cli_option *table);

/* Offer a word if it begins with the typed part. `meaning` may be NULL. */
void complete_offer(const struct complete *c, const char *word,
                    const char *meaning);

/* Offer a word of a vocabulary (near.h). `c`: a struct complete. */
void complete_word(void *c, const char *word);

/* Return the value of a long option on the line, "" for an option without
   value, or NULL if it is not given. */
const char *complete_option_value(const struct complete *c, const char *name);

/* Return the last operand that is a regular file; NULL if none is. */
const char *complete_document(const struct complete *c);
bool complete_is_file(const char *name);

#endif /* CLI_COMPLETE_H */

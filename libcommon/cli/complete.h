/*
 * What may come next on a command line, for the shells:
 *
 *     PROGRAM --complete N WORD...
 *
 * prints what the Nth WORD, from 0, can become. The words are those behind the
 * name of the program, also what comes after the Nth. The first line is
 * `words`, or `files` or `folders` with a tab and what of the word comes before
 * the name of one: these are for the shell to add. Then come whole words, a
 * line each, with a tab and what they mean. Nothing is changed; what is told of
 * a set is read from the document or the store that the line names.
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <stdio.h>

#include "cli/cli.h"

struct complete {
    const struct poptOption *table;
    const char *const *words;
    size_t n, at; /* so many; the one to complete */
    const struct cli_command *command;
    /* What of that word stays, as "--type=node,", and what is to be completed.
     */
    char *before;
    const char *word;
    FILE *list; /* not NULL: words go here, with blanks between them */
};

/* Answer a command line whose first word is --complete, and end. */
void complete_answer(int argc, const char **argv,
                     const struct poptOption *table);

/* Offer a word if it begins as what is typed; what it means may be NULL. */
void complete_offer(const struct complete *c, const char *word,
                    const char *meaning);

/* The same, with a struct complete, of each word of a vocabulary (near.h). */
void complete_word(void *c, const char *word);

/* The value that the line gives to a long option, "" to one that takes none;
   NULL: it is not given. */
const char *complete_given(const struct complete *c, const char *name);

/* The last operand that is a regular file; NULL: none is. */
const char *complete_document(const struct complete *c);
bool complete_is_file(const char *name);

#endif /* CLI_COMPLETE_H */

/* What a program says when a request was answered with a no. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "schedule/match.h"

/*
 * The exit status of an answer. A no is said in one line on standard error,
 * with the name of the set and the request.
 */
int cli_answer(enum match_answer answer, const char *name,
               const struct request *req);

#endif /* CLI_ANSWER_H */

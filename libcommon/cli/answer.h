/* What a program says when a request was answered with a no. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "schedule/match.h"

/* Write a member of an object, `,"key":"text"`; the text may be any bytes. */
void cli_put(FILE *fp, const char *key, const char *text);

/* The exit status of an answer. */
int cli_answer_status(enum match_answer answer);

/* Why (schedule/explain.h), as an object, for any answer. NULL with a diag. */
json_t *cli_explain_json(struct usage *u, const struct request *req,
                         const struct match_options *opts,
                         enum match_answer answer, struct diag *d);

#endif /* CLI_ANSWER_H */

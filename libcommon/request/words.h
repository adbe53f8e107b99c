/* Requests in words, for people. */
#ifndef REQUEST_WORDS_H
#define REQUEST_WORDS_H

#include "request/request.h"

/*
 * What an entry asks for: "4 nodes with 8 gpus", "2-6 slots of 1 core". A
 * new string for free().
 */
char *request_words(const struct request_vertex *v);

#endif /* REQUEST_WORDS_H */

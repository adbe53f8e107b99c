/*
 * The words of a constraint's text (RFC 35), for its reader.
 */
#ifndef REQUEST_CONSTRAINT_TEXT_H
#define REQUEST_CONSTRAINT_TEXT_H

#include <stddef.h>

#include "base/diag.h"

enum token_kind {
    TOKEN_END,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_MINUS,
    TOKEN_TERM
};

/* All by offsets in the text. The end is an empty token. */
struct token {
    enum token_kind kind;
    size_t start, end;
    size_t oplen;                      /* of a term's operator; 0: none */
    size_t operand_start, operand_end; /* of a term, without its quotes */
};

/* A text while it is read. */
struct query {
    const char *text;
    size_t len;
    struct token token; /* what comes next */
    unsigned open;      /* parentheses */
    struct diag *d;
};

/* Read the token behind the one that comes next. Returns -1 for a fault. */
int query_advance(struct query *q);

/*
 * What lies between two offsets is wrong: `offset 7: "a:": <rule>`. Always
 * returns -1.
 */
int query_fault(struct query *q, size_t start, size_t end, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif /* REQUEST_CONSTRAINT_TEXT_H */

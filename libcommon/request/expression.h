/*
 * Expressions as text: what the languages of constraints have in common.
 *
 *     or   = and *( OR and )
 *     and  = not *( AND not )
 *     not  = *NOT ( "(" or ")" / term )
 *
 * A grammar says what its words are, and what a term is. Reading goes over
 * the text once, from left to right, with a function for each rule; only
 * parentheses lead from one back to the first.
 */
#ifndef REQUEST_EXPRESSION_H
#define REQUEST_EXPRESSION_H

#include "request/constraint_private.h"

enum token_kind {
    TOKEN_END,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_MINUS, /* begins a term */
    TOKEN_TERM
};

/* By offsets in the text. The end is an empty token. */
struct token {
    enum token_kind kind;
    size_t start, end;
    /* Of a term that is an operator and an operand: see there. */
    size_t oplen, operand, operand_end;
};

/* A text while it is read. */
struct expression {
    const struct grammar *grammar;
    const char *text;
    size_t len, pos;    /* `pos`: what is behind the token */
    struct token token; /* what comes next */
    unsigned open;      /* parentheses */
    double now;         /* to which times are relative */
    struct diag *d;
};

struct grammar {
    /* Find the token at `pos`, behind blanks, and move behind it. */
    int (*advance)(struct expression *e);
    /* Read the term that comes next, and advance. */
    struct constraint *(*read_term)(struct expression *e);
    bool blank_joins;   /* a blank means `and`, but not beside an `or` */
    unsigned depth;     /* what is joined is not deeper than this */
    const char *whole;  /* what ends, for messages */
    const char *term;   /* what a term is called */
    const char *opened; /* a parenthesis is not closed */
    const char *inside; /* what is due in parentheses; NULL: all may be */
    const char *behind; /* what is wrong behind the end */
    const char *deep;   /* parentheses are; NULL: as constraints */
};

/* Read all of a text: a new constraint, or NULL with a diag. */
struct constraint *expression_read(const struct grammar *g, const char *text,
                                   double now, struct diag *d);

/*
 * What lies between two offsets is wrong: `offset 7: "a:": <rule>`. Always
 * returns -1.
 */
#define expression_fault(e, start, end, ...) \
    diag_at((e)->d, (e)->text, start, end, __VA_ARGS__)

/* What a word is: a keyword, or a term. */
enum token_kind expression_word(const char *word, size_t len);

/* Something else should come next. Always returns -1. */
int expression_due(struct expression *e, const char *what);

#define BLANKS " \t\r\n\v\f"

#endif /* REQUEST_EXPRESSION_H */

/*
 * Expressions as text: the syntax that the languages of constraints share.
 *
 *     or   = and *( OR and )
 *     and  = not *( AND not )
 *     not  = *NOT ( "(" or ")" / term )
 *
 * A grammar defines the words and the terms. The text is read once, from left
 * to right, with a function for each rule. Only parentheses make it recursive.
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

/* A word of the text, by offsets. At the end the token is empty. */
struct token {
    enum token_kind kind;
    size_t start, end;
    /* A term with an operator: see constraint_requires.c. */
    size_t oplen, operand, operand_end;
};

/* A text being read. */
struct expression {
    const struct grammar *grammar;
    const char *text;
    size_t len, pos;    /* `pos`: the end of the token */
    struct token token; /* the next token */
    unsigned open;      /* open parentheses */
    double now;         /* the time for relative times */
    struct diag *d;
};

struct grammar {
    /* Find the token at `pos`, after blanks, and move `pos` to its end. */
    int (*advance)(struct expression *e);
    /* Read a term that begins with the next token, and advance. */
    struct constraint *(*read_term)(struct expression *e);
    bool blank_joins;   /* a blank means `and`, but not beside an `or` */
    unsigned depth;     /* the greatest depth of the result */
    const char *whole;  /* for messages: the text as a whole */
    const char *term;   /* for messages: a term */
    const char *opened; /* message: a parenthesis is not closed */
    const char *inside; /* for messages: the tokens expected in parentheses;
                           NULL: any expression */
    const char *behind; /* message: something follows the end */
    const char *deep;   /* message: too many parentheses; NULL: as for
                           constraints */
};

/* Read a whole text. Returns a new constraint, or NULL with a diag. */
struct constraint *expression_read(const struct grammar *g, const char *text,
                                   double now, struct diag *d);

/* Report a fault between two offsets: `offset 7: "a:": <rule>`. Returns -1. */
#define expression_fault(e, start, end, ...) \
    diag_at((e)->d, (e)->text, start, end, __VA_ARGS__)

/* Return whether a word is a keyword or a term. */
enum token_kind expression_word(const char *word, size_t len);

/* Report that something else is expected next. Returns -1. */
int expression_due(struct expression *e, const char *what);

#define BLANKS " \t\r\n\v\f"

#endif /* REQUEST_EXPRESSION_H */

/*
 * Shapes (RFC 46): the words of the language, for its reader.
 */
#ifndef REQUEST_SHAPE_PRIVATE_H
#define REQUEST_SHAPE_PRIVATE_H

#include "request/request_private.h"

/* A shape while it is read. */
struct shape {
    const char *text;
    size_t len, pos;
    int depth;
    json_t *labels; /* an object: the keys are taken */
    size_t nslots;  /* so far */
    bool has_unlabelled;
    size_t unlabelled, unlabelled_end; /* the first slot without a label */
    struct diag *d;
};

/* A word: a bare or a quoted string, or what reads as another JSON value. */
struct shape_word {
    enum { WORD_STRING, WORD_TRUE, WORD_FALSE, WORD_OTHER } kind;
    char *string; /* the text of any kind, unquoted; for free() */
    size_t start, end;
};

/* The byte that comes next, 0 at the end. */
char shape_peek(const struct shape *s);

/* Step over `c` if it comes next. */
bool shape_skip(struct shape *s, char c);

/*
 * What lies between two offsets is wrong: `offset 7: "node=2": <rule>`.
 * Always returns -1.
 */
#define shape_fault(s, start, end, ...) \
    diag_at((s)->d, (s)->text, start, end, __VA_ARGS__)

/* Something else should come next: `"%": <what> is due here`. Returns -1. */
int shape_due(struct shape *s, const char *what);

/* Read the word that comes next; `what` it should be is for the message. */
int shape_read_word(struct shape *s, const char *what, struct shape_word *word);

/* Read what is in braces, the opening one included, into a vertex. */
int shape_read_dict(struct shape *s, struct request_vertex *v);

#endif /* REQUEST_SHAPE_PRIVATE_H */

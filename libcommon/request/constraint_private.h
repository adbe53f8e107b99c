/* The tree of a constraint, for its readers and its evaluation. */
#ifndef REQUEST_CONSTRAINT_PRIVATE_H
#define REQUEST_CONSTRAINT_PRIVATE_H

#include "request/constraint.h"

/* The operators of RFC 31: first those of strings, then those of objects. */
enum constraint_op {
    CONSTRAINT_PROPERTIES,
    CONSTRAINT_HOSTLIST,
    CONSTRAINT_RANKS,
    CONSTRAINT_AND,
    CONSTRAINT_OR,
    CONSTRAINT_NOT,
    CONSTRAINT_OPS
};
extern const char *const constraint_op_names[CONSTRAINT_OPS];

/*
 * The tree is in its normal form from the start: `not` has one child, `or`
 * two or more that are no `or`, `and` none, or two or more that are no `and`
 * and of which one at most is `properties`. An `and` of none always holds.
 */
struct constraint {
    enum constraint_op op;
    unsigned depth;         /* how many objects deep its JSON is */
    json_t *values;         /* of strings: the array as it was written */
    struct hostlist *hosts; /* of a hostlist: what it says */
    struct idset *ranks;    /* of ranks */
    struct constraint *child, *next;
};

/* Is this an operator of strings? */
static inline bool constraint_is_leaf(enum constraint_op op)
{
    return op < CONSTRAINT_AND;
}

/* A new operator of strings without any. NULL with a diag. */
struct constraint *constraint_create(enum constraint_op op, struct diag *d);

/*
 * Give an operator of strings another one of `len` bytes. Returns -1 with a
 * diag that quotes what is wrong with it.
 */
int constraint_add_value(struct constraint *c, const char *text, size_t len,
                         struct diag *d);

/*
 * Join constraints (chained by `next`) by and, or, or not into one in normal
 * form, which may be one of them. They are taken over, also on failure: NULL
 * with a diag.
 */
struct constraint *constraint_join(enum constraint_op op,
                                   struct constraint *list, struct diag *d);

/* The diag of what is nested too deep. Always -1. */
int constraint_too_deep(struct diag *d);

#endif /* REQUEST_CONSTRAINT_PRIVATE_H */

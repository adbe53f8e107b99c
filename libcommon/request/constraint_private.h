/*
 * The tree of a constraint. constraint.c, constraint_requires.c and find.c read
 * it, evaluation.c evaluates it.
 */
#ifndef REQUEST_CONSTRAINT_PRIVATE_H
#define REQUEST_CONSTRAINT_PRIVATE_H

#include "request/constraint.h"

enum constraint_kind {
    CONSTRAINT_AND,
    CONSTRAINT_OR,
    CONSTRAINT_NOT,
    CONSTRAINT_CRITERION
};

enum criterion_op { OP_ALONE, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE };

/* The subjects of criteria, in the order of find_keys. */
enum criterion_about {
    ABOUT_TYPE,
    ABOUT_BASENAME,
    ABOUT_NAME,
    ABOUT_ID,
    ABOUT_UUID,
    ABOUT_PATH,
    ABOUT_RANK,
    ABOUT_HOST,
    ABOUT_SIZE,
    ABOUT_UNIT,
    ABOUT_PROPERTY,
    ABOUT_TAG,
    ABOUT_STATE,
    ABOUT_STATUS,
    ABOUT_SUBSYSTEM,
    ABOUT_FED_BY,
    ABOUT_ALLOCATED,
    ABOUT_RESERVED,
    ABOUT_SHARED,
    ABOUT_STAGED,
    ABOUT_START,
    ABOUT_END,
    ABOUT_FREE,
    ABOUT_EXCLUSIVE,
    CRITERIA
};

/*
 * The tree is always in normal form. `not` has one child. `or` has two or more,
 * none of them an `or`. `and` has none, or two or more, none of them an `and`.
 * An `and` without children always holds.
 */
struct constraint {
    struct constraint *child, *next;
    enum constraint_kind kind;
    unsigned depth; /* nesting depth of its JSON objects */

    /* A criterion: its subject, and the value to compare with. */
    enum criterion_about about;
    enum criterion_op op;
    char *text;
    char **words; /* the elements of a list */
    size_t nwords;
    struct idset *ids;      /* all numbers that satisfy it */
    struct hostlist *hosts; /* all names that satisfy it */
    int64_t number;         /* the number to compare with */
    const char *unit;       /* part of `text` */
    double time;
    double now; /* the time of the question */
    bool timed; /* `time` is set */
    bool below; /* with a path: everything below the path */
};

/* Make an `and`, `or` or `not` of constraints chained by `next`. Takes them
   over. */
struct constraint *constraint_join(enum constraint_kind kind,
                                   struct constraint *list);

/* Make a criterion. One of hosts or ranks has none yet. */
struct constraint *criterion_create(enum criterion_about about);

/*
 * Add a value to a criterion of hosts or ranks, or set the value of a new
 * criterion of a property. Returns -1 with a diag that quotes the fault.
 */
int criterion_add(struct constraint *c, const char *text, size_t len,
                  struct diag *d);

/* Report constraints that are nested too deep. Returns -1. */
int constraint_too_deep(struct diag *d);

#endif /* REQUEST_CONSTRAINT_PRIVATE_H */

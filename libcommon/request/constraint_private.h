/*
 * The tree of a constraint: read by constraint.c, constraint_requires.c
 * and find.c, evaluated by evaluation.c.
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

/* What a criterion asks of, in the order of find_keys. */
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
 * The tree is in its normal form from the start: `not` has one child, `or`
 * two or more that are no `or`, `and` none, or two or more that are no
 * `and`. An `and` of none always holds.
 */
struct constraint {
    struct constraint *child, *next;
    enum constraint_kind kind;
    unsigned depth; /* how many objects deep its JSON is */

    /* A criterion: what it asks of, and the value it asks for. */
    enum criterion_about about;
    enum criterion_op op;
    char *text;
    char **words; /* the elements of a list */
    size_t nwords;
    struct idset *ids;      /* all numbers that satisfy it */
    struct hostlist *hosts; /* all names */
    int64_t number;         /* to compare with */
    const char *unit;       /* in `text` */
    double time;
    double now; /* when it is asked */
    bool timed; /* it has a time */
    bool below; /* a path: all below it */
};

/* A new `and`, `or` or `not` of constraints chained by `next`, taken over. */
struct constraint *constraint_join(enum constraint_kind kind,
                                   struct constraint *list);

/* A new criterion, of a host or rank with none yet. */
struct constraint *criterion_create(enum criterion_about about);

/*
 * Give a criterion of hosts, ranks or a property (a new one, then) a value.
 * Returns -1 with a diag that quotes what is wrong with it.
 */
int criterion_add(struct constraint *c, const char *text, size_t len,
                  struct diag *d);

/* The diag of what is nested too deep. Always -1. */
int constraint_too_deep(struct diag *d);

#endif /* REQUEST_CONSTRAINT_PRIVATE_H */

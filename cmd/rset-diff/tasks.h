/*
 * What rset-diff can be asked for. A task takes the documents that were read,
 * writes its answer and returns the exit status. Faults end the program.
 */
#ifndef RSET_DIFF_TASKS_H
#define RSET_DIFF_TASKS_H

#include "cli/documents.h"
#include "compare/diff.h"
#include "compare/verify.h"

/* By its option; none is to compare. */
enum task_name {
    COMPARE,
    JOBS,
    UNION,
    INTERSECT,
    SUBTRACT,
    XOR,
    ATTACH,
    UNLINK,
    EXPAND,
    PATCH,
    APPLY,
    VERIFY,
    AUDIT,
    RESPONSES,
    RENUMBER, /* no option of its own: --remap or --rerank alone */
    TASKS
};

/* What the options say; the task's own may have an argument. */
struct task_options {
    enum task_name task;
    char *argument;
    enum identity by; /* BY_EITHER: not said */
    struct verify_rule *rules;
    size_t nrules;
    struct hostlist *order; /* of --rerank, or NULL */
    /* as they were given */
    char *by_name, *rerank;
    char **allow; /* any number of them */
    bool disjoint, remap, no_extra, stat, in_place;
};

/* How many documents a task takes, and what kind of answer it gives. */
struct task {
    const char *option;
    size_t least, most; /* 0: any number */
    enum answer_kind answer;
    int (*run)(const struct task_options *o, const struct rset_list *sets);
    /* Of two sets the first becomes that: the algebra. */
    int (*combine)(struct rset *a, struct rset *b, struct diag *d);
};
extern const struct task tasks[TASKS];

#endif /* RSET_DIFF_TASKS_H */

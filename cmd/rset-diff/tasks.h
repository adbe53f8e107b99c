/* The tasks of rset-diff. A task takes the documents that were read, writes its
   answer and returns the exit status. Faults end the program. */
#ifndef RSET_DIFF_TASKS_H
#define RSET_DIFF_TASKS_H

#include "cli/documents.h"
#include "compare/diff.h"
#include "compare/verify.h"

/* Tasks by their option; without one, COMPARE. */
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
    RENUMBER, /* no option of its own: such as --remap */
    TASKS
};

/* The values of the options. `argument`: that of the task's own option. */
struct task_options {
    enum task_name task;
    char *argument;
    enum identity by; /* BY_EITHER: not given */
    struct verify_rule *rules;
    size_t nrules;
    struct hostlist *order; /* of --rerank, or NULL */
    /* as given */
    char *by_name, *rerank;
    char **allow; /* repeatable */
    bool disjoint, remap, remap_cores, no_extra, stat, in_place;
};

/* A task: the number of its documents, the kind of its answer, its function. */
struct task {
    const char *option;
    size_t least, most; /* 0: any number */
    enum answer_kind answer;
    int (*run)(const struct task_options *o, const struct rset_list *sets);
    /* Algebra on two sets: the first becomes the result. */
    int (*combine)(struct rset *a, struct rset *b, struct diag *d);
};
extern const struct task tasks[TASKS];

#endif /* RSET_DIFF_TASKS_H */

/*
 * What rset-diff does beside combining sets: each takes the documents that
 * were read, writes its answer and returns the exit status. Faults end the
 * program.
 */
#ifndef RSET_DIFF_TASKS_H
#define RSET_DIFF_TASKS_H

#include "cli/documents.h"
#include "compare/diff.h"
#include "compare/responses.h"
#include "compare/verify.h"

/* What differs between two documents, for people or as JSON. */
int diff_compare(const struct rset_list *sets, enum identity by);

/* The patch that leads from the first document to the second. */
int diff_patch(const struct rset_list *sets);

/* The document with a patch, read from a file, applied to it. */
int diff_apply(const struct rset_list *sets, const char *file);

/* One or many nodes against what is expected of them, read from a file. */
struct diff_verify {
    const char *expected;
    enum identity by;
    const struct verify_rule *rules;
    size_t nrules;
    bool no_extra;
};
int diff_verify(const struct rset_list *sets, const struct diff_verify *how);

/* The first document is an inventory, the others are the R of jobs. */
int diff_audit(const struct rset_list *sets);

/* From the first inventory to the second as responses of RFC 28. */
/* --expand: every set made whole and written. */
int diff_expand(const struct rset_list *sets, const char *inventory);

int diff_responses(const struct rset_list *sets, enum dialect dialect);

/* End the program: what goes wrong with one document, or with two. */
void diff_fail(const struct named_rset *a, const struct named_rset *b,
               struct diag *d) __attribute__((noreturn));

#endif /* RSET_DIFF_TASKS_H */

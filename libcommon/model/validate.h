/*
 * Validation: all that is wrong with a document, not the first of it.
 *
 * The readers stop at the first fault, because nothing can be done with what
 * is behind it. Whoever has to mend a document wants to see them all. So a
 * document is looked at here as the JSON value that it is, and nothing is
 * made of it: each part is checked as far as it can be understood, and what
 * follows only from another fault is not told again (the halves of an R are
 * compared if each of them is sound).
 *
 * Every fault is of a rule, and the rules are a table: its name, what becomes
 * of a document that breaks it, and the standard that has it. That is the
 * table in rset(5).
 */
#ifndef MODEL_VALIDATE_H
#define MODEL_VALIDATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

enum fault_level {
    FAULT_REFUSED, /* no reader takes the document */
    FAULT_WARNED,  /* deployed readers take it, and so do ours */
    FAULT_STRICT,  /* against the seed edition to the letter */
    FAULT_LEVELS
};
/* "refused", "warned", "strict". */
extern const char *const fault_level_names[FAULT_LEVELS];

/* A rule that a document can break. */
struct fault_rule {
    const char *name; /* stable: scripts may ask for it */
    enum fault_level level;
    const char *standard; /* that has the rule: "RFC 20" */
    const char *text;     /* what is wrong, in a few words */
};

/* All rules, in the order of rset(5); *n is set to their number. */
const struct fault_rule *fault_rules(size_t *n);

struct fault {
    const char *rule; /* its name */
    enum fault_level level;
    char *where; /* JSON path, "" for the document as a whole */
    char *text;  /* what is wrong, the offending text quoted */
};

/*
 * Faults in the order in which they were found. All of zeros is an empty
 * list, in which faults of FAULT_STRICT are not gathered.
 */
struct faults {
    struct fault *list;
    size_t n, size;
    bool strict; /* gather FAULT_STRICT, too */
};
void faults_fini(struct faults *faults);

/* How many faults are of a level. */
size_t faults_count(const struct faults *faults, enum fault_level level);

/*
 * Check a document: an R (RFC 20) or a bare graph, with all that RFC 4 and
 * RFC 16 say of what is in it. Faults are added to *out. The cost is linear
 * in the document. Returns 0, whatever was found; -1 with a diag only when
 * memory ran out.
 */
int validate_document(const json_t *doc, struct faults *out, struct diag *d);

#endif /* MODEL_VALIDATE_H */

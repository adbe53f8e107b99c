/*
 * Faults of documents. Each fault breaks a rule, which has a name, a level and
 * a standard in the table of rset-documents(5).
 *
 * Reading stops at the first fault for which a document is refused.
 * rset_validate() reads in the same way, but lists all faults.
 *
 *     struct faults faults = {.strict = true};
 *
 *     while (rset_validate(s, TRUST_NONE, &faults, &d) == 1) {
 *         for (size_t i = 0; i < faults.n; i++)
 *             puts(faults.list[i].text);
 *         faults_fini(&faults);
 *     }
 */
#ifndef MODEL_DOCUMENT_FAULTS_H
#define MODEL_DOCUMENT_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

enum fault_level {
    FAULT_REFUSED, /* no reader accepts the document */
    FAULT_WARNED,  /* deployed readers accept it, and so do we */
    FAULT_STRICT,  /* violates the letter of the seed edition */
    FAULT_NOTED,   /* no fault, but worth knowing */
    FAULT_LEVELS
};
/* "refused", "warned", "strict", "noted". */
extern const char *const fault_level_names[FAULT_LEVELS];

struct fault_rule {
    const char *name; /* stable: scripts may use it */
    enum fault_level level;
};

/* Return all rules in the order of rset-documents(5), and set *n to their
   number. */
const struct fault_rule *fault_rules(size_t *n);

/* Return whether a rule is about records of jobs (RFC 4, RFC 16). */
bool rule_on_records(const struct fault_rule *rule);

struct fault {
    const struct fault_rule *rule;
    enum fault_level level; /* of the rule; lower with --trust */
    char *where;            /* JSON path; "": the whole document */
    char *text;             /* message with the offending text quoted */
};

/* The faults of a document, in the order in which they are found. */
struct faults {
    struct fault *list;
    size_t n;
    bool strict;         /* list FAULT_STRICT, too; the caller sets it */
    bool strict_records; /* list FAULT_STRICT of rules on records */
    bool waiting;        /* note jobs that wait for others at `now` */
    double now;          /* seconds since the Epoch */
    bool jobs;           /* the document has records of jobs */
};

/* Free all faults. */
void faults_fini(struct faults *faults);

#endif /* MODEL_DOCUMENT_FAULTS_H */

/*
 * What can be wrong with a document. Each fault breaks a rule of the table in
 * rset(5): its name, its level and its standard.
 *
 * Reading stops at the first fault for which a document is refused.
 * rset_validate() reads it in the same way, but lists all faults.
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
    FAULT_REFUSED, /* no reader takes the document */
    FAULT_WARNED,  /* deployed readers take it, and so do ours */
    FAULT_STRICT,  /* against the seed edition to the letter */
    FAULT_NOTED,   /* no fault, but worth knowing */
    FAULT_LEVELS
};
/* "refused", "warned", "strict", "noted". */
extern const char *const fault_level_names[FAULT_LEVELS];

struct fault_rule {
    const char *name; /* stable: scripts may ask for it */
    enum fault_level level;
    const char *standard; /* that has the rule: "RFC 20" */
    const char *text;
};

/* All rules, in the order of rset(5); *n is set to their number. */
const struct fault_rule *fault_rules(size_t *n);

/* Is it a rule on records of jobs (RFC 4, RFC 16)? */
bool rule_on_records(const struct fault_rule *rule);

struct fault {
    const struct fault_rule *rule;
    enum fault_level level; /* the rule's, unless --trust makes it less */
    char *where;            /* JSON path, "" for the document as a whole */
    char *text;             /* what is wrong, the offending text quoted */
};

/* The faults of a document, in the order in which they were found. */
struct faults {
    struct fault *list;
    size_t n;
    bool strict;         /* gather FAULT_STRICT, too; set by the caller */
    bool strict_records; /* the same of rules on records alone */
    bool waiting;        /* note which jobs wait for others at `now` */
    double now;          /* seconds since the Epoch */
    bool jobs;           /* the document has records of jobs, sound or not */
};

/* Forget all faults. */
void faults_fini(struct faults *faults);

#endif /* MODEL_DOCUMENT_FAULTS_H */

/*
 * Verification: does a set have the configured resources?
 *
 * The R_lite of both sets is compared, by host if both allow it. A single node
 * is verified against its own part of the expected set, several nodes against
 * all of it.
 */
#ifndef COMPARE_VERIFY_H
#define COMPARE_VERIFY_H

#include "compare/changes.h"
#include "compare/diff.h"

/* How to treat differences of a type. */
enum verify_mode {
    VERIFY_DEFAULT, /* missing is a fault, extra is reported */
    VERIFY_STRICT,  /* both are faults */
    VERIFY_EXTRA,   /* extra is not reported */
    VERIFY_MISSING, /* missing is not reported */
    VERIFY_IGNORE   /* nothing is reported */
};

/* Return the mode with a name (strict, extra, missing, ignore), or -1. */
int verify_mode_from_name(const char *name);

/* A rule for a type; the last one counts. The type `host` stands for whole
   nodes. */
struct verify_rule {
    const char *type;
    enum verify_mode mode;
};

/*
 * Compare `actual` with `expected`. By host, `actual` gets the ranks that its
 * hosts have in `expected`. Findings are changes: GONE is missing, NEW is
 * extra. With `no_extra`, extra is a fault wherever it is reported. Returns 0
 * if the set is as expected, 1 if not, or -1 with a diag.
 */
int rset_verify(struct rset *expected, struct rset *actual, enum identity by,
                const struct verify_rule *rules, size_t nrules, bool no_extra,
                struct changes *findings, struct diag *d);

#endif /* COMPARE_VERIFY_H */

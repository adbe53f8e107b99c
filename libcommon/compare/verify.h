/*
 * Verification: is what is there what was configured?
 *
 * Both sets are compared as R_lite says them, by host where both can. A
 * single node is verified against its own part of what is expected, many
 * nodes against all of it.
 */
#ifndef COMPARE_VERIFY_H
#define COMPARE_VERIFY_H

#include "compare/changes.h"
#include "compare/diff.h"

/* What is allowed of a type. */
enum verify_mode {
    VERIFY_DEFAULT, /* missing is a fault, extra is only told */
    VERIFY_STRICT,  /* both are faults */
    VERIFY_EXTRA,   /* extra is not even told */
    VERIFY_MISSING, /* missing is allowed */
    VERIFY_IGNORE   /* both are allowed */
};

/* The mode of that name (strict, extra, missing, ignore), or -1. */
int verify_mode_from_name(const char *name);

/* A rule for a type, of several the last; `host` is nodes as a whole. */
struct verify_rule {
    const char *type;
    enum verify_mode mode;
};

/*
 * Compare `actual` with `expected`. By host, `actual` gets the ranks that its
 * hosts have in `expected`. The findings are changes: GONE is missing, NEW is
 * extra. Returns 0 if it is as expected, 1 if not, -1 with a diag. With
 * `no_extra` the mode of types without a rule is VERIFY_STRICT.
 */
int rset_verify(struct rset *expected, struct rset *actual, enum identity by,
                const struct verify_rule *rules, size_t nrules, bool no_extra,
                struct changes *findings, struct diag *d);

#endif /* COMPARE_VERIFY_H */

/* Verifies sets (verify.h). */
#include "compare/verify.h"

#include <stdlib.h>
#include <string.h>

#include "compare/align.h"
#include "model/change/ranks.h"
#include "model/document/rlite.h"

struct verifying {
    const struct verify_rule *rules;
    size_t nrules;
    bool no_extra;
    struct changes *out;
    bool one; /* a single node: other nodes are not missing */
    bool fault;
};

int verify_mode_from_name(const char *name)
{
    static const char *const names[] = {
        [VERIFY_STRICT] = "strict",
        [VERIFY_EXTRA] = "extra",
        [VERIFY_MISSING] = "missing",
        [VERIFY_IGNORE] = "ignore",
    };

    return WORD_FIND(names, name);
}

static enum verify_mode mode_of(const struct verifying *v, const char *type)
{
    for (size_t i = v->nrules; i > 0; i--)
        if (!strcmp(v->rules[i - 1].type, type))
            return v->rules[i - 1].mode;
    return VERIFY_DEFAULT;
}

/* Is a missing (or extra) pool of this type reported? If so, note whether it is
   a fault. */
static bool is_reported(struct verifying *v, const char *type, bool missing)
{
    enum verify_mode mode = mode_of(v, type);

    if (mode == VERIFY_IGNORE
        || mode == (missing ? VERIFY_MISSING : VERIFY_EXTRA))
        return false;
    v->fault |= missing || v->no_extra || mode == VERIFY_STRICT;
    return true;
}

/* Report the targets of a set, and the pools in its targets, that the other set
   does not have. */
static void verify_targets(struct verifying *v, const struct rset *rs,
                           bool missing)
{
    for (const struct vertex *t = rs->root->child; t; t = t->next) {
        struct map parts = {0};
        char *text;

        if (!t->peer && (v->one || !is_reported(v, "host", missing)))
            continue;
        for (const struct vertex *c = t->child; c; c = c->next)
            if (!(t->peer && c->peer) && is_reported(v, c->type, missing))
                folded_add(&parts, "", c);
        if (parts.count > 0 || (!t->peer && !t->child)) {
            text = folded_text(&parts, "");
            changes_add_ranks(v->out, missing ? CHANGE_GONE : CHANGE_NEW,
                              t->run, text);
            free(text);
        }
        folded_fini(&parts);
    }
}

static int verify(struct verifying *v, struct rset *expected,
                  struct rset *actual, enum identity by, struct diag *d)
{
    struct diag hosts = {0};

    if (by == BY_EITHER)
        by = rset_hosts_unique(expected) && rset_hosts_unique(actual) ? BY_HOST
                                                                      : BY_RANK;
    if (by == BY_HOST
        && rset_adopt_ranks(actual, expected, &v->out->old, d) < 0)
        return -1;
    v->one = idset_count(actual->ranks) == 1
             && idset_subset(actual->ranks, expected->ranks);
    if (rset_align(usage_settle(expected), usage_settle(actual), d) < 0)
        return -1;

    if (mode_of(v, "host") != VERIFY_IGNORE
        && rset_check_hosts(expected, actual, false, NULL, &hosts) < 0) {
        v->fault = true;
        changes_add(v->out, CHANGE_ALTERED, "%s", hosts.text);
    }
    verify_targets(v, expected, true);
    verify_targets(v, actual, false);
    return 0;
}

int rset_verify(struct rset *expected, struct rset *actual, enum identity by,
                const struct verify_rule *rules, size_t nrules, bool no_extra,
                struct changes *findings, struct diag *d)
{
    struct verifying v = {.rules = rules,
                          .nrules = nrules,
                          .no_extra = no_extra,
                          .out = findings};
    struct rset *a = NULL, *b = NULL;
    int rc = -1;

    rlite_share_types(expected, actual);
    if ((a = rset_plain(expected, false, d))
        && (b = rset_plain(actual, false, d)))
        rc = verify(&v, a, b, by, d);
    if (rc == 0)
        changes_sort(findings, a, b);
    rset_destroy(a);
    rset_destroy(b);
    if (rc == 0 && findings->old) /* findings name ranks of `expected` */
        rc = rset_adopt_ranks(actual, expected, NULL, d);
    return rc < 0 ? -1 : v.fault;
}

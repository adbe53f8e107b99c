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

    for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(name, names[i]))
            return (int)i;
    return -1;
}

static enum verify_mode mode_of(const struct verifying *v, const char *type)
{
    for (size_t i = v->nrules; i > 0; i--)
        if (!strcmp(v->rules[i - 1].type, type))
            return v->rules[i - 1].mode;
    return VERIFY_DEFAULT;
}

/* Is a missing (or extra) pool of this type reported at all? */
static bool is_reported(const struct verifying *v, const char *type,
                        bool missing)
{
    enum verify_mode mode = mode_of(v, type);

    if (mode == VERIFY_IGNORE)
        return false;
    return missing ? mode != VERIFY_MISSING : mode != VERIFY_EXTRA;
}

/* Is a missing (or extra) pool that is reported a fault? */
static bool is_fault(const struct verifying *v, const char *type, bool missing)
{
    return missing || v->no_extra || mode_of(v, type) == VERIFY_STRICT;
}

static void report_folded(struct verifying *v, const struct vertex *target,
                          const struct map *parts, bool missing)
{
    char *text = folded_text(parts, "");

    changes_add_ranks(v->out, missing ? CHANGE_GONE : CHANGE_NEW, target->run,
                      text);
    free(text);
}

/* Report children of a target that the other set does not have. */
static void verify_children(struct verifying *v, const struct vertex *target,
                            bool missing)
{
    struct map parts = {0};

    for (const struct vertex *c = target->child; c; c = c->next) {
        if ((target->peer && c->peer) || !is_reported(v, c->type, missing))
            continue;
        v->fault = v->fault || is_fault(v, c->type, missing);
        folded_add(&parts, "", c);
    }
    if (parts.count > 0)
        report_folded(v, target, &parts, missing);
    folded_fini(&parts);
}

static void verify_targets(struct verifying *v, const struct rset *rs,
                           bool missing)
{
    struct map none = {0};

    for (const struct vertex *t = rs->root->child; t; t = t->next) {
        if (t->peer) {
            verify_children(v, t, missing);
        } else if (!v->one && is_reported(v, "host", missing)) {
            v->fault = v->fault || is_fault(v, "host", missing);
            if (t->child)
                verify_children(v, t, missing);
            else
                report_folded(v, t, &none, missing);
        }
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
    if ((a = rset_plain_resources(expected, d))
        && (b = rset_plain_resources(actual, d)))
        rc = verify(&v, a, b, by, d);
    if (rc == 0)
        changes_sort(findings, a, b);
    rset_destroy(a);
    rset_destroy(b);
    if (rc == 0 && findings->old) /* findings name ranks of `expected` */
        rc = rset_adopt_ranks(actual, expected, NULL, d);
    return rc < 0 ? -1 : v.fault;
}

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/algebra.h"
#include "compare/align.h"
#include "compare/changes.h"
#include "model/rlite.h"

/* Pools below v that are in both sets and hold nothing else. */
static int gather_both(struct parts *both, const struct vertex *v)
{
    for (const struct vertex *c = v->child; c; c = c->next) {
        if (!c->peer)
            continue;
        if (c->child && c->peer->child) {
            if (gather_both(both, c) < 0)
                return -1;
        } else if (parts_add(both, "", c) < 0) {
            return -1;
        }
    }
    return 0;
}

static int tell_both(const struct vertex *target, const struct parts *both,
                     struct diag *d)
{
    char *text = NULL;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    if (!fp)
        return diag_oom(d);
    parts_print(both, fp);
    memory_close(fp);
    diag_set(d, "rank %lld%s%.300s is in both sets",
             target->run ? (long long)idset_first(target->run)
                         : (long long)target->rank,
             *text ? ": " : "", text);
    free(text);
    return -1;
}

/* A target in both sets overlaps if both have nothing in it, too. */
static int check_target(const struct vertex *v, struct diag *d)
{
    struct parts both = {0};
    int rc = 0;

    if (gather_both(&both, v) < 0)
        rc = diag_oom(d);
    else if (both.n > 0 || (!v->child && !v->peer->child))
        rc = tell_both(v, &both, d);
    parts_fini(&both);
    return rc;
}

/* Pools of graphs that no target holds, as storage in a rack. */
static int check_above(const struct vertex *v, struct diag *d)
{
    if (v->child || v->peer->child || v->rank >= 0)
        return 0;
    return diag_set(d, "%s is in both sets",
                    quote(v->name, strlen(v->name)).text);
}

static int check_aligned(const struct rset *a, struct diag *d)
{
    const struct vertex *v = a->root;

    while (v) {
        bool target = vertex_is_target(v);
        if (v->peer && target && check_target(v, d) < 0)
            return -1;
        if (v->peer && !target && v->parent && check_above(v, d) < 0)
            return -1;
        v = vertex_next(a->root, v, target);
    }
    return 0;
}

/* Between a graph and a set without one, what R_lite says is compared. */
int rset_check_disjoint(struct rset *a, struct rset *b, struct diag *d)
{
    struct rset *plain_a = NULL, *plain_b = NULL;
    int rc = -1;

    if (rset_has_graph(a) == rset_has_graph(b))
        return rset_align(a, b, d) < 0 ? -1 : check_aligned(a, d);
    if (rlite_adopt_types(a, b) < 0 || rlite_adopt_types(b, a) < 0)
        return diag_oom(d);
    if ((plain_a = rset_plain_resources(a, d))
        && (plain_b = rset_plain_resources(b, d))
        && rset_align(plain_a, plain_b, d) == 0)
        rc = check_aligned(plain_a, d);
    rset_destroy(plain_a);
    rset_destroy(plain_b);
    return rc;
}

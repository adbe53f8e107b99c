/*
 * What sets have in common that are to be united and should be disjoint. Of
 * sets without graphs all targets are laid over each other; graphs have been
 * matched, and each pool has its peer.
 */
#include "compare/disjoint.h"

#include <stdlib.h>
#include <string.h>

#include "compare/changes.h"
#include "compare/targets.h"
#include "model/document/rlite.h"

static int tell_both(int64_t rank, const char *pools, struct diag *d)
{
    return diag_set(d, "rank %lld%s%.300s is in both sets", (long long)rank,
                    *pools ? ": " : "", pools);
}

/* --- sets without graphs ------------------------------------------------- */

/* The ids of c that are among those that were seen; then they are, too. */
static void see_ids(struct lite_children *seen, struct lite_children *both,
                    const struct vertex *c)
{
    struct idset *ids = lite_children_ids(seen, c->type);

    if (idset_overlaps(ids, c->run)) {
        struct idset *twice = idset_intersect(ids, c->run);
        idset_add_set(lite_children_ids(both, c->type), twice);
        idset_destroy(twice);
    }
    idset_add_set(ids, c->run);
}

/*
 * Targets of the same ranks. Two overlap if both have nothing in them, too.
 * Returns the label of the second, 0 if they have nothing in common.
 */
static size_t check_group(const struct targets *t,
                          const struct overlay_group *g, struct diag *d)
{
    struct lite_children seen = {0}, both = {0};
    size_t label = 0;

    for (size_t i = 0; i < g->nlabels && !label; i++) {
        const struct vertex *target = t->list[g->labels[i]];
        bool bare = i > 0 && seen.n == 0 && !target->child;
        for (const struct vertex *c = target->child; c; c = c->next)
            see_ids(&seen, &both, c);
        if (both.n > 0 || bare) {
            char *text = lite_children_text(&both);
            tell_both(idset_first(g->ids), text, d);
            free(text);
            label = g->labels[i];
        }
    }
    lite_children_fini(&seen);
    lite_children_fini(&both);
    return label;
}

int disjoint_check_plain(struct rset *const *sets, size_t n, size_t *at,
                         struct diag *d)
{
    struct targets t;
    size_t label = 0;

    targets_init(&t, sets, n);
    for (size_t i = 0; i < overlay_ngroups(t.overlay) && !label; i++)
        label = check_group(&t, overlay_group(t.overlay, i), d);
    if (label)
        *at = targets_set(&t, label);
    targets_fini(&t);
    return label ? -1 : 0;
}

/* --- graphs --------------------------------------------------------------- */

/* Pools below v that are in both sets and hold nothing else. */
static void gather_both(struct parts *both, const struct vertex *v)
{
    for (const struct vertex *c = v->child; c; c = c->next) {
        if (c->peer && c->child && c->peer->child)
            gather_both(both, c);
        else if (c->peer)
            parts_add(both, "", c);
    }
}

static int check_target(const struct vertex *v, struct diag *d)
{
    struct parts both = {0};
    int rc = 0;

    gather_both(&both, v);
    if (both.n > 0 || (!v->child && !v->peer->child)) {
        char *text = parts_text(&both, "");
        rc = tell_both(v->run ? idset_first(v->run) : v->rank, text, d);
        free(text);
    }
    parts_fini(&both);
    return rc;
}

/* Pools that no target holds, as storage in a rack. */
static int check_above(const struct vertex *v, struct diag *d)
{
    if (v->child || v->peer->child || v->rank >= 0)
        return 0;
    return diag_set(d, "%s is in both sets",
                    quote(v->name, strlen(v->name)).text);
}

int disjoint_check_peers(const struct rset *rs, struct diag *d)
{
    const struct vertex *v = rs->root;

    while (v) {
        bool target = vertex_is_target(v);
        if (v->peer && target && check_target(v, d) < 0)
            return -1;
        if (v->peer && !target && v->parent && check_above(v, d) < 0)
            return -1;
        v = vertex_next(rs->root, v, target || !v->peer);
    }
    return 0;
}

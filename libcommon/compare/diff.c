/* Compares sets (diff.h). vertex_diff.c compares pools that are in both,
   job_diff.c jobs. */
#include "compare/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "compare/align.h"
#include "compare/diff_private.h"
#include "model/change/ranks.h"
#include "model/document/jgf.h"
#include "model/document/rlite.h"
#include "model/document/shorthand.h"

/* --- targets ------------------------------------------------------------- */

/* Report a target that only one set has, with its R_lite. */
static int whole_target(struct changes *out, enum change_sign sign,
                        const struct rset *rs, const struct vertex *v,
                        struct diag *d)
{
    struct lite_children children = {0};
    struct idset *ranks = idset_create();
    int rc = lite_children_project(rs, v, &children, NULL, d);

    target_add_ranks(v, ranks);
    if (rc == 0) {
        char *text = lite_children_text(&children);
        changes_add_ranks(out, sign, ranks, text);
        free(text);
    }
    idset_destroy(ranks);
    lite_children_fini(&children);
    return rc;
}

static int compare_targets(struct changes *out, const struct settled sets[2],
                           struct diag *d)
{
    int rc = 0;

    for (int i = 0; i < 2; i++) {
        struct vertex **list;
        size_t n = rset_targets(sets[i].rs, &list);
        for (size_t j = 0; rc == 0 && j < n; j++)
            if (!list[j]->peer)
                rc = whole_target(out, i ? CHANGE_NEW : CHANGE_GONE, sets[i].rs,
                                  list[j], d);
            else if (i == 0)
                compare_target(out, sets, list[j]);
        free(list);
    }
    return rc;
}

static void compare_hosts(struct changes *out, const struct rset *a,
                          const struct rset *b)
{
    struct hostlist *old = hostlist_create(), *new = hostlist_create();
    struct idset *ranks = idset_create();
    struct other_hosts h;

    if (!a->hosts != !b->hosts)
        changes_add(out, CHANGE_ALTERED, "nodelist: %s",
                    a->hosts ? "there -> unset" : "unset -> there");

    other_hosts_init(&h, a, b);
    while (other_hosts_next(&h)) {
        idset_add(ranks, h.rank, h.rank);
        hostlist_append(old, h.in_a);
        hostlist_append(new, h.in_b);
    }
    other_hosts_fini(&h);
    if (!idset_empty(ranks)) {
        char *at = ranks_text(ranks), *from = hostlist_encode(old),
             *to = hostlist_encode(new);

        changes_add(out, CHANGE_ALTERED, "%s: host %s -> %s", at, from, to);
        free(at);
        free(from);
        free(to);
    }
    idset_destroy(ranks);
    hostlist_destroy(old);
    hostlist_destroy(new);
}

/* --- edges ---------------------------------------------------------------- */

/* Return the slot of an edge like `l` between two vertices. */
static struct map_slot *link_slot(struct map *map, const struct link *l,
                                  const struct vertex *source,
                                  const struct vertex *target)
{
    struct map_slot *slot;
    char *key;
    int len = xasprintf(&key, "%p %p %zu %s %s", (const void *)source,
                        (const void *)target, strlen(l->subsystem),
                        l->subsystem, l->relationship);

    slot = map_at(map, key, (size_t)len);
    free(key);
    return slot;
}

/* Report edges of a that b does not have. If both have an edge, its other keys
   are compared, but only in the call for CHANGE_GONE. */
static void compare_links(struct changes *out, const struct rset *a,
                          const struct rset *b, enum change_sign sign)
{
    struct map in_b = {0};

    for (size_t i = 0; a->nlinks && i < b->nlinks; i++) {
        const struct link *l = &b->links[i];
        link_slot(&in_b, l, l->source, l->target)->value.pointer = (void *)l;
    }
    for (size_t i = 0; i < a->nlinks; i++) {
        const struct link *l = &a->links[i];
        const struct link *other = link_slot(&in_b, l, l->source->peer,
                                             l->target->peer)
                                       ->value.pointer;
        char *text;

        if (!other) {
            char *from = vertex_path(l->source);
            xasprintf(&text, "%s: %s ", from, l->relationship);
            changes_add_pool(out, sign, text, l->target, "");
            free(from);
            free(text);
        } else if (sign == CHANGE_GONE && l->extra != other->extra
                   && !json_equal(l->extra, other->extra)) {
            xasprintf(&text, "other keys of its %s edge", l->subsystem);
            changes_add_pool(out, CHANGE_ALTERED, "", l->target, text);
            free(text);
        }
    }
    map_fini(&in_b);
}

/* --- the set as a whole -------------------------------------------------- */

static void compare_json(struct changes *out, const char *what, const json_t *a,
                         const json_t *b)
{
    if ((!a && !b) || (a && b && json_equal(a, b)))
        return;
    if (json_is_number(a) && json_is_number(b)
        && json_number_value(a) == json_number_value(b))
        return;
    changes_add(out, CHANGE_ALTERED, "%s: %s -> %s", what,
                a ? json_quote(a).text : "unset",
                b ? json_quote(b).text : "unset");
}

static void compare_members(struct changes *out, const char *prefix, json_t *a,
                            json_t *b)
{
    const char *key;
    char name[300];
    json_t *value;

    json_object_foreach (a, key, value) {
        snprintf(name, sizeof(name), "%s%s", prefix, key);
        compare_json(out, name, value, json_object_get(b, key));
    }
    json_object_foreach (b, key, value) {
        snprintf(name, sizeof(name), "%s%s", prefix, key);
        if (!json_object_get(a, key))
            compare_json(out, name, NULL, value);
    }
}

/* --- ranks, if compared by host ------------------------------------------ */

/* Hosts whose ranks moved by the same number are reported together. */
struct move {
    struct idset *from, *to;
};

/* Report hosts with other ranks. The ranks of b are now those of a; `old` has
   the former ones. */
static void compare_ranks(struct changes *out, const struct rset *a,
                          const struct rset *b, const uint32_t *old)
{
    struct move *moves = NULL;
    size_t n = 0, i = 0;
    struct map index = {0}; /* of moves, with `by` as keys */

    for (uint32_t rank = idset_first(b->ranks); rank != IDSET_INVALID;
         rank = idset_next(b->ranks, rank), i++) {
        int64_t by = (int64_t)old[i] - rank;
        size_t at;

        if (by == 0 || !idset_contains(a->ranks, rank))
            continue;
        at = map_number(&index, &by, sizeof(by));
        if (at == n)
            VECTOR_ADD(moves, n, (struct move){idset_create(), idset_create()});
        idset_add(moves[at].from, rank, rank);
        idset_add(moves[at].to, old[i], old[i]);
    }
    for (i = 0; i < n; i++) {
        char *to = ranks_text(moves[i].to), *text;

        xasprintf(&text, "moves to %s", to);
        changes_add_ranks(out, CHANGE_ALTERED, moves[i].from, text);
        free(text);
        free(to);
        idset_destroy(moves[i].from);
        idset_destroy(moves[i].to);
    }
    free(moves);
    map_fini(&index);
}

/* --- the whole ----------------------------------------------------------- */

static int compare_sets(struct rset *a, struct rset *b, struct changes *out,
                        struct diag *d)
{
    const struct document *x = &a->document, *y = &b->document;
    const struct settled sets[] = {usage_settle(a), usage_settle(b)};

    if (out->old)
        compare_ranks(out, a, b, out->old);
    if (rset_align(sets[0], sets[1], d) < 0)
        return -1;

    compare_json(out, "starttime", a->starttime, b->starttime);
    compare_json(out, "expiration", a->expiration, b->expiration);
    compare_members(out, "execution.", x->execution, y->execution);
    compare_members(out, "scheduling.", x->scheduling, y->scheduling);
    compare_members(out, "attributes.", x->attributes, y->attributes);
    compare_members(out, "graph.", x->graph, y->graph);
    compare_members(out, "", x->extra, y->extra);

    compare_hosts(out, a, b);
    compare_trees(out, sets, a->root, b->root);
    if (compare_targets(out, sets, d) < 0)
        return -1;
    compare_trees(out, sets, a->loose, b->loose);
    compare_links(out, a, b, CHANGE_GONE);
    compare_links(out, b, a, CHANGE_NEW);
    changes_sort(out, a, b);
    return 0;
}

/* Forget uuids made from paths and ranks (jgf.h), because ranks change. */
static void forget_made_uuids(struct rset *rs)
{
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->uuid && !strcmp(v->uuid, vertex_made_uuid(v).text))
            v->uuid = NULL;
}

/* Compare two sets that both have a graph, or both have none: by host if
   requested, or if possible with BY_EITHER. */
static int diff(struct rset *a, struct rset *b, enum identity by, bool jobs,
                struct changes *changes, struct diag *d)
{
    if (by == BY_EITHER)
        by = a->hosts && b->hosts
                     && !(idset_equal(a->ranks, b->ranks)
                          && hostlist_equal(a->hosts, b->hosts))
                     && rset_hosts_unique(a) && rset_hosts_unique(b)
                 ? BY_HOST
                 : BY_RANK;
    if (by == BY_HOST) {
        forget_made_uuids(a);
        forget_made_uuids(b);
        if (rset_adopt_ranks(b, a, &changes->old, d) < 0)
            return -1;
    }
    return (jobs ? compare_jobs : compare_sets)(a, b, changes, d);
}

int rset_diff(struct rset *a, struct rset *b, enum identity by, bool jobs,
              struct changes *changes, struct diag *d)
{
    bool graph = rset_has_graph(a);
    struct rset *in_a, *in_b = NULL;
    int rc = -1;

    if (graph != rset_has_graph(b))
        rset_note(a, "only %s has a graph: compared by R_lite",
                  graph ? "the first" : "the second");
    else if (graph && rset_partial(a) != rset_partial(b))
        rset_note(a, "only the graph of %s is complete: compared by R_lite",
                  rset_partial(a) ? "the second" : "the first");
    else
        return diff(a, b, by, jobs, changes, d);

    rlite_share_types(a, b);
    if ((in_a = rset_as_plain(a, d)) && (in_b = rset_as_plain(b, d)))
        rc = diff(in_a, in_b, by, jobs, changes, d);
    if (rc == 0 && in_b != b && changes->old)
        rc = rset_adopt_ranks(b, a, NULL, d); /* name ranks as changes do */
    rset_drop_plain(in_a, a);
    rset_drop_plain(in_b, b);
    return rc;
}

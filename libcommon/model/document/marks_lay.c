/*
 * Putting marks on a target and its pools, once it is known that nothing
 * stands against them.
 */
#include "model/document/marks_lay.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"

/* What becomes of a pool by a mark. */
enum {
    PUT_CLAIM = 1 << 0,
    PUT_SHARED = 1 << 1,
    PUT_LISTED = 1 << 2,
    PUT_REST = 1 << 3 /* a lock, a state */
};

static void put_grant(struct usage *u, struct lot *lot, struct record *record,
                      enum grant_kind kind)
{
    const struct hold *hold = &record->hold;

    if (!record->granted)
        record->granted = job_get(u, hold->job);
    if (kind == GRANT_CLAIM && !record->term)
        record->term = job_term(record->granted, record->owner, hold->start,
                                hold->end, hold->kind == CLAIM_RESERVATION);
    if (kind == GRANT_CLAIM)
        grant_add(u, record->granted, lot, kind, record->term, lot->v->size);
    else if (!grant_find(lot, record->granted, kind))
        grant_add(u, record->granted, lot, kind, NULL, 0);
}

/* Does a later one stage, too? A pool is staged for one job. */
static bool is_staged_later(struct laid *const *on, const unsigned *puts,
                            size_t i, size_t n)
{
    for (i++; i < n; i++)
        if (puts[i] & PUT_REST && on[i]->record->mark == MARK_STAGED)
            return true;
    return false;
}

/* All that marks do to a lot. */
static void put_all(struct usage *u, struct lot *lot, struct laid *const *on,
                    const unsigned *puts, size_t n)
{
    for (size_t i = 0; i < n; i++) /* a state has its own differences */
        if (puts[i] & PUT_REST && on[i]->record->mark == MARK_STATE)
            lot_set_state(
                u, lot,
                (enum pool_state)pool_state_from_name(on[i]->record->word));
    lot_changing(u, lot);
    for (size_t i = 0; i < n; i++) {
        struct record *record = on[i]->record;
        if (puts[i] & PUT_CLAIM)
            put_grant(u, lot, record, GRANT_CLAIM);
        if (puts[i] & PUT_SHARED)
            put_grant(u, lot, record, GRANT_SHARE);
        if (puts[i] & PUT_LISTED)
            put_grant(u, lot, record, GRANT_LISTED);
        if (puts[i] & PUT_REST && record->mark == MARK_STAGED
            && !is_staged_later(on, puts, i, n))
            put_grant(u, lot, record, GRANT_STAGED);
    }
    lot_changed(u, lot);
}

/* The lot of just these members, which are not in different hands yet. */
static struct lot *lot_of_range(struct usage *u, struct lot *top,
                                const struct vertex *v, struct idrange r)
{
    struct lot *lot = lot_find(u, top, v, v->run ? r.lo : 0);

    if (v->run && (lot->at != r.lo || lot->n != r.hi - r.lo + 1))
        lot_split(u, lot, r.lo, r.hi - r.lo + 1);
    return lot;
}

/* Put them on the targets of a group, or on pools in them with these ids. */
static void put_on(const struct group *g, const struct vertex *child,
                   const struct idset *ids, struct laid *const *on,
                   const unsigned *puts, size_t n)
{
    struct usage *u = usage_get(g->m->r->rs);
    struct lot *root = lot_open(u, &u->top);
    unsigned any = 0;

    for (size_t i = 0; i < n; i++)
        any |= puts[i];
    for (size_t i = 0; any && i < idset_nranges(g->ranks); i++) {
        struct lot *lot = lot_of_range(u, root, g->target,
                                       idset_range(g->ranks, i));
        if (!child)
            put_all(u, lot, on, puts, n);
        for (size_t k = 0; child && k < idset_nranges(ids); k++)
            put_all(u, lot_of_range(u, lot, child, idset_range(ids, k)), on,
                    puts, n);
    }
}

/* What a mark does to the target. */
static unsigned on_target(const struct laid *l)
{
    if (l->record->mark == MARK_SHARED)
        return PUT_SHARED;
    if (l->record->mark > MARK_SHARED)
        return l->children.n == 0 ? PUT_REST : 0;
    if (l->children.n == 0)
        return l->bare ? PUT_CLAIM : PUT_CLAIM | PUT_LISTED;
    return l->held ? PUT_CLAIM : 0;
}

/* Does an entry list all that the target has? */
static bool lists_all(const struct group *g, const struct laid *l)
{
    for (const struct vertex *v = g->target->child; v; v = v->next) {
        const struct idset *ids = laid_ids(l, v->type);
        if (!ids || !idset_subset(v->run, ids))
            return false;
    }
    return true;
}

/* What a mark does to the pools that it names. */
static unsigned on_pools(const struct group *g, const struct laid *l)
{
    if (l->record->mark == MARK_SHARED)
        return PUT_SHARED;
    if (l->record->mark > MARK_SHARED)
        return PUT_REST;
    if (!l->held)
        return PUT_CLAIM;
    return lists_all(g, l) ? 0 : PUT_LISTED;
}

/* Those that name ids of a type, and what they do to the pools. */
static size_t gather_type(struct group *g, const char *type,
                          const unsigned *puts, unsigned *some)
{
    bool lay = !g->m->r->faults;
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++) {
        const struct idset *ids = laid_ids(g->on[i], type);
        if (!ids || (lay ? !puts[i] : !laid_counts(g, g->on[i])))
            continue;
        g->sets[n] = ids;
        some[n] = puts[i];
        g->by[n++] = g->on[i];
    }
    return n;
}

/* Put on the pools of a group what marks do to them. */
static void put_same(struct group *g, const struct vertex *child,
                     const struct overlay_group *same, const unsigned *some)
{
    struct laid **on = xcalloc(same->nlabels, sizeof(struct laid *));
    unsigned *puts = xcalloc(same->nlabels, sizeof(*puts));

    for (size_t i = 0; i < same->nlabels; i++) {
        on[i] = g->by[same->labels[i]];
        puts[i] = some[same->labels[i]];
    }
    put_on(g, child, same->ids, on, puts, same->nlabels);
    free(on);
    free(puts);
}

/* Pools of a type, by the ids that marks name. */
static void lay_type(struct group *g, const struct vertex *child,
                     const unsigned *puts)
{
    unsigned *some = xcalloc(g->n, sizeof(*some));
    size_t n = gather_type(g, child->type, puts, some);
    struct overlay *ov = n ? overlay_create(g->sets, n) : NULL;

    for (size_t i = 0; ov && i < overlay_ngroups(ov); i++)
        group_check_ids(g, overlay_group(ov, i), child->type);
    for (size_t i = 0;
         ov && !g->m->r->faults && !g->m->r->ended && i < overlay_ngroups(ov);
         i++)
        put_same(g, child, overlay_group(ov, i), some);
    overlay_destroy(ov);
    free(some);
}

void group_lay(struct group *g)
{
    unsigned *puts = xcalloc(g->n, sizeof(*puts));

    for (size_t i = 0; i < g->n; i++)
        puts[i] = g->on[i]->children.n > 0 ? on_pools(g, g->on[i]) : 0;
    for (const struct vertex *v = g->target->child; v; v = v->next)
        lay_type(g, v, puts);
    for (size_t i = 0; i < g->n; i++)
        puts[i] = on_target(g->on[i]);
    if (!g->m->r->faults && !g->m->r->ended)
        put_on(g, NULL, NULL, g->on, puts, g->n);
    free(puts);
}

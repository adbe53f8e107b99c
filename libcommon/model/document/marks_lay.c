/*
 * Putting marks on a target and its pools, once it is known that nothing
 * stands against them.
 */
#include "model/document/marks_lay.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"

bool marks_lie(const struct marks *m)
{
    return m->use == MARKS_LAY && !m->r->ended && m->r->refused == m->before;
}

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
        record->term = job_term(
            record->granted,
            &(struct term){.owner = (char *)record->owner,
                           .start = hold->start,
                           .end = hold->end,
                           .nslots = record->nslots,
                           .reserved = hold->kind == CLAIM_RESERVATION});
    if (kind == GRANT_CLAIM)
        grant_add(u, record->granted, lot, kind, record->term, lot->v->size);
    else if (!grant_find(lot, record->granted, kind))
        grant_add(u, record->granted, lot, kind, NULL, 0);
}

/* Marks that lie on the same, and what each does to it. */
struct putting {
    struct laid *const *on;
    const unsigned *puts;
    const uint32_t *labels; /* numbers of those that do; NULL: all do */
    size_t n;
};

static unsigned nth(const struct putting *p, size_t i, struct record **record)
{
    size_t k = p->labels ? p->labels[i] : i;

    *record = p->on[k]->record;
    return p->puts[k];
}

/* The last one that stages: a pool is staged for one job. */
static const struct record *last_staged(const struct putting *p)
{
    struct record *record;

    for (size_t i = p->n; i-- > 0;)
        if (nth(p, i, &record) & PUT_REST && record->mark == MARK_STAGED)
            return record;
    return NULL;
}

/* All that marks do to a lot. */
static void put_all(struct usage *u, struct lot *lot, const struct putting *p)
{
    const struct record *staged = last_staged(p);
    struct record *record;

    for (size_t i = 0; i < p->n; i++) /* a state has its own differences */
        if (nth(p, i, &record) & PUT_REST && record->mark == MARK_STATE)
            lot_set_state(u, lot,
                          (enum pool_state)pool_state_from_name(record->word));
    lot_changing(u, lot);
    for (size_t i = 0; i < p->n; i++) {
        unsigned puts = nth(p, i, &record);
        if (puts & PUT_CLAIM)
            put_grant(u, lot, record, GRANT_CLAIM);
        if (puts & PUT_SHARED)
            put_grant(u, lot, record, GRANT_SHARE);
        if (puts & PUT_LISTED)
            put_grant(u, lot, record, GRANT_LISTED);
        if (record == staged)
            put_grant(u, lot, record, GRANT_STAGED);
    }
    lot_changed(u, lot);
}

/* The lot of just these members, which are not in different hands yet. */
static struct lot *lot_of_range(struct usage *u, struct lot *top,
                                const struct vertex *v, struct idrange r)
{
    struct lot *lot = lot_find(u, top, v, v->run ? r.lo : 0);

    if (v->run)
        lot_split(u, lot, r.lo, r.hi - r.lo + 1);
    return lot;
}

/* The lot of a range of the group's ranks. */
static struct lot *lot_of_ranks(const struct group *g, size_t i)
{
    struct usage *u = usage_get(g->m->r->rs);
    struct lot *root = lot_open(u, &u->top);

    return lot_of_range(u, root, g->target, idset_range(g->ranks, i));
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
    bool lay = marks_lie(g->m);
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

/* Put on the pools of a type, in one lot of targets, what marks do to them. */
static void put_on_pools(struct usage *u, struct lot *top,
                         const struct vertex *child, const struct overlay *ov,
                         struct putting *p)
{
    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        const struct overlay_group *same = overlay_group(ov, i);
        p->labels = same->labels;
        p->n = same->nlabels;
        for (size_t k = 0; k < idset_nranges(same->ids); k++)
            put_all(u, lot_of_range(u, top, child, idset_range(same->ids, k)),
                    p);
    }
}

/* Pools of a type, by the ids that marks name. */
static void lay_type(struct group *g, const struct vertex *child,
                     const unsigned *puts)
{
    unsigned *some = xcalloc(g->n, sizeof(*some));
    size_t n = gather_type(g, child->type, puts, some);
    struct overlay *ov = n ? overlay_create(g->sets, n) : NULL;
    struct putting p = {.on = g->by, .puts = some};

    for (size_t i = 0; ov && i < overlay_ngroups(ov); i++)
        group_check_ids(g, overlay_group(ov, i), child->type);
    for (size_t i = 0; ov && marks_lie(g->m) && i < idset_nranges(g->ranks);
         i++)
        put_on_pools(usage_get(g->m->r->rs), lot_of_ranks(g, i), child, ov, &p);
    overlay_destroy(ov);
    free(some);
}

static void lay_target(const struct group *g, unsigned *puts)
{
    struct putting p = {.on = g->on, .puts = puts, .n = g->n};
    unsigned any = 0;

    for (size_t i = 0; i < g->n; i++)
        any |= puts[i] = on_target(g->on[i]);
    for (size_t i = 0; any && i < idset_nranges(g->ranks); i++)
        put_all(usage_get(g->m->r->rs), lot_of_ranks(g, i), &p);
}

void group_lay(struct group *g)
{
    unsigned *puts = xcalloc(g->n, sizeof(*puts));

    for (size_t i = 0; i < g->n; i++)
        puts[i] = g->on[i]->children.n > 0 ? on_pools(g, g->on[i]) : 0;
    for (const struct vertex *v = g->target->child; v; v = v->next)
        lay_type(g, v, puts);
    if (marks_lie(g->m))
        lay_target(g, puts);
    free(puts);
}

/* Puts records on a target and its pools, if no record was refused. */
#include "model/document/marks_lay.h"
#include "model/records/lots.h"
#include "model/records/usage.h"

bool marks_lie(const struct marks *m)
{
    return m->sound && !m->r->ended && m->r->refused == m->before;
}

/* The effects of a record on a pool: kinds of grants, or a state. */
enum {
    PUT_CLAIM = 1 << GRANT_CLAIM,
    PUT_SHARE = 1 << GRANT_SHARE,
    PUT_LISTED = 1 << GRANT_LISTED,
    PUT_STAGED = 1 << GRANT_STAGED,
    PUT_STATE = PUT_STAGED << 1
};

static const unsigned char puts_of_mark[MARK_KINDS] = {
    [MARK_ALLOCATION] = PUT_CLAIM, [MARK_RESERVATION] = PUT_CLAIM,
    [MARK_SHARED] = PUT_SHARE,     [MARK_STAGED] = PUT_STAGED,
    [MARK_STATE] = PUT_STATE,
};

static void put_grant(struct usage *u, struct lot *lot, struct record *record,
                      enum grant_kind kind)
{
    struct job *job = record->granted;

    if (!job)
        job = record->granted = job_get(u, record->hold.job);
    if (kind == GRANT_CLAIM && !record->term)
        record->term = job_term(u, job, &record->like);
    if (kind == GRANT_SHARE && !record->term)
        record->term = job_share_term(u, job, &record->like);
    if (kind == GRANT_CLAIM)
        grant_add(u, job, lot, kind, record->term, lot->v->size);
    else if (kind == GRANT_SHARE ? !grant_of_term(lot, record->term)
                                 : !grant_find(lot, job, kind))
        grant_add(u, job, lot, kind, kind == GRANT_SHARE ? record->term : NULL,
                  0);
}

/* Records on the same pools. */
struct putting {
    struct laid *const *on;
    const uint32_t *labels; /* numbers of the records; NULL: all */
    size_t n;
};

static const struct laid *nth(const struct putting *p, size_t i)
{
    return p->on[p->labels ? p->labels[i] : i];
}

/* Put all records on a lot. A pool is staged for one job: the last one. */
static void put_all(struct usage *u, struct lot *lot, const struct putting *p)
{
    const struct laid *staged = NULL;

    for (size_t i = p->n; i-- > 0 && !staged;)
        if (nth(p, i)->puts & PUT_STAGED)
            staged = nth(p, i);
    for (size_t i = 0; i < p->n; i++) {
        const struct laid *l = nth(p, i);
        if (l->puts & PUT_STATE)
            lot_set_state(
                u, lot, (enum pool_state)pool_state_from_name(l->record->word));
        for (int kind = GRANT_CLAIM; kind <= GRANT_STAGED; kind++)
            if (l->puts & 1U << kind && (kind != GRANT_STAGED || l == staged))
                put_grant(u, lot, l->record, (enum grant_kind)kind);
    }
}

/* Return the lot of exactly these members. They have the same records so
   far. */
static struct lot *lot_of_range(struct usage *u, struct lot *top,
                                const struct vertex *v, struct idrange r)
{
    struct lot *lot = lot_find(u, top, v, r.lo);

    lot_split(u, lot, r.lo, r.hi - r.lo + 1);
    return lot;
}

static struct lot *lot_of_ranks(const struct rank_group *g, size_t i)
{
    struct usage *u = usage_get(g->m->r->rs);
    struct lot *root = lot_open(u, usage_top(u));

    return lot_of_range(u, root, g->target, idset_range(g->ranks, i));
}

/* Return what a record puts on the pools in the target. */
static unsigned char on_pools(const struct rank_group *g, const struct laid *l)
{
    if (l->record->mark > MARK_RESERVATION || !l->held)
        return puts_of_mark[l->record->mark];
    for (const struct vertex *v = g->target->child; v; v = v->next) {
        const struct idset *ids = lite_children_find(&l->children, v->type);
        if (!ids || !idset_subset(v->run, ids))
            return PUT_LISTED;
    }
    return 0; /* the R lists all contents */
}

/* Check and lay records on pools of a type, by their ids. */
static void lay_type(struct rank_group *g, const struct vertex *child)
{
    bool lay = marks_lie(g->m);
    struct overlay *ov;
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++) {
        const struct idset *ids = lite_children_find(&g->on[i]->children,
                                                     child->type);
        if (!ids || !(lay ? g->on[i]->puts : laid_counts(g, g->on[i])))
            continue;
        g->sets[n] = ids;
        g->by[n++] = g->on[i];
    }
    if (n == 0)
        return;
    ov = overlay_create(g->sets, n);
    for (size_t i = 0; i < overlay_ngroups(ov); i++)
        group_check_ids(g, overlay_group(ov, i), child->type);
    for (size_t i = 0; marks_lie(g->m) && i < idset_nranges(g->ranks); i++) {
        struct lot *top = lot_of_ranks(g, i);
        struct usage *u = g->m->r->rs->usage;
        for (size_t k = 0; k < overlay_ngroups(ov); k++) {
            const struct overlay_group *same = overlay_group(ov, k);
            const struct putting p = {g->by, same->labels, same->nlabels};
            for (size_t s = 0; s < idset_nranges(same->ids); s++)
                put_all(u,
                        lot_of_range(u, top, child, idset_range(same->ids, s)),
                        &p);
        }
    }
    overlay_destroy(ov);
}

void group_lay(struct rank_group *g)
{
    const struct putting all = {.on = g->on, .n = g->n};
    unsigned any = 0;

    for (size_t i = 0; i < g->n; i++)
        g->on[i]->puts = g->on[i]->children.n > 0 ? on_pools(g, g->on[i]) : 0;
    for (const struct vertex *v = g->target->child; v; v = v->next)
        lay_type(g, v);

    /* what the records put on the target itself */
    for (size_t i = 0; i < g->n; i++) {
        struct laid *l = g->on[i];
        if (l->record->mark >= MARK_SHARED)
            l->puts = l->children.n == 0 ? puts_of_mark[l->record->mark] : 0;
        else if (l->children.n == 0)
            l->puts = l->bare ? PUT_CLAIM : PUT_CLAIM | PUT_LISTED;
        else
            l->puts = l->held ? PUT_CLAIM : 0;
        any |= l->puts;
    }
    any = marks_lie(g->m) ? any : 0;
    for (size_t i = 0; any && i < idset_nranges(g->ranks); i++)
        put_all(usage_get(g->m->r->rs), lot_of_ranks(g, i), &all);
}

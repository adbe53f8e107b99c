/*
 * Putting marks on a target and its pools, once it is known that nothing
 * stands against them.
 */
#include "model/document/marks_lay.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/tree/pieces.h"
#include "model/records/tags.h"

/* What becomes of a vertex by a mark. */
enum {
    PUT_CLAIM = 1 << 0,
    PUT_SHARED = 1 << 1,
    PUT_LISTED = 1 << 2,
    PUT_REST = 1 << 3 /* a lock, a state, a tag */
};

/* Is the job in the list that is being made? From now on it is. */
static bool is_new(struct marks *m, const char *job)
{
    struct map_slot *slot = map_at(&m->seen, &job, sizeof(job));

    if (slot->value.number == m->lists)
        return false;
    slot->value.number = m->lists;
    return true;
}

static void put_claims(struct vertex *v, struct laid *const *on,
                       const unsigned *puts, size_t n)
{
    struct claim **end = &vertex_records(v)->claims;

    for (size_t i = 0; i < n; i++) {
        const struct hold *hold = &on[i]->record->hold;
        struct records one = {0};
        if (!(puts[i] & PUT_CLAIM))
            continue;
        records_claim(&one, &(struct claim){.job = hold->job,
                                            .owner = on[i]->record->owner,
                                            .size = v->size,
                                            .start = hold->start,
                                            .end = hold->end,
                                            .kind = hold->kind});
        *end = one.claims;
        end = &(*end)->next;
    }
}

static void lay_jobs(struct marks *m, struct joblist **end,
                     struct laid *const *on, const unsigned *puts, size_t n,
                     unsigned which)
{
    m->lists++;
    for (size_t i = 0; i < n; i++) {
        if (!(puts[i] & which) || !is_new(m, on[i]->record->hold.job))
            continue;
        joblist_append(end, on[i]->record->hold.job, 0);
        end = &(*end)->next;
    }
}

static void lay_rest(struct vertex *v, const struct laid *l)
{
    if (l->record->mark == MARK_STAGED)
        vertex_records(v)->staged = l->record->hold.job;
    else if (l->record->mark == MARK_STATE)
        v->state = (enum pool_state)pool_state_from_name(l->record->word);
    else
        vertex_tag(v, l->record->word, l->record->value);
}

static void put_all(struct marks *m, struct vertex *v, struct laid *const *on,
                    const unsigned *puts, size_t n)
{
    unsigned any = 0;

    for (size_t i = 0; i < n; i++)
        any |= puts[i];
    if (any & PUT_CLAIM)
        put_claims(v, on, puts, n);
    if (any & PUT_SHARED)
        lay_jobs(m, &vertex_records(v)->shared, on, puts, n, PUT_SHARED);
    if (any & PUT_LISTED)
        lay_jobs(m, &vertex_records(v)->listed, on, puts, n, PUT_LISTED);
    for (size_t i = 0; i < n && any & PUT_REST; i++)
        if (puts[i] & PUT_REST)
            lay_rest(v, on[i]);
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
    return l->held ? PUT_CLAIM : PUT_SHARED;
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
static void put_same(struct group *g, struct vertex *v,
                     const struct overlay_group *same, const unsigned *some)
{
    struct laid **on = xcalloc(same->nlabels, sizeof(struct laid *));
    unsigned *puts = xcalloc(same->nlabels, sizeof(*puts));
    size_t n = same->nlabels - 1; /* the last is of the pools themselves */

    for (size_t i = 0; i < n; i++) {
        on[i] = g->by[same->labels[i]];
        puts[i] = some[same->labels[i]];
    }
    put_all(g->m, v, on, puts, n);
    free(on);
    free(puts);
}

/* Cut the pools of a type by the ids that marks name. */
static void lay_type(struct group *g, struct vertex *child,
                     const unsigned *puts)
{
    unsigned *some = xcalloc(g->n, sizeof(*some));
    size_t n = gather_type(g, child->type, puts, some);
    struct vertex **pieces = NULL;
    struct overlay *ov;

    if (n == 0) {
        free(some);
        return;
    }
    g->sets[n] = child->run;
    ov = overlay_create(g->sets, n + !g->m->r->faults);
    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        struct overlay_group same = *overlay_group(ov, i);
        same.nlabels -= !g->m->r->faults;
        if (same.nlabels > 0)
            group_check_ids(g, &same, child->type);
    }
    if (!g->m->r->faults && !g->m->r->ended)
        pieces = pieces_cut(g->m->r->rs, &child, 1, ov, n);
    for (size_t i = 0; pieces && i < overlay_ngroups(ov); i++)
        put_same(g, pieces[i], overlay_group(ov, i), some);
    overlay_destroy(ov);
    free(pieces);
    free(some);
}

void group_lay(struct group *g)
{
    unsigned *puts = xcalloc(g->n, sizeof(*puts));
    struct vertex *next;

    for (size_t i = 0; i < g->n; i++)
        puts[i] = g->on[i]->children.n > 0 ? on_pools(g, g->on[i]) : 0;
    for (struct vertex *v = g->target->child; v; v = next) {
        next = v->next;
        lay_type(g, v, puts);
    }
    for (size_t i = 0; i < g->n; i++)
        puts[i] = on_target(g->on[i]);
    if (!g->m->r->faults && !g->m->r->ended) {
        put_all(g->m, g->target, g->on, puts, g->n);
        vertex_sort_children(g->target);
    }
    free(puts);
}

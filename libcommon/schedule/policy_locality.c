/*
 * locality: resources below a pool come from as few pools as possible, and from
 * small ones. The children of a pool are taken in this order:
 *
 * 1. If the request asks for the children themselves: the first ones with
 * consecutive ids that have everything it asks for.
 *
 * 2. Children with room for everything at once. A child with a single pool
 * inside that has room as well comes earlier, still earlier if that pool has
 * such a pool inside, and so on: small pools are used first.
 *
 * 3. Other children, those with most free units first.
 *
 * Free units and room are those before the match. So the order of a goal stays
 * the same while resources are taken.
 */
#include "base/saturate.h"
#include "model/records/usage.h"
#include "schedule/search.h"

/* --- room --------------------------------------------------------------- */

/* Resources wanted at once: a list of entries, or only its first entry. */
struct goal_need {
    const struct entry *list;
    bool one;
    int64_t times;
};

/* Return what a goal wants at once in pools of a type. */
static struct goal_need goal_in(const struct goal *g, const char *type)
{
    const struct entry *e = g->e, *up = e->parent;
    int64_t least = search_bytes(e, e->least);

    if (e->type && e->type == type)
        return (struct goal_need){e->with, false, 1};
    return (struct goal_need){
        .list = up && up->slot ? up->with : e,
        .one = !up || !up->slot,
        .times = g->want > least ? g->want / least : 1,
    };
}

/* Return how many pools, one inside the other, have room for everything wanted
   that such pools can contain. At most `most`. */
static int depth_of_room(const struct match_context *m, struct lot *lot,
                         const struct goal_need *w, int most)
{
    int ntype = usage_type(m->u, lot->v->type), deepest = 0, depth;

    if (most == 0 || !w->list)
        return 0;
    for (const struct entry *e = w->list; e; e = w->one ? NULL : e->next)
        if ((e->ntype < 0 || types_below(usage_types(m->u), e->ntype, ntype))
            && context_times_of(m, lot, e, w->times) < w->times)
            return 0;
    for (struct lot *c = lot_open(m->u, lot); c && deepest < most - 1;
         c = c->next) {
        depth = c->v->child && !c->blocked ? depth_of_room(m, c, w, most - 1)
                                           : 0;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* Return whether a pool of a type can ever have room. Sets *any if it can
   contain some of the wanted resources. */
static bool may_have_room(const struct types *t, unsigned ntype,
                          const struct goal_need *w, bool *any)
{
    for (const struct entry *e = w->list; e; e = w->one ? NULL : e->next) {
        int64_t n = saturate_multiply_units(w->times, (int64_t)e->least);
        struct goal_need in = {e->with, false, n};
        int64_t most = e->ntype < 0
                           ? 0
                           : types_nesting(t, ntype, (unsigned)e->ntype)->most;
        if (e->slot ? !may_have_room(t, ntype, &in, any)
                    : most > 0 && most < n && !e->bytes)
            return false;
        *any = *any || most > 0;
    }
    return true;
}

/* Return an upper bound of the number of levels below a pool that can have
   room. */
static int levels_below(const struct match_context *m,
                        const struct candidate *parent,
                        const struct goal_need *w)
{
    const struct types *t = usage_types(m->u);
    int above = usage_type(m->u, parent->v->type), levels = 0;

    for (int i = 0; i < (int)t->count; i++) {
        bool any = false;
        if (above < 0 || types_below(t, i, above))
            levels += may_have_room(t, (unsigned)i, w, &any) && any;
    }
    return levels;
}

static int most_levels(const struct match_context *m,
                       const struct candidate *parent, const struct goal *g)
{
    struct goal_need w = goal_in(g, NULL), own = goal_in(g, g->e->type);
    int levels = levels_below(m, parent, &w),
        inside = levels_below(m, parent, &own);

    return levels > inside ? levels : inside;
}

/* Return in how many pools, one inside the other, a child has room for a
   goal. */
static int depth_at(const struct match_context *m, const struct goal *g,
                    const struct candidate *parent, struct lot *lot)
{
    struct goal_need w = goal_in(g, lot->v->type);

    return lot->v->child ? depth_of_room(m, lot, &w, most_levels(m, parent, g))
                         : 0;
}

/* --- children with room, then by free units ------------------------------- */

/* Add the needs of an entry that depth_of_room() checks. */
static void need_room(struct needs *needs, const struct types *t,
                      const struct entry *e, int64_t times)
{
    struct entry only = *e;

    only.with = NULL;
    entry_needs(needs, t, &only, times);
    for (const struct entry *c = e->slot ? e->with : NULL; c; c = c->next)
        if (!c->linked)
            need_room(needs, t, c,
                      saturate_multiply_units(times, (int64_t)c->least));
}

/* Return the next child with room at `depth` levels. */
static struct lot *next_roomy(const struct search *s, const struct goal *g,
                              const struct candidate *parent, struct lot *from,
                              int depth)
{
    struct match_context *m = s->m;
    struct goal_need w = goal_in(g, NULL);
    struct needs needs = g->e->slot ? g->e->list : g->e->needs;

    if (g->e->slot || !g->e->with)
        need_room(&needs, usage_types(m->u), g->e, w.times);
    do
        from = usage_next(m->u, parent->lot, from, &needs, false);
    while (from
           && !(context_concerns(m, from, g->e)
                && depth_at(m, g, parent, from) == depth));
    return from;
}

static bool has_nodes(const struct search *s, const struct candidate *parent)
{
    const struct lot *c = lot_open(s->m->u, parent->lot);

    while (c && !type_is_node(c->v->type))
        c = c->next;
    return c && !vertex_in_node(parent->v);
}

/* Return the next child by free units: nodes first, with a ranking, because
   there may be many. */
static struct candidate *next_by_free(struct search *s, const struct goal *g,
                                      struct candidate *parent,
                                      struct candidate *from)
{
    bool nodes = has_nodes(s, parent) && (!from || type_is_node(from->v->type));
    struct order *ranking;

    if (nodes) {
        ranking = policy_ranking(s->m, s->pools.policy);
        do
            from = candidate_next_ranked(&s->pools, ranking, parent, from,
                                         g->e);
        while (from && from->parent != parent);
        if (from)
            return from;
    }
    do
        from = policy_next_by_free(s, g, parent, from);
    while (from && type_is_node(from->v->type) && has_nodes(s, parent));
    return from;
}

static struct candidate *next_other(struct search *s, const struct goal *g,
                                    struct candidate *parent,
                                    struct candidate *from)
{
    struct lot *lot = from && from->v->child ? from->lot : NULL;
    struct candidate *pool = lot ? candidate_beside(&s->pools, from) : NULL;
    int depth = lot    ? depth_at(s->m, g, parent, lot)
                : from ? 0
                       : most_levels(s->m, parent, g);

    if (pool)
        return pool;
    for (from = depth > 0 ? NULL : from; depth > 0; depth--) {
        if ((lot = next_roomy(s, g, parent, lot, depth)))
            return candidate_first(&s->pools, parent, lot);
    }
    do
        from = next_by_free(s, g, parent, from);
    while (from && from->v->child && depth_at(s->m, g, parent, from->lot) > 0);
    return from;
}

/* --- consecutive ids ---------------------------------------------------- */

/* Return the first and the last id of a pool, or -1 if it has none. */
static int64_t first_id(const struct candidate *pool)
{
    const struct vertex *v = pool->v;

    if (v->run)
        return pool->at;
    return vertex_is_target(v) ? v->rank : v->id;
}

static int64_t last_id(const struct candidate *pool)
{
    return first_id(pool) + pool->alike - 1;
}

/* Return how much of a goal a pool could give before the match. */
static int64_t had_of(const struct search *s, const struct goal *g,
                      const struct candidate *pool)
{
    const struct entry *e = g->e;
    bool all = e->hold == HOLD_WHOLE || (e->with && e->hold != HOLD_SHARED);

    if (pool->v->type != e->type || first_id(pool) < 0
        || !context_usable(s->m, pool->lot, pool->at)
        || (e->ids && !entry_admits(e, usage_rset(s->m->u), pool->v, pool->at))
        || (all && !context_whole(s->m, pool->lot, pool->at))
        || !context_may_hold(s->m, pool->lot, e->with))
        return 0;
    if (e->with)
        return pool->alike;
    return saturate_multiply_units(
        saturate_multiply_units(context_free(s->m, pool->lot),
                                search_unit_worth(e, pool->v)),
        pool->alike);
}

/* Find the first pools with consecutive ids that could give everything a goal
   wants. */
static void find_row(struct search *s, const struct goal *g,
                     struct candidate *parent)
{
    struct id_row *row = &s->row;
    struct candidate *last = NULL;
    int64_t sum = 0, had;

    *row = (struct id_row){.parent = parent, .e = g->e, .want = g->want};
    if (!usage_is_child(s->m->u, g->e->ntype, parent->v))
        return;
    for (struct candidate *c = NULL;
         (c = candidate_next(&s->pools, parent, c, g->e));) {
        if ((had = had_of(s, g, c)) == 0)
            continue;
        if (!last || first_id(c) != last_id(last) + 1) {
            row->first = c;
            sum = 0;
        }
        last = row->last = c;
        sum = saturate_add_units(sum, had);
        if (sum >= g->want)
            return;
    }
    row->first = NULL;
}

static bool is_in_row(const struct id_row *row, const struct candidate *pool)
{
    return row->first && !candidate_is_before(pool, row->first)
           && (pool->lot == row->last->lot
                   ? pool->at <= last_id(row->last)
                   : candidate_is_before(pool, row->last));
}

struct candidate *policy_next_local(struct search *s, const struct goal *g,
                                    struct candidate *parent,
                                    struct candidate *from)
{
    struct id_row *row = &s->row;
    struct candidate *pool;

    if (row->parent != parent || row->e != g->e || row->want != g->want)
        find_row(s, g, parent);
    if (!from && row->first)
        return row->first;
    if (from && is_in_row(row, from)) {
        pool = candidate_next(&s->pools, parent, from, g->e);
        if (pool && is_in_row(row, pool))
            return pool;
        from = NULL;
    }
    do
        from = next_other(s, g, parent, from);
    while (from && is_in_row(row, from));
    return from;
}

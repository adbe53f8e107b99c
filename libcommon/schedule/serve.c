/*
 * The greedy part of the matcher. An independent entry keeps what it takes
 * first (entries_rules()). So it takes as much as it can from each candidate in
 * turn, and the result is its answer. Most requests consist of such entries
 * only and are answered here in one pass.
 *
 * Entries of a list that compete are left to search.c. They compete only within
 * the pool of the entry above them. The solution there is kept for good, too.
 *
 * In a run of equal targets every member gives as much as the first. So a
 * million equal ranks are served at the cost of one.
 */
#include <stdlib.h>

#include "base/saturate.h"
#include "model/records/usage.h"
#include "schedule/search.h"

static int64_t serve_list(struct search *s, const struct entry *list,
                          struct candidate *scope, int64_t times);

/* Serve slots in one place. Returns how many. */
static int64_t serve_slots(struct search *s, const struct entry *e,
                           struct candidate *pool, int64_t times)
{
    int64_t got = serve_list(s, e->with, pool, times);

    if (got > 0 && !e->in_slot)
        candidate_count_slots(&s->pools, pool, got);
    return got;
}

/* Return the least number of slots in each pool of an entry. */
static int64_t slots_in_each(const struct entry *list)
{
    int64_t sum = 0;

    for (const struct entry *e = list; e; e = e->next)
        sum += (int64_t)e->least * (e->slot ? 1 : slots_in_each(e->with));
    return sum;
}

/* Return whether sums of units suffice to count what an entry of plain units
   gets in a node for a slot. */
static bool sums_suffice(const struct match_context *m,
                         const struct entry *slot, const struct entry *e)
{
    const struct types *t = usage_types(m->u);

    return slot->slot_of_node && !slot->parent && e->ntype >= 0 && !e->with
           && e->hold == HOLD_UNITS && !t->marked && !t->nodes_nested
           && !t->huge && !m->allowed
           && (m->ignore == 0 || m->ignore == IGNORE_USE)
           && !m->opts->node_exclusive;
}

/* Return whether the slots only have to be counted, and sums suffice for it. */
static bool only_counts(const struct search *s, const struct entry *slot)
{
    bool plain = slot->slot && !s->list->next && !slot->parent
                 && !s->m->opts->slot_parent;

    for (const struct entry *e = slot->with; e && plain; e = e->next)
        plain = sums_suffice(s->m, slot, e) && !e->req->id && !e->bytes
                && !s->m->opts->granule_pool && !e->linked;
    return plain;
}

/* Take what one candidate has for a goal. Returns how much. */
static int64_t serve_at(struct search *s, const struct goal *g,
                        struct candidate *pool)
{
    size_t before = s->pools.nchanges;
    bool coarse = search_is_coarse(s, pool);
    int64_t units, most = coarse ? pool->v->size : 1;

    if (g->e->slot)
        return serve_slots(s, g->e, pool, g->left);
    if (!g->e->with) {
        units = search_units_to_take(s, g, pool);
        return units ? g->left - search_take(s, g, pool, units) : 0;
    }
    if (search_takes_units(s, g->e, pool)) { /* each unit has what the entries
                                                below ask for */
        units = search_coarse_units(s, pool);
        units = units < g->left ? units : g->left;
        search_take_units(s, pool, units);
        if (!g->e->in_slot)
            candidate_count_slots(&s->pools, pool,
                                  units * slots_in_each(g->e->with));
        return units;
    }
    search_enter(s, g->e, pool);
    most = most < g->left ? most : g->left;
    if ((units = serve_list(s, g->e->with, pool, most)))
        return units;
    candidates_undo(&s->pools, before);
    return 0;
}

/* Take from members like one that gave `each` for the goal, if no other entry
   of the request can take from them. Returns how much. */
static int64_t repeat(struct search *s, const struct goal *g,
                      struct candidate *pool, int64_t each)
{
    int64_t more = (int64_t)pool->alike - 1, times = g->left / each;

    if (!pool->member || s->list->next || s->m->entries.linked
        || s->m->opts->slot_parent)
        return 0;
    for (const struct entry *e = g->e; e->parent; e = e->parent)
        if (e->parent->with->next)
            return 0;
    more = more < times ? more : times;
    if (more > 0) {
        candidate_touch(&s->pools, pool);
        pool->n += (uint32_t)more; /* it stands for them, too */
    }
    return more * each;
}

/* Take up to `want` of an entry. Returns how much. */
static int64_t serve(struct search *s, const struct entry *e,
                     struct candidate *scope, int64_t want)
{
    struct goal g = {.e = e, .scope = scope, .left = want, .want = want};
    bool counted = s->m->counts && only_counts(s, e);
    struct candidate *pool = NULL;

    if (search_places(s, &g) == PLACES_HERE)
        return serve_slots(s, e, scope, want);
    while (g.left > 0 && (pool = search_candidate(s, &g, pool))) {
        bool untouched = !pool->touch;
        int64_t got;
        if (counted) { /* in the pool, and in all members that it stands for */
            got = context_times(s->m, pool->lot, e->with, g.left);
            got = saturate_multiply_units(got, candidate_members(pool));
            g.left -= got < g.left ? got : g.left;
            continue;
        }
        got = serve_at(s, &g, pool);
        g.left -= got;
        if (got && untouched)
            g.left -= repeat(s, &g, pool, got);
    }
    return want - g.left;
}

/* Return the largest acceptable count of an entry, `times` times, up to
   `limit`. */
static uint64_t largest(const struct search *s, const struct entry *e,
                        int64_t times, uint64_t limit)
{
    if (search_maximizes(s, e))
        return *s->most < limit ? *s->most : limit;
    if (!e->fixed)
        return request_count_largest(&e->req->count, limit);
    times = saturate_multiply_units(times, (int64_t)e->least);
    return (uint64_t)times < limit ? (uint64_t)times : limit;
}

int64_t search_serve(struct search *s, const struct entry *e,
                     struct candidate *scope, int64_t times)
{
    bool fixed = e->fixed && !search_maximizes(s, e);
    size_t before = s->pools.nchanges;
    uint64_t want = largest(s, e, times, INT64_MAX), have;
    int64_t got = serve(s, e, scope, search_bytes(e, want));

    if (fixed && got >= search_bytes(e, want))
        return times;
    have = largest(s, e, times,
                   (uint64_t)got / (e->bytes ? (uint64_t)e->bytes : 1));
    if (fixed)
        have -= have % e->least;
    if (search_bytes(e, have) < got) {
        candidates_undo(&s->pools, before);
        if (have)
            serve(s, e, scope, search_bytes(e, have));
    }
    if (search_maximizes(s, e))
        *s->most = have;
    return fixed ? (int64_t)(have / e->least) : have > 0;
}

/*
 * Take a whole list, up to `times` times. Returns how often.
 *
 * Each entry bounds the next one. If earlier entries took more than the last
 * one allows, the list is taken again, exactly as often as possible.
 */
static int64_t serve_list(struct search *s, const struct entry *list,
                          struct candidate *scope, int64_t times)
{
    size_t before = s->pools.nchanges;
    int64_t least = times;
    bool exact = true;

    if (!search_maximizes(s, list))
        least = context_times(s->m, scope->lot, list, times);
    for (const struct entry *e = list, *end; e && least > 0; e = end) {
        int64_t got;
        end = e->next;
        while (!e->independent && end && end->part == e->part)
            end = end->next; /* behind all entries that compete with it */
        got = e->independent ? search_serve(s, e, scope, least)
                             : search_part(s, e, end, scope);
        exact = exact && (e == list || got >= least);
        least = got < least ? got : least;
    }
    if (least > 0 && exact)
        return least;
    candidates_undo(&s->pools, before);
    return least > 0 ? serve_list(s, list, scope, least) : 0;
}

void search_fini(struct search *s)
{
    for (size_t i = 0; i < s->nblocks; i++)
        free(s->blocks[i]);
    free(s->blocks);
    free(s->choices);
    candidates_fini(&s->pools);
}

/* --- attempts ----------------------------------------------------------- */

/* Select resources for a list whose rules are known. */
static bool match_list(struct match_context *m, const struct entry *list,
                       uint64_t *most)
{
    struct search s = {.m = m, .list = list, .most = most};
    bool found;

    selection_destroy(m->sel);
    m->sel = selection_create();
    for (const struct entry *e = list; e; e = e->next)
        if (e->hopeless)
            return false;
    candidates_init(&s.pools, m, entries_greedy(list));
    found = serve_list(&s, list, &s.pools.top, 1) > 0;
    if (found)
        candidates_select(&s.pools);
    m->too_long = m->too_long || s.out;
    search_fini(&s);
    return found;
}

/* Take an entry out of its list and find its rules for it alone. Returns what
   attach() needs to put it back. */
static struct entry detach(const struct match_context *m, struct entry *e)
{
    const struct entry was = *e;

    e->parent = e->next = NULL;
    entries_rules(m, e);
    return was;
}

static void attach(struct entry *e, const struct entry *was)
{
    e->parent = was->parent;
    e->next = was->next;
}

bool match_alone(struct match_context *m, struct entry *e, uint64_t *most)
{
    const struct entry was = detach(m, e);
    bool found;

    if (most && !e->greedy && *most > e->least)
        *most = e->least;
    found = match_list(m, e, most);
    attach(e, &was);
    return found;
}

/*
 * Select resources for the whole request.
 *
 * A search may take too long under another policy and not under `first`, so
 * `first` is tried then.
 */
bool match_all(struct match_context *m)
{
    struct entry *list = m->entries.list;
    bool found = true;

    if (!entries_greedy(list)) {
        /* Could each entry be served alone, and do the sums suffice for all? */
        found = search_enough(m, list);
        for (struct entry *e = list; found && e && list->next; e = e->next)
            found = match_alone(m, e, NULL);
        entries_rules(m, list);
    }
    found = found && match_list(m, list, NULL);
    if (!m->too_long || m->policy == policy_first())
        return found;
    m->too_long = false;
    m->policy = policy_first();
    return match_list(m, list, NULL);
}

/* --- why not ------------------------------------------------------------ */

/*
 * Return the most of the entry s->list that `pool`, or a pool of e in it, can
 * give, if that is more than `best`; otherwise `best`. Pools without even one
 * are skipped.
 */
static int64_t best_in(struct search *s, const struct entry *e,
                       struct candidate *pool, int64_t best)
{
    int64_t least = (int64_t)s->list->least, got = 0;
    struct entry one = *s->list;
    bool fits; /* a pool of e, or for a slot a pool that could hold the slot */

    one.least = 1;
    if (context_times_of(s->m, pool->lot, &one, least) <= best)
        return best;
    fits = !e->slot          ? pool->v->type == e->type
           : e->slot_of_node ? type_is_node(pool->v->type)
                             : !pool->parent;
    if (fits) {
        got = serve(s, s->list, pool, least);
        candidates_undo(&s->pools, 0);
    }
    best = got > best ? got : best;
    if (!e->slot && usage_total(s->m->u, pool->v, e->ntype) == 0)
        return best;
    for (struct candidate *c = NULL;
         best < least && (c = candidate_next(&s->pools, pool, c, s->list));)
        if (search_usable(s, c))
            best = best_in(s, e, c, best);
    return best;
}

/* Return the most units of a type that any node has, or has free. */
static int64_t most_in_node(const struct match_context *m, unsigned ntype)
{
    const struct types *t = usage_types(m->u);
    int64_t most = 0, in;

    if (m->ignore == 0)
        return usage_most_in_node(m->u, ntype);
    for (unsigned i = 0; i < t->count; i++) {
        in = types_nesting(t, i, ntype)->most;
        most = type_is_node(t->names[i]) && in > most ? in : most;
    }
    return most;
}

uint64_t match_below_best(struct match_context *m, const struct entry *e,
                          struct entry *below)
{
    const struct entry was = detach(m, below);
    struct search s = {.m = m, .list = below};
    uint64_t best = UINT64_MAX;
    /* The contents of a slot below another entry depend on the pool of that
       entry. */
    bool known = !m->opts->slot_parent && !e->linked && !e->links_below
                 && (!e->slot || !e->parent
                     || (e->slot_of_node && !e->in_slot));

    /* A number alone does not describe an entry with an id or converted units,
       or pools taken whole. */
    for (const struct entry *in = below; in; in = entry_next(in, NULL))
        known = known && !in->req->id && !in->bytes
                && !(m->opts->granule_pool && in->ntype >= 0
                     && (usage_types(m->u)->flags[in->ntype] & TYPE_POOLED));
    if (!known || !below->greedy) {
        /* it would need a search */
    } else if (sums_suffice(m, e, below)) {
        best = (uint64_t)most_in_node(m, (unsigned)below->ntype);
        best = best < below->least ? best : below->least;
    } else {
        selection_destroy(m->sel);
        m->sel = selection_create();
        candidates_init(&s.pools, m, true);
        best = (uint64_t)best_in(&s, e, &s.pools.top, 0);
        search_fini(&s);
    }
    attach(below, &was);
    return best;
}

/*
 * The greedy part of the matcher. What an independent entry takes first is
 * never given up for others (entries_rules()), so it takes from each candidate
 * in turn as much as it can, and that is its answer, yes or no. Most requests
 * consist of such entries only and are answered here in one pass.
 *
 * Entries of a list that compete are left to search.c. They do so only within
 * the pool of the entry that they are below; once they have what they want
 * there, that is for good, too.
 *
 * What one member of a run of equal targets gives, all give: a million equal
 * ranks are served at the cost of one.
 */
#include "base/saturate.h"
#include "schedule/search.h"

static int64_t serve_list(struct search *s, const struct entry *list,
                          struct site *scope, int64_t times);

/* Slots in one place. */
static int64_t serve_slots(struct search *s, const struct entry *e,
                           struct site *site, int64_t times)
{
    int64_t got = serve_list(s, e->with, site, times);

    if (got > 0 && !e->in_slot)
        site_count_slots(&s->sites, site, got);
    return got;
}

/* Slots in each pool of an entry, at least. */
static int64_t slots_in_each(const struct entry *list)
{
    int64_t sum = 0;

    for (const struct entry *e = list; e; e = e->next)
        sum += (int64_t)e->least * (e->slot ? 1 : slots_in_each(e->with));
    return sum;
}

/* Do sums tell what an entry of plain units gets in a node for a slot? */
static bool sums_tell(const struct attempt *a, const struct entry *slot,
                      const struct entry *e)
{
    const struct types *t = &a->u->types;

    return slot->slot_of_node && !slot->parent && e->ntype >= 0 && !e->with
           && e->hold == HOLD_UNITS && !t->marked && !t->nodes_nested
           && !t->huge && !a->allowed
           && (a->ignore == 0 || a->ignore == IGNORE_USE)
           && !a->opts->node_exclusive;
}

/* Is it only counted, and by sums alone, how many slots there are? */
static bool only_counts(const struct search *s, const struct entry *slot)
{
    bool plain = s->a->counts && slot->slot && !s->list->next && !slot->parent
                 && !s->a->opts->slot_parent;

    for (const struct entry *e = slot->with; e && plain; e = e->next)
        plain = sums_tell(s->a, slot, e) && !e->req->id && !e->bytes
                && !s->a->opts->granule_pool && !e->linked;
    return plain;
}

/* What of a goal one candidate gives. */
static int64_t serve_at(struct search *s, const struct goal *g,
                        struct site *site)
{
    size_t before = s->sites.nchanges;
    bool coarse = search_is_coarse(s, site);
    int64_t units, most = coarse ? site->v->size : 1;

    if (g->e->slot)
        return serve_slots(s, g->e, site, g->left);
    if (!g->e->with) {
        units = search_wanted(s, g, site);
        return units ? g->left - search_take(s, g, site, units) : 0;
    }
    if (search_gives_units(s, g->e, site)) { /* each with what is asked for */
        units = search_coarse_units(s, site);
        units = units < g->left ? units : g->left;
        search_take_units(s, site, units);
        if (!g->e->in_slot)
            site_count_slots(&s->sites, site,
                             units * slots_in_each(g->e->with));
        return units;
    }
    search_enter(s, g->e, site);
    most = most < g->left ? most : g->left;
    if ((units = serve_list(s, g->e->with, site, most)))
        return units;
    sites_undo(&s->sites, before);
    return 0;
}

/* The members that are like one that gave `each` give the same, if nothing else
   that is asked for comes to where they are. */
static int64_t repeat(struct search *s, const struct goal *g, struct site *site,
                      int64_t each)
{
    int64_t more = (int64_t)site->alike - 1, times = g->left / each;

    if (!site->member || s->list->next || s->a->entries.linked
        || s->a->opts->slot_parent)
        return 0;
    for (const struct entry *e = g->e; e->parent; e = e->parent)
        if (e->parent->with->next)
            return 0;
    more = more < times ? more : times;
    if (more > 0)
        site_widen(&s->sites, site, (uint32_t)more);
    return more * each;
}

/* Take up to `want` of an entry; how much was had. */
static int64_t serve(struct search *s, const struct entry *e,
                     struct site *scope, int64_t want)
{
    struct goal g = {.e = e, .scope = scope, .left = want, .want = want};
    bool counted = only_counts(s, e);
    struct site *site = NULL;

    if (search_places(s, &g) == PLACES_HERE)
        return serve_slots(s, e, scope, want);
    while (g.left > 0 && (site = search_candidate(s, &g, site))) {
        bool untouched = !site->touch;
        int64_t got;
        if (counted) { /* in the site, and in all that it stands for */
            got = attempt_times(s->a, site->lot, e->with, g.left);
            got = saturate_multiply_units(got, site_members(site));
            g.left -= got < g.left ? got : g.left;
            continue;
        }
        got = serve_at(s, &g, site);
        g.left -= got;
        if (got && untouched)
            g.left -= repeat(s, &g, site, got);
    }
    return want - g.left;
}

/* How many of an entry are wanted, `times` times; of the largest count. */
static uint64_t largest(const struct search *s, const struct entry *e,
                        int64_t times, uint64_t limit)
{
    if (search_wants_most(s, e))
        return *s->most < limit ? *s->most : limit;
    if (!e->fixed)
        return request_count_largest(&e->req->count, limit);
    times = saturate_multiply_units(times, (int64_t)e->least);
    return (uint64_t)times < limit ? (uint64_t)times : limit;
}

int64_t search_serve(struct search *s, const struct entry *e,
                     struct site *scope, int64_t times)
{
    bool fixed = e->fixed && !search_wants_most(s, e);
    size_t before = s->sites.nchanges;
    uint64_t want = largest(s, e, times, INT64_MAX), have;
    int64_t got = serve(s, e, scope, search_bytes(e, want));

    if (fixed && got >= search_bytes(e, want))
        return times;
    have = largest(s, e, times,
                   (uint64_t)got / (e->bytes ? (uint64_t)e->bytes : 1));
    if (fixed)
        have -= have % e->least;
    if (search_bytes(e, have) < got) {
        sites_undo(&s->sites, before);
        if (have)
            serve(s, e, scope, search_bytes(e, have));
    }
    if (search_wants_most(s, e))
        *s->most = have;
    return fixed ? (int64_t)(have / e->least) : have > 0;
}

/*
 * Take all of a list, up to `times` times, and return how often. What an entry
 * gives bounds the next; where earlier ones have taken more than that in the
 * end, exactly that is taken anew.
 */
static int64_t serve_list(struct search *s, const struct entry *list,
                          struct site *scope, int64_t times)
{
    size_t before = s->sites.nchanges;
    int64_t least = times;
    bool exact = true;

    if (!search_wants_most(s, list))
        least = attempt_times(s->a, scope->lot, list, times);
    for (const struct entry *e = list, *end; e && least > 0; e = end) {
        int64_t got;
        end = e->next;
        while (!e->independent && end && end->part == e->part)
            end = end->next; /* behind all that compete with it */
        got = e->independent ? search_serve(s, e, scope, least)
                             : search_part(s, e, end, scope);
        exact = exact && (e == list || got >= least);
        least = got < least ? got : least;
    }
    if (least > 0 && exact)
        return least;
    sites_undo(&s->sites, before);
    return least > 0 ? serve_list(s, list, scope, least) : 0;
}

/* --- attempts ----------------------------------------------------------- */

/* Select a list of which the rules are known. */
static bool attempt_list(struct attempt *a, const struct entry *list,
                         uint64_t *most)
{
    struct search s = {.a = a, .list = list, .most = most};
    bool found;

    selection_destroy(a->sel);
    a->sel = selection_create();
    for (const struct entry *e = list; e; e = e->next)
        if (e->hopeless)
            return false;
    sites_init(&s.sites, a, entries_greedy(list));
    found = serve_list(&s, list, &s.sites.top, 1) > 0;
    if (found)
        sites_select(&s.sites);
    a->too_long = a->too_long || s.out;
    search_fini(&s);
    return found;
}

/* Take an entry out of its list: its rules are found for it alone. What it was
   is for attach(). */
static struct entry detach(const struct attempt *a, struct entry *e)
{
    const struct entry was = *e;

    e->parent = e->next = NULL;
    entries_rules(a, e);
    return was;
}

static void attach(struct entry *e, const struct entry *was)
{
    e->parent = was->parent;
    e->next = was->next;
}

bool attempt_alone(struct attempt *a, struct entry *e, uint64_t *most)
{
    const struct entry was = detach(a, e);
    bool found;

    if (most && !e->greedy && *most > e->least)
        *most = e->least;
    found = attempt_list(a, e, most);
    attach(e, &was);
    return found;
}

/*
 * Under another policy than `first` a search may take too long that under
 * `first` doesn't.
 */
bool attempt_all(struct attempt *a)
{
    struct entry *list = a->entries.list;
    bool found = true;

    if (!entries_greedy(list)) {
        /* Can each be had by itself, as all and as the only one? */
        found = search_enough(a, list);
        for (struct entry *e = list; found && e && list->next; e = e->next)
            found = attempt_alone(a, e, NULL);
        entries_rules(a, list);
    }
    found = found && attempt_list(a, list, NULL);
    if (!a->too_long || a->policy == policy_first())
        return found;
    a->too_long = false;
    a->policy = policy_first();
    return attempt_list(a, list, NULL);
}

/* --- why not ------------------------------------------------------------ */

/* Does a number alone say how much there is of a list? */
static bool is_plain(const struct attempt *a, const struct entry *list)
{
    const struct types *t = &a->u->types;

    for (const struct entry *e = list; e; e = entry_next(e, list->parent))
        if (e->req->id || e->bytes
            || (a->opts->granule_pool && e->ntype >= 0
                && (t->flags[e->ntype] & TYPE_POOLED)))
            return false;
    return true;
}

/*
 * The most that a pool of e, or one in `site`, can give of an entry below, if
 * that is more than `best`. What lacks even one of it is passed over.
 */
static int64_t best_in(struct search *s, const struct entry *e,
                       struct site *site, int64_t best)
{
    int64_t least = (int64_t)s->list->least, got = 0;
    struct entry one = *s->list;
    bool fits; /* it is a pool of e, or for a slot what could hold it */

    one.least = 1;
    if (attempt_times_of(s->a, site->lot, &one, least) <= best)
        return best;
    fits = !e->slot          ? site->v->type == e->type
           : e->slot_of_node ? type_is_node(site->v->type)
                             : !site->parent;
    if (fits) {
        got = serve(s, s->list, site, least);
        sites_undo(&s->sites, 0);
    }
    best = got > best ? got : best;
    if (!e->slot && usage_total(s->a->u, site->v, e->ntype) == 0)
        return best;
    for (struct site *c = NULL;
         best < least && (c = site_next(&s->sites, site, c, s->list));)
        if (search_usable(s, c))
            best = best_in(s, e, c, best);
    return best;
}

/* The most units of a type in a node, or free in one. */
static int64_t most_in_node(const struct attempt *a, int ntype)
{
    const struct types *t = &a->u->types;
    struct rank_by by = {.ntypes = 1, .types = {ntype}, .most = true};
    const struct lot *lot;
    int64_t most = 0, in;

    if (a->ignore == 0) {
        lot = rank_next(usage_rank(a->u, &by), NULL, &(struct needs){0});
        return lot && !lot->blocked ? lot_below(a->u, lot, (unsigned)ntype) : 0;
    }
    for (unsigned i = 0; i < t->count; i++) {
        in = types_nesting(t, i, (unsigned)ntype)->most;
        most = type_is_node(t->names[i]) && in > most ? in : most;
    }
    return most;
}

uint64_t attempt_below_best(struct attempt *a, const struct entry *e,
                            struct entry *below)
{
    const struct entry was = detach(a, below);
    struct search s = {.a = a, .list = below};
    uint64_t best = UINT64_MAX;
    /* Of what a slot below another entry is made depends on what that got. */
    bool known = !a->opts->slot_parent && !e->linked && !e->links_below
                 && (!e->slot || !e->parent
                     || (e->slot_of_node && !e->in_slot));

    if (!known || !is_plain(a, below) || !below->greedy) {
        /* it would have to be searched for */
    } else if (sums_tell(a, e, below)) {
        best = (uint64_t)most_in_node(a, below->ntype);
        best = best < below->least ? best : below->least;
    } else {
        selection_destroy(a->sel);
        a->sel = selection_create();
        sites_init(&s.sites, a, true);
        best = (uint64_t)best_in(&s, e, &s.sites.top, 0);
        search_fini(&s);
    }
    attach(below, &was);
    return best;
}

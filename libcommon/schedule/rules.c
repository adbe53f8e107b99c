/*
 * Which entries of a request can compete for the same pools.
 *
 * Entries of one list that cannot are served one after the other without
 * ever looking back: a failure of one is no reason to change what another
 * got. And an entry whose pools are as good as each other for it and are
 * wanted by nobody else takes the first that fits for good. So a search goes
 * back only to choices that can matter.
 */
#include "schedule/match_private.h"

static bool lies_below(const struct types *t, const struct entry *e,
                       const struct entry *f)
{
    return types_below(t, e->ntype, f->ntype);
}

/* Can it come to have its pool for itself? */
static bool may_hold(const struct types *t, const struct entry *e)
{
    return e->hold != HOLD_SHARED || (t->flags[e->ntype] & TYPE_MARKED);
}

/* Can two pools of theirs be in each other's way? */
static bool pools_conflict(const struct types *t, const struct entry *e,
                           const struct entry *f)
{
    if (e->ntype < 0 || f->ntype < 0)
        return false;
    return e->ntype == f->ntype || (may_hold(t, f) && lies_below(t, e, f))
           || (may_hold(t, e) && lies_below(t, f, e));
}

static bool conflicts_below(const struct types *t, const struct entry *e,
                            const struct entry *list);

/* Can e alone be in the way of f, or of anything below f? */
static bool conflicts_with(const struct types *t, const struct entry *e,
                           const struct entry *f)
{
    return pools_conflict(t, e, f) || conflicts_below(t, e, f->with);
}

static bool conflicts_below(const struct types *t, const struct entry *e,
                            const struct entry *list)
{
    for (; list; list = list->next)
        if (conflicts_with(t, e, list))
            return true;
    return false;
}

/* Can anything of e be in the way of anything of f? */
static bool entries_conflict(const struct types *t, const struct entry *e,
                             const struct entry *f)
{
    if (conflicts_with(t, e, f))
        return true;
    for (const struct entry *below = e->with; below; below = below->next)
        if (entries_conflict(t, below, f))
            return true;
    return false;
}

/* Number the parts of a list: entries that conflict are in one. */
static void find_parts(struct entry *list, const struct types *t)
{
    unsigned n = 0;

    for (struct entry *e = list; e; e = e->next) {
        e->part = n++;
        for (struct entry *f = list; f != e; f = f->next) {
            unsigned from = f->part, to = e->part;
            if (from == to || !entries_conflict(t, e, f))
                continue;
            for (struct entry *g = list; g != e->next; g = g->next)
                g->part = g->part == to ? from : g->part;
        }
    }
}

/* Bring the entries of a part together, otherwise in their order. */
static void order_parts(struct entry **list)
{
    for (struct entry *e = *list; e; e = e->next) {
        struct entry *last = e, **at = &e->next;
        while (*at) {
            struct entry *f = *at;
            if (f->part == e->part && last->next != f) {
                *at = f->next;
                f->next = last->next;
                last->next = f;
                last = f;
            } else {
                last = f->part == e->part ? f : last;
                at = &f->next;
            }
        }
    }
}

/* Does any of e's siblings conflict with something in `what`? */
static bool siblings_conflict(const struct types *t, const struct entry *list,
                              const struct entry *e, const struct entry *what)
{
    for (; list; list = list->next)
        if (list != e && entries_conflict(t, what, list))
            return true;
    return false;
}

/* An entry that is looked at, its list, and the entry that this is below. */
struct place_in_request {
    const struct place_in_request *up;
    struct entry *list, *at;
};

/*
 * Is what e takes of no concern to the rest of the request? Nothing else
 * comes into a pool that an entry above has to itself.
 */
static bool alone(const struct types *t, const struct place_in_request *place)
{
    const struct entry *e = place->at;

    for (; place; place = place->up) {
        const struct entry *up = place->up ? place->up->at : NULL;
        if (siblings_conflict(t, place->list, place->at, e))
            return false;
        if (up && !up->slot && up->hold != HOLD_SHARED)
            return true;
    }
    return true;
}

static bool all_independent(const struct entry *list)
{
    while (list && list->independent)
        list = list->next;
    return !list;
}

bool entries_greedy(const struct entry *list)
{
    while (list && list->greedy)
        list = list->next;
    return !list;
}

/*
 * Several slots may be in one place: what the one leaves matters to the next
 * where amounts are taken in lumps, or counts can be smaller. What edges lead
 * to may be reached from several pools.
 */
static bool is_independent(const struct types *t, const struct entry *e,
                           bool once, bool granule)
{
    unsigned flags;

    if ((!e->fixed && !once) || e->linked || e->links_below)
        return false;
    if (e->slot)
        return all_independent(e->with);
    if (e->ntype < 0)
        return true;
    flags = t->flags[e->ntype];
    if (lies_below(t, e, e))
        return false;
    return e->with || once
           || !(e->bytes
                || ((e->hold == HOLD_WHOLE || granule)
                    && (flags & TYPE_POOLED)));
}

static void order_lists(struct entry **list, const struct types *t)
{
    for (struct entry *e = *list; e; e = e->next)
        order_lists(&e->with, t);
    find_parts(*list, t);
    order_parts(list);
}

/* Entries below others first. */
static void find_independent(const struct place_in_request *up,
                             struct entry *list, const struct types *t,
                             bool granule)
{
    struct place_in_request place = {.up = up, .list = list};

    for (struct entry *e = place.at = list; e; e = place.at = e->next) {
        find_independent(&place, e->with, t, granule);
        e->independent = alone(t, &place)
                         && is_independent(t, e, !up || !up->at->slot, granule);
        e->greedy = e->independent && entries_greedy(e->with);
    }
}

void entries_rules(const struct attempt *a, struct entry *list)
{
    const struct types *t = &a->u->types;

    if (a->entries->linked && a->opts->slot_parent)
        return; /* a slot can be in any pool: all are one part */
    order_lists(&list, t);
    find_independent(NULL, list, t, a->opts->granule_pool);
}

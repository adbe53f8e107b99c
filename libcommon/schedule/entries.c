/*
 * Preparing a request for matching against one set, once and not at every pool:
 * looks up types, compares units, applies the defaults of RFC 14, and finds out
 * which entries may compete for pools.
 */
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "model/tree/units.h"
#include "schedule/match_private.h"
#include "model/records/path.h"
#include "model/records/usage.h"

struct entries_maker {
    struct entries *out;
    const struct usage *u;
    const struct match_options *opts;
    struct diag *d;
};

/* --- units -------------------------------------------------------------- */

static int unit_fault(struct entries_maker *k, const struct entry *e,
                      const char *pools)
{
    const char *unit = e->req->unit;

    return diag_set(k->d, "%s is requested in %s, but the set has %s %s%s",
                    e->req->type, quote_all(unit).text, e->req->type,
                    *pools ? "in " : "without a unit",
                    *pools ? quote_all(pools).text : "");
}

/*
 * Compare the unit of a request with the units of all pools of the type: all
 * are the same, all are units of bytes, or all are one unit with SI prefixes.
 * Sets the measure and the value of the request's unit in it. Returns -1 with a
 * diag.
 */
static int compare_units(struct entries_maker *k, struct entry *e)
{
    const char *unit = e->req->unit;
    bool same = true;
    int64_t a, b;

    if (*unit && (usage_types(k->u)->flags[e->ntype] & TYPE_NO_UNIT))
        return unit_fault(k, e, "");
    e->measure = unit;
    for (size_t i = 0; i < usage_types(k->u)->nunits; i++) {
        const struct type_unit *u = &usage_types(k->u)->units[i];
        if ((int)u->ntype != e->ntype)
            continue;
        if (!units_compare(u->unit, unit, &a, &b)
            || !units_compare(u->unit, e->measure, &a, &b))
            return unit_fault(k, e, u->unit);
        same = same && !strcmp(unit, u->unit);
        e->measure = a < b ? u->unit : e->measure;
    }
    if (same)
        return 0;

    if (unit_bytes(e->measure) > 0)
        e->measure = "B";
    units_compare(unit, e->measure, &e->bytes, &b);
    if (__builtin_mul_overflow((int64_t)e->least, e->bytes, &a))
        return diag_set(k->d, "%s: %llu %s are more %s than can be counted",
                        e->req->type, (unsigned long long)e->least, unit,
                        !strcmp(e->measure, "B") ? "bytes" : e->measure);
    return 0;
}

/* --- id ----------------------------------------------------------------- */

/* Return the ids of a run's members that are among the names. A name is
   basename and id. */
static struct idset *named_ids(const struct hostlist *names,
                               const char *basename)
{
    struct idset *ids = idset_create();
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;

    hostlist_iter_init(&it, names);
    while (hostlist_iter_next(&it, name) >= 0) {
        uint32_t id = run_id_named(basename, name);
        if (id != IDSET_INVALID)
            idset_add(ids, id, id);
    }
    return ids;
}

static int read_id(struct entries_maker *k, struct entry *e)
{
    const struct rset *rs = usage_rset(k->u);
    const char *id = e->req->id;
    struct diag unused = {0};

    k->out->ids = true;
    if (idset_decode(id, strlen(id), &e->ids, &unused) == 0)
        return 0;
    e->names = hostlist_create();
    if (hostlist_decode(e->names, id, strlen(id), k->d) < 0)
        return diag_in(k->d, "id of %s", e->req->type);
    if (!type_is_node(e->type)) {
        e->ids = named_ids(e->names, e->type);
    } else if (!rs->hosts) {
        e->ids = named_ids(e->names, "node");
    } else { /* the ranks of the hosts */
        struct idset *at = hostlist_positions(rs->hosts, e->names);
        e->ids = idset_pick(rs->ranks, at);
        idset_destroy(at);
    }
    return 0;
}

bool entry_admits(const struct entry *e, const struct rset *rs,
                  const struct vertex *v, uint32_t member)
{
    char buf[VERTEX_NAME_MAX];
    struct idset *at;
    bool found;

    if (v->run)
        return idset_contains(e->ids, member);
    if (!e->names)
        return v->id >= 0 && v->id <= (int64_t)IDSET_MAX
               && idset_contains(e->ids, (uint32_t)v->id);
    at = hostlist_find(e->names, vertex_name(rs, v, 0, buf));
    found = at && !idset_empty(at);
    idset_destroy(at);
    return found;
}

/* --- needs -------------------------------------------------------------- */

static void need_list(struct needs *needs, const struct types *t,
                      const struct entry *list, int64_t times);

bool entries_in_nodes(const struct types *t, const struct entry *list)
{
    for (const struct entry *e = list; e; e = e->next)
        if (e->linked
            || (e->slot ? !e->slot_of_node && !entries_in_nodes(t, e->with)
                        : e->ntype >= 0 && !type_is_node(e->type)
                              && (t->flags[e->ntype] & TYPE_OUTSIDE)))
            return false;
    return true;
}

/* Entries over edges and converted units are not counted. */
void entry_needs(struct needs *needs, const struct types *t,
                 const struct entry *e, int64_t times)
{
    int64_t least = times;

    if (e->ntype >= 0) {
        if (e->hold == HOLD_SHARED || e->bytes)
            least = 1;
        needs_add(needs, (e->idle ? t->count : 0) + (unsigned)e->ntype, least);
    }
    need_list(needs, t, e->with, times);
}

static void need_list(struct needs *needs, const struct types *t,
                      const struct entry *list, int64_t times)
{
    for (const struct entry *e = list; e; e = e->next)
        if (!e->linked)
            entry_needs(needs, t, e,
                        saturate_multiply_units(times, (int64_t)e->least));
}

/* --- entries ------------------------------------------------------------ */

/* Return whether a slot asks for resources in nodes and for no node. */
static bool is_slot_of_node(const struct types *t, const struct entry *slot)
{
    bool in_nodes = false;

    for (const struct entry *e = slot->with; e; e = entry_next(e, slot)) {
        if (e->type && type_is_node(e->type))
            return false;
        in_nodes = in_nodes
                   || (e->ntype >= 0 && (t->flags[e->ntype] & TYPE_IN_NODES));
    }
    return in_nodes;
}

static int make_list(struct entries_maker *k, const struct request_vertex *req,
                     struct entry *parent, struct entry **list);

static int make_entry(struct entries_maker *k, const struct request_vertex *req,
                      struct entry *parent, struct entry *e)
{
    bool granule = k->opts->granule_pool, pooled, whole_node;

    e->req = req;
    e->parent = parent;
    e->slot = request_is_slot(req);
    e->in_slot = parent && (parent->slot || parent->in_slot);
    e->ntype = e->slot ? -1 : usage_type_named(k->u, req->type);
    e->type = e->ntype < 0 ? NULL : usage_types(k->u)->names[e->ntype];

    /* RFC 14: exclusive in a slot, shared outside, unless the entry overrides
       it. */
    whole_node = k->opts->node_exclusive && !e->slot && type_is_node(req->type);
    if (req->exclusive == YES || whole_node)
        e->hold = HOLD_WHOLE;
    else if (req->exclusive == NO || !e->in_slot)
        e->hold = HOLD_SHARED;
    else
        e->hold = !req->with && granule ? HOLD_WHOLE : HOLD_UNITS;

    /* Have its pools to be idle? Not coarse ones, which may have idle units:
       see coarse.c. */
    pooled = e->ntype >= 0
             && (usage_types(k->u)->flags[e->ntype] & TYPE_POOLED);
    e->idle = !(pooled && type_is_node(e->type))
              && (e->hold == HOLD_WHOLE
                  || (e->hold == HOLD_UNITS && (req->with || !pooled)));

    e->least = request_count_min(&req->count);
    e->fixed = request_count_fixed(&req->count) > 0;
    if ((req->unit && e->ntype >= 0 && compare_units(k, e) < 0)
        || (req->id && e->type && read_id(k, e) < 0)
        || make_list(k, req->with, e, &e->with) < 0)
        return -1;
    e->slot_of_node = e->slot && is_slot_of_node(usage_types(k->u), e);
    return 0;
}

/* Requests are nested no deeper than REQUEST_DEPTH_MAX. */
static int make_list(struct entries_maker *k, const struct request_vertex *req,
                     struct entry *parent, struct entry **list)
{
    for (; req; req = req->next, list = &(*list)->next) {
        *list = arena_alloc(&k->out->arena, sizeof(**list));
        if (make_entry(k, req, parent, *list) < 0)
            return -1;
    }
    return 0;
}

/* --- links -------------------------------------------------------------- */

/* Return whether an edge of some pool (with `node`: of some node) may lead to a
   pool of the entry. */
static bool any_reaches(const struct usage *u, bool node, const struct entry *e)
{
    for (int t = 0; t < (int)usage_types(u)->count; t++)
        if ((!node || type_is_node(usage_types(u)->names[t]))
            && usage_reaches(u, t, e->ntype))
            return true;
    return false;
}

/* Return whether the entry is searched for from a pool, or place for a slot,
   whose edges may lead to its pools. At the top no edges are needed. */
static bool is_linked(const struct entries_maker *k, const struct entry *e)
{
    bool parents = k->opts->slot_parent;
    const struct entry *up = e->parent;

    for (; up && up->slot; up = up->parent)
        if ((parents || up->slot_of_node) && any_reaches(k->u, !parents, e))
            return true;
    return up
           && (up->ntype < 0 ? any_reaches(k->u, false, e)
                             : usage_reaches(k->u, up->ntype, e->ntype));
}

/* Return whether no pool of a type can meet the needs. */
static bool is_beyond(const struct types *t, unsigned ntype,
                      const struct needs *needs)
{
    for (unsigned i = 0; i < needs->n; i++)
        if (needs->at[i].least
            > types_nesting(t, ntype, needs->at[i].row % t->count)->most)
            return true;
    return false;
}

/* Return whether the entry, or an entry below it, needs more than any pool
   has. */
static bool is_hopeless(const struct types *t, const struct entry *e)
{
    bool none = e->slot_of_node;

    for (const struct entry *c = e->with; c; c = c->next)
        if (c->hopeless)
            return true;
    for (unsigned i = 0; i < t->count && none; i++)
        none = !type_is_node(t->names[i]) || is_beyond(t, i, &e->list);
    return none
           || (e->ntype >= 0 && is_beyond(t, (unsigned)e->ntype, &e->list));
}

/* Find out which entries may be reached over edges. A slot may be where any of
   its entries may be. */
static void follow_links(struct entries_maker *k, struct entry *list)
{
    const struct types *t = usage_types(k->u);
    int node;

    for (struct entry *e = list; e; e = e->next) {
        follow_links(k, e->with);
        e->linked = t->reach && is_linked(k, e);
        for (const struct entry *c = e->with; c; c = c->next) {
            e->links_below = e->links_below || c->linked || c->links_below;
            e->linked = e->linked || (e->slot && c->linked);
        }
        k->out->linked = k->out->linked || e->linked;
        entry_needs(&e->needs, t, e, 1);
        need_list(&e->list, t, e->with, 1);
        e->hopeless = !k->opts->slot_parent && is_hopeless(t, e);
        if (e->slot_of_node && k->opts->node_exclusive && !k->opts->slot_parent
            && (node = types_node(t)) >= 0)
            /* it takes a node for itself: an idle one */
            needs_add(&e->list, t->count + (unsigned)node, 1);
    }
}

void entries_fini(struct entries *entries)
{
    for (struct entry *e = entries->list; e; e = entry_next(e, NULL)) {
        idset_destroy(e->ids);
        hostlist_destroy(e->names);
    }
    arena_fini(&entries->arena);
}

int entries_make(struct entries *out, const struct usage *u,
                 const struct request *req, const struct match_options *opts,
                 struct diag *d)
{
    struct entries_maker k = {.out = out, .u = u, .opts = opts, .d = d};
    const struct types *t = usage_types(u);

    *out = (struct entries){0};
    if (make_list(&k, req->resources, NULL, &out->list) < 0) {
        entries_fini(out);
        return -1;
    }
    follow_links(&k, out->list);
    for (const struct entry *e = out->list; e; e = entry_next(e, NULL)) {
        bool is_new = e->ntype >= 0 && out->nwanted < RANK_TYPES
                      && !type_is_node(e->type)
                      && (t->flags[e->ntype] & TYPE_IN_NODES);
        size_t n = out->nwanted;
        if (is_new && VECTOR_FIND(i, n, out->wanted[i] == e->ntype) == n)
            out->wanted[out->nwanted++] = e->ntype;
    }
    return 0;
}

/* --- which entries compete ------------------------------------------------ */

/*
 * Entries of one list that can't compete for pools are served one after the
 * other without going back: if one fails, another choice for the others would
 * not help. An entry takes the first pools that fit for good if its pools are
 * equally good for it and no other entry can use them. So a search goes back
 * only to choices that can matter.
 *
 * Each entry is compared with each: there are at most REQUEST_ENTRIES_MAX.
 */

/* Return whether an entry may get pools for itself. */
static bool takes_pools(const struct types *t, const struct entry *e)
{
    return e->hold != HOLD_SHARED || (t->flags[e->ntype] & TYPE_MARKED);
}

/* Return whether pools of an entry can be in the way of another entry, or of
   entries below that one. */
static bool pools_conflict(const struct types *t, const struct entry *a,
                           const struct entry *b)
{
    bool any = a->ntype >= 0 && b->ntype >= 0
               && (a->ntype == b->ntype
                   || (takes_pools(t, b) && types_below(t, a->ntype, b->ntype))
                   || (takes_pools(t, a)
                       && types_below(t, b->ntype, a->ntype)));

    for (const struct entry *c = b->with; c && !any; c = c->next)
        any = pools_conflict(t, a, c);
    return any;
}

/* Return whether two entries, each with the entries below it, conflict. */
static bool entries_conflict(const struct types *t, const struct entry *a,
                             const struct entry *b)
{
    bool any = pools_conflict(t, a, b);

    for (const struct entry *c = a->with; c && !any; c = c->next)
        any = entries_conflict(t, c, b);
    return any;
}

/* Find the parts of a list: entries that conflict are in one part, which has
   the number of its first entry. Move the entries of each part together;
   otherwise keep their order. */
static void order_list(const struct types *t, struct entry *list)
{
    unsigned n = 0;

    for (struct entry *e = list; e; e = e->next) {
        e->part = n++;
        for (const struct entry *f = list; f != e; f = f->next) {
            unsigned joined = f->part > e->part ? f->part : e->part;
            unsigned part = f->part < e->part ? f->part : e->part;
            if (part == joined || !entries_conflict(t, e, f))
                continue;
            for (struct entry *g = list; g != e->next; g = g->next)
                g->part = g->part == joined ? part : g->part;
        }
    }
    for (struct entry *last = list, *e; (e = last->next);) {
        struct entry *at = list;
        if (e->part >= last->part) {
            last = e;
            continue;
        }
        while (at->next->part <= e->part)
            at = at->next;
        last->next = e->next;
        e->next = at->next;
        at->next = e;
    }
}

/*
 * Return whether an entry can't conflict with the rest of the list `top`.
 * Inside a pool that an entry has alone, only entries below it need to be
 * compared.
 */
static bool is_alone(const struct types *t, const struct entry *top,
                     const struct entry *e)
{
    for (const struct entry *at = e; at; at = at->parent) {
        const struct entry *up = at->parent;
        for (const struct entry *b = up ? up->with : top; b; b = b->next)
            if (b != at && entries_conflict(t, e, b))
                return false;
        if (up && !up->slot && up->hold != HOLD_SHARED)
            return true;
    }
    return true;
}

bool entries_greedy(const struct entry *list)
{
    while (list && list->greedy)
        list = list->next;
    return !list;
}

/*
 * Return whether an entry may take the first pools that fit for good.
 *
 * Slots in one place depend on each other if amounts are taken in lumps or
 * counts can be smaller: the next slot gets what the one before it leaves.
 * Pools over edges may be reached from several places.
 */
static bool is_independent(const struct types *t, const struct entry *e,
                           bool once, bool granule)
{
    if ((!e->fixed && !once) || e->linked || e->links_below)
        return false;
    for (const struct entry *in = e->slot ? e->with : NULL; in; in = in->next)
        if (!in->independent)
            return false;
    if (e->ntype < 0) /* a slot, or no pool has the type */
        return true;
    if (types_below(t, e->ntype, e->ntype))
        return false;
    return e->with || once
           || !(e->bytes
                || ((e->hold == HOLD_WHOLE || granule)
                    && (t->flags[e->ntype] & TYPE_POOLED)));
}

/* Find out which entries are independent and greedy, inner ones first, and
   order their lists. */
static void find_independent(const struct types *t, const struct entry *top,
                             struct entry *list, bool granule)
{
    for (struct entry *e = list; e; e = e->next) {
        bool once = !e->parent || !e->parent->slot;
        find_independent(t, top, e->with, granule);
        e->independent = is_independent(t, e, once, granule)
                         && is_alone(t, top, e);
        e->greedy = e->independent && entries_greedy(e->with);
    }
    if (list && list->next)
        order_list(t, list);
}

void entries_rules(const struct match_context *m, struct entry *list)
{
    if (!m->entries.linked || !m->opts->slot_parent)
        find_independent(usage_types(m->u), list, list, m->opts->granule_pool);
    /* otherwise a slot can be in any pool: all entries are one part */
}

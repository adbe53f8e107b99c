/*
 * Windows: how many times the nodes together have some units for a whole
 * duration, for each start. A supply (supply.c) counts at each moment, and so
 * counts nodes whose units are free at different moments. Here each node gives
 * the least that it has in the duration.
 *
 * More can start only when a claim or a promise ends, so these are the starts
 * that are tried. A question costs a walk over all nodes. For a reservation the
 * sums are kept in an outlook: until something is freed they can only be less.
 * When a few nodes are freed, only these are asked again, and what they give is
 * added to the sums. If even so there is too little, the answer stays.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/profile.h"

/* A node that is promised between two times. */
struct cut {
    double from, to;
    uint32_t next; /* of the same node: 1 + index; 0: none */
};

struct windows {
    struct usage *u;
    const struct needs *each;
    const struct idset *allowed; /* ranks; NULL: all */
    double duration, from, last; /* first and last start */
    double *starts;              /* ascending */
    size_t n;
    int64_t *changes; /* from each start on, more or less than before it */
    struct steps steps, spare; /* of a node */
    struct cut *cuts;
    size_t ncuts;
    uint32_t *first; /* first cut of each node, by the position of its rank */
};

/* Return the first start, from index `i` on, that is not before a time; or,
   with `ends`, whose duration ends after it. */
static size_t find_start(const struct windows *w, size_t i, double time,
                         bool ends)
{
    return VECTOR_SEEK(k, i, w->n,
                       ends ? w->starts[k] + w->duration <= time
                            : w->starts[k] < time);
}

/* Add what `members` nodes give, by their steps. */
static void add_steps(struct windows *w, int64_t members)
{
    const struct steps *s = &w->steps;

    for (size_t i = 0, none = 0, at = 0, next; i < s->n; i++) {
        int64_t least = s->list[i].times;
        none = i > none ? i : none;
        if (fmax(s->list[i].time, w->from) + w->duration
            > steps_find(s, &none, false))
            continue; /* nothing is left before any start could end */
        at = find_start(w, at, s->list[i].time, false);
        next = i + 1 < s->n ? find_start(w, at, s->list[i + 1].time, false)
                            : w->n;
        for (size_t j = i; at < next && least > 0; j++) {
            size_t end = next;
            least = s->list[j].times < least ? s->list[j].times : least;
            if (j + 1 < s->n)
                end = find_start(w, at, s->list[j + 1].time, true);
            end = end < next ? end : next;
            w->changes[at] += least * members;
            w->changes[end] -= least * members;
            at = end;
        }
    }
}

/* Let a node have nothing between two times. */
static void cut_steps(struct windows *w, const struct cut *cut)
{
    struct steps old = w->steps;
    int64_t after = 0;
    size_t i = 0;

    w->steps = w->spare;
    w->spare = old;
    w->steps.n = 0;
    for (; i < old.n && old.list[i].time < cut->from; i++)
        steps_add(&w->steps, old.list[i].time, old.list[i].times);
    after = i > 0 ? old.list[i - 1].times : 0;
    for (; i < old.n && old.list[i].time <= cut->to; i++)
        after = old.list[i].times;
    steps_add(&w->steps, cut->from, 0);
    if (cut->to < INFINITY)
        steps_add(&w->steps, cut->to, after);
    for (; i < old.n; i++)
        steps_add(&w->steps, old.list[i].time, old.list[i].times);
}

/* Set the steps of nodes with a profile, or of blank ones. */
static struct opening find_steps(struct windows *w, struct profile *p,
                                 const struct spare *spare,
                                 const struct vertex *v)
{
    w->steps.n = 0;
    if (p)
        return profile_steps(p, w->each, w->from, w->last, spare, &w->steps);
    steps_add(&w->steps, -INFINITY, profile_times_idle(w->u, v, w->each));
    return (struct opening){-INFINITY, INFINITY, INFINITY};
}

/* Add what nodes give whose steps are found. */
static void add_nodes(struct windows *w, struct profile *p,
                      const struct spare *spare, const struct blank *b)
{
    bool target = vertex_is_target(b->v); /* others have no ranks */
    int64_t at = w->first ? idset_position(usage_rset(w->u)->ranks, b->ranks.lo)
                          : 0,
            uncut = 0;

    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t cut = w->first ? w->first[at + i] : 0;
        if (target && w->allowed
            && !idset_contains(w->allowed, b->ranks.lo + i))
            continue;
        uncut += cut == 0;
        for (uint32_t c = cut; c > 0; c = w->cuts[c - 1].next)
            cut_steps(w, &w->cuts[c - 1]);
        if (cut == 0)
            continue;
        add_steps(w, 1);
        find_steps(w, p, spare, b->v);
    }
    if (uncut > 0) /* a node in a run stands for one in each member */
        add_steps(w, uncut * b->pools);
}

/* Add what the nodes of a profile give. */
static struct opening add_profile(struct windows *w, struct profile *p,
                                  const struct spare *spare)
{
    struct opening o = find_steps(w, p, spare, p->lot->v);

    add_nodes(w, p, spare,
              &(struct blank){p->lot->v, lot_ranks(p->lot), p->lot->n,
                              lot_pools(p->lot, NULL) / p->lot->n});
    p->seen = w->u->windows;
    return o;
}

/* Add what all nodes give. If there is only one start, stop as soon as it has
   enough. Nodes whose opening does not fit are not even touched. */
static void add_all_nodes(struct windows *w, int64_t least)
{
    struct usage *u = w->u;
    struct spares spares;
    double since;
    struct opening *o = supply_openings(u, w->each, w->from, &since);

    u->windows++;
    profile_spare(u, &spares);
    for (size_t i = 0; i < spares.n; i++) /* without their usual openings */
        add_profile(w, spares.list[i].in, &spares.list[i]);
    free(spares.list);
    free(spares.rows);
    for (size_t i = 0; i < u->nprofiles; i++) {
        struct profile *p;
        struct opening now;
        if (o && !opening_fits(&o[i], w->from, w->last, w->duration))
            continue;
        if (w->n == 1 && w->changes[0] >= least)
            return;
        p = u->profiles[i];
        if (p->seen == u->windows)
            continue;
        now = add_profile(w, p, NULL);
        if (o && (w->from <= since || w->from <= o[i].from))
            o[i] = now;
    }
    if (!u->blanks_known) {
        u->nblanks = 0;
        for (struct lot *lot = &u->top; (lot = profile_next_node(u, lot));)
            if (!lot->in || !lot->in->profile)
                VECTOR_ADD(u->blanks, u->nblanks,
                           (struct blank){lot->v, lot_ranks(lot), lot->n,
                                          lot_pools(lot, NULL) / lot->n});
        u->blanks_known = true;
    }
    for (size_t i = 0; i < u->nblanks; i++) {
        find_steps(w, NULL, NULL, u->blanks[i].v);
        add_nodes(w, NULL, NULL, &u->blanks[i]);
    }
}

/* --- outlooks ------------------------------------------------------------- */

void outlook_fini(struct outlook *o)
{
    free(o->starts);
    free(o->changes);
    *o = (struct outlook){.n = 0};
}

double outlook_next(const struct outlook *o, int64_t least, double from)
{
    int64_t sum = 0;

    for (size_t i = 0; i < o->n; i++) {
        sum += o->changes[i];
        if (o->starts[i] >= from && sum >= least)
            return o->starts[i];
    }
    return INFINITY;
}

/* Return the last start that is not after a time, or the first one. */
static size_t last_start(const struct windows *w, double time)
{
    size_t i = find_start(w, 0, nextafter(time, INFINITY), false);

    return i > 0 ? i - 1 : 0;
}

/* Does the job that is left out hold a part of a node? */
static bool is_own(const struct profile *p)
{
    const struct idset *own = p->u->left_ranks;

    return own && idset_contains(own, lot_ranks(p->lot).lo);
}

/* Add all that a node gives at starts that may have gained from a change
   between two times. */
static void add_gain(struct windows *w, struct profile *p, double after,
                     double before)
{
    const struct lot *node = p->lot;
    int64_t members = lot_pools(node, NULL), most;

    if (w->allowed && node->n == 1
        && !idset_contains(w->allowed, lot_ranks(node).lo))
        return;
    find_steps(w, is_own(p) ? NULL : p, NULL, node->v);
    for (size_t i = 0; i < w->steps.n; i++) {
        double from = w->steps.list[i].time, to;
        for (most = 0; i < w->steps.n && w->steps.list[i].times > 0; i++)
            most = w->steps.list[i].times > most ? w->steps.list[i].times
                                                 : most;
        to = i < w->steps.n ? w->steps.list[i].time : INFINITY;
        from = fmax(fmax(from, w->from), after - w->duration);
        to = fmin(to < INFINITY ? to - w->duration : w->last, before);
        if (most == 0 || from > to || from > w->last)
            continue;
        w->changes[last_start(w, from)] += most * members;
        w->changes[last_start(w, to) + 1] -= most * members;
    }
}

/* Add all gains since the outlook. A node in which the job that is left out has
   a part counts as idle. If there are so many gains that a walk over all nodes
   is cheaper, add nothing and return false. */
static bool add_gains(struct windows *w, const struct outlook *o)
{
    struct usage *u = w->u;
    const struct gain *end = u->gains + u->ngains,
                      *first = end - (size_t)(u->gained - o->since);
    double after = INFINITY, before = -INFINITY, since;
    struct opening *openings = supply_openings(u, w->each, w->from, &since);

    if ((size_t)(end - first) > u->nprofiles / 8 + 8)
        return false;
    u->windows++;
    for (const struct gain *g = first; g < end; g++) {
        after = fmin(after, g->from);
        before = fmax(before, g->to);
    }
    for (const struct gain *g = first; g < end; g++) {
        struct profile *p = u->profiles[g->number];
        if (p->seen != u->windows
            && (!openings || is_own(p)
                || opening_fits(&openings[g->number], w->from, w->last,
                                w->duration)))
            add_gain(w, p, after, before);
        p->seen = u->windows;
    }
    return true;
}

/* Does an outlook say that there are too few parts before a limit, with all
   that was gained since? */
static bool is_ruled_out(struct windows *w, struct outlook *o, double limit,
                         int64_t least)
{
    struct usage *u = w->u;
    int64_t sum = 0;

    if (o->n == 0 || w->from < o->from || limit > o->limit
        || w->duration < o->duration || o->since + u->ngains < u->gained)
        return false;
    w->last = limit;
    w->starts = o->starts;
    w->changes = o->changes;
    w->n = o->n;
    if (!add_gains(w, o))
        return false;
    o->since = u->gained;
    o->from = w->from;
    o->limit = limit;
    for (size_t i = 0; i < o->n && o->starts[i] < limit; i++) {
        sum += o->changes[i];
        if (sum >= least && (i + 1 == o->n || o->starts[i + 1] > w->from))
            return false;
    }
    return true;
}

/* List the places of promises, by node. */
static void list_cuts(struct windows *w)
{
    const struct idset *all = usage_rset(w->u)->ranks;

    for (const struct promise *p = w->u->promises; p; p = p->next)
        for (size_t i = 0; p->ranks && i < idset_nranges(p->ranks); i++) {
            struct idrange r = idset_range(p->ranks, i);
            size_t at = (size_t)idset_position(all, r.lo);
            if (!w->first)
                w->first = xcalloc(idset_count(all), sizeof(*w->first));
            for (uint32_t k = 0; k <= r.hi - r.lo; k++, at++) {
                VECTOR_ADD(w->cuts, w->ncuts,
                           (struct cut){p->from, p->to, w->first[at]});
                w->first[at] = (uint32_t)w->ncuts;
            }
        }
}

double usage_first_window(struct usage *u, const struct needs *each,
                          int64_t least, const struct idset *allowed,
                          double from, double limit, double duration,
                          struct outlook *outlook)
{
    struct windows w = {.u = u, .each = each, .allowed = allowed, .from = from};
    double *ends, soon = nextafter(from, INFINITY);
    bool late = usage_is_late(u, from) && soon < limit;
    int64_t sum = 0;
    size_t i, n;

    if (!u->has_profiles || each->n == 0 || from >= limit)
        return from < limit ? from : INFINITY;
    w.duration = duration > 0 ? duration : INFINITY;
    if (outlook && is_ruled_out(&w, outlook, limit, least)) {
        free(w.steps.list);
        return INFINITY;
    }
    w.n = 0;
    n = usage_ends(u, soon, limit, &ends);
    w.starts = xcalloc(n + 2, sizeof(*w.starts));
    w.changes = xcalloc(n + 3, sizeof(*w.changes));
    w.starts[w.n++] = from;
    if (late) /* then what is late is gone */
        w.starts[w.n++] = soon;
    for (i = 0; i < n; i++)
        w.starts[w.n++] = ends[i];
    w.last = w.starts[w.n - 1];
    list_cuts(&w);
    add_all_nodes(&w, least);
    for (i = 0; i < w.n && (sum += w.changes[i]) < least;)
        i++;
    from = i < w.n ? w.starts[i] : INFINITY;
    free(ends);
    if (outlook) { /* nobody notes when a place comes free */
        outlook_fini(outlook);
        *outlook = (struct outlook){.starts = w.starts,
                                    .changes = w.changes,
                                    .n = w.n,
                                    .from = w.from,
                                    .limit = w.first ? -INFINITY : limit,
                                    .duration = w.duration,
                                    .since = u->gained};
    } else {
        free(w.starts);
        free(w.changes);
    }
    free(w.steps.list);
    free(w.spare.list);
    free(w.cuts);
    free(w.first);
    return from;
}

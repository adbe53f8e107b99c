/*
 * Windows: how many times the nodes together have some units for a whole
 * duration, for each start. A supply (supply.c) counts at each moment, and so
 * counts nodes whose units are free at different moments. Here each node gives
 * the least that it has in the duration.
 *
 * More can start only when a claim or a promise ends, so these are the starts
 * that are tried. A question costs a walk over all nodes.
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
    double duration;
    double *starts; /* ascending */
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
    size_t hi = w->n;

    while (i < hi) {
        size_t mid = i + (hi - i) / 2;
        if (ends ? w->starts[mid] + w->duration > time : w->starts[mid] >= time)
            hi = mid;
        else
            i = mid + 1;
    }
    return i;
}

/* Add what `members` nodes give, by their steps. */
static void add_steps(struct windows *w, int64_t members)
{
    const struct steps *s = &w->steps;

    for (size_t i = 0, at, next = 0; i < s->n; i++) {
        int64_t least = s->list[i].times;
        at = next;
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
        return profile_steps(p, w->each, w->starts[0], w->starts[w->n - 1],
                             spare, &w->steps);
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
    double from = w->starts[0], last = w->starts[w->n - 1], since;
    struct opening *o = supply_openings(u, w->each, from, &since);

    u->windows++;
    profile_spare(u, &spares);
    for (size_t i = 0; i < spares.n; i++) /* without their usual openings */
        add_profile(w, spares.list[i].in, &spares.list[i]);
    free(spares.list);
    free(spares.rows);
    for (size_t i = 0; i < u->nprofiles; i++) {
        struct profile *p;
        struct opening now;
        if (o && !opening_fits(&o[i], from, last, w->duration))
            continue;
        if (w->n == 1 && w->changes[0] >= least)
            return;
        p = u->profiles[i];
        if (p->seen == u->windows)
            continue;
        now = add_profile(w, p, NULL);
        if (o && (from <= since || from <= o[i].from))
            o[i] = now;
    }
    profile_find_blanks(u);
    for (size_t i = 0; i < u->nblanks; i++) {
        find_steps(w, NULL, NULL, u->blanks[i].v);
        add_nodes(w, NULL, NULL, &u->blanks[i]);
    }
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
                VECTOR_GROW(w->cuts, w->ncuts);
                w->cuts[w->ncuts++] = (struct cut){p->from, p->to,
                                                   w->first[at]};
                w->first[at] = (uint32_t)w->ncuts;
            }
        }
}

double usage_first_window(struct usage *u, const struct needs *each,
                          int64_t least, const struct idset *allowed,
                          double from, double limit, double duration)
{
    struct windows w = {.u = u, .each = each, .allowed = allowed};
    double *ends, soon = nextafter(from, INFINITY);
    bool late = usage_is_late(u, from) && soon < limit;
    int64_t sum = 0;
    size_t i, n;

    if (!u->has_profiles || each->n == 0 || from >= limit)
        return from < limit ? from : INFINITY;
    w.duration = duration > 0 ? duration : INFINITY;
    n = usage_ends(u, soon, limit, &ends);
    w.starts = xcalloc(n + 2, sizeof(*w.starts));
    w.changes = xcalloc(n + 3, sizeof(*w.changes));
    w.starts[w.n++] = from;
    if (late) /* then what is late is gone */
        w.starts[w.n++] = soon;
    for (i = 0; i < n; i++)
        w.starts[w.n++] = ends[i];
    list_cuts(&w);
    add_all_nodes(&w, least);
    for (i = 0; i < w.n && (sum += w.changes[i]) < least;)
        i++;
    from = i < w.n ? w.starts[i] : INFINITY;
    free(ends);
    free(w.starts);
    free(w.changes);
    free(w.steps.list);
    free(w.spare.list);
    free(w.cuts);
    free(w.first);
    return from;
}

#include "schedule/packing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct packing *packing_create(struct search *s)
{
    struct packing *p = xcalloc(1, sizeof(*p));

    if (!p) {
        s->a->failed = true;
        return NULL;
    }
    p->s = s;
    p->inner = (struct search){
        .sites = s->sites, .a = s->a, .confined = true, .futile = BACK_NONE};
    return p;
}

void packing_destroy(struct packing *p)
{
    if (!p)
        return;
    search_fini(&p->inner);
    arena_fini(&p->arena);
    map_fini(&p->known);
    free(p->bins);
    free(p->s->sites->changed);
    p->s->sites->changed = NULL;
    free(p);
}

/* --- bins --------------------------------------------------------------- */

static bool add_bin(struct packing *p, struct site *site)
{
    if (p->nbins == p->bins_size) {
        size_t size = p->bins_size ? 2 * p->bins_size : 64;
        struct bin *bins = xrealloc(p->bins, size * sizeof(*bins));
        if (!bins) {
            p->s->a->failed = true;
            return false;
        }
        p->bins = bins;
        p->bins_size = size;
    }
    p->bins[p->nbins++] = (struct bin){.site = site};
    site->bin = (uint32_t)p->nbins;
    site->changed = false;
    return true;
}

/* Could something of a kind be had outside of bins? */
static bool is_wanted(const struct packed *now, const struct vertex *v)
{
    for (int i = 0; i < now->nkinds; i++)
        if (!now->kind[i].e->slot && now->kind[i].e->type == v->type)
            return true;
    return false;
}

/* All bins of a scope, in the order of the tree; none if not all is in bins. */
static bool find_bins(struct packing *p)
{
    struct site *site = site_open(p->s->sites, p->scope), *child;

    while (site) {
        const struct attempt *a = p->s->a;
        bool usable = attempt_usable(a, site->v)
                      && (!vertex_taken_whole(site->v)
                          || attempt_untouched(a, site->v));
        bool bin = usable && packing_is_bin(p->now, site->v->type);
        if (bin ? !add_bin(p, site) : usable && is_wanted(p->now, site->v))
            return false;
        child = usable && !bin && site->v->child ? site_open(p->s->sites, site)
                                                 : NULL;
        while (!child && site != p->scope && !site->next)
            site = site->parent;
        site = child ? child : site == p->scope ? NULL : site->next;
    }
    return true;
}

static void leave_bins(struct packing *p)
{
    for (size_t i = 0; i < p->nbins; i++)
        p->bins[i].site->bin = 0;
    p->nbins = 0;
    p->s->sites->nchanged = 0;
}

/* Take notice of what has changed in bins. */
static bool see_changes(struct packing *p)
{
    struct sites *sites = p->s->sites;

    while (sites->nchanged > 0 && !p->blind) {
        struct site *site = sites->changed[--sites->nchanged];
        struct bin *bin = &p->bins[site->bin - 1];
        const struct patterns *held = packing_patterns(p, site);
        site->changed = false;
        p->blind = !held;
        if (!held || held == bin->patterns)
            continue;
        packing_count(p, site->bin - 1, -1);
        bin->patterns = held;
        packing_count(p, site->bin - 1, 1);
    }
    return !p->blind;
}

/* --- now ---------------------------------------------------------------- */

static bool see_bins(struct packing *p)
{
    struct sites *sites = p->s->sites;
    struct site **changed;

    if (!find_bins(p) || p->nbins == 0)
        return false;
    changed = xrealloc(sites->changed, p->nbins * sizeof(struct site *));
    if (!changed) {
        p->s->a->failed = true;
        return false;
    }
    sites->changed = changed;
    for (size_t i = 0; i < p->nbins; i++) {
        struct site *site = p->bins[i].site;
        site->changed = true;
        p->bins[i].patterns = packing_patterns(p, site);
        site->changed = false;
        if (!p->bins[i].patterns)
            return false;
    }
    if (p->nbins > p->now->nbins) {
        p->now->nbins = p->nbins;
        p->now->nweightings = (unsigned)p->now->nkinds;
    }
    packing_sum(p);
    return true;
}

/* Turn to the list of a goal. False: it can't be bounded. */
static bool turn_to(struct packing *p, const struct goal *g)
{
    struct packed *now = packing_find(p, g);

    if (!now || now->nkinds == 0)
        return false;
    if (p->now != now || p->scope != g->scope) {
        leave_bins(p);
        memset(p->cursor, 0, sizeof(p->cursor));
        p->now = now;
        p->scope = g->scope;
        p->blind = !see_bins(p);
        if (p->blind)
            leave_bins(p);
    }
    return !p->blind && see_changes(p);
}

static const struct bin *bin_of(const struct packing *p,
                                const struct site *site)
{
    while (site && !site->bin)
        site = site->parent;
    return site ? &p->bins[site->bin - 1] : NULL;
}

/* How many of each kind are still to be had? */
static void find_need(const struct packing *p, const struct goal *g,
                      int64_t *need)
{
    for (int i = 0; i < p->now->nkinds; i++) {
        const struct kind *kind = &p->now->kind[i];
        need[i] = 0;
        for (const struct goal *h = g; h && search_same_part(g, h); h = h->next)
            if (h->e == kind->of
                && __builtin_mul_overflow(
                    kind->each, h->counted ? h->left : (int64_t)h->e->least,
                    &need[i]))
                need[i] = INT64_MAX;
    }
}

/* The kind that a goal itself is, -1: none. */
static int kind_of(const struct packing *p, const struct goal *g)
{
    for (int i = 0; i < p->now->nkinds; i++)
        if (p->now->kind[i].e == g->e)
            return i;
    return -1;
}

enum room packing_room(struct packing *p, const struct goal *g,
                       const struct site *site)
{
    int64_t need[KINDS_MAX] = {0};
    const struct bin *bin;
    int kind;

    if (!turn_to(p, g))
        return ROOM_UNKNOWN;
    kind = kind_of(p, g);
    bin = bin_of(p, site ? site : g->cursor);
    if (kind >= 0)
        packing_move_cursor(p, kind, bin ? (size_t)(bin - p->bins) : 0);
    find_need(p, g, need);
    if (packing_weights_refuse(p, need, kind, NULL, NULL))
        return ROOM_NONE;
    if (site && bin && kind >= 0
        && (!packing_holds_one(bin, kind)
            || packing_weights_refuse(p, need, kind, bin, bin->patterns)))
        return ROOM_ELSEWHERE;
    if (!site && p->s->steps >= p->now->search_at
        && packing_find_weights(p, need, kind))
        return ROOM_NONE;
    return ROOM_LIKELY;
}

const struct patterns *packing_held(struct packing *p, const struct goal *g,
                                    const struct site *site)
{
    const struct bin *bin = bin_of(p, site);
    bool same = p->now && p->now == packing_find(p, g) && p->scope == g->scope;

    return same && bin && !p->blind && kind_of(p, g) >= 0 ? bin->patterns
                                                          : NULL;
}

bool packing_was_futile(const struct packing *p, const struct goal *g)
{
    const struct bin *bin = g->held ? bin_of(p, g->cursor) : NULL;
    int kind = kind_of(p, g);
    int64_t need[KINDS_MAX] = {0};

    if (!bin || kind < 0)
        return false;
    find_need(p, g, need);
    need[kind]++;
    return packing_weights_refuse(p, need, kind, bin, g->held);
}

#include "schedule/packing.h"

#include <stdlib.h>
#include <string.h>

/* So much looking at patterns takes as long as a step of a search. */
enum { LOOKS_A_STEP = 100 };

/* Sums of worths stay below 2^62. */
static const double worth_limit = (double)(INT64_C(1) << 61)
                                  / (KINDS_MAX * UNITS_MAX);

struct packing *packing_create(struct search *s)
{
    struct packing *p = calloc(1, sizeof(*p));

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

/* --- parts -------------------------------------------------------------- */

static bool lies_below(const struct matcher *m, const struct entry *e,
                       const struct entry *f)
{
    return m->below[(unsigned)e->ntype * m->ntypes + (unsigned)f->ntype];
}

/* The list that an entry is of. */
static const struct entry *list_of(const struct packing *p,
                                   const struct entry *e)
{
    return e->parent ? e->parent->with : p->s->list;
}

/* The next entry from `e` on that is of a part of the list. */
static const struct entry *in_part(const struct entry *e, unsigned part)
{
    while (e && e->part != part)
        e = e->next;
    return e;
}

static bool has_slot(const struct packed *now)
{
    const struct entry *e = in_part(now->list, now->part);

    while (e && !e->slot)
        e = in_part(e->next, now->part);
    return e != NULL;
}

/* The type in pools of which all others that are asked for lie, or NULL. */
static const char *topmost(const struct matcher *m, const struct packed *now)
{
    const struct entry *first = in_part(now->list, now->part), *top = first;

    for (const struct entry *e = first; e; e = in_part(e->next, now->part)) {
        if (e->ntype < 0)
            return NULL;
        if (lies_below(m, top, e))
            top = e;
    }
    for (const struct entry *e = first; e; e = in_part(e->next, now->part))
        if (e->ntype != top->ntype && !lies_below(m, e, top))
            return NULL;
    return top->with && !lies_below(m, top, top) ? top->type : NULL;
}

static bool is_bin_type(const struct packed *now, const char *type)
{
    return now->bin_type ? type == now->bin_type : type_is_node(type);
}

/* Does each unit of it fit in one bin? */
static bool fits_in_bin(const struct matcher *m, const struct packed *now,
                        const struct entry *e)
{
    if (now->bin_type)
        return true;
    if (e->slot || e->ntype < 0)
        return e->slot_of_node;
    return type_is_node(e->type) || (m->flags[e->ntype] & TYPE_IN_NODES);
}

/* Make a kind of an entry; of one that is not in one bin, of what is in it. */
static void add_kinds(const struct matcher *m, struct packed *now,
                      const struct entry *e, const struct entry *of,
                      int64_t each)
{
    bool fits = fits_in_bin(m, now, e);

    if (now->nkinds == KINDS_MAX || e->bytes
        || __builtin_mul_overflow(each, e == of ? 1 : (int64_t)e->least, &each)
        || each > REQUEST_COUNT_MAX)
        return;
    for (const struct entry *c = e->with; c && !fits; c = c->next)
        add_kinds(m, now, c, of, each);
    if (fits)
        now->kind[now->nkinds++] = (struct kind){
            .e = e,
            .of = of,
            .each = each,
            .is_bin = !e->slot && is_bin_type(now, e->type)};
}

static bool within_node(const struct vertex *v)
{
    for (; v; v = v->parent)
        if (type_is_node(v->type))
            return true;
    return false;
}

static void find_kinds(const struct packing *p, struct packed *now,
                       const struct goal *g)
{
    const struct attempt *a = p->s->a;

    if (a->opts->slot_parent || a->entries->loose || a->m->nodes_nested)
        return;
    if (has_slot(now) ? within_node(g->scope->v)
                      : !(now->bin_type = topmost(a->m, now)))
        return;
    for (const struct entry *e = in_part(now->list, now->part); e;
         e = in_part(e->next, now->part))
        add_kinds(a->m, now, e, e, 1);
    for (int i = 0; i < now->nkinds; i++)
        now->weighting[now->nweightings++].w[i] = 1;
}

/* What is known of the entries that a goal competes with. */
static struct packed *find_packed(struct packing *p, const struct goal *g)
{
    const struct entry *list = list_of(p, g->e);
    struct packed *now = p->packed;

    while (now && (now->list != list || now->part != g->e->part))
        now = now->next;
    if (now)
        return now;
    if (!(now = arena_alloc(&p->arena, sizeof(*now)))) {
        p->s->a->failed = true;
        return NULL;
    }
    now->list = list;
    now->part = g->e->part;
    now->next = p->packed;
    p->packed = now;
    find_kinds(p, now, g);
    return now;
}

/* --- bins --------------------------------------------------------------- */

static bool add_bin(struct packing *p, struct site *site)
{
    if (p->nbins == p->bins_size) {
        size_t size = p->bins_size ? 2 * p->bins_size : 64;
        struct bin *bins = realloc(p->bins, size * sizeof(*bins));
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
        bool bin = usable && is_bin_type(p->now, site->v->type);
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

/* --- worths ------------------------------------------------------------- */

/*
 * The most that a bin can hold is worth; `without` (-1: none) a kind, or
 * `with` one at least of a kind. -1: it can't.
 */
static int64_t worth_of(const struct packed *now, const struct patterns *held,
                        const int64_t *w, int without, int with)
{
    int64_t most = -1;

    for (int j = 0; j < held->n; j++) {
        int64_t worth = 0;
        if (with >= 0 && held->v[j][with] == 0)
            continue;
        for (int i = 0; i < now->nkinds; i++)
            worth += i == without ? 0 : w[i] * held->v[j][i];
        most = worth > most ? worth : most;
    }
    return most;
}

/* What a bin is worth less if a kind can't come to it. */
static int64_t worth_lost(const struct packing *p, size_t at,
                          const struct weighting *x, int kind)
{
    const struct patterns *held = p->bins[at].patterns;

    return worth_of(p->now, held, x->w, -1, -1)
           - worth_of(p->now, held, x->w, kind, -1);
}

/* Count a bin (1), or no more (-1). */
static void count_bin(const struct packing *p, size_t at, struct weighting *x,
                      int64_t sign)
{
    x->total += sign * worth_of(p->now, p->bins[at].patterns, x->w, -1, -1);
    for (int i = 0; i < p->now->nkinds; i++)
        if (at < p->cursor[i])
            x->lost[i] += sign * worth_lost(p, at, x, i);
}

static unsigned weightings(const struct packed *now)
{
    return now->nweightings < WEIGHTINGS_MAX ? now->nweightings
                                             : WEIGHTINGS_MAX;
}

static void count_everywhere(struct packing *p, size_t at, int64_t sign)
{
    for (unsigned k = 0; k < weightings(p->now); k++)
        count_bin(p, at, &p->now->weighting[k], sign);
}

static void sum_weighting(struct packing *p, struct weighting *x)
{
    x->total = 0;
    memset(x->lost, 0, sizeof(x->lost));
    for (size_t at = 0; at < p->nbins; at++)
        count_bin(p, at, x, 1);
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
        count_everywhere(p, site->bin - 1, -1);
        bin->patterns = held;
        count_everywhere(p, site->bin - 1, 1);
    }
    return !p->blind;
}

/* A kind comes no more to the bins before this one. */
static void move_cursor(struct packing *p, int kind, size_t to)
{
    while (p->cursor[kind] != to) {
        bool on = p->cursor[kind] < to;
        size_t at = on ? p->cursor[kind] : p->cursor[kind] - 1;
        for (unsigned k = 0; k < weightings(p->now); k++) {
            struct weighting *x = &p->now->weighting[k];
            int64_t lost = worth_lost(p, at, x, kind);
            x->lost[kind] += on ? lost : -lost;
        }
        p->cursor[kind] = on ? at + 1 : at;
    }
}

/* --- now ---------------------------------------------------------------- */

static bool see_bins(struct packing *p)
{
    struct sites *sites = p->s->sites;
    struct site **changed;

    if (!find_bins(p) || p->nbins == 0)
        return false;
    changed = realloc(sites->changed, p->nbins * sizeof(struct site *));
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
    for (unsigned k = 0; k < weightings(p->now); k++)
        sum_weighting(p, &p->now->weighting[k]);
    return true;
}

/* Turn to the list of a goal. False: it can't be bounded. */
static bool turn_to(struct packing *p, const struct goal *g)
{
    struct packed *now = find_packed(p, g);

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

/* What is asked for is worth so much; or less, if that can't be counted. */
static int64_t worth_of_need(const struct packed *now, const int64_t *w,
                             const int64_t *need)
{
    int64_t sum = 0, worth;

    for (int i = 0; i < now->nkinds; i++)
        if (!__builtin_mul_overflow(w[i], need[i], &worth)
            && __builtin_add_overflow(sum, worth, &sum))
            return 0;
    return sum;
}

/*
 * Do weights that are known say no? With a bin: if it holds one of the kind,
 * and as much beside that as of `held`.
 */
static bool weights_refuse(const struct packing *p, const int64_t *need,
                           int kind, const struct bin *bin,
                           const struct patterns *held)
{
    for (unsigned k = 0; k < weightings(p->now); k++) {
        const struct weighting *x = &p->now->weighting[k];
        int64_t most = x->total - (kind >= 0 ? x->lost[kind] : 0);
        if (bin)
            most += worth_of(p->now, held, x->w, -1, kind)
                    - worth_of(p->now, bin->patterns, x->w, -1, -1);
        if (worth_of_need(p->now, x->w, need) > most)
            return true;
    }
    return false;
}

/* --- weights ------------------------------------------------------------ */

struct filling {
    struct packing *p;
    int kind; /* of the first goal */
    uint64_t looks;
};

/* The pattern of a bin that is worth most, for weights_find(). */
static const int64_t *best_pattern(struct filling *f, const struct bin *bin,
                                   const int64_t *w, int without, int64_t *most)
{
    const int64_t *best = bin->patterns->v[0];

    *most = -1;
    for (int j = 0; j < bin->patterns->n; j++) {
        const int64_t *v = bin->patterns->v[j];
        int64_t worth = 0;
        for (int i = 0; i < f->p->now->nkinds; i++)
            worth += i == without ? 0 : w[i] * v[i];
        best = worth > *most ? v : best;
        *most = worth > *most ? worth : *most;
    }
    f->looks += (uint64_t)bin->patterns->n;
    return best;
}

static int64_t most_held(void *arg, const int64_t *w, double *held)
{
    struct filling *f = arg;
    const struct packing *p = f->p;
    const struct patterns *last = NULL;
    const int64_t *best = NULL;
    int64_t sum = 0, most = 0;
    int without = -1;

    for (size_t at = 0; at < p->nbins; at++) {
        const struct bin *bin = &p->bins[at];
        int before = f->kind >= 0 && at < p->cursor[f->kind] ? f->kind : -1;
        if (bin->patterns != last || before != without)
            best = best_pattern(f, bin, w, before, &most);
        last = bin->patterns;
        without = before;
        sum += most;
        for (int i = 0; i < p->now->nkinds; i++)
            held[i] += i == without ? 0 : (double)best[i];
    }
    f->looks += p->nbins;
    return sum;
}

/* Those of one kind alone are kept, of the others the oldest goes. */
static unsigned free_weighting(struct packed *now)
{
    unsigned kinds = (unsigned)now->nkinds;

    return kinds + (now->nweightings++ - kinds) % (WEIGHTINGS_MAX - kinds);
}

/*
 * Look for weights that say no. That takes its time, and it is not done
 * again before the search has taken as much.
 */
static bool find_weights(struct packing *p, const int64_t *need, int kind)
{
    struct filling f = {.p = p, .kind = kind};
    struct supply supply = {.n = p->now->nkinds,
                            .worth_max = worth_limit / (double)p->nbins,
                            .most = most_held,
                            .arg = &f};
    struct weighting x = {0}, *known;
    bool found;

    memcpy(supply.need, need, sizeof(supply.need));
    found = weights_find(&supply, x.w);
    p->now->search_at = p->s->steps + f.looks / LOOKS_A_STEP;
    if (!found)
        return false;
    known = &p->now->weighting[free_weighting(p->now)];
    *known = x;
    sum_weighting(p, known);
    return true;
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
        move_cursor(p, kind, bin ? (size_t)(bin - p->bins) : 0);
    find_need(p, g, need);
    if (weights_refuse(p, need, kind, NULL, NULL))
        return ROOM_NONE;
    if (site && bin && kind >= 0
        && (worth_of(p->now, bin->patterns, need, -1, kind) < 0
            || weights_refuse(p, need, kind, bin, bin->patterns)))
        return ROOM_ELSEWHERE;
    if (!site && p->s->steps >= p->now->search_at
        && find_weights(p, need, kind))
        return ROOM_NONE;
    return ROOM_LIKELY;
}

const struct patterns *packing_held(const struct packing *p,
                                    const struct goal *g,
                                    const struct site *site)
{
    const struct bin *bin = bin_of(p, site);
    bool same = p->now && p->now->list == list_of(p, g->e)
                && p->now->part == g->e->part && p->scope == g->scope;

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
    return weights_refuse(p, need, kind, bin, g->held);
}

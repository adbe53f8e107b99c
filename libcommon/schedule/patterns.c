/*
 * What a bin can hold: all combinations of the kinds of a list that can be
 * had together in it, of which only the largest are kept.
 *
 * They are found by trying, with the search itself confined to the bin; bins
 * that are alike, and in which the same is left, have the same. Where trying
 * would take too long more is taken for possible than is: then the bound is
 * weaker, but not wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/packing.h"

enum {
    TRIES_MAX = 600,    /* for one bin */
    STEPS_EACH = 30000, /* for one try */
    PATTERNS_MAX = 200  /* of a bin */
};

/* --- what is left in a bin ---------------------------------------------- */

struct key {
    int64_t *words;
    size_t n, size;
    bool failed;
};

static void key_add(struct key *k, int64_t word)
{
    if (k->n == k->size) {
        size_t size = k->size ? 2 * k->size : 64;
        int64_t *words = xrealloc(k->words, size * sizeof(*words));
        if (!words) {
            k->failed = true;
            return;
        }
        k->words = words;
        k->size = size;
    }
    k->words[k->n++] = word;
}

/* All that is taken in a site. The depth of a set is bounded. */
static void key_add_site(struct key *k, const struct site *site)
{
    int64_t number = 0;

    key_add(k, site->used);
    key_add(k, site->shared);
    key_add(k, site->matched | site->held << 1 | site->whole << 2);
    for (const struct site *c = site->child; c; c = c->next, number++)
        if (c->touch) {
            key_add(k, number);
            key_add_site(k, c);
        }
    key_add(k, -1);
}

static struct map_slot *known_slot(struct packing *p, struct site *bin)
{
    struct map_slot *slot = NULL;
    struct key k = {0};

    key_add(&k, (int64_t)(intptr_t)p->now);
    key_add(&k, sites_class(p->s->sites, bin));
    if (bin->touch)
        key_add_site(&k, bin);
    if (!k.failed)
        slot = map_at(&p->known, k.words, k.n * sizeof(*k.words));
    free(k.words);
    p->s->a->failed = p->s->a->failed || !slot;
    return slot;
}

/* --- trying ------------------------------------------------------------- */

struct trying {
    struct packing *p;
    struct site *bin;
    int tries;
    int64_t x[KINDS_MAX];    /* the combination that is tried */
    int64_t most[KINDS_MAX]; /* of each kind alone */
    int order[KINDS_MAX];
    int n;
    bool many; /* too many to find them all */
    int64_t v[PATTERNS_MAX][KINDS_MAX];
};

/* Does what there is of each type suffice for the combination? */
static bool sums_suffice(const struct trying *t)
{
    const struct packed *now = t->p->now;
    const struct attempt *a = t->p->s->a;

    for (unsigned type = 0; type < a->m->ntypes; type++) {
        int64_t left = attempt_below(a, t->bin->v, (int)type)
                       - site_taken(t->bin, (int)type);
        for (int i = 0; i < now->nkinds; i++) {
            uint64_t each = search_needed_each(a->m, now->kind[i].e, (int)type);
            if (now->kind[i].is_bin && now->kind[i].e->ntype == (int)type)
                continue;
            if (t->x[i] == 0 || each == 0)
                continue;
            if (each > INT32_MAX || left < (int64_t)each * t->x[i])
                return false;
            left -= (int64_t)each * t->x[i];
        }
    }
    return true;
}

/* Try to have them, in vain or not, and leave the bin as it was. */
static bool search_bin(const struct trying *t)
{
    const struct packed *now = t->p->now;
    struct search *inner = &t->p->inner;
    size_t before = inner->sites->nchanges;
    bool can;

    inner->goals = NULL;
    inner->nchoices = 0;
    inner->nitems = 0;
    inner->steps = 0;
    inner->steps_max = STEPS_EACH;
    inner->out = false;
    for (int i = now->nkinds - 1; i >= 0; i--)
        if (t->x[i] > 0
            && !search_push(inner, (struct goal){.e = now->kind[i].e,
                                                 .scope = t->p->scope,
                                                 .within = t->bin,
                                                 .left = t->x[i],
                                                 .base = BACK_NONE,
                                                 .back = BACK_ONE,
                                                 .counted = true}))
            return true;
    can = search_solve(inner) || inner->out;
    sites_undo(inner->sites, before);
    t->p->s->steps += inner->steps;
    return can;
}

static bool can_hold(struct trying *t)
{
    t->tries++;
    return sums_suffice(t) && (t->tries > TRIES_MAX || search_bin(t));
}

/* The most of a kind beside what there is of the others, up to `limit`. */
static int64_t most_of(struct trying *t, int i, int64_t limit)
{
    int64_t can = 0, cannot = limit + 1;

    while (cannot - can > 1) {
        t->x[i] = can + (cannot - can) / 2;
        if (can_hold(t))
            can = t->x[i];
        else
            cannot = t->x[i];
    }
    t->x[i] = 0;
    return can;
}

/* The most of each kind alone; the one of which there is most comes last. */
static bool find_most(struct trying *t)
{
    int n = t->p->now->nkinds;

    for (int i = 0; i < n; i++) {
        t->most[i] = most_of(t, i, UNITS_MAX);
        t->order[i] = i;
        if (t->most[i] == UNITS_MAX)
            return false;
    }
    for (int i = 0; i < n - 1; i++)
        if (t->most[t->order[i]] > t->most[t->order[n - 1]]) {
            t->order[i] = t->order[n - 1];
            t->order[n - 1] = i;
        }
    return true;
}

static bool holds_all(const int64_t *a, const int64_t *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] < b[i])
            return false;
    return true;
}

/* Keep a combination, unless one that is kept already has as much of all. */
static void keep(struct trying *t)
{
    int n = t->p->now->nkinds, kept = 0;

    for (int i = 0; i < t->n; i++)
        if (holds_all(t->v[i], t->x, n))
            return;
    for (int i = 0; i < t->n; i++)
        if (!holds_all(t->x, t->v[i], n))
            memmove(t->v[kept++], t->v[i], sizeof(t->v[i]));
    memcpy(t->v[kept++], t->x, sizeof(t->x));
    t->n = kept;
    t->many = kept == PATTERNS_MAX;
}

/* For each number of a kind the combinations with those after it. */
static void combine(struct trying *t, int at)
{
    int i = t->order[at], n = t->p->now->nkinds;

    if (at == n - 1) {
        t->x[i] = most_of(t, i, t->most[i]);
        keep(t);
        t->x[i] = 0;
        return;
    }
    for (t->x[i] = 0; t->x[i] <= t->most[i] && !t->many; t->x[i]++) {
        if (t->x[i] > 0 && !can_hold(t))
            break;
        t->many = t->tries > 4 * TRIES_MAX;
        combine(t, at + 1);
    }
    t->x[i] = 0;
}

static struct patterns *find_patterns(struct packing *p, struct site *bin)
{
    struct trying t = {.p = p, .bin = bin};
    struct patterns *found;

    if (!find_most(&t))
        return NULL;
    combine(&t, 0);
    if (t.many) {
        memcpy(t.v[0], t.most, sizeof(t.most));
        t.n = 1;
    }
    found = arena_alloc(&p->arena,
                        sizeof(*found) + (size_t)t.n * sizeof(found->v[0]));
    if (!found) {
        p->s->a->failed = true;
        return NULL;
    }
    found->n = t.n;
    memcpy(found->v, t.v, (size_t)t.n * sizeof(found->v[0]));
    return found;
}

const struct patterns *packing_patterns(struct packing *p, struct site *bin)
{
    static const struct patterns unknown = {.n = 0};
    struct map_slot *slot = known_slot(p, bin);
    struct patterns *found;
    size_t at;

    if (!slot)
        return NULL;
    if (!slot->value.pointer) {
        at = (size_t)(slot - p->known.slots);
        found = find_patterns(p, bin);
        p->known.slots[at].value.pointer = found ? found : (void *)&unknown;
        slot = &p->known.slots[at];
    }
    found = slot->value.pointer;
    return found->n ? found : NULL;
}

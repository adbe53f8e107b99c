/*
 * What bins are worth at weights that are known, summed up and kept up to
 * date, and the search for more weights.
 */
#include <string.h>

#include "schedule/packing.h"

/* So much looking at patterns takes as long as a step of a search. */
enum { PATTERNS_A_STEP = 100 };

/* Sums of worths stay below 2^62. */
static const double worth_limit = (double)(INT64_C(1) << 61)
                                  / (KINDS_MAX * UNITS_MAX);

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

void packing_count(struct packing *p, size_t at, int64_t sign)
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

void packing_move_cursor(struct packing *p, int kind, size_t to)
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

bool packing_weights_refuse(const struct packing *p, const int64_t *need,
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

bool packing_find_weights(struct packing *p, const int64_t *need, int kind)
{
    struct filling f = {.p = p, .kind = kind};
    struct supply supply = {.n = p->now->nkinds,
                            .worth_max = worth_limit / (double)p->now->nbins,
                            .most = most_held,
                            .arg = &f};
    struct weighting x = {0}, *known;
    bool found;

    memcpy(supply.need, need, sizeof(supply.need));
    found = weights_find(&supply, x.w);
    p->now->search_at = p->s->steps + f.looks / PATTERNS_A_STEP;
    if (!found)
        return false;
    known = &p->now->weighting[free_weighting(p->now)];
    *known = x;
    sum_weighting(p, known);
    return true;
}

bool packing_holds_one(const struct bin *bin, int kind)
{
    for (int j = 0; j < bin->patterns->n; j++)
        if (bin->patterns->v[j][kind] > 0)
            return true;
    return false;
}

void packing_sum(struct packing *p)
{
    for (unsigned k = 0; k < weightings(p->now); k++)
        sum_weighting(p, &p->now->weighting[k]);
}

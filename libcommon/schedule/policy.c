/* The policies by name, and what several of them are made of. */
#include "schedule/policy.h"

#include <string.h>

#include "schedule/search.h"

static const struct policy first = {.name = "first"};
static const struct policy low = {.name = "low", .same_as = "first"};
static const struct policy lonode = {.name = "lonode", .same_as = "first"};
static const struct policy high = {.name = "high", .back = true};
static const struct policy hinode = {
    .name = "hinode", .same_as = "high", .back = true};

static const struct policy *const policies[] = {&first,
                                                &low,
                                                &lonode,
                                                &high,
                                                &hinode,
                                                &policy_best_fit,
                                                &policy_worst_fit,
                                                &policy_locality,
                                                &policy_variation};
enum { NPOLICIES = sizeof(policies) / sizeof(policies[0]) };

void policy_each(word_fn *next, void *arg)
{
    for (int i = 0; i < NPOLICIES; i++)
        next(arg, policies[i]->name);
}

const struct policy *policy_find(const char *name, struct near *near)
{
    for (int i = 0; i < NPOLICIES; i++)
        if (!strcmp(policies[i]->name, name))
            return policies[i];
    policy_each(near_try, near);
    return NULL;
}

const struct policy *policy_first(void)
{
    return &first;
}

/* --- what is free of what is asked for ----------------------------------- */

void policy_rank_by_free(const struct attempt *a, struct rank_by *by)
{
    by->ntypes = a->entries->nwanted;
    memcpy(by->types, a->entries->wanted, sizeof(by->types));
}

/* Does one lot have less free than another, or if `most`, more? */
static bool has_less(const struct attempt *a, const struct lot *lot,
                     const struct lot *other, bool most)
{
    for (size_t i = 0; i < a->entries->nwanted; i++) {
        unsigned row = (unsigned)a->entries->wanted[i];
        int64_t x = lot_given(a->u, lot, row), y = lot_given(a->u, other, row);
        if (x != y)
            return most ? x > y : x < y;
    }
    return false;
}

static bool comes_before(const struct attempt *a, const struct lot *lot,
                         const struct lot *other, bool most)
{
    if (lot->v->type != other->v->type)
        return lot_compare(lot, other) < 0;
    return has_less(a, lot, other, most)
           || (!has_less(a, other, lot, most) && lot_compare(lot, other) < 0);
}

/* The next lot with something in it. */
static struct lot *next_inner_lot(const struct sites *s, struct site *parent,
                                  const struct lot *from, const struct entry *e,
                                  bool most)
{
    struct lot *best = NULL;

    for (struct lot *lot = NULL; (lot = sites_next_lot(s, parent, lot, e));)
        if (lot->v->child && (!from || comes_before(s->a, from, lot, most))
            && (!best || comes_before(s->a, lot, best, most)))
            best = lot;
    return best;
}

struct site *policy_next_by_free(struct search *s, const struct goal *g,
                                 struct site *parent, struct site *from,
                                 bool most)
{
    struct sites *sites = &s->sites;
    bool inner = !from || from->v->child;
    struct site *site = from && inner ? site_beside(sites, from) : NULL;
    struct lot *lot;

    if (site)
        return site;
    if (inner) {
        lot = next_inner_lot(sites, parent, from ? from->lot : NULL, g->e,
                             most);
        if (lot)
            return site_first(sites, parent, lot);
        from = NULL;
    }
    do
        from = site_next(sites, parent, from, g->e);
    while (from && from->v->child);
    return from;
}

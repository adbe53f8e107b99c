/*
 * The policies by name. Free units are those that were free before the match.
 */
#include "schedule/policy.h"

#include <string.h>

#include "base/digits.h"
#include "model/tree/properties.h"
#include "schedule/search.h"

/* --- facts --------------------------------------------------------------- */

enum { CLASS_WORST = 9999 };

/*
 * Return the performance class of a node: its property perf_class, from 0 (the
 * best) to 9999. Without the property, or with another value, it is 9999.
 */
static int64_t perf_class(const struct vertex *v)
{
    for (unsigned i = 0; v->properties && i < v->properties->count; i++) {
        const char *value = property_value(&v->properties->list[i],
                                           "perf_class", strlen("perf_class"));
        uint64_t n;
        if (value)
            return text_is_number(value, &n) && n <= CLASS_WORST ? (int64_t)n
                                                                 : CLASS_WORST;
    }
    return CLASS_WORST;
}

struct order *policy_ranking(const struct match_context *m,
                             const struct policy *policy)
{
    struct rank_by by = {.fact = policy->fact, .most = policy->most};

    if (!policy->fact) {
        by.ntypes = m->entries.nwanted;
        memcpy(by.types, m->entries.wanted, sizeof(by.types));
    }
    return usage_rank(m->u, &by);
}

/* --- children by free units ----------------------------------------------- */

/* Compare free units only between lots of one type; otherwise compare
   positions. */
static bool comes_before(const struct match_context *m, const struct lot *lot,
                         const struct lot *other)
{
    size_t n = lot->v->type == other->v->type ? m->entries.nwanted : 0;

    for (size_t i = 0; i < n; i++) {
        unsigned row = (unsigned)m->entries.wanted[i];
        int64_t x = lot_units(m->u, lot, row), y = lot_units(m->u, other, row);
        if (x != y)
            return m->policy->most ? x > y : x < y;
    }
    return lot_compare(lot, other) < 0;
}

struct candidate *policy_next_by_free(struct search *s, const struct goal *g,
                                      struct candidate *parent,
                                      struct candidate *from)
{
    struct candidates *pools = &s->pools;
    bool inner = !from || from->v->child;
    struct candidate *pool = from && inner ? candidate_beside(pools, from)
                                           : NULL;

    if (pool)
        return pool;
    if (inner) { /* the next lot with pools in it */
        struct lot *best = NULL, *lot = NULL;
        while ((lot = candidates_next_lot(pools, parent, lot, g->e)))
            if (lot->v->child && (!from || comes_before(s->m, from->lot, lot))
                && (!best || comes_before(s->m, lot, best)))
                best = lot;
        if (best)
            return candidate_first(pools, parent, best);
        from = NULL;
    }
    do
        from = candidate_next(pools, parent, from, g->e);
    while (from && from->v->child);
    return from;
}

/* Order pools inside nodes by free units; above nodes a ranking does it. */
static struct candidate *next_in_node(struct search *s, const struct goal *g,
                                      struct candidate *parent,
                                      struct candidate *from)
{
    return vertex_in_node(parent->v)
               ? policy_next_by_free(s, g, parent, from)
               : candidate_next(&s->pools, parent, from, g->e);
}

/* --- the table ----------------------------------------------------------- */

static const struct policy policies[] = {
    {.name = "first"},
    {.name = "low"}, /* low and lonode are other names of first */
    {.name = "lonode"},
    {.name = "high", .back = true},
    {.name = "hinode", .back = true},
    {.name = "best-fit", .ranked = true, .next = next_in_node},
    {.name = "worst-fit", .ranked = true, .most = true, .next = next_in_node},
    {.name = "locality", .most = true, .next = policy_next_local},
    {.name = "variation", .ranked = true, .fact = perf_class},
};
enum { NPOLICIES = sizeof(policies) / sizeof(policies[0]) };

void policy_each(word_fn *next, void *arg)
{
    for (int i = 0; i < NPOLICIES; i++)
        next(arg, policies[i].name);
}

const struct policy *policy_find(const char *name, struct near *near)
{
    for (int i = 0; i < NPOLICIES; i++)
        if (!strcmp(policies[i].name, name))
            return &policies[i];
    policy_each(near_try, near);
    return NULL;
}

const struct policy *policy_first(void)
{
    return &policies[0];
}

const char *policy_name(const struct policy *policy)
{
    return policy ? policy->name : policies[0].name;
}

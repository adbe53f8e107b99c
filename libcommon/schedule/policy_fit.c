/*
 * best-fit and worst-fit: nodes, and in a node the pools with something in
 * them, by what is free of the types that are asked for. What is free is what
 * was free before the match.
 */
#include "schedule/policy.h"
#include "schedule/search.h"

static void rank_least(const struct attempt *a, struct rank_by *by)
{
    policy_rank_by_free(a, by);
}

static void rank_most(const struct attempt *a, struct rank_by *by)
{
    policy_rank_by_free(a, by);
    by->most = true;
}

static struct site *next(struct search *s, const struct goal *g,
                         struct site *parent, struct site *from, bool most)
{
    return vertex_in_node(parent->v)
               ? policy_next_by_free(s, g, parent, from, most)
               : site_next(&s->sites, parent, from, g->e);
}

static struct site *next_least(struct search *s, const struct goal *g,
                               struct site *parent, struct site *from)
{
    return next(s, g, parent, from, false);
}

static struct site *next_most(struct search *s, const struct goal *g,
                              struct site *parent, struct site *from)
{
    return next(s, g, parent, from, true);
}

const struct policy policy_best_fit = {
    .name = "best-fit", .rank = rank_least, .next = next_least};
const struct policy policy_worst_fit = {
    .name = "worst-fit", .rank = rank_most, .next = next_most};

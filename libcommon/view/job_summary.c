/* Summarizes the resources of a job (job_summary.h). */
#include "view/job_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/path.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "schedule/ledger.h"

/* Is lot `a` before lot `b` in the order of the tree? */
static bool comes_before(const struct lot *a, const struct lot *b)
{
    for (const struct lot *up = a; up->parent; up = up->parent) {
        const struct lot *other = b;
        while (other->parent && other->parent != up->parent)
            other = other->parent;
        if (other->parent)
            return up == other ? up == a : lot_compare(up, other) < 0;
    }
    return false;
}

/* Add units of a type: recorded in a lot, or inside of it. If there are
   recorded units, only lots with these count for the first one. */
static void add_units(struct job_summary *s, const struct lot *lot,
                      const char *type, int64_t units, int64_t inside)
{
    struct job_units *of;
    size_t i = VECTOR_FIND(k, s->n, s->list[k].type == type);

    if (i == s->n)
        VECTOR_ADD(s->list, s->n,
                   (struct job_units){.type = type, .first = lot});
    of = &s->list[i];
    if ((units && !of->units)
        || ((units || !of->units) && comes_before(lot, of->first)))
        of->first = lot;
    of->units += units;
    of->inside += inside;
}

bool job_summary_counts(const char *type)
{
    return type_is_node(type) || !strcmp(type, "core") || !strcmp(type, "gpu");
}

/*
 * Add the contents of a lot that a job holds whole: memory, for example. Pools
 * that only group others, such as sockets, and parts of cores and GPUs are left
 * out.
 */
static void add_inside(struct job_summary *s, const struct usage *u,
                       const struct lot *lot, int64_t pools)
{
    const struct types *types = usage_types(u);
    const int64_t *below = usage_row(u, lot->v);
    int core = usage_type_named(u, "core"), gpu = usage_type_named(u, "gpu");

    for (int t = 0; below && t < (int)types->count; t++)
        if (below[t] && types->flags[t] & TYPE_BARE
            && !job_summary_counts(types->names[t])
            && (core < 0 || !types_below(types, t, core))
            && (gpu < 0 || !types_below(types, t, gpu)))
            add_units(s, lot, types->names[t], 0, below[t] * pools);
}

/* Return the units of a type in `units` units of a lot. */
static int64_t units_of(const struct usage *u, const struct lot *lot,
                        int64_t units, const char *type)
{
    int ntype = usage_type_named(u, type);

    if (ntype >= 0 && lot->v->type == usage_types(u)->names[ntype])
        return units;
    return units < lot->v->size ? 0 : usage_total(u, lot->v, ntype);
}

static int compare_units(const void *a, const void *b)
{
    const struct job_units *x = a, *y = b;
    int order = comes_before(y->first, x->first)
                - comes_before(x->first, y->first);

    return order ? order : strcmp(x->type, y->type);
}

static void add_grant(struct job_summary *s, struct usage *u, uint32_t walk,
                      const struct grant *g)
{
    bool claim = g->term->kind == GRANT_CLAIM;
    int64_t units = claim ? g->units : 0, pools = lot_pools(g->lot, NULL);
    struct lot *node = NULL;

    lot_add_ranks(g->lot, grant_is_whole(g), s->ranks);

    /* Count the node around the lot, unless counted already in this walk; or,
       above nodes, the nodes in it. */
    for (struct lot *up = g->lot; up->parent; up = up->parent)
        if (type_is_node(up->v->type))
            node = up;
    if (!node)
        s->nodes += units_of(u, g->lot, units, "node") * pools;
    else if (lot_visit(node, walk))
        s->nodes += (node == g->lot && units ? units : 1)
                    * lot_pools(node, NULL);

    if (!claim)
        return;
    s->cores += units_of(u, g->lot, units, "core") * pools;
    s->gpus += units_of(u, g->lot, units, "gpu") * pools;
    add_units(s, g->lot, g->lot->v->type, units * pools, 0);
    if (grant_is_whole(g))
        add_inside(s, u, g->lot, pools);
}

bool job_summarize(struct job_summary *s, struct usage *u,
                   const struct job *job, double now)
{
    uint32_t walk = usage_walk(u);
    struct term terms = ledger_terms(u, job->name);
    bool has = false;

    *s = (struct job_summary){.job = job->name,
                              .owner = terms.owner,
                              .queue = terms.queue,
                              .start = terms.start,
                              .end = terms.end,
                              .staged = terms.staged,
                              .ranks = idset_create()};
    for (const struct grant *g = job->grants; g; g = g->next) {
        const struct grant *over = grant_awaits(u, g, now);
        has |= g->term->kind != GRANT_LISTED;
        if (term_uses(g->term))
            add_grant(s, u, walk, g);
        if (over)
            job_list_add(&s->awaited, over->term->job);
    }
    job_list_sort(&s->awaited);
    VECTOR_SORT(s->list, s->n, compare_units);
    return has;
}

void job_summary_fini(const struct job_summary *s)
{
    idset_destroy(s->ranks);
    free(s->awaited.list);
    free(s->list);
}

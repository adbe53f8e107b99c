/* Finds the holders and the state of a pool from its lots (holders.h). */
#include "view/holders.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "model/records/tags.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "schedule/ledger.h"

/* --- use and state ------------------------------------------------------- */

bool grant_holds(struct usage *u, const struct grant *g)
{
    const struct period *p = usage_period(u);

    /* later than now, jobs count as gone at their end: no job waits for them */
    return term_during(g->term, p)
           && (p->from > p->now || !grant_awaits(u, g, p->now));
}

/* Add the jobs that hold any part of a lot; with `whole` only those that hold
   it whole. */
static void add_jobs(struct usage *u, struct lot *lot, bool whole,
                     struct holders *h)
{
    lot_load(u, lot);
    for (const struct grant *g = lot->grants; g; g = g->beside) {
        const struct term *t = g->term;
        if (t->kind == GRANT_LISTED || (whole && !grant_is_whole(g)))
            continue;
        if (t->kind == GRANT_STAGED || grant_holds(u, g))
            job_list_add(&h->jobs, t->job);
        else if (t->start > usage_period(u)->from
                 || term_during(t, usage_period(u)))
            job_list_add(&h->later, t->job);
    }
}

/* Is nothing of a lot available? True if it or an enclosing pool is blocked, or
   if the set is not valid in the period. */
static bool is_blocked(struct usage *u, struct lot *lot)
{
    if (ledger_outside(usage_rset(u), usage_period(u)))
        return true;
    while (lot && !ledger_blocks(u, lot))
        lot = lot->parent;
    return lot;
}

/* Is any pool without contents available in a lot? */
static bool has_available(struct usage *u, struct lot *lot)
{
    bool any = !lot->v->child;

    if (lot->taken >= lot->v->size || ledger_blocks(u, lot))
        return false;
    for (struct lot *in = lot_open(u, lot); in && !any; in = in->next)
        any = has_available(u, in);
    return any;
}

struct usage *usage_now(struct rset *rs, double now)
{
    struct usage *u = usage_begin(rs);

    usage_lapse(u, now);
    usage_at(u, &(struct period){.now = now, .from = now, .to = now});
    return u;
}

/* Set the state that a lot itself has. */
static void not_up(struct holders *h, const struct lot *out)
{
    h->use = vertex_get_tag(out->v, "drained") ? PAINT_DRAINED : PAINT_DOWN;
    h->state = out->state;
    h->out = out->v;
}

struct holders holders_of(struct usage *u, struct lot *lot)
{
    const struct types *types = usage_types(u);
    const struct lot *out = lot_not_up(lot);
    struct holders h = {0};
    struct lot *in = lot;
    bool can_give, busy = false;

    if (out)
        not_up(&h, out);
    h.inside = !lot_staged(lot);
    for (struct lot *up = lot; up; up = up->parent) {
        add_jobs(u, up, up != lot, &h);
        if (up->taken >= (up == lot ? 1 : up->v->size))
            h.inside = false;
    }
    while ((in = lot_next_in(u, lot, in)))
        add_jobs(u, in, false, &h);
    job_list_sort(&h.jobs);
    job_list_sort(&h.later);
    if (h.use == PAINT_DRAINED && h.jobs.n)
        h.use = PAINT_DRAINING;
    if (h.out)
        return h;

    can_give = !lot->v->child && lot_free(lot) > 0;
    for (unsigned t = 0; lot->v->child && t < types->count && !can_give; t++)
        can_give = types->names[t] != lot->v->type && lot_below(u, lot, t) > 0;
    if (type_is_node(lot->v->type)) {
        int core = usage_type_named(u, "core"),
            gpu = usage_type_named(u, "gpu");
        /* A socket that is up counts above, also if all of its cores are
           down. */
        can_give = can_give && has_available(u, lot);
        /* Jobs need a core or a GPU: free memory alone does not count. */
        busy = pool_total(u, lot, core) + pool_total(u, lot, gpu) > 0
               && pool_free(u, lot, core) + pool_free(u, lot, gpu) == 0;
    }
    h.use = busy || !can_give || is_blocked(u, lot) ? PAINT_FULL
            : h.jobs.n                              ? PAINT_MIXED
                                                    : PAINT_IDLE;
    if (h.use == PAINT_FULL && !h.jobs.n) {
        in = lot;
        while ((in = lot_next_in(u, lot, in)) && in->state == STATE_UP)
            ;
        if (in)
            not_up(&h, in);
    }
    return h;
}

void holders_fini(struct holders *h)
{
    free(h->jobs.list);
    free(h->later.list);
    h->jobs = h->later = (struct job_list){0};
}

struct lot *pool_lot(struct usage *u, const struct vertex *v)
{
    struct lot *up = v->parent ? pool_lot(u, v->parent) : usage_top(u);

    return lot_find(u, up, v, v->run ? idset_first(v->run) : 0);
}

bool pool_is(const struct usage *u, const struct vertex *v, int ntype)
{
    return ntype < 0 ? type_is_node(v->type)
                     : v->type == usage_types(u)->names[ntype];
}

bool pool_may_hold(const struct usage *u, const struct vertex *v, int ntype)
{
    const struct types *types = usage_types(u);
    int type = usage_type(u, v->type);

    if (ntype >= 0)
        return types_below(types, ntype, type);
    for (int t = 0; t < (int)types->count; t++)
        if (types->flags[t] & TYPE_NODE && types_below(types, t, type))
            return true;
    return false;
}

bool pool_has_nodes(const struct usage *u, const struct lot *lot)
{
    return usage_total(u, lot->v, usage_type_named(u, "node"))
           || usage_total(u, lot->v, usage_type_named(u, "storage_node"));
}

struct lot *place_next(struct usage *u, const struct lots *tops, size_t *top,
                       struct lot *place)
{
    for (; *top < tops->n; ++*top) {
        struct lot *in = tops->list[*top];
        place = place ? lot_next(u, in, place, true) : in;
        while (place && !type_is_node(place->v->type)
               && pool_has_nodes(u, place))
            place = lot_next(u, in, place, false);
        if (place)
            return place;
    }
    return NULL;
}

/* Count the pools of a type in all members of a lot. */
static uint64_t count_in(struct usage *u, struct lot *lot, int ntype)
{
    uint64_t n = 0;

    if (pool_is(u, lot->v, ntype))
        return lot->n;
    if (!pool_may_hold(u, lot->v, ntype))
        return 0;
    for (struct lot *c = lot_open(u, lot); c; c = c->next)
        n = saturate_add(n, count_in(u, c, ntype));
    return saturate_multiply(n, lot->n);
}

uint64_t pools_count(struct usage *u, const struct lots *lots, int ntype)
{
    uint64_t n = 0;

    for (size_t i = 0; i < lots->n; i++)
        n = saturate_add(n, count_in(u, lots->list[i], ntype));
    return n;
}

const char *holders_word(const struct holders *h)
{
    int use = (int)h->use;

    return pool_state_names[use <= PAINT_FULL ? STATE_WORDS + use
                            : use < PAINT_DOWN
                                ? POOL_STATES + use - PAINT_DRAINED
                                : (int)h->state];
}

/* --- in colour and text --------------------------------------------------- */

enum paint_state holders_state(const struct holders *h)
{
    return h->out && h->state != STATE_DOWN ? paint_of_pool(h->state) : h->use;
}

struct paint holders_paint(const struct holders *h, const struct palette *p)
{
    return !h->out && h->jobs.n == 1 ? palette_of(p, h->jobs.list[0]->name)
                                     : paint_state(holders_state(h));
}

const json_t *holders_tag(const struct holders *h)
{
    return h->out ? vertex_get_tag(h->out,
                                   h->use < PAINT_DOWN ? "drained" : "down")
                  : NULL;
}

const char *holders_reason(const struct holders *h)
{
    return json_string_value(json_object_get(holders_tag(h), "reason"));
}

int64_t pool_total(const struct usage *u, const struct lot *lot, int ntype)
{
    if (ntype < 0)
        return 0;
    return usage_total(u, lot->v, ntype)
           + (lot->v->type == usage_types(u)->names[ntype] ? lot->v->size : 0);
}

int64_t pool_free(struct usage *u, struct lot *lot, int ntype)
{
    bool pooled;

    if (ntype < 0 || is_blocked(u, lot))
        return 0;
    pooled = usage_types(u)->flags[ntype] & TYPE_POOLED;
    return lot_units(u, lot,
                     (unsigned)ntype + (pooled ? 0 : usage_types(u)->count));
}

void holders_put(struct table *t, int column, const struct job_list *jobs)
{
    json_t *data = jobs->n ? json_array() : NULL;
    char *text;
    FILE *fp = memory_open(&text, NULL);

    job_list_fold(jobs, JOB_LIST_FEW, fp);
    memory_close(fp);
    for (size_t i = 0; i < jobs->n; i++)
        json_array_append_new(data, job_to_json(jobs->list[i]->name));
    table_list(t, column, text, data);
    free(text);
}

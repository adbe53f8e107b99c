/*
 * Usage and vertices (usage.h). Settling gives each used lot a vertex of its
 * own, before documents are written. Gathering rebuilds usage from the lots of
 * vertices, after the tree of pools was changed, read, or made from two sets.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/records/profile.h"
#include "model/records/tags.h"
#include "model/records/path.h"

/* --- settling ----------------------------------------------------------- */

/* Value of vertex->index for a run that is being cut. */
enum { CUT = 1 };

/* Give used lots that are only a part of their vertices vertices of their own.
   Returns whether there were any. */
static bool part_lots(struct rset *rs, struct lot *top)
{
    bool any = false;

    for (struct lot *lot = lot_child(top); lot; lot = lot->next)
        lot->v->index = 0;
    for (struct lot *lot = lot_child(top); lot; lot = lot->next) {
        struct vertex *v = lot->v;
        struct idset *members;
        if (!v->run || lot_is_blank(lot) || vertex_count(v) == lot->n)
            continue;
        members = idset_create_range(lot->at, lot->at + lot->n - 1);
        lot_follow(lot, vertex_copy_beside(rs, v, members));
        idset_destroy(members);
        v->index = CUT;
        any = true;
    }
    return any;
}

/* Leave the other members in the cut runs, and unlink runs without members. */
static void keep_rest(struct rset *rs, struct lot *top)
{
    struct vertex *next;

    for (struct vertex *v = top->v->child; v; v = v->next)
        if (v->index == CUT)
            idset_clear(v->run);
    for (struct lot *lot = lot_child(top); lot; lot = lot->next)
        if (lot->v->index == CUT)
            idset_add(lot->v->run, lot->at, lot->at + lot->n - 1);
    for (struct vertex *v = top->v->child; v; v = next) {
        next = v->next;
        if (v->index == CUT && idset_empty(v->run))
            vertex_unlink(rs, v);
    }
    vertex_sort_children(top->v);
}

static void settle_below(struct rset *rs, struct lot *top)
{
    if (part_lots(rs, top))
        keep_rest(rs, top);
    for (struct lot *lot = lot_child(top); lot; lot = lot->next)
        if (!lot_is_blank(lot)) {
            lot->v->lot = lot;
            settle_below(rs, lot);
        }
}

struct settled usage_settle(struct rset *rs)
{
    if (rs->usage)
        usage_end_profiles(rs->usage);
    for (size_t i = 0; i < rs->nvertices; i++) {
        struct vertex *v = rs->vertices[i];
        v->lot = NULL;
        if (rs->usage && rs->usage->unsorted && v->child && !v->child->closed)
            vertex_sort_children(v);
    }
    if (rs->usage) {
        rs->usage->unsorted = false;
        settle_below(rs, &rs->usage->top);
    }
    return (struct settled){rs, rs->changes};
}

/* --- the lot of a vertex ------------------------------------------------ */

struct lot *vertex_lot(struct rset *rs, struct vertex *v)
{
    if (!v->lot)
        v->lot = lot_create(usage_get(rs), NULL, v, 0, 1);
    return v->lot;
}

void vertex_import_state(struct rset *rs, struct vertex *copy,
                         enum pool_state state)
{
    if (state != STATE_UP)
        vertex_lot(rs, copy)->state = state;
}

struct lot *settled_lot(struct settled s, const struct vertex *v)
{
    assert(s.changes == s.rs->changes);
    return v ? v->lot : NULL;
}

struct grant *vertex_grants(struct settled s, const struct vertex *v)
{
    return lot_grants(settled_lot(s, v));
}

enum pool_state vertex_state(struct settled s, const struct vertex *v)
{
    return lot_state(settled_lot(s, v));
}

const struct vertex *vertex_not_up(struct settled s, const struct vertex *v)
{
    while (v && vertex_state(s, v) == STATE_UP)
        v = v->parent;
    return v;
}

/* --- gathering ---------------------------------------------------------- */

/* Copy a grant of a lot of any set. */
static void import_grant(struct usage *u, struct lot *lot,
                         const struct grant *g)
{
    struct job *job = job_get(u, g->term->job->name);

    grant_add(u, job, lot, g->term->kind, job_term(u, job, g->term), g->units);
}

/* Reduce claims to the size of a pool that became smaller, the newest first. */
static void trim_claims(struct usage *u, struct lot *lot)
{
    const struct period ever = {.to = INFINITY};
    int64_t excess;

    while ((excess = lot_claimed(lot, &ever, NULL) - lot->v->size) > 0) {
        struct grant *g = NULL;
        char *place = lot_place(u, lot);
        for (struct grant *c = lot->grants; c; c = c->beside)
            g = c->term->kind == GRANT_CLAIM ? c : g; /* the last one */
        excess = excess < g->units ? excess : g->units;
        rset_note(u->rs, "%s: job %s loses %lld units, which no longer exist",
                  place, g->term->job->name, (long long)excess);
        free(place);
        if (excess < g->units)
            grant_change(u, g, g->term, g->units - excess);
        else
            grant_destroy(u, g);
    }
}

/* A share that only says that the job has a grant below is implied. Shares with
   times are kept. */
void usage_drop_implied(struct usage *u)
{
    for (struct job *job = u->jobs_first, *after; job; job = after) {
        struct grant *first = job->nshared ? job->grants : NULL;
        uint32_t walk = usage_walk(u);
        after = job->next;
        for (const struct grant *g = first; g; g = g->next)
            for (struct lot *up = term_uses(g->term) ? g->lot->parent : NULL;
                 up && lot_visit(up, walk);)
                up = up->parent;
        for (struct grant *g = first, *next; g; g = next) {
            next = g->next;
            if (g->term->kind == GRANT_SHARE && !term_has_times(g->term)
                && g->lot->seen == walk)
                grant_destroy(u, g);
        }
        job_end_if_empty(u, job);
    }
}

static struct usage *gather(struct rset *rs)
{
    struct usage *u = usage_create(rs);

    for (struct job *job = rs->usage ? rs->usage->jobs_first : NULL; job;
         job = job->next)
        job_get(u, job->name); /* keep the order of jobs */
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        struct lots lots = {0};
        if (lot_is_used(v->lot))
            lots = usage_lots(u, v);
        for (size_t i = 0; i < lots.n; i++) {
            struct lot *lot = lots.list[i];
            if (v->lot->state != STATE_UP)
                lot_set_state(u, lot, v->lot->state);
            for (const struct grant *g = v->lot->grants; g; g = g->beside)
                import_grant(u, lot, g);
            trim_claims(u, lot);
        }
        free(lots.list);
    }
    usage_drop_implied(u);
    return u;
}

void usage_gather(struct rset *rs)
{
    const struct vertex *used = rset_first(rs);
    struct usage *u;

    while (used && !lot_is_used(used->lot))
        used = rset_next(rs, used);
    rs->changes++;
    rs->numbers = 0; /* some vertices may have no number */
    u = used ? gather(rs) : NULL;
    usage_destroy(rs->usage);
    rs->usage = u;
    rs->usage_end = usage_destroy;
    for (size_t i = 0; i < rs->nvertices; i++)
        rs->vertices[i]->lot = NULL;
}

/* --- two sets ----------------------------------------------------------- */

static bool is_same_grant(const struct grant *a, const struct grant *b)
{
    return term_is_like(a->term, b->term)
           && !strcmp(a->term->job->name, b->term->job->name);
}

/* Return the units that the job of a grant has in a lot for the same term. */
static int64_t units_like(const struct lot *lot, const struct grant *like)
{
    int64_t sum = 0;

    for (const struct grant *g = lot->grants; g; g = g->beside)
        sum += is_same_grant(g, like) ? g->units : 0;
    return sum;
}

/* Add the grants of another lot. If both have the same grant, the larger
   counts. */
static void add_grants(struct usage *u, struct lot *lot, const struct lot *from)
{
    for (const struct grant *g = from ? from->grants : NULL; g; g = g->beside) {
        struct grant *own = lot->grants;
        int64_t more = units_like(from, g) - units_like(lot, g);
        while (own && !is_same_grant(own, g))
            own = own->beside;
        if (!own)
            import_grant(u, lot, g);
        else if (more > 0)
            own->units += more;
    }
}

void records_unite(struct rset *a, struct vertex *v, const struct vertex *b)
{
    enum pool_state own = lot_state(v->lot), other = lot_state(b->lot);
    json_t *tags = vertex_has_tags(b) ? tags_of(b) : NULL, *value;
    const char *key;
    struct usage *u;
    struct lot *lot;

    json_object_foreach (tags, key, value)
        if (!vertex_get_tag(v, key)) /* the first value stays */
            vertex_tag(v, key, value);
    json_decref(tags);
    if (!lot_is_used(b->lot))
        return;
    u = usage_get(a);
    /* the lot of v may have other members, too */
    lot = lot_create(u, NULL, v, 0, 1);
    lot->state = own;
    if (own == STATE_UP)
        lot->state = other;
    add_grants(u, lot, v->lot);
    add_grants(u, lot, b->lot);
    v->lot = lot;
}

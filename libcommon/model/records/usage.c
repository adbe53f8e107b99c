/* Usage as a whole: passes changes of a lot on to its parents, and changes the
   period for which all sums hold. */
#include "model/records/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/pieces.h"
#include "model/records/profile.h"
#include "model/records/path.h"

/*
 * Costs, in grants: recounting GRANTS_FEW grants needs no further thought.
 * Recounting one costs as much as skipping NODES_A_GRANT nodes. Recounting a
 * node costs as much as GRANTS_A_NODE grants.
 */
enum { GRANTS_FEW = 256, NODES_A_GRANT = 256, GRANTS_A_NODE = 4 };

/* --- accessors ------------------------------------------------------- */

struct rset *usage_rset(const struct usage *u)
{
    return u->rs;
}

struct lot *usage_top(const struct usage *u)
{
    return (struct lot *)&u->top;
}

struct types *usage_types(const struct usage *u)
{
    return (struct types *)&u->types;
}

const struct period *usage_period(const struct usage *u)
{
    return &u->when;
}

struct job *usage_jobs(const struct usage *u)
{
    return u->jobs_first;
}

size_t usage_njobs(const struct usage *u)
{
    return u->njobs;
}

bool usage_has_parts(const struct usage *u)
{
    return u->nparts > 0;
}

bool usage_has_states(const struct usage *u)
{
    return u->any_state;
}

int64_t usage_seq(const struct usage *u)
{
    return u->seq;
}

void usage_set_seq(struct usage *u, int64_t seq)
{
    u->seq = seq;
}

const struct watch *usage_changes(const struct usage *u)
{
    return &u->watch;
}

/* --- sums --------------------------------------------------------------- */

void lot_sums(const struct usage *u, const struct lot *lot, int64_t *gives)
{
    unsigned count = u->types.count;
    const int64_t *row = lot->in ? NULL : usage_row(u, lot->v);
    int64_t *rows = gives + ROWS;
    bool idle = lot_idle(lot);

    gives[TOUCHED] = !idle;
    gives[HELD] = lot_held(lot);
    if (lot->blocked || (!lot->in && !row))
        memset(rows, 0, USAGE_ROWS * count * sizeof(*rows));
    else if (lot->in)
        memcpy(rows, lot->in->sums + ROWS, USAGE_ROWS * count * sizeof(*rows));
    else
        for (unsigned k = 0; k < USAGE_ROWS; k++)
            memcpy(&rows[k * count], row, count * sizeof(*rows));
    for (unsigned t = 0; t < count && !lot->blocked; t++)
        if (u->types.names[t] == lot->v->type) {
            rows[FREE * count + t] += lot_free(lot);
            rows[IDLE * count + t] += idle ? lot->v->size : 0;
            return;
        }
}

void lot_refresh(struct usage *u, struct lot *lot)
{
    const struct profile *p = u->looking ? lot_profile(lot) : NULL;
    const struct period *when = p            ? profile_period(p)
                                : u->looking ? &u->base
                                             : &u->when;
    bool staged = false;
    int nclaims = 0;

    if (lot->stored)
        return; /* its sums count as they are until it is read */
    lot->held = false;
    lot->taken = 0;
    if (!lot->grants && lot->state == STATE_UP) {
        lot->blocked = lot->touched = false;
        return;
    }
    for (const struct grant *g = lot->grants; g; g = g->beside) {
        bool used = term_during(g->term, when);
        staged = staged || g->term->kind == GRANT_STAGED;
        lot->held = lot->held || used;
        if (used && g->term->kind == GRANT_CLAIM && nclaims++ == 0)
            lot->taken = g->units;
    }
    if (nclaims > 1)
        lot->taken = lot_claimed(lot, when, NULL);
    lot->blocked = lot->state != STATE_UP || staged
                   || (lot->held && lot->taken >= lot->v->size);
    lot->touched = lot->blocked || lot->held;
}

void lot_changing(struct usage *u, struct lot *lot)
{
    lot_load(u, lot);
    if (u->types.known)
        lot_sums(u, lot, u->before);
}

/* After a child gives other units, update the sums of its parent. Returns false
   if it gives the same as before. */
static bool update_parent(struct usage *u, struct inside *in, struct lot *child,
                          const int64_t *before, const int64_t *after)
{
    size_t n = usage_width(u);

    if (!memcmp(before, after, n * sizeof(*after)))
        return false;
    if (in->order || u->rankings[0])
        orders_follow(u, child, before, after);
    for (size_t i = 0; i < n; i++)
        in->sums[i] += (after[i] - before[i]) * (int64_t)child->n;
    return true;
}

/* Update the sums of the parents, upwards until one gives the same as
   before. */
void lot_changed(struct usage *u, struct lot *lot)
{
    if (!u->types.known)
        return; /* lots_sum() will count it */
    lot_refresh(u, lot);
    for (struct lot *up; (up = lot->parent); lot = up) {
        int64_t *above = u->up_gives;
        lot_sums(u, lot, u->after);
        lot_sums(u, up, above);
        if (!update_parent(u, up->in, lot, u->before, u->after))
            return;
        u->up_gives = u->before;
        u->before = above;
    }
}

bool lot_is_used(const struct lot *lot)
{
    return lot && (lot->stored || lot->grants || lot->state != STATE_UP);
}

bool lot_is_blank(const struct lot *lot)
{
    return !lot_is_used(lot) && lot_nused(lot) == 0;
}

/* Update the counters of the lots above. Stop at a lot that was, or remains,
   counted because of another lot. */
void lot_note_used(struct lot *lot, bool first)
{
    bool other = lot_nused(lot) > 0;

    while (!other && (lot = lot->parent)) {
        other = lot_is_used(lot) || lot->in->nused > (first ? 0 : 1);
        lot->in->nused += first ? 1 : UINT32_MAX;
    }
}

void lot_set_state(struct usage *u, struct lot *lot, enum pool_state state)
{
    bool was_used;

    lot_load(u, lot);
    was_used = lot_is_used(lot);
    u->rs->changes++;
    u->watch.states = true;
    u->any_state = u->any_state || state != STATE_UP;
    lot_changing(u, lot);
    lot->state = state;
    if (lot_is_used(lot) != was_used)
        lot_note_used(lot, !was_used);
    lot_changed(u, lot);
    profile_follow_state(u, lot);
}

/* --- time --------------------------------------------------------------- */

/* Recount the contents of a pool, but only lots with grants in them. */
static void recount_inside(struct usage *u, struct lot *top)
{
    size_t n = usage_width(u);
    int64_t *before = xcalloc(2 * n, sizeof(*before)), *after = before + n;

    for (struct lot *c = lot_child(top); c; c = c->next) {
        if (!c->grants && lot_nused(c) == 0)
            continue;
        lot_sums(u, c, before);
        if (lot_nused(c) > 0)
            recount_inside(u, c);
        lot_refresh(u, c);
        lot_sums(u, c, after);
        update_parent(u, top->in, c, before, after);
    }
    free(before);
}

static void recount_node(struct usage *u, struct lot *node)
{
    lot_changing(u, node);
    recount_inside(u, node);
    lot_changed(u, node);
}

static bool same_period(const struct period *a, const struct period *b)
{
    return a->now == b->now && a->from == b->from && a->to == b->to
           && a->held_on == b->held_on;
}

void lot_show(struct usage *u, struct lot *node)
{
    struct profile *p = node->in ? node->in->profile : NULL;

    if (!p || same_period(profile_period(p), &u->when))
        return;
    profile_go(p, &u->when);
    recount_node(u, node);
    u->spent += GRANTS_A_NODE;
}

void lot_come_back(struct usage *u, struct lot *node)
{
    struct profile *p = node->in ? node->in->profile : NULL;

    if (p && profile_return(p))
        recount_node(u, node);
}

void usage_expect(struct usage *u, double now)
{
    if (!u->types.known && !u->rs->source)
        u->when = u->base = (struct period){
            .now = now, .from = now, .to = INFINITY};
}

void usage_at(struct usage *u, const struct period *when)
{
    struct rset_source *source = u->rs->source;
    struct period old = u->base;

    if (source && when->from > when->now)
        source->read_ending(source, u, when->from);
    if (!u->looking && same_period(&u->base, when))
        return;
    u->looking = false;
    u->when = u->base = *when;
    while (u->away)
        lot_come_back(u, u->away->lot);
    if (u->ntimed > 0)
        agenda_recount(u, &old);
}

/*
 * Decide whether all sums should be recounted for another period: if few grants
 * differ, or at most as many as looking at nodes has cost so far. The second
 * question is asked at growing intervals.
 */
static bool worth_counting(struct usage *u, const struct period *when)
{
    size_t few = u->few + u->spent;

    if (u->ntimed <= few || agenda_is_few(u, when, u->few))
        return true;
    if (few < u->ask_at)
        return false;
    u->ask_at = 2 * few;
    return agenda_is_few(u, when, few);
}

void usage_look_at(struct usage *u, const struct period *when)
{
    bool all;

    if (same_period(&u->when, when))
        return;
    all = u->rs->source || !u->ntimed || worth_counting(u, when);
    if (!all)
        usage_profiles(u);
    if (all || !u->has_profiles || u->nbeside > 0) {
        usage_at(u, when);
        u->spent = u->ask_at = 0;
        return;
    }
    u->spent += u->nprofiles / NODES_A_GRANT;
    u->when = *when;
    u->looking = true;
}

void usage_at_lot(struct usage *u, const struct period *when, struct lot *lot)
{
    usage_look_at(u, when);
    if (u->looking && type_is_node(lot->v->type))
        lot_show(u, lot);
    else
        usage_at(u, when);
}

void usage_end_profiles(struct usage *u)
{
    usage_at(u, &u->when);
    profiles_end(u);
}

void usage_renew(struct usage *u)
{
    const struct types none = {.nnumbers = u->types.nnumbers};

    usage_end_profiles(u);
    rankings_end(u); /* they depend on free units */
    types_fini(&u->types);
    u->types = none;
}

/* --- beginning and end -------------------------------------------------- */

void usage_make_room(struct usage *u)
{
    int64_t **room[] = {&u->before, &u->after, &u->up_gives, &u->pulled};

    for (size_t i = 0; i < sizeof(room) / sizeof(room[0]); i++) {
        free(*room[i]);
        *room[i] = xcalloc(usage_width(u), sizeof(**room[i]));
    }
}

struct usage *usage_create(struct rset *rs)
{
    struct usage *u = xcalloc(1, sizeof(*u));

    u->rs = rs;
    u->when.to = u->base.to = INFINITY;
    u->few = GRANTS_FEW;
    usage_make_room(u);
    u->types.nnumbers = rs->numbers; /* in the order of the tree */
    for (struct vertex *v = rs->numbers ? NULL : rset_first(rs); v;
         v = rset_next(rs, v))
        v->number = ++u->types.nnumbers;
    u->above = (struct vertex){
        .type = "", .child = rs->root, .size = 1, .unit = ""};
    u->top = (struct lot){.v = &u->above, .n = 1};
    return u;
}

uint32_t usage_walk(struct usage *u)
{
    if (++u->walks == 0) { /* the counter overflowed: forget old walks */
        for (struct lot *lot = &u->top; lot; lot = lot_next_in(u, &u->top, lot))
            lot->seen = 0;
        for (struct job *job = u->jobs_first; job; job = job->next)
            job->seen = 0;
    }
    u->walks += u->walks == 0;
    return u->walks;
}

struct usage *usage_get(struct rset *rs)
{
    if (!rs->usage) {
        rs->usage = usage_create(rs);
        rs->usage_end = usage_destroy;
    }
    return rs->usage;
}

struct usage *usage_begin(struct rset *rs)
{
    struct usage *u = usage_get(rs);

    if (u->types.known)
        return u;
    usage_survey(u);
    usage_make_room(u);
    lots_sum(u);
    return u;
}

void usage_destroy(struct usage *u)
{
    if (!u)
        return;
    while (u->jobs_first) {
        u->jobs_first->grants = NULL;
        job_end_if_empty(u, u->jobs_first);
    }
    profiles_end(u);
    free(u->ends);
    stock_fini(&u->lots);
    stock_fini(&u->insides);
    rankings_end(u);
    stock_fini(&u->orders);
    stock_fini(&u->places);
    stock_fini(&u->grants);
    types_fini(&u->types);
    map_fini(&u->watch.jobs);
    free(u->targets);
    free(u->ranges);
    path_names_end(u);
    map_fini(&u->names);
    free(u->before);
    free(u->after);
    free(u->up_gives);
    free(u->pulled);
    free(u);
}

/* The lots of picks, and walks over them. */
#include "schedule/picks.h"

#include <string.h>

#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/types.h"
#include "model/records/usage.h"

struct pick_iter pick_iter_of(struct usage *u, struct lot *parent,
                              const struct pick *pick, bool split)
{
    return (struct pick_iter){.u = u,
                              .parent = parent,
                              .pick = pick,
                              .at = pick->v->run ? pick->first : 0,
                              .left = pick->v->run ? pick->nmembers : 1,
                              .split = split};
}

struct lot *pick_iter_next(struct pick_iter *it)
{
    const struct vertex *v = it->pick->v;
    uint32_t at = it->at;
    struct lot *lot;
    uint64_t n;

    if (it->left == 0)
        return NULL;
    lot = lot_find(it->u, it->parent, v, at);
    lot_load(it->u, lot);
    n = lot->at + lot->n - at;
    n = n < it->left ? n : it->left;
    if (it->split)
        lot_split(it->u, lot, at, (uint32_t)n);
    it->left -= n;
    if (it->left > 0)
        it->at = idset_next(v->run, at + (uint32_t)n - 1);
    return lot;
}

/* --- all that is picked --------------------------------------------------- */

struct picks_walk {
    struct usage *u;
    pick_fn before, after;
    void *arg;
    bool split;
};

static int walk(const struct picks_walk *w, const struct pick *list,
                struct lot *parent)
{
    int rc = 0;

    for (; list && rc <= 0; list = list->next) {
        struct pick_iter it = pick_iter_of(w->u, parent, list, w->split);
        struct lot *lot;
        while (rc <= 0 && (lot = pick_iter_next(&it))) {
            rc = w->before ? w->before(w->arg, list, lot) : 0;
            if (rc == 0)
                rc = walk(w, list->child, lot);
            if (rc == 0 && w->after)
                rc = w->after(w->arg, list, lot);
        }
    }
    return rc > 0 ? rc : 0;
}

int picks_walk(struct usage *u, const struct selection *sel, pick_fn before,
               pick_fn after, void *arg)
{
    return walk(&(struct picks_walk){u, before, after, arg, false}, sel->picks,
                usage_top(u));
}

void picks_split(struct usage *u, const struct selection *sel)
{
    walk(&(struct picks_walk){.u = u, .split = true}, sel->picks, usage_top(u));
}

/* Lots join from the bottom up: a lot stays until all lots in it have
   joined. */
static int join_lot(void *u, const struct pick *p, struct lot *lot)
{
    (void)p;
    lot_join_here(u, lot);
    return 0;
}

void picks_join(struct usage *u, const struct selection *sel)
{
    picks_walk(u, sel, NULL, join_lot, u);
}

/* --- numbers -------------------------------------------------------------- */

int64_t pick_units(const struct usage *u, const struct pick *p, unsigned ntype)
{
    const char *type = usage_types(u)->names[ntype];
    int64_t n = 0;

    if (p->exclusive || p->whole)
        return usage_total(u, p->v, (int)ntype);
    for (const struct pick *c = p->child; c; c = c->next) {
        bool own = c->v->type == type && !c->shared
                   && (c->exclusive || !c->child || c->amount < c->v->size);
        n += (c->v->run ? (int64_t)c->nmembers : 1)
             * (pick_units(u, c, ntype) + (own ? c->amount : 0));
    }
    return n;
}

/* --- in words ------------------------------------------------------------- */

char *pick_place(const struct usage *u, const struct pick *p,
                 const struct lot *lot)
{
    struct idset *picked, *like, *both;
    char *place;

    if (!lot->v->run)
        return lot_place(u, lot);
    picked = p->v == lot->v ? idset_create() : idset_create_range(0, IDSET_MAX);
    for (; p; p = p->next) {
        struct idset *members = p->v->run ? pick_members(p) : NULL;
        if (members && !strcmp(p->v->basename, lot->v->basename))
            idset_add_set(picked, members);
        idset_destroy(members);
    }
    like = idset_create();
    for (const struct lot *o = lot_child(lot->parent); o; o = o->next) {
        const struct grant *x = o->grants, *y = lot->grants;
        if (!o->v->run || strcmp(o->v->basename, lot->v->basename) != 0)
            continue;
        while (x && y && x->units == y->units && x->term == y->term) {
            x = x->beside;
            y = y->beside;
        }
        if (!x && !y && o->state == lot->state)
            idset_add(like, o->at, o->at + o->n - 1);
    }
    both = idset_intersect(like, picked);
    place = lots_place(usage_rset(u), lot, both, NULL);
    idset_destroy(picked);
    idset_destroy(like);
    idset_destroy(both);
    return place;
}

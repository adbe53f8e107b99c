/* Picks name members of runs; these are the lots that have them. */
#include "schedule/parts.h"

#include <string.h>

#include "model/records/jobs.h"
#include "model/tree/path.h"

struct parts parts_of(struct usage *u, struct lot *parent,
                      const struct pick *pick)
{
    return (struct parts){.u = u,
                          .parent = parent,
                          .pick = pick,
                          .at = pick->v->run ? pick->first : 0,
                          .left = pick->v->run ? pick->nmembers : 1};
}

struct lot *parts_next(struct parts *parts)
{
    const struct vertex *v = parts->pick->v;
    uint32_t at = parts->at;
    struct lot *lot;
    uint64_t n;

    if (parts->left == 0)
        return NULL;
    lot = lot_find(parts->u, parts->parent, v, at);
    lot_load(parts->u, lot);
    n = lot->at + lot->n - at;
    n = n < parts->left ? n : parts->left;
    if (parts->split)
        lot_split(parts->u, lot, at, (uint32_t)n);
    parts->left -= n;
    if (parts->left > 0)
        parts->at = idset_next(v->run, at + (uint32_t)n - 1);
    return lot;
}

/* --- all that is picked --------------------------------------------------- */

struct walk {
    struct usage *u;
    part_fn before, after;
    void *arg;
    bool split;
};

static int walk(const struct walk *w, const struct pick *list,
                struct lot *parent)
{
    int rc = 0;

    for (; list && rc <= 0; list = list->next) {
        struct parts parts = parts_of(w->u, parent, list);
        struct lot *lot;
        parts.split = w->split;
        while (rc <= 0 && (lot = parts_next(&parts))) {
            rc = w->before ? w->before(w->arg, list, lot) : 0;
            if (rc == 0)
                rc = walk(w, list->child, lot);
            if (rc == 0 && w->after)
                rc = w->after(w->arg, list, lot);
        }
    }
    return rc > 0 ? rc : 0;
}

int each_part(struct usage *u, const struct selection *sel, part_fn before,
              part_fn after, void *arg)
{
    return walk(&(struct walk){u, before, after, arg, false}, sel->picks,
                &u->top);
}

void parts_split(struct usage *u, const struct selection *sel)
{
    walk(&(struct walk){.u = u, .split = true}, sel->picks, &u->top);
}

/* From the bottom up: lots that are above stay until all in them is done. */
static int join_part(void *u, const struct pick *p, struct lot *lot)
{
    (void)p;
    lot_join_here(u, lot);
    return 0;
}

void parts_join(struct usage *u, const struct selection *sel)
{
    each_part(u, sel, NULL, join_part, u);
}

/* --- in words ------------------------------------------------------------- */

char *pick_place(const struct usage *u, const struct pick *p,
                 const struct lot *lot)
{
    struct idset *picked, *like, *both;
    char *place;

    if (!lot->v->run)
        return lot_place(u, lot, NULL);
    picked = p->v == lot->v ? idset_create() : idset_create_range(0, IDSET_MAX);
    for (; p; p = p->next) {
        struct idset *members = p->v->run ? pick_members(p) : NULL;
        if (members && !strcmp(p->v->basename, lot->v->basename))
            idset_add_set(picked, members);
        idset_destroy(members);
    }
    like = idset_create();
    for (const struct lot *o = lot->parent->in->child; o; o = o->next) {
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
    place = lot_place(u, lot, both);
    idset_destroy(picked);
    idset_destroy(like);
    idset_destroy(both);
    return place;
}

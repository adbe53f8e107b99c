/* Picks name members of runs; these are the lots that have them. */
#include "schedule/parts.h"

#include <string.h>

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

static int split_pick(void *u, const struct pick *p, struct lot *parent)
{
    struct parts parts = parts_of(u, parent, p);
    struct lot *lot;

    parts.split = true;
    while ((lot = parts_next(&parts)))
        for (const struct pick *c = p->child; c && !p->whole; c = c->next)
            split_pick(u, c, lot);
    return 0;
}

/* From the bottom up: lots that are above stay until all in them is done. */
static int join_pick(void *u, const struct pick *p, struct lot *parent)
{
    struct parts parts = parts_of(u, parent, p);
    struct lot *lot;

    while ((lot = parts_next(&parts))) {
        for (const struct pick *c = p->child; c && !p->whole; c = c->next)
            join_pick(u, c, lot);
        lot_join_here(u, lot);
    }
    return 0;
}

void parts_split(struct usage *u, const struct selection *sel)
{
    each_pick(u, sel, split_pick, u);
}

void parts_join(struct usage *u, const struct selection *sel)
{
    each_pick(u, sel, join_pick, u);
}

char *pick_place(const struct usage *u, const struct pick *p,
                 const struct lot *lot)
{
    struct idset *among = p->v == lot->v ? idset_create()
                                         : idset_create_range(0, IDSET_MAX);
    char *place;

    for (; p; p = p->next) {
        struct idset *members = p->v->run ? pick_members(p) : NULL;
        if (members && !strcmp(p->v->basename, lot->v->basename))
            idset_add_set(among, members);
        idset_destroy(members);
    }
    place = lot_place(u, lot, among);
    idset_destroy(among);
    return place;
}

int each_pick(struct usage *u, const struct selection *sel, pick_fn fn,
              void *arg)
{
    int rc = sel->root ? fn(arg, sel->root, &u->top) : 0;

    for (const struct pick *p = sel->loose; p && rc == 0; p = p->next)
        rc = fn(arg, p, &u->top);
    return rc;
}

/*
 * Usage and vertices: a vertex for each lot of which there is anything to say.
 */
#include <stdlib.h>

#include "model/records/profile.h"

/* Whose members go into vertices of their own, in the index. */
enum { CUT = 1 };

/* Lots that are only a part of their vertices get their own. Were there any? */
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

/* What is left of the runs; of some there is nothing. */
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

void usage_settle(struct rset *rs)
{
    if (rs->usage)
        usage_end_profiles(rs->usage);
    for (size_t i = 0; i < rs->nvertices; i++)
        rs->vertices[i]->lot = NULL;
    if (rs->usage)
        settle_below(rs, &rs->usage->top);
}

struct lot *lot_loose(struct usage *u, struct vertex *v)
{
    struct lot *lot = stock_take(&u->lots, sizeof(*lot));

    lot->v = v;
    lot->n = 1;
    return lot;
}

struct lot *vertex_lot(struct rset *rs, struct vertex *v)
{
    if (!v->lot)
        v->lot = lot_loose(usage_get(rs), v);
    return v->lot;
}

enum pool_state vertex_state(const struct vertex *v)
{
    return v->lot ? v->lot->state : STATE_UP;
}

bool vertex_is_used(const struct vertex *v)
{
    return v->lot && lot_says(v->lot);
}

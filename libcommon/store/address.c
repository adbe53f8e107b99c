/* Addresses of lots (store_private.h). Runs are cut and joined, and lots come
   and go; but a pool keeps its number and a target its rank. */
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/lots.h"
#include "model/records/usage.h"
#include "store/store_private.h"

/* A range of ranks in a run of targets. */
struct target_range {
    struct idrange ranks; /* by which they are sorted */
    struct vertex *v;
};

/* --- finding pools ------------------------------------------------------ */

static bool is_outer_run(const struct vertex *v)
{
    return v->run && vertex_is_target(v) && vertex_is_outer(v);
}

/* Return the next vertex. Skips nodes whose contents have not been read. */
static struct vertex *next_read(const struct vertex *top,
                                const struct vertex *v)
{
    return vertex_next(top, v, v->child && v->child->closed);
}

void address_add(struct store *s, struct vertex *v)
{
    bool outer = is_outer_run(v);

    if (!v->run && v->number <= s->nnumbers)
        s->by_number[v->number] = v;
    for (size_t i = 0; outer && i < idset_nranges(v->run); i++)
        VECTOR_ADD(s->ranks, s->nranks,
                   (struct target_range){idset_range(v->run, i), v});
}

void address_index(struct store *s, struct rset *rs)
{
    address_end(s);
    s->nnumbers = rs->numbers;
    s->by_number = xcalloc(s->nnumbers + 1, sizeof(struct vertex *));
    s->cuts = rs->cuts;
    for (struct vertex *v = rs->root; v; v = next_read(rs->root, v))
        address_add(s, v);
    for (struct vertex *top = rs->loose; top; top = top->next)
        for (struct vertex *v = top; v; v = next_read(top, v))
            address_add(s, v);
    VECTOR_SORT(s->ranks, s->nranks, compare_uint32);
}

void address_end(struct store *s)
{
    free(s->by_number);
    free(s->ranks);
    s->by_number = NULL;
    s->ranks = NULL;
    s->nranks = 0;
}

struct vertex *vertex_of_number(struct store *s, int64_t number)
{
    if (number < 1 || (size_t)number > s->nnumbers || !s->by_number[number])
        store_corrupt(s, "the place of a pool");
    return s->by_number[number];
}

/* --- from a lot --------------------------------------------------------- */

const struct lot *outer_lot(const struct lot *lot)
{
    const struct lot *outer = lot;

    for (; lot->parent; lot = lot->parent)
        if (type_is_node(lot->v->type))
            outer = lot;
    return outer;
}

struct address address_of(struct store *s, const struct lot *lot)
{
    const struct lot *outer = outer_lot(lot);
    struct address a = {.lot = is_outer_run(outer->v)
                                   ? (int64_t)outer->at
                                   : (int64_t)outer->v->number << 32};

    if (lot == outer)
        return a;
    a.pool = lot->v->number;
    if (!lot->v->run)
        return a;
    a.pool = -word_id(s, lot->v->type);
    a.up = lot->parent == outer ? 0 : lot->parent->v->number;
    a.at = lot->at;
    a.n = lot->n;
    return a;
}

/* --- to lots ------------------------------------------------------------ */

/* Return the lot of a pool, or of member `at` of a run, inside another lot. */
static struct lot *lot_in(struct store *s, struct usage *u, struct lot *top,
                          const struct vertex *v, uint32_t at)
{
    struct lot *lot = top;

    if (v == top->v)
        return top;
    if (v->parent)
        lot = lot_in(s, u, top, v->parent, 0);
    if ((!v->parent && top != usage_top(u)) || !(lot = lot_find(u, lot, v, at)))
        store_corrupt(s, "the place of a pool");
    return lot;
}

/* Return the run of targets that contains a rank. */
static struct vertex *vertex_of_rank(struct store *s, uint32_t rank)
{
    size_t at = VECTOR_SEEK(i, 0, s->nranks, s->ranks[i].ranks.hi < rank);

    if (at == s->nranks || s->ranks[at].ranks.lo > rank)
        store_corrupt(s, "the rank of a job");
    return s->ranks[at].v;
}

struct lot *lot_of_key(struct store *s, struct usage *u, int64_t key)
{
    struct vertex *v;

    if (s->cuts != usage_rset(u)->cuts)
        address_index(s, usage_rset(u));
    v = key <= UINT32_MAX ? vertex_of_rank(s, (uint32_t)key)
                          : vertex_of_number(s, key >> 32);
    return lot_in(s, u, usage_top(u), v, v->run ? (uint32_t)key : 0);
}

struct lots address_lots(struct store *s, struct usage *u, struct lot *outer,
                         const struct address *a)
{
    struct lot *in = outer ? outer : lot_of_key(s, u, a->lot);
    int64_t number = a->pool > 0 ? a->pool : a->up;
    struct lots lots = {0};
    struct idset *members, *own;
    const char *type;

    if (!outer && in->v->run)
        lot_split(u, in, (uint32_t)a->lot, 1);
    if (number > 0) {
        vertex_child(in->v); /* read its pools, so that they have numbers */
        in = lot_in(s, u, in, vertex_of_number(s, number), 0);
    }
    if (a->pool >= 0) {
        lots_add(&lots, in);
        return lots;
    }

    /* Take the members from all runs of the type. In a damaged store the word
       may be any number. */
    type = word_at(s, (int64_t)(0 - (uint64_t)a->pool));
    members = idset_create_range(a->at, a->at + a->n - 1);
    for (const struct vertex *v = vertex_child(in->v); v; v = v->next)
        if (v->run && v->type == type) {
            own = idset_intersect(members, v->run);
            lots_take(u, in, v, own, &lots);
            idset_destroy(own);
        }
    idset_destroy(members);
    if (lots.n == 0)
        store_corrupt(s, "the grants of a job in a node");
    return lots;
}

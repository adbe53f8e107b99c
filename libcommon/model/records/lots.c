/* Lots: the tree of usage, made on demand. Siblings are in a list, and in an
   order as well if there are many (orders.c). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/profile.h"

/* --- one lot ------------------------------------------------------------ */

int64_t lot_free(const struct lot *lot)
{
    int64_t units = lot->v->size - lot->taken;

    /* holding all units is exclusive: if another job shares the pool, one unit
       can't be claimed */
    return units == lot->v->size && units > 1 && lot_held(lot) ? units - 1
                                                               : units;
}

bool lot_idle(const struct lot *lot)
{
    return !lot->touched && !(lot->in && lot->in->sums[TOUCHED]);
}

bool lot_is_in(const struct lot *lot, const struct lot *top)
{
    while (lot && lot != top)
        lot = lot->parent;
    return lot;
}

int lot_compare_member(const struct vertex *v, uint32_t at,
                       const struct lot *lot)
{
    int c;

    if (v == lot->v)
        return at < lot->at ? -1 : at >= lot->at + lot->n;
    if (!v->run || !lot->v->run)
        return COMPARE(v->number, lot->v->number);
    c = v->type == lot->v->type ? 0 : strcmp(v->type, lot->v->type);
    return c ? c : at < lot->at ? -1 : at >= lot->at + lot->n;
}

int lot_compare(const struct lot *a, const struct lot *b)
{
    return a == b ? 0 : lot_compare_member(a->v, a->at, b);
}

/* --- making and ending -------------------------------------------------- */

int64_t lot_below(const struct usage *u, const struct lot *lot, unsigned row)
{
    if (!lot->in || (u->looking && !vertex_in_node(lot->v)))
        return usage_total(u, lot->v, (int)(row % u->types.count));
    return lot->in->sums[ROWS + row];
}

struct lot *lot_create(struct usage *u, struct lot *parent, struct vertex *v,
                       uint32_t at, uint32_t n)
{
    struct lot *lot = stock_take(&u->lots, sizeof(*lot));

    lot->parent = parent;
    lot->v = v;
    lot->at = at;
    lot->n = n;
    return lot;
}

struct inside *lot_inside(struct usage *u)
{
    struct inside *in;

    return stock_take(&u->insides,
                      sizeof(*in) + usage_width(u) * sizeof(in->sums[0]));
}

static void insert_after(struct usage *u, struct lot *parent, struct lot *prev,
                         struct lot *lot)
{
    lot->prev = prev;
    lot->next = prev ? prev->next : parent->in->child;
    *(prev ? &prev->next : &parent->in->child) = lot;
    if (lot->next)
        lot->next->prev = lot;
    parent->in->nchildren++;
    if (parent->in->order || u->rankings[0])
        orders_add(u, lot);
}

/* Free a lot and its contents. They must have no grants. */
static void free_lot(struct usage *u, struct lot *lot)
{
    for (struct lot *c = lot_child(lot), *next; c; c = next) {
        next = c->next;
        free_lot(u, c);
    }
    if (lot->in && lot->in->profile)
        profile_end(lot->in->profile);
    if (lot->in)
        stock_free(&u->insides, lot->in);
    stock_free(&u->lots, lot);
}

/* Add a lot with a stretch of members after the `last` child. */
static struct lot *append(struct usage *u, struct lot *parent, struct lot *last,
                          const struct span *span)
{
    struct lot *lot = lot_create(u, parent, span->v, span->lo,
                                 span->hi - span->lo + 1);

    insert_after(u, parent, last, lot);
    return lot;
}

struct lot *lot_open(struct usage *u, struct lot *lot)
{
    struct lot *last = NULL;
    struct span *spans;
    size_t n;

    lot_load(u, lot);
    if (lot->in || (!lot->v->child && lot != &u->top))
        return lot_child(lot);
    lot->in = lot_inside(u);
    for (unsigned row = 0; row < usage_rows(u); row++) /* free and idle */
        lot->in->sums[ROWS + row] = usage_total(u, lot->v,
                                                (int)(row % u->types.count));
    n = vertex_spans(lot->v, &spans);
    for (size_t i = 0; i < n; i++)
        last = append(u, lot, last, &spans[i]);
    free(spans);
    for (struct vertex *v = u->rs->loose; v && lot == &u->top; v = v->next)
        last = append(u, lot, last, &(struct span){.v = v});
    return lot->in->child;
}

void lot_count_in(struct usage *u, struct inside *in, const struct lot *child)
{
    lot_sums(u, child, u->after);
    for (size_t i = 0; i < usage_width(u); i++)
        in->sums[i] += u->after[i] * (int64_t)child->n;
}

/* Sum up children before parents. There is room for sums now. */
static void sum_lot(struct usage *u, struct lot *lot)
{
    struct inside *old = lot->in, *in;

    lot_refresh(u, lot);
    lot->in = in = old ? lot_inside(u) : NULL;
    if (!old)
        return;
    *in = *old;
    in->order = NULL;
    for (struct lot *c = in->child; c; c = c->next) {
        sum_lot(u, c);
        lot_count_in(u, in, c);
    }
}

void lots_sum(struct usage *u)
{
    struct stock old = u->insides;

    u->insides = (struct stock){0};
    sum_lot(u, &u->top);
    stock_fini(&old);
    stock_fini(&u->orders);
    stock_fini(&u->places);
}

/* --- splitting and joining ---------------------------------------------- */

/* Copy a lot with its grants and contents, for other members. */
static struct lot *copy_lot(struct usage *u, struct lot *parent,
                            const struct lot *lot, uint32_t at, uint32_t n)
{
    struct lot *copy = lot_create(u, parent, lot->v, at, n), *last = NULL;

    if (lot->state != STATE_UP)
        lot_note_used(copy, true);
    copy->state = lot->state;
    for (const struct grant *g = lot->grants; g; g = g->beside)
        grant_copy(u, g, copy);
    copy->taken = lot->taken;
    copy->blocked = lot->blocked;
    copy->touched = lot->touched;
    copy->held = lot->held;
    if (!lot_nused(lot))
        return copy; /* its contents can be made again */
    copy->in = lot_inside(u);
    for (const struct lot *c = lot->in->child; c; c = c->next) {
        struct lot *child = copy_lot(u, copy, c, c->at, c->n);
        insert_after(u, copy, last, child);
        last = child;
    }
    memcpy(copy->in->sums, lot->in->sums,
           usage_width(u) * sizeof(copy->in->sums[0]));
    return copy;
}

void lot_split(struct usage *u, struct lot *lot, uint32_t at, uint32_t n)
{
    uint32_t first = lot->at, before = at - first,
             after = first + lot->n - at - n;
    struct lot *parent = lot->parent;

    if (before == 0 && after == 0)
        return;
    lot_load(u, lot);
    lot_come_back(u, lot);
    profile_leave(u, lot);
    profile_forget_blanks(u, lot);
    lot->at = at;
    lot->n = n;
    if (after > 0)
        insert_after(u, parent, lot, copy_lot(u, parent, lot, at + n, after));
    if (before > 0)
        insert_after(u, parent, lot->prev,
                     copy_lot(u, parent, lot, first, before));
    profile_enter(u, lot);
    if (after > 0)
        profile_enter(u, lot->next);
    if (before > 0)
        profile_enter(u, lot->prev);
}

void lot_follow(struct lot *lot, struct vertex *copy)
{
    const struct vertex *v = lot->v;

    lot->v = copy;
    for (struct lot *child = lot_child(lot); child; child = child->next) {
        struct vertex *like = copy->child;
        for (const struct vertex *c = v->child; c != child->v; c = c->next)
            like = like->next;
        lot_follow(child, like);
    }
}

void lots_add(struct lots *lots, struct lot *lot)
{
    VECTOR_ADD(lots->list, lots->n, lot);
}

struct lots usage_lots(struct usage *u, const struct vertex *v)
{
    struct lots up = {0}, lots = {0};

    if (v->parent)
        up = usage_lots(u, v->parent);
    else
        lots_add(&up, &u->top);
    for (size_t i = 0; i < up.n; i++)
        if (v->run)
            lots_take(u, up.list[i], v, v->run, &lots);
        else
            lots_add(&lots, lot_find(u, up.list[i], v, 0));
    free(up.list);
    return lots;
}

struct lot *usage_lot(struct usage *u, const struct vertex *v)
{
    return lot_find(u, v->parent ? usage_lot(u, v->parent) : &u->top, v, 0);
}

void lots_take(struct usage *u, struct lot *parent, const struct vertex *v,
               const struct idset *members, struct lots *out)
{
    for (size_t i = 0; i < idset_nranges(members); i++) {
        struct idrange r = idset_range(members, i);
        for (uint64_t at = r.lo; at <= r.hi;) {
            struct lot *lot = lot_find(u, parent, v, (uint32_t)at);
            uint64_t end = (uint64_t)lot->at + lot->n;
            end = end > (uint64_t)r.hi + 1 ? (uint64_t)r.hi + 1 : end;
            lot_split(u, lot, (uint32_t)at, (uint32_t)(end - at));
            lots_add(out, lot);
            at = end;
        }
    }
}

/* Consecutive ranks: of a single target, or of a run. Cutting a run keeps its
   parent, its type and its number, so a range is valid as long as the usage. */
struct rank_range {
    struct idrange ranks;  /* by whose start they are sorted */
    struct vertex *single; /* NULL: members of a run */
    struct vertex *parent;
    const char *type;
    uint32_t number;
};

/* Find all targets: a list if all are single, otherwise ranges of ranks. */
static void index_targets(struct usage *u)
{
    struct vertex **list;
    size_t n;

    if (u->targets || u->ranges)
        return;
    n = rset_targets(u->rs, &list);
    if (VECTOR_FIND(i, n, list[i]->run) == n) {
        u->targets = list;
        u->ntargets = n;
        return;
    }

    for (size_t i = 0; i < n; i++) {
        struct vertex *v = list[i];
        size_t nparts = v->run ? idset_nranges(v->run) : 1;
        for (size_t k = 0; k < nparts; k++) {
            uint32_t rank = (uint32_t)v->rank;
            VECTOR_ADD(u->ranges, u->nranges,
                       (struct rank_range){
                           .ranks = v->run ? idset_range(v->run, k)
                                           : (struct idrange){rank, rank},
                           .single = v->run ? NULL : v,
                           .parent = v->parent,
                           .type = v->type,
                           .number = v->number});
        }
    }
    free(list);
    qsort(u->ranges, u->nranges, sizeof(*u->ranges), compare_uint32);
}

struct vertex *const *usage_targets(struct usage *u, struct idrange ranks,
                                    size_t *n)
{
    size_t first;

    *n = 0;
    index_targets(u);
    if (u->ranges)
        return NULL;
    first = VECTOR_SEEK(i, 0, u->ntargets, u->targets[i]->rank < ranks.lo);
    while (first + *n < u->ntargets && u->targets[first + *n]->rank <= ranks.hi)
        ++*n;
    return u->targets + first;
}

static void take_ranges(struct usage *u, struct idrange ranks, struct lots *out)
{
    size_t i = VECTOR_SEEK(k, 0, u->nranges, u->ranges[k].ranks.hi < ranks.lo);

    for (; i < u->nranges && u->ranges[i].ranks.lo <= ranks.hi; i++) {
        const struct rank_range *of = &u->ranges[i];
        struct vertex any = {.type = of->type, .number = of->number};
        if (of->single) {
            lots_add(out, usage_lot(u, of->single));
            continue;
        }
        /* members of a run, whichever vertices have them now */
        any.run = idset_create_range(
            of->ranks.lo > ranks.lo ? of->ranks.lo : ranks.lo,
            of->ranks.hi < ranks.hi ? of->ranks.hi : ranks.hi);
        lots_take(u, usage_lot(u, of->parent), &any, any.run, out);
        idset_destroy(any.run);
    }
}

void lots_of_ranks(struct usage *u, const struct idset *ranks, struct lots *out)
{
    for (size_t i = 0; i < idset_nranges(ranks); i++) {
        size_t n;
        struct idrange r = idset_range(ranks, i);
        struct vertex *const *list = usage_targets(u, r, &n);
        if (!list)
            take_ranges(u, r, out);
        for (size_t k = 0; k < n; k++)
            lots_add(out, usage_lot(u, list[k]));
    }
}

struct vertex *vertex_copy_members(struct rset *rs, struct vertex *v,
                                   const struct idset *members)
{
    struct vertex *copy = vertex_copy_beside(rs, v, members);
    struct usage *u = rs->usage;
    struct lots up, lots = {0};

    if (u)
        rankings_end(u);
    if (!u || !u->top.in || !v->number)
        return copy; /* it has no lots, or vertex_import() made it */
    up = usage_lots(u, v->parent);
    for (size_t i = 0; i < up.n; i++)
        if (up.list[i]->in)
            lots_take(u, up.list[i], v, members, &lots);
    for (size_t i = 0; i < lots.n; i++)
        lot_follow(lots.list[i], copy);
    free(up.list);
    free(lots.list);
    return copy;
}

struct vertex *vertex_split(struct rset *rs, struct vertex *v,
                            const struct idset *ids)
{
    struct vertex *copy;

    if (idset_equal(v->run, ids))
        return v;
    copy = vertex_copy_members(rs, v, ids);
    idset_remove_set(v->run, ids);
    return copy;
}

static bool is_unused(const struct lot *lot)
{
    return lot->v->run && lot_is_blank(lot);
}

/* Return whether a lot can be joined with the next one. */
static bool joins_next(const struct lot *lot)
{
    const struct lot *next = lot->next;

    return next && next->v == lot->v && next->at == lot->at + lot->n
           && is_unused(lot) && is_unused(next);
}

static void swallow_next(struct usage *u, struct lot *lot)
{
    struct lot *next = lot->next;

    orders_remove(u, next);
    profile_forget_blanks(u, lot);
    lot->n += next->n;
    lot->next = next->next;
    if (lot->next)
        lot->next->prev = lot;
    lot->parent->in->nchildren--;
    if (lot_is_in(u->found, next))
        u->found = NULL;
    free_lot(u, next);
}

struct lot *lot_join_here(struct usage *u, struct lot *lot)
{
    if (joins_next(lot))
        swallow_next(u, lot);
    if (!lot->prev || !joins_next(lot->prev))
        return lot;
    lot = lot->prev;
    swallow_next(u, lot);
    return lot;
}

void lot_join(struct usage *u, struct lot *lot)
{
    for (; lot->parent; lot = lot->parent) {
        if (lot->v->run && !is_unused(lot))
            return;
        lot = lot_join_here(u, lot);
    }
}

bool lot_visit(struct lot *lot, uint32_t walk)
{
    bool first = lot->seen != walk;

    lot->seen = walk;
    return first;
}

void lots_tops(struct usage *u, const struct lots *lots, struct lots *tops)
{
    uint32_t named = usage_walk(u), taken;

    for (size_t i = 0; i < lots->n; i++)
        lots->list[i]->seen = named;
    taken = usage_walk(u);
    for (size_t i = 0; i < lots->n; i++) {
        struct lot *lot = lots->list[i], *up = lot->parent;
        while (up && up->seen != named && up->seen != taken)
            up = up->parent;
        if (!up && lot->seen == named)
            lots_add(tops, lot);
        lot->seen = taken;
    }
}

const struct lot *lot_not_up(const struct lot *lot)
{
    while (lot && lot->state == STATE_UP)
        lot = lot->parent;
    return lot;
}

int64_t lot_pools(const struct lot *lot, const struct lot *top)
{
    uint64_t n = 1;

    for (; lot != top; lot = lot->parent)
        n *= lot->n;
    return (int64_t)n;
}

struct idrange lot_ranks(const struct lot *lot)
{
    uint32_t first = lot->v->run ? lot->at : (uint32_t)lot->v->rank;

    return (struct idrange){first, first + lot->n - 1};
}

/* A lot to join with its neighbours, and its depth. */
struct level {
    struct lot *lot;
    unsigned depth;
};

/* Deepest first, with siblings together. */
static int compare_levels(const void *a, const void *b)
{
    const struct level *x = a, *y = b;
    int c = COMPARE(y->depth, x->depth);

    return c ? c : COMPARE(x->lot->parent, y->lot->parent);
}

/* List lots and all lots around them in a new array, each once, and mark them
   `seen`. */
static struct level *list_levels(struct usage *u, const struct lots *lots,
                                 size_t *n)
{
    uint32_t walk = usage_walk(u);
    struct level *list = NULL;

    *n = 0;
    for (size_t i = 0; i < lots->n; i++) {
        unsigned depth = 0;
        for (struct lot *up = lots->list[i]; up->parent; up = up->parent)
            depth++;
        for (struct lot *lot = lots->list[i];
             lot->parent && lot_visit(lot, walk); lot = lot->parent)
            VECTOR_ADD(list, *n, (struct level){lot, depth--});
    }
    VECTOR_SORT(list, *n, compare_levels);
    return list;
}

void lots_join_in(struct usage *u, const struct lots *lots, join_fn *changed)
{
    size_t n, alike;
    struct level *list = list_levels(u, lots, &n);

    for (size_t i = 0; i < n; i += alike) {
        struct lot *parent = list[i].lot->parent;
        for (alike = 1; i + alike < n; alike++)
            if (list[i + alike].lot->parent != parent)
                break;
        if (changed && changed(u, parent, alike)) {
            for (struct lot *lot = lot_child(parent); lot; lot = lot->next)
                while (joins_next(lot))
                    swallow_next(u, lot);
            continue;
        }
        /* A neighbour that is `seen` has its own turn later, and must not be
           freed before. */
        for (size_t k = i; k < i + alike; k++) {
            struct lot *lot = list[k].lot, *prev = lot->prev;
            lot->seen = 0;
            if (joins_next(lot) && lot->next->seen != u->walks)
                swallow_next(u, lot);
            if (prev && prev->seen != u->walks && joins_next(prev))
                swallow_next(u, prev);
        }
    }
    free(list);
}

void lots_join(struct usage *u, const struct lots *lots)
{
    lots_join_in(u, lots, NULL);
}

/* --- walking ------------------------------------------------------------ */

struct lot *lot_find(struct usage *u, struct lot *parent,
                     const struct vertex *v, uint32_t at)
{
    struct lot *lot = u->found;

    while (lot && lot->parent != parent)
        lot = lot->parent;
    if (lot && lot_compare_member(v, at, lot) != 0)
        lot = lot->next;
    if (!lot || lot_compare_member(v, at, lot) != 0)
        lot = orders_find(u, parent, v, at);
    if (lot)
        u->found = lot;
    return lot;
}

struct lot *lot_next(struct usage *u, const struct lot *top, struct lot *lot,
                     bool over)
{
    struct lot *child = over ? NULL : lot_open(u, lot);

    return child ? child : lot_after(top, lot);
}

struct lot *lot_next_in(struct usage *u, const struct lot *top, struct lot *lot)
{
    lot_load(u, lot);
    return lot_child(lot) ? lot_child(lot) : lot_after(top, lot);
}

struct lot *lot_next_recorded(struct usage *u, const struct lot *top,
                              struct lot *lot)
{
    lot_load(u, lot);
    return lot_nused(lot) > 0 ? lot_child(lot) : lot_after(top, lot);
}

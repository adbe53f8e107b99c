/*
 * Facts about types, found before any request: how types lie in each other, and
 * for each pool with contents how many units of each type are below it. They
 * are found in one walk when usage is made.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/usage_private.h"

/* With more types than this a table of all pairs would be too large. */
enum { TYPES_MANY = 64 };

int types_node(const struct types *t)
{
    int node = -1;

    for (unsigned i = 0; i < t->count; i++) {
        if (type_is_node(t->names[i]) && node >= 0)
            return -1;
        node = type_is_node(t->names[i]) ? (int)i : node;
    }
    return node;
}

int usage_type(const struct usage *u, const char *type)
{
    const struct types *t = &u->types;
    const struct map_slot *slot;

    if (t->numbers.count) {
        slot = map_find(&t->numbers, &type, sizeof(type));
        return slot ? (int)slot->value.number : -1;
    }
    for (unsigned i = 0; i < t->count; i++)
        if (t->names[i] == type)
            return (int)i;
    return -1;
}

int usage_type_named(const struct usage *u, const char *name)
{
    return usage_type(u, map_interned(&u->rs->names, name));
}

/* --- pairs of types ------------------------------------------------------- */

/* If there are few types, all pairs are in a table. If there are many, a map
   has the pairs that occur: few types contain others. */
struct nesting *types_nest(struct types *t, unsigned above, unsigned ntype)
{
    const unsigned pair[] = {above, ntype};
    struct map_slot *slot;
    struct nesting *in;

    if (t->nesting)
        return &t->nesting[above * t->count + ntype];
    slot = map_at(&t->pairs, pair, sizeof(pair));
    if (!slot->value.pointer) {
        in = slot->value.pointer = arena_alloc(&t->arena, sizeof(*in));
        in->least = INT64_MAX;
    }
    return slot->value.pointer;
}

const struct nesting *types_find_nesting(const struct types *t, unsigned above,
                                         unsigned ntype)
{
    static const struct nesting none = {.least = INT64_MAX};
    const unsigned pair[] = {above, ntype};
    const struct nesting *in = map_get(&t->pairs, pair, sizeof(pair));

    return in ? in : &none;
}

void types_make_table(struct types *t)
{
    size_t n = (size_t)t->count * t->count;

    t->nesting = xcalloc(n, sizeof(*t->nesting));
    for (size_t i = 0; i < n; i++)
        t->nesting[i].least = INT64_MAX;
}

/* --- the survey ----------------------------------------------------------- */

static void name_types(struct usage *u)
{
    struct types *t = &u->types;

    for (struct vertex *v = rset_first(u->rs); v; v = rset_next(u->rs, v)) {
        if (usage_type(u, v->type) >= 0)
            continue;
        VECTOR_ADD(t->names, t->count, v->type);
        if (t->count < TYPES_MANY)
            continue;
        for (unsigned i = (unsigned)t->numbers.count; i < t->count; i++)
            map_at(&t->numbers, &t->names[i], sizeof(t->names[i]))
                ->value.number = i;
    }
    t->flags = xcalloc(t->count, 1);
    for (unsigned i = 0; i < t->count; i++)
        t->flags[i] = type_is_node(t->names[i]) ? TYPE_NODE : 0;
    t->nabove = xcalloc(t->count, sizeof(*t->nabove));
    if (t->count < TYPES_MANY)
        types_make_table(t);
    t->row_of = xcalloc((size_t)t->nnumbers + 1, sizeof(*t->row_of));
}

static int64_t multiply_huge(struct types *t, int64_t a, int64_t b)
{
    int64_t product;

    if (!__builtin_mul_overflow(a, b, &product))
        return product;
    t->huge = true;
    return INT64_MAX;
}

static void add_huge(struct types *t, int64_t *sum, int64_t n)
{
    if (!__builtin_add_overflow(*sum, n, sum))
        return;
    t->huge = true;
    *sum = INT64_MAX;
}

static void add_unit(struct types *t, unsigned ntype, const struct vertex *v)
{
    struct type_unit *unit;
    size_t i = VECTOR_FIND(k, t->nunits,
                           t->units[k].ntype == ntype
                               && t->units[k].unit == v->unit);

    if (i == t->nunits)
        VECTOR_ADD(t->units, t->nunits, (struct type_unit){ntype, v->unit, 0});
    unit = &t->units[i];
    if (__builtin_add_overflow(unit->total, v->size, &unit->total))
        unit->total = INT64_MAX;
}

const int64_t *usage_row(const struct usage *u, const struct vertex *v)
{
    const struct types *t = &u->types;
    uint32_t row = t->known ? t->row_of[v->number] : 0;

    return row ? &t->rows[(size_t)(row - 1) * t->count] : NULL;
}

static void note_vertex(struct types *t, const struct vertex *v, unsigned ntype,
                        int above, bool in_node)
{
    t->flags[ntype] |= (unsigned char)((in_node ? TYPE_IN_NODES : TYPE_OUTSIDE)
                                       | (v->size != 1 ? TYPE_POOLED : 0)
                                       | (vertex_taken_whole(v) ? TYPE_MARKED
                                                                : 0)
                                       | (*v->unit ? 0 : TYPE_NO_UNIT)
                                       | (v->child ? 0 : TYPE_BARE));
    if (*v->unit)
        add_unit(t, ntype, v);
    if (above >= 0)
        types_nest(t, (unsigned)above, ntype)->child = true;
    t->nodes_nested |= in_node && type_is_node(v->type);
    t->marked |= vertex_taken_whole(v);
}

void usage_mark(struct usage *u, const struct vertex *v)
{
    struct types *t = &u->types;

    if (!t->known || !vertex_taken_whole(v))
        return;
    t->flags[usage_type(u, v->type)] |= TYPE_MARKED;
    t->marked = true;
}

/* Add a vertex, and all below it, to the row of its parent. */
static void add_to_row(struct types *t, const struct vertex *v, unsigned ntype,
                       const int64_t *own, int64_t *up)
{
    int64_t members = (int64_t)vertex_count(v);

    add_huge(t, &up[ntype], multiply_huge(t, v->size, members));
    if (t->nabove) /* NULL while pieces are read: they were counted before */
        t->nabove[ntype] += own != NULL;
    for (unsigned k = 0; own && k < t->count; k++) {
        struct nesting *in;
        if (own[k] == 0)
            continue;
        in = types_nest(t, ntype, k);
        add_huge(t, &up[k], multiply_huge(t, own[k], members));
        in->least = own[k] < in->least ? own[k] : in->least;
        in->most = own[k] > in->most ? own[k] : in->most;
        in->n++;
    }
}

/* Return the first or next child; the vertex above all contains every tree of
   the set. */
static const struct vertex *next_child(const struct usage *u,
                                       const struct vertex *v,
                                       const struct vertex *child)
{
    if (v != &u->above)
        return child ? child->next : v->child;
    if (!child)
        return rset_first(u->rs);
    return child == u->rs->root ? u->rs->loose : child->next;
}

/* Count children before parents; the depth of a set is bounded. `rows`: only
   the rows are missing. */
static void survey(struct usage *u, const struct vertex *v, bool in_node,
                   bool rows)
{
    struct types *t = &u->types;
    size_t row, width = t->count;
    const struct vertex *c = next_child(u, v, NULL);
    int above = usage_type(u, v->type);

    if (!c)
        return;
    row = t->nrows++;
    t->row_of[v->number] = t->nrows;
    if ((row & (row - 1)) == 0) /* full: the room is a power of two */
        t->rows = xreallocarray(t->rows, (row ? 2 * row : 1) * width,
                                sizeof(*t->rows));
    memset(&t->rows[row * width], 0, width * sizeof(*t->rows));
    in_node = in_node || type_is_node(v->type);
    for (; c; c = next_child(u, v, c)) {
        unsigned ntype = (unsigned)usage_type(u, c->type);
        survey(u, c, in_node, rows);
        if (!rows)
            note_vertex(t, c, ntype, above, in_node);
        add_to_row(t, c, ntype, usage_row(u, c), &t->rows[row * width]);
    }
}

/* If some pools of a type contain none of another, the least is 0. */
static void end_least(const struct types *t, unsigned above, struct nesting *in)
{
    if (in->n < t->nabove[above])
        in->least = 0;
}

void usage_survey(struct usage *u)
{
    struct types *t = &u->types;

    name_types(u);
    t->known = true;
    survey(u, &u->above, false, false);
    for (size_t i = 0; t->nesting && i < (size_t)t->count * t->count; i++)
        end_least(t, (unsigned)(i / t->count), &t->nesting[i]);
    for (size_t i = 0; i < t->pairs.count; i++) {
        unsigned above; /* the first half of the key */
        memcpy(&above, t->pairs.slots[i].key, sizeof(above));
        end_least(t, above, t->pairs.slots[i].value.pointer);
    }
    free(t->nabove);
    t->nabove = NULL;
    if (u->rs->nlinks)
        reach_survey(u);
}

void usage_survey_inside(struct usage *u, const struct vertex *v)
{
    for (const struct vertex *c = v->child; c; c = c->next)
        survey(u, c, true, true);
}

bool usage_is_child(const struct usage *u, int ntype,
                    const struct vertex *parent)
{
    int above = usage_type(u, parent->type);

    return ntype >= 0
           && (above < 0
               || types_nesting(&u->types, (unsigned)above, (unsigned)ntype)
                      ->child);
}

int64_t usage_total(const struct usage *u, const struct vertex *v, int ntype)
{
    const int64_t *row = usage_row(u, v);

    return ntype < 0 || !row ? 0 : row[ntype];
}

int64_t usage_least_below(const struct usage *u, int ntype, int below)
{
    const struct types *t = &u->types;
    const struct nesting *in = types_nesting(t, (unsigned)ntype,
                                             (unsigned)below);

    if (t->flags[ntype] & (TYPE_BARE | TYPE_POOLED) || in->least == INT64_MAX)
        return 0;
    return in->least;
}

void types_fini(struct types *t)
{
    free(t->names);
    free(t->flags);
    free(t->nesting);
    map_fini(&t->numbers);
    map_fini(&t->pairs);
    arena_fini(&t->arena);
    free(t->units);
    free(t->rows);
    free(t->row_of);
    free(t->reach);
    free(t->reach_of);
}

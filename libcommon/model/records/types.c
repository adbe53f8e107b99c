/*
 * What is known of an inventory before any request: its types, how they lie
 * in each other, and for every pool with something in it how much of each
 * type there is below it, and how much of that is up. Facts, found in one
 * walk when usage is made.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/usage_private.h"

int usage_type(const struct usage *u, const char *type)
{
    for (unsigned i = 0; i < u->types.count; i++)
        if (u->types.names[i] == type)
            return (int)i;
    return -1;
}

/* In the order of the tree. */
void usage_number(struct usage *u)
{
    u->types.nnumbers = u->rs->numbers;
    for (struct vertex *v = u->rs->numbers ? NULL : rset_first(u->rs); v;
         v = rset_next(u->rs, v))
        v->number = ++u->types.nnumbers;
    u->above = (struct vertex){
        .type = "", .child = u->rs->root, .size = 1, .unit = ""};
}

static void name_types(struct usage *u)
{
    struct types *t = &u->types;

    for (struct vertex *v = rset_first(u->rs); v; v = rset_next(u->rs, v)) {
        if (usage_type(u, v->type) >= 0)
            continue;
        t->names = xreallocarray(t->names, t->count + 1, sizeof(*t->names));
        t->names[t->count++] = v->type;
    }
    t->flags = xcalloc(t->count, 1);
    for (unsigned i = 0; i < t->count; i++)
        t->flags[i] = type_is_node(t->names[i]) ? TYPE_NODE : 0;
    t->nesting = xcalloc((size_t)t->count * t->count, sizeof(*t->nesting));
    for (unsigned i = 0; i < t->count * t->count; i++)
        t->nesting[i].least = INT64_MAX;
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
    size_t i = 0;

    while (i < t->nunits
           && (t->units[i].ntype != ntype || t->units[i].unit != v->unit))
        i++;
    if (i == t->nunits) {
        t->units = xreallocarray(t->units, t->nunits + 1, sizeof(*unit));
        t->units[t->nunits++] = (struct type_unit){ntype, v->unit, 0};
    }
    unit = &t->units[i];
    if (__builtin_add_overflow(unit->total, v->size, &unit->total))
        unit->total = INT64_MAX;
}

const int64_t *usage_row(const struct usage *u, const struct vertex *v)
{
    const struct types *t = &u->types;
    uint32_t row = t->known ? t->row_of[v == &u->above ? 0 : v->number] : 0;

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
        types_nesting(t, (unsigned)above, ntype)->child = true;
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

/* What a vertex, and all below it, add to the row of what it lies in. */
static void add_to_row(struct types *t, const struct vertex *v, unsigned ntype,
                       const int64_t *own, int64_t *up)
{
    int64_t members = (int64_t)vertex_count(v);

    add_huge(t, &up[ntype], multiply_huge(t, v->size, members));
    for (unsigned k = 0; own && k < t->count; k++) {
        struct nesting *in = types_nesting(t, ntype, k);
        add_huge(t, &up[k], multiply_huge(t, own[k], members));
        in->least = own[k] < in->least ? own[k] : in->least;
        in->most = own[k] > in->most ? own[k] : in->most;
    }
}

/* What is above all has every tree of the set in it. */
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

/* A new row for a vertex: its number, from 0. */
static size_t add_row(struct usage *u, const struct vertex *v)
{
    struct types *t = &u->types;
    size_t row = t->nrows++, width = t->count;

    t->row_of[v == &u->above ? 0 : v->number] = t->nrows;
    if ((row & (row - 1)) == 0) /* full: the room is a power of two */
        t->rows = xreallocarray(t->rows, (row ? 2 * row : 1) * width,
                                sizeof(*t->rows));
    memset(&t->rows[row * width], 0, width * sizeof(*t->rows));
    return row;
}

/* Children before parents; the depth of a set is bounded. With `rows` the rest
   is known. */
static void survey(struct usage *u, const struct vertex *v, bool in_node,
                   bool rows)
{
    struct types *t = &u->types;
    size_t row, width = t->count;
    const struct vertex *c = next_child(u, v, NULL);
    int above = usage_type(u, v->type);

    if (!c)
        return;
    row = add_row(u, v);
    in_node = in_node || type_is_node(v->type);
    for (; c; c = next_child(u, v, c)) {
        unsigned ntype = (unsigned)usage_type(u, c->type);
        survey(u, c, in_node, rows);
        if (!rows)
            note_vertex(t, c, ntype, above, in_node);
        add_to_row(t, c, ntype, usage_row(u, c), &t->rows[row * width]);
    }
}

void usage_survey(struct usage *u)
{
    name_types(u);
    u->types.known = true;
    survey(u, &u->above, false, false);
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
    int64_t least = types_nesting(t, (unsigned)ntype, (unsigned)below)->least;

    if (t->flags[ntype] & (TYPE_BARE | TYPE_POOLED))
        return 0;
    return least == INT64_MAX ? 0 : least;
}

void types_fini(struct types *t)
{
    free(t->names);
    free(t->flags);
    free(t->nesting);
    free(t->units);
    free(t->rows);
    free(t->row_of);
    free(t->reach);
    free(t->reach_of);
}

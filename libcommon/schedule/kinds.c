/*
 * What is packed into bins, and what the bins are: slots that fit in a node
 * into nodes, other entries into the pools of the topmost type among them.
 */
#include "schedule/packing.h"

static bool lies_below(const struct matcher *m, const struct entry *e,
                       const struct entry *f)
{
    return m->below[(unsigned)e->ntype * m->ntypes + (unsigned)f->ntype];
}

/* The list that an entry is of. */
static const struct entry *list_of(const struct packing *p,
                                   const struct entry *e)
{
    return e->parent ? e->parent->with : p->s->list;
}

/* The next entry from `e` on that is of a part of the list. */
static const struct entry *in_part(const struct entry *e, unsigned part)
{
    while (e && e->part != part)
        e = e->next;
    return e;
}

static bool has_slot(const struct packed *now)
{
    const struct entry *e = in_part(now->list, now->part);

    while (e && !e->slot)
        e = in_part(e->next, now->part);
    return e != NULL;
}

/* The type in pools of which all others that are asked for lie, or NULL. */
static const char *topmost(const struct matcher *m, const struct packed *now)
{
    const struct entry *first = in_part(now->list, now->part), *top = first;

    for (const struct entry *e = first; e; e = in_part(e->next, now->part)) {
        if (e->ntype < 0)
            return NULL;
        if (lies_below(m, top, e))
            top = e;
    }
    for (const struct entry *e = first; e; e = in_part(e->next, now->part))
        if (e->ntype != top->ntype && !lies_below(m, e, top))
            return NULL;
    return top->with && !lies_below(m, top, top) ? top->type : NULL;
}

bool packing_is_bin(const struct packed *now, const char *type)
{
    return now->bin_type ? type == now->bin_type : type_is_node(type);
}

/* Does each unit of it fit in one bin? */
static bool fits_in_bin(const struct matcher *m, const struct packed *now,
                        const struct entry *e)
{
    if (now->bin_type)
        return true;
    if (e->slot || e->ntype < 0)
        return e->slot_of_node;
    return type_is_node(e->type) || (m->flags[e->ntype] & TYPE_IN_NODES);
}

/* Make a kind of an entry; of one that is not in one bin, of what is in it. */
static void add_kinds(const struct matcher *m, struct packed *now,
                      const struct entry *e, const struct entry *of,
                      int64_t each)
{
    bool fits = fits_in_bin(m, now, e);

    if (now->nkinds == KINDS_MAX || e->bytes
        || __builtin_mul_overflow(each, e == of ? 1 : (int64_t)e->least, &each)
        || each > REQUEST_COUNT_MAX)
        return;
    for (const struct entry *c = e->with; c && !fits; c = c->next)
        add_kinds(m, now, c, of, each);
    if (fits)
        now->kind[now->nkinds++] = (struct kind){
            .e = e,
            .of = of,
            .each = each,
            .is_bin = !e->slot && packing_is_bin(now, e->type)};
}

static bool within_node(const struct vertex *v)
{
    for (; v; v = v->parent)
        if (type_is_node(v->type))
            return true;
    return false;
}

static void find_kinds(const struct packing *p, struct packed *now,
                       const struct goal *g)
{
    const struct attempt *a = p->s->a;

    if (a->opts->slot_parent || a->entries->loose || a->m->nodes_nested)
        return;
    if (has_slot(now) ? within_node(g->scope->v)
                      : !(now->bin_type = topmost(a->m, now)))
        return;
    for (const struct entry *e = in_part(now->list, now->part); e;
         e = in_part(e->next, now->part))
        add_kinds(a->m, now, e, e, 1);
    for (int i = 0; i < now->nkinds; i++)
        now->weighting[now->nweightings++].w[i] = 1;
}

/* What is known of the entries that a goal competes with. */
struct packed *packing_find(struct packing *p, const struct goal *g)
{
    const struct entry *list = list_of(p, g->e);
    struct packed *now = p->packed;

    while (now && (now->list != list || now->part != g->e->part))
        now = now->next;
    if (now)
        return now;
    if (!(now = arena_alloc(&p->arena, sizeof(*now)))) {
        p->s->a->failed = true;
        return NULL;
    }
    now->list = list;
    now->part = g->e->part;
    now->next = p->packed;
    p->packed = now;
    find_kinds(p, now, g);
    return now;
}

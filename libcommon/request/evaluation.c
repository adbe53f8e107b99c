/*
 * What of a constraint is about targets alone, and joined by `and`, `or` and
 * `not`, becomes a set of their ranks, bottom up, by the algebra of sets;
 * then a pool is in it or not. The rest is asked of the pools.
 */
#include "request/evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/tree/properties.h"
#include "request/evaluation_private.h"

/* --- members -------------------------------------------------------------- */

void member_init(struct member *m, const struct vertex *v,
                 const struct idset *set, struct member *up)
{
    *m = (struct member){.up = up, .v = v, .left = set};
    m->id = set ? idset_first(set) : 0;
    m->target = vertex_is_target(v) ? m : up ? up->target : NULL;
}

const struct idset *member_set(const struct member *m)
{
    return m->same ? m->same : m->left;
}

bool member_next(struct member *m)
{
    struct idset *rest = m->same ? idset_subtract(m->left, m->same) : NULL;

    idset_destroy(m->rest);
    idset_destroy(m->same);
    m->left = m->rest = rest;
    m->same = NULL;
    if (!rest)
        return false;
    m->id = idset_first(rest);
    if (m->id == IDSET_INVALID)
        return member_next(m);
    return true;
}

bool member_in(struct member *m, const struct idset *ids)
{
    const struct idset *set = member_set(m);
    uint32_t last = IDSET_MAX;
    bool in = idset_until(ids, m->id, &last);
    struct idset *same;

    if (last >= idset_last(set))
        return in;
    same = in ? idset_intersect(set, ids) : idset_subtract(set, ids);
    idset_destroy(m->same);
    m->same = same;
    return in;
}

bool member_in_range(struct member *m, uint32_t lo, uint32_t hi)
{
    struct idset *range = idset_create_range(lo, hi);
    bool in = member_in(m, range);

    idset_destroy(range);
    return in;
}

bool member_targeted(struct member *m, const struct idset *ranks)
{
    return m->target->left
               ? member_in(m->target, ranks)
               : idset_contains(ranks, (uint32_t)m->target->v->rank);
}

/* --- sets of ranks -------------------------------------------------------- */

static struct idset *all_ranks(const struct rset *rs)
{
    return rs->ranks ? idset_copy(rs->ranks) : idset_create();
}

static struct idset *ranks_without(const struct rset *rs, struct idset *ranks)
{
    struct idset *all = all_ranks(rs), *rest = idset_subtract(all, ranks);

    idset_destroy(all);
    idset_destroy(ranks);
    return rest;
}

static struct idset *of_property(const struct rset *rs,
                                 const struct constraint *c)
{
    const struct idset *have = rset_ranks_with(rs, c->text);
    struct idset *ranks = have ? idset_copy(have) : idset_create();

    return c->op == OP_NE ? ranks_without(rs, ranks) : ranks;
}

/* What has no host has no other one, either. */
static struct idset *of_hosts(const struct rset *rs, const struct constraint *c)
{
    struct idset *ranks;

    if (!rs->hosts || !rs->ranks)
        return idset_create();
    ranks = named_ranks(rs, c);
    return c->op == OP_NE ? ranks_without(rs, ranks) : ranks;
}

static struct idset *of_ranks(const struct rset *rs, const struct constraint *c)
{
    return rs->ranks ? idset_intersect(rs->ranks, c->ids) : idset_create();
}

/* `ranks` becomes what `verb` makes of it and another set. */
static struct idset *apply(struct idset *ranks, const struct idset *other,
                           struct idset *(*verb)(const struct idset *a,
                                                 const struct idset *b))
{
    struct idset *result = verb(ranks, other);

    idset_destroy(ranks);
    return result;
}

/* All begin with all ranks, but `or`, which is gathered in place. */
static struct idset *of_parts(const struct rset *rs, const struct asked *a)
{
    bool or = a->c->kind == CONSTRAINT_OR;
    struct idset *ranks;

    for (const struct asked *p = a->child; p; p = p->next)
        if (!p->ranks)
            return NULL;
    ranks = or ? idset_create() : all_ranks(rs);
    for (const struct asked *p = a->child; p; p = p->next)
        if (or)
            idset_add_set(ranks, p->ranks);
        else
            ranks = apply(ranks, p->ranks,
                          a->c->kind == CONSTRAINT_AND ? idset_intersect
                                                       : idset_subtract);
    return ranks;
}

/* --- binding -------------------------------------------------------------- */

static void bind_criterion(const struct evaluation *ev, struct asked *a,
                           bool of_targets)
{
    switch (a->c->about) {
    case ABOUT_RANK:
        a->ranks = of_ranks(ev->rs, a->c);
        break;
    case ABOUT_HOST:
        a->ranks = of_hosts(ev->rs, a->c);
        break;
    case ABOUT_PROPERTY:
        a->ranks = of_targets ? of_property(ev->rs, a->c) : NULL;
        break;
    case ABOUT_NAME:
        a->names = hostset_create(a->c->hosts, false, true);
        break;
    case ABOUT_PATH:
        bind_path(ev, a);
        break;
    case ABOUT_FED_BY:
        bind_fed_by(ev, a);
        break;
    case ABOUT_SUBSYSTEM:
        bind_subsystem(ev, a);
        break;
    default:
        break;
    }
}

/* With `of_targets` it is asked of targets alone, not of what is in them. */
static struct asked *bind(struct evaluation *ev, const struct constraint *c,
                          bool of_targets)
{
    struct asked *a = arena_alloc(&ev->arena, sizeof(*a)), **end = &a->child;

    *a = (struct asked){.c = c};
    for (const struct constraint *p = c->child; p; p = p->next) {
        *end = bind(ev, p, of_targets);
        end = &(*end)->next;
    }
    if (c->kind == CONSTRAINT_CRITERION)
        bind_criterion(ev, a, of_targets);
    else
        a->ranks = of_parts(ev->rs, a);
    return a;
}

static void release(struct asked *list)
{
    for (struct asked *a = list; a; a = a->next) {
        release(a->child);
        for (size_t i = 0; i < a->nsteps; i++) {
            free(a->steps[i].name);
            idset_destroy(a->steps[i].ranks);
        }
        free(a->steps);
        map_fini(&a->listed);
        idset_destroy(a->ranks);
        idset_destroy(a->named);
        hostset_destroy(a->names);
    }
}

static struct evaluation *create(const struct constraint *c,
                                 const struct rset *rs, bool of_targets)
{
    struct evaluation *ev = xcalloc(1, sizeof(*ev));

    ev->rs = rs;
    ev->top = bind(ev, c, of_targets);
    return ev;
}

struct evaluation *evaluation_create(const struct constraint *c,
                                     const struct rset *rs)
{
    return create(c, rs, false);
}

void evaluation_destroy(struct evaluation *ev)
{
    if (!ev)
        return;
    release(ev->top);
    arena_fini(&ev->arena);
    free(ev);
}

/* --- asking --------------------------------------------------------------- */

int constraint_ranks(const struct constraint *c, const struct rset *rs,
                     struct idset **out, struct diag *d)
{
    struct evaluation *ev = create(c, rs, true);

    *out = ev->top->ranks;
    ev->top->ranks = NULL;
    evaluation_destroy(ev);
    return *out ? 0 : diag_set(d, "the constraint is not one of targets");
}

/* As deep as constraints are nested. */
static bool is_true(const struct evaluation *ev, struct asked *a,
                    struct member *m)
{
    struct asked *part = a->child;

    if (a->ranks && m->target)
        return member_targeted(m, a->ranks);
    if (a->c->kind == CONSTRAINT_CRITERION)
        return criterion_holds[a->c->about](ev, a, m);
    if (a->c->kind == CONSTRAINT_NOT)
        return !is_true(ev, part, m);
    while (part && is_true(ev, part, m) == (a->c->kind == CONSTRAINT_AND))
        part = part->next;
    return !part == (a->c->kind == CONSTRAINT_AND);
}

bool evaluation_holds(struct evaluation *ev, struct member *m)
{
    return is_true(ev, ev->top, m);
}

/*
 * Filters walk over a set, or over the part of it that a job has or that is
 * available, and check each pool. Members of a run with equal results stay
 * together.
 */
#include "schedule/filter.h"

#include <string.h>

#include "request/evaluation.h"
#include "schedule/ledger.h"
#include "model/records/usage.h"

struct filtering {
    const struct filter *f;
    struct idset *allowed; /* ranks of the allowed targets; NULL: all */
    struct evaluation *find, *each, *enter;
    struct selection *sel;
};

/* Results for the pools above a pool. */
struct above {
    struct member *m;
    bool target; /* in an allowed target */
    bool found;  /* in a pool that satisfies `find` */
};

bool filter_is_set(const struct filter *f)
{
    return f->targets || f->find || f->each || f->enter || f->job
           || f->available;
}

/* --- the pools ---------------------------------------------------------- */

static struct pick **filter_pools(struct filtering *f, struct vertex *v,
                                  const struct pick *from,
                                  const struct above *up, struct pick **end);

/* Filter the pools below a pool: all, or those that `from` picks. */
static struct pick *filter_below(struct filtering *f, const struct vertex *v,
                                 const struct pick *from,
                                 const struct above *at)
{
    struct pick *first = NULL, **end = &first;

    if (!from || from->whole)
        for (struct vertex *c = vertex_child(v); c; c = c->next)
            end = filter_pools(f, c, NULL, at, end);
    else
        for (const struct pick *p = from->child; p; p = p->next)
            end = filter_pools(f, p->v, p, at, end);
    return first;
}

/* Return whether members of a pool, or pools in them, pass the filter. Fills
   the pick with them. */
static bool filter_member(struct filtering *f, const struct pick *from,
                          const struct above *up, struct member *m,
                          struct pick *p)
{
    struct above at = *up;
    bool given; /* the pool itself passes, not only pools in it */

    at.m = m;
    if (f->allowed && m->target == m)
        at.target = member_targeted(m, f->allowed);
    if (m->target && !at.target)
        return false; /* in a target that is not allowed */
    if (f->enter && !evaluation_holds(f->enter, m))
        return false;
    if (!at.found)
        at.found = evaluation_holds(f->find, m);
    f->sel->root_found |= f->find && at.found && !m->v->parent && !m->v->home;
    p->child = filter_below(f, m->v, from, &at);
    if (f->f->outside && !p->child && !m->target && vertex_child(m->v))
        return false; /* all that was in it is left out */
    given = !from || from->whole || f->f->available || from->exclusive
            || !from->child;
    return p->child
           || (at.target && at.found && given
               && (!f->each || evaluation_holds(f->each, m)));
}

static struct pick **add_pick(struct filtering *f, const struct pick *p,
                              struct pick **end)
{
    *end = selection_pick(f->sel, p->v);
    **end = *p;
    return &(*end)->next;
}

/* Add a pick for each row of consecutive members of a run. */
static struct pick **add_members(struct filtering *f, struct pick *p,
                                 const struct idset *set, struct pick **end)
{
    for (size_t i = 0; i < idset_nranges(set); i++) {
        struct idrange r = idset_range(set, i);
        if (p->nmembers == 0)
            p->first = r.lo;
        p->nmembers += (uint64_t)r.hi - r.lo + 1;
        if (i + 1 < idset_nranges(set)
            && idset_next(p->v->run, r.hi) == idset_range(set, i + 1).lo)
            continue;
        end = add_pick(f, p, end);
        p->nmembers = 0;
    }
    return end;
}

/* Add the picks of a pool, or of a run, to a list. Returns the end of the
   list. */
static struct pick **filter_pools(struct filtering *f, struct vertex *v,
                                  const struct pick *from,
                                  const struct above *up, struct pick **end)
{
    struct idset *part = v->run && from ? pick_members(from) : NULL;
    struct pick p = {.v = v, .amount = from ? from->amount : v->size};
    struct member m;

    p.shared = from && from->shared;
    p.exclusive = from && from->exclusive;
    member_init(&m, v, part ? part : v->run, up->m);
    do
        if (filter_member(f, from, up, &m, &p))
            end = v->run ? add_members(f, &p, member_set(&m), end)
                         : add_pick(f, &p, end);
    while (member_next(&m));
    idset_destroy(part);
    return end;
}

/* --- the whole ---------------------------------------------------------- */

struct selection *filter_select(struct rset *rs, const struct filter *filter)
{
    struct filtering f = {.f = filter};
    struct settled s = {0};
    struct selection *from = NULL;
    struct above above;
    struct pick **end;

    if (filter->targets)
        f.allowed = constraint_ranks(filter->targets, rs);
    if (rs->usage && (filter->job || filter->available))
        usage_lapse(rs->usage, filter->when.now);
    if (filter->find || filter->each || filter->enter)
        s = usage_settle(rs);
    if (filter->job || filter->available) {
        struct usage *u = usage_begin(rs);
        char digits[JOB_DIGITS_MAX];
        from = filter->job
                   ? ledger_allocated(u, ledger_job(u, filter->job, digits),
                                      filter->held, filter->when.now)
                   : ledger_available(u, &filter->when, false);
        if (filter->usable)
            selection_drop_unusable(u, from);
    }
    f.find = filter->find ? evaluation_create(filter->find, s) : NULL;
    f.each = filter->each ? evaluation_create(filter->each, s) : NULL;
    f.enter = filter->enter ? evaluation_create(filter->enter, s) : NULL;
    f.sel = selection_create();
    f.sel->inventory = !filter->job;
    f.sel->records = !from;
    if (filter->job) {
        f.sel->job = arena_strndup(&f.sel->arena, from->job, strlen(from->job));
        f.sel->start = from->start;
        f.sel->end = from->end;
    }

    above = (struct above){
        .target = !f.allowed || (filter->outside && !idset_empty(f.allowed)),
        .found = !f.find};
    end = &f.sel->picks;
    for (const struct pick *p = from ? from->picks : NULL; p; p = p->next)
        end = filter_pools(&f, p->v, p, &above, end);
    if (!from && rs->root)
        end = filter_pools(&f, rs->root, NULL, &above, end);
    for (struct vertex *v = from ? NULL : rs->loose; v; v = v->next)
        end = filter_pools(&f, v, NULL, &above, end);

    selection_destroy(from);
    evaluation_destroy(f.find);
    evaluation_destroy(f.each);
    evaluation_destroy(f.enter);
    idset_destroy(f.allowed);
    return f.sel;
}

/* --- sets of their own ---------------------------------------------------- */

static struct rset *extract(struct rset *rs, const struct filter *f,
                            bool records)
{
    struct selection *sel = filter_select(rs, f);
    struct rset *part;

    sel->records = records;
    part = rset_extract(rs, sel);
    selection_destroy(sel);
    return part;
}

struct rset *rset_on_ranks(struct rset *rs, const struct idset *ranks,
                           bool records)
{
    struct filter f = {.targets = constraint_from_ranks(ranks)};
    struct rset *part = extract(rs, &f, records);

    constraint_destroy(f.targets);
    return part;
}

struct rset *rset_without_ranks(struct rset *rs, const struct idset *ranks)
{
    struct diag d;
    struct filter f = {
        .enter = constraint_not(constraint_from_ranks(ranks), &d)};
    struct rset *rest = extract(rs, &f, true);

    constraint_destroy(f.enter);
    return rest;
}

struct rset *rset_facts(struct rset *rs)
{
    struct rset *facts = extract(rs, &(struct filter){0}, false);

    usage_destroy(facts->usage);
    facts->usage = NULL;
    return facts;
}

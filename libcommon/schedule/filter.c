#include "schedule/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/cut.h"
#include "schedule/ledger.h"
#include "schedule/usage.h"

struct filtering {
    struct rset *rs;
    const struct filter *f;
    struct idset *allowed;    /* ranks of the targets; NULL: any */
    struct selection *ledger; /* what a job has, or is available, or NULL */
    struct pick **given;      /* in it, by the vertices' index */
    struct selection *sel;
    bool failed;
};

/* What is known of a pool from those above it. */
struct above {
    bool target;           /* in a target that may be used */
    bool found;            /* in a pool that matches */
    const struct pick *in; /* in a pick that is whole */
    enum pool_state state;
};

bool filter_given(const struct filter *f)
{
    return f->targets || f->states || f->job || f->available || f->find;
}

/* --- what the ledger gives ---------------------------------------------- */

static void note_picks(struct filtering *f, struct pick *list)
{
    for (; list; list = list->next) {
        f->given[list->v->index] = list;
        note_picks(f, list->child);
    }
}

static int ask_ledger(struct filtering *f)
{
    const char *job = f->f->job;
    char digits[JOB_DIGITS_MAX];
    struct usage *u;
    uint32_t n = 0;

    if (!job && !f->f->available)
        return 0;
    u = usage_create(f->rs);
    f->ledger = job ? ledger_allocated(u, ledger_job(u, job, digits),
                                       f->f->held)
                    : ledger_available(u, &f->f->when, false);
    usage_destroy(u);
    for (struct vertex *v = rset_first(f->rs); v; v = rset_next(f->rs, v))
        v->index = n++;
    f->given = xcalloc((size_t)n + 1, sizeof(*f->given));
    note_picks(f, f->ledger->root);
    note_picks(f, f->ledger->loose);
    return 0;
}

/* --- the pools ---------------------------------------------------------- */

static bool target_allowed(const struct filtering *f, const struct vertex *v)
{
    return !f->allowed
           || idset_contains(f->allowed,
                             v->run ? idset_first(v->run) : (uint32_t)v->rank);
}

/* What a pool's own data add to what is above it. */
static struct above look(const struct filtering *f, const struct vertex *v,
                         const struct above *up)
{
    struct above at = *up;
    const struct pick *own = f->ledger ? f->given[v->index] : NULL;

    if (vertex_is_target(v))
        at.target = target_allowed(f, v);
    at.found = up->found || find_matches(f->f->find, v);
    at.state = v->state != STATE_UP ? v->state : up->state;
    if (own)
        at.in = own->whole ? own : NULL;
    return at;
}

/* Does the ledger give the pool itself, not only something in it? */
static bool is_given(const struct filtering *f, const struct vertex *v,
                     const struct above *at)
{
    const struct pick *own = f->ledger ? f->given[v->index] : NULL;

    if (!f->ledger || at->in)
        return true;
    return own && (f->f->available || own->exclusive || !own->child);
}

static struct pick *new_pick(struct filtering *f, struct vertex *v)
{
    struct pick *p = selection_pick(f->sel, v);
    const struct pick *own = f->ledger ? f->given[v->index] : NULL;

    if (!p) {
        f->failed = true;
        return NULL;
    }
    pick_all_members(p);
    if (own) {
        p->amount = own->amount;
        p->shared = own->shared;
        p->exclusive = own->exclusive;
    }
    return p;
}

static struct pick *filter_vertex(struct filtering *f, struct vertex *v,
                                  const struct above *up)
{
    struct above at = look(f, v, up);
    struct pick *p, *first = NULL, **end = &first;

    for (struct vertex *c = v->child; c; c = c->next)
        if ((*end = filter_vertex(f, c, &at)))
            end = &(*end)->next;
    if (!first
        && !(at.target && at.found && is_given(f, v, &at)
             && (!f->f->states || (f->f->states & 1U << at.state))))
        return NULL;
    if ((p = new_pick(f, v)))
        p->child = first;
    return p;
}

/* --- the whole ---------------------------------------------------------- */

static int prepare(struct filtering *f, struct rset *rs, struct diag *d)
{
    if (f->f->targets
        && constraint_ranks(f->f->targets, rs, &f->allowed, d) < 0)
        return -1;
    if (f->allowed)
        rset_cut(rs, NULL, f->allowed);
    if (f->f->find && find_prepare(f->f->find, rs, d) < 0)
        return -1;
    if (ask_ledger(f) < 0 || !(f->sel = selection_create()))
        return diag_oom(d);
    f->sel->inventory = !f->f->job;
    f->sel->records = !f->ledger;
    if (f->f->job) {
        f->sel->job = arena_strndup(&f->sel->arena, f->ledger->job,
                                    strlen(f->ledger->job));
        f->sel->start = f->ledger->start;
        f->sel->end = f->ledger->end;
    }
    return 0;
}

static void select_all(struct filtering *f)
{
    const struct above above = {
        .target = !f->allowed, .found = !f->f->find, .state = STATE_UP};
    struct pick **end = &f->sel->loose;

    if (f->rs->root)
        f->sel->root = filter_vertex(f, f->rs->root, &above);
    for (struct vertex *v = f->rs->loose; v; v = v->next)
        if ((*end = filter_vertex(f, v, &above)))
            end = &(*end)->next;
}

struct selection *filter_select(struct rset *rs, const struct filter *filter,
                                struct diag *d)
{
    struct filtering f = {.rs = rs, .f = filter};

    if (prepare(&f, rs, d) == 0) {
        select_all(&f);
        if (f.failed)
            diag_oom(d);
    } else {
        f.failed = true;
    }
    idset_destroy(f.allowed);
    selection_destroy(f.ledger);
    free(f.given);
    if (!f.failed)
        return f.sel;
    selection_destroy(f.sel);
    return NULL;
}

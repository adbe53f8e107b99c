#include "request/find.h"

#include <stdlib.h>

#include "model/walk.h"
#include "request/find_private.h"

void find_unbind(struct find *f)
{
    for (struct criterion *c = f->criteria; c; c = c->next) {
        idset_destroy(c->targets);
        idset_destroy(c->names);
        for (size_t i = 0; i < c->nmembers; i++)
            idset_destroy(c->members[i].ids);
        free(c->members);
        free(c->list);
        c->targets = c->names = NULL;
        c->members = NULL;
        c->list = NULL;
        c->nmembers = c->nlist = 0;
    }
    map_fini(&f->book);
    f->book = (struct map){0};
    f->rs = NULL;
}

void find_destroy(struct find *f)
{
    if (!f)
        return;
    find_unbind(f);
    for (struct criterion *c = f->criteria; c; c = c->next) {
        idset_destroy(c->ids);
        hostlist_destroy(c->hosts);
    }
    arena_fini(&f->arena);
    free(f);
}

/* As deep as parentheses are nested, which has a bound. */
static bool is_true(const struct find *f, const struct expr *e,
                    const struct vertex *v)
{
    const struct expr *part = e->child;

    if (e->kind == EXPR_CRITERION)
        return e->criterion->key->holds(f, e->criterion, v);
    if (e->kind == EXPR_NOT)
        return !is_true(f, part, v);
    while (part && is_true(f, part, v) == (e->kind == EXPR_AND))
        part = part->next;
    return !part == (e->kind == EXPR_AND);
}

bool find_matches(const struct find *f, const struct vertex *v)
{
    return is_true(f, f->top, v);
}

static bool matches(const struct vertex *v, void *arg)
{
    return find_matches(arg, v);
}

struct selection *find_select(struct find *f, struct rset *rs, struct diag *d)
{
    struct selection *sel = NULL;

    if (find_prepare(f, rs, d) == 0 && !(sel = rset_find(rs, matches, f)))
        diag_oom(d);
    return sel;
}

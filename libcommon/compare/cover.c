/*
 * Makes a selection in one set of what another set lists (cover.h), so that the
 * R of a job can be recorded.
 */
#include "compare/cover.h"

#include <stdlib.h>
#include <string.h>

#include "compare/align.h"
#include "model/document/edition.h"
#include "model/records/jobs.h"
#include "model/tree/path.h"
#include "model/document/plain.h"

struct covering {
    struct selection *sel;
    bool plain;    /* an R without a graph is laid over one */
    bool no_graph; /* neither has one */
};

static bool is_part_of(const struct pick *p)
{
    for (const struct vertex *v = p->v->child; v; v = v->next) {
        const struct pick *c = p->child;
        while (c && c->v != v)
            c = c->next;
        if (!c || (c->v->child && !c->whole) || c->amount < c->v->size)
            return true;
    }
    return false;
}

static bool is_named_by_ids(const struct vertex *v)
{
    return !strcmp(v->type, "core") || !strcmp(v->type, "gpu");
}

static bool has_ids(const struct vertex *top)
{
    for (const struct vertex *v = top; v; v = vertex_next(top, v, false))
        if (is_named_by_ids(v))
            return true;
    return false;
}

/*
 * Has an R without a graph all ids that there are in it? That it does not
 * name memory does not mean that it leaves any out.
 */
static bool has_all_ids(const struct pick *p)
{
    for (const struct vertex *v = p->v->child; v; v = v->next) {
        const struct pick *c = p->child;
        while (c && c->v != v)
            c = c->next;
        if (c && !is_named_by_ids(v) ? !has_all_ids(c) : !c && has_ids(v))
            return false;
    }
    return true;
}

/* Does a job's R, which has nothing in the pool, mark it so? */
static bool is_marked(const struct vertex *v, enum grant_kind kind)
{
    const struct grant *g = v->lot && !v->child ? v->lot->grants : NULL;

    while (g && g->term->kind != kind)
        g = g->beside;
    return g;
}

/*
 * The job holds it: all of it if nothing in it is left out. A graph that
 * ends at it implies the rest, unless it marks it as listed; an R that lists
 * nothing in it says so.
 */
static void hold_pick(const struct covering *c, struct pick *p)
{
    if (!p->v->child && p->amount < p->v->size)
        return; /* some units, of what is in a pool held whole */
    p->exclusive = true;
    p->whole = (c->plain ? has_all_ids(p) : !is_part_of(p))
               || (!p->child && !c->plain && !c->no_graph
                   && !is_marked(p->v->peer, GRANT_LISTED));
    if (p->whole)
        p->child = NULL;
}

/*
 * Nothing is named in it, and it is not said to be held whole. A pool that
 * has anything in it is shared then.
 */
static void end_at(struct pick *p)
{
    p->shared = p->v->child;
    p->exclusive = p->whole = !p->shared;
}

/* A pool in both sets, or above one. */
static void take(struct covering *c, struct pick *p)
{
    const struct vertex *peer = p->v->peer;
    const struct vertex *named = !strcmp(peer->type, p->v->type) ? peer : NULL;

    if (named)
        p->shared = is_marked(named, GRANT_SHARE);
    if (named && c->plain && !vertex_is_target(named)) {
        p->exclusive = p->whole = !p->shared;
        p->child = NULL;
        return;
    }
    if (named)
        p->amount = named->size;
    if (named && named->exclusive)
        hold_pick(c, p);
    else if (named && !p->child && !p->shared && p->amount == p->v->size)
        end_at(p);
}

static struct pick *cover_vertex(struct covering *c, struct vertex *v)
{
    struct pick *p, **end;

    if (!v->peer)
        return NULL;
    p = selection_pick(c->sel, v);
    pick_all_members(p);
    end = &p->child;
    for (struct vertex *child = v->child; child; child = child->next)
        if ((*end = cover_vertex(c, child)))
            end = &(*end)->next;
    if (!p->child && !v->parent && c->no_graph)
        return NULL; /* a root that no R speaks of */
    take(c, p);
    return p;
}

static int not_there(const char *what, struct diag *d)
{
    diag_set(d, "%s is not in the set", what);
    return 1;
}

static int vertex_not_there(const struct rset *part, const struct vertex *v,
                            struct diag *d)
{
    char *place = vertex_place(part, v);
    int rc = not_there(place, d);

    free(place);
    return rc;
}

/* Everything of the part has to be in the set. */
static int check_vertices(const struct rset *part, struct diag *d)
{
    for (const struct vertex *v = rset_first(part); v; v = rset_next(part, v))
        if (!v->peer)
            return vertex_not_there(part, v, d);
    return 0;
}

static uint64_t count_picks(const struct rset *rs, const struct pick *list,
                            const char *type)
{
    uint64_t sum = 0;

    for (const struct pick *p = list; p; p = p->next) {
        if (p->whole && p->v->child) {
            sum += rset_count(rs, p->v, type); /* all that is in it */
            continue;
        }
        if (!strcmp(p->v->type, type))
            sum += (uint64_t)p->amount;
        sum += count_picks(rs, p->child, type);
    }
    return sum;
}

static int check_count(const struct rset *rs, const struct rset *part,
                       const struct selection *sel, const char *type,
                       struct diag *d)
{
    char what[64];

    if (count_picks(rs, sel->root, type) == rset_count(part, NULL, type))
        return 0;
    snprintf(what, sizeof(what), "some %s that it names", type);
    return not_there(what, d);
}

/* The same of ids that were laid over a graph. */
static int check_ids(const struct rset *rs, const struct rset *part,
                     const struct selection *sel, struct diag *d)
{
    int rc = idset_subset(part->ranks, rs->ranks)
                 ? check_count(rs, part, sel, "core", d)
                 : not_there("some rank that it names", d);

    if (rc == 0)
        rc = check_count(rs, part, sel, "gpu", d);
    for (size_t i = 0; i < part->ntypes && rc == 0; i++)
        rc = check_count(rs, part, sel, part->types[i], d);
    return rc;
}

/* --- the whole ---------------------------------------------------------- */

static void select_peers(struct covering *c, struct rset *rs)
{
    struct pick **end;

    c->sel = selection_create();
    if (rs->root)
        c->sel->root = cover_vertex(c, rs->root);
    end = &c->sel->loose;
    for (struct vertex *v = rs->loose; v; v = v->next)
        if ((*end = cover_vertex(c, v)))
            end = &(*end)->next;
    if (c->sel->loose && c->sel->root && !c->sel->root->child
        && c->sel->root->shared && !is_marked(rs->root->peer, GRANT_SHARE))
        c->sel->root = NULL; /* it is only there for what is beside it */
}

static int cover(struct covering *c, struct rset *rs, struct rset *part,
                 struct diag *d)
{
    int rc;

    if (rset_check_hosts(rs, part, NULL, d) < 0)
        return 1;
    if (c->plain)
        rc = rset_align_plain(rs, part, d);
    else
        rc = rset_check_roots(rs, part, d) < 0 ? 1 : rset_align(rs, part, d);
    if (rc == 0 && !c->plain)
        rc = check_vertices(part, d);
    if (rc == 0)
        select_peers(c, rs);
    if (rc == 0 && c->plain)
        rc = check_ids(rs, part, c->sel, d);
    return rc;
}

/* What an R without a graph can't name is not in one: memory, a licence. */
static int check_plain(const struct rset *part, struct diag *d)
{
    for (const struct vertex *v = rset_first(part); v; v = rset_next(part, v))
        if (!v->child && !plain_lists(part, v))
            return vertex_not_there(part, v, d);
    return 0;
}

int cover_select(struct rset *rs, struct rset *part, struct selection **out,
                 struct diag *d)
{
    bool graph = rset_has_graph(rs);
    struct covering c = {.plain = graph && !rset_has_graph(part),
                         .no_graph = !graph};
    struct rset *plain = NULL;
    int rc;

    *out = NULL;
    if (!graph && rset_has_graph(part)) {
        if ((rc = check_plain(part, d)) != 0)
            return rc;
        if (!(plain = rset_plain(part, d)))
            return -1;
    }
    rc = cover(&c, rs, plain ? plain : part, d);
    for (size_t i = 0; i < rs->nvertices; i++) /* the part goes its way */
        rs->vertices[i]->peer = NULL;
    rset_destroy(plain);
    if (rc == 0) {
        *out = c.sel;
        c.sel->nslots = (uint64_t)json_integer_value(edition_nslots(part));
        c.sel->moldable = true;
    } else {
        selection_destroy(c.sel);
    }
    return rc;
}

void cover_times(const struct rset *rs, const struct rset *part, double *start,
                 double *end)
{
    *start = rset_starttime(part);
    *end = rset_expiration(part);
    if (*start == rset_starttime(rs) && *end == rset_expiration(rs))
        *start = *end = TIME_UNSET;
}

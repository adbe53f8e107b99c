/*
 * Names, paths and edges of pools, in the number of ranges and not of names.
 *
 * Single vertices have names of their own, which may be any text. Where a set
 * is made of runs, names are made: that of a pool in a target is basename and
 * id. That of a target is its host, and its basename and id are the parts of
 * that; these are asked of the whole list of hosts at once, in pieces that
 * are a text and numbers that follow each other, and come to a set of ranks.
 *
 * What a constraint says of paths and edges is bound to the set at hand: to the
 * names of a path in containment, or else to a list of vertices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/map.h"
#include "base/memory.h"
#include "model/document/jgf.h"
#include "model/tree/path.h"
#include "request/evaluation_private.h"

/* --- vertices by their links ---------------------------------------------- */

static void add(struct asked *a, const struct vertex *v)
{
    map_at(&a->listed, &v, sizeof(v));
}

static bool asked_lists(const struct asked *a, const struct vertex *v)
{
    return map_find(&a->listed, &v, sizeof(v));
}

/* --- where paths lead ----------------------------------------------------- */

static bool is_in_containment(const char *path)
{
    return *path == '/' || !strncmp(path, "containment:", 12);
}

static void split_path(struct asked *a, const char *path)
{
    while (*path) {
        size_t len = strcspn(++path, "/");
        VECTOR_GROW(a->steps, a->nsteps);
        a->steps[a->nsteps++] = (struct step){.name = xstrndup(path, len)};
        path += len;
    }
}

/* Is a vertex at the path that was split? */
static bool is_linked_at(const struct asked *a, const struct vertex *v)
{
    size_t n = a->nsteps;

    for (; n > 0 && v && v->name && !strcmp(v->name, a->steps[n - 1].name); n--)
        v = v->parent;
    return n == 0 && !v;
}

/*
 * The pools of a path at which edges are. In containment that may name members
 * of a run, which have none and are not looked for. A path that leads nowhere
 * is that of no pool.
 */
static void find_linked(const struct evaluation *ev, struct asked *a)
{
    const struct rset *rs = ev->rs;
    const char *text = a->c->text;
    struct diag nowhere = {0};
    struct lots lots;

    if (!is_in_containment(text)) {
        rset_find_lots((struct rset *)rs, text, &lots, &nowhere);
        for (size_t i = 0; i < lots.n; i++)
            add(a, lots.list[i]->v);
        free(lots.list);
        return;
    }
    split_path(a, strchr(text, '/'));
    for (size_t i = 0; i < rs->nlinks && !a->listed.count; i++)
        if (!rs->links[i].source->home && is_linked_at(a, rs->links[i].source))
            add(a, rs->links[i].source);
}

/* --- edges ---------------------------------------------------------------- */

/* All that edges lead to from some pools, over any number of edges. */
struct following {
    struct asked *a;       /* in its list */
    const char *subsystem; /* only by edges of it; NULL: of any */
    size_t len;
    struct map seen; /* vertices by address */
};

static bool is_subsystem(const struct following *f, const char *name)
{
    return strlen(name) == f->len && !strncmp(name, f->subsystem, f->len);
}

static bool is_seen(const struct following *f, const struct vertex *v)
{
    return map_find(&f->seen, &v, sizeof(v));
}

/* What is in a pool in its hierarchy, edges lead to as well. */
static void see(struct following *f, struct vertex *v, bool add_it)
{
    map_at(&f->seen, &v, sizeof(v));
    if (add_it)
        add(f->a, v);
    for (struct vertex *c = v->home ? v->child : NULL; c; c = c->next)
        if ((!f->subsystem || is_subsystem(f, c->home)) && !is_seen(f, c))
            see(f, c, true);
}

/* Tops that have the path, or one that goes on from it, above them. */
static void see_tops(const struct rset *rs, struct following *f)
{
    for (struct vertex *v = rs->loose; v; v = v->next)
        if (top_lies_in(v, f->subsystem) && !is_seen(f, v))
            see(f, v, true);
}

static void follow(const struct rset *rs, struct following *f)
{
    struct map from = f->a->listed;
    bool grown;

    f->a->listed = (struct map){0};
    for (size_t i = 0; i < from.count; i++) {
        struct vertex *v;
        memcpy(&v, from.slots[i].key, sizeof(v));
        see(f, v, false);
    }
    map_fini(&from);
    if (f->subsystem)
        see_tops(rs, f);
    do {
        grown = false;
        for (size_t i = 0; i < rs->nlinks; i++) {
            const struct link *l = &rs->links[i];
            if (!is_seen(f, l->source) || is_seen(f, l->target)
                || (f->subsystem && !is_subsystem(f, l->subsystem)))
                continue;
            see(f, l->target, true);
            grown = true;
        }
    } while (grown);
    map_fini(&f->seen);
}

void bind_path(const struct evaluation *ev, struct asked *a)
{
    struct following f = {.a = a, .subsystem = a->c->text};

    if (is_in_containment(a->c->text)) {
        split_path(a, strchr(a->c->text, '/'));
        return;
    }
    find_linked(ev, a);
    f.len = strcspn(f.subsystem, ":");
    if (a->c->below)
        follow(ev->rs, &f);
}

void bind_fed_by(const struct evaluation *ev, struct asked *a)
{
    struct following f = {.a = a};

    find_linked(ev, a);
    follow(ev->rs, &f);
}

void bind_subsystem(const struct evaluation *ev, struct asked *a)
{
    const struct rset *rs = ev->rs;

    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (!criterion_has_word(a->c, l->subsystem, strlen(l->subsystem)))
            continue;
        add(a, l->source);
        add(a, l->target);
    }
}

/* Targets that have no basename in their host's name are of this type. */
#define NODE "node"

/* --- hosts ---------------------------------------------------------------- */

static bool has_basename(const struct constraint *c,
                         const struct host_piece *piece, bool numbered)
{
    const struct host *h = &piece->host;
    bool named = numbered && h->plen > 0;

    return criterion_has_word(c, named ? h->prefix : NODE,
                              named ? h->plen : strlen(NODE));
}

/* Add the places of a piece's numbers, from place `at` on, that are asked. */
static void add_numbers(const struct constraint *c,
                        const struct host_piece *piece, uint32_t at,
                        struct idset *places)
{
    uint64_t first = piece->host.number, last;

    for (uint64_t n = first; n <= piece->hi; n = last + 1) {
        uint32_t until = IDSET_MAX;
        bool has = n > IDSET_MAX ? criterion_has_number(c, (int64_t)n)
                                 : idset_until(c->ids, (uint32_t)n, &until);
        last = n > IDSET_MAX || until > piece->hi ? piece->hi : until;
        if (has)
            idset_add(places, at + (uint32_t)(n - first),
                      at + (uint32_t)(last - first));
    }
}

/* Places in the list of hosts of those with a basename or id. */
static struct idset *named_places(const struct hostlist *hosts,
                                  const struct constraint *c)
{
    struct idset *places = idset_create();
    struct host_piece piece;
    struct piece_iter it;
    uint32_t at = 0, n;

    piece_iter_init(&it, hosts);
    for (; piece_next(&it, &piece); at += n) {
        const struct host *h = &piece.host;
        bool numbered = h->width && !h->slen
                        && !(h->plen && is_digit(h->prefix[h->plen - 1]));
        n = (uint32_t)(piece.hi - h->number + 1);
        if (c->about == ABOUT_ID && numbered)
            add_numbers(c, &piece, at, places);
        else if (c->about == ABOUT_BASENAME
                 && has_basename(c, &piece, numbered))
            idset_add(places, at, at + n - 1);
    }
    return places;
}

struct idset *named_ranks(const struct rset *rs, const struct constraint *c)
{
    struct idset *places = c->hosts ? hostlist_positions(rs->hosts, c->hosts)
                                    : named_places(rs->hosts, c);
    struct idset *ranks = idset_pick(rs->ranks, places);

    idset_destroy(places);
    return ranks;
}

/* Do its data come from a host? */
static bool is_hosted(const struct evaluation *ev, const struct member *m)
{
    return m->left && m->target == m && ev->rs->hosts;
}

static bool host_in(const struct evaluation *ev, struct asked *a,
                    struct member *m)
{
    if (!a->named)
        a->named = named_ranks(ev->rs, a->c);
    return member_in(m, a->named);
}

/* --- pools ---------------------------------------------------------------- */

HOLDS(holds_basename)
{
    const char *basename = m->v->basename;

    return verdict(a->c,
                   is_hosted(ev, m)
                       ? host_in(ev, a, m)
                       : criterion_has_word(a->c, basename, strlen(basename)));
}

HOLDS(holds_id)
{
    if (is_hosted(ev, m))
        return host_in(ev, a, m);
    return m->left ? member_in(m, a->c->ids)
                   : criterion_has_number(a->c, m->v->id);
}

/* Is basename and id among the names? As far as only the number grows. */
static bool is_member_named(const struct asked *a, struct member *m)
{
    char name[HOSTLIST_NAME_MAX];
    uint64_t last = last_of_digits(count_digits(m->id)), more;
    int len = snprintf(name, sizeof(name), "%s%u", m->v->basename, m->id);
    bool has;

    if (len >= HOSTLIST_NAME_MAX)
        return false;
    has = hostset_has_name(a->names, name, &more);
    if (more < last - m->id)
        last = m->id + more;
    member_in_range(m, m->id, last < IDSET_MAX ? (uint32_t)last : IDSET_MAX);
    return has;
}

HOLDS(holds_name)
{
    uint64_t more;
    bool has = !m->left ? hostset_has_name(a->names, m->v->name, &more)
               : is_hosted(ev, m) ? host_in(ev, a, m)
                                  : is_member_named(a, m);

    return verdict(a->c, has);
}

/* --- paths ---------------------------------------------------------------- */

static bool is_step(const struct evaluation *ev, struct step *step,
                    struct member *m)
{
    struct idset *places;
    uint32_t id;

    if (!m->left)
        return m->v->name && !strcmp(m->v->name, step->name);
    if (!is_hosted(ev, m)) {
        id = run_id_named(m->v, step->name);
        return member_in_range(m, id, id);
    }
    if (!step->ranks) {
        places = hostlist_find(ev->rs->hosts, step->name);
        step->ranks = idset_pick(ev->rs->ranks, places);
        idset_destroy(places);
    }
    return member_in(m, step->ranks);
}

/* Do its name and those above it make the path, up to the root? */
static bool is_at(const struct evaluation *ev, const struct asked *a,
                  struct member *m)
{
    const struct vertex *top = NULL;
    size_t n = a->nsteps;

    for (; n > 0 && m && is_step(ev, &a->steps[n - 1], m); n--, m = m->up)
        top = m->v;
    return n == 0 && !m && top == ev->rs->root;
}

static bool is_below(const struct evaluation *ev, const struct asked *a,
                     struct member *m)
{
    do
        m = m->up;
    while (m && !is_at(ev, a, m));
    return m;
}

HOLDS(holds_path)
{
    return verdict(a->c, !a->nsteps    ? asked_lists(a, m->v)
                         : a->c->below ? is_below(ev, a, m)
                                       : is_at(ev, a, m));
}

HOLDS(holds_fed_by)
{
    while (m && !asked_lists(a, m->v))
        m = m->up;
    return verdict(a->c, m);
}

HOLDS(holds_subsystem)
{
    const char *home = m->v->home ? m->v->home : "containment";

    (void)ev;
    return verdict(a->c, asked_lists(a, m->v)
                             || criterion_has_word(a->c, home, strlen(home)));
}

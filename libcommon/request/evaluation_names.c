/*
 * Names, paths and edges of pools, at the cost of ranges and not of names.
 *
 * A single vertex has a name of its own, which may be any text. The names in
 * runs are made: a pool inside a target is named by basename and id. A target
 * is named by its host, and its basename and id are parts of the host name.
 * These are evaluated for the whole list of hosts at once, in pieces of equal
 * text with consecutive numbers, and give a set of ranks.
 *
 * Paths and edges in a constraint are bound to the set: to the names of a path
 * in containment, or to a list of vertices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/near.h"
#include "model/records/path.h"
#include "request/evaluation_private.h"

/* --- where paths and edges lead ------------------------------------------- */

/* Lists of vertices, by their addresses. */
static void add(struct map *list, const struct vertex *v)
{
    map_at(list, &v, sizeof(v));
}

static bool is_listed(const struct map *list, const struct vertex *v)
{
    return map_find(list, &v, sizeof(v));
}

/* Return whether a vertex is at the path that was split. */
static bool is_linked_at(const struct bound *a, const struct vertex *v)
{
    size_t n = a->nsteps;

    for (; n > 0 && v && v->name && !strcmp(v->name, a->steps[n - 1].name); n--)
        v = v->parent;
    return n == 0 && !v;
}

struct following {
    struct map *led_to;    /* collects the vertices that edges lead to */
    const char *subsystem; /* a path in the subsystem whose edges count; NULL:
                              any */
    size_t len;            /* length of the subsystem's name there */
    struct map seen;       /* the vertices that were visited */
};

static bool is_followed(const struct following *f, const char *subsystem)
{
    return !f->subsystem || word_is(f->subsystem, f->len, subsystem);
}

/* Visit a vertex and the pools in its hierarchy below it, because edges lead to
   them, too. */
static void visit(struct following *f, struct vertex *v, bool add_it)
{
    add(&f->seen, v);
    if (add_it)
        add(f->led_to, v);
    for (struct vertex *c = v->home ? v->child : NULL; c; c = c->next)
        if (is_followed(f, c->home) && !is_listed(&f->seen, c))
            visit(f, c, true);
}

/* Replace the listed vertices by all vertices that edges lead to from them,
   over any number of edges; only edges of a subsystem, if one is given. */
static void follow(const struct rset *rs, struct map *list,
                   const char *subsystem)
{
    struct following f = {.led_to = list,
                          .subsystem = subsystem,
                          .len = subsystem ? strcspn(subsystem, ":") : 0};
    struct map from = *list;
    bool grown = true;

    *list = (struct map){0};
    for (size_t i = 0; i < from.count; i++) {
        struct vertex *v;
        memcpy(&v, from.slots[i].key, sizeof(v));
        visit(&f, v, false);
    }
    map_fini(&from);
    /* tops that lie, by the path above them, at or below this path */
    for (struct vertex *v = subsystem ? rs->loose : NULL; v; v = v->next)
        if (top_lies_in(v, subsystem) && !is_listed(&f.seen, v))
            visit(&f, v, true);
    while (grown) {
        grown = false;
        for (size_t i = 0; i < rs->nlinks; i++) {
            const struct link *l = &rs->links[i];
            if (is_followed(&f, l->subsystem) && is_listed(&f.seen, l->source)
                && !is_listed(&f.seen, l->target)) {
                visit(&f, l->target, true);
                grown = true;
            }
        }
    }
    map_fini(&f.seen);
}

void evaluation_bind_links(const struct evaluation *ev, struct bound *a)
{
    const struct rset *rs = ev->rs;
    const char *path = a->c->text;
    bool fed = a->c->about == ABOUT_FED_BY;
    struct diag nowhere = {0};
    struct lots lots;
    size_t len;

    for (size_t i = 0; a->c->about == ABOUT_SUBSYSTEM && i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (criterion_has_word(a->c, l->subsystem, strlen(l->subsystem))) {
            add(&a->listed, l->source);
            add(&a->listed, l->target);
        }
    }
    if (a->c->about != ABOUT_PATH && !fed)
        return;
    if (*path == '/' || !strncmp(path, "containment:", 12)) {
        for (path = strchr(path, '/'); *path; path += len) {
            len = strcspn(++path, "/");
            VECTOR_ADD(a->steps, a->nsteps,
                       (struct path_name){.name = xstrndup(path, len)});
        }
        /* members of a run have no edges */
        for (size_t i = 0; fed && i < rs->nlinks && !a->listed.count; i++)
            if (!rs->links[i].source->home
                && is_linked_at(a, rs->links[i].source))
                add(&a->listed, rs->links[i].source);
    } else {
        /* a path that leads nowhere names no pool */
        rset_find_lots((struct rset *)rs, path, &lots, &nowhere);
        for (size_t i = 0; i < lots.n; i++)
            add(&a->listed, lots.list[i]->v);
        free(lots.list);
        if (a->c->below)
            follow(rs, &a->listed, path);
    }
    if (fed)
        follow(rs, &a->listed, NULL);
}

/* --- names ---------------------------------------------------------------- */

/* The basename of targets whose host name has none. */
#define NODE "node"

/* Add the places of the numbers of a piece that the criterion asks for. The
   first number is at place `at`. */
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

/* Return the places in the list of hosts with a basename or id of the
   criterion. */
static struct idset *named_places(const struct hostlist *hosts,
                                  const struct constraint *c)
{
    struct idset *places = idset_create();
    struct host_piece piece;
    struct piece_iter it;
    uint32_t at = 0, n;

    hostlist_iter_init(&it.at, hosts);
    for (; piece_next(&it, &piece); at += n) {
        const struct host *h = &piece.host;
        bool numbered = h->width && !h->slen
                        && !(h->plen && is_digit(h->prefix[h->plen - 1])),
             named = numbered && h->plen > 0;
        n = (uint32_t)(piece.hi - h->number + 1);
        if (c->about == ABOUT_ID && numbered)
            add_numbers(c, &piece, at, places);
        else if (c->about == ABOUT_BASENAME
                 && criterion_has_word(c, named ? h->prefix : NODE,
                                       named ? h->plen : strlen(NODE)))
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

/* Return whether the name of a pool comes from a host. */
static bool is_hosted(const struct evaluation *ev, const struct member *m)
{
    return m->left && m->target == m && ev->rs->hosts;
}

bool evaluation_is_named(const struct evaluation *ev, struct bound *a,
                         struct member *m)
{
    const struct constraint *c = a->c;
    char name[HOSTLIST_NAME_MAX];
    uint64_t last, more;
    bool has;

    if (is_hosted(ev, m)) {
        if (!a->named)
            a->named = named_ranks(ev->rs, c);
        return member_in(m, a->named);
    }
    if (c->about == ABOUT_BASENAME)
        return criterion_has_word(c, m->v->basename, strlen(m->v->basename));
    if (c->about == ABOUT_ID)
        return m->left ? member_in(m, c->ids)
                       : criterion_has_number(c, m->v->id);
    if (!m->left)
        return hostset_has_name(a->names, m->v->name, &more);

    /* Names of basename and id: the answer holds while only the number
       grows. */
    if (snprintf(name, sizeof(name), "%s%u", m->v->basename, m->id)
        >= HOSTLIST_NAME_MAX)
        return false;
    has = hostset_has_name(a->names, name, &more);
    last = last_of_digits(count_digits(m->id));
    if (more < last - m->id)
        last = m->id + more;
    member_in_range(m, m->id, last < IDSET_MAX ? (uint32_t)last : IDSET_MAX);
    return has;
}

/* --- paths ---------------------------------------------------------------- */

static bool is_step(const struct evaluation *ev, struct path_name *step,
                    struct member *m)
{
    struct idset *places;
    uint32_t id;

    if (!m->left)
        return m->v->name && !strcmp(m->v->name, step->name);
    if (!is_hosted(ev, m)) {
        id = run_id_named(m->v->basename, step->name);
        return member_in_range(m, id, id);
    }
    if (!step->ranks) {
        places = hostlist_find(ev->rs->hosts, step->name);
        step->ranks = idset_pick(ev->rs->ranks, places);
        idset_destroy(places);
    }
    return member_in(m, step->ranks);
}

/* Return whether the names of a pool and the pools above it make the path, up
   to the root. */
static bool is_at(const struct evaluation *ev, const struct bound *a,
                  struct member *m)
{
    const struct vertex *top = NULL;
    size_t n = a->nsteps;

    for (; n > 0 && m && is_step(ev, &a->steps[n - 1], m); n--, m = m->up)
        top = m->v;
    return n == 0 && !m && top == ev->rs->root;
}

bool evaluation_is_linked(const struct evaluation *ev, struct bound *a,
                          struct member *m)
{
    const char *home = m->v->home ? m->v->home : "containment";

    if (a->c->about == ABOUT_SUBSYSTEM)
        return is_listed(&a->listed, m->v)
               || criterion_has_word(a->c, home, strlen(home));
    if (a->c->about == ABOUT_FED_BY) {
        while (m && !is_listed(&a->listed, m->v))
            m = m->up;
        return m;
    }
    if (!a->nsteps)
        return is_listed(&a->listed, m->v);
    if (!a->c->below)
        return is_at(ev, a, m);
    do
        m = m->up;
    while (m && !is_at(ev, a, m));
    return m;
}

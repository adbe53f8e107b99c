/*
 * What a constraint says of paths and edges is bound to the set at hand: to
 * the names of a path in containment, or else to a list of vertices.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/tree/path.h"
#include "request/evaluation_private.h"

static void add(struct asked *a, const struct vertex *v)
{
    map_at(&a->listed, &v, sizeof(v));
}

bool asked_lists(const struct asked *a, const struct vertex *v)
{
    return map_find(&a->listed, &v, sizeof(v));
}

/* --- paths ---------------------------------------------------------------- */

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

/* --- criteria ------------------------------------------------------------- */

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

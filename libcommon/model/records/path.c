/* Finds pools by path or URI, and writes the path of a pool (path.h). */
#include "model/records/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/saturate.h"
#include "model/records/usage_private.h"

/* --- the text ------------------------------------------------------------- */

/* The parts of a URI. */
struct uri {
    const char *text, *path;
    size_t subsystem; /* length of its name; 0: containment */
};

static int uri_split(struct uri *uri, const char *text, struct diag *d)
{
    const char *colon = *text == '/' ? NULL : strchr(text, ':');

    uri->text = text;
    uri->path = colon ? colon + 1 : text;
    uri->subsystem = colon ? (size_t)(colon - text) : 0;
    if (*uri->path != '/' || !uri->path[1] || colon == text)
        return diag_set(d, "%s: expected /PATH or SUBSYSTEM:/PATH",
                        quote_all(text).text);
    if (uri->subsystem == strlen("containment")
        && !strncmp(text, "containment", uri->subsystem))
        uri->subsystem = 0;
    return 0;
}

int path_check(const char *text, struct diag *d)
{
    struct uri uri;

    return uri_split(&uri, text, d);
}

int place_check(const char *text, struct diag *d)
{
    return *text && *text != '/' && !strchr(text, ':') ? 0
                                                       : path_check(text, d);
}

/* --- steps ---------------------------------------------------------------- */

/* One name of a path, and how to follow it. */
struct step {
    struct usage *u;
    const struct rset *rs;
    char *name;
    struct idset *ranks; /* with this host name; NULL: not looked up */
    bool first; /* take only the first of several pools with the name */
};

static bool is_named(const struct vertex *v, const struct step *s)
{
    return v->name && !strcmp(v->name, s->name);
}

uint32_t run_id_named(const char *basename, const char *name)
{
    const char *end = name + strlen(name);
    size_t len = strlen(basename);
    uint64_t id;

    if (strncmp(name, basename, len) || !name[len]
        || (name[len] == '0' && name[len + 1])
        || get_number(name + len, end, &id) != end || id > IDSET_MAX)
        return IDSET_INVALID;
    return (uint32_t)id;
}

static struct idset *members_named(struct step *s, const struct vertex *v)
{
    uint32_t id;

    if (!vertex_is_target(v) || !s->rs->hosts) {
        id = run_id_named(v->basename, s->name);
        return idset_contains(v->run, id) ? idset_create_range(id, id)
                                          : idset_create();
    }
    if (!s->ranks) { /* one rank, unless several brokers share the host */
        struct idset *at = hostlist_find(s->rs->hosts, s->name);
        struct idset *all = idset_pick(s->rs->ranks, at);
        s->ranks = s->first ? idset_slice(all, 0, 1) : idset_copy(all);
        idset_destroy(all);
        idset_destroy(at);
    }
    return idset_intersect(v->run, s->ranks);
}

/* Add the members of a run that have the name. */
static void take_named(struct step *s, struct lot *parent,
                       const struct vertex *v, struct lots *out)
{
    struct idset *members = members_named(s, v);

    lots_take(s->u, parent, v, members, out);
    idset_destroy(members);
}

/*
 * The children of a pool by name, if there are many; made at the second lookup.
 * Parts of a run come and go, but together they always have its members: so one
 * vertex outside the tree stands for the run.
 */
struct path_names {
    struct map singles; /* by name: place of the first in `list`, from 1 */
    struct named {
        const struct vertex *v;
        size_t next; /* place of the next one with this name; 0: none */
    } * list;
    size_t n;
    struct vertex *runs;
    size_t nruns;
    bool made;
};

enum { CHILDREN_MANY = 32 };

static void name_children(struct path_names *names, const struct vertex *parent)
{
    struct map numbers = {0}; /* of runs, in the order of `runs` */

    names->made = true;
    for (const struct vertex *v = vertex_child(parent); v; v = v->next) {
        size_t run;
        if (!v->run) {
            VECTOR_ADD(names->list, names->n, (struct named){.v = v});
            continue;
        }
        run = map_number(&numbers, &v->number, sizeof(v->number));
        if (run < names->nruns) {
            idset_add_set(names->runs[run].run, v->run);
            continue;
        }
        VECTOR_ADD(names->runs, names->nruns, *v);
        names->runs[run].run = idset_copy(v->run);
    }
    map_fini(&numbers);
    for (size_t i = names->n; i > 0; i--) { /* the first is found first */
        const char *name = names->list[i - 1].v->name;
        struct map_slot *slot = map_at(&names->singles, name, strlen(name));
        names->list[i - 1].next = slot->value.number;
        slot->value.number = i;
    }
}

void path_names_end(struct usage *u)
{
    for (size_t i = 0; i < u->path_names.count; i++) {
        struct path_names *names = u->path_names.slots[i].value.pointer;
        for (size_t k = 0; k < names->nruns; k++)
            idset_destroy(names->runs[k].run);
        free(names->runs);
        free(names->list);
        map_fini(&names->singles);
        free(names);
    }
    map_fini(&u->path_names);
}

/* Return the names of the children; NULL if they are few, if the pool is in a
   run, or at the first lookup. */
static const struct path_names *names_in(struct usage *u,
                                         const struct vertex *parent)
{
    const struct vertex *v = vertex_child(parent);
    struct path_names *names;
    struct map_slot *slot;

    for (size_t n = 0; n < CHILDREN_MANY; n++, v = v->next)
        if (!v)
            return NULL;
    for (v = parent; v; v = v->parent)
        if (v->run)
            return NULL;
    slot = map_at(&u->path_names, &parent, sizeof(parent));
    names = slot->value.pointer;
    if (!names)
        slot->value.pointer = xcalloc(1, sizeof(*names));
    else if (!names->made)
        name_children(names, parent);
    return names;
}

/* Add the children of a lot that have the name. */
static void step_down(struct step *s, struct lot *parent, struct lots *out)
{
    const struct path_names *names = names_in(s->u, parent->v);
    const struct map_slot *slot;

    for (const struct vertex *v = names ? NULL : vertex_child(parent->v);
         v && !(s->first && out->n); v = v->next)
        if (v->run)
            take_named(s, parent, v, out);
        else if (is_named(v, s))
            lots_add(out, lot_find(s->u, parent, v, 0));
    if (!names)
        return;

    for (size_t i = 0; i < names->nruns && !(s->first && out->n); i++)
        take_named(s, parent, &names->runs[i], out);
    slot = map_find(&names->singles, s->name, strlen(s->name));
    for (size_t at = slot ? slot->value.number : 0; at && !(s->first && out->n);
         at = names->list[at - 1].next)
        lots_add(out, lot_find(s->u, parent, names->list[at - 1].v, 0));
}

/* --- other subsystems ----------------------------------------------------- */

static bool is_subsystem(const struct uri *uri, const char *name)
{
    return strlen(name) == uri->subsystem
           && !strncmp(name, uri->text, uri->subsystem);
}

static const char *find_subsystem(const struct rset *rs, const struct uri *uri)
{
    for (size_t i = 0; i < rs->nlinks; i++)
        if (is_subsystem(uri, rs->links[i].subsystem))
            return rs->links[i].subsystem;
    for (const struct vertex *v = rs->loose; v; v = v->next)
        if (is_subsystem(uri, v->home))
            return v->home;
    return NULL;
}

static bool is_linked(const struct rset *rs, const char *subsystem,
                      const struct vertex *v)
{
    for (size_t i = 0; i < rs->nlinks; i++)
        if (rs->links[i].target == v && rs->links[i].subsystem == subsystem)
            return true;
    return false;
}

static bool has_vertex(const struct lots *lots, const struct vertex *v)
{
    return VECTOR_FIND(i, lots->n, lots->list[i]->v == v) < lots->n;
}

/* Add pools with the name that `from` leads to in a subsystem, first its
   children. If `from` is NULL, add sources that are no target of a link. Pools
   with edges are in no run. */
static void follow(const struct step *s, const char *subsystem,
                   const struct vertex *from, struct lots *out)
{
    bool home = from && from->home == subsystem;

    for (const struct vertex *v = home ? from->child : NULL;
         v && !(s->first && out->n); v = v->next)
        if (is_named(v, s))
            lots_add(out, usage_lot(s->u, v));
    for (size_t i = 0; i < s->rs->nlinks && !(s->first && out->n); i++) {
        const struct link *l = &s->rs->links[i];
        const struct vertex *v = from ? l->target : l->source;
        if (l->subsystem != subsystem || !is_named(v, s) || has_vertex(out, v)
            || (from ? l->source != from : is_linked(s->rs, subsystem, v)))
            continue;
        lots_add(out, usage_lot(s->u, v));
    }
}

/* --- paths ---------------------------------------------------------------- */

/* Follow one name from all lots, in containment (`subsystem` is NULL) or in
   another hierarchy, after the first `len` bytes of a path. */
static void take_step(struct step *s, const char *subsystem, const char *path,
                      size_t len, struct lots *at)
{
    struct lots out = {0};

    /* tops whose path above is the one until here */
    for (const struct vertex *v = subsystem ? s->rs->loose : NULL;
         v && !(s->first && out.n); v = v->next)
        if (v->home == subsystem && is_named(v, s)
            && word_is(path, len, v->above ? v->above : "")
            && !has_vertex(&out, v))
            lots_add(&out, usage_lot(s->u, v));
    for (size_t i = 0; i < at->n; i++)
        if (subsystem)
            follow(s, subsystem, at->list[i]->parent ? at->list[i]->v : NULL,
                   &out);
        else
            step_down(s, at->list[i], &out);
    free(at->list);
    *at = out;
}

/* Follow all names of a path. Leaves the lots that were found in `at`; if there
   are none, sets a diag with the part of the path that leads nowhere. */
static void walk_path(struct rset *rs, const struct uri *uri, bool first,
                      struct lots *at, struct diag *d)
{
    const char *subsystem = NULL, *p = uri->path, *missing = NULL;
    struct usage *u = usage_get(rs);

    if (uri->subsystem && !(subsystem = find_subsystem(rs, uri))) {
        diag_set(d, "%s: there is no such subsystem",
                 quote_all(uri->text).text);
        return;
    }
    lots_add(at, &u->top);
    while (*p == '/' && (subsystem || !missing)) {
        size_t before = (size_t)(p - uri->path), len = strcspn(++p, "/");
        struct step s = {
            .u = u, .rs = rs, .name = xstrndup(p, len), .first = first};
        take_step(&s, subsystem, uri->path, before, at);
        free(s.name);
        idset_destroy(s.ranks);
        missing = at->n ? NULL : missing ? missing : p;
        p += len;
    }
    if (missing)
        diag_set(d, "%s: there is no such resource",
                 quote(uri->text,
                       (size_t)(missing - uri->text) + strcspn(missing, "/"))
                     .text);
}

/* Return the number of pools that have the name of a step because of a vertex.
   `place` gets their path, if it is NULL. */
static uint64_t count_named(struct step *s, const struct vertex *v,
                            char **place)
{
    struct idset *members = v->run ? members_named(s, v) : NULL;
    uint64_t n = members ? idset_count(members) : is_named(v, s);
    char *up;

    for (const struct vertex *p = v->parent; p; p = p->parent)
        n = p->run ? saturate_multiply(n, idset_count(p->run)) : n;
    if (n && !*place && !members) {
        *place = vertex_place(s->rs, v);
    } else if (n && !*place) {
        up = v->parent ? vertex_place(s->rs, v->parent) : xstrdup("");
        xasprintf(place, "%s/%s", up, s->name);
        free(up);
    }
    idset_destroy(members);
    return n;
}

/* Set the path that begins with the name of a pool, and goes on as the text
   does, a new string. Returns 0; -1 with a diag if several pools have the name.
   If there is none, the path is NULL and the diag says so. */
static int path_from_name(struct rset *rs, const char *text, char **path,
                          struct diag *d)
{
    size_t len = strcspn(text, "/");
    struct step s = {.rs = rs, .name = xstrndup(text, len)};
    char *place = NULL;
    uint64_t n = 0;
    int rc = 0;

    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        n = saturate_add(n, count_named(&s, v, &place));
    if (n == 1)
        xasprintf(path, "%s%s", place, text + len);
    else if (n == 0)
        diag_set(d, "%s: there is no such resource", quote(text, len).text);
    else
        rc = diag_set(d, "%s: %llu resources have this name, such as %s",
                      quote(text, len).text, (unsigned long long)n, place);
    free(place);
    free(s.name);
    idset_destroy(s.ranks);
    return rc;
}

static int find_all(struct rset *rs, const char *text, bool first,
                    struct lots *lots, struct diag *d)
{
    bool named = *text != '/' && !strstr(text, ":/");
    char *path = NULL;
    struct uri uri;
    int rc = named ? path_from_name(rs, text, &path, d) : 0;

    *lots = (struct lots){0};
    if (rc == 0 && (path || !named)
        && (rc = uri_split(&uri, path ? path : text, d)) == 0)
        walk_path(rs, &uri, first, lots, d);
    free(path);
    return rc;
}

int rset_find_lots(struct rset *rs, const char *uri, struct lots *lots,
                   struct diag *d)
{
    return find_all(rs, uri, false, lots, d);
}

/* A list of places that is read. */
struct places {
    place_fn *each;
    void *arg;
    size_t n; /* places until now */
    struct diag *d;
};
enum { PLACES_MAX = 1 << 20 };

/* Call p->each for all places that begin with `from` and go on with `rest`. */
static int expand(struct places *p, const char *from, const char *rest)
{
    size_t len = strcspn(rest, "/");
    struct hostlist *names = hostlist_create();
    char name[HOSTLIST_NAME_MAX], *path;
    struct hostlist_iter it;
    int rc = 0;

    if (p->n >= PLACES_MAX) {
        rc = diag_set(p->d, "more than %d places", PLACES_MAX);
    } else if (!strchr(rest, '[')) {
        p->n++;
        xasprintf(&path, "%s%s", from, rest);
        rc = p->each(p->arg, path, p->d);
        free(path);
    } else if (!memchr(rest, '[', len)) {
        len += rest[len] == '/';
        xasprintf(&path, "%s%.*s", from, (int)len, rest);
        rc = expand(p, path, rest + len);
        free(path);
    } else if ((rc = hostlist_decode(names, rest, len, p->d)) == 0) {
        hostlist_iter_init(&it, names);
        while (rc == 0 && hostlist_iter_next(&it, name) >= 0) {
            xasprintf(&path, "%s%s", from, name);
            rc = expand(p, path, rest + len);
            free(path);
        }
    }
    hostlist_destroy(names);
    return rc;
}

int places_each(const char *text, place_fn *each, void *arg, struct diag *d)
{
    struct places p = {.each = each, .arg = arg, .d = d};
    int rc = 0;

    for (size_t len = 0; rc == 0; text += len + 1, len = 0) {
        char *word;
        for (bool in = false; text[len] && (in || text[len] != ','); len++)
            in = text[len] == '[' || (in && text[len] != ']');
        word = xstrndup(text, len);
        rc = expand(&p, "", word);
        free(word);
        if (!text[len])
            break;
    }
    return rc;
}

struct finding {
    struct rset *rs;
    struct lots *lots;
};

static int add_lots_at(void *arg, const char *place, struct diag *d)
{
    const struct finding *f = arg;
    struct lots at;

    if (rset_find_lots(f->rs, place, &at, d) < 0)
        return -1;
    for (size_t i = 0; i < at.n; i++)
        lots_add(f->lots, at.list[i]);
    free(at.list);
    return at.n == 0;
}

int rset_find_places(struct rset *rs, const char *text, struct lots *lots,
                     struct diag *d)
{
    return places_each(text, add_lots_at, &(struct finding){rs, lots}, d);
}

struct lot *rset_find_lot(struct rset *rs, const char *uri, struct diag *d)
{
    struct lots lots;
    struct lot *lot = NULL;

    if (find_all(rs, uri, true, &lots, d) == 0 && lots.n > 0)
        lot = lots.list[0];
    free(lots.list);
    return lot;
}

struct lot *rset_find_home(struct rset *rs, const char *uri, struct diag *d)
{
    struct lot *lot = rset_find_lot(rs, uri, d);
    const char *home = lot ? lot->v->home : NULL;
    struct uri at;
    char *place;

    if (!lot || uri_split(&at, uri, d) < 0
        || (at.subsystem ? home && is_subsystem(&at, home) : !home))
        return lot;
    place = lot_place(rs->usage, lot);
    diag_set(d, "%s: this resource is in another hierarchy: use %s",
             quote_all(uri).text, quote_all(place).text);
    free(place);
    return NULL;
}

bool top_lies_in(const struct vertex *top, const char *uri)
{
    size_t home = strlen(top->home), len = strlen(uri);

    if (!top->above || len <= home || uri[home] != ':'
        || strncmp(uri, top->home, home) != 0)
        return false;
    uri += home + 1;
    len -= home + 1;
    return !strncmp(top->above, uri, len)
           && (!top->above[len] || top->above[len] == '/');
}

/* --- places --------------------------------------------------------------- */

struct idset *lot_members(const struct rset *rs, const struct lot *lot)
{
    const struct vertex *v = lot->v;
    uint32_t number = (uint32_t)v->id;

    if (v->run)
        return idset_create_range(lot->at, lot->at + lot->n - 1);
    if (vertex_is_target(v) && rs->hosts)
        number = (uint32_t)v->rank;
    else if (!vertex_folds(v))
        return NULL;
    return idset_create_range(number, number);
}

void lot_add_ranks(const struct lot *lot, bool below, struct idset *ranks)
{
    const struct vertex *v = lot->v;

    for (const struct lot *up = lot; up->parent; up = up->parent)
        if (vertex_is_target(up->v)) {
            struct idrange own = lot_ranks(up);
            idset_add(ranks, own.lo, own.hi);
        }
    while (below && !vertex_in_node(lot->v) && (v = vertex_next(lot->v, v, 0)))
        if (vertex_is_target(v))
            target_add_ranks(v, ranks);
}

static void put_lot(const struct rset *rs, const struct lot *lot,
                    const struct idset *members, const struct idset *parents,
                    FILE *fp)
{
    struct idset *own = lot->v->run && !members ? lot_members(rs, lot) : NULL;

    if (lot->parent->parent)
        put_lot(rs, lot->parent, parents, NULL, fp);
    else if (lot->v->above)
        fputs(lot->v->above, fp);
    putc('/', fp);
    vertex_write_name(rs, lot->v, members ? members : own, fp);
    idset_destroy(own);
}

char *lots_place(const struct rset *rs, const struct lot *lot,
                 const struct idset *members, const struct idset *parents)
{
    char *text;
    FILE *fp = memory_open(&text, NULL);

    if (lot->v->home)
        fprintf(fp, "%s:", lot->v->home);
    put_lot(rs, lot, members, parents, fp);
    return memory_take(fp, &text, true);
}

char *lot_place(const struct usage *u, const struct lot *lot)
{
    return lots_place(u->rs, lot, NULL, NULL);
}

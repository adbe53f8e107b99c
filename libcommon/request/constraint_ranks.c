/*
 * Evaluation: a constraint becomes a set of ranks, bottom up.
 *
 * Properties are known of the targets, which are asked once, whatever the
 * constraint: each says which of the names that stand in it are its own.
 * Hosts are known in the order of ranks, so that the positions of hosts are
 * the positions of their ranks.
 */
#include "request/constraint_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

/* Ranks lo..hi have a property that is asked for. */
struct carriers {
    size_t property;
    uint32_t lo, hi;
};

struct evaluation {
    const struct rset *rs;
    struct map names;        /* asked for: the number of the property + 1 */
    struct idset **property; /* of each the ranks that have it */
    size_t nproperties;
    struct carriers *list;
    size_t n, size;
};

static void evaluation_fini(struct evaluation *ev)
{
    for (size_t i = 0; ev->property && i < ev->nproperties; i++)
        idset_destroy(ev->property[i]);
    free(ev->property);
    free(ev->list);
    map_fini(&ev->names);
}

/* --- properties --------------------------------------------------------- */

/* The name in "p" and "^p". */
static const char *property_name(const json_t *value)
{
    const char *text = json_string_value(value);

    return text[0] == '^' ? text + 1 : text;
}

/* Number the properties that a constraint asks for. */
static int collect_names(struct evaluation *ev, const struct constraint *c)
{
    json_t *value;
    size_t i;

    for (const struct constraint *p = c->child; p; p = p->next)
        if (collect_names(ev, p) < 0)
            return -1;
    if (c->op != CONSTRAINT_PROPERTIES)
        return 0;
    json_array_foreach (c->values, i, value) {
        const char *name = property_name(value);
        struct map_slot *slot = map_at(&ev->names, name, strlen(name));

        if (!slot)
            return -1;
        if (!slot->value.number)
            slot->value.number = ++ev->nproperties;
    }
    return 0;
}

static int add_carriers(struct evaluation *ev, size_t property,
                        struct idrange ranks)
{
    if (ev->n == ev->size) {
        size_t size = ev->size ? 2 * ev->size : 64;
        struct carriers *list = xrealloc(ev->list, size * sizeof(*list));

        if (!list)
            return -1;
        ev->list = list;
        ev->size = size;
    }
    ev->list[ev->n++] = (struct carriers){property, ranks.lo, ranks.hi};
    return 0;
}

/* A target has the property of this name; is it asked for? */
static int note_name(struct evaluation *ev, const struct vertex *target,
                     const char *name, size_t len)
{
    const struct map_slot *slot = map_find(&ev->names, name, len);
    size_t n = target->run ? idset_nranges(target->run) : 1;

    if (!slot)
        return 0;
    for (size_t i = 0; i < n; i++) {
        struct idrange ranks = {(uint32_t)target->rank, (uint32_t)target->rank};

        if (target->run)
            ranks = idset_range(target->run, i);
        if (add_carriers(ev, slot->value.number - 1, ranks) < 0)
            return -1;
    }
    return 0;
}

/* As an R names it: `k=v`. */
static int note_value(struct evaluation *ev, const struct vertex *target,
                      const struct property *p)
{
    char *text;
    int rc;

    if (xasprintf(&text, "%s=%s", p->key, p->value) < 0)
        return -1;
    rc = note_name(ev, target, text, strlen(text));
    free(text);
    return rc;
}

static int note_target(struct evaluation *ev, const struct vertex *target)
{
    const struct properties *list = target->properties;

    for (unsigned i = 0; list && i < list->count; i++) {
        const struct property *p = &list->list[i];

        if (note_name(ev, target, p->key, strlen(p->key)) < 0
            || (*p->value && note_value(ev, target, p) < 0))
            return -1;
    }
    return 0;
}

static int note_targets(struct evaluation *ev)
{
    struct vertex **targets;
    ssize_t n = rset_targets(ev->rs, &targets);
    int rc = n < 0 ? -1 : 0;

    for (ssize_t i = 0; rc == 0 && i < n; i++)
        rc = note_target(ev, targets[i]);
    if (n >= 0)
        free(targets);
    return rc;
}

static int by_lo(const void *a, const void *b)
{
    const struct carriers *x = a, *y = b;

    return (x->lo > y->lo) - (x->lo < y->lo);
}

/*
 * Runs of targets lie among each other: sets grow in linear time because
 * they are made of sorted ranges, not of one target after the other.
 */
static int index_properties(struct evaluation *ev, const struct constraint *c)
{
    if (collect_names(ev, c) < 0)
        return -1;
    if (ev->nproperties == 0)
        return 0;
    ev->property = xcalloc(ev->nproperties, sizeof(struct idset *));
    if (!ev->property || note_targets(ev) < 0)
        return -1;
    for (size_t i = 0; i < ev->nproperties; i++)
        if (!(ev->property[i] = idset_create()))
            return -1;
    if (ev->n > 0)
        qsort(ev->list, ev->n, sizeof(*ev->list), by_lo);
    for (size_t i = 0; i < ev->n; i++) {
        const struct carriers *l = &ev->list[i];

        idset_add(ev->property[l->property], l->lo, l->hi);
    }
    return 0;
}

/* --- operators ---------------------------------------------------------- */

static struct idset *all_ranks(const struct evaluation *ev)
{
    return ev->rs->ranks ? idset_copy(ev->rs->ranks) : idset_create();
}

/* `to` becomes what `verb` makes of both; -1 without memory. */
static int apply(struct idset **to, const struct idset *other,
                 struct idset *(*verb)(const struct idset *a,
                                       const struct idset *b))
{
    struct idset *result = other ? verb(*to, other) : NULL;

    if (!result)
        return -1;
    idset_destroy(*to);
    *to = result;
    return 0;
}

static int keep_properties(const struct evaluation *ev,
                           const struct constraint *c, struct idset **ranks)
{
    json_t *value;
    size_t i;

    json_array_foreach (c->values, i, value) {
        const char *name = property_name(value);
        const struct map_slot *slot = map_find(&ev->names, name, strlen(name));
        const struct idset *have = ev->property[slot->value.number - 1];
        bool denied = name != json_string_value(value);

        if (apply(ranks, have, denied ? idset_subtract : idset_intersect) < 0)
            return -1;
    }
    return 0;
}

static int keep_hosts(const struct evaluation *ev, const struct constraint *c,
                      struct idset **ranks)
{
    struct idset *positions;
    int rc;

    if (!ev->rs->hosts) {
        idset_clear(*ranks);
        return 0;
    }
    positions = hostlist_positions(ev->rs->hosts, c->hosts);
    rc = apply(ranks, positions, idset_pick);
    idset_destroy(positions);
    return rc;
}

static struct idset *evaluate(const struct evaluation *ev,
                              const struct constraint *c);

/* A long `or` is gathered in place. */
static int join_child(enum constraint_op op, struct idset **ranks,
                      const struct idset *some)
{
    if (op == CONSTRAINT_OR) {
        idset_add_set(*ranks, some);
        return 0;
    }
    return apply(ranks, some,
                 op == CONSTRAINT_AND ? idset_intersect : idset_subtract);
}

static int join_children(const struct evaluation *ev,
                         const struct constraint *c, struct idset **ranks)
{
    for (const struct constraint *p = c->child; p; p = p->next) {
        struct idset *some = evaluate(ev, p);
        int rc = join_child(c->op, ranks, some);

        idset_destroy(some);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int narrow(const struct evaluation *ev, const struct constraint *c,
                  struct idset **ranks)
{
    switch (c->op) {
    case CONSTRAINT_PROPERTIES:
        return keep_properties(ev, c, ranks);
    case CONSTRAINT_HOSTLIST:
        return keep_hosts(ev, c, ranks);
    case CONSTRAINT_RANKS:
        return apply(ranks, c->ranks, idset_intersect);
    default:
        return join_children(ev, c, ranks);
    }
}

/* The ranks for which it holds. All begin with all ranks, but `or`. */
static struct idset *evaluate(const struct evaluation *ev,
                              const struct constraint *c)
{
    struct idset *ranks = c->op == CONSTRAINT_OR ? idset_create()
                                                 : all_ranks(ev);

    if (ranks && narrow(ev, c, &ranks) == 0)
        return ranks;
    idset_destroy(ranks);
    return NULL;
}

int constraint_ranks(const struct constraint *c, const struct rset *rs,
                     struct idset **out, struct diag *d)
{
    struct evaluation ev = {.rs = rs};

    *out = index_properties(&ev, c) == 0 ? evaluate(&ev, c) : NULL;
    evaluation_fini(&ev);
    return *out ? 0 : diag_oom(d);
}

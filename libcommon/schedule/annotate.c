/*
 * Annotations: every parent of what a job has names the job in its `shared`
 * list (RFC 4, RFC 16). They follow from the records below them, and so can
 * be found anew.
 */
#include "schedule/annotate.h"

#include <string.h>

#include "schedule/ledger.h"

/* A job below a vertex, as a key: two pointers, names being interned. */
struct below {
    const struct vertex *v;
    const char *job;
};

static int note_above(struct map *map, const struct vertex *v, const char *job)
{
    for (v = v->parent; v; v = v->parent) {
        struct below key = {.v = v, .job = job};
        struct map_slot *slot = map_at(map, &key, sizeof(key));
        if (!slot)
            return -1;
        if (slot->value.number)
            return 0; /* and so it is in all above */
        slot->value.number = 1;
    }
    return 0;
}

/*
 * What jobs have in v is noted for all above it. Among those that share a pool
 * with children are those that have something below it: with `shares` only
 * those count that are in it.
 */
static int note_vertex(struct map *map, const struct vertex *v,
                       const struct map *shares)
{
    for (const struct claim *c = v->records->claims; c; c = c->next)
        if (note_above(map, v, c->job) < 0)
            return -1;
    for (const struct joblist *j = v->records->shared; j; j = j->next)
        if ((!v->child || !shares || below_has(shares, v, j->job))
            && note_above(map, v, j->job) < 0)
            return -1;
    return 0;
}

static int note_all(struct map *map, const struct rset *rs,
                    const struct map *shares)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->records && note_vertex(map, v, shares) < 0)
            return -1;
    return 0;
}

int below_note(struct map *map, const struct rset *rs)
{
    return note_all(map, rs, NULL);
}

bool below_has(const struct map *map, const struct vertex *v, const char *job)
{
    struct below key = {.v = v, .job = job};

    return map_find(map, &key, sizeof(key));
}

static int note_shares(struct map *shares, const struct vertex *v,
                       const struct map *below)
{
    for (const struct joblist *j = v->records->shared; j; j = j->next) {
        struct below key = {.v = v, .job = j->job};
        if (!below_has(below, v, j->job) && !map_at(shares, &key, sizeof(key)))
            return -1;
    }
    return 0;
}

int shares_note(struct map *shares, const struct rset *rs)
{
    struct map below = {0};
    int rc = below_note(&below, rs);

    for (const struct vertex *v = rset_first(rs); v && rc == 0;
         v = rset_next(rs, v))
        if (v->records && v->child)
            rc = note_shares(shares, v, &below);
    map_fini(&below);
    return rc;
}

/* Drop the jobs that have nothing below v any more. */
static void drop_gone(const struct map *map, const struct map *shares,
                      struct vertex *v)
{
    struct joblist *next;

    for (struct joblist *j = v->records->shared; j; j = next) {
        next = j->next;
        if (!below_has(map, v, j->job) && !below_has(shares, v, j->job))
            joblist_drop(&v->records->shared, j->job);
    }
    vertex_tidy_records(v);
}

static int add_new(struct vertex *from)
{
    const char *job;

    for (const struct claim *c = from->records->claims; c; c = c->next) {
        job = c->job;
        for (struct vertex *v = from->parent; v; v = v->parent)
            if (!vertex_records(v) || joblist_add(&v->records->shared, job))
                return -1;
    }
    return 0;
}

int annotate(struct rset *rs, const struct map *shares)
{
    struct map map = {0};
    struct vertex *v;
    int rc = note_all(&map, rs, shares);

    for (v = rset_first(rs); v && rc == 0; v = rset_next(rs, v))
        if (v->records && v->child)
            drop_gone(&map, shares, v);
    for (v = rset_first(rs); v && rc == 0; v = rset_next(rs, v))
        if (v->records && v->records->claims)
            rc = add_new(v);
    map_fini(&map);
    return rc;
}

/* Most sets have no records, and then there is nothing to walk for. */
int ledger_reannotate(struct rset *rs)
{
    const struct map none = {0};
    size_t i = 0;

    while (i < rs->nvertices && !rs->vertices[i]->records)
        i++;
    return i < rs->nvertices ? annotate(rs, &none) : 0;
}

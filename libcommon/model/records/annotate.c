/*
 * Annotations: every parent of what a job has names the job in its `shared`
 * list (RFC 4, RFC 16). They follow from the records below them, and so can
 * be found anew.
 */
#include "model/records/annotate.h"

/* A job below a vertex, as a key: two pointers, names being interned. */
struct below {
    const struct vertex *v;
    const char *job;
};

static void note_above(struct map *map, const struct vertex *v, const char *job)
{
    for (v = v->parent; v; v = v->parent) {
        struct below key = {.v = v, .job = job};
        struct map_slot *slot = map_at(map, &key, sizeof(key));
        if (slot->value.number)
            return; /* and so it is in all above */
        slot->value.number = 1;
    }
}

/* `shares`: what an inner pool's list of sharers says counts, too. */
static void note_all(struct map *map, const struct rset *rs, bool shares)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        if (!v->records)
            continue;
        for (const struct claim *c = v->records->claims; c; c = c->next)
            note_above(map, v, c->job);
        if (shares || !v->child)
            for (const struct joblist *j = v->records->shared; j; j = j->next)
                note_above(map, v, j->job);
    }
}

void below_note(struct map *map, const struct rset *rs)
{
    note_all(map, rs, true);
}

bool below_has(const struct map *map, const struct vertex *v, const char *job)
{
    struct below key = {.v = v, .job = job};

    return map_find(map, &key, sizeof(key));
}

/* Drop the jobs that have nothing below v any more. */
static void drop_gone(const struct map *map, struct vertex *v)
{
    for (struct joblist *j = v->records->shared, *next; j; j = next) {
        next = j->next;
        if (!below_has(map, v, j->job))
            joblist_drop(&v->records->shared, j->job);
    }
    vertex_tidy_records(v);
}

static void add_sharers(const struct vertex *from)
{
    for (const struct claim *c = from->records->claims; c; c = c->next)
        for (struct vertex *v = from->parent; v; v = v->parent)
            joblist_add(&vertex_records(v)->shared, c->job);
}

/* Most sets have no records, and then there is nothing to walk for. */
static bool any_records(const struct rset *rs)
{
    for (size_t i = 0; i < rs->nvertices; i++)
        if (rs->vertices[i]->records)
            return true;
    return false;
}

void annotate(struct rset *rs)
{
    struct map map = {0};

    if (!any_records(rs))
        return;
    note_all(&map, rs, false);
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->records && v->child)
            drop_gone(&map, v);
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->records && v->records->claims)
            add_sharers(v);
    map_fini(&map);
}

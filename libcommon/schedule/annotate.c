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

static int note_vertex(struct map *map, const struct vertex *v)
{
    for (const struct claim *c = v->records->claims; c; c = c->next)
        if (note_above(map, v, c->job) < 0)
            return -1;
    if (v->child)
        return 0;
    for (const struct joblist *j = v->records->shared; j; j = j->next)
        if (note_above(map, v, j->job) < 0)
            return -1;
    return 0;
}

int below_note(struct map *map, const struct rset *rs)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->records && note_vertex(map, v) < 0)
            return -1;
    return 0;
}

bool below_has(const struct map *map, const struct vertex *v, const char *job)
{
    struct below key = {.v = v, .job = job};

    return map_find(map, &key, sizeof(key));
}

/* Drop the jobs that have nothing below v any more. */
static void drop_gone(const struct map *map, struct vertex *v)
{
    struct joblist *next;

    for (struct joblist *j = v->records->shared; j; j = next) {
        next = j->next;
        if (!below_has(map, v, j->job))
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

int ledger_reannotate(struct rset *rs)
{
    struct map map = {0};
    struct vertex *v;
    int rc = below_note(&map, rs);

    for (v = rset_first(rs); v && rc == 0; v = rset_next(rs, v))
        if (v->records && v->child)
            drop_gone(&map, v);
    for (v = rset_first(rs); v && rc == 0; v = rset_next(rs, v))
        if (v->records && v->records->claims)
            rc = add_new(v);
    map_fini(&map);
    return rc;
}

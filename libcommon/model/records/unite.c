/*
 * Who has what of a pool, and in what state it is, as two sets say it: what the
 * one says is said of the other's vertex, too (usage.h).
 */
#include <string.h>

#include "model/records/jobs.h"
#include "model/records/tags.h"

static bool is_same_grant(const struct grant *a, const struct grant *b)
{
    return term_is_like(a->term, b->term)
           && !strcmp(a->term->job->name, b->term->job->name);
}

/* What the same job has of it for the same term. */
static int64_t units_like(const struct lot *lot, const struct grant *like)
{
    int64_t sum = 0;

    for (const struct grant *g = lot->grants; g; g = g->beside)
        sum += is_same_grant(g, like) ? g->units : 0;
    return sum;
}

/* Of what both sets say the same job has, the larger counts. */
static void add_grants(struct usage *u, struct lot *lot, const struct lot *from)
{
    for (const struct grant *g = from ? from->grants : NULL; g; g = g->beside) {
        struct grant *own = lot->grants;
        int64_t more = units_like(from, g) - units_like(lot, g);
        while (own && !is_same_grant(own, g))
            own = own->beside;
        if (!own)
            grant_import(u, lot, g);
        else if (more > 0)
            own->units += more;
    }
}

/* Of a tag that both have the first value stays. */
static void add_tags(struct vertex *v, const struct vertex *b)
{
    json_t *tags = vertex_has_tags(b) ? tags_of(b) : NULL, *value;
    const char *key;

    json_object_foreach (tags, key, value)
        if (!vertex_get_tag(v, key))
            vertex_tag(v, key, value);
    json_decref(tags);
}

void records_unite(struct rset *a, struct vertex *v, const struct vertex *b)
{
    enum pool_state own = vertex_state(v), other = vertex_state(b);
    struct usage *u;
    struct lot *lot;

    add_tags(v, b);
    if (!vertex_is_used(b))
        return;
    u = usage_get(a);
    lot = lot_loose(u, v); /* what v has may be of other members, too */
    lot->state = own;
    if (own == STATE_UP)
        lot->state = other;
    add_grants(u, lot, v->lot);
    add_grants(u, lot, b->lot);
    v->lot = lot;
}

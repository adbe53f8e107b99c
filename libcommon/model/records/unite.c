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

/* Of what both sets say the same job has, the larger counts. */
static void add_grants(struct usage *u, struct lot *lot, const struct lot *from)
{
    for (const struct grant *g = from ? from->grants : NULL; g; g = g->beside) {
        struct grant *own = lot->grants;
        while (own && !is_same_grant(own, g))
            own = own->beside;
        if (!own)
            grant_import(u, lot, g);
        else if (g->units > own->units)
            own->units = g->units;
    }
}

/* Why, and since when, it is in that state. */
static void take_reasons(struct vertex *v, const struct vertex *b)
{
    static const char *const tags[] = {"down", "drained"};

    for (int i = 0; i < 2; i++)
        if (vertex_get_tag(b, tags[i]))
            vertex_tag(v, tags[i], (json_t *)vertex_get_tag(b, tags[i]));
}

void records_unite(struct rset *a, struct vertex *v, const struct vertex *b)
{
    enum pool_state own = vertex_state(v), other = vertex_state(b);
    struct usage *u;
    struct lot *lot;

    if (!vertex_is_used(b))
        return;
    if (own == STATE_UP && other != STATE_UP)
        take_reasons(v, b);
    u = usage_get(a);
    lot = lot_loose(u, v); /* what v has may be of other members, too */
    lot->state = own != STATE_UP ? own : other;
    add_grants(u, lot, v->lot);
    add_grants(u, lot, b->lot);
    v->lot = lot;
}

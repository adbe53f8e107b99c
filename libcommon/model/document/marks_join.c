/* Puts the records of a status on its graph. To read them, a plain R is made
   from the graph. */
#include <stdlib.h>
#include <string.h>

#include "model/document/marks.h"
#include "model/document/reader.h"
#include "model/document/rlite.h"
#include "model/records/usage.h"

static struct rset *make_plain(struct reader *r, const struct place *at)
{
    struct rlite lite = {0};
    struct diag d = {0};
    struct rset *plain = NULL;

    if (rlite_project(&lite, r->rs, &d) < 0) {
        fault(r, RULE_GRAPH_ID, at, "their resources are unclear: %.300s",
              d.text);
    } else {
        plain = rset_create();
        rlite_adopt_types(plain, r->rs);
        plain->ranks = idset_copy(r->rs->ranks);
        rlite_build(plain, &lite);
    }
    rlite_fini(&lite);
    return plain;
}

static void lay_pool(struct rset *rs, struct vertex *v,
                     const struct vertex *from)
{
    records_unite(rs, v, from);
    v->exclusive |= from->exclusive;
}

static void lay_records(struct rset *rs, struct rset *plain)
{
    struct vertex **nodes;
    struct span *spans;
    size_t n, at = 0;

    usage_settle(plain);
    usage_settle(rs);
    n = rset_targets(rs, &nodes);
    vertex_spans(plain->root, &spans); /* of the same ranks */
    for (size_t i = 0; i < n; i++) {
        while ((int64_t)spans[at].hi < nodes[i]->rank)
            at++;
        lay_pool(rs, nodes[i], spans[at].v);
        for (const struct vertex *c = spans[at].v->child; c; c = c->next)
            for (struct vertex *v = vertex_next(nodes[i], nodes[i], false); v;
                 v = vertex_next(nodes[i], v, false))
                if (!strcmp(v->type, c->type) && !v->run
                    && idset_contains(c->run, (uint32_t)v->id))
                    lay_pool(rs, v, c);
    }
    free(nodes);
    free(spans);
    usage_gather(rs);
}

void marks_join(struct reader *r, struct mark_text *texts, json_t *scheduler,
                const struct place *at)
{
    struct rset *plain = make_plain(r, at), *both = r->rs;
    size_t before = r->refused;

    if (plain) {
        r->rs = plain;
        marks_read(r, texts, scheduler, true, at);
        r->rs = both;
    }
    if (plain && !r->ended && r->refused == before)
        lay_records(r->rs, plain);
    rset_destroy(plain);
}

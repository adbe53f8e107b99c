/*
 * Joins the records in the attributes of an R with its graph. To read them, a
 * plain R is made from the graph. If the graph has records, they must be equal;
 * otherwise the records of the attributes are put on its vertices.
 */
#include <stdlib.h>
#include <string.h>

#include "model/document/marks.h"
#include "model/document/reader.h"
#include "model/document/rlite.h"
#include "model/records/usage.h"

/* --- the R ---------------------------------------------------------------- */

static struct rset *make_plain(struct reader *r, const struct place *at)
{
    struct rlite lite = {0};
    struct diag d = {0};
    struct rset *plain = NULL;

    if (rlite_project(&lite, r->rs, &d) < 0) {
        fault(r, RULE_RECORDS_DISAGREE, at,
              "their resources are unclear: %.300s", d.text);
    } else {
        plain = rset_create();
        rlite_adopt_types(plain, r->rs);
        plain->ranks = idset_copy(r->rs->ranks);
        rlite_build(plain, &lite);
    }
    rlite_fini(&lite);
    return plain;
}

/* --- over the graph ------------------------------------------------------- */

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
    size_t n, nspans, at = 0;

    usage_settle(plain);
    usage_settle(rs);
    n = rset_targets(rs, &nodes);
    nspans = vertex_spans(plain->root, &spans); /* of the same ranks */
    for (size_t i = 0; i < n; i++) {
        while (at < nspans && (int64_t)spans[at].hi < nodes[i]->rank)
            at++;
        if (at == nspans)
            break;
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

/* --- both ----------------------------------------------------------------- */

static const json_t *first_unlike(const json_t *list, const json_t *other)
{
    size_t i = 0;

    while (i < json_array_size(list)
           && json_equal(json_array_get(list, i), json_array_get(other, i)))
        i++;
    return i < json_array_size(list) ? json_array_get(list, i) : NULL;
}

/* Keys to compare, each with another key that belongs to it. */
static const char *const keys[][2] = {
    {"allocations", "reservations"},
    {"reservations", "allocations"},
    {"shared", "shared"},
    {"staged", "staged"},
    {"states", "states"},
    {"tags", "tags"},
    {"exclusive", "holds"},
    {"holds", "exclusive"},
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static bool has_either(const json_t *object, const char *const key[2])
{
    return json_object_get(object, key[0]) || json_object_get(object, key[1]);
}

/* Report differences between attributes and graph. MORE: only the attributes
   have records. */
enum agreement { SAME, MORE, DIFFERENT };

static enum agreement compare(struct reader *r, const json_t *own,
                              const json_t *graph, const struct place *at)
{
    enum agreement found = SAME;

    for (int k = 0; k < KEYS; k++) {
        const json_t *a = json_object_get(own, keys[k][0]);
        const json_t *b = json_object_get(graph, keys[k][0]), *one, *other;
        bool here = has_either(own, keys[k]);
        bool there = has_either(graph, keys[k]);
        if (here && !there && found == SAME)
            found = MORE;
        if (!here || !there || a == b || json_equal(a, b))
            continue;
        one = json_is_array(a) ? first_unlike(a, b) : a;
        other = json_is_array(b) ? first_unlike(b, a) : b;
        fault(r, RULE_RECORDS_DISAGREE, IN_KEY(at, keys[k][0]),
              "attributes and the graph disagree: %.160s in attributes, %.160s "
              "in the graph",
              one ? json_quote(one).text : "nothing",
              other ? json_quote(other).text : "nothing");
        found = DIFFERENT;
    }
    return found;
}

void marks_join(struct reader *r, struct mark_text *texts, json_t *scheduler,
                const struct place *at)
{
    json_t *own = json_object(), *graph = json_object();
    enum agreement found = SAME;
    struct rset *plain = make_plain(r, at), *both = r->rs;
    size_t before = r->refused;

    if (plain) {
        r->rs = plain;
        marks_read(r, texts, scheduler, MARKS_LAY, at);
        r->rs = both;
    }
    if (plain && !r->ended && r->refused == before) {
        marks_write(plain, own, NULL);
        marks_write(r->rs, graph, NULL);
        found = compare(r, own, graph, at);
    }
    if (found == MORE)
        lay_records(r->rs, plain);
    else if (found == DIFFERENT && r->trust == TRUST_GRAPH)
        rset_note(r->rs, "the records in attributes are ignored: the graph "
                         "has its own");
    rset_destroy(plain);
    json_decref(own);
    json_decref(graph);
}

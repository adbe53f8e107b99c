/*
 * Random forests as documents: containment, with power and network beside it;
 * links between them; several parents; roots of one name that pools in
 * containment feed; pools whose place only a path gives; and records that are
 * valid by a naive reading of rset-documents(5).
 */
#ifndef TEST_FOREST_WORLD_H
#define TEST_FOREST_WORLD_H

#include "forest_naive.h"
#include "random.h"

enum { CLOCK = 40 }; /* the time in tests */

#define PICK(list) (list[random_below(sizeof(list) / sizeof(*(list)))])

static bool chance(unsigned n)
{
    return random_below(n) == 0;
}

/* --- pools and edges ------------------------------------------------------ */

/* Outer ids of vertices are their indices. */
struct world {
    json_t *nodes, *edges;
};

static int put_pool(struct world *w, const char *type, int id, int rank,
                    int size)
{
    char outer[16], name[32];
    int self = (int)json_array_size(w->nodes);

    snprintf(outer, sizeof(outer), "%d", self);
    snprintf(name, sizeof(name), "%s%d", type, id);
    json_array_append_new(
        w->nodes, json_pack("{s:s,s:{s:s,s:s,s:s,s:i,s:i,s:i,s:s}}", "id",
                            outer, "metadata", "type", type, "basename", type,
                            "name", name, "id", id, "rank", rank, "size", size,
                            "unit", strcmp(type, "pdu") != 0 ? "" : "W"));
    return self;
}

static void put_edge_of(struct world *w, const char *subsystem,
                        const char *source, const char *target)
{
    json_array_append_new(
        w->edges, json_pack("{s:s,s:s,s:{s:s}}", "source", source, "target",
                            target, "metadata", "subsystem", subsystem));
}

static void put_edge(struct world *w, const char *subsystem, int from, int to)
{
    char source[16], target[16];

    snprintf(source, sizeof(source), "%d", from);
    snprintf(target, sizeof(target), "%d", to);
    put_edge_of(w, subsystem, source, target);
}

static void put_a_node(struct world *w, int parent, int rank)
{
    int self = put_pool(w, "node", rank, rank, 1), in = self;

    put_edge(w, "containment", parent, self);
    for (int s = (int)random_below(3); s >= 0; s--) {
        in = self;
        if (s > 0) {
            in = put_pool(w, "socket", s, rank, 1);
            put_edge(w, "containment", self, in);
        }
        for (int n = (int)random_below(4); n > 0; n--)
            put_edge(w, "containment", in,
                     put_pool(w, "core", 4 * s + n, rank, 1));
        if (chance(2))
            put_edge(w, "containment", in,
                     put_pool(w, "memory", s, rank, 2 + (int)random_below(8)));
    }
}

static void put_containment(struct world *w)
{
    int root = put_pool(w, "cluster", 0, -1, 1), rack = root;
    bool racks = chance(2);

    for (int rank = 0, n = 1 + (int)random_below(4); rank < n; rank++) {
        if (racks && rank % 2 == 0) {
            rack = put_pool(w, "rack", rank / 2, -1, 1);
            put_edge(w, "containment", root, rack);
        }
        put_a_node(w, rack, rank);
    }
    if (chance(3))
        put_edge(w, "containment", root, put_pool(w, "pdu", 7, -1, 9));
}

/* Pools in containment that feed outlets of one name outside of containment. */
static void put_fed(struct world *w)
{
    int root = (int)json_array_size(w->nodes);

    while (!chance(3)) {
        int id = 8 + (int)json_array_size(w->nodes) - root;
        int pdu = put_pool(w, "pdu", id, -1, 9);
        put_edge(w, "containment", 0, pdu);
        for (int n = (int)random_below(3); n > 0; n--)
            put_edge(w, "power", pdu, put_pool(w, "outlet", n, -1, 2));
    }
}

/* A hierarchy of three levels, in which names are not unique. */
static void put_hierarchy(struct world *w, const char *subsystem,
                          const char *const types[3])
{
    for (int i = (int)random_below(2); i >= 0; i--) {
        int top = put_pool(w, types[0], i, -1, 1);
        for (int k = (int)random_below(3); k >= 0; k--) {
            int in = put_pool(w, types[1], k, -1, 2 + (int)random_below(9));
            put_edge(w, subsystem, top, in);
            for (int n = (int)random_below(3); n > 0; n--)
                put_edge(w, subsystem, in, put_pool(w, types[2], n, -1, 3));
        }
    }
}

/* Does any path of edges of the subsystem lead there? */
static bool leads(const struct pools *all, const char *subsystem, int from,
                  int to)
{
    bool found = from == to;

    for (size_t i = 0; i < all->nedges && !found; i++)
        found = all->edges[i].from == from
                && !strcmp(all->edges[i].subsystem, subsystem)
                && leads(all, subsystem, all->edges[i].to, to);
    return found;
}

static struct pools look_at(const struct world *w)
{
    return place_pools(json_pack("{s:{s:O,s:O}}", "graph", "nodes", w->nodes,
                                 "edges", w->edges));
}

/* Links, which add parents, without a circle. */
static void put_links(struct world *w, bool network)
{
    for (uint32_t n = random_below(9); n > 0; n--) {
        const char *subsystem = network && chance(2) ? "network" : "power";
        struct pools all = look_at(w);
        int from = (int)random_below((uint32_t)all.n);
        int to = (int)random_below((uint32_t)all.n);
        if (!leads(&all, subsystem, to, from)
            && !have_edge(&all, subsystem, from, to))
            put_edge(w, subsystem, from, to);
        free_pools(&all);
    }
}

/* --- redundant and other spellings ---------------------------------------- */

static int end_of(const struct pools *all, const json_t *edge, const char *key)
{
    return find_outer(all, json_string_value(json_object_get(edge, key)));
}

/* Add reverse edges, as other writers do. */
static void put_backs(struct world *w)
{
    size_t n = json_array_size(w->edges);
    struct pools all = look_at(w);

    for (size_t i = 0; i < n; i++) {
        json_t *e = json_array_get(w->edges, i), *back, *m;
        const char *subsystem = json_string_value(
            json_object_get(json_object_get(e, "metadata"), "subsystem"));
        if (!chance(6))
            continue;
        back = json_pack("{s:O,s:O,s:{s:s}}", "source",
                         json_object_get(e, "target"), "target",
                         json_object_get(e, "source"), "metadata", "subsystem",
                         subsystem);
        m = json_object_get(back, "metadata");
        if (told_above(&all, subsystem, end_of(&all, e, "source"),
                       end_of(&all, e, "target"))
                <= 0
            || chance(2))
            json_object_set_new(m, "relationship",
                                json_string(is_containment(subsystem) ? "in"
                                            : *subsystem == 'p'
                                                ? "drawn_from"
                                                : "connected_up"));
        json_array_append_new(w->edges, back);
    }
    free_pools(&all);
}

static void say_paths(struct pools *all)
{
    for (size_t i = 0; i < all->n; i++)
        json_object_set_new(
            all->list[i].m, "paths",
            json_pack("{s:s}", all->list[i].home, all->list[i].path));
}

/*
 * All pools give the path in their home. Some pools outside of containment with
 * at most one edge give only that.
 */
static void put_paths(struct world *w)
{
    struct pools all = look_at(w);

    say_paths(&all);
    for (size_t i = json_array_size(w->edges); i-- > 0;) {
        const json_t *e = json_array_get(w->edges, i);
        const struct pool *to =
            &all.list[atoi(json_string_value(json_object_get(e, "target")))];
        if (!is_containment(to->home) && chance(12))
            json_array_remove(w->edges, i);
    }
    free_pools(&all);
}

static void shuffle(json_t *list)
{
    for (size_t n = json_array_size(list); n > 1; n--) {
        size_t k = random_below((uint32_t)n);
        json_t *last = json_incref(json_array_get(list, n - 1));
        json_array_set(list, n - 1, json_array_get(list, k));
        json_array_set_new(list, k, last);
    }
}

/* Write the document in another order. */
__attribute__((unused)) static char *shuffled(const struct pools *all)
{
    json_t *copy = json_deep_copy(all->document);
    json_t *g = json_object_get(copy, "graph");
    char *text;

    shuffle(json_object_get(g, "nodes"));
    shuffle(json_object_get(g, "edges"));
    text = json_dumps(copy, 0);
    json_decref(copy);
    return text;
}

/* --- records -------------------------------------------------------------- */

static const char *const job_names[] = {"1", "22", "job"};

static json_t *job_value(const char *job)
{
    return *job == 'j' ? json_string(job) : json_integer(atoi(job));
}

static json_t *list_at(struct pool *p, const char *key)
{
    json_t *list = json_object_get(p->m, key);

    if (!list) {
        list = json_array();
        json_object_set_new(p->m, key, list);
    }
    return list;
}

static void put_share(const struct pools *all, const struct pool *p,
                      json_t *job)
{
    for (; p; p = above(all, p)) {
        json_t *list = list_at((struct pool *)p, "shared"), *one;
        bool there = false;
        size_t i;
        json_array_foreach (list, i, one)
            there = there || json_equal(one, job);
        if (!there)
            json_array_append(list, job);
    }
}

/* Has the pool any record? */
static bool in_use(const struct pool *p)
{
    return json_object_get(p->m, "allocations")
           || json_object_get(p->m, "reservations")
           || json_object_get(p->m, "shared");
}

/* Do the pool and all pools above belong to one job? */
static bool is_alone(const struct pools *all, const struct pool *p)
{
    for (p = above(all, p); p; p = above(all, p))
        if (json_object_get(p->m, "whole")
            || json_is_true(json_object_get(p->m, "exclusive")))
            return true;
    return false;
}

static bool below_in_use(const struct pools *all, const struct pool *p)
{
    for (size_t i = 0; i < all->n; i++)
        if (&all->list[i] != p && is_below(all, &all->list[i], p)
            && in_use(&all->list[i]))
            return true;
    return false;
}

static const char *const claim_lists[] = {"allocations", "reservations"};

static double time_at(const json_t *claim, const char *key, double unset)
{
    const json_t *time = json_object_get(claim, key);

    return time ? json_number_value(time) : unset;
}

/* The most units that are claimed at any time. */
static json_int_t most_claimed(const struct pool *p)
{
    json_int_t most = 0;

    for (int at = 0; at < 120; at += 10) {
        json_int_t sum = 0;
        for (int k = 0; k < 2; k++) {
            const json_t *c;
            size_t i;
            json_array_foreach (json_object_get(p->m, claim_lists[k]), i, c)
                if (time_at(c, "start", -1) <= at
                    && time_at(c, "end", INFINITY) > at)
                    sum += json_integer_value(json_object_get(c, "size"));
        }
        most = sum > most ? sum : most;
    }
    return most;
}

static void put_claim(struct pools *all, struct pool *p)
{
    const char *job = PICK(job_names), *list = claim_lists[random_below(2)];
    bool leaf = is_leaf(all, p);
    json_int_t size = number_at(p, "size");
    json_int_t n = chance(2) ? 1 + random_below((uint32_t)size) : size;
    int start = (int)random_below(9) * 10;
    json_t *claim = json_pack("{s:o,s:I}", "job", job_value(job), "size", n);

    if (json_is_true(json_object_get(p->m, "exclusive")))
        json_object_set_new(claim, "size", json_integer(n = size));
    if (!chance(3))
        json_object_set_new(claim, "start", json_integer(start));
    if (!chance(3))
        json_object_set_new(claim, "end",
                            json_integer(start + 10 + random_below(3) * 10));
    json_array_append_new(list_at(p, list), claim);
    if (most_claimed(p) > size || (n == size && json_object_get(p->m, "shared"))
        || (!leaf && json_array_size(list_at(p, list)) > 1)) {
        json_array_remove(list_at(p, list),
                          json_array_size(list_at(p, list)) - 1);
        if (json_array_size(list_at(p, list)) == 0)
            json_object_del(p->m, list);
        return;
    }
    if (n == size && !leaf)
        json_object_set_new(p->m, "whole", json_true());
    put_share(all, above(all, p), json_object_get(claim, "job"));
}

static void put_job_share(struct pools *all, const struct pool *p)
{
    json_t *job = job_value(PICK(job_names));

    put_share(all, p, job);
    json_decref(job);
}

static void put_record(struct pools *all, struct pool *p)
{
    static const char *const states[] = {"down", "degraded", "failing"};
    json_t *claim;
    bool mine = !is_alone(all, p) && (is_leaf(all, p) || !below_in_use(all, p));

    switch (random_below(9)) {
    case 0:
        json_object_set_new(p->m, "state", json_string(PICK(states)));
        break;
    case 1:
        if (!in_use(p) && mine)
            json_object_set_new(p->m, "exclusive", json_true());
        break;
    case 2:
        if (mine
            && (claim = json_array_get(json_object_get(p->m, "allocations"),
                                       0)))
            json_object_set(p->m, "staged", json_object_get(claim, "job"));
        break;
    case 3:
        if (mine && !json_object_get(p->m, "whole")
            && !json_object_get(p->m, "allocations")
            && !json_object_get(p->m, "reservations")
            && !json_is_true(json_object_get(p->m, "exclusive")))
            put_job_share(all, p);
        break;
    default:
        if (mine)
            put_claim(all, p);
    }
}

static void put_records(struct pools *all)
{
    for (uint32_t n = random_below(16); n > 0; n--)
        put_record(all, &all->list[random_below((uint32_t)all->n)]);
    for (size_t i = 0; i < all->n; i++)
        json_object_del(all->list[i].m, "whole");
}

/* --- all ------------------------------------------------------------------ */

/* Are there two pools that can't be told apart? */
static bool any_twice(const struct pools *all)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(all->list[i].key, all->list[j].key))
                return true;
    return false;
}

static struct pools random_forest(bool records)
{
    static const char *const power[] = {"panel", "pdu", "outlet"};
    static const char *const network[] = {"switch", "leaf", "nic"};
    struct pools all;
    bool twice, nets = chance(2);

    do {
        struct world w = {json_array(), json_array()};
        put_containment(&w);
        put_fed(&w);
        put_hierarchy(&w, "power", power);
        if (nets)
            put_hierarchy(&w, "network", network);
        put_links(&w, nets);
        if (chance(2))
            put_paths(&w);
        put_backs(&w);
        shuffle(w.nodes);
        shuffle(w.edges);
        all = look_at(&w);
        json_decref(w.nodes);
        json_decref(w.edges);
        if ((twice = any_twice(&all)))
            free_pools(&all);
    } while (twice);
    if (records)
        put_records(&all);
    return all;
}

#endif /* TEST_FOREST_WORLD_H */

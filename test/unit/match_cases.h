/*
 * Random cases for the matcher: small sets with everything that a document can
 * have, and small requests for them.
 */
#ifndef TEST_MATCH_CASES_H
#define TEST_MATCH_CASES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

static bool chance(unsigned percent)
{
    return random_below(100) < percent;
}

static int between(int lo, int hi)
{
    return lo + (int)random_below((unsigned)(hi - lo + 1));
}

static const char *one_of(const char *const *list)
{
    unsigned n = 0;

    while (list[n])
        n++;
    return list[random_below(n)];
}

/* --- graphs -------------------------------------------------------------- */

enum { VERTICES = 256, JOB_MAX = 4 };

/* The kind of graph to make. */
struct plan {
    bool racks, sockets, pus, memory, gpus, storage, licenses, power, wires;
    bool ids_descend;  /* ids of nodes, against their ranks */
    const char *unit;  /* unit of memory */
    int cores, busy;   /* percentage of pools with jobs */
    int down, strange; /* percentages */
};

struct vertex_made {
    json_t *metadata;
    int parent; /* -1: the root; -2: loose */
    bool claimed, below_claimed;
};

struct graph_made {
    struct vertex_made v[VERTICES];
    int n;
    json_t *edges;
};

static void add_edge(struct graph_made *g, int from, int to,
                     const char *subsystem)
{
    char source[16], target[16];

    snprintf(source, sizeof(source), "v%d", from);
    snprintf(target, sizeof(target), "v%d", to);
    json_array_append_new(
        g->edges,
        json_pack("{s:s,s:s,s:{s:s,s:s}}", "source", source, "target", target,
                  "metadata", "subsystem", subsystem, "relationship",
                  *subsystem == 'c' ? "contains" : "supplies_to"));
}

static int add(struct graph_made *g, int parent, const char *type,
               const char *stem, int id, int rank, int size)
{
    char name[32];
    int self = g->n++;

    if (self >= VERTICES)
        abort();
    snprintf(name, sizeof(name), "%s%d", stem, id);
    g->v[self] = (struct vertex_made){
        .metadata = json_pack("{s:s,s:s,s:s,s:i,s:i,s:i}", "type", type, "name",
                              name, "basename", stem, "id", id, "rank", rank,
                              "size", size),
        .parent = parent};
    if (parent >= 0)
        add_edge(g, parent, self, "containment");
    return self;
}

static void set(struct graph_made *g, int v, const char *key, json_t *value)
{
    json_object_set_new(g->v[v].metadata, key, value);
}

static int pool_size(void)
{
    return chance(30) ? 1 : between(2, 8);
}

static void add_memory(struct graph_made *g, const struct plan *l, int parent,
                       int rank, int id)
{
    int v = add(g, parent, "memory", "memory", id, rank, pool_size());

    if (*l->unit)
        set(g, v, "unit", json_string(l->unit));
}

/* Fill a node, or a socket in it, with ids from *core and *gpu on. */
static void fill(struct graph_made *g, const struct plan *l, int parent,
                 int rank, int *core, int *gpu)
{
    int cores = chance(l->strange) ? between(0, 2) : l->cores;

    for (int i = 0; i < cores; i++) {
        int v = add(g, parent, "core", "core", (*core)++, rank, 1);
        for (int k = 0; l->pus && k < 2; k++)
            add(g, v, "pu", "pu", 2 * (*core - 1) + k, rank, 1);
    }
    for (int i = between(0, 2); l->gpus && i > 0; i--)
        add(g, parent, "gpu", "gpu", (*gpu)++, rank, 1);
    for (int i = between(0, 2); l->wires && i > 0; i--)
        add(g, parent, "nic", "nic", *core + i, rank,
            chance(70) ? 1 : between(2, 4));
    if (l->memory && !chance(l->strange))
        for (int i = between(0, chance(70)); i >= 0; i--)
            add_memory(g, l, parent, rank, *core + i);
}

static void add_node(struct graph_made *g, const struct plan *l, int parent,
                     int rank)
{
    int id = l->ids_descend ? 9 - rank : rank, core = 0, gpu = 0;
    int v = add(g, parent, "node", "h", id, chance(2) ? -1 : rank, 1);
    json_t *properties = json_object();
    static const char *const classes[] = {"0",    "7",     "70", "1000",
                                          "9999", "99999", "x",  NULL};

    rank = (int)json_integer_value(json_object_get(g->v[v].metadata, "rank"));
    for (int k = 0; k < 2; k++)
        if (chance(40))
            json_object_set_new(properties, k ? "fast" : "big",
                                json_string(""));
    if (chance(30))
        json_object_set_new(properties, "perf_class",
                            json_string(one_of(classes)));
    set(g, v, "properties", properties);
    if (!l->sockets || chance(l->strange)) {
        fill(g, l, v, rank, &core, &gpu);
        return;
    }
    for (int s = between(1, 2); s > 0; s--)
        fill(g, l, add(g, v, "socket", "socket", 2 - s, rank, 1), rank, &core,
             &gpu);
    if (chance(25)) /* some pools beside the sockets */
        add(g, v, "core", "core", core, rank, 1);
    if (chance(25) && l->gpus)
        add(g, v, "gpu", "gpu", gpu, rank, 1);
}

static struct plan random_plan(void)
{
    static const char *const units[] = {"", "", "GB", "MB", "GiB", NULL};

    return (struct plan){.racks = chance(35),
                         .sockets = chance(45),
                         .pus = chance(8),
                         .memory = chance(50),
                         .gpus = chance(50),
                         .storage = chance(25),
                         .licenses = chance(25),
                         .power = chance(20),
                         .wires = chance(15),
                         .ids_descend = chance(20),
                         .unit = one_of(units),
                         .cores = between(2, 4),
                         .busy = chance(25) ? 0 : between(5, 40),
                         .down = chance(60) ? 0 : 8,
                         .strange = chance(60) ? 0 : 25};
}

static bool is_type(const struct graph_made *g, int v, const char *type)
{
    return !strcmp(
        type, json_string_value(json_object_get(g->v[v].metadata, "type")));
}

/* Add edges between a pool and pools of a type among the first n, at least
   one. */
static void link_to_some(struct graph_made *g, int v, int n, const char *type,
                         const char *subsystem)
{
    int links = 0;

    for (int k = 0; k < n; k++)
        if (is_type(g, k, type) && (chance(60) || links == 0)) {
            bool back = links > 0 && chance(10); /* its home is certain */
            add_edge(g, back ? k : v, back ? v : k,
                     back ? "return" : subsystem); /* no circles */
            links++;
        }
    if (links == 0)
        add_edge(g, v, 0, subsystem);
}

/*
 * Let a PDU feed pools: by itself, or from containment by outlets that are at
 * home outside of it.
 */
static void feed(struct graph_made *g, int pdu, int n, const char *type)
{
    bool outlets = g->v[pdu].parent >= 0 && chance(60);

    for (int i = outlets ? between(1, 2) : 0; i > 0; i--) {
        int v = add(g, -2, "outlet", "outlet", 10 * pdu + i, -1, pool_size());
        add_edge(g, pdu, v, "power");
        link_to_some(g, v, n, type, "power");
    }
    if (!outlets || chance(20))
        link_to_some(g, pdu, n, type, "power");
}

/*
 * Add PDUs that feed nodes or racks: side by side, in a panel, or in
 * containment. And switches.
 */
static void add_power(struct graph_made *g)
{
    static const char *const fed[] = {"node", "node",   "node",
                                      "rack", "socket", NULL};
    int n = g->n, panel = -1, v;
    bool feeds = false;

    if (chance(40))
        panel = add(g, -2, "panel", "panel", 0, -1, pool_size());
    for (int i = between(1, 3), id = 0; i > 0; i--, id++) {
        bool contained = chance(25);
        v = add(g, contained ? 0 : -2, "pdu", "pdu", id, -1, pool_size());
        feed(g, v, n, one_of(fed));
        if (panel >= 0 && chance(75)) {
            g->v[v].parent = contained ? 0 : panel;
            add_edge(g, panel, v, "power");
            feeds = true;
        }
    }
    if (panel >= 0 && (!feeds || chance(30)))
        link_to_some(g, panel, n, "node", "power");
    if (chance(75))
        return;
    v = add(g, -2, "switch", "switch", 0, -1, 1);
    link_to_some(g, v, n, chance(70) ? "node" : "storage", "switching");
    if (chance(30))
        link_to_some(g, v, g->n, "pdu", "switching");
}

static int rank_of(const struct graph_made *g, int v)
{
    return (int)json_integer_value(json_object_get(g->v[v].metadata, "rank"));
}

/*
 * Add wires and chains of wires between the pools of a node: cores beside their
 * GPU, sockets and GPUs beside their network; a few from node to node.
 */
static void add_wires(struct graph_made *g)
{
    static const char *const ends[][2] = {{"core", "gpu"},   {"node", "gpu"},
                                          {"node", "nic"},   {"gpu", "nic"},
                                          {"socket", "nic"}, {"core", "nic"}};
    int left = 70; /* see LINKS */

    for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        unsigned some = chance(70) ? 60 : 0;
        bool back = chance(25);
        for (int v = 0; v < g->n && some; v++)
            for (int k = 0; k < g->n; k++)
                if (is_type(g, v, ends[i][0]) && is_type(g, k, ends[i][1])
                    && chance(rank_of(g, v) == rank_of(g, k) ? some : 10)
                    && left-- > 0) /* no circles */
                    add_edge(g, back ? k : v, back ? v : k,
                             back ? "wiring" : "fabric");
    }
}

static void make_tree(struct graph_made *g, const struct plan *l)
{
    int root = add(g, -1, "cluster", "cluster", 0, -1, 1), racks = 1, rank = 0;

    if (l->racks)
        racks = between(1, 2);
    for (int r = 0; r < racks; r++) {
        int at = l->racks ? add(g, root, "rack", "rack", r, -1, 1) : root;
        for (int i = between(1, l->racks ? 2 : 3); i > 0; i--)
            add_node(g, l, at, rank++);
        if (l->storage && chance(80))
            add(g, at, "storage", "storage", r, -1, pool_size());
    }
    if (l->licenses)
        add(g, root, "license", "license", 0, -1, pool_size());
    if (l->power)
        add_power(g);
    if (l->wires)
        add_wires(g);
}

/* --- records ------------------------------------------------------------- */

static void note_job(struct graph_made *g, int v, const char *key,
                     json_t *value)
{
    json_t *list = json_object_get(g->v[v].metadata, key);

    if (!list)
        set(g, v, key, list = json_array());
    json_array_append_new(list, value);
}

static bool is_in(const struct graph_made *g, int v, int top)
{
    for (; v >= 0; v = g->v[v].parent)
        if (v == top)
            return true;
    return false;
}

/* Does the pool contain others, or is it in a pool with jobs? */
static bool touched(const struct graph_made *g, int v)
{
    for (int k = 0; k < g->n; k++)
        if (g->v[k].claimed && (is_in(g, k, v) || is_in(g, v, k)))
            return true;
    return false;
}

/* Let a job hold a pool or units of it, or share it. */
static void hold(struct graph_made *g, int v, int job)
{
    int size = (int)json_integer_value(
        json_object_get(g->v[v].metadata, "size"));
    const char *key = chance(20) ? "reservations" : "allocations";
    bool shared = chance(15);

    if (touched(g, v))
        return;
    if (shared)
        note_job(g, v, "shared", json_integer(job));
    else
        note_job(g, v, key,
                 json_pack("{s:i,s:i}", "job", job, "size",
                           chance(30) ? size : between(1, size)));
    g->v[v].claimed = true;
    for (int up = g->v[v].parent; up >= 0; up = g->v[up].parent)
        note_job(g, up, "shared", json_integer(job));
}

static bool has_children(const struct graph_made *g, int v)
{
    for (int k = 0; k < g->n; k++)
        if (g->v[k].parent == v)
            return true;
    return false;
}

static void make_records(struct graph_made *g, const struct plan *l)
{
    static const char *const states[] = {"down",    "degraded", "failing",
                                         "unknown", "none",     NULL};

    for (int v = g->n - 1; v > 0; v--) {
        int busy = has_children(g, v) ? l->busy / 3 : l->busy;
        if (chance((unsigned)busy))
            hold(g, v, 100 + between(1, JOB_MAX));
        if (chance((unsigned)l->down))
            set(g, v, "state", json_string(one_of(states)));
        if (chance((unsigned)l->down / 3))
            set(g, v, "staged", json_integer(77));
    }
}

/* Marks of an inventory, never on all contents of a marked pool. */
static void make_exclusive(struct graph_made *g)
{
    for (int v = 1; v < g->n; v++) {
        int size = (int)json_integer_value(
            json_object_get(g->v[v].metadata, "size"));
        bool inside = g->v[v].parent >= 0
                      && json_object_get(g->v[g->v[v].parent].metadata,
                                         "exclusive");
        if (!inside && chance(12) && (has_children(g, v) || size > 1))
            set(g, v, "exclusive", json_true());
    }
}

static char *random_graph(void)
{
    struct plan l = random_plan();
    struct graph_made g = {.edges = json_array()};
    json_t *nodes = json_array(), *doc;
    char *text, id[16];

    make_tree(&g, &l);
    if (l.busy > 0)
        make_records(&g, &l);
    if (chance(20))
        make_exclusive(&g);
    for (int v = 0; v < g.n; v++) {
        snprintf(id, sizeof(id), "v%d", v);
        json_array_append_new(nodes, json_pack("{s:s,s:o}", "id", id,
                                               "metadata", g.v[v].metadata));
    }
    doc = json_pack("{s:{s:o,s:o}}", "graph", "nodes", nodes, "edges", g.edges);
    text = json_dumps(doc, JSON_COMPACT);
    json_decref(doc);
    return text;
}

/* --- plain R ------------------------------------------------------------- */

static const char *put_set(unsigned ids, char text[64])
{
    size_t len = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < 16; i++) {
        unsigned first = i;
        if (!(ids >> i & 1))
            continue;
        while (ids >> (i + 1) & 1)
            i++;
        len += (size_t)snprintf(text + len, 64 - len,
                                first == i ? "%s%u" : "%s%u-%u", len ? "," : "",
                                first, i);
    }
    return text;
}

/* Groups of ranks with equal children. */
struct plain {
    unsigned ranks, core[4], gpu[4], of[8];
};

static const char *const mark_lists[] = {"allocations", "reservations",
                                         "shared", "staged", "states"};

static json_t *entry_of(unsigned ranks, bool children, unsigned core,
                        unsigned gpu)
{
    char r[64], c[64], u[64];
    json_t *entry = json_pack("{s:s}", "rank", put_set(ranks, r)), *list;

    if (!children)
        return entry;
    list = json_object();
    if (core)
        json_object_set_new(list, "core", json_string(put_set(core, c)));
    if (gpu)
        json_object_set_new(list, "gpu", json_string(put_set(gpu, u)));
    json_object_set_new(entry, "children", list);
    return entry;
}

/* Write one record of a rank: of all of it, of a part, or of the node
   itself. */
static json_t *plain_record(const struct plain *p, unsigned rank, int kind)
{
    unsigned core = p->core[p->of[rank]], gpu = p->gpu[p->of[rank]];
    bool whole = chance(25), holds = kind < 2 && !whole && chance(20);
    json_t *record = json_object();
    char text[64];

    core &= random_below(16);
    gpu &= random_below(4);
    if (!core && !gpu)
        whole = true;
    if (kind == 4)
        json_object_set_new(record, "state",
                            json_string(chance(50) ? "down" : "failing"));
    else
        json_object_set_new(record, "job", json_integer(200 + (int)rank));
    json_object_set_new(
        record, "R_lite",
        json_pack("[o]", entry_of(1U << rank, !whole, core, gpu)));
    if (holds)
        json_object_set_new(record, "holds",
                            json_string(put_set(1U << rank, text)));
    return record;
}

static json_t *plain_marks(const struct plain *p)
{
    json_t *marks = json_object();
    unsigned exclusive = 0;
    char text[64];

    for (unsigned r = 0; r < 8; r++) {
        int kind = chance(60) ? 0 : between(1, 4);
        if (!(p->ranks >> r & 1))
            continue;
        if (chance(10))
            exclusive |= 1U << r;
        if (chance(45))
            continue;
        if (!json_object_get(marks, mark_lists[kind]))
            json_object_set_new(marks, mark_lists[kind], json_array());
        json_array_append_new(json_object_get(marks, mark_lists[kind]),
                              plain_record(p, r, kind));
    }
    if (exclusive)
        json_object_set_new(marks, "exclusive",
                            json_string(put_set(exclusive, text)));
    return marks;
}

static json_t *plain_execution(struct plain *p)
{
    json_t *lite = json_array(), *execution;
    unsigned groups = 1 + random_below(2), n = 0;
    char text[64], hosts[64];

    for (unsigned k = 0; k < groups; k++) {
        p->core[k] = 1 + random_below(15);
        p->gpu[k] = chance(40) ? 1 + random_below(3) : 0;
    }
    for (unsigned r = (unsigned)between(0, 2); n < (unsigned)between(1, 5);
         r += 1 + chance(15), n++) {
        if (r >= 8)
            break;
        p->ranks |= 1U << r;
        p->of[r] = random_below(groups);
    }
    for (unsigned k = 0; k < groups; k++) {
        unsigned ranks = 0;
        for (unsigned r = 0; r < 8; r++)
            if (p->ranks >> r & 1 && p->of[r] == k)
                ranks |= 1U << r;
        if (ranks)
            json_array_append_new(lite,
                                  entry_of(ranks, true, p->core[k], p->gpu[k]));
    }
    snprintf(hosts, sizeof(hosts), "h[1-%d]", __builtin_popcount(p->ranks));
    execution = json_pack("{s:o,s:[s]}", "R_lite", lite, "nodelist", hosts);
    if (p->ranks & 0x15)
        json_object_set_new(
            execution, "properties",
            json_pack("{s:s}", "fast", put_set(p->ranks & 0x15, text)));
    return execution;
}

/* The clock of the cases is 1000. */
static void set_times(json_t *execution)
{
    static const int times[][2] = {{500, 2000}, {1500, 4000}, {0, 1000},
                                   {0, 2000},   {500, 0},     {1500, 0}};
    const int *time = times[random_below(6)];

    if (time[0])
        json_object_set_new(execution, "starttime", json_integer(time[0]));
    if (time[1])
        json_object_set_new(execution, "expiration", json_integer(time[1]));
}

static char *random_plain(void)
{
    struct plain p = {0};
    json_t *execution = plain_execution(&p), *doc;
    char *text;

    doc = json_pack("{s:i,s:o}", "version", 1, "execution", execution);
    if (chance(25))
        set_times(execution);
    if (chance(75))
        json_object_set_new(
            doc, "attributes",
            json_pack("{s:{s:o}}", "system", "scheduler", plain_marks(&p)));
    text = json_dumps(doc, JSON_COMPACT);
    json_decref(doc);
    return text;
}

__attribute__((unused)) static char *random_document(void)
{
    return chance(25) ? random_plain() : random_graph();
}

#endif /* TEST_MATCH_CASES_H */

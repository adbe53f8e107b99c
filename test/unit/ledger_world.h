/*
 * Small worlds for tests of the ledger: a plain R, or a graph of racks, nodes,
 * sockets, cores, memory, licences and power. Each pool has a number. The pools
 * below it have the numbers after it.
 */
#ifndef TEST_LEDGER_WORLD_H
#define TEST_LEDGER_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "model/records/path.h"
#include "sets.h"

enum { POOLS_MAX = 72, UNITS_MAX = 8, NO_POOL = -1 };

/* Kinds of pools; the last ones are outside of containment. */
enum kind {
    CLUSTER,
    RACK,
    NODE,
    SOCKET,
    CORE,
    GPU,
    MEMORY,
    LICENCE,
    PDU,
    PANEL,
    KINDS_OF_POOLS
};

static const char *const kind_names[KINDS_OF_POOLS] = {
    "cluster", "rack",   "node",    "socket", "core",
    "gpu",     "memory", "licence", "pdu",    "panel"};

struct pool {
    enum kind kind;
    int parent, end; /* the pools below it: self + 1 ... end - 1 */
    int id, rank;    /* rank -1: none */
    int size;
    bool exclusive; /* it is taken whole or not at all */
    int feeds;      /* for a pdu: the node at the end of its edge */
};

struct world {
    struct pool pool[POOLS_MAX];
    int n;
    bool graph, power;
    bool marked; /* some pools are exclusive */
    enum rset_form form;
    /* Numbers of pools by kind, rank + 1 and id. */
    int16_t find[KINDS_OF_POOLS][16][48];
};

/* The size and form of a world. */
struct plan_of_world {
    const char *name;
    bool graph, racks, sockets, licences, power, marked;
};

/* --- making ------------------------------------------------------------- */

static int add_pool(struct world *w, int parent, enum kind kind, int id,
                    int rank, int size)
{
    int self = w->n++;

    if (self >= POOLS_MAX)
        abort();
    w->pool[self] = (struct pool){.kind = kind,
                                  .parent = parent,
                                  .id = id,
                                  .rank = rank,
                                  .size = size,
                                  .feeds = NO_POOL};
    w->find[kind][rank + 1][id] = (int16_t)(self + 1);
    return self;
}

static void add_leaves(struct world *w, int parent, int rank, int first,
                       int cores, int gpus, int memory)
{
    for (int i = 0; i < cores; i++)
        add_pool(w, parent, CORE, first + i, rank, 1);
    for (int i = 0; i < gpus; i++)
        add_pool(w, parent, GPU, first + i, rank, 1);
    if (memory)
        add_pool(w, parent, MEMORY, first, rank, memory);
}

static void add_node(struct world *w, int parent, int rank,
                     const struct plan_of_world *plan, bool other)
{
    int self = add_pool(w, parent, NODE, rank, rank, 1);
    int sockets = plan->sockets ? 2 : 1;

    for (int s = 0; s < sockets; s++) {
        int in = plan->sockets ? add_pool(w, self, SOCKET, s, rank, 1) : self;
        add_leaves(w, in, rank, 8 * s,
                   plan->sockets ? 2
                   : other       ? 2
                                 : 3,
                   other || s > 0 ? 0 : 1,
                   plan->graph && !(other && s > 0) ? 4 + 2 * s : 0);
    }
}

static void add_power(struct world *w)
{
    int panel = add_pool(w, NO_POOL, PANEL, 0, -1, 1);

    for (int rank = 0; rank < 2; rank++) {
        int pdu = add_pool(w, panel, PDU, rank, -1, rank ? 1 : 5);
        w->pool[pdu].feeds = w->find[NODE][rank + 1][rank] - 1;
    }
}

static void find_ends(struct world *w)
{
    for (int p = 0; p < w->n; p++) {
        w->pool[p].end = p + 1;
        for (int up = w->pool[p].parent; up >= 0; up = w->pool[up].parent)
            w->pool[up].end = p + 1;
    }
}

/* Make some composite pools, or pools of several units, exclusive. */
static void mark_exclusive(struct world *w)
{
    for (int p = 1; p < w->n; p++) {
        struct pool *pool = &w->pool[p];
        bool below = false;
        for (int up = pool->parent; up >= 0; up = w->pool[up].parent)
            below = below || w->pool[up].exclusive;
        if (below || pool->kind == PANEL || !one_in(6)
            || (!w->graph && pool->kind != NODE))
            continue;
        pool->exclusive = pool->end > p + 1 || pool->size > 1;
    }
}

static void world_make(struct world *w, const struct plan_of_world *plan)
{
    int nodes = plan->sockets ? 2 + (int)random_below(2)
                              : 3 + (int)random_below(3);
    bool other = one_in(2);

    memset(w, 0, sizeof(*w));
    w->graph = plan->graph;
    w->power = plan->power;
    w->marked = plan->marked;
    w->form = !w->graph   ? FORM_R
              : one_in(3) ? FORM_RV1
              : one_in(2) ? FORM_JGF
                          : FORM_JGF_COMPACT;
    add_pool(w, NO_POOL, CLUSTER, 0, -1, 1);
    for (int rank = 0, rack = 0; rank < nodes; rank++) {
        if (plan->racks && rank % 2 == 0)
            rack = add_pool(w, 0, RACK, rank / 2, -1, 1);
        add_node(w, plan->racks ? rack : 0, rank, plan,
                 other && rank == nodes - 1);
    }
    if (plan->licences) {
        add_pool(w, 0, LICENCE, 0, -1, 3 + (int)random_below(4));
        add_pool(w, 0, LICENCE, 1, -1, 1);
    }
    if (plan->power)
        add_power(w);
    find_ends(w);
    if (plan->marked)
        mark_exclusive(w);
}

/* --- looking ------------------------------------------------------------ */

static int find_pool(const struct world *w, const char *type, int64_t rank,
                     int64_t id)
{
    for (int k = 0; k < KINDS_OF_POOLS; k++)
        if (!strcmp(kind_names[k], type))
            return rank < -1 || rank > 14 || id < 0 || id > 47
                       ? NO_POOL
                       : w->find[k][rank + 1][id] - 1;
    return NO_POOL;
}

static bool is_leaf(const struct world *w, int p)
{
    return w->pool[p].end == p + 1;
}

static bool is_loose(const struct world *w, int p)
{
    return w->pool[p].kind == PDU || w->pool[p].kind == PANEL;
}

static bool is_below(const struct world *w, int p, int top)
{
    return p > top && p < w->pool[top].end;
}

/* Return the exclusive pool that is p or above it. */
static int marked_above(const struct world *w, int p)
{
    for (; p >= 0; p = w->pool[p].parent)
        if (w->pool[p].exclusive)
            return p;
    return NO_POOL;
}

static void put_path(const struct world *w, int p, FILE *fp)
{
    if (w->pool[p].parent >= 0)
        put_path(w, w->pool[p].parent, fp);
    fprintf(fp, "/%s%d", kind_names[w->pool[p].kind], w->pool[p].id);
}

/* Return the lot of a single pool. */
static struct lot *pool_lot(const struct world *w, struct rset *rs, int p)
{
    struct diag d = {0};
    struct lot *lot;
    char *path;
    size_t len;
    FILE *fp = open_memstream(&path, &len);

    if (is_loose(w, p))
        fputs("power:", fp);
    put_path(w, p, fp);
    fclose(fp);
    if (!(lot = rset_find_lot(rs, path, &d))) {
        printf("Bail out! %s: %s\n", path, d.text);
        exit(1);
    }
    free(path);
    return lot;
}

/* Return the vertex of a single pool. Runs are cut. */
static struct vertex *pool_vertex(const struct world *w, struct rset *rs, int p)
{
    struct lot *lot = pool_lot(w, rs, p);

    return lot_vertex(rs->usage, lot);
}

/* --- writing ------------------------------------------------------------ */

/*
 * A part of a world, or all of it, for a document. The caller chooses pools
 * that are held whole, and the jobs that share pools.
 */
struct part {
    int units[POOLS_MAX]; /* 0: not in the part */
    bool whole[POOLS_MAX], shared[POOLS_MAX];
};

static void put_pool(FILE *fp, const struct world *w, const struct part *part,
                     int p, const char *sep)
{
    const struct pool *pool = &w->pool[p];

    fprintf(fp, "%s{\"id\":\"%d\",\"metadata\":{\"type\":\"%s\",\"id\":%d", sep,
            p, kind_names[pool->kind], pool->id);
    if (pool->rank >= 0)
        fprintf(fp, ",\"rank\":%d", pool->rank);
    fprintf(fp, ",\"size\":%d", part->units[p]);
    if (pool->kind == MEMORY)
        fputs(",\"unit\":\"GB\"", fp);
    if (part->whole[p])
        fputs(",\"exclusive\":true", fp);
    if (part->shared[p])
        fputs(",\"shared\":[1]", fp);
    fputs("}}", fp);
}

static const char *put_edge(FILE *fp, const char *sep, int from, int to,
                            const char *subsystem)
{
    fprintf(fp,
            "%s{\"source\":\"%d\",\"target\":\"%d\",\"metadata\":{"
            "\"subsystem\":\"%s\",\"relationship\":\"contains\"}}",
            sep, from, to, subsystem);
    return ",";
}

static char *part_graph(const struct world *w, const struct part *part)
{
    const char *sep = "";
    char *text;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs("{\"graph\":{\"nodes\":[", fp);
    for (int p = 0; p < w->n; p++)
        if (part->units[p]) {
            put_pool(fp, w, part, p, sep);
            sep = ",";
        }
    fputs("],\"edges\":[", fp);
    sep = "";
    for (int p = 0; p < w->n; p++) {
        const struct pool *pool = &w->pool[p];
        if (!part->units[p])
            continue;
        if (pool->parent >= 0)
            sep = put_edge(fp, sep, pool->parent, p,
                           is_loose(w, p) ? "power" : "containment");
        if (pool->kind == PDU && part->units[pool->feeds])
            sep = put_edge(fp, sep, p, pool->feeds, "power");
    }
    fputs("]}}", fp);
    fclose(fp);
    return text;
}

/* The ids of a kind in a part of a node. */
static unsigned part_ids(const struct world *w, const struct part *part,
                         int node, enum kind kind)
{
    unsigned ids = 0;

    for (int p = node + 1; p < w->pool[node].end; p++)
        if (w->pool[p].kind == kind && part->units[p])
            ids |= 1U << w->pool[p].id;
    return ids;
}

static unsigned put_entries(FILE *fp, const struct world *w,
                            const struct part *part)
{
    const char *sep = "";
    unsigned ranks = 0;

    for (int p = 0; p < w->n; p++) {
        if (w->pool[p].kind != NODE || !part->units[p])
            continue;
        fprintf(fp, "%s{\"rank\":\"%d\",\"children\":{\"core\":\"", sep,
                w->pool[p].rank);
        put_ids(fp, part_ids(w, part, p, CORE));
        fputs("\",\"gpu\":\"", fp);
        put_ids(fp, part_ids(w, part, p, GPU));
        fputs("\"}}", fp);
        sep = ",";
        ranks |= 1U << w->pool[p].rank;
    }
    return ranks;
}

/* Ranks of whole nodes: exclusive in the inventory, or held whole by the job of
   an R. */
static unsigned part_whole(const struct world *w, const struct part *part)
{
    unsigned ranks = 0;

    for (int p = 0; p < w->n; p++)
        if (w->pool[p].kind == NODE && part->units[p] && part->whole[p])
            ranks |= 1U << w->pool[p].rank;
    return ranks;
}

/* Write the part as a plain R, with whole ranks under `key`. */
static char *part_plain(const struct world *w, const struct part *part,
                        const char *key)
{
    unsigned ranks, whole = part_whole(w, part);
    char *text;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs("{\"version\":1,\"execution\":{\"R_lite\":[", fp);
    ranks = put_entries(fp, w, part);
    fputs(ranks ? "],\"nodelist\":[\"node[" : "],\"nodelist\":[", fp);
    put_ids(fp, ranks);
    fputs(ranks ? "]\"]}" : "]}", fp);
    if (whole) {
        fprintf(fp, ",\"attributes\":{\"system\":{\"scheduler\":{\"%s\":\"",
                key);
        put_ids(fp, whole);
        fputs("\"}}}", fp);
    }
    fputs("}", fp);
    fclose(fp);
    return text;
}

/* A new set of a world, in the form of a random writer. */
static struct rset *world_set(const struct world *w)
{
    struct part all = {0};
    struct rset *rs;
    char *text;

    for (int p = 0; p < w->n; p++) {
        all.units[p] = w->pool[p].size;
        all.whole[p] = w->pool[p].exclusive;
    }
    text = w->graph ? part_graph(w, &all) : part_plain(w, &all, "exclusive");
    rs = read_set(text);
    free(text);
    text = write_set(rs, w->form);
    rset_destroy(rs);
    rs = read_set(text);
    free(text);
    return rs;
}

#endif /* TEST_LEDGER_WORLD_H */

/*
 * The ledger, compared with a naive one that has a cell for each unit of each
 * pool and each slot of time: random operations of many jobs on small graphs
 * and on plain Rs. After each operation all records and all answers of the
 * ledger are compared, and the document is written, checked by the validator,
 * and read back.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/cover.h"
#include "model/document/document.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/tags.h"
#include "once.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "schedule/plan.h"
#include "game.h"
#include "sets.h"

/* === ledger world ======================================================= */

/*
 * Small worlds for tests of the ledger: a plain R, or a graph of racks, nodes,
 * sockets, cores, memory, licences and power. Each pool has a number. The pools
 * below it have the numbers after it.
 */

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

/* === ledger naive ======================================================= */

/*
 * The naive ledger: a cell for each unit of each pool and each slot of time,
 * with the job that has it. It is filled again each time from a list of claims.
 * A claim without a free cell has been given twice.
 *
 * Moments are 0 ... SLOTS. Slot k lasts from moment k to the next; the last
 * slot has no end. NEVER is an end that is not set. A start that is not set is
 * before slot 0.
 */

enum { SLOTS = 10, NEVER = -1, JOBS = 6, CLAIMS_MAX = 2048 };

struct lease {
    int job, owner;
    bool reserved;
    int start, end;
};

struct unit_claim {
    struct lease of;
    int pool, units; /* 0: shared only */
};

struct naive {
    struct world *w;
    int now;
    struct unit_claim claims[CLAIMS_MAX]; /* in order of arrival */
    int n;
    int listed[JOBS][POOLS_MAX]; /* units inside a pool that it has whole */
    int staged[POOLS_MAX];       /* number of the job + 1 */
    enum pool_state state[POOLS_MAX];
    bool tagged[POOLS_MAX];
    /* The job in each cell, + 1; and units held beyond their end. */
    signed char cell[POOLS_MAX][SLOTS + 1][UNITS_MAX];
    signed char late[POOLS_MAX][SLOTS + 1];
};

/* To be recorded for a selection. */
struct wish {
    int claim[POOLS_MAX];  /* units */
    int listed[POOLS_MAX]; /* inside a whole claim, if only a part is listed */
    bool share[POOLS_MAX];
};

/* To be released. */
struct gift {
    int units[POOLS_MAX];
    bool share[POOLS_MAX];
    bool inner[POOLS_MAX]; /* something in it is released */
};

/* --- cells -------------------------------------------------------------- */

/* A claim of all units includes all contents. */
static bool claims_whole(const struct naive *n, const struct unit_claim *c)
{
    return c->units >= n->w->pool[c->pool].size;
}

static bool fill_cells(struct naive *n, int p, int units,
                       const struct lease *of)
{
    int from = of->start < 0 ? 0 : of->start;
    int to = of->end < 0 ? SLOTS + 1 : of->end;

    for (int t = from; t < to; t++) {
        int left = units;
        for (int u = 0; u < n->w->pool[p].size && left > 0; u++)
            if (!n->cell[p][t][u]) {
                n->cell[p][t][u] = (signed char)(of->job + 1);
                left--;
            }
        if (left > 0)
            return false;
    }
    for (int t = to; of->end >= 0 && of->end <= n->now && t <= SLOTS; t++)
        n->late[p][t] = (signed char)(n->late[p][t] + units);
    return true;
}

/* Return a pool with a unit that is given twice, or NO_POOL. */
static int naive_fill(struct naive *n)
{
    memset(n->cell, 0, sizeof(n->cell));
    memset(n->late, 0, sizeof(n->late));
    for (int i = 0; i < n->n; i++) {
        const struct unit_claim *c = &n->claims[i];
        int end = claims_whole(n, c) ? n->w->pool[c->pool].end : c->pool + 1;
        for (int p = c->pool; p < end; p++)
            if (!fill_cells(n, p, p == c->pool ? c->units : n->w->pool[p].size,
                            &c->of))
                return p;
    }
    return NO_POOL;
}

/* The most units that are taken in one of the slots from ... to - 1. */
static int naive_most(const struct naive *n, int p, int from, int to,
                      bool held_on)
{
    int most = 0;

    for (int t = from; t < to || t == from; t++) {
        int sum = held_on ? n->late[p][t] : 0;
        for (int u = 0; u < n->w->pool[p].size; u++)
            sum += n->cell[p][t][u] != 0;
        most = sum > most ? sum : most;
    }
    return most;
}

/* A later start does not count ended claims. */
static int naive_taken(const struct naive *n, int p, int from, int to)
{
    return naive_most(n, p, from, to, from <= n->now);
}

static int naive_left(const struct naive *n, int p, int from, int to)
{
    int left = n->w->pool[p].size - naive_taken(n, p, from, to);

    return left > 0 ? left : 0;
}

/* --- the parts of a job ------------------------------------------------- */

static int claimed_by(const struct naive *n, int job, int p)
{
    int sum = 0;

    for (int i = 0; i < n->n; i++)
        if (n->claims[i].pool == p && n->claims[i].of.job == job)
            sum += n->claims[i].units;
    return sum;
}

static bool has_whole(const struct naive *n, int job, int p)
{
    return claimed_by(n, job, p) >= n->w->pool[p].size;
}

/* Units that the job has, also implied ones. */
static int naive_has(const struct naive *n, int job, int p)
{
    int own = claimed_by(n, job, p);

    for (int up = n->w->pool[p].parent; up >= 0; up = n->w->pool[up].parent)
        if (has_whole(n, job, up))
            return n->w->pool[p].size;
    return own < n->w->pool[p].size ? own : n->w->pool[p].size;
}

static bool has_below(const struct naive *n, int job, int top)
{
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job
            && is_below(n->w, n->claims[i].pool, top))
            return true;
    return false;
}

static bool naive_knows(const struct naive *n, int job)
{
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job)
            return true;
    return false;
}

static bool is_timed(const struct lease *of)
{
    return of->start >= 0 || of->end >= 0;
}

static bool same_times(const struct lease *a, const struct lease *b)
{
    return a->start == b->start && a->end == b->end;
}

static bool is_share_of(const struct unit_claim *c, int job, int p)
{
    return !c->units && c->of.job == job && c->pool == p;
}

/* RFC 4: a job shares every parent of its resources. */
static bool naive_shared(const struct naive *n, int job, int p)
{
    for (int i = 0; i < n->n; i++)
        if (is_share_of(&n->claims[i], job, p))
            return true;
    return has_below(n, job, p);
}

/* Does anybody share it at some time from ... to - 1? An ended share counts
   until it is released. */
static bool shared_then(const struct naive *n, int p, int from, int to,
                        bool held_on)
{
    for (int i = 0; i < n->n; i++) {
        const struct unit_claim *c = &n->claims[i];
        bool late = held_on && c->of.end >= 0 && c->of.end <= n->now;
        if (c->pool == p && !c->units
            && (c->of.start < to || c->of.start <= from)
            && (c->of.end < 0 || c->of.end > from || late))
            return true;
    }
    return false;
}

static bool shared_by_any(const struct naive *n, int p)
{
    return shared_then(n, p, 0, SLOTS + 1, true);
}

static bool is_in_whole(const struct naive *n, int job, int p)
{
    for (p = p >= 0 && is_leaf(n->w, p) ? n->w->pool[p].parent : p; p >= 0;
         p = n->w->pool[p].parent)
        if (has_whole(n, job, p))
            return true;
    return false;
}

/* Lists matter only inside pools that are held whole. */
static void settle_listed(struct naive *n)
{
    for (int job = 0; job < JOBS; job++)
        for (int p = 0; p < n->w->n; p++)
            if (n->listed[job][p] && !is_in_whole(n, job, p))
                n->listed[job][p] = 0;
}

/* --- free or not -------------------------------------------------------- */

/* Is the pool, or one around it, locked? */
static bool is_locked(const struct naive *n, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (n->staged[p])
            return true;
    return false;
}

static bool is_up(const struct naive *n, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (n->state[p] != STATE_UP)
            return false;
    return true;
}

/* Are all units of the pool and of its contents unused? The state does not
   matter. */
static bool is_untouched(const struct naive *n, int top, int from, int to)
{
    for (int p = top; p < n->w->pool[top].end; p++)
        if (naive_taken(n, p, from, to) || n->staged[p]
            || shared_then(n, p, from, to, from <= n->now))
            return false;
    return true;
}

static bool may_claim(const struct naive *n, int p, int units, int from, int to)
{
    if (is_locked(n, p))
        return false;
    return units >= n->w->pool[p].size ? is_untouched(n, p, from, to)
                                       : naive_left(n, p, from, to) >= units;
}

/* Nobody has the pool, or one around it, whole. */
static bool may_share(const struct naive *n, int p, int from, int to)
{
    return !is_locked(n, p) && naive_left(n, p, from, to) > 0;
}

static bool naive_may(const struct naive *n, const struct wish *wish, int from,
                      int to)
{
    for (int p = 0; p < n->w->n; p++) {
        if (wish->claim[p] && !may_claim(n, p, wish->claim[p], from, to))
            return false;
        if (wish->share[p] && !may_share(n, p, from, to))
            return false;
    }
    return true;
}

/* === ledger moves ======================================================= */

/* Moves of the naive ledger: allocate, release, and the passing of time. */

/* --- allocate ----------------------------------------------------------- */

static bool same_lease(const struct lease *a, const struct lease *b)
{
    return a->job == b->job && a->owner == b->owner
           && a->reserved == b->reserved && a->start == b->start
           && a->end == b->end;
}

static void add_claim(struct naive *n, int p, int units, const struct lease *of)
{
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].pool == p && n->claims[i].units
            && same_lease(&n->claims[i].of, of)) {
            n->claims[i].units += units;
            return;
        }
    if (n->n == CLAIMS_MAX)
        abort();
    n->claims[n->n++] = (struct unit_claim){*of, p, units};
}

static bool lists_part(const struct world *w, const int listed[POOLS_MAX],
                       int top)
{
    for (int p = top; p < w->pool[top].end; p++)
        if (listed[p])
            return true;
    return false;
}

/* A list with all contents of a pool is dropped. */
static void drop_full_list(const struct world *w, int listed[POOLS_MAX],
                           int top)
{
    for (int p = top + 1; p < w->pool[top].end; p++)
        if (listed[p] < w->pool[p].size)
            return;
    memset(&listed[top], 0,
           (size_t)(w->pool[top].end - top) * sizeof(listed[0]));
}

/* Does a job have all of a pool, or of one around it, without a list? */
static bool is_all_listed(const struct naive *n, int job, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (has_whole(n, job, p) && !lists_part(n->w, n->listed[job], p))
            return true;
    return false;
}

static void drop_claim(struct naive *n, int i);

/* Drop a job's shares of a pool for these times (NULL: any) or without an
   end. */
static void drop_shares(struct naive *n, int job, int p, const struct lease *of)
{
    for (int i = n->n - 1; i >= 0; i--)
        if (is_share_of(&n->claims[i], job, p)
            && (!of || !is_timed(&n->claims[i].of)
                || same_times(&n->claims[i].of, of)))
            drop_claim(n, i);
}

/* A job that has a part of a pool, or of its contents, shares the pool then. */
static void add_share(struct naive *n, int p, const struct lease *of)
{
    for (int i = 0; i < n->n; i++) {
        const struct unit_claim *c = &n->claims[i];
        bool own = c->pool == p && (!c->units || is_leaf(n->w, p));
        bool then = same_times(&c->of, of) || (!c->units && !is_timed(&c->of))
                    || (!is_timed(of) && (c->units || c->pool != p));
        if (c->of.job == of->job && then && (own || is_below(n->w, c->pool, p)))
            return;
    }
    if (!is_timed(of))
        drop_shares(n, of->job, p, NULL);
    if (n->n == CLAIMS_MAX)
        abort();
    n->claims[n->n++] = (struct unit_claim){*of, p, 0};
}

static void drop_claim(struct naive *n, int i)
{
    n->n--;
    memmove(&n->claims[i], &n->claims[i + 1],
            (size_t)(n->n - i) * sizeof(n->claims[0]));
}

/*
 * If a job gets all of a pool, its older parts on the same terms are included,
 * and stay listed.
 */
static void absorb(struct naive *n, const struct lease *of, int top, bool list)
{
    int *listed = n->listed[of->job];

    for (int i = n->n - 1; i >= 0; i--) {
        struct unit_claim c = n->claims[i];
        bool whole = claims_whole(n, &c);
        if (c.units ? !same_lease(&c.of, of)
                    : c.of.job != of->job
                          || (is_timed(&c.of) && !same_times(&c.of, of)))
            continue;
        if (!is_below(n->w, c.pool, top))
            continue;
        drop_claim(n, i);
        if (!c.units)
            continue;
        if (list && whole && !lists_part(n->w, listed, c.pool))
            for (int p = c.pool; p < n->w->pool[c.pool].end; p++)
                listed[p] = n->w->pool[p].size;
        else if (list && !whole && c.units > listed[c.pool])
            listed[c.pool] = c.units;
    }
}

/* May it be allocated, if the job's own parts of these pools do not count? */
static bool naive_may_grow(const struct naive *n, const struct wish *wish,
                           const struct lease *of, int from, int to)
{
    static struct naive without;

    without = *n;
    for (int p = 0; p < n->w->n; p++)
        if (wish->claim[p] >= n->w->pool[p].size)
            absorb(&without, of, p, false);
    naive_fill(&without);
    return naive_may(&without, wish, from, to);
}

/*
 * The list of a pool that a job has at several times joins the lists of all
 * times.
 */
static void give_whole(struct naive *n, const struct wish *wish,
                       const struct lease *of, int top)
{
    int *listed = n->listed[of->job];
    bool all = is_all_listed(n, of->job, top);
    bool in_whole = is_in_whole(n, of->job, n->w->pool[top].parent);
    bool wants_all = !lists_part(n->w, wish->listed, top);

    add_claim(n, top, wish->claim[top], of);
    if (is_leaf(n->w, top))
        return;
    absorb(n, of, top, !all && !wants_all);
    for (int p = top; p < n->w->pool[top].end && !all; p++)
        if (listed[p] < (wants_all ? n->w->pool[p].size : wish->listed[p]))
            listed[p] = wants_all ? n->w->pool[p].size : wish->listed[p];
    if (!all && !in_whole)
        drop_full_list(n->w, listed, top);
}

static void naive_give(struct naive *n, const struct wish *wish,
                       const struct lease *of, bool staged)
{
    for (int p = 0; p < n->w->n; p++) {
        bool below = wish->claim[p] && is_leaf(n->w, p);
        for (int q = p + 1; q < n->w->pool[p].end; q++)
            below = below
                    || ((wish->claim[q] || wish->share[q]) && !wish->claim[p]);
        if (below)
            drop_shares(n, of->job, p, of);
        if (wish->claim[p] >= n->w->pool[p].size)
            give_whole(n, wish, of, p);
        else if (wish->claim[p])
            add_claim(n, p, wish->claim[p], of);
        if (wish->claim[p] && staged)
            n->staged[p] = of->job + 1;
    }
    for (int p = n->w->n - 1; p >= 0; p--)
        if (wish->share[p])
            add_share(n, p, of);
}

/*
 * Together with its older parts, would a job have all units of a pool that
 * others share? This can't be refused if the job is not known.
 */
static bool fills_shared(const struct naive *n, int job,
                         const struct wish *wish)
{
    for (int p = 0; p < n->w->n; p++) {
        int own = claimed_by(n, job, p);
        if (own && wish->claim[p] && shared_by_any(n, p)
            && own + wish->claim[p] >= n->w->pool[p].size)
            return true;
    }
    return false;
}

/* --- release ------------------------------------------------------------ */

static void unlock(struct naive *n, int job, int p)
{
    if (n->staged[p] == job + 1 && !claimed_by(n, job, p))
        n->staged[p] = 0;
}

static void naive_release(struct naive *n, int job)
{
    for (int i = n->n - 1; i >= 0; i--)
        if (n->claims[i].of.job == job)
            drop_claim(n, i);
    for (int p = 0; p < n->w->n; p++) {
        n->listed[job][p] = 0;
        unlock(n, job, p);
    }
}

static bool naive_commit(struct naive *n, int job)
{
    bool found = false;

    for (int p = 0; p < n->w->n; p++)
        if (n->staged[p] == job + 1) {
            n->staged[p] = 0;
            found = true;
        }
    return found;
}

/* Replace a whole pool by its parts. All of them are listed then. */
static void spread(struct naive *n, int job, int top)
{
    const struct world *w = n->w;

    for (int i = n->n - 1; i >= 0; i--) {
        struct unit_claim c = n->claims[i];
        if (c.pool != top || c.of.job != job)
            continue;
        drop_claim(n, i);
        for (int p = top + 1; c.units && p < w->pool[top].end;
             p = w->pool[p].end)
            add_claim(n, p, w->pool[p].size, &c.of);
    }
    for (int p = top; p < w->pool[top].end; p++) {
        n->listed[job][p] = 0;
        if (w->pool[p].parent == top && n->staged[top] == job + 1)
            n->staged[p] = job + 1;
    }
    unlock(n, job, top);
}

/* Does a start later than b, or start with it and end later? */
static bool is_later(const struct lease *a, const struct lease *b)
{
    int ea = a->end < 0 ? SLOTS + 1 : a->end;
    int eb = b->end < 0 ? SLOTS + 1 : b->end;

    if (a->start != b->start)
        return a->start > b->start;
    if (ea != eb)
        return ea > eb;
    return a->reserved != b->reserved ? a->reserved : a->owner > b->owner;
}

static void take_back(struct naive *n, int job, int p, int units)
{
    while (units > 0) {
        int last = -1;
        for (int i = 0; i < n->n; i++)
            if (n->claims[i].pool == p && n->claims[i].of.job == job
                && n->claims[i].units
                && (last < 0
                    || is_later(&n->claims[i].of, &n->claims[last].of)))
                last = i;
        if (last < 0)
            return;
        if (n->claims[last].units > units) {
            n->claims[last].units -= units;
            return;
        }
        units -= n->claims[last].units;
        drop_claim(n, last);
    }
}

static bool given_whole(const struct naive *n, const struct gift *gift, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (gift->units[p] >= n->w->pool[p].size)
            return true;
    return false;
}

/* RFC 4: an exclusive pool is not released in part. */
static bool breaks_marked(const struct naive *n, const struct gift *gift)
{
    const struct world *w = n->w;

    for (int p = 0; p < w->n; p++) {
        int top = gift->units[p] ? marked_above(w, p) : NO_POOL;
        for (int q = top; top >= 0 && q < w->pool[top].end; q++)
            if (is_leaf(w, q) && !given_whole(n, gift, q))
                return true;
    }
    return false;
}

static bool shares_itself(const struct naive *n, int job, int p)
{
    for (int i = 0; i < n->n; i++)
        if (is_share_of(&n->claims[i], job, p))
            return true;
    return false;
}

/* False: the job does not have all of it, and nothing has changed. */
static bool naive_take_back(struct naive *n, int job, const struct gift *gift)
{
    for (int p = 0; p < n->w->n; p++) {
        if (gift->share[p] && shares_itself(n, job, p))
            continue; /* a share; otherwise the job's units are meant */
        if (gift->units[p] > naive_has(n, job, p))
            return false;
    }
    if (breaks_marked(n, gift))
        return false;
    for (int p = 0; p < n->w->n; p++) {
        if (gift->inner[p] && n->w->pool[p].exclusive && has_whole(n, job, p)) {
            take_back(n, job, p,
                      n->w->pool[p].size); /* all of it is released */
            unlock(n, job, p);
            p = n->w->pool[p].end - 1;
            continue;
        }
        if (gift->inner[p] && has_whole(n, job, p))
            spread(n, job, p);
        if (gift->units[p])
            take_back(n, job, p, gift->units[p]);
        if (gift->share[p] && !has_below(n, job, p))
            drop_shares(n, job, p, NULL);
        unlock(n, job, p);
    }
    for (int p = n->w->n - 1; p >= 0; p--)
        if (gift->inner[p] && !has_below(n, job, p))
            drop_shares(n, job, p, NULL);
    settle_listed(n);
    return true;
}

/* --- time --------------------------------------------------------------- */

static bool is_over(const struct unit_claim *c, int now)
{
    return c->of.end >= 0 && c->of.end <= now;
}

/* Return how many jobs lost something. */
static int naive_expire(struct naive *n)
{
    bool lost[JOBS] = {false};
    int count = 0;

    for (int i = n->n - 1; i >= 0; i--)
        if (is_over(&n->claims[i], n->now)) {
            lost[n->claims[i].of.job] = true;
            drop_claim(n, i);
        }
    for (int job = 0; job < JOBS; job++) {
        bool left = false;
        count += lost[job];
        for (int i = 0; i < n->n; i++)
            left = left
                   || (n->claims[i].of.job == job
                       && (n->claims[i].units || is_timed(&n->claims[i].of)));
        if (lost[job] && !left)
            naive_release(n, job);
        for (int p = 0; p < n->w->n; p++)
            unlock(n, job, p);
    }
    settle_listed(n);
    return count;
}

/* Does the added time need units that another job holds beyond its end? */
static bool late_in_the_way(const struct naive *before,
                            const struct naive *after, int i)
{
    const struct unit_claim *c = &after->claims[i];
    const struct world *w = after->w;
    int from = before->claims[i].of.end;
    int to = c->of.end < 0 ? SLOTS + 1 : c->of.end;
    bool whole = claims_whole(after, c);
    int end = whole ? w->pool[c->pool].end : c->pool + 1;

    for (int p = c->pool; from >= 0 && p < end; p++)
        for (int t = from; t < to; t++)
            if (naive_most(after, p, t, t, true) + !c->units > w->pool[p].size
                || (whole && shared_then(before, p, t, t, true)))
                return true;
    return false;
}

/* False: a claim, also of the same job, needs the resources then. */
static bool naive_extend(struct naive *n, int job, int end)
{
    static struct naive copy;

    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job && end >= 0
            && end <= n->claims[i].of.start)
            return false;
    copy = *n;
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job)
            copy.claims[i].of.end = end;
    if (naive_fill(&copy) != NO_POOL)
        return false;
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job && late_in_the_way(n, &copy, i))
            return false;
    *n = copy;
    return true;
}

/* === ledger books ======================================================= */

/*
 * Compare a set with the naive ledger: selections pool by pool, and the records
 * of every vertex.
 */

static const char *const job_names[JOBS] = {
    "12", "a job", "007", "\303\251t\303\251 12", "18446744073709551615",
    "fat"};
static const char *const owner_names[] = {NULL, "1000", "alice"};
enum { OWNERS = sizeof(owner_names) / sizeof(owner_names[0]) };

static double moment_time(int moment)
{
    return moment < 0 ? TIME_UNSET : 1000.0 + 100.0 * moment;
}

static int time_moment(double time)
{
    return time < 0 ? NEVER : (int)((time - 1000.0) / 100.0);
}

static struct period naive_period(const struct naive *n, int from, int to)
{
    return (struct period){.now = moment_time(n->now),
                           .from = moment_time(from),
                           .to = to > SLOTS ? INFINITY : moment_time(to)};
}

/* --- the pools of a selection ------------------------------------------- */

struct named {
    bool there, whole, exclusive, shared, inner;
    int units;
};

struct naming {
    struct named at[POOLS_MAX];
    const char *fault;
};

/* The pools of a vertex, or of some members of a run, in nodes of `ranks`. */
static int pools_of(const struct world *w, const struct vertex *v,
                    const struct idset *members, unsigned ranks,
                    int list[POOLS_MAX])
{
    int n = 0;

    if (!v->run) {
        list[0] = find_pool(w, v->type, v->rank, v->id);
        return 1;
    }
    for (uint32_t i = idset_first(members); i != IDSET_INVALID;
         i = idset_next(members, i))
        for (int rank = 0; rank < 15; rank++) {
            if (vertex_is_target(v) ? rank != (int)i : !(ranks >> rank & 1))
                continue;
            if (n < POOLS_MAX)
                list[n++] = find_pool(w, v->type, rank,
                                      vertex_is_target(v) ? rank : (int)i);
        }
    return n;
}

static unsigned ranks_of(const struct world *w, const int *list, int n)
{
    unsigned ranks = 0;

    for (int i = 0; i < n; i++)
        if (list[i] >= 0 && w->pool[list[i]].rank >= 0)
            ranks |= 1U << w->pool[list[i]].rank;
    return ranks;
}

static void name_pick(struct naming *out, const struct world *w,
                      const struct pick *p, unsigned ranks)
{
    struct idset *members = p->v->run ? pick_members(p) : NULL;
    int list[POOLS_MAX], n = pools_of(w, p->v, members, ranks, list);

    idset_destroy(members);
    if (p->v->run && n == 0)
        out->fault = "a pick of no member";
    for (int i = 0; i < n; i++) {
        struct named *at = list[i] < 0 ? NULL : &out->at[list[i]];
        if (!at || at->there) {
            out->fault = at ? "a pool is picked twice" : "an unknown pool";
            continue;
        }
        *at = (struct named){true,      p->whole,         p->exclusive,
                             p->shared, p->child != NULL, (int)p->amount};
        if (p->amount < 1 || p->amount > w->pool[list[i]].size)
            out->fault = "an amount that is not in the pool";
    }
    for (const struct pick *c = p->child; c; c = c->next)
        name_pick(out, w, c, ranks_of(w, list, n));
}

static struct naming name_selection(const struct world *w,
                                    const struct selection *sel)
{
    struct naming out = {.fault = NULL};

    for (const struct pick *p = sel->picks; p; p = p->next)
        name_pick(&out, w, p, 0);
    return out;
}

/* Convert a selection for allocating. */
static struct wish wish_of(const struct world *w, const struct naming *named)
{
    bool listing[POOLS_MAX] = {false}; /* pools below it are listed */
    struct wish wish = {0};

    for (int p = 0; p < w->n; p++) {
        const struct named *at = &named->at[p];
        int up = w->pool[p].parent;
        if (!at->there)
            continue;
        if (up >= 0 && listing[up]) {
            wish.listed[p] = at->units;
            listing[p] = true;
            for (int q = p + 1; at->whole && q < w->pool[p].end; q++)
                wish.listed[q] = w->pool[q].size;
        } else if (at->shared || (at->inner && !at->exclusive)) {
            wish.share[p] = at->shared;
        } else {
            wish.claim[p] = at->units;
            listing[p] = !at->whole && at->inner;
            if (at->exclusive && !at->whole && !at->inner && !is_leaf(w, p))
                wish.listed[p] = at->units; /* and none of its contents */
        }
    }
    for (int p = 0; p < w->n; p++)
        if (!is_leaf(w, p) && wish.claim[p] >= w->pool[p].size)
            drop_full_list(w, wish.listed, p);
    return wish;
}

/* Convert a selection for releasing. */
static struct gift gift_of(const struct world *w, const struct naming *named)
{
    struct gift gift = {0};

    for (int p = 0; p < w->n; p++) {
        const struct named *at = &named->at[p];
        if (!at->there)
            continue;
        gift.inner[p] = at->inner && !at->whole;
        gift.share[p] = !gift.inner[p] && at->shared;
        gift.units[p] = gift.inner[p] ? 0 : at->units;
    }
    return gift;
}

/* Units of each named pool; 0 for a pool that is only above others. */
static void units_of(const struct world *w, const struct naming *named,
                     int units[POOLS_MAX])
{
    memset(units, 0, POOLS_MAX * sizeof(*units));
    for (int p = 0; p < w->n; p++) {
        const struct named *at = &named->at[p];
        if (at->there && (at->exclusive || (!at->shared && !at->inner)))
            units[p] = at->units;
        for (int q = p + 1; at->there && at->whole && q < w->pool[p].end; q++)
            units[q] = w->pool[q].size;
    }
}

/* --- the first difference
   -------------------------------------------------- */

static char trouble_text[256];

__attribute__((format(printf, 1, 2))) static const char *
trouble(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(trouble_text, sizeof(trouble_text), fmt, ap);
    va_end(ap);
    return trouble_text;
}

static const char *pool_trouble(const struct world *w, int p, const char *what,
                                int got, int want)
{
    return trouble("%s%d of rank %d: %s %d, not %d",
                   kind_names[w->pool[p].kind], w->pool[p].id, w->pool[p].rank,
                   what, got, want);
}

/* --- records ------------------------------------------------------------ */

static int job_number(const char *name)
{
    for (int job = 0; job < JOBS; job++)
        if (!strcmp(job_names[job], name))
            return job;
    return -1;
}

static int owner_number(const char *name)
{
    for (int i = 0; i < OWNERS; i++)
        if (name == owner_names[i]
            || (name && owner_names[i] && !strcmp(name, owner_names[i])))
            return i;
    return -1;
}

static struct lease lease_of(const struct grant *c)
{
    return (struct lease){job_number(c->term->job->name),
                          owner_number(c->term->owner), c->term->reserved,
                          time_moment(c->term->start),
                          time_moment(c->term->end)};
}

/* Is each share of a job recorded, and no other? */
static bool same_shares(const struct naive *n, int p, const struct lot *rec,
                        int job)
{
    const struct grant *g;
    bool same = true;

    for (g = rec ? rec->grants : NULL; g; g = g->beside) {
        struct lease of = lease_of(g);
        bool found = g->term->kind != GRANT_SHARE || of.job != job;
        for (int i = 0; i < n->n && !found; i++)
            found = is_share_of(&n->claims[i], job, p)
                    && same_times(&n->claims[i].of, &of);
        same &= found;
    }
    for (int i = 0; i < n->n; i++) {
        bool found = !is_share_of(&n->claims[i], job, p);
        for (g = rec ? rec->grants : NULL; g && !found; g = g->beside) {
            struct lease of = lease_of(g);
            found = g->term->kind == GRANT_SHARE && of.job == job
                    && same_times(&n->claims[i].of, &of);
        }
        same &= found;
    }
    return same;
}

/* The next claim of a list, including the first. */
static const struct grant *claim_in(const struct grant *g)
{
    while (g && g->term->kind != GRANT_CLAIM)
        g = g->beside;
    return g;
}

static int recorded(const struct lot *lot, const struct lease *of)
{
    int sum = 0;

    for (const struct grant *c = claim_in(lot ? lot->grants : NULL); c;
         c = claim_in(c->beside)) {
        struct lease lease = lease_of(c);
        if (same_lease(&lease, of))
            sum += (int)c->units;
    }
    return sum;
}

static int expected(const struct naive *n, int p, const struct lease *of)
{
    int sum = 0;

    for (int i = 0; i < n->n; i++)
        if (n->claims[i].pool == p && same_lease(&n->claims[i].of, of))
            sum += n->claims[i].units;
    return sum;
}

static const char *check_claims(const struct naive *n, int p,
                                const struct lot *rec)
{
    for (const struct grant *c = claim_in(rec ? rec->grants : NULL); c;
         c = claim_in(c->beside)) {
        struct lease of = lease_of(c);
        if (recorded(rec, &of) != expected(n, p, &of))
            return pool_trouble(n->w, p, c->term->job->name, recorded(rec, &of),
                                expected(n, p, &of));
    }
    for (int i = 0; i < n->n; i++) {
        const struct lease *of = &n->claims[i].of;
        if (n->claims[i].pool == p && n->claims[i].units
            && recorded(rec, of) != expected(n, p, of))
            return pool_trouble(n->w, p, job_names[of->job], recorded(rec, of),
                                expected(n, p, of));
    }
    return NULL;
}

static const char *check_lists(const struct naive *n, int p, struct usage *u,
                               struct lot *rec, int job)
{
    struct job *known = u ? job_find(u, job_names[job]) : NULL;
    const struct grant *mark = known && rec
                                   ? grant_find(rec, known, GRANT_LISTED)
                                   : NULL;
    int size = n->w->pool[p].size;
    int listed = !mark ? 0 : mark->units ? (int)mark->units : size;
    struct job **sharers;
    size_t nsharers = rec ? lot_sharers(u, rec, &sharers) : 0;
    bool shared = false;

    for (size_t i = 0; i < nsharers; i++)
        shared = shared || sharers[i] == known;
    if (shared != naive_shared(n, job, p))
        return pool_trouble(n->w, p, "shared by",
                            naive_shared(n, job, p) ? 0 : 1,
                            naive_shared(n, job, p));
    if (!same_shares(n, p, rec, job))
        return pool_trouble(n->w, p, "the times of shares", 0, 1);
    if (listed != n->listed[job][p])
        return pool_trouble(n->w, p, "listed", listed, n->listed[job][p]);
    return NULL;
}

static const char *check_pool(const struct naive *n, int p,
                              const struct rset *rs, const struct vertex *v)
{
    struct lot *rec = v->lot;
    const char *wrong = check_claims(n, p, rec);
    const struct job *lock = rec ? lot_staged(rec) : NULL;
    int staged = lock ? job_number(lock->name) + 1 : 0;

    for (int job = 0; job < JOBS && !wrong; job++)
        wrong = check_lists(n, p, rs->usage, rec, job);
    if (!wrong && staged != n->staged[p])
        wrong = pool_trouble(n->w, p, "staged for", staged, n->staged[p]);
    if (!wrong && vertex_state(v) != n->state[p])
        wrong = pool_trouble(n->w, p, "state", (int)vertex_state(v),
                             (int)n->state[p]);
    if (!wrong && !vertex_get_tag(v, "blue") != !n->tagged[p])
        wrong = pool_trouble(n->w, p, "tagged", !n->tagged[p], n->tagged[p]);
    if (!wrong && v->size != n->w->pool[p].size)
        wrong = pool_trouble(n->w, p, "size", (int)v->size, n->w->pool[p].size);
    return wrong;
}

/* Compare all records of a set. NULL: they are those of the naive ledger. */
static const char *check_records(const struct naive *n, struct rset *rs)
{
    bool seen[POOLS_MAX] = {false};
    const char *wrong = NULL;

    usage_settle(rs);
    for (const struct vertex *v = rset_first(rs); v && !wrong;
         v = rset_next(rs, v)) {
        int up[POOLS_MAX], list[POOLS_MAX];
        int above = v->run && !vertex_is_target(v)
                        ? pools_of(n->w, v->parent, v->parent->run, 0, up)
                        : 0;
        int count = pools_of(n->w, v, v->run, ranks_of(n->w, up, above), list);
        for (int i = 0; i < count && !wrong; i++) {
            if (list[i] < 0 || seen[list[i]])
                return trouble("a %s that is not there, or twice", v->type);
            seen[list[i]] = true;
            wrong = check_pool(n, list[i], rs, v);
        }
    }
    for (int p = 0; p < n->w->n && !wrong; p++)
        if (!seen[p])
            wrong = pool_trouble(n->w, p, "there", 0, 1);
    return wrong;
}

/* --- answers of the ledger
   -------------------------------------------------- */

/* Units that the R of a job lists; with `held` all of its units. */
static void naive_lists(const struct naive *n, int job, bool held,
                        int units[POOLS_MAX])
{
    const struct world *w = n->w;

    memset(units, 0, POOLS_MAX * sizeof(*units));
    for (int p = 0; p < w->n; p++) {
        bool part = false;
        int own = claimed_by(n, job, p);
        if (own <= 0)
            continue;
        units[p] = own < w->pool[p].size ? own : w->pool[p].size;
        if (own < w->pool[p].size)
            continue;
        for (int q = p; !held && q < w->pool[p].end; q++)
            part = part || n->listed[job][q];
        for (int q = p + 1; q < w->pool[p].end; q++)
            units[q] = part ? n->listed[job][q] : w->pool[q].size;
        p = w->pool[p].end - 1;
    }
}

static const char *compare_units(const struct world *w, const char *what,
                                 const int got[POOLS_MAX],
                                 const int want[POOLS_MAX])
{
    for (int p = 0; p < w->n; p++)
        if (got[p] != want[p])
            return pool_trouble(w, p, what, got[p], want[p]);
    return NULL;
}

/* Takes the selection over. */
static const char *check_selected(const struct naive *n, const char *what,
                                  struct selection *sel,
                                  const int want[POOLS_MAX])
{
    struct naming named = name_selection(n->w, sel);
    int got[POOLS_MAX];

    selection_destroy(sel);
    units_of(n->w, &named, got);
    return named.fault ? trouble("%s: %s", what, named.fault)
                       : compare_units(n->w, what, got, want);
}

static const char *check_terms(const struct naive *n, struct rset *rs, int job)
{
    int start = SLOTS, end = 0;
    bool any = false, staged = false;
    struct term terms;
    struct usage *u;

    for (int i = 0; i < n->n; i++) {
        const struct lease *of = &n->claims[i].of;
        if (of->job != job || (!n->claims[i].units && !is_timed(of)))
            continue;
        any = true;
        start = of->start < start ? of->start : start;
        end = of->end < 0 ? SLOTS + 1 : of->end > end ? of->end : end;
    }
    for (int p = 0; p < n->w->n; p++)
        staged = staged || n->staged[p] == job + 1;
    u = usage_begin(rs);
    terms = ledger_terms(u, job_names[job]);
    if (time_moment(terms.start) != (any ? start : NEVER)
        || time_moment(terms.end) != (any && end <= SLOTS ? end : NEVER)
        || terms.staged != staged)
        return trouble("job %s: terms %g-%g %d", job_names[job], terms.start,
                       terms.end, terms.staged);
    return NULL;
}

static const char *check_job(const struct naive *n, struct rset *rs, int job)
{
    const char *name = job_names[job], *wrong;
    int want[POOLS_MAX];

    if (once_has(rs, name) != naive_knows(n, job))
        return trouble("job %s is known: %d", name, once_has(rs, name));
    naive_lists(n, job, false, want);
    if ((wrong = check_selected(n, "allocated", once_allocated(rs, name, false),
                                want)))
        return wrong;
    naive_lists(n, job, true, want);
    if ((wrong = check_selected(n, "held", once_allocated(rs, name, true),
                                want))
        || (wrong = check_selected(n, "holdings", once_holdings(rs, name),
                                   want)))
        return wrong;
    return check_terms(n, rs, job);
}

/* RFC 4, Copy: pools without available units are left out with their
   contents. */
static int naive_available(const struct naive *n, int p, int moment,
                           bool any_state, bool there[POOLS_MAX])
{
    const struct world *w = n->w;
    int left = naive_left(n, p, moment, moment), found = 0;

    if (!left || n->staged[p] || (n->state[p] != STATE_UP && !any_state))
        return 0;
    for (int q = p; w->pool[p].exclusive && q < w->pool[p].end; q++)
        if (naive_taken(n, q, moment, moment)
            || shared_then(n, q, moment, moment, moment <= n->now))
            return 0;
    for (int q = p + 1; q < w->pool[p].end; q = w->pool[q].end)
        found += naive_available(n, q, moment, any_state, there);
    if (!found && !is_leaf(w, p))
        return 0;
    there[p] = true;
    return left;
}

/*
 * Compare sums of available units, and the contents of a set of them. Every set
 * has the root.
 */
static const char *check_sums(struct rset *rs, const struct period *when,
                              const uint64_t units[KINDS_OF_POOLS])
{
    struct selection *sel = once_available(rs, when, false);
    struct rset *part = rset_extract(rs, sel);
    struct aggregate *list;
    size_t got = ledger_aggregate(usage_begin(rs), when, true, &list);
    const char *wrong = NULL;

    for (int k = 0; k < KINDS_OF_POOLS && !wrong; k++) {
        uint64_t sum = 0, count = rset_count(part, NULL, kind_names[k]);
        for (size_t i = 0; i < got; i++)
            if (!strcmp(list[i].type, kind_names[k]))
                sum += list[i].available;
        if (sum != units[k] || (count != units[k] && k != CLUSTER))
            wrong = trouble("%s: %d in sum, %d to count, not %d", kind_names[k],
                            (int)sum, (int)count, (int)units[k]);
    }
    free(list);
    rset_destroy(part);
    selection_destroy(sel);
    return wrong;
}

static const char *check_available(const struct naive *n, struct rset *rs,
                                   int moment, bool any_state)
{
    uint64_t units[KINDS_OF_POOLS] = {0};
    const struct world *w = n->w;
    struct period when = naive_period(n, moment, moment);
    struct selection *sel = once_available(rs, &when, any_state);
    struct naming named = name_selection(w, sel);
    bool there[POOLS_MAX] = {false}, gone = false;

    selection_destroy(sel);
    for (int p = 0; p < w->n; p++)
        if (w->pool[p].parent < 0)
            naive_available(n, p, moment, any_state, there);
    for (int p = 0; p < w->n; p++) {
        int up = w->pool[p].parent, left = naive_left(n, p, moment, moment);
        gone = up >= 0 && !there[up];
        if (named.at[p].there != (there[p] && !gone))
            return pool_trouble(w, p, "available", named.at[p].there,
                                there[p] && !gone);
        there[p] = there[p] && !gone;
        if (there[p] && named.at[p].units != left)
            return pool_trouble(w, p, "available units", named.at[p].units,
                                left);
        units[w->pool[p].kind] += there[p] ? (uint64_t)left : 0;
    }
    return any_state ? NULL : check_sums(rs, &when, units);
}

/* === ledger asks ======================================================== */

/*
 * Requests of simple kinds. The naive ledger can count whether they match.
 */

struct ask {
    enum {
        ASK_SLOTS,      /* slot=n/[core=c;gpu=g;memory=m] */
        ASK_NODES,      /* slot=n/node */
        ASK_NODES_PART, /* slot=n/node/core=c */
        ASK_UNITS,      /* slot/KIND=n */
        /* the naive ledger does not count these */
        ASK_NODE_SLOTS,  /* node=n/slot/core=c */
        ASK_SOCKETS,     /* slot=n/socket */
        ASK_RACK,        /* slot=n/rack */
        ASK_SHARED,      /* [KIND=n;slot/core=c] */
        ASK_SHARED_UNITS /* [KIND=n;slot/licence] */
    } what;
    enum kind kind;
    int n, core, gpu, memory;
    char text[96];
};

/* --- making ------------------------------------------------------------- */

static bool world_has(const struct world *w, enum kind kind)
{
    for (int p = 0; p < w->n; p++)
        if (w->pool[p].kind == kind)
            return true;
    return false;
}

static enum kind random_kind(const struct world *w, enum kind first,
                             enum kind last)
{
    enum kind kind;

    do
        kind = first + random_below(last - first + 1);
    while (!world_has(w, kind));
    return kind;
}

static void print_ask(struct ask *a)
{
    const char *kind = kind_names[a->kind];
    FILE *fp = fmemopen(a->text, sizeof(a->text), "w");

    switch (a->what) {
    case ASK_SLOTS:
        fprintf(fp, "slot=%d/[core=%d", a->n, a->core);
        if (a->gpu)
            fputs(";gpu=1", fp);
        if (a->memory)
            fprintf(fp, ";memory=%d", a->memory);
        putc(']', fp);
        break;
    case ASK_NODES:
        fprintf(fp, "slot=%d/node", a->n);
        break;
    case ASK_NODES_PART:
        fprintf(fp, "slot=%d/node/core=%d", a->n, a->core);
        break;
    case ASK_UNITS:
        fprintf(fp, "slot/%s=%d", kind, a->n);
        break;
    case ASK_NODE_SLOTS:
        fprintf(fp, "node=%d/slot/core=%d", a->n, a->core);
        break;
    case ASK_SOCKETS:
        fprintf(fp, "slot=%d/socket", a->n);
        break;
    case ASK_RACK:
        fputs("slot/rack", fp);
        break;
    case ASK_SHARED:
        fprintf(fp, "[%s=%d;slot/core=%d]", kind, a->n, a->core);
        break;
    case ASK_SHARED_UNITS:
        fprintf(fp, "[%s=%d;slot/licence]", kind, a->n);
        break;
    }
    fclose(fp);
}

static struct ask random_ask(const struct world *w)
{
    struct ask a = {.n = 1 + (int)random_below(3),
                    .core = 1 + (int)random_below(2)};

    a.what = random_below(ASK_SHARED_UNITS + 1);
    if ((a.what == ASK_SOCKETS && !world_has(w, SOCKET))
        || (a.what == ASK_RACK && !world_has(w, RACK))
        || (a.what == ASK_SHARED_UNITS && !world_has(w, LICENCE)))
        a.what = ASK_SLOTS;
    if (a.what == ASK_SLOTS || a.what == ASK_NODES)
        a.n = 1 + (int)random_below(4);
    a.kind = random_kind(w, a.what == ASK_UNITS ? CORE : RACK, PANEL);
    if (a.what == ASK_SLOTS) {
        a.gpu = one_in(4);
        a.memory = w->graph && one_in(3) ? 1 + (int)random_below(4) : 0;
    }
    print_ask(&a);
    return a;
}

/* Shares have no time: a request for a pool that only has to exist. */
/* --- the selection
   ---------------------------------------------------------- */

/* Units of a pool that the R will list. */
static int will_list(const struct world *w, const struct wish *wish, int p)
{
    int top = p;

    if (wish->claim[p] || wish->listed[p])
        return wish->claim[p] + wish->listed[p];
    while (top >= 0 && !wish->claim[top])
        top = w->pool[top].parent;
    if (top < 0)
        return 0;
    for (int q = top; q < w->pool[top].end; q++)
        if (wish->listed[q])
            return 0;
    return w->pool[p].size; /* held whole, with all of it listed */
}

static int wished(const struct naive *n, const struct wish *wish, int top,
                  enum kind kind)
{
    const struct world *w = n->w;
    int sum = 0;

    for (int p = top < 0 ? 0 : top; p < (top < 0 ? w->n : w->pool[top].end);
         p++)
        if (w->pool[p].kind == kind)
            sum += will_list(w, wish, p);
    return sum;
}

/* The requested amount; of exclusive pools it may be more. */
static bool enough(const struct naive *n, int got, int want)
{
    return n->w->marked ? got >= want : got == want;
}

static bool gives_slots(const struct naive *n, const struct wish *wish,
                        const struct ask *a)
{
    int slots = 0;

    for (int p = 0; p < n->w->n; p++) {
        int cores = wished(n, wish, p, CORE), here = cores / a->core;
        if (n->w->pool[p].kind != NODE)
            continue;
        if (cores % a->core || wished(n, wish, p, GPU) != here * a->gpu
            || !enough(n, wished(n, wish, p, MEMORY), here * a->memory))
            return false;
        slots += here;
    }
    return slots == a->n;
}

/* Is the selected amount the requested one? */
static bool answers_ask(const struct naive *n, const struct wish *wish,
                        const struct ask *a)
{
    switch (a->what) {
    case ASK_SLOTS:
        return gives_slots(n, wish, a);
    case ASK_NODES:
        return wished(n, wish, -1, NODE) == a->n;
    case ASK_NODES_PART:
        return wished(n, wish, -1, NODE) == a->n
               && wished(n, wish, -1, CORE) == a->n * a->core;
    case ASK_UNITS:
        return enough(n, wished(n, wish, -1, a->kind), a->n);
    case ASK_NODE_SLOTS:
        return wished(n, wish, -1, CORE) == a->n * a->core;
    case ASK_SOCKETS:
        return wished(n, wish, -1, SOCKET) == a->n;
    case ASK_RACK:
        return wished(n, wish, -1, RACK) == 1;
    case ASK_SHARED:
        return enough(n, wished(n, wish, -1, CORE), a->core);
    case ASK_SHARED_UNITS:
        return enough(n, wished(n, wish, -1, LICENCE), 1);
    }
    abort();
}

/* --- the available units
   ---------------------------------------------------- */

/* All of a pool and of its contents. */
static bool whole_left(const struct naive *n, int top, int from, int to)
{
    for (int p = top; p < n->w->pool[top].end; p++)
        if (!is_up(n, p) || is_locked(n, p))
            return false;
    return is_untouched(n, top, from, to);
}

/* Units of one pool that could be taken. */
static int units_left(const struct naive *n, int p, int from, int to)
{
    int left;

    if (!is_up(n, p) || is_locked(n, p))
        return 0;
    if (n->w->pool[p].size == 1)
        return whole_left(n, p, from, to);
    left = naive_left(n, p, from, to);
    /* a job with all units has the pool, which nobody shares then (RFC 4) */
    return left == n->w->pool[p].size
                   && shared_then(n, p, from, to, from <= n->now)
               ? left - 1
               : left;
}

static int left_in(const struct naive *n, int top, enum kind kind, int from,
                   int to)
{
    const struct world *w = n->w;
    int sum = 0;

    for (int p = top; p < w->pool[top].end; p++)
        if (w->pool[p].kind == kind)
            sum += units_left(n, p, from, to);
    return sum;
}

/* How many slots or nodes of the request fit into this node? */
static int node_gives(const struct naive *n, int p, const struct ask *a,
                      int from, int to)
{
    int cores = left_in(n, p, CORE, from, to) / a->core, most = cores;

    if (a->what != ASK_SLOTS)
        return whole_left(n, p, from, to)
               && (a->what == ASK_NODES || cores > 0);
    if (a->gpu && left_in(n, p, GPU, from, to) < most)
        most = left_in(n, p, GPU, from, to);
    if (a->memory && left_in(n, p, MEMORY, from, to) / a->memory < most)
        most = left_in(n, p, MEMORY, from, to) / a->memory;
    return most;
}

/*
 * Does the request match? -1: not known, for other kinds and with exclusive
 * pools.
 */
static int could_have(const struct naive *n, const struct ask *a, int from,
                      int to)
{
    const struct world *w = n->w;
    int sum = 0, best = 0;

    if (a->what > ASK_UNITS || w->marked)
        return -1;
    for (int p = 0; p < w->n; p++) {
        int left = 0;
        if (a->what != ASK_UNITS && w->pool[p].kind == NODE)
            sum += node_gives(n, p, a, from, to);
        else if (a->what == ASK_UNITS && w->pool[p].kind == a->kind)
            sum += left = units_left(n, p, from, to);
        /* units inside nodes come from one node */
        if (a->what == ASK_UNITS && w->pool[p].kind == NODE)
            left = left_in(n, p, a->kind, from, to);
        best = left > best ? left : best;
    }
    if (a->what == ASK_UNITS && a->kind <= MEMORY)
        return best >= a->n;
    return sum >= a->n;
}

/* === ledger game ======================================================== */

/*
 * A game on a small set. It is played with the ledger and with the naive one,
 * and ends with the first broken law.
 */

enum laws {
    ANSWER,
    SELECTED,
    FREE,
    TAKEN_BACK,
    TIME,
    RECORDS,
    TELLS,
    FAULTS,
    FORMS,
    BYTES,
    LAWS
};

static const char *const law_names[LAWS] = {
    [ANSWER] = "a match is found exactly if a count says that there is one",
    [SELECTED] = "the selection is free, and satisfies the request",
    [FREE] = "chosen pools are refused if any of them is taken",
    [TAKEN_BACK] = "a release takes from this job and no other",
    [TIME] = "ended claims are dropped, an end is extended if possible",
    [RECORDS] = "the records are those of the naive ledger",
    [TELLS] = "the ledger gives the answers of the naive one",
    [FAULTS] = "the document obeys all rules on records",
    [FORMS] = "the document is read, and written again as the same bytes",
    [BYTES] = "releasing everything restores the bytes",
};

struct game {
    struct play play;
    struct world world;
    struct naive naive;
    struct rset *rs;
    char *start; /* the first document */
    struct law *laws;
};

/* --- reports
   ---------------------------------------------------------------- */

/* The first failure ends a game, since later ones would follow from it. */
static int some_job(void)
{
    return (int)random_below(JOBS);
}

static bool check(struct game *g, enum laws law, bool good, const char *what)
{
    if (g->play.over)
        return false;
    g->play.over = !good;
    return holds(&g->laws[law], good, "%s\n# in %s\n# after%s", what, g->start,
                 game_log(&g->play));
}

static bool check_none(struct game *g, enum laws law, const char *wrong)
{
    return check(g, law, !wrong, wrong ? wrong : "");
}

/* --- terms -------------------------------------------------------------- */

static struct lease random_lease(struct game *g, int job)
{
    struct naive *n = &g->naive;
    struct lease of = {.job = job,
                       .owner = (int)random_below(OWNERS),
                       .start = NEVER,
                       .end = NEVER};

    if (one_in(3) || n->now >= SLOTS - 1)
        return of;
    of.start = n->now;
    if (one_in(2))
        of.start += (int)random_below((uint32_t)(SLOTS - 1 - n->now));
    of.end = of.start + 1 + (int)random_below((uint32_t)(SLOTS - of.start));
    of.reserved = of.start > n->now;
    return of;
}

static struct term terms_of(const struct lease *of, bool staged)
{
    return (struct term){.owner = owner_names[of->owner],
                         .start = moment_time(of->start),
                         .end = moment_time(of->end),
                         .reserved = of->reserved,
                         .staged = staged};
}

static int lease_from(const struct game *g, const struct lease *of)
{
    return of->start > g->naive.now ? of->start : g->naive.now;
}

static int lease_to(const struct lease *of)
{
    return of->end < 0 ? SLOTS + 1 : of->end;
}

/* Record it in both ledgers. */
static void record_wish(struct game *g, struct selection *sel,
                        const struct wish *wish, const struct lease *of,
                        bool staged)
{
    const struct term terms = terms_of(of, staged);

    if (fills_shared(&g->naive, of->job, wish))
        return;
    once_allocate(g->rs, job_names[of->job], sel, &terms);
    naive_give(&g->naive, wish, of, staged);
}

/* === ledger chosen ====================================================== */

/* Moves that choose pools at random, and allocate or release them. */

/* --- choosing
   --------------------------------------------------------------- */

/* Is no pool in it or above it chosen yet? */
static bool is_apart(const struct world *w, const struct part *part, int p)
{
    for (int q = p; q < w->pool[p].end; q++)
        if (part->units[q])
            return false;
    for (int up = w->pool[p].parent; up >= 0; up = w->pool[up].parent)
        if (part->whole[up] || part->shared[up])
            return false;
    return true;
}

static void add_above(const struct world *w, struct part *part, int p)
{
    for (int up = w->pool[p].parent; up >= 0; up = w->pool[up].parent)
        part->units[up] = w->pool[up].size;
}

/* A whole composite pool. All, none or some of its contents are listed. */
static void choose_whole(const struct world *w, struct part *part,
                         struct wish *wish, int p)
{
    unsigned all = random_below(w->graph ? 3 : 2);

    wish->claim[p] = w->pool[p].size;
    part->units[p] = w->pool[p].size;
    part->whole[p] = true;
    for (int q = p + 1; q < w->pool[p].end && all == 0; q++) {
        part->units[q] = w->pool[q].size;
        part->whole[q] = true;
    }
    if (all != 1)
        return;
    for (int tries = 3; tries > 0; tries--) {
        int q = p + 1 + (int)random_below((uint32_t)(w->pool[p].end - p - 1));
        if (!is_leaf(w, q))
            continue;
        part->units[q] = 1 + (int)random_below((uint32_t)w->pool[q].size);
        for (int up = q; up > p; up = w->pool[up].parent) {
            part->units[up] = up == q ? part->units[q] : w->pool[up].size;
            part->whole[up] = true;
        }
    }
    for (int q = p + 1; q < w->pool[p].end; q++)
        wish->listed[q] = part->units[q];
}

/* If all contents are listed with all units, the list is dropped. */
static void settle_whole(const struct world *w, struct part *part,
                         struct wish *wish, int p)
{
    int missing = 0, listed = 0;

    for (int q = p + 1; q < w->pool[p].end; q++) {
        missing += wish->listed[q] < w->pool[q].size;
        listed += wish->listed[q] > 0;
    }
    if (missing == 0)
        memset(&wish->listed[p + 1], 0,
               (size_t)(w->pool[p].end - p - 1) * sizeof(wish->listed[0]));
    if (listed == 0 && !w->graph) /* an R has to list something */
        for (int q = p + 1; q < w->pool[p].end; q++)
            part->units[q] = w->pool[q].size;
}

static void choose_one(const struct world *w, struct part *part,
                       struct wish *wish, int p)
{
    const struct pool *pool = &w->pool[p];
    int top = marked_above(w, p);

    if (is_loose(w, p) || (top >= 0 && top != p) || !is_apart(w, part, p)
        || (p == 0 && !one_in(20)) || (!w->graph && p == 0))
        return;
    add_above(w, part, p);
    if (w->graph && top < 0 && p > 0 && one_in(6)) {
        part->units[p] = pool->size;
        part->shared[p] = wish->share[p] = true;
        return;
    }
    if (!is_leaf(w, p)) {
        choose_whole(w, part, wish, p);
        settle_whole(w, part, wish, p);
        return;
    }
    part->units[p] = wish->claim[p] = pool->exclusive || one_in(3)
                                          ? pool->size
                                          : 1
                                                + (int)random_below(
                                                    (uint32_t)pool->size);
}

/* Choose some pools and what to record of them. */
static void choose_part(const struct world *w, struct part *part,
                        struct wish *wish)
{
    *part = (struct part){0};
    *wish = (struct wish){0};
    for (int tries = 1 + (int)random_below(4); tries > 0; tries--)
        choose_one(w, part, wish, (int)random_below((uint32_t)w->n));
}

static struct rset *part_set(const struct world *w, const struct part *part)
{
    char *text = w->graph ? part_graph(w, part) : part_plain(w, part, "holds");
    struct rset *rs = read_set(text);

    free(text);
    return rs;
}

static struct selection *select_part(struct game *g, const struct part *part)
{
    struct rset *R = part_set(&g->world, part);
    struct selection *sel = NULL;
    struct diag d = {0};
    int rc = cover_select(g->rs, R, &sel, &d);

    rset_destroy(R);
    check(g, SELECTED, rc == 0, d.text);
    return sel;
}

/* Select pools by path with units, as --take and --give do. */
static struct selection *select_paths(struct game *g, struct wish *wish)
{
    const struct world *w = &g->world;
    struct selection *sel = selection_create();

    *wish = (struct wish){0};
    for (int tries = 1 + (int)random_below(3); tries > 0; tries--) {
        int p = (int)random_below((uint32_t)w->n), top = marked_above(w, p);
        bool apart = top < 0 || top == p;
        for (int q = 0; q < w->n; q++)
            if (wish->claim[q]
                && (q == p || is_below(w, q, p) || is_below(w, p, q)))
                apart = false;
        if (apart && p > 0)
            wish->claim[p] = top == p ? w->pool[p].size
                                      : 1
                                            + (int)random_below(
                                                (uint32_t)w->pool[p].size);
    }
    for (int p = 0; p < w->n; p++)
        if (wish->claim[p]) {
            struct lot *lot = pool_lot(w, g->rs, p);
            selection_take(sel, g->rs->usage, lot, wish->claim[p]);
        }
    return sel;
}

static void play_chosen(struct game *g, int job)
{
    struct lease of = random_lease(g, job);
    int from = lease_from(g, &of), to = lease_to(&of);
    const struct term unlocked = terms_of(&of, false);
    bool paths = one_in(2), may;
    bool staged = !naive_knows(&g->naive, job) && one_in(4);
    struct selection *sel;
    struct naming named;
    struct part part;
    struct wish wish, got;
    struct diag d = {0};

    if (!paths)
        choose_part(&g->world, &part, &wish);
    sel = paths ? select_paths(g, &wish) : select_part(g, &part);
    if (!sel)
        return;
    named = name_selection(&g->world, sel);
    got = wish_of(&g->world, &named);
    game_note(&g->play, " %s:%s[%d,%d)%s{", job_names[job],
              paths ? "paths" : "R", of.start, of.end, staged ? "staged" : "");
    for (int p = 0; p < g->world.n; p++)
        if (wish.claim[p] + wish.listed[p] + wish.share[p])
            game_note(&g->play, " %s%d@%d=%d/%d/%d",
                      kind_names[g->world.pool[p].kind], g->world.pool[p].id,
                      g->world.pool[p].rank, wish.claim[p], wish.listed[p],
                      wish.share[p]);
    check_none(g, SELECTED, named.fault);
    check(g, SELECTED, !memcmp(&got, &wish, sizeof(got)),
          "selected what was not chosen");
    may = naive_may_grow(&g->naive, &wish, &of, from, to);
    game_note(&g->play, "} %s;", may ? "yes" : "no");
    check(g, FREE,
          once_is_free(g->rs, job_names[job], sel, &unlocked,
                       moment_time(g->naive.now), &d)
              == may,
          may ? d.text : "free what is taken");
    if (may && !g->play.over)
        record_wish(g, sel, &wish, &of, staged);
    selection_destroy(sel);
}

/* --- release
   ----------------------------------------------------------------- */

/* From a run take some of the first or last picked members. */
static void thin_members(struct pick *p)
{
    uint64_t drop = random_below((uint32_t)p->nmembers);

    p->nmembers -= drop;
    while (one_in(2) && drop-- > 0)
        p->first = idset_next(p->v->run, p->first);
}

static struct pick *thin(struct pick *list)
{
    struct pick *first = NULL, **end = &first;

    for (struct pick *p = list, *next; p; p = next) {
        bool leaf = !p->child;
        next = p->next;
        p->next = NULL;
        p->child = thin(p->child);
        if (leaf ? one_in(2) : !p->child)
            continue;
        if (leaf && p->nmembers)
            thin_members(p);
        else if (leaf && one_in(2)) {
            p->amount = 1 + (int64_t)random_below((uint32_t)p->amount);
        }
        *end = p;
        end = &p->next;
    }
    return first;
}

static struct selection *select_some(struct game *g, int job)
{
    struct selection *sel = once_holdings(g->rs, job_names[job]);

    sel->picks = thin(sel->picks);
    return sel;
}

static void note_gift(struct game *g, int job, const struct gift *gift)
{
    game_note(&g->play, " %s gives{", job_names[job]);
    for (int p = 0; p < g->world.n; p++)
        if (gift->units[p] + gift->share[p])
            game_note(&g->play, " %s%d@%d=%d/%d",
                      kind_names[g->world.pool[p].kind], g->world.pool[p].id,
                      g->world.pool[p].rank, gift->units[p], gift->share[p]);
}

static void play_shrink(struct game *g)
{
    int job = some_job();
    struct wish wish = {0};
    struct part part;
    struct selection *sel;
    struct naming named;
    struct gift gift;
    struct diag d = {0};
    bool gives;
    int rc;

    if (one_in(4))
        choose_part(&g->world, &part, &wish);
    else
        part.units[0] = 0;
    sel = part.units[0]     ? select_part(g, &part)
          : random_below(3) ? select_some(g, job)
                            : select_paths(g, &wish);
    if (!sel)
        return;
    named = name_selection(&g->world, sel);
    gift = gift_of(&g->world, &named);
    note_gift(g, job, &gift);
    gives = naive_take_back(&g->naive, job, &gift);
    game_note(&g->play, "} %s;", gives ? "yes" : "no");
    check_none(g, TAKEN_BACK, named.fault);
    rc = once_shrink(g->rs, job_names[job], sel, &d);
    check(g, TAKEN_BACK, rc == !gives,
          gives ? d.text : "it gave what it does not have");
    selection_destroy(sel);
}

static void release(struct game *g, int job)
{
    bool known = naive_knows(&g->naive, job);

    game_note(&g->play, " %s releases;", job_names[job]);
    naive_release(&g->naive, job);
    check(g, TAKEN_BACK, once_release(g->rs, job_names[job]) == known,
          "released what was not there, or not what was");
}

static void play_staged(struct game *g, int job)
{
    bool commit = one_in(2), found = naive_commit(&g->naive, job);

    game_note(&g->play, " %s %s;", job_names[job],
              commit ? "commits" : "aborts");
    if (found && !commit)
        naive_release(&g->naive, job);
    check(g, TAKEN_BACK,
          (commit ? once_commit : once_abort)(g->rs, job_names[job]) == found,
          "staged, or not");
}

enum { STEPS = 40 };

/* --- requests ----------------------------------------------------------- */

static void check_no(struct game *g, const struct ask *a,
                     enum match_answer answer, int from, int to)
{
    static struct naive empty;
    int now = could_have(&g->naive, a, from, to), ever;

    empty = (struct naive){.w = &g->world};
    naive_fill(&empty);
    ever = could_have(&empty, a, 0, SLOTS + 1);
    check(g, ANSWER, now < 0 || (answer == MATCH_FOUND) == now,
          answer == MATCH_FOUND ? "found resources that are not free"
                                : "did not find free resources");
    check(g, ANSWER, ever < 0 || (answer != MATCH_NEVER) == ever,
          "never, or not now");
}

/* Check that a plan passes all checks, also the checks of chosen pools. */
static void check_plan(struct game *g, const struct selection *sel,
                       const struct lease *of, bool staged)
{
    const struct term terms = terms_of(of, staged);
    unsigned flags[] = {0, PLAN_CHOSEN};
    struct diag d = {0};

    for (int i = 0; i < 2; i++) {
        enum plan_answer answer = plan_check(
            usage_begin(g->rs), job_names[of->job], sel, &terms,
            moment_time(g->naive.now), flags[i], &d);
        check(g, SELECTED, answer == PLAN_GOOD || answer == PLAN_UNSAYABLE,
              d.text);
    }
}

static void play_request(struct game *g, int job)
{
    struct ask a = random_ask(&g->world);
    struct lease of = random_lease(g, job);
    int from = lease_from(g, &of), to = lease_to(&of);
    struct match_options opts = {.now = moment_time(g->naive.now),
                                 .start = moment_time(from)};
    bool staged = !naive_knows(&g->naive, job) && one_in(4);
    struct selection *sel = NULL;
    struct diag d = {0};
    struct request *req = request_from_shape(a.text, &d);
    enum match_answer answer = MATCH_ERROR;
    struct naming named;
    struct wish wish;

    game_note(&g->play, " %s:%s[%d,%d)%s", job_names[job], a.text, of.start,
              of.end, staged ? "staged" : "");
    if (req) {
        req->duration = to > SLOTS ? 0 : moment_time(to) - moment_time(from);
        answer = match_find(usage_begin(g->rs), req, &opts, &sel, &d);
    }
    request_destroy(req);
    check(g, ANSWER, answer != MATCH_ERROR, d.text);
    check_no(g, &a, answer, from, to);
    if (answer == MATCH_FOUND && !g->play.over) {
        named = name_selection(&g->world, sel);
        wish = wish_of(&g->world, &named);
        check_none(g, SELECTED, named.fault);
        check(g, SELECTED, naive_may(&g->naive, &wish, from, to),
              "selected what is not free");
        check(g, SELECTED, answers_ask(&g->naive, &wish, &a),
              "selected more or less than was asked for");
        check_plan(g, sel, &of, staged);
        if (!g->play.over)
            record_wish(g, sel, &wish, &of, staged);
    }
    if (answer == MATCH_FOUND)
        selection_destroy(sel);
    game_note(&g->play, answer == MATCH_FOUND ? " yes;" : " no;");
}

/* --- time --------------------------------------------------------------- */

static void count_ended(const char *job, double end, void *arg)
{
    int *n = arg;

    (void)end;
    *n += job_number(job) >= 0;
}

static void play_expire(struct game *g)
{
    int want = naive_expire(&g->naive), told = 0;
    size_t got = once_expire(g->rs, moment_time(g->naive.now), count_ended,
                             &told);

    game_note(&g->play, " expire %d;", want);
    check(g, TIME, got == (size_t)want && told == want,
          "not as many jobs ended as did");
}

static void play_extend(struct game *g)
{
    int job = some_job();
    int end = one_in(4) ? NEVER : 1 + (int)random_below(SLOTS);
    bool may = naive_extend(&g->naive, job, end);
    struct diag d = {0};

    game_note(&g->play, " %s extend %d %s;", job_names[job], end,
              may ? "yes" : "no");
    check(g, TIME,
          once_extend(g->rs, job_names[job], moment_time(end),
                      moment_time(g->naive.now), &d)
              == !may,
          may ? d.text : "extended into what is taken");
}

static void play_tick(struct game *g)
{
    if (g->naive.now < SLOTS - 1)
        g->naive.now++;
    game_note(&g->play, " now %d;", g->naive.now);
}

/* --- states and tags ---------------------------------------------------- */

static void set_state(struct game *g, int p, enum pool_state state)
{
    struct lot *lot = pool_lot(&g->world, g->rs, p);

    lot_set_state(g->rs->usage, lot, state);
    lot_join(g->rs->usage, lot);
    g->naive.state[p] = state;
}

static void set_tag(struct game *g, int p, bool tagged)
{
    struct vertex *v = pool_vertex(&g->world, g->rs, p);

    if (tagged)
        vertex_tag(v, "blue", NULL);
    else
        vertex_untag(v, "blue");
    g->naive.tagged[p] = tagged;
}

/* An R without a graph names targets and their contents. */
static int any_pool(const struct game *g)
{
    int first = g->world.graph ? 0 : 1;

    return first + (int)random_below((uint32_t)(g->world.n - first));
}

static void play_state(struct game *g)
{
    int p = any_pool(g);
    enum pool_state state = one_in(2) ? STATE_UP : random_below(POOL_STATES);

    set_state(g, p, state);
    game_note(&g->play, " %s%d@%d %s;", kind_names[g->world.pool[p].kind],
              g->world.pool[p].id, g->world.pool[p].rank,
              pool_state_names[state]);
}

static void play_tag(struct game *g)
{
    int p = any_pool(g);

    set_tag(g, p, !g->naive.tagged[p]);
    game_note(&g->play, " tag;");
}

/* --- after each move
   ------------------------------------------------------- */

static bool record_fault(const struct fault *f)
{
    return f->level != FAULT_STRICT || !strncmp(f->rule->name, "record-", 7)
           || !strcmp(f->rule->name, "exclusive-shared");
}

static void check_faults(struct game *g, const char *text)
{
    struct faults faults = {.strict = true};
    struct diag d = {0};
    struct stream *s = stream_open_text(text, strlen(text), "set");

    rset_validate(s, TRUST_NONE, &faults, &d);
    stream_close(s);
    for (size_t i = 0; i < faults.n; i++) {
        const struct fault *f = &faults.list[i];
        if (record_fault(f))
            check_none(g, FAULTS,
                       trouble("%s: %s: %s", f->rule->name, f->where, f->text));
    }
    g->laws[FAULTS].cases++;
    faults_fini(&faults);
}

static size_t differ(const char *a, const char *b)
{
    size_t i = 0;

    while (b && a[i] && a[i] == b[i])
        i++;
    return i > 20 ? i - 20 : 0;
}

/* Write the set, check it and read it back. Takes `set` over and returns the
   copy. */
static struct rset *through_a_pipe(struct game *g, enum rset_form form)
{
    char *text = write_set(g->rs, form), *again;
    struct rset *copy;

    if (!check(g, FORMS, text != NULL, "can't be written"))
        return NULL;
    check_faults(g, text);
    copy = g->play.over ? NULL : read_set(text);
    again = copy ? write_set(copy, form) : NULL;
    if (copy)
        check(g, FORMS, again && !strcmp(text, again),
              trouble("differ at %.120s", text + differ(text, again)));
    free(text);
    free(again);
    return copy;
}

static void check_told(struct game *g)
{
    struct naive *n = &g->naive;
    int moment = n->now + (int)random_below((uint32_t)(SLOTS + 1 - n->now));

    for (int job = 0; job < JOBS && !g->play.over; job++)
        check_none(g, TELLS, check_job(n, g->rs, job));
    if (!g->play.over)
        check_none(g, TELLS, check_available(n, g->rs, moment, one_in(2)));
}

static void check_all(struct game *g)
{
    int twice = naive_fill(&g->naive);
    struct rset *copy;

    check(g, RECORDS, twice == NO_POOL, "a unit is promised twice");
    if (!g->play.over)
        check_none(g, RECORDS, check_records(&g->naive, g->rs));
    if (!g->play.over)
        check_told(g);
    if (!g->play.over && one_in(4)) /* contents of R_lite */
        rset_destroy(through_a_pipe(g, FORM_R));
    copy = g->play.over ? NULL : through_a_pipe(g, FORM_AS_READ);
    if (copy)
        check_none(g, FORMS, check_records(&g->naive, copy));
    if (copy && one_in(2)) {
        struct rset *old = g->rs;
        g->rs = copy;
        copy = old;
    }
    rset_destroy(copy);
}

/* --- games -------------------------------------------------------------- */

static void play_give(struct game *g)
{
    int job = some_job();
    bool staged = false;

    for (int p = 0; p < g->world.n; p++)
        staged = staged || g->naive.staged[p] == job + 1;
    if (staged)
        play_staged(g, job);
    else if (one_in(2))
        play_request(g, job);
    else
        play_chosen(g, job);
}

static void play_release(struct game *g)
{
    release(g, some_job());
}

static const struct game_move moves[] = {{"give", 11, play_give},
                                         {"shrink", 3, play_shrink},
                                         {"release", 1, play_release},
                                         {"expire", 1, play_expire},
                                         {"tick", 1, play_tick},
                                         {"extend", 1, play_extend},
                                         {"state", 1, play_state},
                                         {"tag", 1, play_tag},
                                         {0}};
static game_fn *const checks[] = {check_all, NULL};

/* Release everything and undo all states: the bytes are the first ones. */
static void end_game(struct game *g)
{
    char *end;

    for (int job = 0; job < JOBS; job++)
        release(g, job);
    for (int p = 0; p < g->world.n; p++) {
        if (g->naive.state[p] != STATE_UP)
            set_state(g, p, STATE_UP);
        if (g->naive.tagged[p])
            set_tag(g, p, false);
    }
    end = write_set(g->rs, FORM_AS_READ);
    check(g, BYTES, end && !strcmp(g->start, end),
          trouble("became %.200s", end));
    free(end);
}

static long play(const struct plan_of_world *plan, struct law laws[LAWS])
{
    static struct game g;
    long steps;

    g = (struct game){.play = {.moves = moves, .checks = checks}, .laws = laws};
    world_make(&g.world, plan);
    g.naive.w = &g.world;
    g.rs = world_set(&g.world);
    g.start = write_set(g.rs, FORM_AS_READ);
    steps = game_play(&g.play, &g, STEPS);
    if (!g.play.over)
        end_game(&g);
    game_end(&g.play);
    free(g.start);
    rset_destroy(g.rs);
    return steps;
}

static const struct plan_of_world plans[] = {
    {.name = "R"},
    {.name = "R with exclusive nodes", .marked = true},
    {.name = "flat graphs", .graph = true},
    {.name = "graphs with sockets and licences",
     .graph = true,
     .sockets = true,
     .licences = true},
    {.name = "graphs with racks, licences and power",
     .graph = true,
     .racks = true,
     .licences = true,
     .power = true},
    {.name = "graphs with everything, and exclusive pools",
     .graph = true,
     .racks = true,
     .sockets = true,
     .licences = true,
     .power = true,
     .marked = true},
};
enum { PLANS = sizeof(plans) / sizeof(plans[0]) };

static void test_plan(const struct plan_of_world *plan, long steps)
{
    struct law laws[LAWS] = {0};

    printf("# %s\n", plan->name);
    for (int i = 0; i < LAWS; i++)
        laws[i].name = law_names[i];
    while (steps > 0)
        steps -= play(plan, laws);
    for (int i = 0; i < LAWS; i++)
        law_end(&laws[i]);
}

int main(void)
{
    long steps = random_start(4000);

    for (int i = 0; i < PLANS; i++)
        test_plan(&plans[i], steps / PLANS + 1);
    return done_testing();
}

/*
 * rset-alloc nodes: a row for each node. Also the groups of rset-alloc status
 * --by: a row for nodes that have something in common. Both step through lots,
 * so that equal nodes are visited once.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/memory.h"
#include "base/near.h"
#include "model/tree/properties.h"
#include "cli/terminal.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "model/tree/types.h"
#include "model/tree/units.h"
#include "view/holders.h"

/* The units in a pool, in the order of the columns of tables. */
enum { CORES, FREE_CORES, GPUS, FREE_GPUS, MEMORY, FREE_MEMORY, UNITS };

/* A node, or a pool without a node in it or above it. */
struct pool_totals {
    struct lot *lot;
    int64_t n; /* number of equal ones */
    struct holders holders;
    int64_t units[UNITS]; /* in each of them */
};

/* Get the totals of a lot. End with holders_fini() for the holders. */
static struct pool_totals totals_of(struct usage *u, struct lot *lot)
{
    static const char *const types[] = {"core", "gpu", "memory"};
    struct pool_totals s = {
        .lot = lot, .n = lot_pools(lot, NULL), .holders = holders_of(u, lot)};

    for (int i = 0; i < UNITS; i += 2) {
        int type = usage_type_named(u, types[i / 2]);
        s.units[i] = pool_total(u, lot, type);
        s.units[i + 1] = pool_free(u, lot, type);
    }
    return s;
}

bool alloc_any_nodes(const struct alloc_call *call)
{
    const struct lots *lots = &call->tops;

    return VECTOR_FIND(i, lots->n,
                       type_is_node(lots->list[i]->v->type)
                           || pool_has_nodes(call->rs->usage, lots->list[i]))
           < lots->n;
}

/* Check the size of a table with a row for each pool of a type (-1: node). */
static int check_rows(struct alloc_call *call, int ntype)
{
    uint64_t n = pools_count(call->rs->usage, &call->tops, ntype);

    return cli_check_parts(
        "a table", n, alloc_as_data(call) ? PART_JSON_ROW : PART_ROW, &call->d);
}

/* --- nodes ---------------------------------------------------------------- */

enum {
    COL_HOST,
    COL_RANK,
    COL_STATE,
    COL_JOBS,
    COL_UNITS,
    COL_PROPERTIES = COL_UNITS + UNITS,
    COL_REASON,
    COL_SINCE,
    COL_RESERVED
};

const struct table_column alloc_nodes_columns[] = {
    [COL_HOST] = {"host", CELL_NAME, false},
    [COL_RANK] = {"rank", CELL_NUMBER, false},
    [COL_STATE] = {"state", CELL_STATE, false},
    [COL_JOBS] = {"jobs", CELL_LIST, false},
    [COL_UNITS + CORES] = {"cores", CELL_NUMBER, false},
    [COL_UNITS + FREE_CORES] = {"free_cores", CELL_NUMBER, false},
    [COL_UNITS + GPUS] = {"gpus", CELL_NUMBER, false},
    [COL_UNITS + FREE_GPUS] = {"free_gpus", CELL_NUMBER, false},
    [COL_UNITS + MEMORY] = {"memory", CELL_NUMBER, true},
    [COL_UNITS + FREE_MEMORY] = {"free_memory", CELL_NUMBER, true},
    [COL_PROPERTIES] = {"properties", CELL_LIST, false},
    [COL_REASON] = {"reason", CELL_PROSE, false},
    [COL_SINCE] = {"since", CELL_TIME, true},
    [COL_RESERVED] = {"reserved", CELL_LIST, true},
    {0}};

/* Return a property as in an R, NAME or NAME=VALUE, a new string. */
static char *named_property(const struct property *p)
{
    char *text;

    xasprintf(&text, "%s%s%s", p->key, *p->value ? "=" : "", p->value);
    return text;
}

/* Return the MiB in a unit of the first memory in a set; 1 if that is not
   known. */
static double memory_unit(const struct rset *rs)
{
    const struct vertex *v = rset_first(rs);

    while (v && strcmp(v->type, "memory") != 0)
        v = rset_next(rs, v);
    return v && v->unit && unit_bytes(v->unit) > 0
               ? (double)unit_bytes(v->unit) / 0x1p20
               : 1;
}

/* Add the row of member n of a run, or of a single node. */
static void add_row(struct table *t, const struct rset *rs,
                    const struct pool_totals *s, double unit, uint32_t n)
{
    const struct vertex *v = s->lot->v;
    const struct properties *list = v->properties;
    const struct holders *h = &s->holders;
    json_t *since = json_object_get(holders_tag(h), "time"),
           *names = list && list->count ? json_array() : NULL;
    char buf[VERTEX_NAME_MAX], *text = xstrdup("");

    table_row(t);
    table_text(t, COL_HOST, vertex_name(rs, v, n, buf));
    if (vertex_is_target(v))
        table_number(t, COL_RANK, v->run ? n : v->rank);
    table_text(t, COL_STATE, holders_word(h));
    holders_put(t, COL_JOBS, &h->jobs);
    for (int i = CORES; i < MEMORY; i++)
        table_number(t, COL_UNITS + i, s->units[i]);
    for (int i = MEMORY; i < UNITS && s->units[MEMORY] > 0; i++)
        table_number(t, COL_UNITS + i, (int64_t)((double)s->units[i] * unit));
    for (unsigned i = 0; list && i < list->count; i++) {
        char *before = text, *one = named_property(&list->list[i]);
        xasprintf(&text, "%s%s%s", before, i ? "," : "", one);
        json_array_append_new(names, json_string(one));
        free(before);
        free(one);
    }
    table_list(t, COL_PROPERTIES, text, names);
    free(text);
    table_text(t, COL_REASON, holders_reason(h));
    if (json_is_number(since))
        table_seconds(t, COL_SINCE, json_number_value(since));
    holders_put(t, COL_RESERVED, &h->later);
}

/* Is a node in one of the states of a list? NULL: any state. */
static bool is_in_state(const struct holders *h, const char *list)
{
    return !list || cli_has_word(list, holders_word(h))
           || (!h->out && cli_has_word(list, "up"));
}

/* A terminal with so many columns has room for memory, too. */
enum { WIDE = 110 };

/* Show memory, if the set has any and nobody has chosen columns. */
static void show_memory(struct alloc_call *call)
{
    struct table_choice *c = &call->choice;
    size_t at = VECTOR_FIND(i, c->ncolumns, c->columns[i] == COL_PROPERTIES);

    if (call->options->table.columns || alloc_as_data(call)
        || cli_width(stdout, false) < WIDE
        || rset_count(call->rs, NULL, "memory") == 0 || at == c->ncolumns)
        return;
    memmove(&c->columns[at + 2], &c->columns[at], c->ncolumns - at);
    c->columns[at] = COL_UNITS + MEMORY;
    c->columns[at + 1] = COL_UNITS + FREE_MEMORY;
    c->ncolumns += 2;
}

/* Return the node that a listed lot is, or is a part of; NULL: there is none,
   or the walk has been there. */
static struct lot *node_of(struct lot *lot, uint32_t walk)
{
    while (lot->parent && !type_is_node(lot->v->type))
        lot = lot->parent;
    return lot->parent && lot_visit(lot, walk) ? lot : NULL;
}

int alloc_nodes(struct alloc_call *call)
{
    const char *states = call->options->state;
    struct usage *u = call->rs->usage;
    double unit = memory_unit(call->rs);
    uint32_t walk = usage_walk(u);
    struct table *t;
    struct lot *lot = NULL;
    size_t top = 0;
    bool any = false;

    if (check_rows(call, -1) < 0)
        return alloc_trouble(call);
    show_memory(call);
    t = table_create(alloc_nodes_columns);
    while ((lot = place_next(u, &call->tops, &top, lot))) {
        struct lot *node = node_of(lot, walk);
        struct pool_totals totals;
        if (!node)
            continue;
        totals = totals_of(u, node);
        for (uint32_t i = 0;
             i < node->n && is_in_state(&totals.holders, states);
             i++, any = true)
            add_row(t, call->rs, &totals, unit, node->at + i);
        holders_fini(&totals.holders);
    }
    if (states && !any) {
        table_destroy(t);
        return alloc_no(call, "no node is %s", states);
    }
    alloc_put_table(call, "nodes", t);
    return STATUS_OK;
}

/* --- states --------------------------------------------------------------- */

enum { COL_IN_STATE, COL_COUNT, COL_HOSTS, COL_WHY };

const struct table_column alloc_states_columns[] = {
    [COL_IN_STATE] = {"state", CELL_STATE, false},
    [COL_COUNT] = {"nodes", CELL_NUMBER, false},
    [COL_HOSTS] = {"hosts", CELL_NAME, false},
    [COL_WHY] = {"reason", CELL_PROSE, false},
    {0}};

/* Nodes in one state for one reason. */
struct state_row {
    struct holders h; /* of the first one, without jobs */
    struct hostlist *hosts;
};

static int compare_states(const void *a, const void *b)
{
    const struct state_row *x = a, *y = b;
    const char *p = holders_reason(&x->h), *q = holders_reason(&y->h);
    int c = (int)x->h.use - (int)y->h.use;

    if (c == 0)
        c = (int)x->h.state - (int)y->h.state;
    return c ? c : strcmp(p ? p : "", q ? q : "");
}

struct table *alloc_states(struct alloc_call *call)
{
    struct usage *u = call->rs->usage;
    struct table *t;
    struct state_row *list = NULL;
    struct lot *lot = NULL, *node;
    uint32_t walk = usage_walk(u);
    size_t top = 0, n = 0;

    if (cli_check_parts("a table", pools_count(u, &call->tops, -1), PART_HOST,
                        &call->d)
        < 0)
        return NULL;
    t = table_create(alloc_states_columns);
    while ((lot = place_next(u, &call->tops, &top, lot))) {
        struct state_row row = {0};
        size_t at;
        if (!(node = node_of(lot, walk)))
            continue;
        row.h = holders_of(u, node);
        holders_fini(&row.h);
        at = VECTOR_FIND(i, n, compare_states(&list[i], &row) == 0);
        if (at == n) {
            row.hosts = hostlist_create();
            VECTOR_ADD(list, n, row);
        }
        for (uint32_t i = 0; i < node->n; i++) {
            char buf[VERTEX_NAME_MAX];
            const char *name = vertex_name(call->rs, node->v, node->at + i,
                                           buf);
            hostlist_append(list[at].hosts, name);
        }
    }
    VECTOR_SORT(list, n, compare_states);
    for (size_t i = 0; i < n; i++) {
        char *text = hostlist_encode(list[i].hosts);
        table_row(t);
        table_text(t, COL_IN_STATE, holders_word(&list[i].h));
        table_number(t, COL_COUNT, (int64_t)hostlist_count(list[i].hosts));
        table_text(t, COL_HOSTS, text);
        table_text(t, COL_WHY, holders_reason(&list[i].h));
        free(text);
        hostlist_destroy(list[i].hosts);
    }
    free(list);
    return t;
}

/* --- groups --------------------------------------------------------------- */

enum { COL_GROUP, COL_NODES, COL_USE };
enum { GROUP_UNITS = COL_USE + PAINT_DRAINED + 1 };

const struct table_column alloc_groups_columns[] = {
    [COL_GROUP] = {"group", CELL_NAME, false},
    [COL_NODES] = {"nodes", CELL_NUMBER, false},
    [COL_USE + PAINT_IDLE] = {"idle", CELL_NUMBER, false},
    [COL_USE + PAINT_MIXED] = {"mixed", CELL_NUMBER, false},
    [COL_USE + PAINT_FULL] = {"full", CELL_NUMBER, false},
    [COL_USE + PAINT_DRAINED] = {"down", CELL_NUMBER, false},
    [GROUP_UNITS + CORES] = {"cores", CELL_NUMBER, false},
    [GROUP_UNITS + FREE_CORES] = {"free_cores", CELL_NUMBER, false},
    [GROUP_UNITS + GPUS] = {"gpus", CELL_NUMBER, false},
    [GROUP_UNITS + FREE_GPUS] = {"free_gpus", CELL_NUMBER, false},
    {0}};
enum { GROUP_COLUMNS = GROUP_UNITS + MEMORY };

struct node_group {
    const char *name;
    int64_t sums[GROUP_COLUMNS]; /* by column */
};

struct grouping {
    const char *by;   /* NULL: one group of all */
    const char *type; /* interned type of the pools that are groups; NULL: group
                         by property */
    struct map known; /* of the groups, by name */
    struct node_group *list;
    size_t n;
};

/* Return the sums of a group, which is made if it is new. */
static int64_t *group_sums(struct grouping *g, const char *name)
{
    size_t i = map_number(&g->known, name, strlen(name));

    if (i == g->n)
        VECTOR_ADD(g->list, g->n,
                   (struct node_group){.name = g->known.slots[i].key});
    return g->list[i].sums;
}

static void add_to_group(struct grouping *g, const char *name,
                         const struct pool_totals *s, int64_t n)
{
    int64_t *sums = group_sums(g, name);
    enum paint_state use = s->holders.use;

    if (type_is_node(s->lot->v->type)) {
        sums[COL_NODES] += n;
        sums[COL_USE + (use < PAINT_DRAINED ? use : PAINT_DRAINED)] += n;
    }
    for (int i = CORES; i < MEMORY; i++)
        sums[GROUP_UNITS + i] += s->units[i] * n;
}

/* Add nodes to the group of each property, or of the values of one. */
static void group_by_property(struct grouping *g, const struct pool_totals *s)
{
    const struct properties *list = s->lot->v->properties;
    bool all = !strcmp(g->by, "property"), any = false;

    for (unsigned i = 0; list && i < list->count; i++) {
        char *name;
        if (!all && !property_value(&list->list[i], g->by, strlen(g->by)))
            continue;
        name = named_property(&list->list[i]);
        add_to_group(g, name, s, s->n);
        free(name);
        any = true;
    }
    if (!any)
        add_to_group(g, "", s, s->n);
}

/* Do links lead to v from `from`, or from a lot between it and `to`? */
static bool leads_to(const struct usage *u, const struct lot *from,
                     const struct lot *to, const struct vertex *v)
{
    const struct reach *list;

    for (; from != to; from = from->parent)
        for (size_t n = usage_reach(u, from->v, &list); n > 0; n--)
            if (list[n - 1].v == v)
                return true;
    return false;
}

/* Add nodes to the group of the pool above them, or of pools whose links reach
   them or a pool above them. */
static void group_by_type(struct grouping *g, const struct usage *u,
                          const struct pool_totals *s)
{
    const struct lot *up = s->lot;
    const struct reach *to;
    char buf[VERTEX_NAME_MAX];
    bool any = false;

    for (; up->parent && up->v->type != g->type; up = up->parent)
        for (size_t i = 0, n = usage_reach(u, up->v, &to); i < n; i++) {
            const struct vertex *v = to[i].v;
            if (v->type != g->type || leads_to(u, s->lot, up, v))
                continue;
            add_to_group(g, vertex_name(usage_rset(u), v, 0, buf), s, s->n);
            any = true;
        }
    for (uint32_t i = 0; up->parent && i < up->n; i++)
        add_to_group(g, vertex_name(usage_rset(u), up->v, up->at + i, buf), s,
                     s->n / up->n);
    if (!any && !up->parent)
        add_to_group(g, "", s, s->n);
}

/* Do pools of this type group nodes? They may be nodes, contain nodes, or have
   links to nodes. */
static bool groups_nodes(const struct usage *u, int type)
{
    const struct types *types = usage_types(u);

    for (int t = 0; t < (int)types->count; t++)
        for (int up = 0; types->flags[t] & TYPE_NODE && up < (int)types->count;
             up++)
            if ((up == t || types_below(types, t, up))
                && (up == type || usage_reaches(u, up, type)))
                return true;
    return false;
}

void alloc_each_group(struct rset *rs, word_fn *next, void *arg)
{
    const struct usage *u = usage_begin(rs);

    for (int t = 0; t < (int)usage_types(u)->count; t++)
        if (groups_nodes(u, t))
            next(arg, usage_types(u)->names[t]);
}

/* Sort by name; the group without a name comes last. */
static int compare_groups(const void *a, const void *b)
{
    const char *x = ((const struct node_group *)a)->name,
               *y = ((const struct node_group *)b)->name;

    return *x && *y ? strverscmp(x, y) : !*x - !*y;
}

/* Refuse a --by that is neither a type that groups nodes nor a property. */
static void refuse_by(struct alloc_call *call, const char *by)
{
    struct near near = {.word = by, .len = strlen(by)};

    near_try(&near, "property");
    near_try(&near, "state");
    near_try(&near, "type");
    type_each(call->rs, near_try, &near);
    rset_each_property(call->rs, near_try, &near);
    if (usage_type_named(call->rs->usage, by) >= 0)
        diag_set(&call->d, "--by: no node lies in a %s", by);
    else
        diag_set(&call->d, "--by: %s is neither a type nor a property%s",
                 quote(by, near.len).text, near.text);
}

struct table *alloc_groups(struct alloc_call *call)
{
    struct grouping g = {.by = call->options->by};
    struct usage *u = call->rs->usage;
    struct table *t = NULL;
    int type = g.by ? usage_type_named(u, g.by) : -1;
    struct lot *lot = NULL;
    size_t top = 0;

    if (type >= 0 && groups_nodes(u, type))
        g.type = usage_types(u)->names[type];
    if (g.type && check_rows(call, type) < 0)
        return NULL;
    if (!g.by)
        group_sums(&g, "all"); /* even if there are no nodes */
    while ((lot = place_next(u, &call->tops, &top, lot))) {
        struct pool_totals totals = totals_of(u, lot);
        bool counts = type_is_node(lot->v->type) || totals.units[CORES]
                      || totals.units[GPUS];
        if (!g.by)
            add_to_group(&g, "all", &totals, totals.n);
        else if (counts && g.type)
            group_by_type(&g, u, &totals);
        else if (counts)
            group_by_property(&g, &totals);
        holders_fini(&totals.holders);
    }
    VECTOR_SORT(g.list, g.n, compare_groups);
    if (g.by && g.n && !*g.list[0].name && strcmp(g.by, "property") != 0)
        refuse_by(call, g.by);
    else
        t = table_create(alloc_groups_columns);
    for (size_t i = 0; t && i < g.n; i++) {
        table_row(t);
        table_text(t, COL_GROUP, g.list[i].name);
        for (int c = COL_NODES; c < GROUP_COLUMNS; c++)
            table_number(t, c, g.list[i].sums[c]);
    }
    free(g.list);
    map_fini(&g.known);
    return t;
}

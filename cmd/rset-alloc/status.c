/*
 * rset-alloc status: how many nodes are idle and how much is free, by groups
 * (nodes.c) or by types and states, and what is down and why (outages.c). Of a
 * pool, of targets, or of the whole set.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "view/holders.h"

/* The lines of each type: for nodes that are up by use, for others by state. */
enum { OF_POOLS = PAINT_FULL + 1 };
enum { LINES = OF_POOLS + POOL_STATES };

struct status {
    struct usage *u; /* set to the requested time */
    struct type_lines {
        const char *type;
        struct line { /* the amounts of the type in a state */
            bool met; /* there are any */
            int64_t size, allocated, reserved, available;
            struct job_list holders;
        } lines[LINES];
    } * types; /* in the order in which they are found */
    size_t n;
};

/* Facts that a pool passes down to the pools in it, and its own claims, each
   unit once. */
struct inherited {
    enum pool_state state;
    bool held, reserved; /* a pool above is held or reserved whole */
    bool unavailable;    /* the pool and all in it are unavailable */
    int64_t times;       /* number of pools that one lot in it stands for */
    int64_t own_held, own_reserved; /* its units: held now, and reserved */
};

/* Return the index of a type. */
static size_t type_at(struct status *st, const char *type)
{
    size_t i = VECTOR_FIND(k, st->n, st->types[k].type == type);

    if (i == st->n)
        VECTOR_ADD(st->types, st->n, (struct type_lines){.type = type});
    return i;
}

/* Does a grant begin later? */
static bool is_ahead(const struct status *st, const struct grant *g)
{
    return term_is_ahead(g->term, usage_period(st->u)->from);
}

/* Add jobs that hold or reserved units of a lot, or a whole pool above it, and
   wait for no other job. */
static void add_holders(const struct status *st, struct line *line,
                        const struct lot *lot)
{
    bool whole = false;

    for (; lot->parent; lot = lot->parent, whole = true)
        for (const struct grant *g = lot->grants; g; g = g->beside)
            if ((whole ? grant_is_whole(g) : g->term->kind == GRANT_CLAIM)
                && (grant_holds(st->u, g) || is_ahead(st, g)))
                job_list_add(&line->holders, g->term->job);
}

/* Get the facts of a lot. */
static struct inherited enter(const struct status *st, struct lot *lot,
                              const struct inherited *up)
{
    struct inherited at = *up;
    int64_t size = lot->v->size;

    lot_load(st->u, lot);
    at.own_held = at.own_reserved = 0;
    for (const struct grant *g = lot->grants; g; g = g->beside) {
        int64_t *sum = NULL;
        if (g->term->kind != GRANT_CLAIM)
            continue;
        if (grant_holds(st->u, g))
            sum = &at.own_held;
        else if (is_ahead(st, g) || term_during(g->term, usage_period(st->u)))
            sum = &at.own_reserved;
        if (sum)
            *sum += g->units < size - *sum ? g->units : size - *sum;
    }

    at.times *= (int64_t)lot->n;
    at.state = lot->state != STATE_UP ? lot->state : up->state;
    at.held |= at.own_held >= size;
    at.reserved |= at.own_reserved >= size;
    at.unavailable = up->unavailable || lot->taken >= size
                     || ledger_blocks(st->u, lot);
    return at;
}

/* Get the facts of a lot from those of the pools from the top down to it. */
static struct inherited enter_all(const struct status *st, struct lot *lot)
{
    struct inherited up;

    if (!lot->parent)
        return (struct inherited){.state = STATE_UP,
                                  .times = 1,
                                  .unavailable = ledger_outside(
                                      usage_rset(st->u), usage_period(st->u))};
    up = enter_all(st, lot->parent);
    return enter(st, lot, &up);
}

/* Count a lot and everything in it. Returns true if any of it is available. */
static bool count(struct status *st, struct lot *lot,
                  const struct inherited *up)
{
    struct inherited at = enter(st, lot, up);
    size_t type = type_at(st, lot->v->type);
    bool available = !lot->v->child;
    int64_t size = lot->v->size;
    struct line *line, *lines;

    for (struct lot *c = lot_open(st->u, lot); c; c = c->next)
        available |= count(st, c, &at);
    available = available && !at.unavailable;
    lines = st->types[type].lines;

    if (at.state == STATE_UP && type_is_node(lot->v->type)) {
        struct holders h = holders_of(st->u, lot);
        line = &lines[h.use]; /* idle, mixed or full */
        if (h.use > PAINT_FULL)
            line = &lines[OF_POOLS + h.state];
        holders_fini(&h);
    } else {
        line = &lines[OF_POOLS + at.state];
    }
    line->met = true;
    line->size += size * at.times;
    line->allocated += (up->held ? size : at.own_held) * at.times;
    line->reserved += (up->reserved ? size : at.own_reserved) * at.times;
    if (available)
        line->available += (size - lot->taken) * at.times;
    add_holders(st, line, lot);
    return available;
}

/* --- output --------------------------------------------------------------- */

enum {
    COL_TYPE,
    COL_STATE,
    COL_SIZE,
    COL_ALLOCATED,
    COL_RESERVED,
    COL_AVAILABLE,
    COL_HOLDERS
};

const struct table_column alloc_types_columns[] = {
    [COL_TYPE] = {"type", CELL_NAME, false},
    [COL_STATE] = {"state", CELL_STATE, false},
    [COL_SIZE] = {"size", CELL_NUMBER, false},
    [COL_ALLOCATED] = {"allocated", CELL_NUMBER, false},
    [COL_RESERVED] = {"reserved", CELL_NUMBER, false},
    [COL_AVAILABLE] = {"available", CELL_NUMBER, false},
    [COL_HOLDERS] = {"holders", CELL_LIST, false},
    {0}};

static struct table *types_table(struct alloc_call *call)
{
    const struct lots *tops = &call->tops;
    struct status st = {.u = call->rs->usage};
    struct table *t = table_create(alloc_types_columns);

    for (size_t i = 0; i < tops->n; i++) {
        struct inherited up = enter_all(&st, tops->list[i]->parent);
        count(&st, tops->list[i], &up);
    }
    for (size_t i = 0; i < st.n * LINES; i++) {
        size_t state = i % LINES;
        struct line *l = &st.types[i / LINES].lines[state];
        if (!l->met)
            continue;
        job_list_sort(&l->holders);
        table_row(t);
        table_text(t, COL_TYPE, st.types[i / LINES].type);
        table_text(t, COL_STATE,
                   pool_state_names[state < OF_POOLS ? STATE_WORDS + state
                                                     : state - OF_POOLS]);
        table_number(t, COL_SIZE, l->size);
        table_number(t, COL_ALLOCATED, l->allocated);
        table_number(t, COL_RESERVED, l->reserved);
        table_number(t, COL_AVAILABLE, l->available);
        holders_put(t, COL_HOLDERS, &l->holders);
        free(l->holders.list);
    }
    free(st.types);
    return t;
}

int alloc_status(struct alloc_call *call)
{
    const char *by = call->options->by;
    bool types = by && !strcmp(by, "type"), states = by && !strcmp(by, "state");
    struct table *t;

    if (call->options->map)
        return alloc_map(call);
    if (!by && !alloc_means_all(call) && !alloc_as_data(call)
        && !alloc_any_nodes(call)) {
        types = true;
        if (cli_table_check(&call->options->table, alloc_types_columns, false,
                            &call->choice, &call->d)
            < 0)
            return -1;
    }
    t = types    ? types_table(call)
        : states ? alloc_states(call)
                 : alloc_groups(call);
    if (!t)
        return alloc_trouble(call);
    if (alloc_as_data(call)) {
        call->data_name = "rows";
        call->data = json_object();
        json_object_set_new(call->data,
                            types    ? "types"
                            : states ? "states"
                                     : "groups",
                            table_json(t, &call->choice));
        if (!by) { /* also the types */
            struct table_choice all;
            struct diag d;
            table_choose(alloc_types_columns, "all", NULL, &all, &d);
            json_object_set_new(call->data, "types",
                                table_json(types_table(call), &all));
        }
        json_object_set_new(call->data, "down", outages_json(call));
    } else {
        cli_table_print(t, &call->choice, stdout);
        if (!cli_output_is("csv"))
            outages_print(call, states);
    }
    return STATUS_OK;
}

/*
 * rset-alloc status: of a pool, of targets, or of all, what nodes are idle and
 * what is free, by groups (nodes.c) or by types and states; and what is down,
 * and why (outages.c).
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "model/records/jobs.h"
#include "view/holders.h"

/* Lines of a type: of nodes that are up by their use, of others by state. */
enum { OF_POOLS = USE_FULL + 1 };
enum { LINES = OF_POOLS + POOL_STATES };

/* What there is of a type in a state. */
struct line {
    const char *type;
    bool met; /* there is any */
    int64_t size, allocated, reserved, available;
    struct job_list holders;
};

struct status {
    struct usage *u;
    struct period now;
    struct line *lines; /* LINES of each type that was met, in that order */
    size_t nlines;
};

/* What a pool has from those above it. */
struct above {
    enum pool_state state;
    bool held, ahead; /* jobs have one of them whole, or will */
    bool unavailable; /* one of them is, with all that is in it */
    int64_t times;
};

/* Where the lines of a type begin. */
static size_t place_of(struct status *st, const char *type)
{
    size_t place = 0;

    while (place < st->nlines && st->lines[place].type != type)
        place += LINES;
    if (place < st->nlines)
        return place;
    st->nlines += LINES;
    st->lines = xreallocarray(st->lines, st->nlines, sizeof(*st->lines));
    for (int i = 0; i < LINES; i++)
        st->lines[place + (size_t)i] = (struct line){.type = type};
    return place;
}

/* Jobs that have or reserved some of it, or what it lies in, and wait for no
   other. */
static void add_holders(const struct status *st, struct line *line,
                        const struct lot *lot)
{
    bool whole = false;

    for (; lot->parent; lot = lot->parent, whole = true)
        for (const struct grant *g = lot->grants; g; g = g->beside)
            if (g->term->kind == GRANT_CLAIM
                && (!whole || g->units >= lot->v->size)
                && !grant_awaits(st->u, g, st->now.now))
                job_list_add(&line->holders, g->term->job);
}

/* Units that are held now, or those reserved; each counts once. */
static int64_t claimed(const struct status *st, const struct lot *lot,
                       bool reserved)
{
    int64_t sum = 0, size = lot->v->size;

    for (const struct grant *g = lot->grants; g && sum < size; g = g->beside)
        if (g->term->kind == GRANT_CLAIM
            && (reserved ? term_is_ahead(g->term, st->now.now)
                               || grant_awaits(st->u, g, st->now.now)
                         : grant_holds(st->u, g)))
            sum += g->units < size - sum ? g->units : size - sum;
    return sum;
}

/* What those in a lot have from it. */
static struct above look_below(const struct status *st, struct lot *lot,
                               const struct above *up)
{
    struct above at = *up;
    int64_t size = lot->v->size, promised;

    lot_load(st->u, lot);
    promised = lot_claimed(lot, &st->now, NULL);
    at.times *= (int64_t)lot->n;
    at.state = lot->state != STATE_UP ? lot->state : up->state;
    at.held = up->held || claimed(st, lot, false) >= size;
    at.ahead = up->ahead || claimed(st, lot, true) >= size;
    at.unavailable = up->unavailable || promised >= size
                     || lot->state != STATE_UP || lot_staged(lot)
                     || (vertex_taken_whole(lot->v)
                         && ledger_in_use(st->u, lot, &st->now));
    return at;
}

/* The line of a lot: a node that is up is idle, mixed or full. */
static size_t state_of(const struct status *st, struct lot *lot,
                       enum pool_state state)
{
    struct holding h;
    size_t line;

    if (state != STATE_UP || !type_is_node(lot->v->type))
        return OF_POOLS + state;
    h = holding_of(st->u, lot);
    line = h.use;
    holding_fini(&h);
    return line;
}

/* Count a lot and all that is in it. Is any of it available? */
static bool count(struct status *st, struct lot *lot, const struct above *up)
{
    struct above at = look_below(st, lot, up);
    size_t place = place_of(st, lot->v->type);
    bool available = !lot->v->child;
    int64_t size = lot->v->size;
    struct line *line;

    for (struct lot *c = lot_open(st->u, lot); c; c = c->next)
        available |= count(st, c, &at);
    available = available && !at.unavailable;
    line = &st->lines[place + state_of(st, lot, at.state)];
    line->met = true;
    line->size += size * at.times;
    line->allocated += (up->held ? size : claimed(st, lot, false)) * at.times;
    line->reserved += (up->ahead ? size : claimed(st, lot, true)) * at.times;
    if (available)
        line->available += (size - lot_claimed(lot, &st->now, NULL)) * at.times;
    add_holders(st, line, lot);
    return available;
}

/* What a lot has from those that it lies in. */
static struct above look_above(const struct status *st, struct lot *lot)
{
    struct above up;

    if (!lot->parent)
        return (struct above){
            .state = STATE_UP,
            .times = 1,
            .unavailable = ledger_outside(st->u->rs, &st->now)};
    up = look_above(st, lot->parent);
    return look_below(st, lot, &up);
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
    [COL_STATE] = {"state", CELL_NAME, false},
    [COL_SIZE] = {"size", CELL_NUMBER, false},
    [COL_ALLOCATED] = {"allocated", CELL_NUMBER, false},
    [COL_RESERVED] = {"reserved", CELL_NUMBER, false},
    [COL_AVAILABLE] = {"available", CELL_NUMBER, false},
    [COL_HOLDERS] = {"holders", CELL_LIST, false},
    {0}};

static void put_line(struct table *t, struct line *l, int state)
{
    static const char *const nodes[] = {"idle", "mixed", "full"};

    job_list_sort(&l->holders);
    table_row(t);
    table_text(t, COL_TYPE, l->type);
    table_text(t, COL_STATE,
               state < OF_POOLS ? nodes[state]
                                : pool_state_names[state - OF_POOLS]);
    table_number(t, COL_SIZE, l->size);
    table_number(t, COL_ALLOCATED, l->allocated);
    table_number(t, COL_RESERVED, l->reserved);
    table_number(t, COL_AVAILABLE, l->available);
    holders_put(t, COL_HOLDERS, &l->holders);
}

static struct table *types_table(struct alloc_call *call,
                                 const struct lots *tops)
{
    double now = call->now;
    struct status st = {.u = call->rs->usage,
                        .now = {.now = now, .from = now, .to = now}};
    struct table *t = table_create(alloc_types_columns);

    for (size_t i = 0; i < tops->n; i++) {
        struct above up = look_above(&st, tops->list[i]->parent);
        count(&st, tops->list[i], &up);
    }
    for (size_t i = 0; i < st.nlines; i++) {
        if (st.lines[i].met)
            put_line(t, &st.lines[i], (int)(i % LINES));
        free(st.lines[i].holders.list);
    }
    free(st.lines);
    return t;
}

/* What is told without --by, as data: the types, too. */
static json_t *all_types(struct alloc_call *call, const struct lots *tops)
{
    struct table *t = types_table(call, tops);
    struct table_choice all;
    struct diag d;
    json_t *rows;

    table_choose(alloc_types_columns, "all", NULL, &all, &d);
    rows = table_json(t, &all);
    table_destroy(t);
    return rows;
}

int alloc_status(struct alloc_call *call)
{
    const char *by = call->options->by;
    bool types = by && !strcmp(by, "type");
    struct outages *out;
    struct lots tops;
    struct table *t;

    if (call->options->map)
        return alloc_map(call);
    tops = alloc_tops(call);
    if (!by && !alloc_means_all(call) && !alloc_as_data(call)
        && !alloc_any_nodes(call, &tops)) {
        types = true;
        cli_table_check(&call->options->table, alloc_types_columns, false,
                        &call->choice);
    }
    t = types ? types_table(call, &tops) : alloc_groups(call, &tops);
    out = outages_of(call, &tops);
    if (alloc_as_data(call)) {
        call->data_name = "rows";
        call->data = json_object();
        json_object_set_new(call->data, types ? "types" : "groups",
                            cli_table_json(t, &call->choice));
        if (!by)
            json_object_set_new(call->data, "types", all_types(call, &tops));
        json_object_set_new(call->data, "down", outages_json(out));
    } else {
        cli_table_print(t, &call->choice);
        outages_print(out);
    }
    outages_destroy(out);
    alloc_tops_end(call, &tops);
    return STATUS_OK;
}

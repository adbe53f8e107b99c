/*
 * rset-alloc status: of a pool, of targets, or of all, how much there is of
 * each type and in what state, how much of it jobs have, and what is available
 * (rset(7)); and what is down, and why.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "alloc.h"
#include "base/memory.h"
#include "base/show.h"
#include "cli/cli.h"
#include "compare/align.h"
#include "model/records/jobs.h"
#include "model/document/shorthand.h"
#include "model/tree/path.h"
#include "model/records/tags.h"
#include "schedule/filter.h"

/* States in the order of their lines. A node that is up is one of the first. */
enum { NODE_IDLE, NODE_MIXED, NODE_FULL, OF_POOLS };
enum { LINES = OF_POOLS + POOL_STATES };

/* What there is of a type in a state. */
struct line {
    const char *type;
    int state;
    bool met; /* there is any */
    int64_t size, allocated, reserved, available;
    const char **holders;
    size_t nholders;
    struct map known; /* of the holders */
};

/* What is not up of itself; of runs all of which the same is to be said. */
struct outage {
    struct vertex v, up;         /* that and its parent, made to be told */
    struct idset *ids, *parents; /* their members; NULL: no runs */
};

struct status {
    struct alloc_call *call;
    uint64_t *available; /* of each vertex, by its index */
    char *named;         /* is it, by its index, and counted then? */
    struct line *lines;  /* so many of each type that was met, in that order */
    size_t nlines;
    struct outage *outages;
    size_t noutages;
};

/* What a pool has from those above it. */
struct above {
    enum pool_state state;
    bool held, ahead; /* jobs have one of them whole, or will */
    int64_t times;
};

static const char *state_name(int state)
{
    static const char *const nodes[] = {"idle", "mixed", "full"};

    return state < OF_POOLS ? nodes[state] : pool_state_names[state - OF_POOLS];
}

/* Where the lines of a type begin. */
static size_t place_of(struct status *st, const char *type)
{
    size_t place = 0;

    while (place < st->nlines && strcmp(st->lines[place].type, type) != 0)
        place += LINES;
    if (place < st->nlines)
        return place;
    st->nlines += LINES;
    st->lines = xreallocarray(st->lines, st->nlines, sizeof(*st->lines));
    for (int i = 0; i < LINES; i++)
        st->lines[place + (size_t)i] = (struct line){.type = type, .state = i};
    return place;
}

static void add_holder(struct line *line, const char *job)
{
    struct map_slot *slot = map_at(&line->known, job, strlen(job));

    if (slot->value.number)
        return;
    slot->value.number = 1;
    VECTOR_GROW(line->holders, line->nholders);
    line->holders[line->nholders++] = job;
}

static int compare_holders(const void *a, const void *b)
{
    return job_compare(*(const char *const *)a, *(const char *const *)b);
}

static void add_outage(struct status *st, const struct vertex *v)
{
    const struct vertex *up = v->parent;
    struct outage *f;

    VECTOR_GROW(st->outages, st->noutages);
    f = &st->outages[st->noutages++];
    *f = (struct outage){.v = *v};
    if (v->run)
        f->ids = idset_copy(v->run);
    if (up)
        f->up = *up;
    if (v->run && up->run)
        f->parents = idset_copy(up->run);
}

static const struct grant *grants_of(const struct vertex *v)
{
    return v->lot ? v->lot->grants : NULL;
}

/* Units of a pool that are claimed now; what has ended is held on. */
static int64_t claimed(const struct vertex *v, double now)
{
    const struct period moment = {.now = now, .from = now, .to = now};

    return v->lot ? lot_claimed(v->lot, &moment, NULL) : 0;
}

/* Units that will be, whenever; each counts once. */
static int64_t ahead(const struct vertex *v, double now)
{
    int64_t sum = 0;

    for (const struct grant *g = grants_of(v); g && sum < v->size;
         g = g->beside)
        if (g->term->kind == GRANT_CLAIM && g->term->start > now)
            sum += g->units < v->size - sum ? g->units : v->size - sum;
    return sum;
}

/* Jobs that have some of it, or have what it lies in. */
static void add_holders(struct line *line, const struct vertex *v, bool whole)
{
    for (; v; v = v->parent, whole = true)
        for (const struct grant *g = grants_of(v); g; g = g->beside)
            if (g->term->kind == GRANT_CLAIM && (!whole || g->units >= v->size))
                add_holder(line, g->term->job->name);
}

/* Has anybody some of it now, or shares it? */
static bool in_use(const struct vertex *v, double now)
{
    const struct period moment = {.now = now, .from = now, .to = now};

    for (const struct grant *g = grants_of(v); g; g = g->beside)
        if (g->term->kind == GRANT_STAGED || g->term->kind == GRANT_SHARE
            || (g->term->kind == GRANT_CLAIM && term_during(g->term, &moment)))
            return true;
    return false;
}

static struct above look_below(const struct vertex *v, const struct above *up,
                               double now)
{
    struct above at = *up;

    at.held = up->held || claimed(v, now) >= v->size;
    at.ahead = up->ahead || ahead(v, now) >= v->size;
    return at;
}

/* Of nodes that are up it is told what jobs have left of them. */
static int state_of(const struct vertex *v, enum pool_state state, bool used,
                    uint64_t available)
{
    if (state != STATE_UP || !type_is_node(v->type))
        return OF_POOLS + (int)state;
    return !available ? NODE_FULL : used ? NODE_MIXED : NODE_IDLE;
}

/* Count a pool and all that is in it. Has anybody anything of that? */
static bool add_vertex(struct status *st, const struct vertex *v,
                       const struct above *above)
{
    double now = st->call->now;
    uint64_t available = st->available[v->index];
    struct above up = *above, below;
    size_t place = place_of(st, v->type);
    bool used = in_use(v, now);
    struct line *line;

    up.state = vertex_state(v) != STATE_UP ? vertex_state(v) : up.state;
    up.times *= (int64_t)vertex_count(v);
    if (vertex_state(v) != STATE_UP)
        add_outage(st, v);
    below = look_below(v, &up, now);
    for (const struct vertex *c = v->child; c; c = c->next)
        used |= add_vertex(st, c, &below);
    line = &st->lines[place + (size_t)state_of(v, up.state, used, available)];
    line->met = true;
    line->size += v->size * up.times;
    line->allocated += (up.held ? v->size : claimed(v, now)) * up.times;
    line->reserved += (up.ahead ? v->size : ahead(v, now)) * up.times;
    line->available += (int64_t)available;
    add_holders(line, v, false);
    return used;
}

/* What a vertex has from its ancestors. */
static struct above look_above(const struct vertex *v, double now)
{
    struct above at = {.state = STATE_UP, .times = 1};

    if (!v->parent)
        return at;
    at = look_above(v->parent, now);
    if (vertex_state(v->parent) != STATE_UP)
        at.state = vertex_state(v->parent);
    return look_below(v->parent, &at, now);
}

/* --- what is not up ----------------------------------------------------- */

static bool is_drained(const struct vertex *v)
{
    return vertex_get_tag(v, "drained");
}

/* The tag that says why. */
static const json_t *why(const struct vertex *v)
{
    return vertex_get_tag(v, is_drained(v) ? "drained" : "down");
}

/* What outages have to have in common to be told in one line. */
static char *outage_key(const struct outage *f, bool parents)
{
    char *text,
        *same = json_dumps(why(&f->v), JSON_ENCODE_ANY | JSON_SORT_KEYS);
    const struct idset *set = parents ? f->ids : f->parents;
    char *ids = set ? idset_encode(set) : NULL;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    fprintf(fp, "%s %s %d %s %s", f->v.type,
            pool_state_names[vertex_state(&f->v)], is_drained(&f->v),
            ids ? ids : "", same ? same : "");
    memory_close(fp);
    free(ids);
    free(same);
    return text;
}

/* Add to the first of each kind the members, or the parents, of the others. */
static void join_outages(struct status *st, bool parents)
{
    struct map first = {0};
    size_t n = 0;

    for (size_t i = 0; i < st->noutages; i++) {
        struct outage *f = &st->outages[i];
        char *key = outage_key(f, parents);
        struct map_slot *slot = map_at(&first, key, strlen(key));
        free(key);
        if (!(parents ? f->parents : f->ids) || !slot->value.number) {
            st->outages[n++] = *f;
            slot->value.number = n;
            continue;
        }
        f = &st->outages[slot->value.number - 1];
        idset_add_set(parents ? f->parents : f->ids,
                      parents ? st->outages[i].parents : st->outages[i].ids);
        idset_destroy(st->outages[i].ids);
        idset_destroy(st->outages[i].parents);
    }
    st->noutages = n;
    map_fini(&first);
}

static char *outage_place(const struct status *st, struct outage *f)
{
    f->v.run = f->ids;
    if (f->parents) {
        f->up.run = f->parents;
        f->v.parent = &f->up;
    }
    return vertex_place(st->call->rs, &f->v);
}

/* --- output ------------------------------------------------------------- */

static void print_outage(const struct status *st, struct outage *f)
{
    const struct vertex *v = &f->v;
    char *place = outage_place(st, f);
    const char *text = json_string_value(json_object_get(why(v), "reason"));
    const json_t *time = json_object_get(why(v), "time");

    show(stdout, place);
    printf(": %s",
           is_drained(v) ? "drained" : pool_state_names[vertex_state(v)]);
    if (json_is_number(time))
        printf(" since %.15g", json_number_value(time));
    if (text) {
        fputs(": ", stdout);
        show(stdout, text);
    }
    putchar('\n');
    free(place);
}

static void print_holders(const struct line *l)
{
    struct shown_name buf;

    for (size_t i = 0; i < l->nholders; i++)
        printf("%s%s", i ? "," : "", alloc_shown(l->holders[i], &buf));
    puts(l->nholders ? "" : "-");
}

static void print_table(const struct status *st)
{
    printf("%-12s %-9s %12s %12s %12s %12s %s\n", "TYPE", "STATE", "SIZE",
           "ALLOCATED", "RESERVED", "AVAILABLE", "HOLDERS");
    for (size_t i = 0; i < st->nlines; i++) {
        const struct line *l = &st->lines[i];
        char type[256];
        if (!l->met)
            continue;
        printf("%-12s %-9s %12lld %12lld %12lld %12lld ",
               show_in(type, sizeof(type), l->type), state_name(l->state),
               (long long)l->size, (long long)l->allocated,
               (long long)l->reserved, (long long)l->available);
        print_holders(l);
    }
    for (size_t i = 0; i < st->noutages; i++)
        print_outage(st, &st->outages[i]);
}

static json_t *line_json(const struct line *l)
{
    json_t *holders = json_array();

    for (size_t i = 0; i < l->nholders; i++)
        json_array_append_new(holders, job_to_json(l->holders[i]));
    return json_pack("{s:s,s:s,s:I,s:I,s:I,s:I,s:o}", "type", l->type, "state",
                     state_name(l->state), "size", (json_int_t)l->size,
                     "allocated", (json_int_t)l->allocated, "reserved",
                     (json_int_t)l->reserved, "available",
                     (json_int_t)l->available, "holders", holders);
}

static json_t *outage_json(const struct status *st, struct outage *f)
{
    const struct vertex *v = &f->v;
    char *place = outage_place(st, f);
    json_t *entry = json_pack("{s:s,s:s,s:b}", "path", place, "state",
                              pool_state_names[vertex_state(v)], "drained",
                              is_drained(v));

    if (json_is_object(why(v)))
        json_object_update_missing(entry, (json_t *)why(v));
    free(place);
    return entry;
}

static json_t *status_json(const struct status *st)
{
    json_t *types = json_array(), *down = json_array();

    for (size_t i = 0; i < st->nlines; i++)
        if (st->lines[i].met)
            json_array_append_new(types, line_json(&st->lines[i]));
    for (size_t i = 0; i < st->noutages; i++)
        json_array_append_new(down, outage_json(st, &st->outages[i]));
    return json_pack("{s:o,s:o}", "types", types, "down", down);
}

/* A pool that is available has its units. */
static void add_available(const struct pick *p, uint64_t units, void *arg)
{
    struct status *st = arg;

    st->available[p->v->index] += units;
}

/* Of pools that are named, and of those that have been counted. */
enum { NAMED = 1, COUNTED };

/* All pools are known, and cut: find what is available of each. */
static void find_available(struct status *st)
{
    double now = st->call->now;
    struct rset *rs = st->call->rs;
    struct selection *sel = ledger_available(
        usage_begin(rs), &(struct period){.now = now, .from = now, .to = now},
        false);
    uint32_t n = 0;

    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        v->index = n++;
    st->available = xcalloc(n, sizeof(*st->available));
    st->named = xcalloc(n, sizeof(*st->named));
    selection_units(sel, add_available, st);
    selection_destroy(sel);
}

/* Is it counted already, or will be with a pool that it is in? */
static bool is_counted(const struct status *st, const struct vertex *v)
{
    if (st->named[v->index] == COUNTED)
        return true;
    while ((v = v->parent) && !st->named[v->index])
        ;
    return v;
}

static void gather_named(struct status *st)
{
    const struct lots *lots = alloc_lots(st->call);

    lots_cut(st->call->rs->usage, lots);
    usage_settle(st->call->rs);
    find_available(st);
    for (size_t i = 0; i < lots->n; i++)
        st->named[lots->list[i]->v->index] = NAMED;
    for (size_t i = 0; i < lots->n; i++) {
        const struct vertex *v = lots->list[i]->v;
        struct above up = look_above(v, st->call->now);
        if (is_counted(st, v))
            continue;
        add_vertex(st, v, &up);
        st->named[v->index] = COUNTED;
    }
}

static void gather_all(struct status *st)
{
    const struct above none = {.state = STATE_UP, .times = 1};
    struct rset *rs = st->call->rs;

    usage_settle(rs);
    find_available(st);
    if (rs->root)
        add_vertex(st, rs->root, &none);
    for (const struct vertex *v = rs->loose; v; v = v->next)
        add_vertex(st, v, &none);
}

/* Vertices are counted, for which runs are cut. In a batch the set lives on. */
static void copy_runs(struct status *st)
{
    struct rset *rs = st->call->rs;
    struct diag d = {0};
    struct selection *all;

    if (!st->call->why || (rset_has_graph(rs) && !rset_partial(rs)))
        return;
    all = filter_select(rs, &(struct filter){0}, &d);
    st->call->rs = st->call->part = rset_extract(rs, all);
    selection_destroy(all);
}

static void gather(struct status *st)
{
    const char *what = st->call->what;

    copy_runs(st);
    if (what && strcmp(what, "/") != 0 && strcmp(what, "all") != 0)
        gather_named(st);
    else
        gather_all(st);
    join_outages(st, false);
    join_outages(st, true);
    for (size_t i = 0; i < st->nlines; i++)
        if (st->lines[i].nholders)
            qsort(st->lines[i].holders, st->lines[i].nholders,
                  sizeof(*st->lines[i].holders), compare_holders);
}

static void fini(struct status *st)
{
    for (size_t i = 0; i < st->nlines; i++) {
        free(st->lines[i].holders);
        map_fini(&st->lines[i].known);
    }
    for (size_t i = 0; i < st->noutages; i++) {
        idset_destroy(st->outages[i].ids);
        idset_destroy(st->outages[i].parents);
    }
    free(st->lines);
    free(st->outages);
    free(st->available);
    free(st->named);
}

int alloc_status(struct alloc_call *call)
{
    struct status st = {.call = call};

    if (alloc_options.map)
        return alloc_map(call);
    gather(&st);
    if (alloc_as_data(call)) {
        call->data_name = "rows";
        call->data = status_json(&st);
    } else {
        print_table(&st);
    }
    fini(&st);
    return STATUS_OK;
}

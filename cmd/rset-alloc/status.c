/*
 * rset-alloc status: of a pool, of targets, or of all, how much there is of
 * each type, how much of it jobs have, what is free; and what is down, and
 * why.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "alloc.h"
#include "base/memory.h"
#include "base/show.h"
#include "cli/cli.h"
#include "model/records/jobs.h"
#include "model/tree/path.h"
#include "model/records/tags.h"

/* What there is of a type in a state. */
struct line {
    const char *type;
    size_t place; /* of the type among the types */
    enum pool_state state;
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
    const struct alloc_call *call;
    struct line *lines;
    size_t nlines;
    struct outage *outages;
    size_t noutages;
};

/* What a pool has from those above it. */
struct above {
    enum pool_state state;
    const char *holder; /* a job that has one of them whole */
    bool reserved;      /* ... from later on */
    bool staged;
    int64_t times;
};

static struct line *line_of(struct status *st, const char *type,
                            enum pool_state state)
{
    size_t place = st->nlines;

    for (size_t i = 0; i < st->nlines; i++) {
        if (strcmp(st->lines[i].type, type) != 0)
            continue;
        if (st->lines[i].state == state)
            return &st->lines[i];
        place = st->lines[i].place;
    }
    VECTOR_GROW(st->lines, st->nlines);
    st->lines[st->nlines] = (struct line){
        .type = type, .place = place, .state = state};
    return &st->lines[st->nlines++];
}

/* Types in the order in which they are met, of each what is up first. */
static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
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

/* Units of a pool that are claimed now, and that will be. */
static void add_claims(struct line *line, const struct vertex *v,
                       const struct above *up, double now)
{
    int64_t size = v->size * up->times;

    if (up->holder) {
        *(up->reserved ? &line->reserved : &line->allocated) += size;
        add_holder(line, up->holder);
        return;
    }
    for (const struct grant *g = v->lot ? v->lot->grants : NULL; g;
         g = g->beside) {
        if (g->kind != GRANT_CLAIM)
            continue;
        *(g->term->start > now ? &line->reserved
                               : &line->allocated) += g->units * up->times;
        add_holder(line, g->job->name);
    }
}

static bool is_held(const struct above *up)
{
    return (up->holder && !up->reserved) || up->staged;
}

static struct above look_below(const struct vertex *v, const struct above *up,
                               double now)
{
    struct above at = *up;

    at.staged = up->staged || (v->lot && lot_staged(v->lot));
    for (const struct grant *g = v->lot ? v->lot->grants : NULL; g;
         g = g->beside)
        if (g->kind == GRANT_CLAIM && g->units >= v->size
            && (!at.holder || at.reserved)) {
            at.holder = g->job->name;
            at.reserved = g->term->start > now;
        }
    return at;
}

static void add_vertex(struct status *st, const struct vertex *v,
                       const struct above *above)
{
    double now = st->call->now;
    const struct period moment = {now, now, now};
    struct above up = *above, below;
    struct line *line;
    int64_t claimed = v->lot ? lot_claimed(v->lot, &moment, NULL) : 0;

    up.state = vertex_state(v) != STATE_UP ? vertex_state(v) : up.state;
    up.times *= (int64_t)vertex_count(v);
    line = line_of(st, v->type, up.state);
    line->size += v->size * up.times;
    add_claims(line, v, &up, now);
    below = look_below(v, &up, now);
    if (up.state == STATE_UP && !is_held(&up) && !below.staged)
        line->available += (v->size - claimed) * up.times;
    if (vertex_state(v) != STATE_UP)
        add_outage(st, v);
    for (const struct vertex *c = v->child; c; c = c->next)
        add_vertex(st, c, &below);
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
        printf("%-12s %-9s %12lld %12lld %12lld %12lld ",
               show_in(type, sizeof(type), l->type), pool_state_names[l->state],
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
                     pool_state_names[l->state], "size", (json_int_t)l->size,
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
        json_array_append_new(types, line_json(&st->lines[i]));
    for (size_t i = 0; i < st->noutages; i++)
        json_array_append_new(down, outage_json(st, &st->outages[i]));
    return json_pack("{s:o,s:o}", "types", types, "down", down);
}

/* Of pools that are named, and of those that have been counted, `index`. */
enum { NAMED = 1, COUNTED };

/* Is it counted already, or will be with a pool that it is in? */
static bool is_counted(const struct vertex *v)
{
    if (v->index == COUNTED)
        return true;
    while ((v = v->parent))
        if (v->index)
            return true;
    return false;
}

static void gather_named(struct status *st, struct alloc_call *call)
{
    struct vertex **list;
    size_t n = alloc_vertices(call, &list);

    for (struct vertex *v = rset_first(call->rs); v; v = rset_next(call->rs, v))
        v->index = 0;
    for (size_t i = 0; i < n; i++)
        list[i]->index = NAMED;
    for (size_t i = 0; i < n; i++) {
        struct above up = look_above(list[i], call->now);
        if (is_counted(list[i]))
            continue;
        add_vertex(st, list[i], &up);
        list[i]->index = COUNTED;
    }
}

static void gather(struct status *st, struct alloc_call *call)
{
    const struct above none = {.state = STATE_UP, .times = 1};

    usage_settle(call->rs);
    if (call->what && strcmp(call->what, "/") != 0
        && strcmp(call->what, "all") != 0) {
        gather_named(st, call);
    } else {
        if (call->rs->root)
            add_vertex(st, call->rs->root, &none);
        for (const struct vertex *v = call->rs->loose; v; v = v->next)
            add_vertex(st, v, &none);
    }
    join_outages(st, false);
    join_outages(st, true);
    if (st->nlines)
        qsort(st->lines, st->nlines, sizeof(*st->lines), compare_lines);
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
}

json_t *alloc_status_json(struct alloc_call *call)
{
    struct status st = {.call = call};
    json_t *all;

    gather(&st, call);
    all = status_json(&st);
    fini(&st);
    return all;
}

int alloc_status(struct alloc_call *call)
{
    struct status st = {.call = call};
    json_t *all;

    call->silent = true;
    if (cli_output_json()) {
        all = alloc_status_json(call);
        json_write(stdout, all);
        putchar('\n');
        json_decref(all);
        return STATUS_OK;
    }
    gather(&st, call);
    print_table(&st);
    fini(&st);
    return STATUS_OK;
}

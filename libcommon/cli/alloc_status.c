/*
 * rset-alloc status: of a pool, of targets, or of all, how much there is of
 * each type, how much of it jobs have, what is free; and what is down, and
 * why.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/alloc.h"
#include "cli/cli.h"
#include "model/path.h"
#include "model/tags.h"

/* What there is of a type in a state. */
struct line {
    const char *type;
    enum pool_state state;
    int64_t size, allocated, reserved, available;
    char *holders;
};

struct status {
    const struct alloc_call *call;
    struct line *lines;
    size_t nlines;
    const struct vertex **faults; /* what is not up of itself */
    size_t nfaults;
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
    struct line *more;

    for (size_t i = 0; i < st->nlines; i++)
        if (!strcmp(st->lines[i].type, type) && st->lines[i].state == state)
            return &st->lines[i];
    more = realloc(st->lines, (st->nlines + 1) * sizeof(*more));
    if (!more)
        alloc_oom();
    st->lines = more;
    more[st->nlines] = (struct line){.type = type, .state = state};
    return &more[st->nlines++];
}

static void add_holder(struct line *line, const char *job)
{
    char *more;
    size_t len = strlen(job);

    for (const char *at = line->holders; at && (at = strstr(at, job));
         at += len)
        if ((at == line->holders || at[-1] == ',')
            && (at[len] == ',' || !at[len]))
            return;
    if (asprintf(&more, "%s%s%s", line->holders ? line->holders : "",
                 line->holders ? "," : "", job)
        < 0)
        alloc_oom();
    free(line->holders);
    line->holders = more;
}

static void add_fault(struct status *st, const struct vertex *v)
{
    const struct vertex **more = realloc(st->faults,
                                         (st->nfaults + 1) * sizeof(*more));

    if (!more)
        alloc_oom();
    st->faults = more;
    more[st->nfaults++] = v;
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
    for (const struct claim *c = v->records ? v->records->claims : NULL; c;
         c = c->next) {
        *(c->start > now ? &line->reserved : &line->allocated)
            += c->size * up->times;
        add_holder(line, c->job);
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

    at.staged = up->staged || (v->records && v->records->staged);
    for (const struct claim *c = v->records ? v->records->claims : NULL; c;
         c = c->next)
        if (c->size >= v->size && (!at.holder || at.reserved)) {
            at.holder = c->job;
            at.reserved = c->start > now;
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
    int64_t free_units = v->size - records_claimed(v->records, &moment);

    up.state = v->state != STATE_UP ? v->state : up.state;
    up.times *= (int64_t)vertex_count(v);
    line = line_of(st, v->type, up.state);
    line->size += v->size * up.times;
    add_claims(line, v, &up, now);
    below = look_below(v, &up, now);
    if (up.state == STATE_UP && !is_held(&up) && !below.staged)
        line->available += free_units * up.times;
    if (v->state != STATE_UP)
        add_fault(st, v);
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
    at.state = v->parent->state != STATE_UP ? v->parent->state : at.state;
    return look_below(v->parent, &at, now);
}

/* --- output ------------------------------------------------------------- */

/* The tag that says why. */
static const json_t *why(const struct vertex *v)
{
    const json_t *tag = vertex_get_tag(v, "drained");

    return tag ? tag : vertex_get_tag(v, "down");
}

static void print_fault(const struct vertex *v)
{
    char *path = vertex_path(v);
    const json_t *tag = why(v);
    const char *text = json_string_value(json_object_get(tag, "reason"));
    const json_t *time = json_object_get(tag, "time");

    if (!path)
        alloc_oom();
    printf("%s: %s%s", path,
           vertex_get_tag(v, "drained") ? "drained, "
                                        : "",
           pool_state_names[v->state]);
    if (json_is_number(time))
        printf(" since %.15g", json_number_value(time));
    if (text)
        printf(": %s", text);
    putchar('\n');
    free(path);
}

static void print_table(const struct status *st)
{
    printf("%-12s %-9s %12s %12s %12s %12s %s\n", "TYPE", "STATE", "SIZE",
           "ALLOCATED", "RESERVED", "AVAILABLE", "HOLDERS");
    for (size_t i = 0; i < st->nlines; i++) {
        const struct line *l = &st->lines[i];
        printf("%-12s %-9s %12lld %12lld %12lld %12lld %s\n", l->type,
               pool_state_names[l->state], (long long)l->size,
               (long long)l->allocated, (long long)l->reserved,
               (long long)l->available, l->holders ? l->holders : "-");
    }
    for (size_t i = 0; i < st->nfaults; i++)
        print_fault(st->faults[i]);
}

static json_t *line_json(const struct line *l)
{
    return json_pack("{s:s,s:s,s:I,s:I,s:I,s:I,s:s}", "type", l->type, "state",
                     pool_state_names[l->state], "size", (json_int_t)l->size,
                     "allocated", (json_int_t)l->allocated, "reserved",
                     (json_int_t)l->reserved, "available",
                     (json_int_t)l->available, "holders",
                     l->holders ? l->holders : "");
}

static json_t *fault_json(const struct vertex *v)
{
    char *path = vertex_path(v);
    json_t *entry = path ? json_pack("{s:s,s:s}", "path", path, "state",
                                     pool_state_names[v->state])
                         : NULL;

    if (!entry)
        alloc_oom();
    json_object_set_new(entry, "drained",
                        json_boolean(vertex_get_tag(v, "drained")));
    json_object_update_missing(entry, (json_t *)why(v));
    free(path);
    return entry;
}

static void print_json(const struct status *st)
{
    json_t *types = json_array(), *down = json_array(), *all;

    for (size_t i = 0; i < st->nlines; i++)
        json_array_append_new(types, line_json(&st->lines[i]));
    for (size_t i = 0; i < st->nfaults; i++)
        json_array_append_new(down, fault_json(st->faults[i]));
    all = json_pack("{s:o,s:o}", "types", types, "down", down);
    if (!all)
        alloc_oom();
    json_write(stdout, all);
    putchar('\n');
    json_decref(all);
}

static void gather(struct status *st, struct alloc_call *call)
{
    const struct above none = {.state = STATE_UP, .times = 1};
    struct vertex **list;
    size_t n;

    if (!call->what || !strcmp(call->what, "/")) {
        if (call->rs->root)
            add_vertex(st, call->rs->root, &none);
        for (const struct vertex *v = call->rs->loose; v; v = v->next)
            add_vertex(st, v, &none);
        return;
    }
    n = alloc_vertices(call, &list);
    for (size_t i = 0; i < n; i++) {
        struct above up = look_above(list[i], call->now);
        add_vertex(st, list[i], &up);
    }
    free(list);
}

int alloc_status(struct alloc_call *call)
{
    struct status st = {.call = call};

    gather(&st, call);
    if (cli_output_json())
        print_json(&st);
    else
        print_table(&st);
    for (size_t i = 0; i < st.nlines; i++)
        free(st.lines[i].holders);
    free(st.lines);
    free(st.faults);
    call->silent = true;
    return STATUS_OK;
}

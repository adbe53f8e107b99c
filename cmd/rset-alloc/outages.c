/* Pools that are not up themselves, and why. Equal members of one pool are one
   line, and so are equal members of several pools. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/show.h"
#include "base/time.h"
#include "compare/changes.h"
#include "model/records/path.h"
#include "view/holders.h"

/* A line: lots that are not up for one reason. */
struct outage_line {
    const struct lot *lot;           /* the first one */
    struct holders out;              /* without jobs */
    struct idset *members, *parents; /* of all these lots: see lots_place() */
    struct idset *ranks;             /* of targets there */
};

struct outages {
    struct rset *rs;
    struct outage_line *list;
    size_t n;
};

static void outage_fini(struct outage_line *f)
{
    idset_destroy(f->members);
    idset_destroy(f->parents);
    idset_destroy(f->ranks);
}

/* Return the part of a name before its numbers; "" for a host. */
static const char *stem(const struct rset *rs, const struct vertex *v)
{
    return vertex_is_target(v) && rs->hosts ? "" : v->basename;
}

/*
 * Return a key, a new string. Outages with equal keys become one line. They may
 * differ in `members`; or, with `parents`, they have equal members and may
 * differ in their parents.
 */
static char *outage_key(const struct outages *o, const struct outage_line *f,
                        bool parents)
{
    const struct lot *lot = f->lot, *up = lot->parent;
    char *text, *same = json_dumps(holders_tag(&f->out),
                                   JSON_ENCODE_ANY | JSON_SORT_KEYS);
    char *ids = parents && f->members ? idset_encode(f->members) : xstrdup("");

    xasprintf(&text, "%p\n%s\n%s\n%s\n%d %d %s",
              (const void *)(parents ? up->parent : up),
              parents ? stem(o->rs, up->v) : "",
              f->members ? stem(o->rs, lot->v) : lot->v->name, ids,
              (int)lot->state, (int)f->out.use, same ? same : "");
    free(ids);
    free(same);
    return text;
}

/* Join outages that differ only in their members, or in their parents. */
static void join(struct outages *o, bool parents)
{
    struct map first = {0};
    size_t n = 0;

    for (size_t i = 0; i < o->n; i++) {
        struct outage_line *f = &o->list[i], *to;
        struct idset *numbers = parents ? f->parents : f->members;
        struct map_slot *slot = NULL;
        if (numbers) {
            char *key = outage_key(o, f, parents);
            slot = map_at(&first, key, strlen(key));
            free(key);
        }
        if (slot && slot->value.number) {
            to = &o->list[slot->value.number - 1];
            idset_add_set(parents ? to->parents : to->members, numbers);
            idset_add_set(to->ranks, f->ranks);
            outage_fini(f);
            continue;
        }
        o->list[n++] = *f;
        if (slot)
            slot->value.number = n;
    }
    o->n = n;
    map_fini(&first);
}

static struct outages find_outages(const struct alloc_call *call,
                                   bool but_nodes)
{
    const struct lots *tops = &call->tops;
    struct usage *u = call->rs->usage;
    struct outages o = {.rs = call->rs};

    for (size_t i = 0; i < tops->n; i++)
        for (struct lot *lot = tops->list[i]; lot;
             lot = lot_next_in(u, tops->list[i], lot)) {
            bool inside = lot->parent->parent;
            struct outage_line *f;
            if (lot->state == STATE_UP
                || (but_nodes
                    && (type_is_node(lot->v->type) || pool_has_nodes(u, lot))))
                continue;
            VECTOR_GROW(o.list, o.n);
            f = &o.list[o.n++];
            *f = (struct outage_line){
                .lot = lot,
                .out = holders_of(u, lot),
                .members = lot_members(o.rs, lot),
                .parents = inside ? lot_members(o.rs, lot->parent) : NULL,
                .ranks = idset_create()};
            holders_fini(&f->out);
            lot_add_ranks(lot, true, f->ranks);
        }
    join(&o, false);
    join(&o, true);
    return o;
}

static void outages_fini(struct outages *o)
{
    for (size_t i = 0; i < o->n; i++)
        outage_fini(&o->list[i]);
    free(o->list);
}

void outages_print(const struct alloc_call *call, bool but_nodes)
{
    struct outages o = find_outages(call, but_nodes);

    for (size_t i = 0; i < o.n; i++) {
        const struct outage_line *f = &o.list[i];
        char *place = lots_place(o.rs, f->lot, f->members, f->parents);
        const char *reason = holders_reason(&f->out);
        const json_t *time = json_object_get(holders_tag(&f->out), "time");
        char buf[TIME_TEXT];
        show(stdout, place);
        printf(": %s", holders_word(&f->out));
        if (json_is_number(time))
            printf(" since %s", time_text(json_number_value(time), buf));
        if (reason) {
            fputs(": ", stdout);
            show(stdout, reason);
        }
        putchar('\n');
        free(place);
    }
    outages_fini(&o);
}

json_t *outages_json(const struct alloc_call *call)
{
    struct outages o = find_outages(call, false);
    json_t *list = json_array();

    for (size_t i = 0; i < o.n; i++) {
        const struct outage_line *f = &o.list[i];
        const json_t *why = holders_tag(&f->out);
        char *place = lots_place(o.rs, f->lot, f->members, f->parents);
        json_t *entry = json_pack("{s:s,s:s,s:b,s:b}", "path", place, "state",
                                  pool_state_names[f->out.state], "drained",
                                  f->out.use < PAINT_DOWN, "draining",
                                  f->out.use == PAINT_DRAINING);
        if (!idset_empty(f->ranks))
            changes_put_ranks(entry, o.rs, f->ranks);
        if (json_is_object(why))
            json_object_update_missing(entry, (json_t *)why);
        json_array_append_new(list, entry);
        free(place);
    }
    outages_fini(&o);
    return list;
}

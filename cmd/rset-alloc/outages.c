/*
 * The pools that are down of themselves, and why. Equal members of one pool
 * are one line, and so are equal members of several pools.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/show.h"
#include "base/time.h"
#include "model/records/tags.h"
#include "model/tree/path.h"

/* Lots that are down for the same reason: a line. */
struct outage {
    const struct lot *lot;           /* the first one */
    struct idset *members, *parents; /* of all of them: see lots_place() */
};

struct outages {
    struct rset *rs;
    struct outage *list;
    size_t n;
};

static void add_outage(struct outages *o, const struct lot *lot)
{
    bool inside = lot->parent->parent;

    VECTOR_GROW(o->list, o->n);
    o->list[o->n++] = (struct outage){
        .lot = lot,
        .members = lot_members(o->rs, lot),
        .parents = inside ? lot_members(o->rs, lot->parent) : NULL};
}

static void outage_fini(struct outage *f)
{
    idset_destroy(f->members);
    idset_destroy(f->parents);
}

static bool is_drained(const struct outage *f)
{
    return vertex_get_tag(f->lot->v, "drained");
}

/* The tag that says why. */
static const json_t *why(const struct outage *f)
{
    return vertex_get_tag(f->lot->v, is_drained(f) ? "drained" : "down");
}

/* The part of a name before its numbers; a host has none. */
static const char *stem(const struct rset *rs, const struct vertex *v)
{
    return vertex_is_target(v) && rs->hosts ? "" : v->basename;
}

/*
 * What outages must have in common to be one line. They differ by `members`;
 * or, with `parents`, have the same members and differ by their parents.
 */
static char *outage_key(const struct outages *o, const struct outage *f,
                        bool parents)
{
    const struct lot *lot = f->lot, *up = lot->parent;
    char *text, *same = json_dumps(why(f), JSON_ENCODE_ANY | JSON_SORT_KEYS);
    char *ids = parents && f->members ? idset_encode(f->members) : xstrdup("");

    xasprintf(&text, "%p\n%s\n%s\n%s\n%d %d %s",
              (const void *)(parents ? up->parent : up),
              parents ? stem(o->rs, up->v) : "",
              f->members ? stem(o->rs, lot->v) : lot->v->name, ids,
              (int)lot->state, is_drained(f), same ? same : "");
    free(ids);
    free(same);
    return text;
}

/* Make one of outages that differ only by their members, or their parents. */
static void join(struct outages *o, bool parents)
{
    struct map first = {0};
    size_t n = 0;

    for (size_t i = 0; i < o->n; i++) {
        struct outage *f = &o->list[i], *to;
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

struct outages *outages_of(struct alloc_call *call, const struct lots *tops)
{
    struct usage *u = call->rs->usage;
    struct outages *o = xcalloc(1, sizeof(*o));

    o->rs = call->rs;
    for (size_t i = 0; i < tops->n; i++)
        for (struct lot *lot = tops->list[i]; lot;
             lot = lot_next_in(u, tops->list[i], lot))
            if (lot->state != STATE_UP)
                add_outage(o, lot);
    join(o, false);
    join(o, true);
    return o;
}

static void print_outage(const struct outages *o, const struct outage *f)
{
    char *place = lots_place(o->rs, f->lot, f->members, f->parents);
    const char *text = json_string_value(json_object_get(why(f), "reason"));
    const json_t *time = json_object_get(why(f), "time");
    char buf[TIME_TEXT];

    show(stdout, place);
    printf(": %s", is_drained(f) ? "drained" : pool_state_names[f->lot->state]);
    if (json_is_number(time))
        printf(" since %s", time_text(json_number_value(time), buf));
    if (text) {
        fputs(": ", stdout);
        show(stdout, text);
    }
    putchar('\n');
    free(place);
}

static json_t *outage_json(const struct outages *o, const struct outage *f)
{
    char *place = lots_place(o->rs, f->lot, f->members, f->parents);
    json_t *entry = json_pack("{s:s,s:s,s:b}", "path", place, "state",
                              pool_state_names[f->lot->state], "drained",
                              is_drained(f));

    if (json_is_object(why(f)))
        json_object_update_missing(entry, (json_t *)why(f));
    free(place);
    return entry;
}

void outages_print(const struct outages *o)
{
    for (size_t i = 0; i < o->n; i++)
        print_outage(o, &o->list[i]);
}

json_t *outages_json(const struct outages *o)
{
    json_t *list = json_array();

    for (size_t i = 0; i < o->n; i++)
        json_array_append_new(list, outage_json(o, &o->list[i]));
    return list;
}

void outages_destroy(struct outages *o)
{
    for (size_t i = 0; i < o->n; i++)
        outage_fini(&o->list[i]);
    free(o->list);
    free(o);
}

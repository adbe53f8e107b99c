/*
 * What is not up of itself, and why, in as few lines as it takes: of runs all
 * of which the same is to be said is told at once.
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

struct outage {
    const struct lot *lot;       /* the first of them */
    struct idset *ids, *parents; /* members, and those they lie in; NULL: it
                                    has a name of its own */
};

struct outages {
    struct rset *rs;
    struct outage *list;
    size_t n;
};

/* Of a single one the number that it goes by. */
static struct idset *members_of(const struct rset *rs, const struct lot *lot)
{
    const struct vertex *v = lot->v;
    bool target = vertex_is_target(v) && rs->hosts;
    uint32_t number = (uint32_t)(target ? v->rank : v->id);

    if (v->run)
        return idset_create_range(lot->at, lot->at + lot->n - 1);
    return target || vertex_folds(v) ? idset_create_range(number, number)
                                     : NULL;
}

static void add_outage(struct outages *o, const struct lot *lot)
{
    VECTOR_GROW(o->list, o->n);
    o->list[o->n++] = (struct outage){
        .lot = lot,
        .ids = members_of(o->rs, lot),
        .parents = lot->parent->parent ? members_of(o->rs, lot->parent) : NULL};
}

static void outage_fini(struct outage *f)
{
    idset_destroy(f->ids);
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

/* The path, or with `up` that of what is so far above; a new string. */
static char *path_of(const struct outages *o, const struct outage *f,
                     unsigned up)
{
    struct vertex *list = xcalloc(DEPTH_MAX + 2, sizeof(*list));
    unsigned n = 0;
    char *path;

    for (const struct lot *lot = f->lot; lot->parent; lot = lot->parent, n++) {
        list[n] = *lot->v;
        list[n].parent = lot->parent->parent ? &list[n + 1] : NULL;
        list[n].run = n == 0        ? f->ids
                      : n == 1      ? f->parents
                      : lot->v->run ? members_of(o->rs, lot)
                                    : NULL;
    }
    path = up < n ? vertex_place(o->rs, &list[up]) : xstrdup("");
    while (n-- > 2)
        idset_destroy(list[n].run);
    free(list);
    return path;
}

/* What outages have to have in common to be told in one line. */
static char *outage_key(const struct outages *o, const struct outage *f,
                        bool parents)
{
    const struct vertex *v = f->lot->v;
    char *text, *same = json_dumps(why(f), JSON_ENCODE_ANY | JSON_SORT_KEYS);
    char *ids = parents && f->ids ? idset_encode(f->ids) : xstrdup("");
    char *path = path_of(o, f, parents ? 2 : 1);

    xasprintf(&text, "%s\n%s\n%s\n%d %s %d %s", path,
              parents ? f->lot->parent->v->basename : "",
              f->ids ? v->basename : v->name, (int)f->lot->state, ids,
              is_drained(f), same ? same : "");
    free(path);
    free(ids);
    free(same);
    return text;
}

/* Add to the first of each kind the members, or the parents, of the others. */
static void join(struct outages *o, bool parents)
{
    struct map first = {0};
    size_t n = 0;

    for (size_t i = 0; i < o->n; i++) {
        struct outage *f = &o->list[i];
        char *key = outage_key(o, f, parents);
        struct map_slot *slot = map_at(&first, key, strlen(key));
        free(key);
        if (!(parents ? f->parents : f->ids) || !slot->value.number) {
            o->list[n++] = *f;
            slot->value.number = n;
            continue;
        }
        f = &o->list[slot->value.number - 1];
        idset_add_set(parents ? f->parents : f->ids,
                      parents ? o->list[i].parents : o->list[i].ids);
        outage_fini(&o->list[i]);
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
    char *place = path_of(o, f, 0);
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
    char *place = path_of(o, f, 0);
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

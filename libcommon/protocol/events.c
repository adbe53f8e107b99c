/*
 * Events of resources: lines of RFC 44's resource.eventlog, and rset's own,
 * which assign targets to groups.
 *
 * The ranks in a log are those of the instance that wrote it. If a restart
 * event lists hosts in another order than the set, ranks of later events are
 * mapped by host. Events drain and undrain name their hosts themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/keys.h"
#include "base/map.h"
#include "base/memory.h"
#include "protocol/provider_private.h"

/* --- ranks by host ------------------------------------------------------- */

struct rank_map {
    struct idset *from; /* ranks of the log */
    int64_t *to;        /* our rank for each of these, by position; -1: none */
};

void rank_map_destroy(struct rank_map *map)
{
    if (!map)
        return;
    idset_destroy(map->from);
    free(map->to);
    free(map);
}

/* Map each rank of a log to our next rank with its host. */
static struct rank_map *make_map(const struct rset *rs,
                                 const struct idset *ranks,
                                 const struct hostlist *names)
{
    struct rank_map *map = xcalloc(1, sizeof(*map));
    struct map taken = {0}; /* by host: how many of its ranks were taken */
    struct hostlist_iter it;
    char name[HOSTLIST_NAME_MAX];
    size_t i = 0;

    map->from = idset_copy(ranks);
    map->to = xcalloc(idset_count(ranks), sizeof(*map->to));
    hostlist_iter_init(&it, names);
    while (hostlist_iter_next(&it, name) > 0) {
        struct idset *at = hostlist_find(rs->hosts, name);
        size_t n = map_at(&taken, name, strlen(name))->value.number++;
        map->to[i++] = n < idset_count(at)
                           ? (int64_t)idset_nth(rs->ranks, idset_nth(at, n))
                           : -1;
        idset_destroy(at);
    }
    map_fini(&taken);
    return map;
}

/* Return our rank for a rank of the log and its host (NULL: not named); -1 if
   there is none. If our rank has another host, returns the first rank of the
   named host. */
static int64_t map_rank(const struct provider *p, uint32_t id, const char *name)
{
    int64_t at = p->map ? idset_position(p->map->from, id) : -1;
    int64_t rank = !p->map ? (int64_t)id : at < 0 ? -1 : p->map->to[at];
    char host[HOSTLIST_NAME_MAX];
    struct idset *where;

    if (!name
        || (rank >= 0 && rset_host(p->rs, (uint32_t)rank, host) >= 0
            && !strcmp(host, name)))
        return rank;
    where = hostlist_find(p->rs->hosts, name);
    rank = idset_empty(where)
               ? -1
               : (int64_t)idset_nth(p->rs->ranks, idset_first(where));
    idset_destroy(where);
    return rank;
}

/* Return our ranks for the ranks of an event, and for their hosts (NULL: not
   named): a new set. Logs ranks that the set doesn't have. */
static struct idset *map_ranks(const struct provider *p,
                               const struct idset *ids,
                               const struct hostlist *names)
{
    const struct idset *all = names    ? ids
                              : p->map ? p->map->from
                                       : p->rs->ranks;
    struct idset *known = idset_intersect(ids, all),
                 *unknown = idset_subtract(ids, all), *out = known;
    char name[HOSTLIST_NAME_MAX], *text;
    struct hostlist_iter host;
    struct idset_iter it;
    uint32_t id;

    if (names)
        hostlist_iter_init(&host, names);
    if (names || p->map) {
        out = idset_create();
        idset_iter_init(&it, known);
        while (idset_iter_next(&it, &id)) {
            int64_t rank;
            if (names)
                hostlist_iter_next(&host, name);
            rank = map_rank(p, id, names ? name : NULL);
            if (rank < 0)
                idset_add(unknown, id, id);
            else
                idset_add(out, (uint32_t)rank, (uint32_t)rank);
        }
        idset_destroy(known);
    }
    text = idset_encode(unknown);
    if (!idset_empty(unknown))
        provider_log(p, "targets %s are not in the resources", text);
    free(text);
    idset_destroy(unknown);
    return out;
}

/* --- contents of events --------------------------------------------------- */

struct event {
    struct provider *p;
    const struct event_kind *kind;
    json_t *context;
    struct idset *ids, *online;
    struct hostlist *hosts;
    const char *text; /* the method or the group */
    double end;       /* end of the set; 0: none */
};

/*
 * One name of an event: the keys of its context, and its effect. on_state()
 * adds targets to `state` (`is`) or removes them from it. on_move() moves
 * targets `from` a group (NULL: any) `to` another (NULL: the event names it).
 */
struct event_kind {
    const char *name;
    const struct key *keys;
    void (*happens)(struct event *e); /* NULL: no effect */
    enum target_state state;
    bool is;
    const char *from, *to;
};

static int read_ids(void *arg, json_t *value, void *to, struct diag *d)
{
    const char *text = json_string_value(value);

    (void)arg;
    return text ? idset_decode(text, strlen(text), to, d)
                : keys_wrong(d, value, "an idset");
}

/* Most hosts in an event, unless the set has more. A few bytes can name
   many. */
enum { HOSTS_MAX = 1 << 20 };

/* Read a host for each of the event's ids, in ascending order. */
static int read_hosts(void *arg, json_t *value, void *to, struct diag *d)
{
    struct event *e = arg;
    const char *text = json_string_value(value);
    uint64_t n = idset_count(e->ids);

    (void)to;
    if (!text)
        return keys_wrong(d, value, "a hostlist");
    e->hosts = hostlist_create();
    if (hostlist_decode(e->hosts, text, strlen(text), d) < 0)
        return -1;
    if (hostlist_count(e->hosts) != n)
        return keys_wrong(d, value, "a host for each rank");
    return n <= HOSTS_MAX || n <= idset_count(e->p->rs->ranks)
               ? 0
               : keys_wrong(d, value, "no more than 1048576 hosts");
}

/* Read hosts, unless the set has none. */
static int read_hosts_if(void *arg, json_t *value, void *to, struct diag *d)
{
    return ((struct event *)arg)->p->rs->hosts ? read_hosts(arg, value, to, d)
                                               : 0;
}

static int read_overwrite(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg, (void)to;
    return json_is_integer(value) && json_integer_value(value) >= 0
                   && json_integer_value(value) <= 2
               ? 0
               : keys_wrong(d, value, "0, 1 or 2");
}

static int read_reason(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg, (void)to;
    return json_is_null(value) || json_is_string(value)
               ? 0
               : keys_wrong(d, value, "a string");
}

static int read_group(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    if (json_string_length(value) == 0)
        return keys_wrong(d, value, "the name of a group");
    *(const char **)to = json_string_value(value);
    return 0;
}

#define AT(field) (offsetof(struct event, field) | KEY_EXPECTED)

static const struct key restart_keys[] = {
    {"ranks", read_ids, AT(ids)},
    {"nodelist", read_hosts, KEY_EXPECTED},
    {"online", read_ids, AT(online)},
    {0}};
static const struct key init_keys[] = {{"online", read_ids, AT(online)}, {0}};
static const struct key define_keys[] = {{"method", keys_text, AT(text)}, {0}};
static const struct key update_keys[] = {
    {"expiration", message_read_time, AT(end)}, {0}};
static const struct key state_keys[] = {{"idset", read_ids, AT(ids)}, {0}};
/* Reason and overwrite are checked and ignored, because RFC 28 has no place for
   them. Old logs have no nodelist. */
static const struct key drain_keys[] = {{"idset", read_ids, AT(ids)},
                                        {"reason", read_reason, 0},
                                        {"overwrite", read_overwrite, 0},
                                        {"nodelist", read_hosts_if, 0},
                                        {0}};
static const struct key assign_keys[] = {
    {"group", read_group, AT(text)}, {"idset", read_ids, AT(ids)}, {0}};

/* --- events -------------------------------------------------------------- */

static void on_restart(struct event *e)
{
    struct provider *p = e->p;
    struct idset *ours;

    if (e->ids) { /* a resource-init has no ranks */
        bool same = !p->rs->hosts
                    || (idset_equal(e->ids, p->rs->ranks)
                        && hostlist_equal(e->hosts, p->rs->hosts));
        rank_map_destroy(p->map);
        p->map = same ? NULL : make_map(p->rs, e->ids, e->hosts);
    }
    ours = map_ranks(p, e->online, NULL);
    provider_restart(p, ours);
    idset_destroy(ours);
}

static void on_state(struct event *e)
{
    struct idset *ours = map_ranks(e->p, e->ids, e->hosts);

    provider_set(e->p, e->kind->state, ours, e->kind->is);
    idset_destroy(ours);
}

static void on_update(struct event *e)
{
    provider_expire(e->p, e->end > 0 ? e->end : TIME_UNSET);
}

static void on_move(struct event *e)
{
    struct idset *ours = map_ranks(e->p, e->ids, NULL);

    provider_move(e->p, ours, e->kind->from,
                  e->kind->to ? e->kind->to : e->text);
    idset_destroy(ours);
}

static const struct event_kind events[] = {
    {.name = "restart", restart_keys, on_restart},
    {.name = "resource-init", init_keys, on_restart}, /* before May 2024 */
    {.name = "resource-define", define_keys, NULL},
    {.name = "resource-update", update_keys, on_update},
    {.name = "truncate", NULL, NULL}, /* earlier events are lost */
    {.name = "online", state_keys, on_state, TARGET_ONLINE, true},
    {.name = "offline", state_keys, on_state, TARGET_ONLINE, false},
    {.name = "torpid", state_keys, on_state, TARGET_TORPID, true},
    {.name = "lively", state_keys, on_state, TARGET_TORPID, false},
    {.name = "drain", drain_keys, on_state, TARGET_DRAINED, true},
    {.name = "undrain", drain_keys, on_state, TARGET_DRAINED, false},
    {.name = "exclude", state_keys, on_move, .to = "exclude"},
    {.name = "include",
     state_keys,
     on_move,
     .from = "exclude",
     .to = "default"},
    {.name = "assign", assign_keys, on_move},
};

/* Check the keys of an event, and find its kind. */
static int check_event(const json_t *event, struct event *e, struct diag *d)
{
    const json_t *time = json_object_get(event, "timestamp"),
                 *version = json_object_get(event, "version");
    const char *name = json_string_value(json_object_get(event, "name"));
    int i;

    if (!json_is_object(event))
        return diag_set(d, "%s: an event is an object", json_quote(event).text);
    if (json_integer_value(version) > 1)
        return diag_key(d, "version", "%s is not a version that is known",
                        json_quote(version).text);
    if (!name)
        return diag_set(d, "name is missing");
    if (!json_is_number(time) || json_number_value(time) <= 0)
        return diag_key(d, "timestamp", "a time is expected");
    if (!json_is_object(e->context))
        return diag_key(d, "context", "%s is not an object",
                        json_quote(e->context).text);
    if ((i = WORD_FIND(events, name)) < 0)
        return diag_set(d, "%s: there is no such event", quote_all(name).text);
    e->kind = &events[i];
    return 0;
}

int provider_event(struct provider *p, const json_t *event, struct diag *d)
{
    json_t *context = json_object_get(event, "context");
    struct event e = {
        .p = p, .context = context ? json_incref(context) : json_object()};
    int rc = check_event(event, &e, d);

    if (rc == 0 && e.kind->keys
        && keys_read(&e, e.context, NULL, e.kind->keys, false, &e, d) < 0)
        rc = diag_in(d, "context");
    if (rc == 0 && e.kind->happens)
        e.kind->happens(&e);
    idset_destroy(e.ids);
    idset_destroy(e.online);
    hostlist_destroy(e.hosts);
    json_decref(e.context);
    return rc;
}

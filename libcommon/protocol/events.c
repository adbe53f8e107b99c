/*
 * Events of resources: lines of RFC 44's resource.eventlog, and ours, which say
 * into which group targets go.
 *
 * The ranks of a log are those of the instance that wrote it. Where its restart
 * names hosts in another order than the set has them, ids go by host from then
 * on; those of drain and undrain name their hosts themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "protocol/provider_private.h"

/* --- ranks by host ------------------------------------------------------- */

struct rank_map {
    struct idset *from; /* ranks of the log */
    int64_t *to;        /* ours, by their position; -1: none */
};

void rank_map_destroy(struct rank_map *map)
{
    if (!map)
        return;
    idset_destroy(map->from);
    free(map->to);
    free(map);
}

/* Our ranks by host, each taken once if several have one. */
struct hosts {
    struct map next; /* by name: how many of its positions were taken */
    const struct rset *rs;
};

static int64_t next_rank(struct hosts *h, const char *name)
{
    struct idset *at = hostlist_find(h->rs->hosts, name);
    struct map_slot *slot = map_at(&h->next, name, strlen(name));
    uint64_t n = slot->value.number++;
    int64_t rank = -1;

    if (n < idset_count(at))
        rank = idset_nth(h->rs->ranks, idset_nth(at, n));
    idset_destroy(at);
    return rank;
}

static struct rank_map *make_map(const struct provider *p,
                                 const struct idset *ranks,
                                 const struct hostlist *names)
{
    struct rank_map *map = xcalloc(1, sizeof(*map));
    struct hosts hosts = {.rs = p->rs};
    struct hostlist_iter it;
    char name[HOSTLIST_NAME_MAX];
    size_t i = 0;

    map->from = idset_copy(ranks);
    map->to = xcalloc(idset_count(ranks), sizeof(*map->to));
    hostlist_iter_init(&it, names);
    while (hostlist_iter_next(&it, name, sizeof(name)) > 0)
        map->to[i++] = next_rank(&hosts, name);
    map_fini(&hosts.next);
    return map;
}

/* Those of the log that are none of ours are logged. */
static void log_unknown(const struct provider *p, struct idset *unknown)
{
    char *text = idset_encode(unknown);

    if (!idset_empty(unknown))
        provider_log(p, "targets %s are none of these resources", text);
    free(text);
    idset_destroy(unknown);
}

/* Our rank for an id of the log; -1: there is none. */
static void put_rank(struct idset *out, struct idset *unknown, uint32_t id,
                     int64_t rank)
{
    if (rank < 0)
        idset_add(unknown, id, id);
    else
        idset_add(out, (uint32_t)rank, (uint32_t)rank);
}

/* Our ranks for those of an event. */
static struct idset *map_ranks(const struct provider *p,
                               const struct idset *ids)
{
    const struct idset *all = p->map ? p->map->from : p->rs->ranks;
    struct idset *known = idset_intersect(ids, all),
                 *unknown = idset_subtract(ids, all), *out = known;
    struct idset_iter it;
    uint32_t id;

    if (p->map) {
        out = idset_create();
        idset_iter_init(&it, known);
        while (idset_iter_next(&it, &id)) {
            int64_t rank = p->map->to[idset_position(p->map->from, id)];
            put_rank(out, unknown, id, rank);
        }
        idset_destroy(known);
    }
    log_unknown(p, unknown);
    return out;
}

/* The rank that an id and the name of its host mean: one whose host is another
   is the first of that host. -1: none. */
static int64_t map_host(const struct provider *p, uint32_t id, const char *name)
{
    int64_t at = p->map ? idset_position(p->map->from, id) : -1;
    int64_t rank = !p->map ? (int64_t)id : at < 0 ? -1 : p->map->to[at];
    char host[HOSTLIST_NAME_MAX];
    struct idset *where;

    if (rank >= 0 && rset_host(p->rs, (uint32_t)rank, host, sizeof(host)) >= 0
        && !strcmp(host, name))
        return rank;
    where = hostlist_find(p->rs->hosts, name);
    rank = idset_empty(where)
               ? -1
               : (int64_t)idset_nth(p->rs->ranks, idset_first(where));
    idset_destroy(where);
    return rank;
}

static struct idset *map_hosts(const struct provider *p,
                               const struct idset *ids,
                               const struct hostlist *names)
{
    struct idset *out = idset_create(), *unknown = idset_create();
    struct hostlist_iter it;
    struct idset_iter each;
    char name[HOSTLIST_NAME_MAX];
    uint32_t id;

    hostlist_iter_init(&it, names);
    idset_iter_init(&each, ids);
    while (idset_iter_next(&each, &id)
           && hostlist_iter_next(&it, name, sizeof(name)) > 0) {
        int64_t rank = map_host(p, id, name);
        put_rank(out, unknown, id, rank);
    }
    log_unknown(p, unknown);
    return out;
}

/* --- what an event says -------------------------------------------------- */

struct event {
    struct provider *p;
    const char *name;
    const struct event_kind *kind;
    const json_t *context; /* NULL: none */
    struct idset *ids;     /* NULL: none */
    struct hostlist *hosts;
    struct diag *d;
};

/* What happens; into which state targets come, or out of which they go; or out
   of which group (NULL: any) into which (NULL: it says so). */
struct event_kind {
    const char *name;
    int (*happens)(struct event *e); /* NULL: nothing */
    enum target_state state;
    bool is;
    const char *from, *to;
};

static void event_fini(struct event *e)
{
    idset_destroy(e->ids);
    hostlist_destroy(e->hosts);
}

static int need(const struct event *e, const char *key, const char *what)
{
    const json_t *value = json_object_get(e->context, key);

    diag_set(e->d, "%s%s%s is expected", value ? json_quote(value).text : "",
             value ? ": " : "", what);
    diag_in(e->d, "%s", key);
    return diag_in(e->d, "context");
}

/* An idset of a key; *out is new. */
static int get_ids(const struct event *e, const char *key, struct idset **out)
{
    *out = message_ranks(e->context, key, e->d);
    if (*out)
        return 0;
    return json_is_string(json_object_get(e->context, key))
               ? diag_in(e->d, "context")
               : need(e, key, "an idset");
}

/* A log may have more hosts than we, but a few bytes can name billions. */
enum { HOSTS_MAX = 1 << 20 };

/* A host for each of some ids, in ascending order. */
static int get_hosts(struct event *e, const struct idset *ids)
{
    uint64_t n = idset_count(ids);
    const char *text = json_string_value(
        json_object_get(e->context, "nodelist"));

    if (!text)
        return need(e, "nodelist", "a hostlist");
    e->hosts = hostlist_create();
    if (hostlist_decode(e->hosts, text, strlen(text), e->d) < 0) {
        diag_in(e->d, "nodelist");
        return diag_in(e->d, "context");
    }
    if (hostlist_count(e->hosts) != n)
        return need(e, "nodelist", "a host for each rank");
    return n <= HOSTS_MAX || n <= idset_count(e->p->rs->ranks)
               ? 0
               : need(e, "nodelist", "no more than 1048576 hosts");
}

static int check_number(const struct event *e, const char *key, int64_t max)
{
    const json_t *value = json_object_get(e->context, key);

    return !value
                   || (json_is_integer(value) && json_integer_value(value) >= 0
                       && json_integer_value(value) <= max)
               ? 0
               : need(e, key, "0, 1 or 2");
}

static int check_text(const struct event *e, const char *key)
{
    const json_t *value = json_object_get(e->context, key);

    return !value || json_is_null(value) || json_is_string(value)
               ? 0
               : need(e, key, "a string");
}

/* --- events -------------------------------------------------------------- */

static int on_restart(struct event *e)
{
    struct provider *p = e->p;
    struct idset *online, *ours;
    bool same;

    if (get_ids(e, "ranks", &e->ids) < 0 || get_hosts(e, e->ids) < 0
        || get_ids(e, "online", &online) < 0)
        return -1;
    rank_map_destroy(p->map);
    p->map = NULL;
    same = idset_equal(e->ids, p->rs->ranks)
           && (!p->rs->hosts || hostlist_equal(e->hosts, p->rs->hosts));
    if (!same && p->rs->hosts)
        p->map = make_map(p, e->ids, e->hosts);
    ours = map_ranks(p, online);
    provider_restart(p, ours);
    idset_destroy(ours);
    idset_destroy(online);
    return 0;
}

static int on_state(struct event *e)
{
    struct idset *ours;

    if (get_ids(e, "idset", &e->ids) < 0)
        return -1;
    ours = map_ranks(e->p, e->ids);
    provider_set(e->p, e->kind->state, ours, e->kind->is);
    idset_destroy(ours);
    return 0;
}

/*
 * Reasons and when they were given are not spoken of in RFC 28: whether there
 * is one, and what becomes of it, makes no difference here. Old logs name no
 * hosts.
 */
static int on_drain(struct event *e)
{
    struct idset *ours;
    bool named = json_object_get(e->context, "nodelist") && e->p->rs->hosts;

    if (get_ids(e, "idset", &e->ids) < 0 || check_text(e, "reason") < 0
        || check_number(e, "overwrite", 2) < 0
        || (named && get_hosts(e, e->ids) < 0))
        return -1;
    ours = named ? map_hosts(e->p, e->ids, e->hosts) : map_ranks(e->p, e->ids);
    provider_set(e->p, e->kind->state, ours, e->kind->is);
    idset_destroy(ours);
    return 0;
}

static int on_define(struct event *e)
{
    return json_is_string(json_object_get(e->context, "method"))
               ? 0
               : need(e, "method", "a string");
}

static int on_update(struct event *e)
{
    double end;

    if (message_time(e->context, "expiration", false, &end, e->d) < 0)
        return diag_in(e->d, "context");
    provider_expire(e->p, end > 0 ? end : TIME_UNSET);
    return 0;
}

static int on_move(struct event *e)
{
    const char *to = e->kind->to ? e->kind->to
                                 : json_string_value(
                                     json_object_get(e->context, "group"));
    struct idset *ours;

    if (!to || !*to)
        return need(e, "group", "the name of a group");
    if (get_ids(e, "idset", &e->ids) < 0)
        return -1;
    ours = map_ranks(e->p, e->ids);
    provider_move(e->p, ours, e->kind->from, to);
    idset_destroy(ours);
    return 0;
}

static const struct event_kind events[] = {
    {.name = "restart", on_restart},
    {.name = "resource-define", on_define},
    {.name = "resource-update", on_update},
    {.name = "truncate"}, /* what was before is not known */
    {.name = "online", on_state, TARGET_ONLINE, true},
    {.name = "offline", on_state, TARGET_ONLINE, false},
    {.name = "torpid", on_state, TARGET_TORPID, true},
    {.name = "lively", on_state, TARGET_TORPID, false},
    {.name = "drain", on_drain, TARGET_DRAINED, true},
    {.name = "undrain", on_drain, TARGET_DRAINED, false},
    {.name = "exclude", on_move, .to = "exclude"},
    {.name = "include", on_move, .from = "exclude", .to = "default"},
    {.name = "assign", on_move},
};

static int check_event(const json_t *event, struct event *e)
{
    const json_t *time = json_object_get(event, "timestamp");

    if (!json_is_object(event))
        return diag_set(e->d, "%s: an event is an object",
                        json_quote(event).text);
    if (!(e->name = json_string_value(json_object_get(event, "name"))))
        return diag_set(e->d, "an event has a name");
    if (!json_is_number(time) || json_number_value(time) <= 0) {
        diag_set(e->d, "a time is expected");
        return diag_in(e->d, "timestamp");
    }
    if (e->context && !json_is_object(e->context)) {
        diag_set(e->d, "%s is no object", json_quote(e->context).text);
        return diag_in(e->d, "context");
    }
    return 0;
}

int provider_event(struct provider *p, const json_t *event, struct diag *d)
{
    struct event e = {
        .p = p, .context = json_object_get(event, "context"), .d = d};
    int rc = check_event(event, &e);
    size_t i = 0, n = sizeof(events) / sizeof(*events);

    while (rc == 0 && i < n && strcmp(events[i].name, e.name) != 0)
        i++;
    if (rc == 0 && i == n)
        rc = diag_set(d, "%s: there is no such event",
                      quote(e.name, strlen(e.name)).text);
    if (rc == 0 && (e.kind = &events[i])->happens)
        rc = e.kind->happens(&e);
    event_fini(&e);
    return rc;
}

/* Gives targets other ranks, and all that names ranks with them (ranks.h). */
#include "model/change/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/records/usage.h"
#include "model/tree/properties.h"

/* --- mapping ------------------------------------------------------------- */

struct rerank {
    uint32_t new, old; /* sorted by new */
};

/* Return the new rank of a target. `to` has the new ranks in ascending order of
   the old ones; NULL: the place in this order is the new rank. */
static uint32_t new_rank(const struct rset *rs, const uint32_t *to,
                         uint32_t old)
{
    int64_t at = idset_position(rs->ranks, old);

    return to ? to[at] : (uint32_t)at;
}

/* Return the members of a run by their new ranks. */
static struct idset *map_run(const struct rset *rs, const uint32_t *to,
                             const struct idset *run)
{
    struct idset *mapped;
    struct idset_iter it;
    uint32_t rank;

    if (!to)
        return idset_positions(rs->ranks, run);
    mapped = idset_create();
    idset_iter_init(&it, run);
    while (idset_iter_next(&it, &rank)) {
        rank = new_rank(rs, to, rank);
        idset_push(mapped, rank, rank);
    }
    idset_settle(mapped);
    return mapped;
}

static void map_targets(struct rset *rs, const uint32_t *to)
{
    struct vertex **targets;
    size_t ntargets = rset_targets(rs, &targets);

    for (size_t i = 0; i < ntargets; i++) {
        struct vertex *v = targets[i];
        if (v->run) {
            idset_replace(v->run, map_run(rs, to, v->run));
            continue;
        }
        int64_t rank = new_rank(rs, to, (uint32_t)v->rank);
        for (struct vertex *c = v; c; c = vertex_next(v, c, false))
            c->rank = rank;
    }
    free(targets);
    for (struct vertex *v = rs->root; v;
         v = vertex_next(rs->root, v, vertex_is_target(v)))
        vertex_sort_children(v);
}

/* Put ranks and hosts into the new order. `list` is in the order of the new
   ranks. */
static void map_index(struct rset *rs, const struct rerank *list, size_t n)
{
    struct idset *ranks = idset_create();
    struct hostlist *hosts = rs->hosts ? hostlist_create() : NULL;
    char name[HOSTLIST_NAME_MAX];

    for (size_t i = 0; i < n; i++) {
        idset_add(ranks, list[i].new, list[i].new);
        if (hosts && rset_host(rs, list[i].old, name) >= 0)
            hostlist_append(hosts, name);
    }
    rset_set_ranks(rs, ranks, hosts);
}

/* Give the i-th rank (ascending) the rank to[i]; all of them differ. If `old`
   is not NULL, sets it to a new array of the old ranks, in ascending order of
   the new ones. */
static void map_ranks(struct rset *rs, const uint32_t *to, uint32_t **old)
{
    size_t n = (size_t)idset_count(rs->ranks), i = 0;
    struct rerank *list = xmalloc(n * sizeof(*list));
    bool moved = false;

    for (uint32_t rank = idset_first(rs->ranks); rank != IDSET_INVALID;
         rank = idset_next(rs->ranks, rank), i++) {
        list[i] = (struct rerank){.old = rank, .new = to[i]};
        moved = moved || to[i] != rank;
    }
    VECTOR_SORT(list, n, compare_uint32);
    if (old)
        *old = xmalloc(n * sizeof(**old));
    for (i = 0; old && i < n; i++)
        (*old)[i] = list[i].old;
    if (moved)
        rset_note_scheduling(rs);
    usage_settle(rs);
    map_targets(rs, to);
    map_index(rs, list, n);
    usage_gather(rs);
    free(list);
}

/* Return whether ids are numbered from 0 on, with none left out. */
static bool is_numbered(const struct idset *ids)
{
    return idset_empty(ids) || idset_last(ids) + 1ull == idset_count(ids);
}

void rset_remap(struct rset *rs)
{
    if (!rs->ranks || is_numbered(rs->ranks))
        return;
    rset_note_scheduling(rs);
    usage_settle(rs);
    map_targets(rs, NULL);
    rset_forget_properties(rs);
    idset_replace(rs->ranks,
                  idset_create_range(0, (uint32_t)idset_count(rs->ranks) - 1));
    usage_gather(rs);
}

/* Give the cores of a target the positions of their ids among the ids that its
   cores have. Returns whether any id changes. */
static bool remap_cores(struct rset *rs, struct vertex *target)
{
    struct idset *ids = idset_create();
    bool changes;

    for (struct vertex *v = target; v; v = vertex_next(target, v, false)) {
        if (strcmp(v->type, "core") != 0)
            continue;
        if (v->run)
            idset_add_set(ids, v->run);
        else if (v->id >= 0)
            idset_add(ids, (uint32_t)v->id, (uint32_t)v->id);
    }
    changes = !is_numbered(ids);
    for (struct vertex *v = changes ? target : NULL; v;
         v = vertex_next(target, v, false)) {
        bool named = !v->run && is_name_by_id(v->name, v->basename, v->id);
        if (strcmp(v->type, "core") != 0 || (!v->run && v->id < 0))
            continue;
        if (v->run) {
            idset_replace(v->run, idset_positions(ids, v->run));
            continue;
        }
        v->id = idset_position(ids, (uint32_t)v->id);
        if (named)
            v->name = rset_name_by_id(rs, v->basename, v->id);
    }
    idset_destroy(ids);
    return changes;
}

void rset_remap_cores(struct rset *rs)
{
    struct vertex **targets;
    size_t ntargets;
    bool changes = false;

    usage_settle(rs);
    ntargets = rset_targets(rs, &targets);
    for (size_t i = 0; i < ntargets; i++)
        changes |= remap_cores(rs, targets[i]);
    free(targets);
    if (changes)
        rset_note_scheduling(rs);
    usage_gather(rs);
}

/* --- by host ------------------------------------------------------------- */

/* Instead of a rank: no host has this name, but one has it before a domain. */
static const size_t NO_DOMAIN = SIZE_MAX;

static bool is_ranked(const struct map_slot *slot)
{
    return slot->value.number && slot->value.number != NO_DOMAIN;
}

/* Return the slot of a host name without its domain, or NULL if it has no
   domain. */
static struct map_slot *slot_without_domain(struct map *map, const char *name,
                                            size_t len)
{
    const char *dot = memchr(name, '.', len);
    size_t n = dot ? (size_t)(dot - name) : 0;

    return strspn(name, "0123456789") < n ? map_at(map, name, n) : NULL;
}

static void note_domain(struct map *map, const char *name, size_t len)
{
    struct map_slot *slot = slot_without_domain(map, name, len);

    if (slot && !slot->value.number)
        slot->value.number = NO_DOMAIN;
}

/* Map each host to its rank + 1, or if `ranks` is NULL to its place in the list
   + 1. */
static int index_hosts(struct map *map, const struct hostlist *hosts,
                       const struct idset *ranks, struct diag *d)
{
    uint32_t n = ranks ? idset_first(ranks) : 0;
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    int len;

    hostlist_iter_init(&it, hosts);
    while ((len = hostlist_iter_next(&it, name)) >= 0) {
        struct map_slot *slot = map_at(map, name, (size_t)len);
        if (is_ranked(slot))
            return diag_set(d, "host %s is named twice",
                            quote(name, (size_t)len).text);
        slot->value.number = (size_t)n + 1;
        note_domain(map, name, (size_t)len);
        n = ranks ? idset_next(ranks, n) : n + 1;
    }
    return 0;
}

bool rset_hosts_unique(const struct rset *rs)
{
    char name[HOSTLIST_NAME_MAX];

    return rs->hosts && hostlist_count(rs->hosts) == idset_count(rs->ranks)
           && !hostlist_repeats(rs->hosts, name);
}

static int need_hosts(const struct rset *rs, struct diag *d)
{
    if (!rs->hosts || !rs->ranks)
        return diag_set(d, "the set has no nodelist");
    return 0;
}

/* Give a host that no set had before the next rank. Returns the rank + 1. */
static size_t add_host(struct host_ranks *h, struct map_slot *slot,
                       const char *name, size_t len)
{
    size_t rank = (size_t)++h->next;
    bool alike = slot->value.number == NO_DOMAIN;

    slot->value.number = rank;
    if (!alike && (slot = slot_without_domain(&h->ranks, name, len)))
        alike = is_ranked(slot);
    if (alike && !*h->alike)
        snprintf(h->alike, sizeof(h->alike), "%s", name);
    note_domain(&h->ranks, name, len);
    return rank;
}

/* Find the new ranks of the hosts of a set, in ascending order of their old
   ranks. */
static int ranks_of_hosts(const struct rset *rs, struct host_ranks *h,
                          uint32_t *to, struct diag *d)
{
    uint64_t first = h->next;
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    int len;

    hostlist_iter_init(&it, rs->hosts);
    while ((len = hostlist_iter_next(&it, name)) >= 0) {
        struct map_slot *slot = map_at(&h->ranks, name, (size_t)len);
        size_t rank = slot->value.number;
        if (!is_ranked(slot) && h->closed)
            return diag_set(d, "host %s is not in the list",
                            quote(name, (size_t)len).text);
        if (!is_ranked(slot))
            rank = add_host(h, slot, name, (size_t)len);
        if (rank - 1 > IDSET_MAX)
            return diag_set(d, "there are no ranks left above %llu",
                            (unsigned long long)first - 1);
        *to++ = (uint32_t)(rank - 1);
    }
    return 0;
}

int host_ranks_adopt(struct host_ranks *h, struct rset *rs, uint32_t **old,
                     struct diag *d)
{
    struct map own = {0};
    uint32_t *to = NULL;
    int rc = need_hosts(rs, d);

    if (rc == 0)
        rc = index_hosts(&own, rs->hosts, NULL, d);
    if (rc == 0) {
        to = xmalloc((idset_count(rs->ranks) + 1) * sizeof(*to));
        rc = ranks_of_hosts(rs, h, to, d);
    }
    if (rc == 0)
        map_ranks(rs, to, old);
    free(to);
    map_fini(&own);
    return rc;
}

int rset_rerank(struct rset *rs, const struct hostlist *order, struct diag *d)
{
    struct host_ranks h = {.closed = true};
    int rc;

    if (need_hosts(rs, d) < 0)
        return -1;
    rc = index_hosts(&h.ranks, order, NULL, d);
    if (rc == 0)
        rc = host_ranks_adopt(&h, rs, NULL, d);
    if (rc == 0)
        rc = hostlist_need(order, rs->hosts, d);
    host_ranks_fini(&h);
    return rc;
}

int host_ranks_init(struct host_ranks *h, const struct rset *rs, struct diag *d)
{
    *h = (struct host_ranks){0};
    if (need_hosts(rs, d) < 0)
        return -1;
    h->next = idset_empty(rs->ranks) ? 0 : (uint64_t)idset_last(rs->ranks) + 1;
    return index_hosts(&h->ranks, rs->hosts, rs->ranks, d);
}

void host_ranks_fini(struct host_ranks *h)
{
    map_fini(&h->ranks);
}

int rset_adopt_ranks(struct rset *b, const struct rset *a, uint32_t **old,
                     struct diag *d)
{
    struct host_ranks h;
    int rc = host_ranks_init(&h, a, d);

    if (rc == 0)
        rc = host_ranks_adopt(&h, b, old, d);
    host_ranks_fini(&h);
    return rc;
}

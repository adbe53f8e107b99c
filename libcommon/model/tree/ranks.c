/* Gives targets other ranks (ranks.h): by a map, or by the order of hosts. */
#include "model/tree/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/records/usage.h"
#include "model/tree/properties.h"

/* --- mapping ------------------------------------------------------------- */

/* A rank as it was and as it will be. */
struct rerank {
    uint32_t old, new;
};

static int compare_new(const void *a, const void *b)
{
    const struct rerank *ra = a, *rb = b;

    return (ra->new > rb->new) - (ra->new < rb->new);
}

static int compare_old(const void *a, const void *b)
{
    const struct rerank *ra = a, *rb = b;

    return (ra->old > rb->old) - (ra->old < rb->old);
}

static int64_t new_rank(const struct rerank *list, size_t n, uint32_t old)
{
    const struct rerank key = {.old = old}, *found;

    found = bsearch(&key, list, n, sizeof(*list), compare_old);
    return found ? (int64_t)found->new : -1;
}

static int compare_ranks(const void *a, const void *b)
{
    uint32_t ra = *(const uint32_t *)a, rb = *(const uint32_t *)b;

    return (ra > rb) - (ra < rb);
}

/* The members of a run under their new ranks. */
static struct idset *map_run(const struct idset *run, const struct rerank *list,
                             size_t n)
{
    uint64_t count = idset_count(run), i = 0;
    uint32_t *ranks = xmalloc(count * sizeof(*ranks));
    struct idset *mapped = idset_create();

    for (uint32_t rank = idset_first(run); rank != IDSET_INVALID;
         rank = idset_next(run, rank))
        ranks[i++] = (uint32_t)new_rank(list, n, rank);
    qsort(ranks, count, sizeof(*ranks), compare_ranks);
    for (i = 0; i < count; i++)
        idset_add(mapped, ranks[i], ranks[i]);
    free(ranks);
    return mapped;
}

static void map_target(struct vertex *v, const struct rerank *list, size_t n)
{
    if (v->run) {
        struct idset *run = map_run(v->run, list, n);
        idset_destroy(v->run);
        v->run = run;
    } else {
        int64_t rank = new_rank(list, n, (uint32_t)v->rank);
        for (struct vertex *c = v; c; c = vertex_next(v, c, false))
            c->rank = rank;
    }
}

static void map_targets(struct rset *rs, const struct rerank *list, size_t n)
{
    struct vertex **targets;
    size_t ntargets = rset_targets(rs, &targets);

    for (size_t i = 0; i < ntargets; i++)
        map_target(targets[i], list, n);
    free(targets);
    for (struct vertex *v = rs->root; v;
         v = vertex_next(rs->root, v, vertex_is_target(v)))
        vertex_sort_children(v);
}

static bool moves_any(const struct rerank *list, size_t n)
{
    size_t i = 0;

    while (i < n && list[i].old == list[i].new)
        i++;
    return i < n;
}

/* Ranks and hosts in the new order; `list` is in order of the new ranks. */
static void map_index(struct rset *rs, const struct rerank *list, size_t n)
{
    struct idset *ranks = idset_create();
    struct hostlist *hosts = rs->hosts ? hostlist_create() : NULL;
    char name[HOSTLIST_NAME_MAX];

    for (size_t i = 0; i < n; i++) {
        int len = hosts ? rset_host(rs, list[i].old, name, sizeof(name)) : 0;
        idset_add(ranks, list[i].new, list[i].new);
        if (hosts)
            hostlist_append(hosts, name, (size_t)len);
    }
    rset_forget_properties(rs);
    idset_destroy(rs->ranks);
    hostlist_destroy(rs->hosts);
    rs->ranks = ranks;
    rs->hosts = hosts;
}

static int check_distinct(const struct rerank *list, size_t n, struct diag *d)
{
    for (size_t i = 1; i < n; i++)
        if (list[i].new == list[i - 1].new)
            return diag_set(d, "ranks %u and %u would both be rank %u",
                            list[i - 1].old, list[i].old, list[i].new);
    return 0;
}

int rset_map_ranks(struct rset *rs, const uint32_t *to, struct diag *d)
{
    size_t n = (size_t)idset_count(rs->ranks), i = 0;
    struct rerank *list = xmalloc(n * sizeof(*list));
    struct rerank *by_new = xmalloc(n * sizeof(*list));
    int rc;

    for (uint32_t rank = idset_first(rs->ranks); rank != IDSET_INVALID;
         rank = idset_next(rs->ranks, rank), i++)
        list[i] = (struct rerank){.old = rank, .new = to[i]};
    memcpy(by_new, list, n * sizeof(*list));
    qsort(by_new, n, sizeof(*by_new), compare_new);
    rc = check_distinct(by_new, n, d);
    if (rc == 0) {
        if (moves_any(list, n))
            rset_note_scheduling(rs);
        usage_settle(rs);
        map_targets(rs, list, n);
        map_index(rs, by_new, n);
        usage_gather(rs);
    }
    free(list);
    free(by_new);
    return rc;
}

/* --- remap --------------------------------------------------------------- */

/* By runs: the new rank of a rank is its position. */
static void remap_runs(struct rset *rs)
{
    uint64_t n = idset_count(rs->ranks);

    if (idset_last(rs->ranks) + 1ull > n)
        rset_note_scheduling(rs);
    usage_settle(rs);
    for (struct vertex *v = rs->root->child; v; v = v->next) {
        struct idset *run;
        if (!vertex_is_target(v))
            continue;
        run = idset_positions(rs->ranks, v->run);
        idset_destroy(v->run);
        v->run = run;
    }
    rset_forget_properties(rs);
    idset_destroy(rs->ranks);
    rs->ranks = idset_create_range(0, (uint32_t)(n - 1));
    usage_gather(rs);
}

int rset_remap(struct rset *rs, struct diag *d)
{
    uint64_t n = rs->ranks ? idset_count(rs->ranks) : 0;
    uint32_t *to;
    int rc;

    if (n == 0)
        return 0;
    if (!(rs->halves & HALF_GRAPH)) {
        remap_runs(rs);
        return 0;
    }
    to = xmalloc(n * sizeof(*to));
    for (uint64_t i = 0; i < n; i++)
        to[i] = (uint32_t)i;
    rc = rset_map_ranks(rs, to, d);
    free(to);
    return rc;
}

/* --- by host ------------------------------------------------------------- */

static int named_twice(const char *name, struct diag *d)
{
    return diag_set(d, "host %s is named twice",
                    quote(name, strlen(name)).text);
}

/* From host to the number of its place in a list + 1. */
static int index_hosts(struct map *map, const struct hostlist *hosts,
                       struct diag *d)
{
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    size_t n = 0;
    int len;

    hostlist_iter_init(&it, hosts);
    while ((len = hostlist_iter_next(&it, name, sizeof(name))) >= 0) {
        struct map_slot *slot = map_at(map, name, (size_t)len);
        if (slot->value.number)
            return named_twice(name, d);
        slot->value.number = ++n;
    }
    return 0;
}

bool rset_hosts_unique(const struct rset *rs)
{
    struct map map = {0};
    struct diag unused;
    bool unique;

    if (!rs->hosts || hostlist_count(rs->hosts) != idset_count(rs->ranks))
        return false;
    unique = index_hosts(&map, rs->hosts, &unused) == 0;
    map_fini(&map);
    return unique;
}

static int need_hosts(const struct rset *rs, struct diag *d)
{
    if (!rs->hosts || !rs->ranks)
        return diag_set(d, "the set has no nodelist");
    return 0;
}

static int places_of(const struct rset *rs, const struct map *map, uint32_t *to,
                     struct diag *d)
{
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    size_t i = 0;
    int len;

    hostlist_iter_init(&it, rs->hosts);
    while ((len = hostlist_iter_next(&it, name, sizeof(name))) >= 0) {
        const struct map_slot *slot = map_find(map, name, (size_t)len);
        if (!slot)
            return diag_set(d, "host %s is not in the list",
                            quote(name, (size_t)len).text);
        to[i++] = (uint32_t)(slot->value.number - 1);
    }
    return 0;
}

int rset_rerank(struct rset *rs, const struct hostlist *order, struct diag *d)
{
    struct map map = {0}, own = {0};
    uint32_t *to = NULL;
    int rc;

    if (need_hosts(rs, d) < 0)
        return -1;
    if (hostlist_count(order) != hostlist_count(rs->hosts))
        return diag_set(d, "%llu hosts are named, the set has %llu",
                        (unsigned long long)hostlist_count(order),
                        (unsigned long long)hostlist_count(rs->hosts));
    rc = index_hosts(&map, order, d);
    if (rc == 0)
        rc = index_hosts(&own, rs->hosts, d);
    if (rc == 0) {
        to = xmalloc(hostlist_count(order) * sizeof(*to));
        rc = places_of(rs, &map, to, d);
    }
    if (rc == 0)
        rc = rset_map_ranks(rs, to, d);
    free(to);
    map_fini(&map);
    map_fini(&own);
    return rc;
}

/* The rank that each had before, in ascending order of the new ones. */
static uint32_t *old_ranks(const struct rset *rs, const uint32_t *to, size_t n)
{
    struct rerank *list = xmalloc((n + 1) * sizeof(*list));
    uint32_t *old = xmalloc((n + 1) * sizeof(*old));
    size_t i = 0;

    for (uint32_t rank = idset_first(rs->ranks); rank != IDSET_INVALID;
         rank = idset_next(rs->ranks, rank), i++)
        list[i] = (struct rerank){.old = rank, .new = to[i]};
    qsort(list, n, sizeof(*list), compare_new);
    for (i = 0; i < n; i++)
        old[i] = list[i].old;
    free(list);
    return old;
}

int host_ranks_init(struct host_ranks *h, const struct rset *rs, struct diag *d)
{
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    uint32_t rank;
    int len;

    *h = (struct host_ranks){0};
    if (need_hosts(rs, d) < 0)
        return -1;
    h->next = idset_empty(rs->ranks) ? 0 : (uint64_t)idset_last(rs->ranks) + 1;
    rank = idset_first(rs->ranks);
    hostlist_iter_init(&it, rs->hosts);
    while ((len = hostlist_iter_next(&it, name, sizeof(name))) >= 0) {
        struct map_slot *slot = map_at(&h->ranks, name, (size_t)len);
        if (slot->value.number)
            return named_twice(name, d);
        slot->value.number = (size_t)rank + 1;
        rank = idset_next(rs->ranks, rank);
    }
    return 0;
}

void host_ranks_fini(struct host_ranks *h)
{
    map_fini(&h->ranks);
}

/* The ranks of the hosts of a set, in ascending order of what they were. */
static int ranks_of_hosts(struct host_ranks *h, const struct rset *rs,
                          uint32_t *to, struct diag *d)
{
    uint64_t first = h->next;
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    int len;

    hostlist_iter_init(&it, rs->hosts);
    while ((len = hostlist_iter_next(&it, name, sizeof(name))) >= 0) {
        struct map_slot *slot = map_at(&h->ranks, name, (size_t)len);
        if (!slot->value.number)
            slot->value.number = (size_t)++h->next;
        if (slot->value.number - 1 > IDSET_MAX)
            return diag_set(d, "there are no ranks left above %llu",
                            (unsigned long long)first - 1);
        *to++ = (uint32_t)(slot->value.number - 1);
    }
    return 0;
}

int host_ranks_adopt(struct host_ranks *h, struct rset *rs, uint32_t **old,
                     struct diag *d)
{
    struct map own = {0};
    uint32_t *to = NULL;
    size_t n;
    int rc = -1;

    if (need_hosts(rs, d) < 0)
        return -1;
    n = (size_t)idset_count(rs->ranks);
    if (index_hosts(&own, rs->hosts, d) == 0) {
        to = xmalloc((n + 1) * sizeof(*to));
        rc = ranks_of_hosts(h, rs, to, d);
    }
    if (rc == 0 && old)
        *old = old_ranks(rs, to, n);
    if (rc == 0)
        rc = rset_map_ranks(rs, to, d);
    free(to);
    map_fini(&own);
    return rc;
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

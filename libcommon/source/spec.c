/* Makes sets of hosts (spec.h) as runs. In racks each node becomes a single
   pool. */
#include "source/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/document/jgf.h"
#include "model/tree/units.h"
#include "base/digits.h"

/* --- names of hosts ------------------------------------------------------- */

static int check_slash(const char *name, struct diag *d)
{
    return !strchr(name, '/')
               ? 0
               : diag_set(d, "%s: '/' is not allowed in the name of a host",
                          quote_all(name).text);
}

int host_check(const char *name, struct diag *d)
{
    struct hostlist *hl = hostlist_create();
    char first[HOSTLIST_NAME_MAX];
    int rc = 0;

    if (check_slash(name, d) < 0
        || hostlist_decode(hl, name, strlen(name), d) < 0)
        rc = -1;
    else if (hostlist_count(hl) != 1 || hostlist_nth(hl, 0, first) < 0
             || strcmp(first, name))
        rc = diag_set(d, "%s is not the name of a host", quote_all(name).text);
    hostlist_destroy(hl);
    return rc;
}

int host_local(char name[HOSTLIST_NAME_MAX], struct diag *d)
{
    if (gethostname(name, HOSTLIST_NAME_MAX) < 0)
        return diag_set(d, "the name of this host: %s", strerror(errno));
    name[HOSTLIST_NAME_MAX - 1] = '\0';
    return host_check(name, d);
}

/* --- reading ------------------------------------------------------------ */

/* Read ranks and hosts, in place of those of the set, which keeps them beside
   its tree. */
static int read_targets(const struct spec *spec, struct rset *rs,
                        struct diag *d)
{
    char local[HOSTLIST_NAME_MAX];
    uint64_t nhosts, nranks;

    rset_set_ranks(rs, NULL, hostlist_create());
    if (spec->hosts
        && (check_slash(spec->hosts, d) < 0
            || hostlist_check_words(spec->hosts, strlen(spec->hosts), d) < 0
            || hostlist_decode(rs->hosts, spec->hosts, strlen(spec->hosts), d)
                   < 0))
        return diag_in(d, "hosts");

    nhosts = spec->hosts ? hostlist_count(rs->hosts) : 1;
    if (spec->ranks) {
        if (idset_decode(spec->ranks, strlen(spec->ranks), &rs->ranks, d) < 0)
            return diag_in(d, "ranks");
    } else if (spec->first + nhosts > (uint64_t)IDSET_MAX + 1) {
        return diag_key(d, "hosts", "there are no ranks left above %" PRIu32,
                        IDSET_MAX);
    } else {
        rs->ranks = nhosts > 0 ? idset_create_range(
                        (uint32_t)spec->first,
                        (uint32_t)(spec->first + nhosts - 1))
                               : idset_create();
    }

    nranks = idset_count(rs->ranks);
    if (spec->hosts) {
        if (nhosts == nranks)
            return 0;
        return diag_key(d, "hosts", "%" PRIu64 " host%s for %" PRIu64 " rank%s",
                        nhosts, nhosts == 1 ? "" : "s", nranks,
                        nranks == 1 ? "" : "s");
    }
    if (nranks > LOCAL_RANKS_MAX)
        return diag_key(d, "ranks",
                        "%" PRIu64 " ranks are too many for one host", nranks);
    if (host_local(local, d) < 0)
        return diag_in(d, "hosts");
    for (uint64_t i = 0; i < nranks; i++)
        hostlist_append(rs->hosts, local);
    return 0;
}

struct node_spec {
    struct idset *cores, *gpus;
    uint64_t memory, sockets; /* 0: none */
    const char *unit;
};

static int read_inside(const struct spec *spec, struct node_spec *in,
                       struct diag *d)
{
    const char *text = spec->memory ? spec->memory : "0B";

    in->unit = get_number(text, strchr(text, '\0'), &in->memory);
    if (in->unit == text || in->memory > INT64_MAX || unit_bytes(in->unit) == 0)
        return diag_key(d, "memory",
                        "%s: an amount with a unit is expected, such as 256GiB",
                        quote_all(text).text);
    text = spec->sockets;
    if (text
        && (!text_is_number(text, &in->sockets) || in->sockets == 0
            || in->sockets > SOCKETS_MAX))
        return diag_key(d, "sockets-per-node",
                        "%s: a number from 1 to %d is expected",
                        quote_all(text).text, SOCKETS_MAX);
    text = spec->cores ? spec->cores : "0";
    if (idset_decode(text, strlen(text), &in->cores, d) < 0)
        return diag_in(d, "cores");
    text = spec->gpus ? spec->gpus : "";
    if (idset_decode(text, strlen(text), &in->gpus, d) < 0)
        return diag_in(d, "gpus");
    return 0;
}

/* --- making ------------------------------------------------------------- */

/* Return the size of the i-th of n shares of `all`. The first shares may be
   larger by one. */
static uint64_t share(uint64_t all, uint64_t n, uint64_t i)
{
    return all / n + (i < all % n);
}

/* Add a run with the next ids: the i-th of n shares of all of them. */
static void add_share(struct rset *rs, struct vertex *parent, const char *type,
                      const struct idset *all, struct idset_iter *left,
                      uint64_t n, uint64_t i)
{
    struct idset *ids = idset_iter_take(left, share(idset_count(all), n, i));

    if (idset_empty(ids))
        idset_destroy(ids);
    else
        vertex_add_run(rs, parent, type, ids);
}

static void build_nodes(struct rset *rs, const struct node_spec *all)
{
    struct vertex *root = vertex_add(rs, NULL, "cluster", 0), *node = NULL, *in,
                  *memory;
    uint64_t n = all->sockets ? all->sockets : 1;
    struct idset_iter cores, gpus;

    idset_iter_init(&cores, all->cores);
    idset_iter_init(&gpus, all->gpus);
    if (!idset_empty(rs->ranks))
        node = vertex_add_run(rs, root, "node", idset_copy(rs->ranks));
    for (uint32_t i = 0; node && i < n; i++) {
        in = !all->sockets ? node : vertex_add(rs, node, "socket", i);
        add_share(rs, in, "core", all->cores, &cores, n, i);
        add_share(rs, in, "gpu", all->gpus, &gpus, n, i);
        if (share(all->memory, n, i) == 0)
            continue;
        memory = vertex_add_run(rs, in, "memory", idset_create_range(i, i));
        memory->size = (int64_t)share(all->memory, n, i);
        memory->unit = rset_string(rs, all->unit);
    }
}

char *spec_single(const char *type, unsigned long id)
{
    char *text;

    if (id == 1)
        xasprintf(&text, "one %s with id 1; the first is 0", type);
    else
        xasprintf(&text, "one %s with id %lu; %lu of them are 0-%lu", type, id,
                  id, id - 1);
    return text;
}

struct rset *rset_from_spec(const struct spec *spec, struct diag *d)
{
    struct rset *rs = rset_create();
    struct node_spec in = {0};
    int rc = read_targets(spec, rs, d);

    if (rc == 0 && (rc = read_inside(spec, &in, d)) == 0)
        build_nodes(rs, &in);
    rs->document.full = spec->memory || spec->sockets;
    rs->document.halves = HALF_EXECUTION | (rs->document.full ? HALF_GRAPH : 0);
    idset_destroy(in.cores);
    idset_destroy(in.gpus);
    if (rc == 0)
        return rs;
    rset_destroy(rs);
    return NULL;
}

/* --- machines on hosts, and groups ------------------------------------- */

int rset_on_hosts(struct rset *machine, const struct spec *spec, struct diag *d)
{
    struct vertex *node = machine->root->child;

    if (read_targets(spec, machine, d) < 0)
        return -1;
    if (idset_empty(machine->ranks)) {
        machine->root->child = NULL;
        return 0;
    }
    for (struct vertex *v = node; v; v = vertex_next(node, v, false))
        v->rank = -1;
    /* a member has its name from its host, and its rank from the run */
    node->run = idset_copy(machine->ranks);
    node->basename = node->type;
    node->name = NULL;
    node->id = -1;
    return 0;
}

void node_on_host(struct rset *rs, struct vertex *node, const char *host)
{
    size_t len = host_basename(host, &node->id);

    node->basename = map_intern(&rs->names, host, len ? len : strlen(host));
    node->name = rset_string(rs, host);
}

int rset_on_rank(struct rset *machine, uint32_t rank, const char *host,
                 struct diag *d)
{
    struct vertex *node = machine->root->child;

    if (host && host_check(host, d) < 0)
        return -1;
    if (host)
        node_on_host(machine, node, host);
    for (struct vertex *v = node; v; v = vertex_next(node, v, false))
        if (v->rank >= 0)
            v->rank = rank;
    return rset_index_targets(machine, d);
}

int rset_add_group(struct rset *rs, const struct rset *group, struct diag *d)
{
    struct idset *both = idset_intersect(rs->ranks, group->ranks);
    uint32_t twice = idset_first(both);

    idset_destroy(both);
    if (twice != IDSET_INVALID)
        return diag_key(d, "ranks", "rank %" PRIu32 " is in two groups", twice);
    for (struct vertex *v = group->root->child; v; v = v->next)
        vertex_append(rs->root, vertex_import_all(rs, v));
    vertex_sort_children(rs->root);
    rset_unite_hosts(rs, group);
    rs->document.halves |= group->document.halves;
    return 0;
}

/* --- racks -------------------------------------------------------------- */

static void fill_racks(struct rset *rs, const struct rset *from,
                       uint64_t per_rack, uint64_t first)
{
    struct vertex *node = from->root->child, *rack = NULL, *v,
                  **racks = &rs->root->child, **nodes = NULL;
    char host[HOSTLIST_NAME_MAX];
    struct idset_iter it;
    uint64_t n = 0;
    uint32_t rank;

    idset_iter_init(&it, from->ranks);
    for (; node && idset_iter_next(&it, &rank); n++) {
        if (n % per_rack == 0) {
            rack = *racks = vertex_create(rs, "rack");
            rack->parent = rs->root;
            rack->id = (int64_t)(first + n / per_rack);
            rack->name = rset_name_by_id(rs, "rack", rack->id);
            racks = &rack->next;
            nodes = &rack->child;
        }
        *nodes = v = vertex_import_all(rs, node);
        nodes = &v->next;
        v->parent = rack;
        idset_destroy(v->run);
        v->run = NULL;
        for (struct vertex *in = v; in; in = vertex_next(v, in, false))
            in->rank = rank;
        if (rset_host(from, rank, host) >= 0)
            node_on_host(rs, v, host);
    }
}

struct rset *rset_in_racks(const struct rset *from, const char *text,
                           uint64_t first, struct diag *d)
{
    uint64_t n, pools = rset_pools(from);
    struct rset *rs = NULL;

    if (!text_is_number(text, &n) || n == 0)
        diag_set(d, "%s: a number of nodes is expected", quote_all(text).text);
    else if (pools > RACKED_MAX)
        diag_set(d, "%" PRIu64 " resources are too many: at most %d", pools,
                 RACKED_MAX);
    else
        rs = rset_create();
    if (!rs) {
        diag_in(d, "nodes-per-rack");
        return NULL;
    }
    vertex_add(rs, NULL, "cluster", 0);
    fill_racks(rs, from, n, first);
    rset_set_ranks(rs, idset_copy(from->ranks), hostlist_copy(from->hosts));
    rs->document.halves = HALF_EXECUTION | HALF_GRAPH;
    rs->document.full = true;
    return rs;
}

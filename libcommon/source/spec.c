/* Makes sets of hosts, groups of which have the same (spec.h), as runs. */
#include "source/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/document/jgf.h"
#include "model/document/rlite.h"
#include "model/tree/units.h"
#include "base/digits.h"

/* --- names of hosts ------------------------------------------------------- */

/* Does reading the name as a hostlist give just the name? */
static int decodes_to_itself(const char *name, struct diag *d)
{
    struct hostlist *hl = hostlist_create();
    char first[HOSTLIST_NAME_MAX];
    int rc = 0;

    if (hostlist_decode(hl, name, strlen(name), d) < 0)
        rc = -1;
    else if (hostlist_count(hl) != 1
             || hostlist_nth(hl, 0, first, sizeof(first)) < 0
             || strcmp(first, name))
        rc = diag_set(d, "%s is not the name of a host",
                      quote(name, strlen(name)).text);
    hostlist_destroy(hl);
    return rc;
}

int host_check(const char *name, struct diag *d)
{
    if (strchr(name, '/'))
        return diag_set(d, "%s: '/' is not allowed in the name of a host",
                        quote(name, strlen(name)).text);
    return decodes_to_itself(name, d);
}

int host_local(char name[HOSTLIST_NAME_MAX], struct diag *d)
{
    if (gethostname(name, HOSTLIST_NAME_MAX) < 0)
        return diag_set(d, "the name of this host: %s", strerror(errno));
    name[HOSTLIST_NAME_MAX - 1] = '\0';
    return host_check(name, d);
}

/* --- reading ------------------------------------------------------------ */

static int read_ids(const char *text, struct idset *ids, struct diag *d)
{
    struct idset *read;

    if (idset_decode(text, strlen(text), &read, d) < 0)
        return -1;
    idset_add_set(ids, read);
    idset_destroy(read);
    return 0;
}

static int read_hosts(const char *text, struct hostlist *hosts, struct diag *d)
{
    if (strchr(text, '/'))
        return diag_set(d, "%s: '/' is not allowed in the name of a host",
                        quote(text, strlen(text)).text);
    return hostlist_decode(hosts, text, strlen(text), d);
}

/* The host of as many ranks as there are, when none was named. */
static int repeat_local(uint64_t nranks, struct hostlist *hosts, struct diag *d)
{
    char name[HOSTLIST_NAME_MAX];

    if (nranks > LOCAL_RANKS_MAX) {
        diag_set(d, "%" PRIu64 " ranks are too many for one host", nranks);
        return diag_in(d, "ranks");
    }
    if (host_local(name, d) < 0)
        return diag_in(d, "hosts");
    for (uint64_t i = 0; i < nranks; i++)
        hostlist_append(hosts, name, strlen(name));
    return 0;
}

static int make_ranks(const struct spec *spec, uint64_t nhosts,
                      struct idset *ranks, struct diag *d)
{
    uint64_t n = spec->hosts ? nhosts : 1;

    if (spec->ranks)
        return read_ids(spec->ranks, ranks, d) < 0 ? diag_in(d, "ranks") : 0;
    if (spec->first + n > (uint64_t)IDSET_MAX + 1) {
        diag_set(d, "there are no ranks left above %" PRIu32, IDSET_MAX);
        return diag_in(d, "hosts");
    }
    if (n > 0)
        idset_add(ranks, (uint32_t)spec->first,
                  (uint32_t)(spec->first + n - 1));
    return 0;
}

static int check_counts(uint64_t nhosts, uint64_t nranks, struct diag *d)
{
    if (nhosts == nranks)
        return 0;
    diag_set(d, "%" PRIu64 " host%s for %" PRIu64 " rank%s", nhosts,
             nhosts == 1 ? "" : "s", nranks, nranks == 1 ? "" : "s");
    return diag_in(d, "hosts");
}

/* Ranks and hosts, which the set keeps beside its tree. */
static int read_targets(const struct spec *spec, struct rset *rs,
                        struct diag *d)
{
    rs->ranks = idset_create();
    rs->hosts = hostlist_create();
    if (spec->hosts && read_hosts(spec->hosts, rs->hosts, d) < 0)
        return diag_in(d, "hosts");
    if (make_ranks(spec, hostlist_count(rs->hosts), rs->ranks, d) < 0)
        return -1;
    if (!spec->hosts)
        return repeat_local(idset_count(rs->ranks), rs->hosts, d);
    return check_counts(hostlist_count(rs->hosts), idset_count(rs->ranks), d);
}

static int read_children(const struct spec *spec,
                         struct lite_children *children, struct diag *d)
{
    const struct {
        const char *place, *type, *text;
    } kinds[] = {{"cores", "core", spec->cores ? spec->cores : "0"},
                 {"gpus", "gpu", spec->gpus ? spec->gpus : ""}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct idset *ids = lite_children_ids(children, kinds[i].type);
        if (read_ids(kinds[i].text, ids, d) < 0)
            return diag_in(d, "%s", kinds[i].place);
    }
    return 0;
}

/* --- topology ----------------------------------------------------------- */

/* What is in a node beside cores and gpus. */
struct deep {
    uint64_t memory, sockets; /* 0: none */
    const char *unit;
};

static int read_deep(const struct spec *spec, struct deep *deep, struct diag *d)
{
    const char *text = spec->memory ? spec->memory : "0B",
               *end = text + strlen(text);

    deep->unit = get_number(text, end, &deep->memory);
    if (deep->unit == text || deep->memory > INT64_MAX
        || unit_bytes(deep->unit) == 0) {
        diag_set(d, "%s: an amount with a unit is expected, as in 256GiB",
                 quote(text, strlen(text)).text);
        return diag_in(d, "memory");
    }
    if (!spec->sockets)
        return 0;
    text = spec->sockets;
    end = text + strlen(text);
    if (get_number(text, end, &deep->sockets) != end || deep->sockets == 0
        || deep->sockets > SOCKETS_MAX) {
        diag_set(d, "%s: a number from 1 to %d is expected",
                 quote(text, strlen(text)).text, SOCKETS_MAX);
        return diag_in(d, "sockets-per-node");
    }
    return 0;
}

/* The i-th of n shares of `all`, of which the first may be larger by one. */
static uint64_t share(uint64_t all, uint64_t n, uint64_t i)
{
    return all / n + (i < all % n);
}

/* The i-th of n shares of ids that are not shared out yet. */
static void add_share(struct rset *rs, struct vertex *parent,
                      const struct lite_child *child, struct idset_iter *left,
                      uint64_t n, uint64_t i)
{
    struct idset *ids = idset_iter_take(left,
                                        share(idset_count(child->ids), n, i));

    if (idset_empty(ids))
        idset_destroy(ids);
    else
        vertex_add_run(rs, parent, child->type, ids);
}

static void add_memory_share(struct rset *rs, struct vertex *parent,
                             uint32_t id, uint64_t size, const char *unit)
{
    struct vertex *v;

    if (size == 0)
        return;
    v = vertex_add_run(rs, parent, "memory", idset_create_range(id, id));
    v->size = (int64_t)size;
    v->unit = rset_string(rs, unit);
}

static void build_deep(struct rset *rs, const struct deep *deep,
                       const struct lite_children *children)
{
    struct vertex *root = vertex_add(rs, NULL, "cluster", "cluster", 0),
                  *node = NULL, *in;
    uint64_t n = deep->sockets ? deep->sockets : 1;
    struct idset_iter left[2]; /* cores and gpus */

    for (size_t k = 0; k < children->n; k++)
        idset_iter_init(&left[k], children->list[k].ids);
    if (!idset_empty(rs->ranks))
        node = vertex_add_run(rs, root, "node", idset_copy(rs->ranks));
    for (uint32_t i = 0; node && i < n; i++) {
        in = !deep->sockets ? node
                            : vertex_add(rs, node, "socket", "socket", i);
        for (size_t k = 0; k < children->n; k++)
            add_share(rs, in, &children->list[k], &left[k], n, i);
        add_memory_share(rs, in, i, share(deep->memory, n, i), deep->unit);
    }
    rs->halves = HALF_EXECUTION | HALF_GRAPH;
    rs->full = true;
}

/* --- making ------------------------------------------------------------- */

static void build_plain(struct rset *rs, struct lite_children *children)
{
    struct rlite lite = {0};

    if (!idset_empty(rs->ranks))
        rlite_add(&lite, rs->ranks, children);
    rs->halves = HALF_EXECUTION;
    rlite_build(rs, &lite);
    rlite_fini(&lite);
}

static int fill(const struct spec *spec, struct rset *rs, struct diag *d)
{
    struct lite_children children = {0};
    struct deep deep = {0};
    int rc = read_targets(spec, rs, d);

    if (rc == 0 && (rc = read_deep(spec, &deep, d)) == 0
        && (rc = read_children(spec, &children, d)) == 0) {
        if (spec->memory || spec->sockets)
            build_deep(rs, &deep, &children);
        else
            build_plain(rs, &children);
    }
    lite_children_fini(&children);
    return rc;
}

struct rset *rset_from_spec(const struct spec *spec, struct diag *d)
{
    struct rset *rs = rset_create();

    if (fill(spec, rs, d) == 0)
        return rs;
    rset_destroy(rs);
    return NULL;
}

/* --- machines on hosts, and groups -----------------------------------------
 */

/* A member of a run has its name from its host, and its rank from the run. */
static void make_run(struct vertex *node, const struct idset *ranks)
{
    for (struct vertex *v = node; v; v = vertex_next(node, v, false))
        v->rank = -1;
    node->run = idset_copy(ranks);
    node->basename = node->type;
    node->name = NULL;
    node->id = -1;
}

int rset_on_hosts(struct rset *machine, const struct spec *spec, struct diag *d)
{
    idset_destroy(machine->ranks);
    hostlist_destroy(machine->hosts);
    if (read_targets(spec, machine, d) < 0)
        return -1;
    if (idset_empty(machine->ranks))
        machine->root->child = NULL;
    else
        make_run(machine->root->child, machine->ranks);
    return 0;
}

void node_on_host(struct rset *rs, struct vertex *node, const char *host)
{
    size_t len = host_basename(host, &node->id);
    char *basename = xstrndup(host, len ? len : strlen(host));

    node->basename = rset_string(rs, basename);
    node->name = rset_string(rs, host);
    free(basename);
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
    struct idset *twice = idset_intersect(rs->ranks, group->ranks);
    bool clash = !idset_empty(twice);

    if (clash)
        diag_set(d, "rank %" PRIu32 " is in two groups", idset_first(twice));
    idset_destroy(twice);
    if (clash)
        return diag_in(d, "ranks");
    for (struct vertex *v = group->root->child; v; v = v->next)
        vertex_append(rs->root, vertex_import_all(rs, v));
    vertex_sort_children(rs->root);
    rset_unite_hosts(rs, group);
    rs->halves |= group->halves;
    return 0;
}

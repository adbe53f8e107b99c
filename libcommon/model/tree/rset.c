/* Makes and frees sets (rset.h), with their notes, links, targets and times. */
#include "model/tree/rset.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "model/tree/properties.h"

const struct rset_value rset_values[RSET_VALUES] = {
    {"starttime", offsetof(struct rset, starttime)},
    {"expiration", offsetof(struct rset, expiration)},
    {"attributes", offsetof(struct rset, document.attributes)},
    {"execution_extra", offsetof(struct rset, document.execution)},
    {"scheduling", offsetof(struct rset, document.scheduling)},
    {"graph_extra", offsetof(struct rset, document.graph)},
    {"extra", offsetof(struct rset, document.extra)},
};

json_t **rset_value(const struct rset *rs, size_t i)
{
    return (json_t **)((char *)rs + rset_values[i].at);
}

struct rset *rset_create(void)
{
    return xcalloc(1, sizeof(struct rset));
}

void rset_destroy(struct rset *rs)
{
    if (!rs)
        return;
    for (size_t i = 0; i < rs->nvertices; i++) {
        idset_destroy(rs->vertices[i]->run);
        json_decref(rs->vertices[i]->extra);
    }
    if (rs->usage)
        rs->usage_end(rs->usage);
    free(rs->vertices);
    free(rs->links);
    rset_set_ranks(rs, NULL, NULL);
    for (size_t i = 0; i < RSET_VALUES; i++)
        json_decref(*rset_value(rs, i));
    map_fini(&rs->document.types);
    free(rs->document.property_names);
    json_decref(rs->link_extra);
    for (size_t i = 0; i < rs->nnotes; i++)
        free(rs->notes[i]);
    free(rs->notes);
    arena_fini(&rs->arena);
    map_fini(&rs->names);
    free(rs);
}

void rset_note(struct rset *rs, const char *fmt, ...)
{
    char *text;
    va_list ap;

    va_start(ap, fmt);
    xvasprintf(&text, fmt, ap);
    va_end(ap);
    if (VECTOR_FIND(i, rs->nnotes, !strcmp(rs->notes[i], text)) < rs->nnotes)
        free(text); /* give each warning once */
    else
        VECTOR_ADD(rs->notes, rs->nnotes, text);
}

void rset_note_all(struct rset *rs, const struct rset *from)
{
    for (size_t i = 0; i < from->nnotes; i++)
        rset_note(rs, "%s", from->notes[i]);
}

void rset_note_scheduling(struct rset *rs)
{
    if (json_object_size(rs->document.scheduling) > 0 && !rset_has_graph(rs))
        rset_note(rs, "scheduling belongs to another scheduler: it is kept "
                      "as it was, and does not describe these resources");
}

const char *rset_string(struct rset *rs, const char *text)
{
    return text ? map_at(&rs->names, text, strlen(text))->key : NULL;
}

void rset_add_link(struct rset *rs, const struct link *link)
{
    if (!rs->link_extra && link->extra)
        rs->link_extra = json_array();
    if (link->extra) /* kept until the end of the set */
        json_array_append(rs->link_extra, link->extra);
    VECTOR_ADD(rs->links, rs->nlinks, *link);
}

void rset_import_link(struct rset *rs, const struct link *l)
{
    struct link copy = {.subsystem = rset_string(rs, l->subsystem),
                        .relationship = rset_string(rs, l->relationship),
                        .source = l->source->peer,
                        .target = l->target->peer,
                        .extra = l->extra};

    if (copy.source && copy.target)
        rset_add_link(rs, &copy);
}

void rset_import_links(struct rset *rs, const struct rset *from)
{
    for (size_t i = 0; i < from->nlinks; i++)
        rset_import_link(rs, &from->links[i]);
}

void rset_drop_unlinked(struct rset *rs)
{
    size_t n = 0;

    if (!rs->root)
        rs->loose = NULL; /* without a root, no trees beside it */
    if (!rs->nlinks)
        return;
    for (size_t i = 0; i < rs->nvertices; i++)
        rs->vertices[i]->index = false;
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        v->index = true;
    for (size_t i = 0; i < rs->nlinks; i++)
        if (rs->links[i].source->index && rs->links[i].target->index)
            rs->links[n++] = rs->links[i];
    rs->nlinks = n;
}

struct vertex *rset_first(const struct rset *rs)
{
    return rs->root ? rs->root : rs->loose;
}

struct vertex *rset_next(const struct rset *rs, const struct vertex *v)
{
    if (v->child)
        return vertex_child(v);
    while (v->parent && !v->next)
        v = v->parent;
    return v == rs->root ? rs->loose : v->next;
}

/* --- execution targets -------------------------------------------------- */

static int64_t lowest_rank(const struct vertex *v)
{
    return v->run ? (int64_t)idset_first(v->run) : v->rank;
}

static int compare_targets(const void *a, const void *b)
{
    int64_t ra = lowest_rank(*(struct vertex *const *)a);
    int64_t rb = lowest_rank(*(struct vertex *const *)b);

    return COMPARE(ra, rb);
}

/* Skips the contents of targets. */
size_t rset_targets(const struct rset *rs, struct vertex ***targets)
{
    struct vertex **list = NULL, *v = rs->root;
    size_t n = 0;

    for (bool found; v; v = vertex_next(rs->root, v, found))
        if ((found = vertex_is_target(v)))
            VECTOR_ADD(list, n, v);
    VECTOR_SORT(list, n, compare_targets);
    *targets = list;
    return n;
}

void rset_set_ranks(struct rset *rs, struct idset *ranks,
                    struct hostlist *hosts)
{
    rset_forget_properties(rs);
    idset_destroy(rs->ranks);
    hostlist_destroy(rs->hosts);
    rs->ranks = ranks;
    rs->hosts = hosts;
}

int rset_index_targets(struct rset *rs, struct diag *d)
{
    struct vertex **targets;
    size_t n = rset_targets(rs, &targets);
    int rc = 0;

    rset_set_ranks(rs, idset_create(), hostlist_create());
    for (size_t i = 0; i < n && rc == 0; i++) {
        const struct vertex *v = targets[i];
        uint32_t rank = (uint32_t)v->rank;
        if (v->rank > (int64_t)IDSET_MAX)
            rc = diag_set(d, "rank %lld is too large", (long long)v->rank);
        else if (idset_contains(rs->ranks, rank))
            rc = diag_set(d, "rank %lld: two nodes have this rank",
                          (long long)v->rank);
        else if (hostlist_append(rs->hosts, v->name) < 0)
            rc = diag_set(d, "%s: not a valid host name",
                          quote_all(v->name).text);
        else
            idset_add(rs->ranks, rank, rank);
    }
    free(targets);
    return rc;
}

int rset_host(const struct rset *rs, uint32_t rank, char buf[HOSTLIST_NAME_MAX])
{
    int64_t at = rs->hosts && rs->ranks ? idset_position(rs->ranks, rank) : -1;

    return at < 0 ? -1 : hostlist_nth(rs->hosts, (uint64_t)at, buf);
}

struct hostlist *rset_hosts_at(const struct rset *rs, const struct idset *ranks)
{
    struct idset *at = idset_positions(rs->ranks, ranks);
    struct hostlist *hosts = hostlist_pick(rs->hosts, at);

    idset_destroy(at);
    return hosts;
}

void target_add_ranks(const struct vertex *target, struct idset *ranks)
{
    if (target->run)
        idset_add_set(ranks, target->run);
    else
        idset_add(ranks, (uint32_t)target->rank, (uint32_t)target->rank);
}

void target_push_ranks(const struct vertex *target, struct idset *ranks)
{
    uint32_t rank = (uint32_t)target->rank;

    if (!target->run)
        idset_push(ranks, rank, rank);
    for (size_t i = 0; target->run && i < idset_nranges(target->run); i++)
        idset_push(ranks, idset_range(target->run, i).lo,
                   idset_range(target->run, i).hi);
}

char *rset_hosts_text(const struct rset *rs, const struct idset *ranks)
{
    struct hostlist *hosts = rset_hosts_at(rs, ranks);
    char *text = hostlist_encode(hosts);

    hostlist_destroy(hosts);
    return text;
}

void rset_keep_ranks(struct rset *rs, struct idset *ranks)
{
    rset_set_ranks(rs, ranks, rs->hosts ? rset_hosts_at(rs, ranks) : NULL);
}

/* Ranks with their hosts, to take stretch by stretch. */
struct ranked_hosts {
    const struct idset *ranks;
    size_t stretch; /* the next one */
    struct hostlist_iter hosts;
};

static uint32_t next_rank(const struct ranked_hosts *from)
{
    return from->stretch < idset_nranges(from->ranks)
               ? idset_range(from->ranks, from->stretch).lo
               : IDSET_INVALID;
}

/* Return the hosts of a, and of the ranks that only b has, in order of rank. */
static struct hostlist *merged_hosts(const struct rset *a, const struct rset *b,
                                     const struct idset *only_b)
{
    struct hostlist *hosts = hostlist_create();
    struct hostlist *others = rset_hosts_at(b, only_b);
    struct ranked_hosts in_a = {.ranks = a->ranks}, in_b = {.ranks = only_b};

    hostlist_iter_init(&in_a.hosts, a->hosts);
    hostlist_iter_init(&in_b.hosts, others);
    while (next_rank(&in_a) != next_rank(&in_b)) { /* equal only at the end */
        struct ranked_hosts *from = next_rank(&in_a) < next_rank(&in_b) ? &in_a
                                                                        : &in_b;
        struct idrange r = idset_range(from->ranks, from->stretch++);
        struct hostlist *some = hostlist_iter_take(&from->hosts,
                                                   (uint64_t)(r.hi - r.lo) + 1);
        hostlist_append_list(hosts, some);
        hostlist_destroy(some);
    }
    hostlist_destroy(others);
    return hosts;
}

bool rset_unite_hosts(struct rset *a, const struct rset *b)
{
    struct idset *only_b = idset_subtract(b->ranks, a->ranks);
    bool both = a->hosts && b->hosts, none = !a->hosts && !b->hosts;
    struct hostlist *hosts = both ? merged_hosts(a, b, only_b) : NULL;

    idset_add_set(a->ranks, only_b);
    hostlist_destroy(a->hosts);
    a->hosts = hosts;
    idset_destroy(only_b);
    return both || none;
}

/* --- times and counts --------------------------------------------------- */

json_t *time_to_json(double value)
{
    bool fits = value >= -0x1p63 && value < 0x1p63;

    return fits && value == (double)(int64_t)value
               ? json_integer((json_int_t)value)
               : json_real(value);
}

static double time_value(const json_t *value)
{
    return value && json_number_value(value) > 0 ? json_number_value(value)
                                                 : TIME_UNSET;
}

double rset_starttime(const struct rset *rs)
{
    return time_value(rs->starttime);
}

double rset_expiration(const struct rset *rs)
{
    return time_value(rs->expiration);
}

static void set_time(json_t **at, double value)
{
    json_decref(*at);
    *at = value > 0 ? time_to_json(value) : NULL;
}

void rset_set_times(struct rset *rs, double start, double expiration)
{
    set_time(&rs->starttime, start);
    set_time(&rs->expiration, expiration);
}

/* Return the units of a type in v and below it, times the pools that v stands
   for. */
static uint64_t count_under(const struct vertex *v, const char *type)
{
    uint64_t sum = v->type == type ? (uint64_t)v->size : 0;

    for (const struct vertex *c = v->child; c; c = c->next)
        sum = saturate_add(sum, count_under(c, type));
    return saturate_multiply(sum, vertex_count(v));
}

uint64_t rset_count(const struct rset *rs, const struct vertex *top,
                    const char *type)
{
    const char *known = map_interned(&rs->names, type);
    uint64_t sum;

    if (!known)
        return 0;
    if (top)
        return count_under(top, known);
    sum = rs->root ? count_under(rs->root, known) : 0;
    for (const struct vertex *v = rs->loose; v; v = v->next)
        sum = saturate_add(sum, count_under(v, known));
    return sum;
}

/* Count pools. The recursion is as deep as containment. */
static uint64_t pools_in(const struct vertex *list)
{
    uint64_t sum = 0;

    for (const struct vertex *v = list; v; v = v->next)
        sum = saturate_add(
            sum, saturate_multiply(1 + pools_in(v->child), vertex_count(v)));
    return sum;
}

uint64_t rset_pools(const struct rset *rs)
{
    return saturate_add(pools_in(rs->root), pools_in(rs->loose));
}

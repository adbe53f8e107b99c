/*
 * Looks for what jobs hold twice, and for what the inventory does not have
 * (audit.h): by rank over R_lite, by path in graphs.
 */
#include "compare/audit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/align.h"
#include "model/tree/path.h"
#include "model/document/rlite.h"
#include "set/overlay.h"

/* Everybody's targets: those of the inventory first, then job by job. */
struct party {
    const struct vertex *target;
    const struct rset *rs;
    const char *name; /* NULL: the inventory */
};

struct auditing {
    struct changes *out;
    struct party *parties;
    size_t n;
};

/* --- targets -----------------------------------------------------------------
 */

static void add_parties(struct auditing *a, const struct rset *rs,
                        const char *name)
{
    struct vertex **list;
    size_t n = rset_targets(rs, &list);

    for (size_t i = 0; i < n; i++) {
        VECTOR_GROW(a->parties, a->n);
        a->parties[a->n++] = (struct party){
            .target = list[i], .rs = rs, .name = name};
    }
    free(list);
}

static void tell_claims(struct auditing *a, enum change_sign sign,
                        const struct idset *ranks, const char *what,
                        const struct idset *ids, const char *type,
                        const char *jobs)
{
    struct lite_child child = {.type = type, .ids = (struct idset *)ids};
    struct lite_children children = {.list = &child, .n = ids ? 1 : 0};
    char *pools = lite_children_text(&children), *text;

    xasprintf(&text, "%s%s%s %s", pools, ids ? " " : "", what, jobs);
    changes_add_ranks(a->out, sign, ranks, text);
    free(text);
    free(pools);
}

/* The children of all parties of a group that are of one type. */
struct typed {
    const struct idset **sets;
    const struct party **owners;
    size_t n;
};

static struct typed collect_type(const struct auditing *a,
                                 const struct overlay_group *g,
                                 const char *type)
{
    struct typed out = {0};

    for (size_t i = 0; i < g->nlabels; i++) {
        const struct party *p = &a->parties[g->labels[i]];
        for (const struct vertex *v = p->target->child; v; v = v->next) {
            if (strcmp(v->type, type))
                continue;
            VECTOR_GROW(out.sets, out.n);
            VECTOR_GROW(out.owners, out.n);
            out.sets[out.n] = v->run;
            out.owners[out.n++] = p;
        }
    }
    return out;
}

/* The jobs that cover a group of ids, once each; how many they are. */
static size_t name_jobs(const struct typed *t, const struct overlay_group *g,
                        FILE *fp, bool *known)
{
    const char *last = NULL;
    size_t n = 0;

    *known = false;
    for (size_t i = 0; i < g->nlabels; i++) {
        const char *name = t->owners[g->labels[i]]->name;
        if (!name) {
            *known = true;
        } else if (last != name) { /* labels of one job are neighbours */
            fprintf(fp, "%s%s", n++ ? ", " : "", name);
            last = name;
        }
    }
    return n;
}

static void audit_ids(struct auditing *a, const struct idset *ranks,
                      const char *type, const struct typed *t,
                      const struct overlay_group *g)
{
    char *jobs = NULL;
    size_t len, n;
    FILE *fp = memory_open(&jobs, &len);
    bool known;

    n = name_jobs(t, g, fp, &known);
    memory_close(fp);
    if (n > 1)
        tell_claims(a, CHANGE_ALTERED, ranks, "held by", g->ids, type, jobs);
    if (n > 0 && !known)
        tell_claims(a, CHANGE_NEW, ranks, "not in the inventory, held by",
                    g->ids, type, jobs);
    free(jobs);
}

static void audit_type(struct auditing *a, const struct overlay_group *g,
                       const char *type)
{
    struct typed t = collect_type(a, g, type);
    struct overlay *ov = overlay_create(t.sets, t.n);

    for (size_t i = 0; i < overlay_ngroups(ov); i++)
        audit_ids(a, g->ids, type, &t, overlay_group(ov, i));
    overlay_destroy(ov);
    free(t.sets);
    free(t.owners);
}

/* Every type once: that of a vertex which no job before this one has. */
static bool first_of_type(const struct auditing *a,
                          const struct overlay_group *g, size_t label,
                          const struct vertex *v)
{
    for (size_t i = 0; i <= label; i++) {
        const struct party *p = &a->parties[g->labels[i]];
        const struct vertex *c = p->name ? p->target->child : NULL;
        for (; c && c != v; c = c->next)
            if (!strcmp(c->type, v->type))
                return false;
        if (c && c == v)
            return true;
    }
    return true;
}

static void audit_hosts(struct auditing *a, const struct overlay_group *g)
{
    char in_a[HOSTLIST_NAME_MAX], in_b[HOSTLIST_NAME_MAX];
    const struct party *inventory = &a->parties[g->labels[0]];

    if (inventory->name)
        return;
    for (size_t i = 1; i < g->nlabels; i++) {
        const struct party *p = &a->parties[g->labels[i]];
        for (uint32_t r = idset_first(g->ids); r != IDSET_INVALID;
             r = idset_next(g->ids, r))
            if (rset_host(inventory->rs, r, in_a, sizeof(in_a)) >= 0
                && rset_host(p->rs, r, in_b, sizeof(in_b)) >= 0
                && strcmp(in_a, in_b))
                changes_add(a->out, CHANGE_ALTERED,
                            "rank %u is %s in the inventory, %s with %s", r,
                            in_a, in_b, p->name);
    }
}

/* Ranks that a job holds whole, whatever it lists, nobody else holds. */
static void audit_whole(struct auditing *a, const struct overlay_group *g)
{
    const char *whole = NULL;
    char *text;

    for (size_t i = 0; i < g->nlabels && !whole; i++) {
        const struct party *p = &a->parties[g->labels[i]];
        whole = p->name && p->target->exclusive ? p->name : NULL;
    }
    for (size_t i = 0; i < g->nlabels && whole; i++) {
        const struct party *p = &a->parties[g->labels[i]];
        if (!p->name || p->name == whole)
            continue;
        xasprintf(&text, "held whole by %s, and in part by %s", whole, p->name);
        changes_add_ranks(a->out, CHANGE_ALTERED, g->ids, text);
        free(text);
    }
}

/* Ranks that one cover of parties has. */
static void audit_group(struct auditing *a, const struct overlay_group *g)
{
    bool known = !a->parties[g->labels[0]].name;

    if (known && g->nlabels == 1)
        return;
    audit_hosts(a, g);
    audit_whole(a, g);
    for (size_t i = 0; i < g->nlabels; i++) {
        const struct party *p = &a->parties[g->labels[i]];
        for (const struct vertex *v = p->target->child; v; v = v->next)
            if (p->name && first_of_type(a, g, i, v))
                audit_type(a, g, v->type);
        if (p->name && !p->target->child && !known)
            tell_claims(a, CHANGE_NEW, g->ids, "not in the inventory, held by",
                        NULL, "", p->name);
    }
}

static void audit_targets(struct auditing *a)
{
    const struct idset **sets = xmalloc(a->n * sizeof(*sets));
    struct overlay *ov;

    for (size_t i = 0; i < a->n; i++)
        sets[i] = a->parties[i].target->run;
    ov = overlay_create(sets, a->n);
    for (size_t i = 0; i < overlay_ngroups(ov); i++)
        audit_group(a, overlay_group(ov, i));
    free(sets);
    overlay_destroy(ov);
}

/* --- pools by path -----------------------------------------------------------
 */

/* Units of a pool, and who holds how many. */
struct pool {
    const struct vertex *v; /* in the inventory */
    int64_t held;
    char *jobs;
    size_t njobs;
};

static bool by_path(const struct rset *rs, const struct vertex *v)
{
    return !v->child && !vertex_is_target(v)
           && !(v->rank >= 0 && rlite_type(rs, v->type));
}

static struct map_slot *pool_slot(struct map *map, const struct vertex *v)
{
    char *path = vertex_path(v), *key;
    int len = xasprintf(&key, "%s@%lld", path, (long long)v->rank);
    struct map_slot *slot = map_at(map, key, (size_t)len);

    free(key);
    free(path);
    return slot;
}

static void add_pools(struct map *map, const struct rset *rs)
{
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        struct pool *pool;
        if (!by_path(rs, v))
            continue;
        pool = xcalloc(1, sizeof(*pool));
        pool->v = v;
        pool_slot(map, v)->value.pointer = pool;
    }
}

static void add_holder(struct pool *pool, int64_t units, const char *job)
{
    char *jobs;

    xasprintf(&jobs, "%s%s%s (%lld)", pool->jobs ? pool->jobs : "",
              pool->jobs ? ", " : "", job, (long long)units);
    free(pool->jobs);
    pool->jobs = jobs;
    pool->held += units;
    pool->njobs++;
}

/* What is said of a pool: of its node's rank if it has one. */
__attribute__((format(printf, 4, 5))) static void
tell_pool(struct changes *out, enum change_sign sign, const struct vertex *v,
          const char *fmt, ...)
{
    char *path = vertex_path(v), *text;
    const struct vertex *target = v->parent;
    va_list ap;

    va_start(ap, fmt);
    xvasprintf(&text, fmt, ap);
    va_end(ap);
    while (target && !vertex_is_target(target))
        target = target->parent;
    if (target) {
        struct idset *rank = idset_create_range((uint32_t)v->rank,
                                                (uint32_t)v->rank);
        char *node = vertex_path(target), *full;
        xasprintf(&full, "%s: %s", path + strlen(node) + 1, text);
        changes_add_ranks(out, sign, rank, full);
        free(full);
        free(node);
        idset_destroy(rank);
    } else {
        changes_add(out, sign, "%s: %s", path, text);
    }
    free(text);
    free(path);
}

static void hold_pools(struct map *map, const struct held *job,
                       struct changes *out)
{
    for (struct vertex *v = rset_first(job->rs); v; v = rset_next(job->rs, v)) {
        struct pool *pool;
        if (!by_path(job->rs, v))
            continue;
        if ((pool = pool_slot(map, v)->value.pointer))
            add_holder(pool, v->size, job->name);
        else
            tell_pool(out, CHANGE_NEW, v, "not in the inventory, held by %s",
                      job->name);
    }
}

static void audit_pools(struct map *map, struct changes *out)
{
    for (size_t i = 0; i < map->nslots; i++) {
        struct pool *pool = map->slots[i].value.pointer;
        if (!pool)
            continue;
        if (pool->held > pool->v->size)
            tell_pool(out, CHANGE_ALTERED, pool->v,
                      "%lld units, %lld held by %s", (long long)pool->v->size,
                      (long long)pool->held, pool->jobs);
        free(pool->jobs);
        free(pool);
    }
}

static void audit_graphs(struct rset *inventory, const struct held *jobs,
                         size_t n, struct changes *out)
{
    struct map map = {0};

    add_pools(&map, inventory);
    for (size_t i = 0; i < n; i++)
        if (rset_has_graph(jobs[i].rs))
            hold_pools(&map, &jobs[i], out);
    audit_pools(&map, out);
    map_fini(&map);
}

/* --- the whole ------------------------------------------------------------ */

/* A set as R_lite says it, itself if that is what it is. */
static struct rset *plain_of(struct rset *rs, struct diag *d)
{
    return rset_has_graph(rs) ? rset_plain(rs, d) : rs;
}

int rset_audit(struct rset *inventory, const struct held *jobs, size_t n,
               struct changes *faults, struct diag *d)
{
    struct rset **plain = xcalloc(n + 1, sizeof(*plain));
    struct auditing a = {.out = faults};
    int rc = 0;

    for (size_t i = 0; i < n; i++)
        rlite_adopt_types(inventory, jobs[i].rs);
    for (size_t i = 0; i < n; i++)
        rlite_adopt_types(jobs[i].rs, inventory);
    for (size_t i = 0; rc == 0 && i <= n; i++) {
        plain[i] = plain_of(i ? jobs[i - 1].rs : inventory, d);
        if (plain[i])
            add_parties(&a, plain[i], i ? jobs[i - 1].name : NULL);
        else
            rc = -1;
    }
    if (rc == 0)
        audit_targets(&a);
    if (rc == 0 && rset_has_graph(inventory))
        audit_graphs(inventory, jobs, n, faults);
    for (size_t i = 0; i <= n; i++)
        if (plain[i] != (i ? jobs[i - 1].rs : inventory))
            rset_destroy(plain[i]);
    free(plain);
    free(a.parties);
    changes_sort(faults, inventory, inventory);
    return rc;
}

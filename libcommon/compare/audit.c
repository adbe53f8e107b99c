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
#include "compare/targets.h"
#include "model/tree/path.h"
#include "model/document/rlite.h"

struct auditing {
    struct changes *out;
    const struct held *jobs;
    struct targets targets; /* of the inventory, then job by job */
};

/* --- targets -------------------------------------------------------------- */

/* The job that a target is of; NULL: it is the inventory's. */
static const char *job_of(const struct auditing *a, size_t label)
{
    size_t set = targets_set(&a->targets, label);

    return set ? a->jobs[set - 1].name : NULL;
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

/* Ids of a type, of one of the targets of a group. */
struct holding {
    const char *type;
    const struct idset *ids;
    size_t label;
    const char *job; /* NULL: the inventory has them */
};

static int compare_holdings(const void *a, const void *b)
{
    const struct holding *x = a, *y = b;
    int order = strcmp(x->type, y->type);

    return order ? order : (x->label > y->label) - (x->label < y->label);
}

/* The jobs that cover a group of ids, once each; how many they are. */
static size_t name_jobs(const struct holding *list,
                        const struct overlay_group *g, FILE *fp, bool *known)
{
    const char *last = NULL;
    size_t n = 0;

    *known = false;
    for (size_t i = 0; i < g->nlabels; i++) {
        const char *job = list[g->labels[i]].job;
        if (!job) {
            *known = true;
        } else if (last != job) { /* labels of one job are neighbours */
            fprintf(fp, "%s%s", n++ ? ", " : "", job);
            last = job;
        }
    }
    return n;
}

static void audit_ids(struct auditing *a, const struct idset *ranks,
                      const struct holding *list, const struct overlay_group *g)
{
    char *jobs = NULL;
    size_t n;
    FILE *fp = memory_open(&jobs, NULL);
    bool known;

    n = name_jobs(list, g, fp, &known);
    memory_close(fp);
    if (n > 1)
        tell_claims(a, CHANGE_ALTERED, ranks, "held by", g->ids, list->type,
                    jobs);
    if (n > 0 && !known)
        tell_claims(a, CHANGE_NEW, ranks, "not in the inventory, held by",
                    g->ids, list->type, jobs);
    free(jobs);
}

/* All holdings of one type. */
static void audit_type(struct auditing *a, const struct idset *ranks,
                       const struct holding *list, size_t n)
{
    const struct idset **sets = xmalloc(n * sizeof(*sets));
    struct overlay *ov;

    for (size_t i = 0; i < n; i++)
        sets[i] = list[i].ids;
    ov = overlay_create(sets, n);
    for (size_t i = 0; i < overlay_ngroups(ov); i++)
        audit_ids(a, ranks, list, overlay_group(ov, i));
    overlay_destroy(ov);
    free(sets);
}

static void audit_holdings(struct auditing *a, const struct overlay_group *g)
{
    struct holding *list = NULL;
    size_t n = 0, end;

    for (size_t i = 0; i < g->nlabels; i++) {
        size_t label = g->labels[i];
        const struct vertex *v = a->targets.list[label]->child;
        for (; v; v = v->next) {
            VECTOR_GROW(list, n);
            list[n++] = (struct holding){v->type, v->run, label,
                                         job_of(a, label)};
        }
    }
    if (n > 0)
        qsort(list, n, sizeof(*list), compare_holdings);
    for (size_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n; end++)
            if (strcmp(list[end].type, list[i].type))
                break;
        audit_type(a, g->ids, list + i, end - i);
    }
    free(list);
}

/* Ranks that a job holds whole, whatever it lists, nobody else holds. */
static void audit_whole(struct auditing *a, const struct overlay_group *g)
{
    const char *whole = NULL;
    char *text;

    for (size_t i = 0; i < g->nlabels && !whole; i++)
        if (a->targets.list[g->labels[i]]->exclusive)
            whole = job_of(a, g->labels[i]);
    for (size_t i = 0; i < g->nlabels && whole; i++) {
        const char *job = job_of(a, g->labels[i]);
        if (!job || job == whole)
            continue;
        xasprintf(&text, "held whole by %s, and in part by %s", whole, job);
        changes_add_ranks(a->out, CHANGE_ALTERED, g->ids, text);
        free(text);
    }
}

/* Ranks that the same targets have. */
static void audit_group(struct auditing *a, const struct overlay_group *g)
{
    bool known = !job_of(a, g->labels[0]);

    if (known && g->nlabels == 1)
        return;
    audit_whole(a, g);
    audit_holdings(a, g);
    for (size_t i = 0; i < g->nlabels && !known; i++)
        if (!a->targets.list[g->labels[i]]->child)
            tell_claims(a, CHANGE_NEW, g->ids, "not in the inventory, held by",
                        NULL, "", job_of(a, g->labels[i]));
}

static void audit_hosts(struct changes *out, const struct rset *inventory,
                        const struct rset *rs, const char *job)
{
    struct other_hosts h;

    other_hosts_init(&h, inventory, rs);
    while (other_hosts_next(&h))
        changes_add(out, CHANGE_ALTERED,
                    "rank %u is %s in the inventory, %s with %s", h.rank,
                    h.in_a, h.in_b, job);
    other_hosts_fini(&h);
}

/* The inventory, and behind it the sets of n jobs, as R_lite says them. */
static void audit_targets(struct rset *const *sets, const struct held *jobs,
                          size_t n, struct changes *out)
{
    struct auditing a = {.out = out, .jobs = jobs};

    targets_init(&a.targets, sets, n + 1);
    for (size_t i = 0; i < overlay_ngroups(a.targets.overlay); i++)
        audit_group(&a, overlay_group(a.targets.overlay, i));
    targets_fini(&a.targets);
    for (size_t i = 0; i < n; i++)
        audit_hosts(out, sets[0], sets[i + 1], jobs[i].name);
}

/* --- pools by path -------------------------------------------------------- */

/* Who holds how many units of a pool. */
struct units {
    const struct vertex *v; /* in the inventory */
    int64_t held;
    char *jobs;
};

static bool by_path(const struct rset *rs, const struct vertex *v)
{
    return !v->child && !vertex_is_target(v)
           && !(v->rank >= 0 && rlite_type(rs, v->type));
}

static void add_holder(struct map *map, const struct vertex *pool,
                       int64_t units, const char *job)
{
    struct map_slot *slot = map_at(map, &pool, sizeof(pool));
    struct units *u = slot->value.pointer;
    char *jobs;

    if (!u) {
        slot->value.pointer = u = xcalloc(1, sizeof(*u));
        u->v = pool;
    }
    xasprintf(&jobs, "%s%s%s (%lld)", u->jobs ? u->jobs : "",
              u->jobs ? ", " : "", job, (long long)units);
    free(u->jobs);
    u->jobs = jobs;
    u->held += units;
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

/*
 * The pools of a job have their peers in the inventory. One that has others in
 * it there and none in the job, as an empty cluster, is not held by units.
 */
static void hold_pools(struct map *map, const struct held *job,
                       struct changes *out)
{
    for (struct vertex *v = rset_first(job->rs); v; v = rset_next(job->rs, v)) {
        if (!by_path(job->rs, v))
            continue;
        if (!v->peer)
            tell_pool(out, CHANGE_NEW, v, "not in the inventory, held by %s",
                      job->name);
        else if (!v->peer->child)
            add_holder(map, v->peer, v->size, job->name);
    }
}

static void audit_units(const struct map *map, struct changes *out)
{
    for (size_t i = 0; i < map->count; i++) {
        struct units *u = map->slots[i].value.pointer;
        if (u->held > u->v->size)
            tell_pool(out, CHANGE_ALTERED, u->v, "%lld units, %lld held by %s",
                      (long long)u->v->size, (long long)u->held, u->jobs);
        free(u->jobs);
        free(u);
    }
}

static void audit_graphs(struct rset *inventory, const struct held *jobs,
                         size_t n, struct changes *out)
{
    struct alignment with = {.a = inventory};
    struct map map = {0};
    struct diag unused; /* what only one of them knows is not compared */

    for (size_t i = 0; i < n; i++) {
        if (!rset_has_graph(jobs[i].rs))
            continue;
        align_next(&with, jobs[i].rs, &unused);
        hold_pools(&map, &jobs[i], out);
    }
    audit_units(&map, out);
    map_fini(&map);
    align_fini(&with);
}

/* --- the whole ------------------------------------------------------------ */

int rset_audit(struct rset *inventory, const struct held *jobs, size_t n,
               struct changes *faults, struct diag *d)
{
    struct rset **plain = xcalloc(n + 1, sizeof(*plain));
    int rc = 0;

    for (size_t i = 0; i < n; i++)
        rlite_adopt_types(inventory, jobs[i].rs);
    for (size_t i = 0; i < n; i++)
        rlite_adopt_types(jobs[i].rs, inventory);
    for (size_t i = 0; rc == 0 && i <= n; i++) {
        plain[i] = rset_as_plain(i ? jobs[i - 1].rs : inventory, d);
        rc = plain[i] ? 0 : -1;
    }
    if (rc == 0)
        audit_targets(plain, jobs, n, faults);
    if (rc == 0 && rset_has_graph(inventory))
        audit_graphs(inventory, jobs, n, faults);
    for (size_t i = 0; i <= n; i++)
        rset_drop_plain(plain[i], i ? jobs[i - 1].rs : inventory);
    free(plain);
    changes_sort(faults, inventory, inventory);
    return rc;
}

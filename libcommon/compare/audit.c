/* Audits the resources of jobs (audit.h). */
#include "compare/audit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/align.h"
#include "compare/expand.h"
#include "model/document/rlite.h"
#include "model/document/shorthand.h"

struct auditing {
    struct changes *out;
    const struct held *jobs;
    struct targets targets; /* of the inventory, then job by job */
};

/* --- targets -------------------------------------------------------------- */

/* Return the job of a target, NULL for targets of the inventory. */
static const char *job_of(const struct auditing *a, size_t label)
{
    size_t set = a->targets.set[label];

    return set ? a->jobs[set - 1].name : NULL;
}

static void report_claims(struct auditing *a, enum change_sign sign,
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

/* Ids of a type in one of the targets of a group. */
struct claimed_ids {
    const char *type;
    const struct idset *ids;
    size_t label; /* of the target */
};

static int compare_claims(const void *a, const void *b)
{
    const struct claimed_ids *x = a, *y = b;
    int order = strcmp(x->type, y->type);

    return order ? order : COMPARE(x->label, y->label);
}

static void audit_type(struct auditing *a, const struct idset *ranks,
                       const struct claimed_ids *list, size_t n)
{
    const struct idset **sets = xmalloc(n * sizeof(*sets));
    struct overlay *ov;

    for (size_t i = 0; i < n; i++)
        sets[i] = list[i].ids;
    ov = overlay_create(sets, n);
    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        const struct overlay_group *g = overlay_group(ov, i);
        const char *last = NULL;
        bool known = false;
        size_t holders = 0;
        char *jobs = NULL;
        FILE *fp = memory_open(&jobs, NULL);

        for (size_t k = 0; k < g->nlabels; k++) {
            const char *job = job_of(a, list[g->labels[k]].label);
            if (!job) {
                known = true;
            } else if (last != job) { /* labels of one job are neighbours */
                fprintf(fp, "%s%s", holders++ ? ", " : "", job);
                last = job;
            }
        }
        memory_close(fp);
        if (holders > 1)
            report_claims(a, CHANGE_ALTERED, ranks, "held by", g->ids,
                          list->type, jobs);
        if (holders > 0 && !known)
            report_claims(a, CHANGE_NEW, ranks, "not in the inventory, held by",
                          g->ids, list->type, jobs);
        free(jobs);
    }
    overlay_destroy(ov);
    free(sets);
}

/* Compare the contents of targets with the same ranks, type by type. */
static void audit_claims(struct auditing *a, const struct overlay_group *g)
{
    struct claimed_ids *list = NULL;
    size_t n = 0, end;

    for (size_t i = 0; i < g->nlabels; i++) {
        size_t label = g->labels[i];
        const struct vertex *v = a->targets.list[label]->child;
        for (; v; v = v->next)
            VECTOR_ADD(list, n, (struct claimed_ids){v->type, v->run, label});
    }
    VECTOR_SORT(list, n, compare_claims);
    for (size_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n; end++)
            if (strcmp(list[end].type, list[i].type))
                break;
        audit_type(a, g->ids, list + i, end - i);
    }
    free(list);
}

/* Audit ranks that belong to the same targets. */
static void audit_group(struct auditing *a, const struct overlay_group *g)
{
    bool known = !job_of(a, g->labels[0]);
    const char *whole = NULL;
    char *text;

    if (known && g->nlabels == 1)
        return;

    /* If a job holds ranks whole, whatever it lists there, no other job may
       hold any part of them. */
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

    audit_claims(a, g);
    for (size_t i = 0; i < g->nlabels && !known; i++)
        if (!a->targets.list[g->labels[i]]->child)
            report_claims(a, CHANGE_NEW, g->ids,
                          "not in the inventory, held by", NULL, "",
                          job_of(a, g->labels[i]));
}

/* Audit the R_lite of the inventory, sets[0], and of the n jobs behind it. */
static void audit_targets(struct rset *const *sets, const struct held *jobs,
                          size_t n, struct changes *out)
{
    struct auditing a = {.out = out, .jobs = jobs};

    targets_init(&a.targets, sets, n + 1);
    for (size_t i = 0; i < overlay_ngroups(a.targets.overlay); i++)
        audit_group(&a, overlay_group(a.targets.overlay, i));
    targets_fini(&a.targets);

    for (size_t i = 0; i < n; i++) {
        struct other_hosts h;

        other_hosts_init(&h, sets[0], sets[i + 1]);
        while (other_hosts_next(&h))
            changes_add(out, CHANGE_ALTERED,
                        "rank %u is %s in the inventory, %s with %s", h.rank,
                        h.in_a, h.in_b, jobs[i].name);
        other_hosts_fini(&h);
    }
}

/* --- pools by path -------------------------------------------------------- */

struct held_units {
    const struct vertex *v; /* vertex in the inventory */
    int64_t held;
    char *jobs;
};

static void add_holder(struct map *map, const struct vertex *pool,
                       int64_t units, const char *job)
{
    struct map_slot *slot = map_at(map, &pool, sizeof(pool));
    struct held_units *u = slot->value.pointer;
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

/* Report a fault of a pool. Names the rank of its node if it has one. */
__attribute__((format(printf, 4, 5))) static void
report_pool(struct changes *out, enum change_sign sign, const struct vertex *v,
            const char *fmt, ...)
{
    char *path = vertex_path(v), *text;
    const struct vertex *target = vertex_target(v->parent);
    va_list ap;

    va_start(ap, fmt);
    xvasprintf(&text, fmt, ap);
    va_end(ap);
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
 * Audit by path the pools that R_lite can't list: their units are held. A pool
 * that has children in the inventory but none in the job (an empty cluster)
 * does not count as held.
 */
static void audit_graphs(struct rset *inventory, const struct held *jobs,
                         size_t n, struct changes *out)
{
    struct alignment with = {.a = inventory};
    struct map map = {0};
    struct diag unused; /* pools in only one set are not compared */

    for (size_t i = 0; i < n; i++) {
        struct rset *rs = jobs[i].rs;

        if (!rset_has_graph(rs))
            continue;
        align_next(&with, usage_settle(rs), &unused);
        for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
            if (v->child || vertex_is_target(v)
                || (v->rank >= 0 && rlite_type(rs, v->type)))
                continue;
            if (!v->peer)
                report_pool(out, CHANGE_NEW, v,
                            "not in the inventory, held by %s", jobs[i].name);
            else if (!v->peer->child)
                add_holder(&map, v->peer, v->size, jobs[i].name);
        }
    }
    for (size_t i = 0; i < map.count; i++) {
        struct held_units *u = map.slots[i].value.pointer;
        if (u->held > u->v->size)
            report_pool(out, CHANGE_ALTERED, u->v,
                        "%lld units, %lld held by %s", (long long)u->v->size,
                        (long long)u->held, u->jobs);
        free(u->jobs);
        free(u);
    }
    map_fini(&map);
    vertex_index_fini(&with.index);
}

/* --- the whole ------------------------------------------------------------ */

int rset_audit(struct rset *inventory, const struct held *jobs, size_t n,
               struct changes *faults, struct diag *d)
{
    struct rset **plain = xcalloc(n + 1, sizeof(*plain));
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        if (rset_has_graph(inventory))
            rc = rset_expand_shorthand(jobs[i].rs, inventory, EXPAND_KNOWN, d);
        rlite_adopt_types(inventory, jobs[i].rs);
    }
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

/*
 * Compares jobs (diff_private.h). After aligning the sets (align.h), the pools
 * of each job in both sets are collected. A job lost a pool if the first set
 * gives it more units of the pool than the second; it gained the pool in the
 * other case. This decides whether the job moved, grew or shrank.
 */
#include "compare/diff_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "compare/align.h"
#include "model/records/jobs.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "schedule/ledger.h"

/* The first set, with lost resources, and the second, with gained ones. */
enum { LOST, GAINED };

/* A pool that a job has in one of the sets or in both. */
struct job_pool {
    const struct vertex *v[2]; /* vertex in each set; NULL: not in this set */
    int64_t units[2];          /* claimed in each set */
    size_t next;               /* index of the job's next pool + 1; 0: none */
};

struct job_entry {
    const char *name;
    size_t first; /* index of its first pool + 1; 0: none */
    bool in[2];   /* is it in each set? */
};

struct job_table {
    struct usage *usage[2];
    struct job_entry *jobs;
    size_t njobs;
    struct map by_name; /* of the jobs */
    struct job_pool *pools;
    size_t npools;
    struct map by_vertex; /* of the pools, by job and vertex */
};

/* Resources of a job in one set that it does not have in the other. */
struct job_part {
    bool any;
    struct idset *ranks;
    struct part_units {
        const char *type;
        const char *unit; /* "": none; NULL: pools of size 1, such as cores */
        int64_t n;
    } * list;
    size_t n;
};

/* --- collecting ----------------------------------------------------------- */

static size_t job_at(struct job_table *t, const char *name)
{
    size_t job = map_number(&t->by_name, name, strlen(name));

    if (job == t->njobs)
        VECTOR_ADD(t->jobs, t->njobs, (struct job_entry){.name = name});
    return job;
}

/* Return the pool of a job; make it if it is new. The key for a vertex of the
   second set is its peer, if it has one. */
static struct job_pool *pool_at(struct job_table *t, size_t job,
                                const struct vertex *v, int side)
{
    const struct vertex *key_of = side == GAINED && v->peer ? v->peer : v;
    const uintptr_t key[] = {job, (uintptr_t)key_of};
    size_t pool = map_number(&t->by_vertex, key, sizeof(key));

    if (pool == t->npools) {
        VECTOR_ADD(t->pools, t->npools,
                   (struct job_pool){.next = t->jobs[job].first});
        t->jobs[job].first = t->npools;
    }
    t->pools[pool].v[side] = v;
    return &t->pools[pool];
}

static void collect(struct job_table *t, struct settled s, int side)
{
    for (const struct vertex *v = rset_first(s.rs); v; v = rset_next(s.rs, v))
        for (const struct grant *g = vertex_grants(s, v); g; g = g->beside) {
            struct job_pool *pool;
            size_t job;

            if (g->term->kind == GRANT_LISTED)
                continue;
            job = job_at(t, g->term->job->name);
            t->jobs[job].in[side] = true;
            pool = pool_at(t, job, v, side);
            if (g->term->kind == GRANT_CLAIM)
                pool->units[side] += g->units;
        }
}

/* In one of the sets, does the job hold whole any pool that contains v? */
static bool has_whole_above(const struct job_table *t, size_t job,
                            const struct vertex *v, int side)
{
    while ((v = v->parent))
        for (int i = 0; i < 2; i++) {
            const uintptr_t key[] = {job, (uintptr_t)(i ? v->peer : v)};
            const struct map_slot *slot = map_find(&t->by_vertex, key,
                                                   sizeof(key));

            if (slot
                && t->pools[slot - t->by_vertex.slots].units[side] >= v->size)
                return true;
        }
    return false;
}

/* --- lost and gained resources -------------------------------------------- */

static void add_units(struct job_part *part, const char *type, const char *unit,
                      int64_t n)
{
    size_t i = VECTOR_FIND(k, part->n, !strcmp(part->list[k].type, type));

    if (i == part->n)
        VECTOR_ADD(part->list, part->n, (struct part_units){.type = type});
    if (unit)
        part->list[i].unit = unit;
    part->list[i].n += n;
}

/* Return the unit of a type of pool; NULL: it has none. */
static const char *unit_of(const struct usage *u, int type)
{
    const struct types *t = usage_types(u);
    size_t i = VECTOR_FIND(k, t->nunits, (int)t->units[k].ntype == type);

    return i < t->nunits && *t->units[i].unit ? t->units[i].unit : NULL;
}

/*
 * Add the units of a pool, or subtract them (`sign` -1). For a pool held whole,
 * count the cores, GPUs and memory in it instead, if there are any, because
 * they say most.
 */
static void add_pool(struct job_part *part, const struct usage *u,
                     const struct vertex *v, int64_t units, int sign)
{
    static const char *const inner[] = {"core", "gpu", "memory"};
    int64_t times = sign;
    bool any = false;

    for (const struct vertex *up = v; up; up = up->parent)
        times *= (int64_t)vertex_count(up);
    for (int i = 0; i < 3 && units >= v->size; i++) {
        int type = usage_type_named(u, inner[i]);
        int64_t inside = usage_total(u, v, type);

        if (inside > 0)
            add_units(part, inner[i], unit_of(u, type), inside * times);
        any = any || inside > 0;
    }
    if (!any && units > 0)
        add_units(part, v->type, v->size == 1 ? NULL : v->unit, units * times);
}

/* Add the rank of the target that a pool is, or is in. If there is none and the
   pool is held whole, add the ranks of all targets in it. */
static void add_ranks(struct idset *ranks, const struct vertex *v, bool whole)
{
    const struct vertex *target = vertex_target(v), *in = v;

    if (target)
        target_add_ranks(target, ranks);
    while (!target && whole && (in = vertex_next(v, in, false)))
        if (vertex_is_target(in))
            target_add_ranks(in, ranks);
}

/* Find the resources that a job has only in one set. A pool held whole stands
   for all its contents. */
static void find_part(const struct job_table *t, size_t job, int side,
                      struct job_part *part)
{
    *part = (struct job_part){.ranks = idset_create()};
    for (size_t i = t->jobs[job].first; i; i = t->pools[i - 1].next) {
        const struct job_pool *pool = &t->pools[i - 1];
        const struct vertex *v = pool->v[side];
        int64_t more = pool->units[side] - pool->units[!side];

        if (!v && has_whole_above(t, job, pool->v[!side], side)) {
            /* in this pool the job has the same in both sets */
            add_pool(part, t->usage[!side], pool->v[!side], pool->units[!side],
                     -1);
        } else if (v && (more > 0 || !pool->v[!side])
                   && !has_whole_above(t, job, v, !side)) {
            part->any = true;
            add_ranks(part->ranks, v, pool->units[side] >= v->size);
            add_pool(part, t->usage[side], v, more, 1);
        }
    }
}

/* --- output --------------------------------------------------------------- */

/* Return the amount: "8 cores, 16 GiB of memory"; for free(). */
static char *amount_text(const struct job_part *part)
{
    const char *sep = "";
    char *text;
    FILE *fp = memory_open(&text, NULL);

    for (size_t i = 0; i < part->n; i++) {
        const struct part_units *of = &part->list[i];
        const char *plural = of->n == 1 ? "" : "s";

        if (of->n <= 0)
            continue;
        fprintf(fp, "%s%lld ", sep, (long long)of->n);
        if (!of->unit)
            fprintf(fp, "%s%s", of->type, plural);
        else if (*of->unit)
            fprintf(fp, "%s of %s", of->unit, of->type);
        else
            fprintf(fp, "unit%s of %s", plural, of->type);
        sep = ", ";
    }
    return memory_take(fp, &text, true);
}

/* Return the place: "node[0-3]", "rank 7", or "" for no node; for free(). `rs`
   NULL: by rank. */
static char *place_text(const struct job_part *part, const struct rset *rs)
{
    if (idset_empty(part->ranks))
        return xstrdup("");
    return rs && rs->hosts ? rset_hosts_text(rs, part->ranks)
                           : ranks_text(part->ranks);
}

/* Write lost or gained resources: "8 cores on node0". */
static void write_part(FILE *fp, const char *amount, const char *place)
{
    fprintf(fp, "%s%s%s", amount, *amount && *place ? " on " : "", place);
}

/* Write the change in resources of a job that is in both sets: "moved: ...". */
static void write_change(FILE *fp, char *const amount[2], char *const place[2],
                         const struct job_part parts[2])
{
    int side = parts[GAINED].any ? GAINED : LOST;

    if (!parts[LOST].any || !parts[GAINED].any) {
        fputs(side == GAINED ? "grew: " : "shrank: ", fp);
        write_part(fp, amount[side], place[side]);
        return;
    }
    fputs("moved: ", fp);
    if (idset_equal(parts[LOST].ranks, parts[GAINED].ranks)) {
        write_part(fp, amount[GAINED], place[GAINED]);
        return;
    }
    fprintf(fp, "%s%sfrom %s", amount[LOST], *amount[LOST] ? " " : "",
            place[LOST]);
    if (strcmp(amount[LOST], amount[GAINED]) != 0)
        fprintf(fp, ", %s", amount[GAINED]);
    fprintf(fp, " to %s", place[GAINED]);
}

/* Write a changed start or end: "end: 2026-01-01T00:00:00Z -> none". */
static void write_time(FILE *fp, const char **sep, const char *name, double a,
                       double b)
{
    if (a == b)
        return;
    fprintf(fp, "%s%s: %s -> ", *sep, name, a < 0 ? "none" : time_utc(a).text);
    fputs(b < 0 ? "none" : time_utc(b).text, fp);
    *sep = "; ";
}

/* Return a part as JSON: {"ranks":...,"hosts":...,"units":{...}}. */
static json_t *part_json(const struct job_part *part, const struct rset *rs)
{
    json_t *json = json_object(), *units = json_object();

    changes_put_ranks(json, rs, part->ranks);
    for (size_t i = 0; i < part->n; i++)
        if (part->list[i].n > 0)
            json_object_set_new(units, part->list[i].type,
                                json_integer(part->list[i].n));
    json_object_set_new(json, "units", units);
    return json;
}

static void compare_job(const struct job_table *t, size_t number,
                        struct changes *out)
{
    static const char *const keys[] = {"lost", "gained"};
    const struct job_entry *job = &t->jobs[number];
    struct term terms[2];
    struct job_part parts[2];
    char *amount[2], *place[2], *what;
    const char *sep = "", *state[2];
    enum change_sign sign = CHANGE_ALTERED;
    FILE *fp = memory_open(&what, NULL);

    for (int side = 0; side < 2; side++) {
        terms[side] = ledger_terms(t->usage[side], job->name);
        state[side] = terms[side].staged     ? "staged"
                      : terms[side].reserved ? "reserved"
                                             : "allocated";
        find_part(t, number, side, &parts[side]);
        amount[side] = amount_text(&parts[side]);
        place[side] = place_text(&parts[side], usage_rset(t->usage[side]));
    }
    /* If the hosts are equal but the ranks are not, show ranks. That happens if
       sets are compared by rank and hosts have other ranks in the second. */
    for (int side = 0, same = !strcmp(place[LOST], place[GAINED]);
         same && side < 2
         && !idset_equal(parts[LOST].ranks, parts[GAINED].ranks);
         side++) {
        free(place[side]);
        place[side] = place_text(&parts[side], NULL);
    }
    if (!job->in[GAINED]) {
        sign = CHANGE_GONE;
        fprintf(fp, "%s: ",
                !strcmp(state[LOST], "allocated")  ? "ended"
                : !strcmp(state[LOST], "reserved") ? "no longer reserved"
                                                   : "no longer staged");
        write_part(fp, amount[LOST], place[LOST]);
    } else if (!job->in[LOST]) {
        sign = CHANGE_NEW;
        fprintf(fp, "%s: ",
                !strcmp(state[GAINED], "allocated") ? "started"
                                                    : state[GAINED]);
        write_part(fp, amount[GAINED], place[GAINED]);
    } else {
        if (strcmp(state[LOST], state[GAINED]) != 0) {
            fprintf(fp, "%s -> %s", state[LOST], state[GAINED]);
            sep = "; ";
        }
        if (parts[LOST].any || parts[GAINED].any) {
            fputs(sep, fp);
            write_change(fp, amount, place, parts);
            sep = "; ";
        }
        write_time(fp, &sep, "start", terms[LOST].start, terms[GAINED].start);
        write_time(fp, &sep, "end", terms[LOST].end, terms[GAINED].end);
    }
    memory_close(fp);

    if (*what) {
        struct change *change = changes_add(out, sign, "job %s %s", job->name,
                                            what);

        json_decref(change->data);
        change->data = json_pack("{s:o}", "job", job_to_json(job->name));
        for (int side = 0; side < 2; side++)
            if (parts[side].any)
                json_object_set_new(
                    change->data, keys[side],
                    part_json(&parts[side], usage_rset(t->usage[side])));
    }
    free(what);
    for (int side = 0; side < 2; side++) {
        idset_destroy(parts[side].ranks);
        free(parts[side].list);
        free(amount[side]);
        free(place[side]);
    }
}

int compare_jobs(struct rset *a, struct rset *b, struct changes *out,
                 struct diag *d)
{
    struct job_table t = {.usage = {usage_begin(a), usage_begin(b)}};
    struct settled lost = usage_settle(a), gained = usage_settle(b);
    struct map_slot *order;

    if (rset_align(lost, gained, d) < 0)
        return -1;
    collect(&t, lost, LOST);
    collect(&t, gained, GAINED);

    order = xmalloc((t.njobs + 1) * sizeof(*order));
    for (size_t i = 0; i < t.njobs; i++)
        order[i] = t.by_name.slots[i];
    VECTOR_SORT(order, t.njobs, job_compare_first);
    for (size_t i = 0; i < t.njobs; i++)
        compare_job(&t, job_at(&t, order[i].key), out);

    free(order);
    free(t.jobs);
    free(t.pools);
    map_fini(&t.by_name);
    map_fini(&t.by_vertex);
    return 0;
}

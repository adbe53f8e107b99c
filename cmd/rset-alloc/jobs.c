/* rset-alloc jobs: a line, or an object, for every job in the records. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "alloc.h"
#include "base/memory.h"
#include "base/show.h"
#include "model/records/jobs.h"
#include "cli/cli.h"

/* Units of a type that a job has, and the first lot that they are in. */
struct share {
    const char *type;
    const struct lot *first;
    int64_t units;
};

struct row {
    const char *job, *owner;
    double start, end;
    bool any, staged;
    struct idset *ranks; /* of the targets on which it has something */
    struct share *list;
    size_t n;
};

/* Order in the tree of two lots. */
static bool comes_before(const struct lot *a, const struct lot *b)
{
    for (const struct lot *up = a; up->parent; up = up->parent) {
        const struct lot *other = b;
        while (other->parent && other->parent != up->parent)
            other = other->parent;
        if (other->parent)
            return up == other ? up == a : lot_compare(up, other) < 0;
    }
    return false;
}

static void add_units(struct row *row, const struct lot *lot, int64_t units)
{
    struct share *share = row->list, *end = share + row->n;

    while (share < end && share->type != lot->v->type)
        share++;
    if (share == end) {
        VECTOR_GROW(row->list, row->n);
        share = &row->list[row->n++];
        *share = (struct share){.type = lot->v->type, .first = lot};
    }
    share->units += units;
    if (comes_before(lot, share->first))
        share->first = lot;
}

/* How many pools a lot stands for; the targets that they are on. */
static int64_t count_pools(struct row *row, const struct lot *lot)
{
    int64_t pools = 1;

    for (; lot->parent; lot = lot->parent) {
        const struct vertex *v = lot->v;
        pools *= lot->n;
        if (vertex_is_target(v) && v->run)
            idset_add(row->ranks, lot->at, lot->at + lot->n - 1);
        else if (vertex_is_target(v))
            idset_add(row->ranks, (uint32_t)v->rank, (uint32_t)v->rank);
    }
    return pools;
}

static int compare_shares(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    return comes_before(y->first, x->first) - comes_before(x->first, y->first);
}

/* False: what it has is no more than marks of what its R lists. */
static bool gather(struct row *row, const struct usage *u,
                   const struct job *job)
{
    struct terms terms;
    bool has = false;

    ledger_terms(u, job->name, &terms);
    *row = (struct row){.job = job->name,
                        .owner = terms.owner,
                        .start = terms.start,
                        .end = terms.end,
                        .staged = terms.staged,
                        .ranks = idset_create()};
    for (const struct grant *g = job->grants; g; g = g->next) {
        int64_t pools;
        has |= g->term->kind != GRANT_LISTED;
        if (g->term->kind != GRANT_CLAIM && g->term->kind != GRANT_SHARE)
            continue;
        pools = count_pools(row, g->lot);
        if (g->term->kind == GRANT_SHARE)
            continue;
        row->any = true;
        add_units(row, g->lot, g->units * pools);
    }
    if (row->n)
        qsort(row->list, row->n, sizeof(*row->list), compare_shares);
    return has;
}

static void row_fini(struct row *row)
{
    idset_destroy(row->ranks);
    free(row->list);
}

static int compare_rows(const void *a, const void *b)
{
    return job_compare(((const struct row *)a)->job,
                       ((const struct row *)b)->job);
}

static const char *row_state(const struct row *row, double now)
{
    if (row->staged)
        return "staged";
    if (row->any && row->start > now)
        return "reserved";
    if (row->end >= 0 && row->end <= now)
        return "ended";
    return row->any ? "allocated" : "shared";
}

/* --- output ------------------------------------------------------------- */

static void print_time(double value)
{
    if (value < 0)
        printf(" %12s", "-");
    else
        printf(" %12.15g", value);
}

static void print_units(const char *sep, const char *type, int64_t units)
{
    fputs(sep, stdout);
    show(stdout, type);
    printf("=%lld", (long long)units);
}

static void print_row(const struct row *row, double now)
{
    char *ranks = idset_encode(row->ranks);
    struct shown_name job, owner;

    printf("%-12s %-10s %-9s", alloc_shown(row->job, &job),
           row->owner ? alloc_shown(row->owner, &owner) : "-",
           row_state(row, now));
    print_time(row->start);
    print_time(row->end);
    printf(" %-12s ", *ranks ? ranks : "-");
    for (size_t i = 0; i < row->n; i++)
        print_units(i ? "," : "", row->list[i].type, row->list[i].units);
    puts(row->n ? "" : "-");
    free(ranks);
}

static json_t *row_json(const struct row *row, double now)
{
    json_t *entry = json_object(), *units = json_object();
    char *ranks = idset_encode(row->ranks);

    json_object_set_new(entry, "job", job_to_json(row->job));
    if (row->owner)
        json_object_set_new(entry, "owner", job_to_json(row->owner));
    json_object_set_new(entry, "state", json_string(row_state(row, now)));
    if (row->start >= 0)
        json_object_set_new(entry, "start", time_to_json(row->start));
    if (row->end >= 0)
        json_object_set_new(entry, "end", time_to_json(row->end));
    json_object_set_new(entry, "ranks", json_string(ranks));
    for (size_t i = 0; i < row->n; i++)
        json_object_set_new(units, row->list[i].type,
                            json_integer(row->list[i].units));
    json_object_set_new(entry, "units", units);
    free(ranks);
    return entry;
}

/* All jobs, or one. */
static struct row *gather_all(struct alloc_call *call, size_t *n)
{
    const struct usage *u = usage_begin(call->rs);
    struct row *rows = xcalloc(u->njobs, sizeof(*rows));
    const struct job *job = call->job ? job_find(u, call->job) : u->jobs_first;

    for (*n = 0; job; job = call->job ? NULL : job->next)
        if (gather(&rows[*n], u, job))
            (*n)++;
        else
            row_fini(&rows[*n]);
    qsort(rows, *n, sizeof(*rows), compare_rows);
    return rows;
}

static void print_rows(const struct row *rows, size_t n, double now)
{
    printf("%-12s %-10s %-9s %12s %12s %-12s %s\n", "JOB", "OWNER", "STATE",
           "START", "END", "RANKS", "UNITS");
    for (size_t i = 0; i < n; i++)
        print_row(&rows[i], now);
}

int alloc_jobs(struct alloc_call *call)
{
    size_t n;
    struct row *rows = gather_all(call, &n);
    int status = STATUS_OK;

    if (call->job && n == 0) {
        status = alloc_no(call, "job %s holds nothing", call->job);
    } else if (alloc_as_data(call)) {
        call->data_name = "jobs";
        call->data = json_array();
        for (size_t i = 0; i < n; i++)
            json_array_append_new(call->data, row_json(&rows[i], call->now));
    } else {
        print_rows(rows, n, call->now);
    }
    for (size_t i = 0; i < n; i++)
        row_fini(&rows[i]);
    free(rows);
    return status;
}

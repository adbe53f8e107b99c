/* rset-alloc jobs: a line, or an object, for every job in the records. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "alloc.h"
#include "base/memory.h"
#include "cli/cli.h"

/* Units of a type that a job has. */
struct share {
    const char *type;
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

struct rows {
    struct map places; /* by the job's name: number + 1 */
    struct row *list;
    size_t n, size;
};

static struct row *row_of(struct rows *rows, const char *job)
{
    struct map_slot *slot = map_at(&rows->places, job, strlen(job));

    if (!slot)
        alloc_oom();
    if (slot->value.number)
        return &rows->list[slot->value.number - 1];
    if (rows->n == rows->size) {
        rows->size = rows->size ? 2 * rows->size : 16;
        rows->list = xrealloc(rows->list, rows->size * sizeof(*rows->list));
        if (!rows->list)
            alloc_oom();
    }
    rows->list[rows->n++] = (struct row){.job = job,
                                         .start = TIME_UNSET,
                                         .end = TIME_UNSET,
                                         .ranks = idset_create()};
    slot->value.number = rows->n;
    if (!rows->list[rows->n - 1].ranks)
        alloc_oom();
    return &rows->list[rows->n - 1];
}

static void add_units(struct row *row, const char *type, int64_t units)
{
    struct share *more;

    for (size_t i = 0; i < row->n; i++)
        if (!strcmp(row->list[i].type, type)) {
            row->list[i].units += units;
            return;
        }
    more = xrealloc(row->list, (row->n + 1) * sizeof(*more));
    if (!more)
        alloc_oom();
    row->list = more;
    row->list[row->n++] = (struct share){type, units};
}

static void add_ranks(struct row *row, const struct vertex *target)
{
    if (target && target->run)
        idset_add_set(row->ranks, target->run);
    else if (target)
        idset_add(row->ranks, (uint32_t)target->rank, (uint32_t)target->rank);
}

static int64_t members(const struct vertex *v, const struct vertex *target)
{
    int64_t n = (int64_t)vertex_count(v);

    return target && target != v ? n * (int64_t)vertex_count(target) : n;
}

static void add_claim(struct rows *rows, const struct claim *c,
                      const struct vertex *v, const struct vertex *target)
{
    struct row *row = row_of(rows, c->job);

    if (!row->any || c->start < row->start)
        row->start = c->start;
    if (!row->any || c->end < 0 || (row->end >= 0 && c->end > row->end))
        row->end = c->end;
    row->owner = c->owner ? c->owner : row->owner;
    row->any = true;
    row->staged = row->staged
                  || (v->records->staged
                      && !strcmp(v->records->staged, c->job));
    add_units(row, v->type, c->size * members(v, target));
    add_ranks(row, target);
}

static void gather(struct rows *rows, const struct vertex *v,
                   const struct vertex *target)
{
    if (vertex_is_target(v))
        target = v;
    if (v->records) {
        for (const struct claim *c = v->records->claims; c; c = c->next)
            add_claim(rows, c, v, target);
        for (const struct joblist *j = v->records->shared; j; j = j->next)
            add_ranks(row_of(rows, j->job), target);
    }
    for (const struct vertex *c = v->child; c; c = c->next)
        gather(rows, c, target);
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

static void print_row(const struct row *row, double now)
{
    char *ranks = idset_encode(row->ranks);
    struct quoted job, owner;

    if (!ranks)
        alloc_oom();
    printf("%-12s %-10s %-9s", alloc_shown(row->job, &job),
           row->owner ? alloc_shown(row->owner, &owner) : "-",
           row_state(row, now));
    print_time(row->start);
    print_time(row->end);
    printf(" %-12s ", *ranks ? ranks : "-");
    for (size_t i = 0; i < row->n; i++)
        printf("%s%s=%lld", i ? "," : "", row->list[i].type,
               (long long)row->list[i].units);
    puts(row->n ? "" : "-");
    free(ranks);
}

static void print_json(const struct row *row, double now)
{
    json_t *entry = json_object(), *units = json_object();
    char *ranks = idset_encode(row->ranks);

    if (!entry || !units || !ranks)
        alloc_oom();
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
    json_write(stdout, entry);
    json_decref(entry);
    free(ranks);
}

static void print_rows(const struct rows *rows, double now)
{
    bool json = cli_output_json();

    if (json)
        putchar('[');
    else
        printf("%-12s %-10s %-9s %12s %12s %-12s %s\n", "JOB", "OWNER", "STATE",
               "START", "END", "RANKS", "UNITS");
    for (size_t i = 0; i < rows->n; i++) {
        if (json && i > 0)
            putchar(',');
        if (json)
            print_json(&rows->list[i], now);
        else
            print_row(&rows->list[i], now);
    }
    if (json)
        puts("]");
}

int alloc_jobs(struct alloc_call *call)
{
    struct rows rows = {0};

    if (call->rs->root)
        gather(&rows, call->rs->root, NULL);
    for (const struct vertex *v = call->rs->loose; v; v = v->next)
        gather(&rows, v, NULL);
    if (rows.n)
        qsort(rows.list, rows.n, sizeof(*rows.list), compare_rows);
    print_rows(&rows, call->now);
    for (size_t i = 0; i < rows.n; i++) {
        idset_destroy(rows.list[i].ranks);
        free(rows.list[i].list);
    }
    free(rows.list);
    map_fini(&rows.places);
    call->silent = true;
    return STATUS_OK;
}

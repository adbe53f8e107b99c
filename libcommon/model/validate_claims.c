/*
 * Validation of single records: who holds how much, from when to when; and
 * of many on one pool (RFC 4, RFC 16: no more units than there are, at any
 * moment).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/validate_private.h"

/* --- one record --------------------------------------------------------- */

const char *check_job(struct check *c, const json_t *value,
                      const struct place *at)
{
    struct diag d = {0};
    const char *job = job_from_json(&c->names, value, &d);

    if (!job)
        fault_diag(c, RULE_JOB, at, &d);
    return job;
}

static double check_moment(struct check *c, const json_t *entry,
                           const char *key, const struct place *at)
{
    const json_t *value = json_object_get(entry, key);
    double time = TIME_UNSET;

    if (value)
        need_time(c, value, &time, IN_KEY(at, key));
    return time;
}

void check_span(struct check *c, const json_t *entry, struct hold *hold,
                const struct place *at)
{
    hold->start = check_moment(c, entry, "start", at);
    hold->end = check_moment(c, entry, "end", at);
    if (hold->start >= 0 && hold->end >= 0 && hold->end <= hold->start)
        fault(c, RULE_SPAN, at, "the end %.15g is not after the start %.15g",
              hold->end, hold->start);
}

static int64_t check_units(struct check *c, const json_t *value,
                           const struct place *at)
{
    if (!value)
        return 1;
    if (json_integer_value(value) >= 1)
        return json_integer_value(value);
    fault(c, RULE_NUMBER, at, "%s: expected a number of units",
          json_quote(value).text);
    return 1;
}

/* --- the records of a vertex -------------------------------------------- */

void check_owner(struct check *c, const json_t *entry, const struct place *at)
{
    const json_t *owner = json_object_get(entry, "owner");

    if (owner)
        check_job(c, owner, IN_KEY(at, "owner"));
}

/* True if it was understood. */
static bool check_hold(struct check *c, const json_t *entry, struct hold *hold,
                       const struct place *at)
{
    size_t before = c->refused;

    if (!need_object(c, entry, at))
        return false;
    hold->job = check_job(c, json_object_get(entry, "job"), IN_KEY(at, "job"));
    hold->size = check_units(c, json_object_get(entry, "size"),
                             IN_KEY(at, "size"));
    check_span(c, entry, hold, at);
    return c->refused == before && hold->job;
}

static void check_claims(struct check *c, const json_t *metadata,
                         enum claim_kind kind, struct pool_records *r,
                         const struct place *at)
{
    const struct place *in = IN_KEY(at, claim_keys[kind]);
    const json_t *list = json_object_get(metadata, claim_keys[kind]);
    json_t *entry;
    size_t i;

    if (!list || !need_list(c, list, in))
        return;
    json_array_foreach (list, i, entry) {
        struct hold hold = {.kind = kind, .index = i};
        check_owner(c, entry, IN_LIST(in, i));
        if (check_hold(c, entry, &hold, IN_LIST(in, i)))
            r->holds[r->nholds++] = hold;
        else
            r->faulty = true;
    }
}

/* Jobs without units (RFC 4, Shared). */
static void check_shared(struct check *c, const json_t *metadata,
                         struct pool_records *r, const struct place *at)
{
    const struct place *in = IN_KEY(at, "shared");
    const json_t *list = json_object_get(metadata, "shared");
    json_t *entry;
    size_t i;

    if (!list || !need_list(c, list, in))
        return;
    json_array_foreach (list, i, entry) {
        struct hold hold = {0};
        if (!json_is_object(entry))
            hold.job = check_job(c, entry, IN_LIST(in, i));
        else if (check_hold(c, entry, &hold, IN_LIST(in, i)))
            fault(c, RULE_SHARED_UNITS, IN_LIST(in, i),
                  "%s: expected a job alone", json_quote(entry).text);
        if (hold.job)
            r->shared[r->nshared++] = hold.job;
    }
}

/* Jobs, or objects of a job and its units. */
static void check_listed(struct check *c, const json_t *metadata,
                         const struct place *at)
{
    const struct place *in = IN_KEY(at, "listed");
    const json_t *list = json_object_get(metadata, "listed");
    struct hold unused;
    json_t *entry;
    size_t i;

    if (!list || !need_list(c, list, in))
        return;
    json_array_foreach (list, i, entry) {
        if (json_is_object(entry))
            check_hold(c, entry, &unused, IN_LIST(in, i));
        else
            check_job(c, entry, IN_LIST(in, i));
    }
}

static struct pool_records *make_records(struct check *c,
                                         const json_t *metadata)
{
    struct pool_records *r = arena_alloc(&c->arena, sizeof(*r));
    size_t nholds = json_array_size(json_object_get(metadata, "allocations"))
                    + json_array_size(
                        json_object_get(metadata, "reservations"));
    size_t nshared = json_array_size(json_object_get(metadata, "shared"));

    if (r) {
        r->holds = arena_alloc(&c->arena, (nholds + 1) * sizeof(*r->holds));
        r->whole = arena_alloc(&c->arena, (nholds + 1) * sizeof(*r->whole));
        r->shared = arena_alloc(&c->arena, (nshared + 1) * sizeof(*r->shared));
    }
    if (r && r->holds && r->whole && r->shared)
        return r;
    c->failed = true;
    return NULL;
}

static bool has_records(const json_t *metadata)
{
    static const char *const keys[] = {"allocations", "reservations", "shared",
                                       "listed", "staged"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (json_object_get(metadata, keys[i]))
            return true;
    return false;
}

struct pool_records *check_pool_records(struct check *c, const json_t *metadata,
                                        const struct place *at)
{
    const json_t *staged = json_object_get(metadata, "staged");
    struct pool_records *r;

    if (!has_records(metadata) || !(r = make_records(c, metadata)))
        return NULL;
    for (int kind = 0; kind < CLAIM_KINDS; kind++)
        check_claims(c, metadata, (enum claim_kind)kind, r, at);
    check_shared(c, metadata, r, at);
    check_listed(c, metadata, at);
    if (staged)
        r->staged = check_job(c, staged, IN_KEY(at, "staged"));
    return r;
}

/* --- many records in time ----------------------------------------------- */

static double end_of(const struct hold *hold)
{
    return hold->end < 0 ? INFINITY : hold->end;
}

/* Unset starts are before all others: TIME_UNSET is negative. */
static int compare_starts(const void *a, const void *b)
{
    const struct hold *ha = a, *hb = b;

    if (ha->start != hb->start)
        return ha->start < hb->start ? -1 : 1;
    return (ha->index > hb->index) - (ha->index < hb->index);
}

void holds_sort(struct hold *holds, size_t n)
{
    if (n > 1)
        qsort(holds, n, sizeof(*holds), compare_starts);
}

/* The holds by their ends. */
struct ending {
    double end;
    int64_t size;
};

static int compare_ends(const void *a, const void *b)
{
    const struct ending *ea = a, *eb = b;

    return (ea->end > eb->end) - (ea->end < eb->end);
}

bool holds_overlap(const struct hold *a, const struct hold *b)
{
    return a->start < end_of(b) && b->start < end_of(a);
}

const struct hold *holds_meeting(const struct hold *whole, size_t n,
                                 const struct hold *hold)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (hold->end < 0 || whole[middle].start < hold->end)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo > 0 && holds_overlap(&whole[lo - 1], hold) ? &whole[lo - 1]
                                                         : NULL;
}

/* Each hold is within `size`, so that sums do not overflow. */
static void sweep(const struct hold *holds, const struct ending *ends, size_t n,
                  uint64_t size, struct excess *when)
{
    uint64_t units = 0;
    size_t ended = 0;

    for (size_t i = 0; i < n; i++) {
        while (ends[ended].end <= holds[i].start)
            units -= (uint64_t)ends[ended++].size;
        units += (uint64_t)holds[i].size;
        if (units > size) {
            *when = (struct excess){.hold = &holds[i], .units = units};
            return;
        }
    }
}

int holds_excess(struct hold *holds, size_t n, int64_t size,
                 struct excess *when)
{
    struct ending *ends;

    *when = (struct excess){0};
    for (size_t i = 0; i < n; i++) {
        if (holds[i].size <= size)
            continue;
        *when = (struct excess){.hold = &holds[i],
                                .units = (uint64_t)holds[i].size};
        return 0;
    }
    if (n < 2)
        return 0;
    if (!(ends = xmalloc(n * sizeof(*ends))))
        return -1;
    holds_sort(holds, n);
    for (size_t i = 0; i < n; i++)
        ends[i] = (struct ending){end_of(&holds[i]), holds[i].size};
    qsort(ends, n, sizeof(*ends), compare_ends);
    sweep(holds, ends, n, (uint64_t)size, when);
    free(ends);
    return 0;
}

const char *hold_moment(const struct hold *hold, char buf[48])
{
    buf[0] = '\0';
    if (hold->start >= 0)
        snprintf(buf, 48, " at %.15g", hold->start);
    return buf;
}

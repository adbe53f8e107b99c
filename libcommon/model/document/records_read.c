/*
 * Reading the records in the metadata of a vertex: who holds how much of it,
 * from when to when (RFC 4, Resource Allocation Data).
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/document/graph.h"
#include "model/document/terms.h"

static double read_moment(struct reader *r, const json_t *entry,
                          const char *key, const struct place *at)
{
    const json_t *value = json_object_get(entry, key);
    double time = TIME_UNSET;

    if (value)
        need_time(r, value, &time, IN_KEY(at, key));
    return time;
}

void terms_read(struct reader *r, const json_t *entry, struct claim *claim,
                const struct place *at)
{
    const json_t *owner = json_object_get(entry, "owner");

    claim->owner = owner ? need_job(r, owner, IN_KEY(at, "owner")) : NULL;
    claim->start = read_moment(r, entry, "start", at);
    claim->end = read_moment(r, entry, "end", at);
    if (claim->start >= 0 && claim->end >= 0 && claim->end <= claim->start)
        fault(r, RULE_SPAN, at, "the end %.15g is not after the start %.15g",
              claim->end, claim->start);
}

static int64_t read_units(struct reader *r, const json_t *value,
                          const struct place *at)
{
    if (!value)
        return 1;
    if (json_integer_value(value) >= 1)
        return json_integer_value(value);
    fault(r, RULE_NUMBER, at, "%s: expected a number of units",
          json_quote(value).text);
    return 1;
}

/* True if it was understood. */
static bool read_claim(struct reader *r, const json_t *entry,
                       struct claim *claim, const struct place *at)
{
    size_t before = r->refused;

    if (!need_object(r, entry, at))
        return false;
    claim->job = need_job(r, json_object_get(entry, "job"), IN_KEY(at, "job"));
    claim->size = read_units(r, json_object_get(entry, "size"),
                             IN_KEY(at, "size"));
    terms_read(r, entry, claim, at);
    return r->refused == before;
}

static void read_claims(struct reader *r, struct outer *o, enum claim_kind kind,
                        const json_t *list, const struct place *at)
{
    struct claim **end = json_array_size(list) > 0
                             ? &vertex_records(o->v)->claims
                             : NULL;
    json_t *entry;
    size_t i;

    while (end && *end)
        end = &(*end)->next;
    json_array_foreach (list, i, entry) {
        struct claim claim = {.kind = kind};
        if (!read_claim(r, entry, &claim, IN_LIST(at, i))) {
            o->doubtful = true;
            continue;
        }
        *end = xmalloc(sizeof(claim));
        **end = claim;
        end = &(*end)->next;
    }
}

/* A job, or an object of a job with a number of units. */
static bool read_job(struct reader *r, const json_t *entry, struct claim *claim,
                     const struct place *at)
{
    *claim = (struct claim){.size = 0};
    if (json_is_object(entry))
        return read_claim(r, entry, claim, at);
    return (claim->job = need_job(r, entry, at));
}

static void read_shared(struct reader *r, struct vertex *v, const json_t *list,
                        const struct place *at)
{
    struct joblist **end = NULL;
    struct claim claim;
    json_t *entry;
    size_t i;

    json_array_foreach (list, i, entry) {
        if (!read_job(r, entry, &claim, IN_LIST(at, i)))
            continue;
        if (claim.size > 0)
            fault(r, RULE_SHARED_UNITS, IN_LIST(at, i),
                  "%s: expected a job alone", json_quote(entry).text);
        end = end ? end : &vertex_records(v)->shared;
        joblist_append(end, claim.job, 0);
        end = &(*end)->next;
    }
}

static void read_listed(struct reader *r, struct vertex *v, const json_t *list,
                        const struct place *at)
{
    struct joblist **end = NULL;
    struct claim claim;
    json_t *entry;
    size_t i;

    json_array_foreach (list, i, entry) {
        if (!read_job(r, entry, &claim, IN_LIST(at, i)))
            continue;
        end = end ? end : &vertex_records(v)->listed;
        joblist_append(end, claim.job, claim.size);
        end = &(*end)->next;
    }
}

static void read_staged(struct reader *r, struct vertex *v, const json_t *value,
                        const struct place *at)
{
    const char *job = need_job(r, value, at);

    if (job)
        vertex_records(v)->staged = job;
}

void records_read(struct graph *g, struct outer *o, const char *key,
                  const json_t *value, const struct place *at)
{
    struct reader *r = g->r;
    size_t before = r->refused;

    note_jobs(r, value);
    if (!strcmp(key, "staged"))
        read_staged(r, o->v, value, at);
    else if (!need_list(r, value, at))
        ; /* told */
    else if (!strcmp(key, claim_keys[CLAIM_ALLOCATION]))
        read_claims(r, o, CLAIM_ALLOCATION, value, at);
    else if (!strcmp(key, claim_keys[CLAIM_RESERVATION]))
        read_claims(r, o, CLAIM_RESERVATION, value, at);
    else if (!strcmp(key, "shared"))
        read_shared(r, o->v, value, at);
    else
        read_listed(r, o->v, value, at);
    g->spoilt += r->refused - before;
}

void note_jobs(struct reader *r, const json_t *records)
{
    if (r->faults && (!json_is_array(records) || json_array_size(records) > 0))
        r->faults->jobs = true;
}

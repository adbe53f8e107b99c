/* Reads the records in the metadata of a vertex: which job holds how many
   units, and when (RFC 4, Resource Allocation Data). */
#include <string.h>

#include "base/json.h"
#include "model/document/graph.h"
#include "model/records/usage.h"

static int64_t read_number(struct reader *r, const json_t *value, int64_t most,
                           const char *what, const struct place *at)
{
    if (!value)
        return 1;
    if (json_integer_value(value) >= 1 && json_integer_value(value) <= most)
        return json_integer_value(value);
    fault(r, RULE_NUMBER, at, "%s: expected a number of %s",
          json_quote(value).text, what);
    return 1;
}

struct term term_read(struct reader *r, const json_t *entry,
                      const struct place *at)
{
    const json_t *owner = json_object_get(entry, "owner");
    const json_t *queue = json_object_get(entry, "queue");
    const json_t *nslots = json_object_get(entry, "nslots");
    const json_t *start = json_object_get(entry, "start");
    const json_t *end = json_object_get(entry, "end");
    struct term t = {.start = TIME_UNSET, .end = TIME_UNSET};
    const char *text;

    if (owner)
        t.owner = need_job(r, owner, IN_KEY(at, "owner"));
    if (queue && (text = need_string(r, queue, IN_KEY(at, "queue"))))
        t.queue = map_intern(&r->jobs, text, strlen(text));
    if (start)
        need_time(r, start, &t.start, IN_KEY(at, "start"));
    if (end)
        need_time(r, end, &t.end, IN_KEY(at, "end"));
    if (nslots)
        t.nslots = (uint32_t)read_number(r, nslots, UINT32_MAX, "slots",
                                         IN_KEY(at, "nslots"));
    if (t.start >= 0 && t.end >= 0 && t.end <= t.start)
        fault(r, RULE_SPAN, at, "the end %.15g is not after the start %.15g",
              t.end, t.start);
    return t;
}

static void read_record(struct graph *g, struct outer *o, const json_t *entry,
                        enum grant_kind kind, bool reserved,
                        const struct place *at)
{
    static const char *const known[] = {"job",   "size",  "start",  "end",
                                        "owner", "queue", "nslots", NULL};
    struct reader *r = g->r;
    struct usage *u = usage_get(r->rs);
    struct term like = {.start = TIME_UNSET, .end = TIME_UNSET}, *term = NULL;
    const json_t *size = json_object_get(entry, "size");
    size_t before = r->refused;
    const char *name = NULL;
    int64_t units = 0;
    struct job *job;

    if (kind != GRANT_CLAIM && !json_is_object(entry)) {
        name = need_job(r, entry, at);
    } else if (need_object(r, entry, at)) {
        name = need_job(r, json_object_get(entry, "job"),
                        IN_OBJECT(at, entry, "job"));
        report_typos(r, entry, known, at);
        if (kind != GRANT_SHARE)
            units = read_number(r, size, INT64_MAX, "units",
                                IN_KEY(at, "size"));
        like = term_read(r, entry, at);
        if (r->refused > before)
            name = NULL;
        if (kind == GRANT_SHARE && (size || !term_has_times(&like)))
            fault_value(r, RULE_SHARED_UNITS, at, entry,
                        "expected a job, alone or with a start or an end");
    }
    o->doubtful |= kind == GRANT_CLAIM && !name;
    if (!name)
        return;
    job = job_get(u, name);
    like.reserved = reserved;
    if (kind == GRANT_CLAIM)
        term = job_term(u, job, &like);
    else if (kind == GRANT_SHARE)
        term = job_share_term(u, job, &like);
    grant_add(u, job, vertex_lot(r->rs, o->v), kind, term, units);
}

void records_read(struct graph *g, struct outer *o, const json_t *value,
                  const struct place *at)
{
    struct reader *r = g->r;
    const char *key = at->key;
    size_t before = r->refused, i;
    enum grant_kind kind = !strcmp(key, "shared")   ? GRANT_SHARE
                           : !strcmp(key, "listed") ? GRANT_LISTED
                                                    : GRANT_CLAIM;
    json_t *entry;

    /* tell the validation that there are records, even faulty ones */
    if (r->faults && (!json_is_array(value) || json_array_size(value) > 0))
        r->faults->jobs = true;
    if (!strcmp(key, "staged"))
        read_record(g, o, value, GRANT_STAGED, false, at);
    else if (need_list(r, value, at))
        json_array_foreach (value, i, entry)
            read_record(g, o, entry, kind, !strcmp(key, claim_keys[true]),
                        IN_LIST(at, i));
    g->spoilt += r->refused - before;
}

/*
 * Records to and from the metadata of a vertex.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "model/records.h"

json_t *time_to_json(double value)
{
    bool fits = value >= -0x1p63 && value < 0x1p63;

    return fits && value == (double)(int64_t)value
               ? json_integer((json_int_t)value)
               : json_real(value);
}

bool records_key(const char *key)
{
    static const char *const keys[] = {"allocations", "reservations", "shared",
                                       "listed", "staged"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

static int time_from_json(const json_t *entry, const char *key, double *out,
                          struct diag *d)
{
    const json_t *value = json_object_get(entry, key);

    *out = TIME_UNSET;
    if (!value)
        return 0;
    if (!json_is_number(value) || json_number_value(value) < 0) {
        diag_set(d, "%s: expected seconds since the Epoch",
                 json_quote(value).text);
        return diag_in(d, "%s", key);
    }
    *out = json_number_value(value) + 0.0; /* not -0.0 */
    return 0;
}

/* An owner is a name or a number, as a job is. */
static int owner_from_json(struct strtab *names, const json_t *entry,
                           const char **owner, struct diag *d)
{
    const json_t *value = json_object_get(entry, "owner");

    *owner = NULL;
    if (!value || (*owner = job_from_json(names, value, d)))
        return 0;
    return diag_in(d, "owner");
}

int claim_terms_from_json(struct strtab *names, struct claim *claim,
                          const json_t *entry, struct diag *d)
{
    if (owner_from_json(names, entry, &claim->owner, d) < 0
        || time_from_json(entry, "start", &claim->start, d) < 0
        || time_from_json(entry, "end", &claim->end, d) < 0)
        return -1;
    if (claim->start >= 0 && claim->end >= 0 && claim->end <= claim->start)
        return diag_set(d, "the end %.15g is not after the start %.15g",
                        claim->end, claim->start);
    return 0;
}

static int claim_from_json(struct strtab *names, const json_t *entry,
                           struct claim *claim, struct diag *d)
{
    const json_t *size = json_object_get(entry, "size");

    if (!json_is_object(entry))
        return diag_set(d, "%s: expected an object", json_quote(entry).text);
    if (!(claim->job = job_from_json(names, json_object_get(entry, "job"), d)))
        return diag_in(d, "job");
    claim->size = size ? json_integer_value(size) : 1;
    if (claim->size < 1) {
        diag_set(d, "%s: expected a number of units", json_quote(size).text);
        return diag_in(d, "size");
    }
    return claim_terms_from_json(names, claim, entry, d);
}

static int claims_from_json(struct strtab *names, const json_t *list,
                            enum claim_kind kind, struct records *rec,
                            struct diag *d)
{
    struct claim claim = {.kind = kind};
    const json_t *entry;
    size_t i;

    if (!json_is_array(list))
        return diag_set(d, "%s: expected an array", json_quote(list).text);
    json_array_foreach (list, i, entry) {
        if (claim_from_json(names, entry, &claim, d) < 0)
            return diag_in(d, "[%zu]", i);
        if (records_claim(rec, &claim) < 0)
            return diag_oom(d);
    }
    return 0;
}

/* A job, or (in `listed`) an object of a job with a number of units. */
static int job_entry_from_json(struct strtab *names, const json_t *entry,
                               struct joblist **out, struct diag *d)
{
    struct claim claim = {.size = 0};

    if (json_is_object(entry)) {
        if (claim_from_json(names, entry, &claim, d) < 0)
            return -1;
    } else if (!(claim.job = job_from_json(names, entry, d))) {
        return -1;
    }
    return joblist_append(out, claim.job, claim.size) < 0 ? diag_oom(d) : 0;
}

static int joblist_from_json(struct strtab *names, const json_t *list,
                             struct joblist **out, struct diag *d)
{
    const json_t *entry;
    size_t i;

    if (!json_is_array(list))
        return diag_set(d, "%s: expected an array", json_quote(list).text);
    json_array_foreach (list, i, entry) {
        if (job_entry_from_json(names, entry, out, d) < 0)
            return diag_in(d, "[%zu]", i);
        out = &(*out)->next;
    }
    return 0;
}

static int read_key(struct strtab *names, const char *key, const json_t *value,
                    struct records *rec, struct diag *d)
{
    if (!strcmp(key, "allocations"))
        return claims_from_json(names, value, CLAIM_ALLOCATION, rec, d);
    if (!strcmp(key, "reservations"))
        return claims_from_json(names, value, CLAIM_RESERVATION, rec, d);
    if (!strcmp(key, "shared")) {
        if (joblist_from_json(names, value, &rec->shared, d) < 0)
            return -1;
        for (const struct joblist *j = rec->shared; j; j = j->next)
            if (j->size)
                return diag_set(d, "job %s: sharing has no size", j->job);
        return 0;
    }
    if (!strcmp(key, "listed"))
        return joblist_from_json(names, value, &rec->listed, d);
    rec->staged = job_from_json(names, value, d);
    return rec->staged ? 0 : -1;
}

int records_from_json(struct strtab *names, const json_t *metadata,
                      struct records **out, struct diag *d)
{
    struct records *rec = NULL;
    const char *key;
    json_t *value;

    *out = NULL;
    json_object_foreach ((json_t *)metadata, key, value) {
        if (!records_key(key))
            continue;
        if (!rec && !(rec = records_create()))
            return diag_oom(d);
        if (read_key(names, key, value, rec, d) < 0) {
            records_destroy(rec);
            return diag_in(d, "%s", key);
        }
    }
    if (rec && records_empty(rec)) {
        records_destroy(rec);
        rec = NULL;
    }
    *out = rec;
    return 0;
}

static void write_job(const char *job, FILE *fp)
{
    int64_t number;

    if (job_is_number(job, &number))
        fputs(job, fp);
    else
        json_write_string(fp, job);
}

static void write_time(FILE *fp, const char *key, double value)
{
    if (value < 0)
        return;
    fprintf(fp, ",\"%s\":", key);
    if (value == floor(value) && value < 1e15)
        fprintf(fp, "%.0f", value);
    else
        json_write_real(fp, value);
}

static void write_claims(const struct records *rec, enum claim_kind kind,
                         FILE *fp)
{
    const char *sep = "";

    for (const struct claim *c = rec->claims; c; c = c->next) {
        if (c->kind != kind)
            continue;
        if (!*sep)
            fprintf(fp, ",\"%s\":[", claim_keys[kind]);
        fprintf(fp, "%s{\"job\":", sep);
        write_job(c->job, fp);
        fprintf(fp, ",\"size\":%lld", (long long)c->size);
        if (c->owner) {
            fputs(",\"owner\":", fp);
            write_job(c->owner, fp);
        }
        write_time(fp, "start", c->start);
        write_time(fp, "end", c->end);
        putc('}', fp);
        sep = ",";
    }
    if (*sep)
        putc(']', fp);
}

static void write_joblist(const struct joblist *list, const char *key, FILE *fp)
{
    if (!list)
        return;
    fprintf(fp, ",\"%s\":[", key);
    for (; list; list = list->next) {
        if (list->size > 0)
            fputs("{\"job\":", fp);
        write_job(list->job, fp);
        if (list->size > 0)
            fprintf(fp, ",\"size\":%lld}", (long long)list->size);
        if (list->next)
            putc(',', fp);
    }
    putc(']', fp);
}

void records_write(const struct records *rec, FILE *fp)
{
    if (!rec)
        return;
    if (rec->staged) {
        fputs(",\"staged\":", fp);
        write_job(rec->staged, fp);
    }
    write_claims(rec, CLAIM_ALLOCATION, fp);
    write_claims(rec, CLAIM_RESERVATION, fp);
    write_joblist(rec->shared, "shared", fp);
    write_joblist(rec->listed, "listed", fp);
}

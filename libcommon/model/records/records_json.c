/*
 * Writing the records of a vertex into its metadata.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "model/records/records.h"

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

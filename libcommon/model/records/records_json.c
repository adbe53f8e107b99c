/* Writes the records of a pool into its metadata. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "model/records/job_list.h"
#include "model/records/lots.h"

const char *const claim_keys[2] = {"allocations", "reservations"};

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
    if (value == floor(value) && value < 0x1p63)
        fprintf(fp, "%lld", (long long)value);
    else
        json_write_real(fp, value);
}

void term_write(const struct term *t, FILE *fp)
{
    if (t->owner) {
        fputs(",\"owner\":", fp);
        write_job(t->owner, fp);
    }
    if (t->queue) {
        fputs(",\"queue\":", fp);
        json_write_string(fp, t->queue);
    }
    write_time(fp, "start", t->start);
    write_time(fp, "end", t->end);
    if (t->nslots)
        fprintf(fp, ",\"nslots\":%" PRIu32, t->nslots);
}

static void write_claims(const struct lot *lot, bool reserved, FILE *fp)
{
    const char *sep = "";

    for (const struct grant *g = lot->grants; g; g = g->beside) {
        if (g->term->kind != GRANT_CLAIM || g->term->reserved != reserved)
            continue;
        if (!*sep)
            fprintf(fp, ",\"%s\":[", claim_keys[reserved]);
        fprintf(fp, "%s{\"job\":", sep);
        write_job(g->term->job->name, fp);
        fprintf(fp, ",\"size\":%lld", (long long)g->units);
        term_write(g->term, fp);
        putc('}', fp);
        sep = ",";
    }
    if (*sep)
        putc(']', fp);
}

static int compare_times(const struct term *a, const struct term *b)
{
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Return the next times, after `last`, for which a job shares a lot itself.
   NULL if there are no more, or if it also shares it without times. */
static const struct term *next_share(const struct job *job,
                                     const struct lot *lot,
                                     const struct term *last)
{
    const struct term *next = NULL, *t = job->nshared ? job->terms : NULL;

    for (; t; t = t->next) {
        if (t->kind != GRANT_SHARE || !grant_of_term(lot, t))
            continue;
        if (!term_has_times(t))
            return NULL;
        if ((!last || compare_times(t, last) > 0)
            && (!next || compare_times(t, next) < 0))
            next = t;
    }
    return next;
}

/* A job that shares without times is written as its name, otherwise as
   objects. */
static void write_sharers(struct usage *u, struct lot *lot, FILE *fp)
{
    struct job_list jobs = lot_sharers(u, lot);

    for (size_t i = 0; i < jobs.n; i++) {
        const struct job *job = jobs.list[i];
        const struct term *t = next_share(job, lot, NULL);
        fputs(i ? "," : ",\"shared\":[", fp);
        if (!t)
            write_job(job->name, fp);
        while (t) {
            fputs("{\"job\":", fp);
            write_job(job->name, fp);
            term_write(t, fp);
            putc('}', fp);
            if ((t = next_share(job, lot, t)))
                putc(',', fp);
        }
    }
    if (jobs.n)
        putc(']', fp);
    free(jobs.list);
}

static void write_listed(const struct lot *lot, FILE *fp)
{
    const char *sep = "";

    for (const struct grant *g = lot->grants; g; g = g->beside) {
        if (g->term->kind != GRANT_LISTED)
            continue;
        fputs(*sep ? sep : ",\"listed\":[", fp);
        if (g->units > 0)
            fputs("{\"job\":", fp);
        write_job(g->term->job->name, fp);
        if (g->units > 0)
            fprintf(fp, ",\"size\":%lld}", (long long)g->units);
        sep = ",";
    }
    if (*sep)
        putc(']', fp);
}

void records_write(struct usage *u, struct lot *lot, FILE *fp)
{
    const struct job *staged = lot_staged(lot);

    if (staged) {
        fputs(",\"staged\":", fp);
        write_job(staged->name, fp);
    }
    write_claims(lot, false, fp);
    write_claims(lot, true, fp);
    write_sharers(u, lot, fp);
    write_listed(lot, fp);
}

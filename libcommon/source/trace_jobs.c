/*
 * Traces of Flux and Slurm (trace.h). A job that has not run, or has not ended,
 * is skipped. Slurm's steps are no jobs.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/time.h"
#include "source/slurm_private.h"
#include "source/trace_private.h"

/* --- JSON ----------------------------------------------------------------- */

/* Return a number of seconds; -1 if there is none. */
static double seconds_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value)
                                 : (double)slurm_number(object, key);
}

/* Return a count; 0 if there is none, or it is beyond all machines. */
static uint32_t count_of(const json_t *object, const char *key)
{
    int64_t n = slurm_number(object, key);

    return n > 0 && n <= TRACE_CORES_MAX ? (uint32_t)n : 0;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = slurm_text(object, key);

    return text && *text ? text : NULL;
}

static const char *id_text(const json_t *object, const char *key, char buf[32])
{
    const char *text = slurm_text(object, key);

    if (text)
        return text;
    snprintf(buf, 32, "%lld", (long long)slurm_number(object, key));
    return buf;
}

static int add_flux(struct trace *t, const json_t *job, struct diag *d)
{
    double start = seconds_of(job, "t_run"), end = seconds_of(job, "t_cleanup");
    char id[32], owner[32];
    struct trace_job j = {.name = id_text(job, "id", id),
                          .submitted = seconds_of(job, "t_submit"),
                          .limit = fmax(seconds_of(job, "duration"), 0),
                          .cores = count_of(job, "ncores"),
                          .nodes = count_of(job, "nnodes"),
                          .owner = text_of(job, "username"),
                          .queue = text_of(job, "queue")};

    if (!j.owner && json_object_get(job, "userid"))
        j.owner = id_text(job, "userid", owner);
    if (end < 0)
        end = seconds_of(job, "t_inactive");
    if (start < 0 || end < start) {
        t->skipped[TRACE_UNFINISHED]++;
        return 0;
    }
    j.run = end - start;
    return trace_add(t, &j, d);
}

/* Return the count of a type in a list of Slurm's TRES. */
static uint32_t tres_of(const json_t *list, const char *type)
{
    const json_t *one;
    size_t i;

    json_array_foreach (list, i, one)
        if (text_of(one, "type") && !strcmp(text_of(one, "type"), type))
            return count_of(one, "count");
    return 0;
}

static int add_slurm(struct trace *t, const json_t *job, struct diag *d)
{
    const json_t *time = json_object_get(job, "time"),
                 *tres = json_object_get(job, "tres"),
                 *array = json_object_get(job, "array"),
                 *had = json_object_get(tres, "allocated");
    double start = seconds_of(time, "start"), end = seconds_of(time, "end"),
           minutes = seconds_of(time, "limit");
    int64_t task = slurm_number(array, "task_id");
    char id[32], name[80];
    struct trace_job j = {.name = id_text(job, "job_id", id),
                          .submitted = seconds_of(time, "submission"),
                          .run = seconds_of(time, "elapsed"),
                          .limit = minutes > 0 ? 60 * minutes : 0,
                          .owner = text_of(job, "user"),
                          .part = text_of(job, "partition")};

    if (slurm_number(array, "job_id") > 0 && task >= 0) {
        snprintf(name, sizeof(name), "%lld_%lld",
                 (long long)slurm_number(array, "job_id"), (long long)task);
        j.name = name;
    }
    if (json_array_size(had) == 0)
        had = json_object_get(tres, "requested");
    j.cores = tres_of(had, "cpu");
    j.nodes = tres_of(had, "node");
    if (start <= 0 || end < start) {
        t->skipped[TRACE_UNFINISHED]++;
        return 0;
    }
    if (j.run < 0)
        j.run = end - start;
    return trace_add(t, &j, d);
}

int trace_read_json(struct trace *t, const char *text, size_t len,
                    enum trace_kind kind, struct diag *d)
{
    json_t *root = json_read(text, len, false, d), *one;
    json_t *jobs = json_is_array(root) ? root : json_object_get(root, "jobs");
    size_t i;
    int rc = root ? 0 : -1;

    if (root && !json_is_array(jobs))
        rc = diag_set(d, "\"jobs\" is expected, as flux jobs -a --json and "
                         "sacct --json write it");
    for (i = 0; rc == 0 && i < json_array_size(jobs); i++) {
        one = json_array_get(jobs, i);
        if (kind == TRACE_ANY)
            kind = json_object_get(one, "t_submit") ? TRACE_FLUX
                   : json_object_get(one, "time")   ? TRACE_SACCT
                                                    : TRACE_ANY;
        rc = kind == TRACE_FLUX    ? add_flux(t, one, d)
             : kind == TRACE_SACCT ? add_slurm(t, one, d)
                                   : diag_set(d, "neither t_submit, as in jobs "
                                                 "of Flux, nor time, as in "
                                                 "jobs of sacct");
        if (rc < 0)
            diag_in(d, "jobs[%zu]", i);
    }
    json_decref(root);
    return rc;
}

/* --- sacct --parsable2 ---------------------------------------------------- */

/* The values of a line; -1: it lacks this one. */
struct row {
    struct trace_job job;
    double start, end;
};

/* Readers of cells. They leave the value alone if Slurm says that there is
   none. */

static int read_name(const char *text, int unit, void *to, struct diag *d)
{
    (void)unit, (void)d;
    if (*text)
        *(const char **)to = text;
    return 0;
}

static int read_time(const char *text, int unit, void *to, struct diag *d)
{
    (void)unit;
    if (!*text || !strcmp(text, "Unknown") || !strcmp(text, "None")
        || !strcmp(text, "N/A"))
        return 0;
    return time_parse(text, 0, to, d);
}

static int read_span(const char *text, int unit, void *to, struct diag *d)
{
    const char *colon = strchr(text, ':');

    if (!*text || !strcmp(text, "UNLIMITED") || !strcmp(text, "Partition_Limit")
        || !strcmp(text, "INVALID") || !strcmp(text, "N/A"))
        return 0;
    if (colon && !strchr(colon + 1, ':') && !strchr(text, '-')) {
        char clock[64]; /* sacct's MM:SS */
        snprintf(clock, sizeof(clock), "00:%s", text);
        return duration_parse(clock, unit, to, d);
    }
    return duration_parse(text, unit, to, d);
}

static int read_job_size(const char *text, int unit, void *to, struct diag *d)
{
    char *end;
    long long n = strtoll(text, &end, 10);

    (void)unit;
    if (*text && (*end || end == text || n < 0 || n > TRACE_CORES_MAX))
        return diag_set(d, "%s is no size of a job", quote_all(text).text);
    if (n > 0)
        *(uint32_t *)to = (uint32_t)n;
    return 0;
}

/* The columns that are used. Of two columns for one value, the later one here
   counts: what was given, and not what was asked for. */
#define AT(member) offsetof(struct row, member)
static const struct {
    const char *name, *other; /* the first that is there is used */
    int (*read)(const char *text, int unit, void *to, struct diag *d);
    size_t at;
    int unit; /* of a span; 0: it is none */
} columns[] = {
    {"JobID", "JobIDRaw", read_name, AT(job.name), 0},
    {"User", "UID", read_name, AT(job.owner), 0},
    {"Partition", NULL, read_name, AT(job.part), 0},
    {"Submit", NULL, read_time, AT(job.submitted), 0},
    {"Start", NULL, read_time, AT(start), 0},
    {"End", NULL, read_time, AT(end), 0},
    {"Elapsed", NULL, read_span, AT(job.run), DURATION_SECONDS},
    {"ElapsedRaw", NULL, read_span, AT(job.run), DURATION_SECONDS},
    {"Timelimit", NULL, read_span, AT(job.limit), DURATION_SECONDS},
    {"TimelimitRaw", NULL, read_span, AT(job.limit), DURATION_MINUTES},
    {"ReqCPUS", NULL, read_job_size, AT(job.cores), 0},
    {"AllocCPUS", "NCPUS", read_job_size, AT(job.cores), 0},
    {"ReqNodes", NULL, read_job_size, AT(job.nodes), 0},
    {"AllocNodes", "NNodes", read_job_size, AT(job.nodes), 0},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

/* Is there a column for a member of struct row? */
static bool is_there(const struct trace_columns *c, size_t member)
{
    return VECTOR_FIND(k, COLUMNS, columns[k].at == member && c->at[k] >= 0)
           < COLUMNS;
}

int trace_read_header(struct trace_columns *c, const char *line, struct diag *d)
{
    int n = 0;

    for (int k = 0; k < COLUMNS; k++)
        c->at[k] = -1;
    for (const char *at = line;; at++, n++) {
        size_t len = strcspn(at, "|");
        for (int k = 0; k < COLUMNS; k++)
            if (c->at[k] < 0
                && (word_is(at, len, columns[k].name)
                    || (columns[k].other
                        && word_is(at, len, columns[k].other))))
                c->at[k] = n;
        at += len;
        if (!*at)
            break;
    }
    if (!is_there(c, AT(job.name)) || !is_there(c, AT(job.submitted)))
        return diag_set(d, "the names of columns are expected, among them "
                           "JobID and Submit");
    if (!is_there(c, AT(job.run))
        && (!is_there(c, AT(start)) || !is_there(c, AT(end))))
        return diag_set(d, "no column has the run times: Start and End, "
                           "Elapsed or ElapsedRaw");
    if (!is_there(c, AT(job.cores)) && !is_there(c, AT(job.nodes)))
        return diag_set(d, "no column has the sizes: NCPUS, AllocCPUS, "
                           "ReqCPUS, NNodes, AllocNodes or ReqNodes");
    return 0;
}

int trace_read_row(struct trace *t, const struct trace_columns *c,
                   const char *line, struct diag *d)
{
    struct row row = {
        .job = {.name = "", .submitted = -1, .run = -1, .limit = -1},
        .start = -1,
        .end = -1};
    char *text = xstrdup(line), *cells[64];
    struct diag fault;
    int n = 0, rc = 0;

    for (char *at = text; at && n < 64; n++) {
        cells[n] = at;
        if ((at = strchr(at, '|')))
            *at++ = '\0';
    }
    for (int k = 0; k < COLUMNS && rc == 0; k++) {
        if (c->at[k] >= n) {
            rc = diag_set(d, "the line has %d columns, and the first line more",
                          n);
        } else if (c->at[k] >= 0
                   && (rc = columns[k].read(cells[c->at[k]], columns[k].unit,
                                            (char *)&row + columns[k].at,
                                            &fault))
                          < 0) {
            diag_set(d, "%s: %s", columns[k].name, fault.text);
        }
    }
    if (rc == 0 && strchr(row.job.name, '.')) {
        t->skipped[TRACE_PART]++; /* a step */
    } else if (rc == 0
               && ((is_there(c, AT(start)) && row.start < 0)
                   || (is_there(c, AT(end)) && row.end < 0))) {
        t->skipped[TRACE_UNFINISHED]++;
    } else if (rc == 0) {
        if (row.job.run < 0 && row.start >= 0 && row.end >= row.start)
            row.job.run = row.end - row.start;
        row.job.limit = fmax(row.job.limit, 0);
        rc = trace_add(t, &row.job, d);
    }
    free(text);
    return rc;
}

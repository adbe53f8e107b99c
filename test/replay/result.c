/* The schedule as a trace, and its figures as a table and as JSON. */
#include "replay.h"

#include <math.h>
#include <stdlib.h>

void result_trace(const struct trace *t, FILE *fp)
{
    for (size_t i = 0; i < t->n; i++)
        for (int k = 0; k < FIELDS; k++)
            fprintf(fp, "%.15g%c", t->job[i].field[k],
                    k + 1 < FIELDS ? ' ' : '\n');
}

/* --- figures -------------------------------------------------------------- */

/* How a value is spread over the jobs. 95 of 100 jobs have at most p95. */
struct spread {
    double mean, median, p95, most;
};

struct figures {
    double makespan;    /* from the first submission to the last end */
    double utilisation; /* part of the machine's time that jobs have used */
    struct spread wait, slowdown;
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Return the smallest value that `part` of the sorted values do not exceed. */
static double quantile(const double *value, size_t n, double part)
{
    size_t rank = (size_t)ceil(part * (double)n);

    return value[rank > 0 ? rank - 1 : 0];
}

/* Sorts the values. */
static struct spread spread_of(double *value, size_t n)
{
    double sum = 0;

    qsort(value, n, sizeof(*value), compare);
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    return (struct spread){sum / (double)n, quantile(value, n, 0.5),
                           quantile(value, n, 0.95), value[n - 1]};
}

/* Return how much longer the job took because it waited. A job of less than
   ten seconds counts as one of ten. */
static double bounded_slowdown(const struct job *j)
{
    double wait = j->field[WAIT], run = j->field[RUN];

    return fmax(1, (wait + run) / fmax(run, 10));
}

static struct figures figures_of(const struct trace *t, const struct machine *m)
{
    double *value = malloc(t->n * sizeof(*value)), used = 0, last = 0;
    struct figures f;

    if (!value)
        abort();
    for (size_t i = 0; i < t->n; i++) {
        const struct job *j = &t->job[i];

        value[i] = j->field[WAIT];
        used += j->field[PROCESSORS] * j->field[RUN];
        last = fmax(last, job_end(j));
    }
    f.makespan = last - t->job[0].field[SUBMIT];
    f.utilisation = f.makespan > 0 ? used / f.makespan / (double)m->nodes
                                         / (double)m->cores
                                   : 0;
    f.wait = spread_of(value, t->n);
    for (size_t i = 0; i < t->n; i++)
        value[i] = bounded_slowdown(&t->job[i]);
    f.slowdown = spread_of(value, t->n);
    free(value);
    return f;
}

/* --- forms ---------------------------------------------------------------- */

static void table_row(FILE *fp, const char *name, const struct spread *s)
{
    fprintf(fp, "%-12s  %10.2f  %10.2f  %10.2f  %10.2f\n", name, s->mean,
            s->median, s->p95, s->most);
}

void result_table(const struct trace *t, const struct machine *m, FILE *fp)
{
    struct figures f = figures_of(t, m);

    fprintf(fp, "machine       nodes %ld, cores of each %ld\n", m->nodes,
            m->cores);
    fprintf(fp, "policy        %s\n", m->policy);
    fprintf(fp, "jobs          %zu\n", t->n);
    fprintf(fp,
            "skipped       larger than the machine %zu, incomplete %zu, "
            "parts of jobs %zu\n",
            t->larger, t->incomplete, t->parts);
    fprintf(fp, "makespan      %.15g s\n", f.makespan);
    fprintf(fp, "utilisation   %.2f %%\n\n", 100 * f.utilisation);
    fprintf(fp, "%-12s  %10s  %10s  %10s  %10s\n", "", "mean", "median", "95 %",
            "most");
    table_row(fp, "wait, s", &f.wait);
    table_row(fp, "slowdown", &f.slowdown);
}

static void json_spread(FILE *fp, const char *name, const struct spread *s)
{
    fprintf(fp,
            ",\"%s\":{\"mean\":%.15g,\"median\":%.15g,\"p95\":%.15g,"
            "\"most\":%.15g}",
            name, s->mean, s->median, s->p95, s->most);
}

void result_json(const struct trace *t, const struct machine *m, FILE *fp)
{
    struct figures f = figures_of(t, m);

    fprintf(fp,
            "{\"nodes\":%ld,\"cores\":%ld,\"policy\":\"%s\",\"jobs\":%zu,"
            "\"skipped\":{\"larger\":%zu,\"incomplete\":%zu,\"parts\":%zu},"
            "\"makespan\":%.15g,\"utilisation\":%.15g",
            m->nodes, m->cores, m->policy, t->n, t->larger, t->incomplete,
            t->parts, f.makespan, f.utilisation);
    json_spread(fp, "wait", &f.wait);
    json_spread(fp, "slowdown", &f.slowdown);
    fputs("}\n", fp);
}

/* Figures of all jobs, and of groups of them (figures.h). */
#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/time.h"

/* --- spreads -------------------------------------------------------------- */

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

    if (n == 0)
        return (struct spread){0};
    VECTOR_SORT(value, n, compare_doubles);
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    return (struct spread){sum / (double)n, quantile(value, n, 0.5),
                           quantile(value, n, 0.95), value[n - 1]};
}

double slowdown_of(const struct simulation *s, size_t job, double bound)
{
    double run = s->trace->jobs[job].run;

    return fmax(1, (job_wait(s, job) + run) / fmax(run, bound));
}

/* --- figures -------------------------------------------------------------- */

static bool has_ended(const struct simulation *s, size_t i)
{
    return s->jobs[i].start >= 0 && s->jobs[i].end <= s->now;
}

static struct figures figures_for(const struct simulation *s,
                                  const size_t *jobs, size_t n, double bound)
{
    double *value = xcalloc(n + 1, sizeof(*value)), used = 0,
           whole = (double)s->capacity * (s->now - s->first);
    struct figures f = {.jobs = n, .makespan = s->now - s->first};

    for (size_t i = 0; i < n; i++) {
        value[i] = job_wait(s, jobs[i]);
        used += s->jobs[jobs[i]].cores * s->trace->jobs[jobs[i]].run;
    }
    f.wait = spread_of(value, n);
    for (size_t i = 0; i < n; i++)
        value[i] = job_wait(s, jobs[i]) + s->trace->jobs[jobs[i]].run;
    f.turnaround = spread_of(value, n);
    for (size_t i = 0; i < n; i++)
        value[i] = slowdown_of(s, jobs[i], bound);
    f.slowdown = spread_of(value, n);
    if (whole > 0) {
        f.utilisation = used / whole;
        f.loss = s->lost / whole;
    }
    free(value);
    return f;
}

struct figures figures_of(const struct simulation *s, double bound)
{
    size_t *jobs = xcalloc(s->trace->n + 1, sizeof(*jobs)), n = 0;
    struct figures f;

    for (size_t i = 0; i < s->trace->n; i++)
        if (has_ended(s, i))
            jobs[n++] = i;
    f = figures_for(s, jobs, n, bound);
    if (s->capacity > 0 && f.makespan > 0)
        f.utilisation = s->used / (double)s->capacity / f.makespan;
    free(jobs);
    return f;
}

/* --- groups --------------------------------------------------------------- */

const char *const group_key_names[] = {"", "queue", "owner", "size", "day"};

enum group_key group_key_of(const char *name, struct diag *d)
{
    int i = word_index(name, group_key_names + 1, GROUP_KEYS - 1, d);

    return i < 0 ? GROUP_KEYS : (enum group_key)(i + 1);
}

void alloc_each_group_key(word_fn *next, void *arg)
{
    for (int i = GROUP_NONE + 1; i < GROUP_KEYS; i++)
        next(arg, group_key_names[i]);
}

/* Return the name of a job's group; buf may have it. */
static const char *group_name(const struct simulation *s, size_t i,
                              enum group_key key, char buf[TIME_TEXT])
{
    const struct trace_job *job = &s->trace->jobs[i];
    const char *name = NULL;
    uint32_t least = 1;

    switch (key) {
    case GROUP_QUEUE:
        name = job->queue ? job->queue : job->part;
        break;
    case GROUP_OWNER:
        name = job->owner;
        break;
    case GROUP_DAY:
        time_text(job->submitted, buf);
        buf[strcspn(buf, "T")] = '\0';
        return buf;
    default:
        while (least <= s->jobs[i].cores / 2)
            least *= 2;
        if (least == 1)
            return "1";
        snprintf(buf, TIME_TEXT, "%u-%u", least, least + (least - 1));
        return buf;
    }
    return name ? name : "-";
}

/* Compare jobs by their groups: numbers by value, then names. */
static int compare_by_group(const void *a, const void *b, void *arg)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const char *const *names = arg;
    unsigned long long m = strtoull(names[x], NULL, 10),
                       n = strtoull(names[y], NULL, 10);
    int order = m != n ? COMPARE(m, n) : strcmp(names[x], names[y]);

    return order ? order : COMPARE(x, y);
}

void groups_each(const struct simulation *s, enum group_key key, double bound,
                 group_fn *next, void *arg)
{
    struct map known = {0};
    const char **names = xcalloc(s->trace->n + 1, sizeof(*names));
    size_t *jobs = xcalloc(s->trace->n + 1, sizeof(*jobs)), n = 0;
    char buf[TIME_TEXT];

    for (size_t i = 0; i < s->trace->n; i++) {
        const char *name;
        if (!has_ended(s, i))
            continue;
        name = group_name(s, i, key, buf);
        names[i] = map_intern(&known, name, strlen(name));
        jobs[n++] = i;
    }
    qsort_r(jobs, n, sizeof(*jobs), compare_by_group, names);
    for (size_t i = 0, end; i < n; i = end) {
        struct figures f;
        for (end = i; end < n && names[jobs[end]] == names[jobs[i]]; end++)
            ;
        f = figures_for(s, &jobs[i], end - i, bound);
        next(names[jobs[i]], &f, arg);
    }
    free(names);
    free(jobs);
    map_fini(&known);
}

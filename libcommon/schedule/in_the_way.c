/* Names the jobs that are in the way of a plan (plan.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "model/records/job_list.h"
#include "schedule/plan.h"

/* Jobs that hold resources which another job asks for. */
struct in_the_way {
    struct job_list endless, later; /* jobs without an end, and with one */
    double end;                     /* the last of these ends */
    const char *but;                /* the job that asks for them, not listed */
};

static void add_job_in_the_way(struct in_the_way *to, const struct term *t)
{
    if (!strcmp(t->job->name, to->but))
        return;
    job_list_add(t->end >= 0 ? &to->later : &to->endless, t->job);
    to->end = t->end > to->end ? t->end : to->end;
}

/* Add jobs that hold anything in a lot, or the whole of a pool around it. */
static void add_in_the_way(struct in_the_way *to, struct usage *u,
                           struct lot *lot, const struct period *when)
{
    for (struct lot *up = lot->parent; up; up = up->parent)
        for (const struct grant *g = up->grants; g; g = g->beside)
            if (grant_is_whole(g) && term_during(g->term, when))
                add_job_in_the_way(to, g->term);
    for (struct lot *in = lot; in; in = lot_next_recorded(u, lot, in)) {
        lot_load(u, in);
        for (const struct grant *g = in->grants; g; g = g->beside)
            if (g->term->kind == GRANT_STAGED || term_during(g->term, when))
                add_job_in_the_way(to, g->term);
    }
}

char *jobs_in_the_way(struct usage *u, const char *but, const struct lots *lots,
                      const struct period *when)
{
    enum { SHOWN = 24 }; /* ranges and names of each kind */
    struct in_the_way jobs = {.but = but};
    char *text = NULL;
    FILE *fp;

    for (size_t i = 0; i < lots->n; i++)
        add_in_the_way(&jobs, u, lots->list[i], when);
    if (!jobs.endless.n && !jobs.later.n)
        return NULL;
    job_list_sort(&jobs.endless);
    job_list_sort(&jobs.later);
    fp = memory_open(&text, NULL);
    if (jobs.endless.n) {
        job_list_print(&jobs.endless, SHOWN, fp);
        fprintf(fp, " (no end)%s", jobs.later.n ? ", " : "");
    }
    if (jobs.later.n) {
        job_list_print(&jobs.later, SHOWN, fp);
        fprintf(fp, " (until %s%s)", time_utc(jobs.end).text,
                jobs.later.n > 1 ? " at the latest" : "");
    }
    memory_close(fp);
    free(jobs.endless.list);
    free(jobs.later.list);
    return text;
}

char *plan_in_the_way(struct usage *u, const char *job, const struct lots *lots,
                      const struct term *terms, double now)
{
    const struct period when = plan_period(terms, now);
    char *jobs = jobs_in_the_way(u, job, lots, &when), *text = NULL;

    if (jobs)
        xasprintf(&text, "at that time these jobs hold part of it: %s", jobs);
    free(jobs);
    return text;
}

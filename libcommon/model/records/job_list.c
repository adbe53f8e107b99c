/* Lists of jobs, sorted and printed with ranges of their ids (job_list.h). */
#include "model/records/job_list.h"

#include "base/memory.h"
#include "base/show.h"
#include "model/records/lots.h"

void job_list_add(struct job_list *to, struct job *job)
{
    if (to->n && to->list[to->n - 1] == job)
        return;
    VECTOR_ADD(to->list, to->n, job);
}

static int compare_jobs(const void *a, const void *b)
{
    return job_compare((*(struct job *const *)a)->name,
                       (*(struct job *const *)b)->name);
}

void job_list_sort(struct job_list *jobs)
{
    size_t n = 0;

    VECTOR_SORT(jobs->list, jobs->n, compare_jobs);
    for (size_t i = 0; i < jobs->n; i++)
        if (n == 0 || jobs->list[n - 1] != jobs->list[i])
            jobs->list[n++] = jobs->list[i];
    jobs->n = n;
}

struct job_list lot_sharers(struct usage *u, struct lot *lot)
{
    uint32_t walk = usage_walk(u);
    struct job_list jobs = {0};

    for (struct lot *in = lot; in; in = lot_next_recorded(u, lot, in))
        for (const struct grant *g = in->grants; g; g = g->beside) {
            struct job *job = g->term->job;
            if (!term_uses(g->term) || job->seen == walk
                || (in == lot && g->term->kind == GRANT_CLAIM))
                continue;
            job->seen = walk;
            job_list_add(&jobs, job);
        }
    job_list_sort(&jobs);
    return jobs;
}

void job_list_fold(const struct job_list *jobs, size_t most, FILE *fp)
{
    struct idset *numbers = idset_create();
    size_t i = 0, put, left = jobs->n;
    int64_t number;

    for (; i < jobs->n && job_is_number(jobs->list[i]->name, &number)
           && number >= 0 && number <= IDSET_MAX;
         i++)
        idset_add(numbers, (uint32_t)number, (uint32_t)number);
    if (idset_nranges(numbers) > most)
        idset_remove(numbers, idset_range(numbers, most).lo, IDSET_MAX);
    put = idset_nranges(numbers);
    left -= idset_count(numbers);
    idset_write(numbers, fp);
    idset_destroy(numbers);

    for (; i < jobs->n && put < most; i++, put++, left--) {
        fputs(put ? "," : "", fp);
        show(fp, jobs->list[i]->name);
    }
    if (left)
        fprintf(fp, ",+%zu", left);
}

void job_list_print(const struct job_list *jobs, size_t most, FILE *fp)
{
    if (jobs->n > JOB_LIST_FEW) {
        job_list_fold(jobs, most, fp);
        return;
    }
    for (size_t i = 0; i < jobs->n; i++) {
        fputs(i ? "," : "", fp);
        show(fp, jobs->list[i]->name);
    }
}

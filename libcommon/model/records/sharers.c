/*
 * Sharers: the jobs that share a pool or hold anything in it. They follow from
 * the grants, and are found for all pools at once when they are first asked
 * for.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/usage_private.h"

struct sharers {
    struct job **list;
    size_t n;
};

/* Add a job to a lot and to all lots around it, until it is there already. */
static void share(struct usage *u, struct job *job, struct lot *lot)
{
    for (; lot && lot->seen != u->walks; lot = lot->parent) {
        struct map_slot *slot = map_at(u->sharers, &lot, sizeof(lot));
        struct sharers *s = slot->value.pointer;
        if (!s)
            slot->value.pointer = s = xcalloc(1, sizeof(*s));
        VECTOR_GROW(s->list, s->n);
        s->list[s->n++] = job;
        lot->seen = u->walks;
    }
}

static int compare_job_names(const void *a, const void *b)
{
    return job_compare((*(struct job *const *)a)->name,
                       (*(struct job *const *)b)->name);
}

static void find_sharers(struct usage *u)
{
    struct job **jobs = xcalloc(u->njobs + 1, sizeof(struct job *));
    size_t n = 0;

    for (struct job *job = u->jobs_first; job; job = job->next)
        jobs[n++] = job;
    qsort(jobs, n, sizeof(struct job *), compare_job_names);
    u->sharers = xcalloc(1, sizeof(*u->sharers));
    for (size_t i = 0; i < n; i++) {
        usage_walk(u);
        for (struct grant *g = jobs[i]->grants; g; g = g->next)
            if (g->term->kind == GRANT_SHARE)
                share(u, jobs[i], g->lot);
            else if (g->term->kind == GRANT_CLAIM)
                share(u, jobs[i], g->lot->parent);
    }
    free(jobs);
}

size_t lot_sharers(struct usage *u, const struct lot *lot, struct job ***list)
{
    const struct map_slot *slot;
    const struct sharers *s;

    if (!u->sharers)
        find_sharers(u);
    slot = map_find(u->sharers, &lot, sizeof(lot));
    s = slot ? slot->value.pointer : NULL;
    *list = s ? s->list : NULL;
    return s ? s->n : 0;
}

void usage_forget_sharers(struct usage *u)
{
    for (size_t i = 0; i < u->sharers->count; i++) {
        struct sharers *s = u->sharers->slots[i].value.pointer;
        free(s->list);
        free(s);
    }
    map_fini(u->sharers);
    free(u->sharers);
    u->sharers = NULL;
}

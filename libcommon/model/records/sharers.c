/*
 * Sharers: the jobs that share a pool or hold anything in it. They follow from
 * the grants, and are found for all pools at once when they are first asked
 * for.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/records/job_list.h"
#include "model/records/usage_private.h"

/* Add a job to a lot and to all lots around it, until it is there already. */
static void share(struct usage *u, struct job *job, struct lot *lot)
{
    for (; lot && lot_visit(lot, u->walks); lot = lot->parent) {
        struct map_slot *slot = map_at(u->sharers, &lot, sizeof(lot));
        if (!slot->value.pointer)
            slot->value.pointer = xcalloc(1, sizeof(struct job_list));
        job_list_add(slot->value.pointer, job);
    }
}

static void find_sharers(struct usage *u)
{
    struct job_list jobs = {0};

    for (struct job *job = u->jobs_first; job; job = job->next)
        job_list_add(&jobs, job);
    job_list_sort(&jobs);
    u->sharers = xcalloc(1, sizeof(*u->sharers));
    for (size_t i = 0; i < jobs.n; i++) {
        usage_walk(u);
        for (struct grant *g = jobs.list[i]->grants; g; g = g->next)
            if (g->term->kind == GRANT_SHARE)
                share(u, jobs.list[i], g->lot);
            else if (g->term->kind == GRANT_CLAIM)
                share(u, jobs.list[i], g->lot->parent);
    }
    free(jobs.list);
}

size_t lot_sharers(struct usage *u, const struct lot *lot, struct job ***list)
{
    const struct job_list *s;

    if (!u->sharers)
        find_sharers(u);
    s = map_get(u->sharers, &lot, sizeof(lot));
    *list = s ? s->list : NULL;
    return s ? s->n : 0;
}

void usage_forget_sharers(struct usage *u)
{
    if (!u->sharers)
        return;
    for (size_t i = 0; i < u->sharers->count; i++) {
        struct job_list *s = u->sharers->slots[i].value.pointer;
        free(s->list);
        free(s);
    }
    map_fini(u->sharers);
    free(u->sharers);
    u->sharers = NULL;
}

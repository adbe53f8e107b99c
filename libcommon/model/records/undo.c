/*
 * What a job has, kept for the case that a change of it has to be undone.
 *
 * Lots come and go, so a grant is kept with the way to its lot: which members
 * of which vertices, from the root down.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/jobs.h"

struct way_step {
    struct vertex *v;
    uint32_t at, n;
};

struct kept {
    int64_t units;
    struct term term;
    struct way_step *steps;
    unsigned nsteps;
};

struct job_copy {
    char *name;
    struct kept *list;
    size_t n;
};

static void keep_way(struct kept *kept, const struct lot *lot)
{
    for (const struct lot *up = lot; up->parent; up = up->parent)
        kept->nsteps++;
    kept->steps = xcalloc(kept->nsteps, sizeof(*kept->steps));
    for (unsigned i = kept->nsteps; i-- > 0; lot = lot->parent)
        kept->steps[i] = (struct way_step){lot->v, lot->at, lot->n};
}

struct job_copy *job_save(const struct job *job)
{
    struct job_copy *copy = xcalloc(1, sizeof(*copy));

    copy->name = xstrdup(job->name);
    for (const struct grant *g = job->grants; g; g = g->next)
        copy->n++;
    copy->list = xcalloc(copy->n, sizeof(*copy->list));
    copy->n = 0;
    for (const struct grant *g = job->grants; g; g = g->next) {
        struct kept *kept = &copy->list[copy->n++];
        *kept = (struct kept){.units = g->units, .term = *g->term};
        if (g->term->owner)
            kept->term.owner = xstrdup(g->term->owner);
        if (g->term->queue)
            kept->term.queue = xstrdup(g->term->queue);
        keep_way(kept, g->lot);
    }
    return copy;
}

/* All lots that have the members of a step now, split off if need be. */
static void undo_steps(struct usage *u, struct job *job,
                       const struct kept *kept, unsigned i, struct lot *parent)
{
    const struct way_step *step = &kept->steps[i];
    struct idset *members = idset_create_range(step->at,
                                               step->at + step->n - 1);
    struct lots lots = {0};

    lots_take(u, parent, step->v, members, &lots);
    for (size_t k = 0; k < lots.n; k++)
        if (i + 1 < kept->nsteps)
            undo_steps(u, job, kept, i + 1, lots.list[k]);
        else
            grant_add(u, job, lots.list[k], kept->term.kind,
                      job_term(job, &kept->term), kept->units);
    idset_destroy(members);
    free(lots.list);
}

void job_restore(struct usage *u, const struct job_copy *copy)
{
    struct job *job = job_find(u, copy->name);

    if (job)
        job_release(u, job);
    job = job_get(u, copy->name);
    for (size_t i = 0; i < copy->n; i++)
        undo_steps(u, job, &copy->list[i], 0, &u->top);
}

void job_copy_destroy(struct job_copy *copy)
{
    if (!copy)
        return;
    for (size_t i = 0; i < copy->n; i++) {
        free(copy->list[i].term.owner);
        free(copy->list[i].term.queue);
        free(copy->list[i].steps);
    }
    free(copy->list);
    free(copy->name);
    free(copy);
}

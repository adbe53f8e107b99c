/* Finds what is so of a pool from its lots (holders.h). */
#include "view/holders.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/show.h"
#include "model/records/tags.h"

/* --- jobs ---------------------------------------------------------------- */

static void add_job(struct holding *h, struct job *job)
{
    if (h->njobs && h->jobs[h->njobs - 1] == job)
        return;
    VECTOR_GROW(h->jobs, h->njobs);
    h->jobs[h->njobs++] = job;
}

/* Jobs that have some of a lot, or with `whole` those that have all of it. */
static void add_jobs(struct usage *u, struct holding *h, struct lot *lot,
                     bool whole)
{
    lot_load(u, lot);
    for (const struct grant *g = lot->grants; g; g = g->beside) {
        bool claim = g->term->kind == GRANT_CLAIM;
        if (g->term->kind == GRANT_LISTED
            || (whole && (!claim || g->units < lot->v->size))
            || (claim && !term_during(g->term, &u->when)))
            continue;
        add_job(h, g->term->job);
    }
}

static int compare_jobs(const void *a, const void *b)
{
    return job_compare((*(struct job *const *)a)->name,
                       (*(struct job *const *)b)->name);
}

static void sort_jobs(struct holding *h)
{
    size_t n = 0;

    if (h->njobs > 1)
        qsort(h->jobs, h->njobs, sizeof(struct job *), compare_jobs);
    for (size_t i = 0; i < h->njobs; i++)
        if (n == 0 || h->jobs[n - 1] != h->jobs[i])
            h->jobs[n++] = h->jobs[i];
    h->njobs = n;
}

/* --- what is so ---------------------------------------------------------- */

static bool is_given(const struct usage *u, const struct lot *lot)
{
    const struct types *types = &u->types;

    if (!lot->v->child)
        return lot_free(lot) > 0;
    for (unsigned t = 0; t < types->count; t++)
        if (types->names[t] != lot->v->type && lot_below(u, lot, t) > 0)
            return true;
    return false;
}

/* Can nothing in what it lies in be had, nor then in it? */
static bool is_blocked(const struct lot *lot)
{
    while (lot && !lot->blocked)
        lot = lot->parent;
    return lot;
}

struct holding holding_of(struct usage *u, struct lot *lot)
{
    struct holding h = {.state = STATE_UP};

    for (struct lot *up = lot; up; up = up->parent) {
        add_jobs(u, &h, up, up != lot);
        if (up->state == STATE_UP || h.out)
            continue;
        h.state = up->state;
        h.out = up->v;
    }
    for (struct lot *in = lot; (in = lot_next_in(u, lot, in));)
        add_jobs(u, &h, in, false);
    sort_jobs(&h);
    if (h.out)
        h.use = vertex_get_tag(h.out, "drained") ? USE_DRAINED : USE_NOT_UP;
    else if (is_blocked(lot) || !is_given(u, lot))
        h.use = USE_FULL;
    else
        h.use = h.njobs ? USE_MIXED : USE_IDLE;
    return h;
}

void holding_fini(struct holding *h)
{
    free(h->jobs);
    *h = (struct holding){0};
}

const char *holding_word(const struct holding *h)
{
    static const char *const words[] = {"idle", "mixed", "full", "drained"};

    return h->use == USE_NOT_UP ? pool_state_names[h->state] : words[h->use];
}

const json_t *holding_tag(const struct holding *h)
{
    return h->out ? vertex_get_tag(h->out,
                                   h->use == USE_DRAINED ? "drained" : "down")
                  : NULL;
}

const char *holding_reason(const struct holding *h)
{
    return json_string_value(json_object_get(holding_tag(h), "reason"));
}

int64_t holding_total(const struct usage *u, const struct lot *lot, int ntype)
{
    if (ntype < 0)
        return 0;
    return usage_total(u, lot->v, ntype)
           + (lot->v->type == u->types.names[ntype] ? lot->v->size : 0);
}

int64_t holding_free(const struct usage *u, const struct lot *lot, int ntype)
{
    return ntype < 0 || is_blocked(lot) ? 0
                                        : lot_given(u, lot, (unsigned)ntype);
}

/* --- in text ------------------------------------------------------------- */

void holders_print(FILE *fp, const struct holding *h)
{
    struct idset *numbers = idset_create();
    const char *sep = "";
    int64_t number;
    size_t i = 0;

    for (; i < h->njobs && job_is_number(h->jobs[i]->name, &number)
           && number >= 0 && number <= IDSET_MAX;
         i++)
        idset_add(numbers, (uint32_t)number, (uint32_t)number);
    if (i > 0) {
        idset_write(numbers, fp);
        sep = ",";
    }
    for (; i < h->njobs; i++, sep = ",") {
        fputs(sep, fp);
        show(fp, h->jobs[i]->name);
    }
    if (h->njobs == 0)
        putc('-', fp);
    idset_destroy(numbers);
}

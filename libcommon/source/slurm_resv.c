/*
 * Reservations of Slurm (slurm.h), as jobs that hold what other jobs leave
 * free.
 *
 *     {"reservations": [{"name": "maint", "node_list": "n[1-2]",
 *        "start_time": {"set": true, "number": 1795402748},
 *        "end_time": {"set": true, "number": 1795406348},
 *        "core_specializations": [{"node": "n1", "core": "0-3"}]}]}
 *
 * Jobs run in a reservation and before it. So a reservation holds a pool in the
 * part of its time after the last job that has the pool.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/lots.h"
#include "source/slurm_private.h"

struct slurm_holding {
    struct slurm *s;
    struct job *job; /* NULL: it holds nothing yet */
    struct term term;
    double start, end; /* INFINITY: no end */
    const char *name;
    const struct idset *cores; /* the reserved cores; NULL: everything */
};

char *slurm_reservation(const char *name)
{
    size_t len = name ? strlen(name) : 0;
    char *job;

    xasprintf(&job, "resv:%s",
              len > 0 && len <= JOB_NAME_MAX - 5 ? name : SLURM_NO_NAME);
    return job;
}

/* Return the time at which the last job leaves a pool, or `from` if no job has
   it. */
static double free_from(const struct slurm_holding *h, const struct lot *lot,
                        double from)
{
    double now = h->s->opts->now, last = from;
    const struct period when = {
        .now = now, .from = from, .to = h->end, .held_on = true};

    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (term_during(g->term, &when))
            last = g->term->end > now ? fmax(last, g->term->end) : INFINITY;
    return last;
}

/* Are a pool and all pools in it free from a time to the end? */
static bool is_free(const struct slurm_holding *h, const struct lot *lot,
                    double from)
{
    if (free_from(h, lot, from) > from)
        return false;
    for (const struct lot *in = lot_child(lot); in; in = in->next)
        if (!is_free(h, in, from))
            return false;
    return true;
}

static void hold_units(struct slurm_holding *h, struct lot *lot, int64_t units,
                       double from)
{
    struct usage *u = h->s->rs->usage;
    struct term term = h->term;

    if (units <= 0 || from >= h->end)
        return;
    if (!h->job)
        h->job = job_get(u, h->name);
    if (from > h->start)
        term.start = from;
    term.reserved = term.start > h->s->opts->now;
    grant_add(u, h->job, lot, GRANT_CLAIM, job_term(u, h->job, &term), units);
}

/* Hold the free parts of a pool and of its children from a time on. */
static void hold_rest(struct slurm_holding *h, struct lot *lot, double from)
{
    struct usage *u = h->s->rs->usage;
    const struct period when = {
        .now = h->s->opts->now, .from = from, .to = h->end, .held_on = true};
    double later = free_from(h, lot, from);
    int64_t taken = later > from;

    if (lot->v->child && later >= h->end)
        return;
    if (lot->v->child && !h->cores && is_free(h, lot, later)) {
        hold_units(h, lot, lot->v->size, later);
    } else if (lot->v->child) {
        for (struct lot *in = lot_open(u, lot); in; in = in->next)
            hold_rest(h, in, later);
    } else if (!h->cores
               || (!strcmp(lot->v->type, "core")
                   && idset_contains(h->cores, (uint32_t)lot->v->id))) {
        if (lot->v->size > 1)
            taken = lot_claimed(lot, &when, NULL);
        hold_units(h, lot, lot->v->size - taken, from);
        hold_units(h, lot, taken, later);
    }
}

/* Return the reserved cores of a node, a new set; NULL: the whole node. */
static struct idset *cores_of(const json_t *resv, const char *host,
                              const struct slurm_class *c)
{
    const json_t *list = json_object_get(resv, "core_specializations"), *one;
    struct idset *ids = NULL;
    const char *text, *name;
    struct diag d;
    size_t i;

    json_array_foreach (list, i, one) {
        name = slurm_text(one, "node");
        text = slurm_text(one, "core");
        if (name && text && !strcmp(name, host)
            && idset_decode(text, strlen(text), &ids, &d) == 0)
            break;
        ids = NULL;
    }
    if (!ids || idset_count(ids) < (uint64_t)(c->sockets * c->cores))
        return ids;
    idset_destroy(ids);
    return NULL;
}

/* Let a reservation hold everything free in these nodes. */
static void reserve(struct slurm *s, const json_t *resv, const char *name,
                    const struct hostlist *hosts)
{
    int64_t start = slurm_number(resv, "start_time"),
            end = slurm_number(resv, "end_time");
    struct slurm_holding h = {
        .s = s,
        .term = {.kind = GRANT_CLAIM, .start = TIME_UNSET, .end = TIME_UNSET},
        .start = s->opts->now,
        .end = INFINITY,
        .name = name};
    const struct slurm_class *class;
    char host[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;

    if (start > 0)
        h.start = h.term.start = (double)start;
    if (end > start && end > 0)
        h.end = h.term.end = (double)end;
    hostlist_iter_init(&it, hosts);
    while (hostlist_iter_next(&it, host) >= 0) {
        struct lot *node = slurm_node_lot(s, host, &class);
        struct idset *cores = cores_of(resv, host, class);
        h.cores = cores;
        hold_rest(&h, node, h.start);
        idset_destroy(cores);
    }
    if (!h.job && hostlist_count(hosts) > 0)
        slurm_lose(s, LOSS_NOTHING, "%s", name);
}

void slurm_reserve(struct slurm *s)
{
    const json_t *resv, *list;
    const char *name, *host;
    size_t i;

    json_array_foreach (s->reservations, i, resv) {
        int64_t end = slurm_number(resv, "end_time");
        struct hostlist *hosts;
        char *job;

        if (end > 0 && (double)end <= s->opts->now)
            continue;
        s->place = slurm_text(resv, SLURM_PLACE);
        job = slurm_reservation(slurm_text(resv, "name"));
        hosts = slurm_hosts(s, slurm_text(resv, "node_list"), job);
        reserve(s, resv, job, hosts);
        hostlist_destroy(hosts);
        free(job);
    }

    s->place = NULL;

    /* Reservations that only nodes name have no times. */
    json_object_foreach (s->reserved, name, list) {
        struct hostlist *hosts = hostlist_create();
        char *job = slurm_reservation(name);
        bool listed = map_find(&s->seen, job, strlen(job))
                      || (!strcmp(name, SLURM_NO_NAME)
                          && json_array_size(s->reservations) > 0);
        for (i = 0; !listed && i < json_array_size(list); i++) {
            host = json_string_value(json_array_get(list, i));
            hostlist_append(hosts, host);
            slurm_lose(s, LOSS_TIMES, "%s", host);
        }
        if (!listed)
            reserve(s, NULL, job, hosts);
        hostlist_destroy(hosts);
        free(job);
    }
}

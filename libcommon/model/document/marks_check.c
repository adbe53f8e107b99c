/*
 * Checks records in an R without a graph that lie on the same ranks. They must
 * name pools of the set; no two jobs may hold one pool; no job may have a part
 * of a pool that must be whole; and a lock must be on a pool of its job.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document/marks_lay.h"

/* The place of a record in the document. */
#define AT_MARK(g, l)                                              \
    IN_LIST(IN_KEY((g)->m->at, mark_words[(l)->record->mark].key), \
            (l)->record->hold.index)

/* Report the first rank or id in a record that is not in the set. */
static void check_there(const struct rank_group *g, struct laid *l)
{
    if (!g->target && !l->reported) {
        fault(g->m->r, RULE_RECORD_RANK, AT_MARK(g, l),
              "rank %u is not in the set", idset_first(g->ranks));
        l->reported = true;
    }
    for (size_t i = 0; i < l->children.n && !l->reported; i++) {
        const struct lite_child *child = &l->children.list[i];
        const struct vertex *v = g->target->child;
        struct idset *left;
        while (v && strcmp(v->type, child->type))
            v = v->next;
        if (v && idset_subset(child->ids, v->run))
            continue;
        left = v ? idset_subtract(child->ids, v->run) : idset_copy(child->ids);
        fault(g->m->r, RULE_RECORD_ID, AT_MARK(g, l), "rank %u has no %.100s%u",
              idset_first(g->ranks), child->type, idset_first(left));
        l->reported = true;
        idset_destroy(left);
    }
}

static bool is_claim(const struct laid *l)
{
    return !l->record->faulty
           && (l->record->mark == MARK_ALLOCATION
               || l->record->mark == MARK_RESERVATION);
}

static bool is_whole_claim(const struct laid *l)
{
    return is_claim(l) && (l->held || l->children.n == 0);
}

/* Report a pool that two jobs hold at the same moment. */
static void check_excess(const struct rank_group *g, size_t n, const char *what,
                         const struct idset *ids)
{
    struct excess when = holds_excess(g->holds, n, 1);
    char moment[48], *ranks, *id;

    if (!when.hold)
        return;
    ranks = idset_encode(g->ranks);
    id = ids ? idset_encode(ids) : NULL;
    fault(g->m->r, when.reserved ? RULE_OVERRESERVED : RULE_OVERSUBSCRIBED,
          IN_LIST(IN_KEY(g->m->at, claim_keys[when.hold->term->reserved]),
                  when.hold->index),
          "job %.60s: another job holds %.60s%s%.60s%s of rank %.60s%s",
          when.hold->job, what, id ? "[" : "", id ? id : "", id ? "]" : "",
          ranks, hold_moment(when.hold, moment));
    free(ranks);
    free(id);
}

static bool is_share(const struct laid *l)
{
    return l->record->mark == MARK_SHARED && !l->record->faulty;
}

static bool is_lock(const struct laid *l)
{
    return l->record->mark == MARK_STAGED && !l->record->faulty;
}

/* Compare the names of jobs, which are interned, by address. */
static int compare_interned(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;

    return COMPARE(x, y);
}

/*
 * Report locks on the ranks, or with `same` on ids, of jobs that are not among
 * the n in g->jobs, which hold them. A job that holds the ranks holds all ids.
 */
static void check_locks(const struct rank_group *g, size_t n,
                        const struct overlay_group *same)
{
    VECTOR_SORT(g->jobs, n, compare_interned);
    for (size_t i = 0; i < (same ? same->nlabels : g->n); i++) {
        struct laid *l = same ? g->by[same->labels[i]] : g->on[i];
        bool has;
        if (!is_lock(l) || (same && l->locks_whole))
            continue;
        has = n > 0
              && bsearch(&l->record->hold.job, g->jobs, n, sizeof(*g->jobs),
                         compare_interned);
        if (!same)
            l->locks_whole = has;
        if (has || l->stale || (!same && l->children.n > 0))
            continue;
        l->stale = true;
        fault(g->m->r, RULE_STALE_LOCK, AT_MARK(g, l),
              "rank %u is locked for job %.60s, which holds none of it",
              idset_first(g->ranks), l->record->hold.job);
    }
}

bool laid_counts(const struct rank_group *g, const struct laid *l)
{
    if (is_lock(l))
        return reader_reports(g->m->r, FAULT_WARNED) && !l->locks_whole;
    return !l->held && (is_claim(l) || is_share(l));
}

void group_check_ids(struct rank_group *g, const struct overlay_group *same,
                     const char *type)
{
    size_t n = 0, njobs = 0;

    for (size_t i = 0; i < same->nlabels; i++) {
        const struct laid *l = g->by[same->labels[i]];
        if (!is_claim(l))
            continue;
        g->jobs[njobs++] = l->record->hold.job;
        if (laid_counts(g, l))
            g->holds[n++] = l->record->hold;
    }
    holds_sort(g->holds, n);

    /* each pool is one unit: a claim holds it whole, so it can't be shared */
    for (size_t i = 0; n > 0 && i < same->nlabels; i++) {
        struct laid *l = g->by[same->labels[i]];
        if (!is_share(l) || l->conflict
            || !holds_meeting(g->holds, n, l->record->hold.term))
            continue;
        l->conflict = true;
        fault(g->m->r, RULE_EXCLUSIVE_SHARED, AT_MARK(g, l),
              "job %.60s: %.60s%u of rank %u is held whole",
              l->record->hold.job, type, idset_first(same->ids),
              idset_first(g->ranks));
    }
    if (n > 1)
        check_excess(g, n, type, same->ids);
    if (reader_reports(g->m->r, FAULT_WARNED))
        check_locks(g, njobs, same);
}

/* Check claims and shares of a part against the n claims of all of it. */
static void check_parts(const struct rank_group *g, size_t n)
{
    holds_sort(g->holds, n);
    for (size_t i = 0; n > 0 && i < g->n; i++) {
        struct laid *part = g->on[i];
        const struct hold *own = &part->record->hold, *whole;
        if (is_whole_claim(part) || (!is_claim(part) && !is_share(part))
            || part->conflict
            || !(whole = holds_meeting(g->holds, n, own->term)))
            continue;
        part->conflict = true;
        fault(g->m->r,
              is_share(part)           ? RULE_EXCLUSIVE_SHARED
              : own->job == whole->job ? RULE_IMPLIED
                                       : RULE_BELOW_EXCLUSIVE,
              AT_MARK(g, part), "job %.60s: rank %u is held whole by job %.60s",
              own->job, idset_first(g->ranks), whole->job);
    }
}

/* Report a part of an exclusive target (RFC 4, Exclusive flag). */
static void check_partial(const struct rank_group *g, struct laid *l)
{
    const struct idset *exclusive = g->m->exclusive;
    uint32_t rank = idset_first(g->ranks);

    if (l->partial || !exclusive || !idset_contains(exclusive, rank)
        || l->record->faulty || is_whole_claim(l)
        || (!is_claim(l) && l->record->mark != MARK_SHARED))
        return;
    l->partial = true;
    fault(g->m->r, RULE_EXCLUSIVE_PARTIAL, AT_MARK(g, l),
          "job %.60s has a part of rank %u, which is exclusive",
          l->record->hold.job, rank);
}

void group_check(struct rank_group *g)
{
    bool warn = reader_reports(g->m->r, FAULT_WARNED), staged = false;
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++)
        check_there(g, g->on[i]);
    for (size_t i = 0; g->target && i < g->n; i++) {
        if (warn)
            check_partial(g, g->on[i]);
        staged |= is_lock(g->on[i]);
        if (!is_whole_claim(g->on[i]))
            continue;
        g->jobs[n] = g->on[i]->record->hold.job;
        g->holds[n++] = g->on[i]->record->hold;
    }
    if (!g->target || (g->n < 2 && !staged))
        return;
    if (warn)
        check_locks(g, n, NULL);
    if (n > 1)
        check_excess(g, n, "all", NULL);
    check_parts(g, n);
}

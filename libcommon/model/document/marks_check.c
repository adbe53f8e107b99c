/*
 * Validation of records in an R without a graph that lie on the same ranks:
 * they name what is there, no two jobs have the same, nobody has a part of
 * what must be whole, and what is locked is the job's for which it is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "model/document/marks_lay.h"

/* Where a mark stands. */
#define AT_MARK(g, l)                                              \
    IN_LIST(IN_KEY((g)->m->at, mark_words[(l)->record->mark].key), \
            (l)->record->hold.index)

/* What the target has of a type; NULL: nothing. */
static struct vertex *group_child(const struct group *g, const char *type)
{
    struct vertex *v = g->target->child;

    while (v && strcmp(v->type, type))
        v = v->next;
    return v;
}

const struct idset *laid_ids(const struct laid *l, const char *type)
{
    return lite_children_find(&l->children, type);
}

/* Does the target have what a record names? */
static void check_ids(const struct group *g, struct laid *l,
                      const struct lite_child *child)
{
    const struct vertex *v = group_child(g, child->type);
    struct idset *left;

    if (v && idset_subset(child->ids, v->run))
        return;
    left = v ? idset_subtract(child->ids, v->run) : idset_copy(child->ids);
    fault(g->m->r, RULE_RECORD_ID, AT_MARK(g, l), "rank %u has no %.100s%u",
          idset_first(g->ranks), child->type, idset_first(left));
    l->told = true;
    idset_destroy(left);
}

static void check_there(const struct group *g, struct laid *l)
{
    if (!g->target && !l->told) {
        fault(g->m->r, RULE_RECORD_RANK, AT_MARK(g, l),
              "rank %u is not in the set", idset_first(g->ranks));
        l->told = true;
    }
    for (size_t i = 0; i < l->children.n && !l->told; i++)
        check_ids(g, l, &l->children.list[i]);
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

/* More than one hold of one thing at a moment: allocations, or any. */
static void check_excess(const struct group *g, size_t n, const char *what,
                         const struct idset *ids)
{
    struct excess when = holds_excess(g->holds, n, 1);
    char moment[48], *ranks, *id;

    if (!when.hold)
        return;
    ranks = idset_encode(g->ranks);
    id = ids ? idset_encode(ids) : NULL;
    fault(g->m->r, when.reserved ? RULE_OVERRESERVED : RULE_OVERSUBSCRIBED,
          IN_LIST(IN_KEY(g->m->at, claim_keys[when.hold->reserved]),
                  when.hold->index),
          "job %.60s: another holds %.60s%s%.60s%s of rank %.60s%s",
          when.hold->job, what, id ? "[" : "", id ? id : "", id ? "]" : "",
          ranks, hold_moment(when.hold, moment));
    free(ranks);
    free(id);
}

/* Those that hold all of it. */
static size_t gather_whole_claims(const struct group *g)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++)
        if (is_whole_claim(g->on[i]))
            g->holds[n++] = g->on[i]->record->hold;
    return n;
}

static bool is_share(const struct laid *l)
{
    return l->record->mark == MARK_SHARED && !l->record->faulty;
}

/* What is held is held whole, each of it being one unit, and is not shared. */
static void check_share(const struct group *g, struct laid *l, const char *type,
                        const struct idset *ids)
{
    if (l->conflict)
        return;
    l->conflict = true;
    fault(g->m->r, RULE_EXCLUSIVE_SHARED, AT_MARK(g, l),
          "job %.60s: %.60s%u of rank %u is held whole", l->record->hold.job,
          type, idset_first(ids), idset_first(g->ranks));
}

static bool is_lock(const struct laid *l)
{
    return l->record->mark == MARK_STAGED && !l->record->faulty;
}

static bool has_job(const struct group *g, size_t n, const char *job)
{
    return bsearch(&job, g->jobs, n, sizeof(job), strtab_compare);
}

static void sort_jobs(const struct group *g, size_t n)
{
    if (n > 1)
        qsort(g->jobs, n, sizeof(*g->jobs), strtab_compare);
}

/* A lock goes when it is committed or aborted, or with what it locks. */
static void tell_stale(const struct group *g, struct laid *l)
{
    if (l->stale)
        return;
    l->stale = true;
    fault(g->m->r, RULE_STALE_LOCK, AT_MARK(g, l),
          "rank %u is locked for job %.60s, which has none of that",
          idset_first(g->ranks), l->record->hold.job);
}

/* Whoever has all of the ranks has all that is locked on them. */
static void check_locks(const struct group *g, size_t n)
{
    for (size_t i = 0; i < n; i++)
        g->jobs[i] = g->holds[i].job;
    sort_jobs(g, n);
    for (size_t i = 0; i < g->n; i++) {
        struct laid *l = g->on[i];
        if (!is_lock(l))
            continue;
        l->locks_whole = has_job(g, n, l->record->hold.job);
        if (!l->locks_whole && l->children.n == 0)
            tell_stale(g, l);
    }
}

bool laid_counts(const struct group *g, const struct laid *l)
{
    if (is_lock(l))
        return wants(g->m->r, FAULT_WARNED) && !l->locks_whole;
    return !l->held && (is_claim(l) || is_share(l));
}

/* Locks on ids that others hold, or nobody. */
static void check_same_locks(const struct group *g,
                             const struct overlay_group *same)
{
    size_t n = 0;

    for (size_t i = 0; i < same->nlabels; i++)
        if (is_claim(g->by[same->labels[i]]))
            g->jobs[n++] = g->by[same->labels[i]]->record->hold.job;
    sort_jobs(g, n);
    for (size_t i = 0; i < same->nlabels; i++) {
        struct laid *l = g->by[same->labels[i]];
        if (is_lock(l) && !l->locks_whole
            && !has_job(g, n, l->record->hold.job))
            tell_stale(g, l);
    }
}

void group_check_ids(struct group *g, const struct overlay_group *same,
                     const char *type)
{
    size_t n = 0;

    for (size_t i = 0; i < same->nlabels; i++) {
        const struct laid *l = g->by[same->labels[i]];
        if (laid_counts(g, l) && is_claim(l))
            g->holds[n++] = l->record->hold;
    }
    holds_sort(g->holds, n);
    for (size_t i = 0; n > 0 && i < same->nlabels; i++)
        if (is_share(g->by[same->labels[i]])
            && holds_meeting(g->holds, n,
                             &g->by[same->labels[i]]->record->hold))
            check_share(g, g->by[same->labels[i]], type, same->ids);
    if (n > 1)
        check_excess(g, n, type, same->ids);
    if (wants(g->m->r, FAULT_WARNED))
        check_same_locks(g, same);
}

/* Against one that holds all of it at that time. */
static void check_part(const struct group *g, const struct hold *whole,
                       struct laid *part)
{
    bool shared = is_share(part);
    if (part->conflict)
        return;
    part->conflict = true;
    fault(g->m->r,
          shared                                 ? RULE_EXCLUSIVE_SHARED
          : part->record->hold.job == whole->job ? RULE_IMPLIED
                                                 : RULE_BELOW_EXCLUSIVE,
          AT_MARK(g, part), "job %.60s: rank %u is held whole by job %.60s",
          part->record->hold.job, idset_first(g->ranks), whole->job);
}

/* Those that hold a part against those that hold all of it. */
static void check_parts(const struct group *g, size_t n)
{
    holds_sort(g->holds, n);
    for (size_t i = 0; n > 0 && i < g->n; i++) {
        struct laid *part = g->on[i];
        const struct hold *whole;
        if (is_whole_claim(part) || (!is_claim(part) && !is_share(part)))
            continue;
        whole = holds_meeting(g->holds, n, &part->record->hold);
        if (whole)
            check_part(g, whole, part);
    }
}

/* What is taken whole or not at all is had in part (RFC 4, Exclusive flag). */
static void check_partial(const struct group *g, struct laid *l)
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

static bool has_staged(const struct group *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (is_lock(g->on[i]))
            return true;
    return false;
}

void group_check(struct group *g)
{
    bool warn = wants(g->m->r, FAULT_WARNED);
    size_t n;

    for (size_t i = 0; i < g->n; i++)
        check_there(g, g->on[i]);
    for (size_t i = 0; g->target && warn && i < g->n; i++)
        check_partial(g, g->on[i]);
    if (!g->target || (g->n < 2 && !has_staged(g)))
        return;
    n = gather_whole_claims(g);
    if (warn)
        check_locks(g, n);
    if (n > 1)
        check_excess(g, n, "all", NULL);
    check_parts(g, n);
}

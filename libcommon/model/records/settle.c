/*
 * Documents and usage: records that lie on the vertices of a set become
 * grants, and grants become records.
 *
 * Only what was changed is written back, so that a document keeps its bytes
 * elsewhere. Vertices are split where members of a run are in different hands.
 * That a job has something below a pool (RFC 4, shared) is not a grant: it
 * follows, and is found when records are written.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/annotate.h"
#include "model/records/jobs.h"
#include "model/records/usage_private.h"

/* --- in ----------------------------------------------------------------- */

struct lot_list {
    struct lot **list;
    size_t n;
};

static void add_lot(struct lot_list *lots, struct lot *lot)
{
    if ((lots->n & (lots->n - 1)) == 0) /* full: a power of two */
        lots->list = xreallocarray(lots->list, lots->n ? 2 * lots->n : 1,
                                   sizeof(*lots->list));
    lots->list[lots->n++] = lot;
}

/* All lots of a vertex: in each of its parent's, for each stretch. */
static struct lot_list lots_of(struct usage *u, const struct vertex *v)
{
    struct lot_list up = {0}, lots = {0};
    uint32_t last = v->run ? idset_last(v->run) : 0;

    if (v->parent)
        up = lots_of(u, v->parent);
    else
        add_lot(&up, &u->top);
    for (size_t i = 0; i < up.n; i++)
        for (uint32_t at = v->run ? idset_first(v->run) : 0;;) {
            struct lot *lot = lot_find(u, up.list[i], v, at);
            add_lot(&lots, lot);
            if (lot->at + lot->n > last)
                break;
            at = idset_next(v->run, lot->at + lot->n - 1);
        }
    free(up.list);
    return lots;
}

static void load_list(struct usage *u, struct lot *lot,
                      const struct joblist *list, enum grant_kind kind,
                      const struct map *below)
{
    for (; list; list = list->next)
        if (kind != GRANT_SHARE || !lot->v->child
            || !below_has(below, lot->v, list->job))
            grant_add(u, job_get(u, list->job), lot, kind, NULL, list->size);
}

static void load_lot(struct usage *u, struct lot *lot, const struct map *below)
{
    const struct records *rec = lot->v->records;

    lot_changing(u, lot);
    for (const struct claim *c = rec->claims; c; c = c->next) {
        struct job *job = job_get(u, c->job);
        bool reserved = c->kind == CLAIM_RESERVATION;
        grant_add(u, job, lot, GRANT_CLAIM,
                  job_term(job, c->owner, c->start, c->end, reserved), c->size);
    }
    load_list(u, lot, rec->shared, GRANT_SHARE, below);
    load_list(u, lot, rec->listed, GRANT_LISTED, below);
    if (rec->staged)
        grant_add(u, job_get(u, rec->staged), lot, GRANT_STAGED, NULL, 0);
    lot_changed(u, lot);
}

void usage_load(struct usage *u)
{
    struct map below = {0};
    bool any = false;

    for (const struct vertex *v = rset_first(u->rs); v && !any;
         v = rset_next(u->rs, v))
        any = v->records;
    if (!any)
        return;
    below_note(&below, u->rs);
    for (const struct vertex *v = rset_first(u->rs); v;
         v = rset_next(u->rs, v)) {
        struct lot_list lots = {0};
        if (v->records)
            lots = lots_of(u, v);
        for (size_t i = 0; i < lots.n; i++)
            load_lot(u, lots.list[i], &below);
        free(lots.list);
    }
    map_fini(&below);
    for (struct lot *lot = &u->top; lot; lot = lot_next_in(&u->top, lot))
        lot->dirty = lot->dirty_below = false;
}

/* --- which jobs have something below ------------------------------------ */

/* Jobs below a lot, each once, in the order of the table. */
struct jobs_below {
    struct job **list;
    size_t n;
};

struct settling {
    struct usage *u;
    struct map below; /* jobs_below by lot */
    size_t serial;
};

static void note_job_below(struct settling *s, struct job *job, struct lot *lot)
{
    while ((lot = lot->parent)) {
        struct map_slot *slot;
        struct jobs_below *jobs;
        if (!lot->dirty && !lot->dirty_below)
            continue;
        slot = map_at(&s->below, &lot, sizeof(const struct lot *));
        if (!slot->value.pointer)
            slot->value.pointer = xcalloc(1, sizeof(*jobs));
        jobs = slot->value.pointer;
        if (jobs->n && jobs->list[jobs->n - 1] == job)
            return; /* and so it is in all above */
        if ((jobs->n & (jobs->n - 1)) == 0)
            jobs->list = xreallocarray(jobs->list, jobs->n ? 2 * jobs->n : 1,
                                       sizeof(*jobs->list));
        jobs->list[jobs->n++] = job;
    }
}

static void note_all_below(struct settling *s)
{
    for (struct job *job = s->u->jobs_first; job; job = job->next)
        for (const struct grant *g = job->grants; g; g = g->next)
            if (g->kind == GRANT_CLAIM || g->kind == GRANT_SHARE)
                note_job_below(s, job, g->lot);
}

static void forget_below(struct settling *s)
{
    for (size_t i = 0; i < s->below.count; i++) {
        struct jobs_below *jobs = s->below.slots[i].value.pointer;
        free(jobs->list);
        free(jobs);
    }
    map_fini(&s->below);
}

/* --- out ---------------------------------------------------------------- */

static const char *text_in(const struct settling *s, const char *text)
{
    return text ? rset_string(s->u->rs, text) : NULL;
}

/* Who was in the list stays in its place; who is new comes after. */
static void write_shared(struct settling *s, const struct lot *lot,
                         const struct joblist *old, struct joblist **out)
{
    const struct map_slot *slot = map_find(&s->below, &lot, sizeof(lot));
    const struct jobs_below none = {0},
                            *jobs = slot ? slot->value.pointer : &none;
    size_t serial = ++s->serial;

    for (size_t i = 0; i < jobs->n; i++)
        jobs->list[i]->mark = serial;
    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (g->kind == GRANT_SHARE)
            g->job->mark = serial;
    for (; old; old = old->next) {
        struct job *job = job_find(s->u, old->job);
        if (job && job->mark == serial) {
            joblist_append(out, old->job, 0);
            out = &(*out)->next;
            job->mark = 0;
        }
    }
    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (g->kind == GRANT_SHARE && g->job->mark == serial) {
            joblist_append(out, text_in(s, g->job->name), 0);
            out = &(*out)->next;
            g->job->mark = 0;
        }
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->list[i]->mark == serial) {
            joblist_append(out, text_in(s, jobs->list[i]->name), 0);
            out = &(*out)->next;
        }
}

static void write_grant(const struct settling *s, struct records *rec,
                        const struct grant *g)
{
    const char *job = text_in(s, g->job->name);
    struct claim claim = {.job = job, .size = g->units};

    if (g->kind == GRANT_CLAIM) {
        claim.owner = text_in(s, g->term->owner);
        claim.start = g->term->start;
        claim.end = g->term->end;
        claim.kind = g->term->reserved ? CLAIM_RESERVATION : CLAIM_ALLOCATION;
        records_claim(rec, &claim);
    } else if (g->kind == GRANT_LISTED) {
        joblist_append(&rec->listed, job, g->units);
    } else if (g->kind == GRANT_STAGED) {
        rec->staged = job;
    }
}

/* The records of a lot for the vertex that has just its members. */
static void write_records(struct settling *s, const struct lot *lot,
                          struct vertex *v)
{
    struct records *old = v->records, *rec;

    v->records = NULL;
    rec = vertex_records(v);
    for (const struct grant *g = lot->grants; g; g = g->beside)
        write_grant(s, rec, g);
    write_shared(s, lot, old ? old->shared : NULL, &rec->shared);
    records_destroy(old);
    vertex_tidy_records(v);
}

/* The child of a vertex, or of a copy of it, that is a given one. */
static struct vertex *child_like(const struct vertex *v, const struct lot *lot)
{
    struct vertex *c = v->child;

    if (lot->v->parent == v || !lot->v->parent)
        return lot->v;
    while (c->number != lot->v->number)
        c = c->next;
    return c;
}

/* The members of a lot as a vertex of their own. */
static struct vertex *split_vertex(struct settling *s, const struct lot *lot,
                                   struct vertex *v)
{
    struct idset *members;

    if (!v->run)
        return v;
    members = idset_create_range(lot->at, lot->at + lot->n - 1);
    v = vertex_split(s->u->rs, v, members);
    idset_destroy(members);
    return v;
}

/* `v` has just the members of the lot. */
static void settle_lot(struct settling *s, const struct lot *lot,
                       struct vertex *v)
{
    struct lot_list lots = {0};
    struct vertex **at;

    if (lot->parent)
        write_records(s, lot, v);
    if (!lot->dirty_below)
        return;
    for (struct lot *c = lot->child; c; c = c->next)
        if (c->dirty || c->dirty_below)
            add_lot(&lots, c);
    at = xcalloc(lots.n, sizeof(*at));
    for (size_t i = 0; i < lots.n; i++) /* before any is split */
        at[i] = child_like(v, lots.list[i]);
    for (size_t i = 0; i < lots.n; i++) {
        settle_lot(s, lots.list[i], split_vertex(s, lots.list[i], at[i]));
    }
    if (lot->parent)
        vertex_sort_children(v);
    free(at);
    free(lots.list);
}

void usage_settle(struct usage *u)
{
    struct settling s = {.u = u};

    note_all_below(&s);
    settle_lot(&s, &u->top, &u->above);
    forget_below(&s);
    usage_destroy(u);
}

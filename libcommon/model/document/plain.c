/*
 * What an R without a graph can say of what jobs hold, and what it can't
 * (plain.h).
 */
#include "model/document/plain.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strtab.h"
#include "model/tree/path.h"
#include "model/document/rlite.h"
#include "model/records/tags.h"

static const struct vertex *target_of(const struct vertex *v)
{
    while (v && !vertex_is_target(v))
        v = v->parent;
    return v;
}

bool plain_lists(const struct rset *rs, const struct vertex *v)
{
    return vertex_is_target(v) || (rlite_type(rs, v->type) && target_of(v));
}

/* --- what can't be said -------------------------------------------------- */

bool plain_whole(const struct claim *c, const struct vertex *v)
{
    return c->size > 0 && c->size >= v->size;
}

static int fault_at(const struct rset *rs, const struct vertex *v,
                    struct diag *d)
{
    char *place = vertex_place(rs, v);

    diag_in(d, "%s", place);
    free(place);
    return -1;
}

static int check_whole_claims(const struct rset *rs, const struct vertex *v,
                              struct diag *d)
{
    for (const struct claim *c = v->records->claims; c; c = c->next) {
        if (plain_whole(c, v))
            continue;
        diag_set(d,
                 "job %s holds %lld of %lld units: an R without a graph names "
                 "a pool only as a whole",
                 c->job, (long long)c->size, (long long)v->size);
        return fault_at(rs, v, d);
    }
    return 0;
}

/* Add the claims to those of a target of which all is held. */
static void add_claims(struct records *all, const struct vertex *v)
{
    for (const struct claim *c = v->records->claims; c; c = c->next) {
        struct claim one = *c;
        const struct claim *same = all->claims;
        while (same && !claim_same_terms(same, c))
            same = same->next;
        one.size = 1;
        if (!same && plain_whole(c, v))
            records_claim(all, &one);
    }
}

/* What a job holds whole above a target is said of the target. */
static int check_above_target(const struct rset *rs,
                              const struct vertex *target, struct diag *d)
{
    struct records *all = NULL;
    int rc = 0;

    for (const struct vertex *v = target->parent; v; v = v->parent) {
        if (!v->records || !v->records->claims)
            continue;
        all = all ? all : records_create();
        add_claims(all, v);
    }
    if (all && target->records)
        add_claims(all, target);
    if (all && records_check(all, 1, d) < 0)
        rc = fault_at(rs, target, d);
    records_destroy(all);
    return rc;
}

int plain_check(const struct rset *rs, struct diag *d)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        if (v->records && plain_lists(rs, v)
            && check_whole_claims(rs, v, d) < 0)
            return -1;
        if (vertex_is_target(v) && check_above_target(rs, v, d) < 0)
            return -1;
    }
    return 0;
}

/* --- what is left out ---------------------------------------------------- */

enum loss {
    LOSS_ALLOCATIONS,
    LOSS_RESERVATIONS,
    LOSS_SHARED,
    LOSS_STAGED,
    LOSS_STATE,
    LOSS_TAGS,
    LOSS_EXCLUSIVE,
    LOSS_SIZE,
    LOSS_NODE,
    LOSS_POOL,
    LOSSES
};

static const char *const loss_words[LOSSES] = {
    [LOSS_ALLOCATIONS] = "allocations of",
    [LOSS_RESERVATIONS] = "reservations of",
    [LOSS_SHARED] = "jobs that share",
    [LOSS_STAGED] = "the job that stages",
    [LOSS_STATE] = "the state of",
    [LOSS_TAGS] = "tags of",
    [LOSS_EXCLUSIVE] = "the exclusive flag of",
    [LOSS_SIZE] = "the size of",
    [LOSS_NODE] = "a node without a rank,",
    [LOSS_POOL] = "a pool outside of nodes,",
};

struct losses {
    const struct vertex *first[LOSSES];
    size_t count[LOSSES];
};

static void lose(struct losses *l, enum loss kind, const struct vertex *v)
{
    if (l->count[kind]++ == 0)
        l->first[kind] = v;
}

static void add_job(struct strtab *jobs, const char *job)
{
    strtab_intern(jobs, job, strlen(job));
}

static void add_jobs(struct strtab *jobs, const struct records *rec)
{
    for (const struct claim *c = rec->claims; c; c = c->next)
        add_job(jobs, c->job);
    for (const struct joblist *j = rec->shared; j; j = j->next)
        add_job(jobs, j->job);
}

/*
 * Does a job share this very pool? As vertex_shared_by(), for all of its jobs
 * in one walk: a rack may be shared by thousands.
 */
static bool is_shared(const struct vertex *v)
{
    struct strtab below = {0};
    bool shared = false;

    for (const struct vertex *c = vertex_next(v, v, false);
         c && v->records->shared; c = vertex_next(v, c, false))
        if (c->records)
            add_jobs(&below, c->records);
    for (const struct joblist *j = v->records->shared; j; j = j->next)
        shared = shared
                 || (!strtab_find(&below, j->job)
                     && !records_claimed_by(v->records, j->job));
    strtab_fini(&below);
    return shared;
}

static void lose_records(struct losses *l, const struct vertex *v)
{
    bool kinds[CLAIM_KINDS] = {false};

    for (const struct claim *c = v->records->claims; c; c = c->next)
        kinds[c->kind] = true;
    if (kinds[CLAIM_ALLOCATION])
        lose(l, LOSS_ALLOCATIONS, v);
    if (kinds[CLAIM_RESERVATION])
        lose(l, LOSS_RESERVATIONS, v);
    if (is_shared(v))
        lose(l, LOSS_SHARED, v);
    if (v->records->staged)
        lose(l, LOSS_STAGED, v);
}

/* The pool itself is missed where R_lite lists its like. */
static void lose_unlisted(struct losses *l, const struct rset *rs,
                          const struct vertex *v)
{
    if (v->records)
        lose_records(l, v);
    if (v->state != STATE_UP)
        lose(l, LOSS_STATE, v);
    if (vertex_has_tags(v))
        lose(l, LOSS_TAGS, v);
    if (v->exclusive && !(v->parent && v->parent->exclusive))
        lose(l, LOSS_EXCLUSIVE, v);
    if (type_is_node(v->type) && !target_of(v))
        lose(l, LOSS_NODE, v);
    else if (rlite_type(rs, v->type))
        lose(l, LOSS_POOL, v);
}

static void put_losses(const struct losses *l, const struct rset *rs, FILE *fp)
{
    const char *sep = "";

    for (int k = 0; k < LOSSES; k++) {
        char *place;
        if (!l->count[k])
            continue;
        place = vertex_place(rs, l->first[k]);
        fprintf(fp, "%s%s %s", sep, loss_words[k], place);
        if (l->count[k] > 1)
            fprintf(fp, " and %zu more", l->count[k] - 1);
        sep = ", ";
        free(place);
    }
}

void plain_note(struct rset *rs)
{
    struct losses l = {0};
    char *text = NULL;
    size_t len;
    FILE *fp;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        if (!plain_lists(rs, v))
            lose_unlisted(&l, rs, v);
        else if (v->size != 1)
            lose(&l, LOSS_SIZE, v);
    }
    fp = memory_open(&text, &len);
    put_losses(&l, rs, fp);
    memory_close(fp);
    if (len > 0)
        rset_note(rs, "an R without a graph can't say all, left out: %s", text);
    free(text);
}

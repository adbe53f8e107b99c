/*
 * What an R without a graph can say of what jobs hold, and what it can't
 * (plain.h).
 */
#include "model/document/plain.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/tree/path.h"
#include "model/document/rlite.h"
#include "model/records/jobs.h"
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

bool plain_whole(const struct grant *g)
{
    return g->term->kind == GRANT_CLAIM && g->units > 0
           && g->units >= g->lot->v->size;
}

static int check_whole_claims(const struct usage *u, const struct lot *lot,
                              struct diag *d)
{
    for (const struct grant *g = lot->grants; g; g = g->beside) {
        char *place;
        if (g->term->kind != GRANT_CLAIM || plain_whole(g))
            continue;
        diag_set(d,
                 "job %s holds %lld of %lld units: an R without a graph names "
                 "a pool only as a whole",
                 g->term->job->name, (long long)g->units,
                 (long long)lot->v->size);
        place = lot_place(u, lot, NULL);
        diag_in(d, "%s", place);
        free(place);
        return -1;
    }
    return 0;
}

static int check_lots(const struct rset *rs, struct lot *lot, struct diag *d)
{
    if (plain_lists(rs, lot->v) && check_whole_claims(rs->usage, lot, d) < 0)
        return -1;
    for (struct lot *c = lot_child(lot); c; c = c->next)
        if (!lot_is_blank(c) && check_lots(rs, c, d) < 0)
            return -1;
    return 0;
}

int plain_check(const struct rset *rs, struct diag *d)
{
    return rs->usage ? check_lots(rs, &rs->usage->top, d) : 0;
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

static void lose_records(struct losses *l, const struct vertex *v)
{
    bool kinds[LOSSES] = {false};

    for (const struct grant *g = v->lot->grants; g; g = g->beside)
        kinds[g->term->kind == GRANT_SHARE    ? LOSS_SHARED
              : g->term->kind == GRANT_STAGED ? LOSS_STAGED
              : g->term->kind == GRANT_LISTED ? LOSSES - 1
              : g->term->reserved             ? LOSS_RESERVATIONS
                                              : LOSS_ALLOCATIONS] = true;
    for (int k = LOSS_ALLOCATIONS; k <= LOSS_STAGED; k++)
        if (kinds[k])
            lose(l, (enum loss)k, v);
}

/* The pool itself is missed where R_lite lists its like. */
static void lose_unlisted(struct losses *l, const struct rset *rs,
                          const struct vertex *v)
{
    if (v->lot)
        lose_records(l, v);
    if (vertex_state(v) != STATE_UP)
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

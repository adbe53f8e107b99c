/*
 * Writing marks. They are gathered target by target. What a mark says of the
 * target at hand waits in `here`; when the target is done it goes into the
 * mark's R_lite, which joins ranks with the same.
 */
#include "model/document/marks_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "model/document/plain.h"

struct gathered {
    struct mark mark;
    struct lite_children here;
    bool self;    /* it speaks of the target at hand itself */
    bool touched; /* by the target at hand */
};

struct gathered_marks {
    const struct rset *rs;
    struct gathered *list;
    size_t n;
    size_t *touched, ntouched; /* those of the target at hand */
    struct map marks;          /* the number in the list + 1 */
    struct strtab texts;       /* of tags and their values */
    const char **below;        /* jobs below the vertex at hand */
    size_t nbelow;
    struct idset *exclusive, *holds; /* ranks, not of any mark */
};

/* What makes a mark: every text is one pointer. */
struct mark_key {
    const char *name, *owner, *value;
    double start, end;
    size_t kind;
};

static const char *one_copy(struct gathered_marks *g, const char *text)
{
    return strtab_intern(&g->texts, text, strlen(text));
}

static struct mark_key key_of(struct gathered_marks *g, const struct mark *m)
{
    struct mark_key key = {m->name, m->owner, NULL, m->start, m->end, m->kind};
    char *text;

    if (m->kind == MARK_TAG)
        key.name = one_copy(g, m->name);
    if (m->value) {
        text = json_dumps(m->value, JSON_ENCODE_ANY);
        key.value = one_copy(g, text);
        free(text);
    }
    return key;
}

/* The mark as it is gathered, touched by the target at hand. */
static struct gathered *gather_mark(struct gathered_marks *g,
                                    const struct mark *m)
{
    struct mark_key key = key_of(g, m);
    struct map_slot *slot = map_at(&g->marks, &key, sizeof(key));
    struct gathered *found;

    if (!slot->value.number) {
        VECTOR_GROW(g->list, g->n);
        VECTOR_GROW(g->touched, g->n);
        g->list[g->n] = (struct gathered){.mark = *m};
        json_incref(g->list[g->n].mark.value);
        slot->value.number = ++g->n;
    }
    found = &g->list[slot->value.number - 1];
    if (!found->touched) {
        found->touched = true;
        g->touched[g->ntouched++] = slot->value.number - 1;
    }
    return found;
}

static void gather_vertex(struct gathered_marks *g, const struct mark *m,
                          const struct vertex *v)
{
    struct gathered *found = gather_mark(g, m);
    struct idset *ids;

    if (vertex_is_target(v)) {
        found->self = true;
        return;
    }
    ids = lite_children_ids(&found->here, v->type);
    if (v->run)
        idset_add_set(ids, v->run);
    else
        idset_add(ids, (uint32_t)v->id, (uint32_t)v->id);
}

static struct mark claim_mark(const struct claim *c)
{
    return (struct mark){.kind = c->kind == CLAIM_ALLOCATION ? MARK_ALLOCATION
                                                             : MARK_RESERVATION,
                         .name = c->job,
                         .owner = c->owner,
                         .start = c->start,
                         .end = c->end};
}

/* Does the job hold v, or all of something that v lies in? */
static bool is_held(const struct vertex *v, const char *job)
{
    int64_t claimed = records_claimed_by(v->records, job);

    for (; v && !claimed; v = v->parent)
        if (v->parent
            && (claimed = records_claimed_by(v->parent->records, job))
                   < v->parent->size)
            claimed = 0;
    return claimed > 0;
}

static void note_below(struct gathered_marks *g, const char *job)
{
    VECTOR_GROW(g->below, g->nbelow);
    g->below[g->nbelow++] = job;
}

/* The jobs that have something below v, in order of their pointers. */
static void find_below(struct gathered_marks *g, const struct vertex *v)
{
    g->nbelow = 0;
    for (const struct vertex *c = vertex_next(v, v, false); c;
         c = vertex_next(v, c, false)) {
        if (!c->records)
            continue;
        for (const struct claim *claim = c->records->claims; claim;
             claim = claim->next)
            note_below(g, claim->job);
        for (const struct joblist *j = c->records->shared; j; j = j->next)
            note_below(g, j->job);
    }
    if (g->nbelow)
        qsort(g->below, g->nbelow, sizeof(*g->below), strtab_compare);
}

static bool is_job_below(const struct gathered_marks *g, const char *job)
{
    return g->nbelow
           && bsearch(&job, g->below, g->nbelow, sizeof(job), strtab_compare);
}

/* A job that shares the pool itself: it has nothing below it. */
static void gather_shared(struct gathered_marks *g, const struct vertex *v)
{
    if (v->records->shared)
        find_below(g, v);
    for (const struct joblist *j = v->records->shared; j; j = j->next) {
        struct mark m = {.kind = MARK_SHARED,
                         .name = j->job,
                         .start = TIME_UNSET,
                         .end = TIME_UNSET};
        if (!is_job_below(g, j->job) && !is_held(v, j->job))
            gather_vertex(g, &m, v);
    }
}

/* What the job that holds a vertex whole lists of all below it. */
static void gather_listed(struct gathered_marks *g, const struct mark *m,
                          const struct vertex *top)
{
    bool part = vertex_lists_part(top, m->name);

    for (const struct vertex *v = vertex_next(top, top, false); v;
         v = vertex_next(top, v, false))
        if (rlite_type(g->rs, v->type)
            && (!part
                || (v->records && joblist_has(v->records->listed, m->name))))
            gather_vertex(g, m, v);
}

static void gather_claims(struct gathered_marks *g, const struct vertex *v)
{
    bool spoken = vertex_is_target(v) || rlite_type(g->rs, v->type);

    for (const struct claim *c = v->records->claims; c; c = c->next) {
        struct mark m = claim_mark(c);
        if (spoken)
            gather_vertex(g, &m, v);
        if (plain_whole(c, v))
            gather_listed(g, &m, v);
    }
}

/* Tags are a list of names, or an object that may give them values. */
static void gather_tags(struct gathered_marks *g, const struct vertex *v)
{
    json_t *tags = json_object_get(v->extra, "tags"), *value;
    struct mark m = {.kind = MARK_TAG, .start = TIME_UNSET, .end = TIME_UNSET};
    size_t i;

    json_object_foreach (tags, m.name, value) {
        m.value = json_is_null(value) ? NULL : value;
        gather_vertex(g, &m, v);
    }
    m.value = NULL;
    json_array_foreach (tags, i, value)
        if ((m.name = json_string_value(value)))
            gather_vertex(g, &m, v);
}

static void gather_records(struct gathered_marks *g, const struct vertex *v)
{
    struct mark m = {.start = TIME_UNSET, .end = TIME_UNSET};
    bool spoken = vertex_is_target(v) || rlite_type(g->rs, v->type);

    if (v->state != STATE_UP && spoken) {
        m.kind = MARK_STATE;
        m.name = pool_state_names[v->state];
        gather_vertex(g, &m, v);
    }
    if (spoken)
        gather_tags(g, v);
    if (!v->records)
        return;
    gather_claims(g, v);
    if (spoken)
        gather_shared(g, v);
    if (spoken && v->records->staged) {
        m.kind = MARK_STAGED;
        m.name = v->records->staged;
        gather_vertex(g, &m, v);
    }
}

/* Ranks that the job of this claim holds whole. */
static void gather_holds(struct gathered_marks *g, const struct mark *m,
                         const struct idset *ranks)
{
    struct mark *found = &gather_mark(g, m)->mark;

    if (!found->holds)
        found->holds = idset_create();
    idset_add_set(found->holds, ranks);
}

/*
 * The target is done: what was said of it goes to its ranks. A claim on pools
 * in a target says that the target is shared, a state of them says nothing of
 * the target's: that is an entry of its own.
 */
static void settle(struct gathered_marks *g, const struct idset *ranks)
{
    for (size_t i = 0; i < g->ntouched; i++) {
        struct gathered *m = &g->list[g->touched[i]];
        struct lite_children none = {0};
        if (m->self && m->here.n > 0 && m->mark.kind >= MARK_STAGED)
            rlite_add(&m->mark.lite, ranks, &none);
        rlite_add(&m->mark.lite, ranks, &m->here);
        m->self = m->touched = false;
    }
    g->ntouched = 0;
}

/* A vertex above the target that a job holds whole. */
static void gather_above(struct gathered_marks *g, const struct vertex *target,
                         const struct idset *ranks)
{
    for (const struct vertex *up = target->parent; up; up = up->parent) {
        if (!up->records)
            continue;
        for (const struct claim *c = up->records->claims; c; c = c->next) {
            struct mark m = claim_mark(c);
            if (!plain_whole(c, up))
                continue;
            gather_listed(g, &m, target);
            gather_holds(g, &m, ranks);
        }
    }
}

/*
 * Has a job to take it whole? Of a node of which an R lists nothing a reader
 * can't tell this from one that is held.
 */
static bool taken_whole(const struct gathered_marks *g,
                        const struct vertex *target)
{
    const struct vertex *v = vertex_next(target, target, false);

    while (v && !rlite_type(g->rs, v->type))
        v = vertex_next(target, v, false);
    return v && vertex_taken_whole(target);
}

/* Is there anything to be said of a vertex? Of most there is not. */
static bool is_marked(const struct vertex *v)
{
    return v->records || v->extra || v->exclusive || v->state != STATE_UP;
}

/* Anything in the set? The vertices are asked in the order of their memory. */
static bool any_marked(const struct rset *rs)
{
    for (size_t i = 0; i < rs->nvertices; i++)
        if (is_marked(rs->vertices[i]))
            return true;
    return false;
}

static void gather_target_marks(struct gathered_marks *g,
                                const struct vertex *target)
{
    struct idset *ranks = target->run
                              ? idset_copy(target->run)
                              : idset_create_range((uint32_t)target->rank,
                                                   (uint32_t)target->rank);

    for (const struct vertex *v = target; v; v = vertex_next(target, v, false))
        gather_records(g, v);
    if (target->records)
        for (const struct claim *c = target->records->claims; c; c = c->next) {
            struct mark m = claim_mark(c);
            gather_holds(g, &m, ranks);
        }
    gather_above(g, target, ranks);
    if (target->exclusive)
        idset_add_set(taken_whole(g, target) ? g->exclusive : g->holds, ranks);
    settle(g, ranks);
    idset_destroy(ranks);
}

static int compare_values(const json_t *a, const json_t *b)
{
    char *x = a ? json_dumps(a, JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;
    char *y = b ? json_dumps(b, JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;
    int c = strcmp(x ? x : "", y ? y : "");

    free(x);
    free(y);
    return c;
}

static int compare_marks(const void *a, const void *b)
{
    const struct mark *ma = &((const struct gathered *)a)->mark;
    const struct mark *mb = &((const struct gathered *)b)->mark;
    int c;

    if (ma->kind != mb->kind)
        return ma->kind < mb->kind ? -1 : 1;
    if ((c = job_compare(ma->name, mb->name)))
        return c;
    if (ma->start != mb->start)
        return ma->start < mb->start ? -1 : 1;
    if (ma->end != mb->end)
        return ma->end < mb->end ? -1 : 1;
    if ((c = strcmp(ma->owner ? ma->owner : "", mb->owner ? mb->owner : "")))
        return c;
    return compare_values(ma->value, mb->value);
}

static json_t *mark_to_json(struct mark *m)
{
    json_t *entry = json_object();
    char *holds = m->holds ? idset_encode(m->holds) : NULL;

    rlite_sort(&m->lite);
    json_object_set_new(entry, mark_words[m->kind].name,
                        m->kind >= MARK_STATE ? json_string(m->name)
                                              : job_to_json(m->name));
    if (m->value)
        json_object_set(entry, "value", m->value);
    json_object_set_new(entry, "R_lite",
                        rlite_to_json(&m->lite, m->kind <= MARK_RESERVATION
                                                    ? RLITE_CLAIM
                                                    : RLITE_RECORD));
    if (holds)
        json_object_set_new(entry, "holds", json_string(holds));
    if (m->owner)
        json_object_set_new(entry, "owner", job_to_json(m->owner));
    if (m->start >= 0)
        json_object_set_new(entry, "start", time_to_json(m->start));
    if (m->end >= 0)
        json_object_set_new(entry, "end", time_to_json(m->end));
    free(holds);
    return entry;
}

static void put_ranks(json_t *scheduler, const char *key,
                      const struct idset *ranks)
{
    char *text = idset_encode(ranks);

    if (!idset_empty(ranks))
        json_object_set_new(scheduler, key, json_string(text));
    free(text);
}

static void put_marks(struct gathered_marks *g, json_t *scheduler)
{
    marks_drop_keys(scheduler);
    if (g->n)
        qsort(g->list, g->n, sizeof(*g->list), compare_marks);
    for (size_t i = 0; i < g->n; i++) {
        const char *key = mark_words[g->list[i].mark.kind].key;
        json_t *list = json_object_get(scheduler, key);
        if (!list) {
            list = json_array();
            json_object_set_new(scheduler, key, list);
        }
        json_array_append_new(list, mark_to_json(&g->list[i].mark));
        mark_fini(&g->list[i].mark);
        lite_children_fini(&g->list[i].here);
    }
    put_ranks(scheduler, "exclusive", g->exclusive);
    put_ranks(scheduler, "holds", g->holds);
}

void marks_write(const struct rset *rs, json_t *scheduler)
{
    struct gathered_marks g = {
        .rs = rs, .exclusive = idset_create(), .holds = idset_create()};
    struct vertex **targets = NULL;
    ssize_t n = any_marked(rs) ? rset_targets(rs, &targets) : 0;

    for (ssize_t i = 0; i < n; i++)
        gather_target_marks(&g, targets[i]);
    put_marks(&g, scheduler);
    free(targets);
    free(g.list);
    free(g.touched);
    free(g.below);
    map_fini(&g.marks);
    strtab_fini(&g.texts);
    idset_destroy(g.exclusive);
    idset_destroy(g.holds);
}

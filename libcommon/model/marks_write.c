/*
 * Writing marks. They are gathered target by target. What a mark says of the
 * target at hand waits in `here`; when the target is done it goes into the
 * mark's R_lite, which joins ranks with the same.
 */
#include "model/marks_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/plain.h"

struct gathered {
    struct mark mark;
    struct lite_children here;
    bool self;    /* it speaks of the target at hand itself */
    bool touched; /* by the target at hand */
};

struct gathering {
    const struct rset *rs;
    struct gathered *list;
    size_t n, size;
    size_t *touched, ntouched;       /* those of the target at hand */
    struct map marks;                /* the number in the list + 1 */
    struct idset *exclusive, *holds; /* ranks, not of any mark */
    bool failed;
};

/* The number of a mark in the list, from 1; 0 when memory ran out. */
static size_t find_mark(struct gathering *g, const struct mark *m)
{
    char *value = m->value ? json_dumps(m->value, JSON_ENCODE_ANY) : NULL;
    char *key = NULL;
    int len = xasprintf(&key, "%d %a %a %s=%s %s", m->kind, m->start, m->end,
                        m->name, value ? value : "", m->owner ? m->owner : "");
    struct map_slot *slot = NULL;
    size_t size = g->size ? g->size * 2 : 16;

    free(value);
    if (len >= 0) {
        slot = map_at(&g->marks, key, (size_t)len);
        free(key);
    }
    if (!slot || slot->value.number)
        return slot ? slot->value.number : 0;
    if (g->n == g->size) {
        struct gathered *list = xrealloc(g->list, size * sizeof(*list));
        size_t *touched = xrealloc(g->touched, size * sizeof(*touched));
        g->list = list ? list : g->list;
        g->touched = touched ? touched : g->touched;
        if (!list || !touched)
            return 0;
        g->size = size;
    }
    g->list[g->n] = (struct gathered){.mark = *m};
    json_incref(g->list[g->n++].mark.value);
    return slot->value.number = g->n;
}

/* The mark as it is gathered, touched by the target at hand. */
static struct gathered *gather(struct gathering *g, const struct mark *m)
{
    size_t number = g->failed ? 0 : find_mark(g, m);
    struct gathered *found;

    if (!number) {
        g->failed = true;
        return NULL;
    }
    found = &g->list[number - 1];
    if (!found->touched) {
        found->touched = true;
        g->touched[g->ntouched++] = number - 1;
    }
    return found;
}

static void gather_vertex(struct gathering *g, const struct mark *m,
                          const struct vertex *v)
{
    struct gathered *found = gather(g, m);
    struct idset *ids = NULL;

    if (found && vertex_is_target(v))
        found->self = true;
    if (found && !vertex_is_target(v))
        ids = lite_children_ids(&found->here, v->type);
    if (ids && v->run)
        idset_add_set(ids, v->run);
    else if (ids)
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

static void gather_shared(struct gathering *g, const struct vertex *v)
{
    for (const struct joblist *j = v->records->shared; j; j = j->next) {
        struct mark m = {.kind = MARK_SHARED,
                         .name = j->job,
                         .start = TIME_UNSET,
                         .end = TIME_UNSET};
        if (vertex_shared_by(v, j->job) && !is_held(v, j->job))
            gather_vertex(g, &m, v);
    }
}

/* What the job that holds a vertex whole lists of all below it. */
static void gather_listed(struct gathering *g, const struct mark *m,
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

static void gather_claims(struct gathering *g, const struct vertex *v)
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
static void gather_tags(struct gathering *g, const struct vertex *v)
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

static void gather_records(struct gathering *g, const struct vertex *v)
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
static int gather_holds(struct gathering *g, const struct mark *m,
                        const struct idset *ranks)
{
    struct gathered *found = gather(g, m);

    if (!found)
        return -1;
    if (!found->mark.holds && !(found->mark.holds = idset_create()))
        return -1;
    idset_add_set(found->mark.holds, ranks);
    return 0;
}

/*
 * A claim on pools in a target says that the target is shared, a state of
 * them says nothing of the target's: that is an entry of its own.
 */
static int settle_self(struct gathered *m, const struct idset *ranks)
{
    struct lite_children none = {0};
    bool apart = m->self && m->here.n > 0 && m->mark.kind >= MARK_STAGED;

    m->self = false;
    return apart ? rlite_add(&m->mark.lite, ranks, &none) : 0;
}

/* The target is done: what was said of it goes to its ranks. */
static int settle(struct gathering *g, const struct idset *ranks)
{
    int rc = g->failed ? -1 : 0;

    for (size_t i = 0; i < g->ntouched; i++) {
        struct gathered *m = &g->list[g->touched[i]];
        if (rc == 0)
            rc = settle_self(m, ranks);
        if (rc == 0)
            rc = rlite_add(&m->mark.lite, ranks, &m->here);
        m->touched = false;
    }
    g->ntouched = 0;
    return rc;
}

/* A vertex above the target that a job holds whole. */
static void gather_above(struct gathering *g, const struct vertex *target,
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
            if (gather_holds(g, &m, ranks) < 0)
                g->failed = true;
        }
    }
}

/*
 * Has a job to take it whole? Of a node of which an R lists nothing a reader
 * can't tell this from one that is held.
 */
static bool taken_whole(const struct gathering *g, const struct vertex *target)
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

static int gather_target(struct gathering *g, const struct vertex *target)
{
    struct idset *own = NULL;
    const struct idset *ranks = target->run;
    int rc;

    if (!ranks)
        ranks = own = idset_create_range((uint32_t)target->rank,
                                         (uint32_t)target->rank);
    if (!ranks)
        return -1;
    for (const struct vertex *v = target; v; v = vertex_next(target, v, false))
        gather_records(g, v);
    if (target->records)
        for (const struct claim *c = target->records->claims; c; c = c->next) {
            struct mark m = claim_mark(c);
            if (gather_holds(g, &m, ranks) < 0)
                g->failed = true;
        }
    gather_above(g, target, ranks);
    if (target->exclusive)
        idset_add_set(taken_whole(g, target) ? g->exclusive : g->holds, ranks);
    rc = settle(g, ranks);
    idset_destroy(own);
    return rc;
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

static int put_ranks(json_t *scheduler, const char *key,
                     const struct idset *ranks)
{
    char *text;
    int rc;

    if (idset_empty(ranks))
        return 0;
    if (!(text = idset_encode(ranks)))
        return -1;
    rc = json_object_set_new(scheduler, key, json_string(text));
    free(text);
    return rc;
}

static int put_marks(struct gathering *g, json_t *scheduler)
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
        if (json_array_append_new(list, mark_to_json(&g->list[i].mark)) < 0)
            return -1;
    }
    return put_ranks(scheduler, "exclusive", g->exclusive) < 0
                   || put_ranks(scheduler, "holds", g->holds) < 0
               ? -1
               : 0;
}

int marks_write(const struct rset *rs, json_t *scheduler, struct diag *d)
{
    struct gathering g = {
        .rs = rs, .exclusive = idset_create(), .holds = idset_create()};
    struct vertex **targets = NULL;
    ssize_t n = any_marked(rs) ? rset_targets(rs, &targets) : 0;
    int rc = n < 0 || !g.exclusive || !g.holds ? -1 : 0;

    for (ssize_t i = 0; rc == 0 && i < n; i++)
        rc = gather_target(&g, targets[i]);
    if (rc == 0)
        rc = put_marks(&g, scheduler);
    for (size_t i = 0; i < g.n; i++) {
        mark_fini(&g.list[i].mark);
        lite_children_fini(&g.list[i].here);
    }
    if (n >= 0)
        free(targets);
    free(g.list);
    free(g.touched);
    map_fini(&g.marks);
    idset_destroy(g.exclusive);
    idset_destroy(g.holds);
    return rc < 0 ? diag_oom(d) : 0;
}

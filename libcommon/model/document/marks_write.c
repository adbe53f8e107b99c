/*
 * Writing marks. They are gathered target by target. What a mark says of the
 * target at hand waits in `here`; when the target is done it goes into the
 * mark's R_lite, which joins ranks with the same.
 */
#include "model/document/marks_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "model/document/plain.h"
#include "model/records/jobs.h"

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
    size_t *touched, ntouched;       /* those of the target at hand */
    struct map marks;                /* the number in the list + 1 */
    struct strtab texts;             /* of tags and their values */
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

/* What is said of a pool of a target: the target itself, or ids in it. */
static struct idset *said_ids(struct gathered_marks *g, const struct mark *m,
                              const struct vertex *v)
{
    struct gathered *found = gather_mark(g, m);

    if (!vertex_is_target(v))
        return lite_children_ids(&found->here, v->type);
    found->self = true;
    return NULL;
}

static void say_vertex(struct gathered_marks *g, const struct mark *m,
                       const struct vertex *v)
{
    struct idset *ids = said_ids(g, m, v);

    if (ids && v->run)
        idset_add_set(ids, v->run);
    else if (ids)
        idset_add(ids, (uint32_t)v->id, (uint32_t)v->id);
}

static void say_lot(struct gathered_marks *g, const struct mark *m,
                    const struct lot *lot)
{
    struct idset *ids = said_ids(g, m, lot->v);
    uint32_t first = lot->v->run ? lot->at : (uint32_t)lot->v->id;

    if (ids)
        idset_add(ids, first, first + lot->n - 1);
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
static void end_target(struct gathered_marks *g, const struct idset *ranks)
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

/* --- what jobs have, and states ------------------------------------------ */

static struct mark word_mark(enum mark_kind kind, const char *name)
{
    return (struct mark){
        .kind = kind, .name = name, .start = TIME_UNSET, .end = TIME_UNSET};
}

static struct mark claim_mark(const struct grant *c)
{
    struct mark m = word_mark(c->term->reserved ? MARK_RESERVATION
                                                : MARK_ALLOCATION,
                              c->term->job->name);

    m.owner = c->term->owner;
    m.start = c->term->start;
    m.end = c->term->end;
    return m;
}

/* Is it, or something in it, marked as what the job's R lists? */
static bool lists_part_of(struct lot *top, struct job *job)
{
    for (struct lot *lot = job->nlisted ? top : NULL; lot;
         lot = lot_next_in(top, lot))
        if (grant_find(lot, job, GRANT_LISTED))
            return true;
    return false;
}

/* What the job of a claim that holds a lot whole lists of all below it. */
static void gather_listed(struct gathered_marks *g, const struct grant *claim,
                          struct lot *top)
{
    bool part = lists_part_of(top, claim->term->job);
    struct mark m = claim_mark(claim);

    for (struct lot *lot = part ? lot_next_in(top, top) : NULL; lot;
         lot = lot_next_in(top, lot))
        if (rlite_type(g->rs, lot->v->type)
            && grant_find(lot, claim->term->job, GRANT_LISTED))
            say_lot(g, &m, lot);
    for (const struct vertex *v = part ? NULL : vertex_next(top->v, top->v, 0);
         v; v = vertex_next(top->v, v, false))
        if (rlite_type(g->rs, v->type))
            say_vertex(g, &m, v);
}

static void say_grant(struct gathered_marks *g, const struct grant *grant)
{
    struct mark m;

    if (grant->term->kind == GRANT_CLAIM)
        m = claim_mark(grant);
    else if (grant->term->kind == GRANT_SHARE)
        m = word_mark(MARK_SHARED, grant->term->job->name);
    else if (grant->term->kind == GRANT_STAGED)
        m = word_mark(MARK_STAGED, grant->term->job->name);
    else
        return;
    say_lot(g, &m, grant->lot);
}

static void gather_records(struct gathered_marks *g, struct lot *lot)
{
    bool spoken = vertex_is_target(lot->v) || rlite_type(g->rs, lot->v->type);
    struct mark m = word_mark(MARK_STATE, pool_state_names[lot->state]);

    if (spoken && lot->state != STATE_UP)
        say_lot(g, &m, lot);
    for (const struct grant *c = lot->grants; c; c = c->beside) {
        if (spoken)
            say_grant(g, c);
        if (plain_whole(c))
            gather_listed(g, c, lot);
    }
}

/* A pool above the target that a job holds whole. */
static void gather_above(struct gathered_marks *g, struct lot *target,
                         const struct idset *ranks)
{
    for (const struct lot *up = target->parent; up; up = up->parent)
        for (const struct grant *c = up->grants; c; c = c->beside) {
            struct mark m;
            if (!plain_whole(c))
                continue;
            m = claim_mark(c);
            gather_listed(g, c, target);
            gather_holds(g, &m, ranks);
        }
}

static void say_target(struct gathered_marks *g, struct lot *target)
{
    uint32_t first = target->v->run ? target->at : (uint32_t)target->v->rank;
    struct idset *ranks = idset_create_range(first, first + target->n - 1);

    for (struct lot *lot = target; lot; lot = lot_next_in(target, lot))
        gather_records(g, lot);
    for (const struct grant *c = target->grants; c; c = c->beside) {
        struct mark m;
        if (c->term->kind != GRANT_CLAIM)
            continue;
        m = claim_mark(c);
        gather_holds(g, &m, ranks);
    }
    gather_above(g, target, ranks);
    end_target(g, ranks);
    idset_destroy(ranks);
}

static bool is_held_whole(const struct lot *lot)
{
    for (const struct grant *c = lot->grants; c; c = c->beside)
        if (plain_whole(c))
            return true;
    return false;
}

/* `whole`: a job holds all of what the lot lies in. */
static void say_lots(struct gathered_marks *g, struct lot *lot, bool whole)
{
    if (vertex_is_target(lot->v)) {
        say_target(g, lot);
        return;
    }
    whole = whole || is_held_whole(lot);
    if (whole)
        lot_open(g->rs->usage, lot);
    for (struct lot *c = lot_child(lot); c; c = c->next)
        if (whole || !lot_is_blank(c))
            say_lots(g, c, whole);
}

/* --- facts: tags, and what is taken whole -------------------------------- */

/* Tags are a list of names, or an object that may give them values. */
static void gather_tags(struct gathered_marks *g, const struct vertex *v)
{
    json_t *tags = json_object_get(v->extra, "tags"), *value;
    struct mark m = word_mark(MARK_TAG, NULL);
    size_t i;

    json_object_foreach (tags, m.name, value) {
        m.value = json_is_null(value) ? NULL : value;
        say_vertex(g, &m, v);
    }
    m.value = NULL;
    json_array_foreach (tags, i, value)
        if ((m.name = json_string_value(value)))
            say_vertex(g, &m, v);
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

/* Are there any in the set? The vertices are asked in the order of memory. */
static bool any_facts(const struct rset *rs)
{
    for (size_t i = 0; i < rs->nvertices; i++)
        if (rs->vertices[i]->extra || rs->vertices[i]->exclusive)
            return true;
    return false;
}

static void gather_facts(struct gathered_marks *g, const struct vertex *target)
{
    struct idset *ranks = target->run
                              ? idset_copy(target->run)
                              : idset_create_range((uint32_t)target->rank,
                                                   (uint32_t)target->rank);

    for (const struct vertex *v = target; v; v = vertex_next(target, v, false))
        if (v == target || rlite_type(g->rs, v->type))
            gather_tags(g, v);
    if (target->exclusive)
        idset_add_set(taken_whole(g, target) ? g->exclusive : g->holds, ranks);
    end_target(g, ranks);
    idset_destroy(ranks);
}

/* --- writing ------------------------------------------------------------- */

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

/* A list is a text, whose place its key keeps, or a value under it. */
static void put_list(struct gathered_marks *g, size_t first, size_t n,
                     json_t *scheduler, char **text)
{
    const char *key = mark_words[g->list[first].mark.kind].key;
    json_t *list = text ? json_true() : json_array();
    size_t len;
    FILE *fp = text ? memory_open(text, &len) : NULL;

    json_object_set_new(scheduler, key, list);
    for (size_t i = first; i < first + n; i++) {
        json_t *entry = mark_to_json(&g->list[i].mark);
        mark_fini(&g->list[i].mark);
        lite_children_fini(&g->list[i].here);
        if (!fp) {
            json_array_append_new(list, entry);
            continue;
        }
        putc(i == first ? '[' : ',', fp);
        json_write(fp, entry);
        json_decref(entry);
    }
    if (fp) {
        putc(']', fp);
        memory_close(fp);
    }
}

static void put_marks(struct gathered_marks *g, json_t *scheduler,
                      struct mark_text *texts)
{
    marks_drop_keys(scheduler);
    if (g->n)
        qsort(g->list, g->n, sizeof(*g->list), compare_marks);
    for (size_t i = 0, n; i < g->n; i += n) {
        enum mark_kind kind = g->list[i].mark.kind;
        for (n = 1; i + n < g->n && g->list[i + n].mark.kind == kind;)
            n++;
        put_list(g, i, n, scheduler, texts ? &texts[kind].text : NULL);
    }
    put_ranks(scheduler, "exclusive", g->exclusive);
    put_ranks(scheduler, "holds", g->holds);
}

void marks_write(const struct rset *rs, json_t *scheduler,
                 struct mark_text *texts)
{
    struct gathered_marks g = {
        .rs = rs, .exclusive = idset_create(), .holds = idset_create()};
    struct vertex **targets = NULL;
    size_t n = any_facts(rs) ? rset_targets(rs, &targets) : 0;

    for (size_t i = 0; i < n; i++)
        gather_facts(&g, targets[i]);
    if (rs->usage)
        say_lots(&g, &rs->usage->top, false);
    put_marks(&g, scheduler, texts);
    free(targets);
    free(g.list);
    free(g.touched);
    map_fini(&g.marks);
    strtab_fini(&g.texts);
    idset_destroy(g.exclusive);
    idset_destroy(g.holds);
}

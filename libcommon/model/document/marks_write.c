/*
 * Writing marks. Those of jobs are made one by one (marks_jobs.c). States and
 * tags are gathered target by target: what a mark says of the target at hand
 * waits; when the target is done it goes into the mark's R_lite, which joins
 * ranks with the same.
 */
#include "model/document/marks_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "model/document/plain.h"
#include "model/records/jobs.h"

struct gathered {
    struct mark mark;
    struct saying saying;
};

struct gathered_marks {
    const struct rset *rs;
    struct gathered *list;
    size_t n;
    size_t *touched, ntouched;       /* those of the target at hand */
    struct map marks;                /* the number in the list + 1 */
    struct idset *exclusive, *holds; /* ranks, not of any mark */
};

/* What a mark says of the target at hand. */
static struct saying *saying_of(struct gathered_marks *g, enum mark_kind kind,
                                const char *name, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL, *key;
    int len = xasprintf(&key, "%d%s%c%s", kind, name, '\0', text ? text : "");
    struct map_slot *slot = map_at(&g->marks, key, (size_t)len);
    struct gathered *found;

    free(text);
    free(key);
    if (!slot->value.number) {
        VECTOR_GROW(g->list, g->n);
        VECTOR_GROW(g->touched, g->n);
        g->list[g->n].mark = (struct mark){.kind = kind,
                                           .name = name,
                                           .value = json_incref(value),
                                           .start = TIME_UNSET,
                                           .end = TIME_UNSET};
        g->list[g->n].saying = (struct saying){0};
        slot->value.number = ++g->n;
    }
    found = &g->list[slot->value.number - 1];
    if (!found->saying.touched)
        g->touched[g->ntouched++] = slot->value.number - 1;
    return &found->saying;
}

/* The target is done: what was said of it goes to its ranks. */
static void end_target(struct gathered_marks *g, const struct idset *ranks)
{
    for (size_t i = 0; i < g->ntouched; i++)
        saying_end(&g->list[g->touched[i]].saying, &g->list[g->touched[i]].mark,
                   ranks);
    g->ntouched = 0;
}

static void gather_states(struct gathered_marks *g, struct lot *top)
{
    struct idset *ranks;

    for (struct lot *c = vertex_is_target(top->v) ? NULL : lot_child(top); c;
         c = c->next)
        if (!lot_is_blank(c))
            gather_states(g, c);
    if (!vertex_is_target(top->v))
        return;
    for (struct lot *lot = top; lot; lot = lot_next_in(g->rs->usage, top, lot))
        if (lot->state != STATE_UP && is_spoken(g->rs, lot->v))
            saying_add_lot(
                saying_of(g, MARK_STATE, pool_state_names[lot->state], NULL),
                lot);
    if (g->ntouched == 0)
        return;
    ranks = target_ranks(top);
    end_target(g, ranks);
    idset_destroy(ranks);
}

/* --- facts: tags, and what is taken whole -------------------------------- */

/* Tags are a list of names, or an object that may give them values. */
static void gather_tags(struct gathered_marks *g, const struct vertex *v)
{
    json_t *tags = json_object_get(v->extra, "tags"), *value;
    const char *name;
    size_t i;

    json_object_foreach (tags, name, value)
        saying_add_all(
            saying_of(g, MARK_TAG, name, json_is_null(value) ? NULL : value),
            v);
    json_array_foreach (tags, i, value)
        if ((name = json_string_value(value)))
            saying_add_all(saying_of(g, MARK_TAG, name, NULL), v);
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
    struct idset *ranks = idset_create();

    target_add_ranks(target, ranks);
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
    c = job_compare(ma->name, mb->name);
    if (c)
        return c;
    return compare_values(ma->value, mb->value);
}

static void write_new(FILE *fp, const char *key, json_t *value)
{
    json_write_member(fp, ",", key, value);
    json_decref(value);
}

static void write_mark(FILE *fp, struct mark *m)
{
    bool word = m->kind >= MARK_STATE;
    json_t *name = word ? json_string(m->name) : job_to_json(m->name);

    rlite_sort(&m->lite);
    json_write_member(fp, "{", mark_words[m->kind].name, name);
    json_decref(name);
    if (m->value)
        json_write_member(fp, ",", "value", m->value);
    fputs(",\"R_lite\":", fp);
    rlite_write(&m->lite,
                m->kind <= MARK_RESERVATION ? RLITE_CLAIM : RLITE_RECORD, fp);
    if (m->holds) {
        fputs(",\"holds\":\"", fp);
        idset_write(m->holds, fp);
        putc('"', fp);
    }
    if (m->owner)
        write_new(fp, "owner", job_to_json(m->owner));
    if (m->queue)
        write_new(fp, "queue", json_string(m->queue));
    if (m->start >= 0)
        write_new(fp, "start", time_to_json(m->start));
    if (m->end >= 0)
        write_new(fp, "end", time_to_json(m->end));
    if (m->nslots)
        write_new(fp, "nslots", json_integer(m->nslots));
    putc('}', fp);
}

static void put_ranks(json_t *scheduler, const char *key,
                      const struct idset *ranks)
{
    char *text = idset_encode(ranks);

    if (!idset_empty(ranks))
        json_object_set_new(scheduler, key, json_string(text));
    free(text);
}

/* Lists one after the other. */
struct marks_writing {
    json_t *scheduler;
    struct mark_text *texts;
    enum mark_kind kind; /* of the list at hand */
    FILE *fp;            /* NULL: there is none */
    char *text;
    size_t len;
};

/* A list is a text, whose place its key keeps, or a value under it. */
static void end_list(struct marks_writing *w)
{
    if (!w->fp)
        return;
    putc(']', w->fp);
    memory_close(w->fp);
    w->fp = NULL;
    json_object_set_new(w->scheduler, mark_words[w->kind].key,
                        w->texts ? json_true()
                                 : json_loadb(w->text, w->len, 0, NULL));
    if (w->texts)
        w->texts[w->kind].text = w->text;
    else
        free(w->text);
}

/* The mark goes. */
static void put_mark(struct marks_writing *w, struct mark *m)
{
    bool first = !w->fp || w->kind != m->kind;

    if (first) {
        end_list(w);
        w->kind = m->kind;
        w->fp = memory_open(&w->text, &w->len);
    }
    putc(first ? '[' : ',', w->fp);
    write_mark(w->fp, m);
    mark_fini(m);
}

static void put_marks(struct gathered_marks *g, struct marks_writing *w)
{
    struct term **terms;
    size_t n = terms_in_order(g->rs->usage, &terms);
    struct mark m;

    marks_drop_keys(w->scheduler);
    for (size_t i = 0; i < n; i++)
        if (mark_of_term(g->rs, terms[i], &m))
            put_mark(w, &m);
    free(terms);
    if (g->n)
        qsort(g->list, g->n, sizeof(*g->list), compare_marks);
    for (size_t i = 0; i < g->n; i++)
        put_mark(w, &g->list[i].mark);
    end_list(w);
    put_ranks(w->scheduler, "exclusive", g->exclusive);
    put_ranks(w->scheduler, "holds", g->holds);
}

void marks_write(const struct rset *rs, json_t *scheduler,
                 struct mark_text *texts)
{
    struct gathered_marks g = {
        .rs = rs, .exclusive = idset_create(), .holds = idset_create()};
    struct marks_writing w = {.scheduler = scheduler, .texts = texts};
    struct vertex **targets = NULL;
    size_t n = any_facts(rs) ? rset_targets(rs, &targets) : 0;

    for (size_t i = 0; i < n; i++)
        gather_facts(&g, targets[i]);
    if (rs->usage)
        gather_states(&g, &rs->usage->top);
    put_marks(&g, &w);
    free(targets);
    free(g.list);
    free(g.touched);
    map_fini(&g.marks);
    idset_destroy(g.exclusive);
    idset_destroy(g.holds);
}

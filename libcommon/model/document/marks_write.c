/*
 * Writes marks. A mark gathers the children of one target, then adds them to
 * its R_lite, which joins ranks with equal children.
 *
 * Each term of a job is a mark, and is written before the next one is made.
 * Marks of states and tags are gathered during a walk over the targets.
 */
#include "model/document/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "model/document/rlite.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/usage.h"

/* An entry of one of the lists. */
struct written_mark {
    enum mark_kind kind;
    const char *name;        /* interned: a job, a state or a tag */
    const struct term *term; /* NULL: a state or a tag */
    json_t *value;           /* of a tag; NULL: none */
    struct rlite lite;
    struct idset *holds; /* NULL: none */

    struct lite_children here; /* of the current target */
    bool self;                 /* the mark is on the target itself */
    bool touched;              /* the mark is on anything there */
};

/* --- the parts of a target in a mark --------------------------------- */

/* Add the target itself, or ids in it. */
static void mark_range(struct written_mark *m, const struct vertex *v,
                       struct idrange r)
{
    m->touched = true;
    if (vertex_is_target(v))
        m->self = true;
    else
        idset_add(lite_children_ids(&m->here, v->type), r.lo, r.hi);
}

static void mark_vertex(struct written_mark *m, const struct vertex *v)
{
    for (size_t i = 0; v->run && i < idset_nranges(v->run); i++)
        mark_range(m, v, idset_range(v->run, i));
    if (!v->run)
        mark_range(m, v, (struct idrange){(uint32_t)v->id, (uint32_t)v->id});
}

static void mark_lot(struct written_mark *m, const struct lot *lot)
{
    uint32_t first = lot->v->run ? lot->at : (uint32_t)lot->v->id;

    mark_range(m, lot->v, (struct idrange){first, first + lot->n - 1});
}

/*
 * Add the gathered children of a target to the R_lite. A lock, state or tag on
 * both a target and its pools needs two entries; a claim or share of pools
 * includes the target.
 */
static void end_target(struct written_mark *m, const struct idset *ranks)
{
    struct lite_children none = {0};

    if (m->self && m->here.n > 0 && m->kind >= MARK_STAGED)
        rlite_add(&m->lite, ranks, &none, NULL);
    if (m->touched)
        rlite_add(&m->lite, ranks, &m->here, NULL);
    m->self = m->touched = false;
}

/* --- claims that an R can't express -------------------------------------- */

/* Return whether a grant is a claim of its whole pool. */
static bool takes_whole(const struct grant *g)
{
    return g->units > 0 && grant_is_whole(g);
}

static int check_lots(const struct rset *rs, struct lot *lot, struct diag *d)
{
    const struct grant *g = rlite_lists(rs, lot->v) ? lot->grants : NULL;
    char *place;

    while (g && (g->term->kind != GRANT_CLAIM || takes_whole(g)))
        g = g->beside;
    if (g) {
        diag_set(d,
                 "job %s holds %lld of %lld units: an R without a graph names "
                 "a resource only as a whole",
                 g->term->job->name, (long long)g->units,
                 (long long)lot->v->size);
        place = lot_place(rs->usage, lot);
        diag_in(d, "%s", place);
        free(place);
        return -1;
    }
    for (struct lot *c = lot_child(lot); c; c = c->next)
        if (!lot_is_blank(c) && check_lots(rs, c, d) < 0)
            return -1;
    return 0;
}

int marks_require(const struct rset *rs, struct diag *d)
{
    return rs->usage ? check_lots(rs, usage_top(rs->usage), d) : 0;
}

/* --- a job's grants for a term, by targets ------------------------------- */

struct had {
    struct lot *target;
    const struct grant *grant; /* on the target, below it or around it */
};

struct had_list {
    const struct rset *rs;
    struct had *list;
    size_t n;
};

/* Add all targets in a pool that a job holds whole. */
static void add_targets(struct had_list *l, struct lot *lot,
                        const struct grant *g)
{
    if (vertex_is_target(lot->v)) {
        VECTOR_ADD(l->list, l->n, (struct had){lot, g});
        return;
    }
    for (struct lot *c = lot_open(l->rs->usage, lot); c; c = c->next)
        add_targets(l, c, g);
}

/* Find the target of each grant, or all targets in a pool that is held
   whole. */
static void find_targets(struct had_list *l)
{
    const struct vertex *v = NULL;
    size_t all = l->n, n = 0;
    int steps = -1;

    for (size_t i = 0; i < all; i++) {
        const struct grant *g = l->list[i].grant;
        struct lot *lot = g->lot;
        if (lot->v != v) { /* usually the same as before */
            const struct vertex *at = v = lot->v;
            steps = -1; /* steps up to the outermost target */
            for (int up = 0; at; at = at->parent, up++)
                if (vertex_is_target(at))
                    steps = up;
        }
        for (int up = steps; up > 0; up--)
            lot = lot->parent;
        l->list[i].target = steps < 0 ? NULL : lot;
        if (steps < 0 && takes_whole(g))
            add_targets(l, lot, g);
    }
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].target)
            l->list[n++] = l->list[i];
    l->n = n;
}

static int compare_had(const void *a, const void *b)
{
    return lot_compare(((const struct had *)a)->target,
                       ((const struct had *)b)->target);
}

static void gather_had(struct had_list *l, const struct term *t)
{
    for (const struct grant *g = t->job->grants; g; g = g->next)
        if (g->term == t) {
            __builtin_prefetch(g->lot); /* grants are scattered in memory */
            VECTOR_ADD(l->list, l->n, (struct had){NULL, g});
        }
    find_targets(l);
    VECTOR_SORT(l->list, l->n, compare_had);
}

/* --- a job's mark ---------------------------------------------------- */

/* Add pools that the R of a job lists below a lot that the job holds whole. */
static void mark_listed(const struct rset *rs, const struct job *job,
                        struct lot *top, struct written_mark *m)
{
    struct usage *u = rs->usage;
    bool part = false; /* the R lists a part */

    if (job->nlisted) {
        struct grants_in it = grants_in(job, top);
        part = grants_in_next_listed(&it);
    }
    for (struct lot *lot = part ? lot_next_in(u, top, top) : NULL; lot;
         lot = lot_next_in(u, top, lot))
        if (rlite_type(rs, lot->v->type) && grant_find(lot, job, GRANT_LISTED))
            mark_lot(m, lot);
    for (const struct vertex *v = part ? NULL : vertex_next(top->v, top->v, 0);
         v; v = vertex_next(top->v, v, false))
        if (rlite_type(rs, v->type))
            mark_vertex(m, v);
}

static void mark_had(const struct rset *rs, const struct had *had,
                     struct written_mark *m)
{
    struct lot *lot = had->grant->lot, *target = had->target;
    bool above = !lot_is_in(lot, target);

    if (!above && rlite_lists(rs, lot->v))
        mark_lot(m, lot);
    if (takes_whole(had->grant))
        mark_listed(rs, m->term->job, above ? target : lot, m);
    if (m->term->kind == GRANT_CLAIM && (above || lot == target)) {
        struct idrange ranks = lot_ranks(target);
        if (!m->holds)
            m->holds = idset_create();
        idset_add(m->holds, ranks.lo, ranks.hi);
        m->touched = true;
    }
}

/* Add targets together if the same pools in them have grants, and these pools
   have no contents. */
static void mark_all(const struct had_list *l, struct written_mark *m)
{
    struct idset *ranks = idset_create();
    size_t before = 0;

    for (size_t i = 0, n; i < l->n; i += n, before = n) {
        const struct had *had = &l->list[i];
        struct idrange more = lot_ranks(had->target);
        bool same;
        for (n = 1; i + n < l->n && had[n].target == had->target;)
            n++;
        same = n == before;
        for (size_t k = 0; k < n && same; k++) {
            const struct lot *x = (had - n)[k].grant->lot,
                             *y = had[k].grant->lot;
            same = x->v == y->v && !x->v->child && x->at == y->at
                   && x->n == y->n;
        }
        if (!same) {
            if (before > 0) {
                end_target(m, ranks);
                idset_clear(ranks);
            }
            for (size_t k = 0; k < n; k++)
                mark_had(l->rs, &had[k], m);
        }
        idset_add(ranks, more.lo, more.hi);
    }
    end_target(m, ranks);
    idset_destroy(ranks);
}

enum mark_kind mark_of_term(const struct term *t)
{
    return t->kind == GRANT_SHARE    ? MARK_SHARED
           : t->kind == GRANT_STAGED ? MARK_STAGED
           : t->reserved             ? MARK_RESERVATION
                                     : MARK_ALLOCATION;
}

static int compare_terms(const void *a, const void *b)
{
    const struct term *x = *(struct term *const *)a,
                      *y = *(struct term *const *)b;
    int c = (int)mark_of_term(x) - (int)mark_of_term(y);

    if (c || (c = job_compare(x->job->name, y->job->name))
        || (c = COMPARE(x->start, y->start)) || (c = COMPARE(x->end, y->end))
        || (c = strcmp(x->owner ? x->owner : "", y->owner ? y->owner : "")))
        return c;
    return strcmp(x->queue ? x->queue : "", y->queue ? y->queue : "");
}

/* --- the lists ----------------------------------------------------------- */

struct marks_writing {
    const struct rset *rs;
    json_t *scheduler;
    struct mark_text *texts;

    enum mark_kind kind; /* of the current list */
    FILE *fp;            /* NULL: no list is open */

    struct written_mark *list; /* states and tags */
    size_t n;
    size_t *touched, ntouched;       /* marks of the current target */
    struct map numbers;              /* of the marks in `list` */
    struct idset *exclusive, *holds; /* ranks that belong to no mark */
};

/* End a list, and put a placeholder under its key. */
static void end_list(struct marks_writing *w)
{
    if (!w->fp)
        return;
    putc(']', w->fp);
    memory_close(w->fp);
    w->fp = NULL;
    json_object_set_new(w->scheduler, mark_words[w->kind].key, json_true());
}

/* Write a mark at the end of its list, and free its members. */
static void put_mark(struct marks_writing *w, struct written_mark *m)
{
    json_t *name = m->term ? job_to_json(m->name) : json_string(m->name);
    FILE *fp;

    if (w->fp && w->kind == m->kind) {
        putc(',', w->fp);
    } else {
        end_list(w);
        w->kind = m->kind;
        w->fp = memory_open(&w->texts[m->kind].text, NULL);
        putc('[', w->fp);
    }
    fp = w->fp;
    json_write_member(fp, "{", mark_words[m->kind].name, name);
    json_decref(name);
    json_write_member(fp, ",", "value", m->value);
    rlite_sort(&m->lite);
    fputs(",\"R_lite\":", fp);
    rlite_write(&m->lite,
                m->kind <= MARK_RESERVATION ? RLITE_CLAIM : RLITE_RECORD, fp);
    if (m->holds)
        rlite_write_ids(fp, ",", "holds", m->holds);
    if (m->term)
        term_write(m->term, fp);
    putc('}', fp);
    rlite_fini(&m->lite);
    idset_destroy(m->holds);
    json_decref(m->value);
}

/* Write each term of a job as a mark. */
static void put_jobs(struct marks_writing *w)
{
    const struct usage *u = w->rs->usage;
    struct term **terms = NULL;
    size_t n = 0;

    for (struct job *job = u ? usage_jobs(u) : NULL; job; job = job->next)
        for (struct term *t = job->terms; t; t = t->next)
            if (t->kind != GRANT_LISTED)
                VECTOR_ADD(terms, n, t);
    VECTOR_SORT(terms, n, compare_terms);

    for (size_t i = 0; i < n; i++) {
        const struct term *t = terms[i];
        struct written_mark m = {
            .kind = mark_of_term(t), .name = t->job->name, .term = t};
        struct had_list l = {.rs = w->rs};
        gather_had(&l, t);
        mark_all(&l, &m);
        free(l.list);
        if (m.lite.n > 0) /* otherwise an R can't list it */
            put_mark(w, &m);
    }
    free(terms);
}

/* --- states, tags, exclusive ranks ----------------------------------- */

/* Return the mark of a state or a tag, to add parts of the current target. */
static struct written_mark *mark_at(struct marks_writing *w,
                                    enum mark_kind kind, const char *name,
                                    json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL, *key;
    int len = xasprintf(&key, "%d%s%c%s", kind, name, '\0', text ? text : "");
    size_t number = map_number(&w->numbers, key, (size_t)len);
    struct written_mark *m;

    free(text);
    free(key);
    if (number == w->n) {
        VECTOR_GROW(w->touched, w->n);
        VECTOR_ADD(w->list, w->n,
                   (struct written_mark){.kind = kind,
                                         .name = name,
                                         .value = json_incref(value)});
    }
    m = &w->list[number];
    if (!m->touched)
        w->touched[w->ntouched++] = number;
    return m;
}

/* End the current target in all marks on it. */
static void end_touched(struct marks_writing *w, const struct idset *ranks)
{
    for (size_t i = 0; i < w->ntouched; i++)
        end_target(&w->list[w->touched[i]], ranks);
    w->ntouched = 0;
}

static void gather_states(struct marks_writing *w, struct lot *top)
{
    bool target = vertex_is_target(top->v);
    struct idrange range;
    struct idset *ranks;

    for (struct lot *c = target ? NULL : lot_child(top); c; c = c->next)
        if (!lot_is_blank(c))
            gather_states(w, c);
    if (!target)
        return;
    for (struct lot *lot = top; lot; lot = lot_next_in(w->rs->usage, top, lot))
        if (lot->state != STATE_UP && rlite_lists(w->rs, lot->v))
            mark_lot(mark_at(w, MARK_STATE, pool_state_names[lot->state], NULL),
                     lot);
    if (w->ntouched == 0)
        return;
    range = lot_ranks(top);
    ranks = idset_create_range(range.lo, range.hi);
    end_touched(w, ranks);
    idset_destroy(ranks);
}

/* Gather tags, which are a list of names, or an object with values. */
static void gather_tags(struct marks_writing *w, const struct vertex *v)
{
    json_t *tags = json_object_get(v->extra, "tags"), *value;
    const char *name;
    size_t i;

    json_object_foreach (tags, name, value)
        mark_vertex(
            mark_at(w, MARK_TAG, name, json_is_null(value) ? NULL : value), v);
    json_array_foreach (tags, i, value)
        if ((name = json_string_value(value)))
            mark_vertex(mark_at(w, MARK_TAG, name, NULL), v);
}

/* Gather the tags of a target and its pools, and whether it is exclusive or
   held whole. */
static void gather_facts(struct marks_writing *w, const struct vertex *target)
{
    struct idset *ranks = idset_create();
    bool lists = false; /* an R lists a pool in the target */

    target_add_ranks(target, ranks);
    for (const struct vertex *v = target; v;
         v = vertex_next(target, v, false)) {
        bool listed = v != target && rlite_type(w->rs, v->type);
        lists |= listed;
        if (v == target || listed)
            gather_tags(w, v);
    }
    /* if an R lists nothing in a node, a reader can't tell whether the node
       must be taken whole or is held whole */
    if (target->exclusive)
        idset_add_set(lists && vertex_taken_whole(target) ? w->exclusive
                                                          : w->holds,
                      ranks);
    end_touched(w, ranks);
    idset_destroy(ranks);
}

static int compare_marks(const void *a, const void *b)
{
    enum { FLAGS = JSON_ENCODE_ANY | JSON_SORT_KEYS };
    const struct written_mark *x = a, *y = b;
    int c = (int)x->kind - (int)y->kind;
    char *p, *q;

    if (c || (c = job_compare(x->name, y->name)))
        return c;
    p = x->value ? json_dumps(x->value, FLAGS) : NULL;
    q = y->value ? json_dumps(y->value, FLAGS) : NULL;
    c = strcmp(p ? p : "", q ? q : "");
    free(p);
    free(q);
    return c;
}

static void put_others(struct marks_writing *w)
{
    const struct rset *rs = w->rs;
    struct vertex **targets;
    size_t n = 0, i = 0;

    /* does the set have any? walk in the order of memory */
    while (i < rs->nvertices && !rs->vertices[i]->extra
           && !rs->vertices[i]->exclusive)
        i++;
    if (i < rs->nvertices) {
        n = rset_targets(rs, &targets);
        for (i = 0; i < n; i++)
            gather_facts(w, targets[i]);
        free(targets);
    }
    if (rs->usage && usage_has_states(rs->usage))
        gather_states(w, usage_top(rs->usage));
    VECTOR_SORT(w->list, w->n, compare_marks);
    for (i = 0; i < w->n; i++)
        put_mark(w, &w->list[i]);
    free(w->list);
    free(w->touched);
    map_fini(&w->numbers);
}

/* Write ranks under a key, unless there are none, and free them. */
static void put_ranks(json_t *scheduler, const char *key, struct idset *ranks)
{
    char *text = idset_encode(ranks);

    if (!idset_empty(ranks))
        json_object_set_new(scheduler, key, json_string(text));
    free(text);
    idset_destroy(ranks);
}

void marks_write(const struct rset *rs, json_t *scheduler,
                 struct mark_text *texts)
{
    struct marks_writing w = {.rs = rs,
                              .scheduler = scheduler,
                              .texts = texts,
                              .exclusive = idset_create(),
                              .holds = idset_create()};

    marks_drop_keys(scheduler);
    put_jobs(&w);
    put_others(&w);
    end_list(&w);
    put_ranks(scheduler, "exclusive", w.exclusive);
    put_ranks(scheduler, "holds", w.holds);
}

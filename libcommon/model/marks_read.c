/*
 * Reading marks: every entry of every list becomes layers, and all of them
 * are laid over the targets at once, so that a hundred thousand jobs cost
 * one sweep over their runs.
 */
#include "model/marks_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/tags.h"

const struct mark_words mark_words[MARK_KINDS] = {
    [MARK_ALLOCATION] = {"allocations", "job"},
    [MARK_RESERVATION] = {"reservations", "job"},
    [MARK_SHARED] = {"shared", "job"},
    [MARK_STAGED] = {"staged", "job"},
    [MARK_STATE] = {"states", "state"},
    [MARK_TAG] = {"tags", "tag"},
};

void mark_fini(struct mark *m)
{
    rlite_fini(&m->lite);
    idset_destroy(m->holds);
    idset_destroy(m->all);
    json_decref(m->value);
}

void marks_drop_keys(json_t *scheduler)
{
    for (int k = 0; k < MARK_KINDS; k++)
        json_object_del(scheduler, mark_words[k].key);
    json_object_del(scheduler, "exclusive");
    json_object_del(scheduler, "holds");
}

/* One mark on some ranks: what is laid over the set. */
struct laid {
    const struct mark *mark;
    const struct lite_children *children; /* NULL: all of the target */
};

typedef int (*put_fn)(struct vertex *v, const struct mark *m);

/* Mark the members of a run that are wanted, and take them out of `left`. */
static int put_on_run(struct rset *rs, struct vertex *v, struct idset *left,
                      const struct mark *m, put_fn put)
{
    struct idset *part = idset_intersect(left, v->run);
    int rc = part ? 0 : -1;

    if (rc == 0 && !idset_empty(part)) {
        v = vertex_split(rs, v, part);
        rc = v ? put(v, m) : -1;
    }
    for (size_t i = 0; rc == 0 && i < idset_nranges(part); i++)
        idset_remove(left, idset_range(part, i).lo, idset_range(part, i).hi);
    idset_destroy(part);
    return rc;
}

/* Mark the pools of one type that an entry names; all must be there. */
static int put_on_type(struct rset *rs, struct vertex *target,
                       const struct lite_child *child, const struct mark *m,
                       put_fn put, struct diag *d)
{
    struct idset *left = idset_copy(child->ids);
    struct vertex *next;
    int rc = left ? 0 : -1;

    for (struct vertex *v = target->child; v && rc == 0; v = next) {
        next = v->next;
        if (v->run && !strcmp(v->type, child->type))
            rc = put_on_run(rs, v, left, m, put);
    }
    if (rc < 0)
        diag_oom(d);
    else if (!idset_empty(left))
        rc = diag_set(d, "rank %u has no %s%u", idset_first(target->run),
                      child->type, idset_first(left));
    idset_destroy(left);
    return rc;
}

/*
 * Mark what an entry names on a target: the target itself, or the pools of
 * its children, split off where they are a part of a run.
 */
static int for_children(struct rset *rs, struct vertex *target,
                        const struct laid *laid, put_fn put, struct diag *d)
{
    const struct lite_children *c = laid->children;

    if (!c || c->n == 0)
        return put(target, laid->mark) < 0 ? diag_oom(d) : 0;
    for (size_t i = 0; i < c->n; i++)
        if (put_on_type(rs, target, &c->list[i], laid->mark, put, d) < 0)
            return -1;
    vertex_sort_children(target);
    return 0;
}

static int put_claim(struct vertex *v, const struct mark *m)
{
    struct claim claim = {.job = m->name,
                          .owner = m->owner,
                          .size = v->size,
                          .start = m->start,
                          .end = m->end,
                          .kind = m->kind == MARK_ALLOCATION
                                      ? CLAIM_ALLOCATION
                                      : CLAIM_RESERVATION};

    return vertex_records(v) ? records_claim(v->records, &claim) : -1;
}

/* Only to see that it is there. */
static int put_nothing(struct vertex *v, const struct mark *m)
{
    (void)v, (void)m;
    return 0;
}

static int put_listed(struct vertex *v, const struct mark *m)
{
    return vertex_records(v) ? joblist_add(&v->records->listed, m->name) : -1;
}

static int put_shared(struct vertex *v, const struct mark *m)
{
    return vertex_records(v) ? joblist_add(&v->records->shared, m->name) : -1;
}

static int put_staged(struct vertex *v, const struct mark *m)
{
    if (!vertex_records(v))
        return -1;
    v->records->staged = m->name;
    return 0;
}

static int put_state(struct vertex *v, const struct mark *m)
{
    v->state = (enum pool_state)pool_state_from_name(m->name);
    return 0;
}

/* Copies of a vertex share its metadata, so that is copied before a change. */
static int put_tag(struct vertex *v, const struct mark *m)
{
    return vertex_tag(v, m->name, m->value);
}

/* Does an entry list all that the target has? */
static bool lists_all(const struct vertex *target,
                      const struct lite_children *c)
{
    for (const struct vertex *v = target->child; v; v = v->next) {
        bool covered = false;
        for (size_t i = 0; i < c->n; i++)
            if (!strcmp(c->list[i].type, v->type) && v->run
                && idset_subset(v->run, c->list[i].ids))
                covered = true;
        if (!covered)
            return false;
    }
    return true;
}

static int apply_claim(struct rset *rs, struct vertex *target,
                       const struct laid *laid, struct diag *d)
{
    const struct mark *m = laid->mark;

    if (!laid->children || laid->children->n == 0) {
        if (put_claim(target, m) < 0
            || (laid->children && put_listed(target, m) < 0))
            return diag_oom(d);
        return 0;
    }
    if (m->holds && idset_contains(m->holds, idset_first(target->run))) {
        if (put_claim(target, m) < 0)
            return diag_oom(d);
        return for_children(
            rs, target, laid,
            lists_all(target, laid->children) ? put_nothing : put_listed, d);
    }
    if (for_children(rs, target, laid, put_claim, d) < 0)
        return -1;
    return put_shared(target, m) < 0 ? diag_oom(d) : 0;
}

static int apply(struct rset *rs, struct vertex *target, const void *item,
                 void *arg, struct diag *d)
{
    const struct laid *laid = item;

    (void)arg;
    switch (laid->mark->kind) {
    case MARK_ALLOCATION:
    case MARK_RESERVATION:
        return apply_claim(rs, target, laid, d);
    case MARK_SHARED:
        if (for_children(rs, target, laid, put_shared, d) < 0)
            return -1;
        return put_shared(target, laid->mark) < 0 ? diag_oom(d) : 0;
    case MARK_STAGED:
        return for_children(rs, target, laid, put_staged, d);
    case MARK_STATE:
        return for_children(rs, target, laid, put_state, d);
    case MARK_TAG:
        return for_children(rs, target, laid, put_tag, d);
    case MARK_KINDS:
        break;
    }
    return 0;
}

/* An entry of the lists, in which `children` may be missing. */
static int entry_from_json(struct rset *rs, const json_t *value, struct mark *m,
                           struct diag *d)
{
    bool all = m->kind <= MARK_RESERVATION
               && !json_object_get(value, "children");
    struct lite_children children = {0};
    struct idset *ranks = NULL;
    json_t *whole = json_copy((json_t *)value);
    int rc;

    if (json_is_object(whole) && !json_object_get(whole, "children"))
        json_object_set_new(whole, "children", json_object());
    rc = lite_entry_from_json(&rs->names, whole, &ranks, &children, d);
    json_decref(whole);
    if (rc == 0 && all && !m->all && !(m->all = idset_create()))
        rc = diag_oom(d);
    if (rc == 0 && all)
        idset_add_set(m->all, ranks);
    else if (rc == 0 && rlite_add(&m->lite, ranks, &children) < 0)
        rc = diag_oom(d);
    idset_destroy(ranks);
    return rc;
}

static int name_from_json(struct rset *rs, const json_t *entry, struct mark *m,
                          struct diag *d)
{
    const char *key = mark_words[m->kind].name;
    const json_t *value = json_object_get(entry, key);
    const char *text = json_string_value(value);

    if (m->kind != MARK_STATE && m->kind != MARK_TAG) {
        m->name = job_from_json(&rs->names, value, d);
        return m->name ? 0 : diag_in(d, "%s", key);
    }
    if (!text || !*text
        || (m->kind == MARK_STATE && pool_state_from_name(text) < 0)) {
        diag_set(d, "%s: not a %s", value ? json_quote(value).text : "missing",
                 key);
        return diag_in(d, "%s", key);
    }
    m->name = rset_string(rs, text);
    if (m->kind == MARK_TAG)
        m->value = json_incref(json_object_get(entry, "value"));
    return m->name ? 0 : diag_oom(d);
}

/* What a job holds whole it lists, if only as nothing of it. */
static int check_holds(const struct mark *m, struct diag *d)
{
    struct idset *left = m->holds ? idset_copy(m->holds) : NULL, *rest;
    int rc = 0;

    for (size_t i = 0; left && i <= m->lite.n; i++) {
        const struct idset *ranks = i < m->lite.n ? m->lite.list[i].ranks
                                                  : m->all;
        if (!ranks)
            continue;
        rest = idset_subtract(left, ranks);
        idset_destroy(left);
        left = rest;
    }
    if (m->holds && !left)
        rc = diag_oom(d);
    else if (left && !idset_empty(left)) {
        diag_set(d, "rank %u is held, and is not in R_lite", idset_first(left));
        rc = diag_in(d, "holds");
    }
    idset_destroy(left);
    return rc;
}

static int mark_from_json(struct rset *rs, const json_t *entry, struct mark *m,
                          struct diag *d)
{
    const json_t *list = json_object_get(entry, "R_lite"), *item;
    const json_t *holds = json_object_get(entry, "holds");
    struct claim terms;
    size_t i;

    if (!json_is_object(entry))
        return diag_set(d, "%s: expected an object", json_quote(entry).text);
    if (name_from_json(rs, entry, m, d) < 0
        || claim_terms_from_json(&rs->names, &terms, entry, d) < 0)
        return -1;
    m->owner = terms.owner;
    m->start = terms.start;
    m->end = terms.end;
    if (!json_is_array(list)) {
        diag_set(d, "expected a list");
        return diag_in(d, "R_lite");
    }
    json_array_foreach (list, i, item)
        if (entry_from_json(rs, item, m, d) < 0)
            return diag_in(d, "R_lite[%zu]", i);
    if (holds && !(m->holds = idset_from_json(holds, d)))
        return diag_in(d, "holds");
    return check_holds(m, d);
}

/* Ranks that are held are split from those that are not before it is laid. */
static int add_layers(const struct mark *m, struct layer *layers,
                      struct laid *laid, size_t *n)
{
    for (size_t i = 0; i < m->lite.n; i++) {
        const struct lite_entry *e = &m->lite.list[i];
        struct idset *parts[2] = {NULL, NULL};
        parts[0] = m->holds ? idset_intersect(e->ranks, m->holds)
                            : idset_create();
        parts[1] = m->holds ? idset_subtract(e->ranks, m->holds)
                            : idset_copy(e->ranks);
        for (int j = 0; j < 2; j++) {
            if (!parts[j])
                return -1;
            laid[*n] = (struct laid){.mark = m, .children = &e->children};
            layers[*n] = (struct layer){.ranks = parts[j], .item = &laid[*n]};
            ++*n;
        }
    }
    if (m->all) {
        struct idset *ranks = idset_copy(m->all);
        if (!ranks)
            return -1;
        laid[*n] = (struct laid){.mark = m};
        layers[*n] = (struct layer){.ranks = ranks, .item = &laid[*n]};
        ++*n;
    }
    return 0;
}

static int lay_marks(struct rset *rs, const struct mark *marks, size_t n,
                     struct diag *d)
{
    size_t size = 0, nlayers = 0, at;
    struct layer *layers;
    struct laid *laid;
    int rc = 0;

    for (size_t i = 0; i < n; i++)
        size += 2 * marks[i].lite.n + 1;
    layers = xcalloc(size + 1, sizeof(*layers));
    laid = xcalloc(size + 1, sizeof(*laid));
    if (!layers || !laid)
        rc = diag_oom(d);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (add_layers(&marks[i], layers, laid, &nlayers) < 0)
            rc = diag_oom(d);
    if (rc == 0)
        rc = rset_lay(rs, layers, nlayers, apply, NULL, &at, d);
    if (rc < 0 && nlayers > 0) {
        const struct mark *m = laid[at < nlayers ? at : 0].mark;
        diag_in(d, "%s: %s %s", mark_words[m->kind].key,
                mark_words[m->kind].name, m->name);
    }
    for (size_t i = 0; layers && i < nlayers; i++)
        idset_destroy((struct idset *)layers[i].ranks);
    free(layers);
    free(laid);
    return rc;
}

static int read_list(struct rset *rs, const json_t *list, enum mark_kind kind,
                     struct mark **marks, size_t *n, struct diag *d)
{
    struct mark *more;
    const json_t *entry;
    size_t i;

    if (!json_is_array(list))
        return diag_set(d, "%s: expected a list", json_quote(list).text);
    more = xrealloc(*marks, (*n + json_array_size(list) + 1) * sizeof(*more));
    if (!more)
        return diag_oom(d);
    *marks = more;
    json_array_foreach (list, i, entry) {
        struct mark *m = &more[(*n)++];
        *m = (struct mark){.kind = kind};
        if (mark_from_json(rs, entry, m, d) < 0)
            return diag_in(d, "[%zu]", i);
    }
    return 0;
}

/* Was any pool given away twice? */
static int check_claims(const struct rset *rs, struct diag *d)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        const struct vertex *t = vertex_is_target(v) ? v : v->parent;
        if (records_check(v->records, v->size, d) == 0)
            continue;
        if (t == v)
            return diag_in(d, "rank %u", idset_first(t->run));
        return diag_in(d, "rank %u: %s%u", idset_first(t->run), v->type,
                       idset_first(v->run));
    }
    return 0;
}

/* The root holds part of every job, as a parent of all pools does. */
static int share_root(struct rset *rs, const struct mark *marks, size_t n)
{
    struct joblist **end;
    struct strtab seen = {0};
    int rc = 0;

    if (n == 0)
        return 0;
    if (!vertex_records(rs->root))
        return -1;
    end = &rs->root->records->shared;
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (marks[i].kind > MARK_SHARED || strtab_find(&seen, marks[i].name))
            continue;
        if (!strtab_intern(&seen, marks[i].name, strlen(marks[i].name))
            || joblist_append(end, marks[i].name, 0) < 0)
            rc = -1;
        else
            end = &(*end)->next;
    }
    strtab_fini(&seen);
    vertex_tidy_records(rs->root);
    return rc;
}

/* What a job holds whole is exclusive with all that is in it. */
static int put_exclusive(struct rset *rs, struct vertex *target,
                         const void *item, void *arg, struct diag *d)
{
    const bool *held = arg;

    (void)rs, (void)item, (void)d;
    target->exclusive = true;
    for (struct vertex *v = target->child; v; v = v->next)
        v->exclusive = *held;
    return 0;
}

static int read_exclusive(struct rset *rs, const json_t *scheduler,
                          const char *key, bool held, struct diag *d)
{
    const json_t *value = json_object_get(scheduler, key);
    struct idset *ranks;
    size_t at;
    int rc;

    if (!value)
        return 0;
    if (!(ranks = idset_from_json(value, d)))
        return diag_in(d, "%s", key);
    rc = rset_lay(rs, &(struct layer){.ranks = ranks}, 1, put_exclusive, &held,
                  &at, d);
    idset_destroy(ranks);
    return rc < 0 ? diag_in(d, "%s", key) : 0;
}

int marks_read(struct rset *rs, json_t *scheduler, struct diag *d)
{
    struct mark *marks = NULL;
    size_t n = 0;
    int rc = read_exclusive(rs, scheduler, "exclusive", false, d);

    if (rc == 0)
        rc = read_exclusive(rs, scheduler, "holds", true, d);
    for (int k = 0; rc == 0 && k < MARK_KINDS; k++) {
        const json_t *list = json_object_get(scheduler, mark_words[k].key);
        if (list && read_list(rs, list, (enum mark_kind)k, &marks, &n, d) < 0)
            rc = diag_in(d, "%s", mark_words[k].key);
    }
    if (rc == 0)
        rc = lay_marks(rs, marks, n, d);
    if (rc == 0)
        rc = check_claims(rs, d);
    if (rc == 0 && share_root(rs, marks, n) < 0)
        rc = diag_oom(d);
    for (size_t i = 0; i < n; i++)
        mark_fini(&marks[i]);
    free(marks);
    if (rc == 0)
        marks_drop_keys(scheduler);
    return rc;
}

/*
 * Parts of a constraint that are about targets only, joined by `and`, `or` and
 * `not`, become sets of ranks, bottom up, by the algebra of sets. A pool then
 * satisfies them if its target is in the set. Other parts are evaluated for
 * each pool.
 */
#include "request/evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/job_list.h"
#include "model/records/lots.h"
#include "model/records/pieces.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "model/tree/properties.h"
#include "model/tree/units.h"
#include "request/evaluation_private.h"

/* --- members -------------------------------------------------------------- */

void member_init(struct member *m, const struct vertex *v,
                 const struct idset *set, struct member *up)
{
    *m = (struct member){.up = up, .v = v, .left = set};
    m->id = set ? idset_first(set) : 0;
    m->target = vertex_is_target(v) ? m : up ? up->target : NULL;
}

const struct idset *member_set(const struct member *m)
{
    return m->same ? m->same : m->left;
}

bool member_next(struct member *m)
{
    struct idset *rest = m->same ? idset_subtract(m->left, m->same) : NULL;

    idset_destroy(m->rest);
    idset_destroy(m->same);
    m->left = m->rest = rest;
    m->same = NULL;
    if (!rest)
        return false;
    m->id = idset_first(rest);
    if (m->id == IDSET_INVALID)
        return member_next(m);
    return true;
}

bool member_in(struct member *m, const struct idset *ids)
{
    const struct idset *set = member_set(m);
    uint32_t last = IDSET_MAX;
    bool in = idset_until(ids, m->id, &last);
    struct idset *same;

    if (last >= idset_last(set))
        return in;
    same = in ? idset_intersect(set, ids) : idset_subtract(set, ids);
    idset_destroy(m->same);
    m->same = same;
    return in;
}

bool member_in_range(struct member *m, uint32_t lo, uint32_t hi)
{
    struct idset *range = idset_create_range(lo, hi);
    bool in = member_in(m, range);

    idset_destroy(range);
    return in;
}

bool member_targeted(struct member *m, const struct idset *ranks)
{
    return m->target->left
               ? member_in(m->target, ranks)
               : idset_contains(ranks, (uint32_t)m->target->v->rank);
}

/* --- criteria ------------------------------------------------------------- */

bool criterion_has_word(const struct constraint *c, const char *word,
                        size_t len)
{
    return VECTOR_FIND(i, c->nwords,
                       !strncmp(c->words[i], word, len) && !c->words[i][len])
           < c->nwords;
}

bool criterion_has_number(const struct constraint *c, int64_t number)
{
    if (number < 0)
        return false;
    if (number <= (int64_t)IDSET_MAX)
        return idset_contains(c->ids, (uint32_t)number);
    return c->op == OP_NE || c->op == OP_GT || c->op == OP_GE;
}

/* Return whether a comparison is satisfied by an order: below 0, 0 or above
   0. */
static bool in_order(enum criterion_op op, int order)
{
    return op == OP_EQ   ? order == 0
           : op == OP_NE ? order != 0
           : op == OP_LT ? order < 0
           : op == OP_LE ? order <= 0
           : op == OP_GT ? order > 0
                         : order >= 0;
}

/* --- size ----------------------------------------------------------------- */

__extension__ typedef __int128 int128;

static bool has_size(const struct vertex *v, const struct constraint *c)
{
    int64_t mine = 1, theirs = 1;
    int128 has, wanted;

    if (*c->unit && !units_compare(v->unit, c->unit, &mine, &theirs))
        return false;
    has = (int128)v->size * mine;
    wanted = (int128)c->number * theirs;
    return in_order(c->op, COMPARE(has, wanted));
}

/* --- properties and tags ------------------------------------------------- */

/* Is a text KEY or KEY=VALUE? */
static bool is_key_value(const char *text, const char *key, const char *value)
{
    size_t len = strlen(key);

    if (strncmp(text, key, len) != 0)
        return false;
    return !text[len] || (text[len] == '=' && !strcmp(text + len + 1, value));
}

static bool has_property(const struct properties *p, const char *text)
{
    for (unsigned i = 0; p && i < p->count; i++)
        if (is_key_value(text, p->list[i].key, p->list[i].value)
            || property_value(&p->list[i], text, strlen(text)))
            return true;
    return false;
}

/* A value that is not a text is compared as JSON, as for properties. */
static bool is_tag(const char *text, const char *key, const json_t *value)
{
    char *dump;
    bool same;

    if (!value || json_is_null(value))
        return !strcmp(text, key);
    if (json_is_string(value))
        return is_key_value(text, key, json_string_value(value));
    dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    same = is_key_value(text, key, dump);
    free(dump);
    return same;
}

/* Tags are an object, or a list of names. */
static bool has_tag(const struct vertex *v, const char *text)
{
    json_t *tags = json_object_get(v->extra, "tags"), *value;
    const char *key;
    size_t i;

    json_object_foreach (tags, key, value)
        if (is_tag(text, key, value))
            return true;
    json_array_foreach (tags, i, value)
        if (json_is_string(value)
            && is_tag(text, json_string_value(value), NULL))
            return true;
    return false;
}

/* --- records -------------------------------------------------------------- */

/*
 * Criteria on records: the holders of a pool, and their times. If a job has all
 * units of a pool, it holds everything in the pool, which has no records of its
 * own (RFC 4, Resource Allocation Records). So the pools above a pool are
 * checked, too.
 */

/* Spans are half-open. TIME_UNSET: always, or for ever. */
static bool holds_at(const struct term *t, double time)
{
    return (t->start < 0 || t->start <= time) && (t->end < 0 || time < t->end);
}

/* Return whether a claim is not held yet: it begins later, or waits for another
   job. */
static bool is_ahead(struct settled s, const struct constraint *c,
                     const struct grant *claim)
{
    return term_is_ahead(claim->term, c->now)
           || grant_awaits(s.rs->usage, claim, c->now);
}

/* Return whether a claim satisfies a criterion, whose `!=` is ignored. */
static bool is_meant(struct settled s, const struct constraint *c,
                     const struct grant *claim)
{
    bool start = c->about == ABOUT_START;
    double time;

    if (claim->term->kind != GRANT_CLAIM)
        return false;
    time = start ? claim->term->start : claim->term->end;
    if (start || c->about == ABOUT_END) {
        if (time < 0)
            time = start ? -__builtin_inf() : __builtin_inf();
        return in_order(c->op, COMPARE(time, c->time));
    }
    if (c->about == ABOUT_ALLOCATED && !c->timed && is_ahead(s, c, claim))
        return false;
    if (c->about == ABOUT_RESERVED && !is_ahead(s, c, claim))
        return false;
    if (c->timed && !holds_at(claim->term, c->time))
        return false;
    return !c->text || !strcmp(claim->term->job->name, c->text);
}

/* Return whether claims like this one give its job all of a pool. */
static bool is_whole(struct settled s, const struct constraint *c,
                     const struct vertex *v, const struct grant *claim)
{
    int64_t sum = 0;

    if (claim->units >= v->size)
        return true;
    for (const struct grant *o = vertex_grants(s, v); o && sum < v->size;
         o = o->beside)
        if (o->term->job == claim->term->job && is_meant(s, c, o)
            && is_ahead(s, c, o) == is_ahead(s, c, claim))
            sum += o->units < v->size - sum ? o->units : v->size - sum;
    return sum >= v->size;
}

/* Return whether a claim on v satisfies the criterion; with `whole`, one for
   all of v. */
static bool is_claimed(struct settled s, const struct constraint *c,
                       const struct vertex *v, bool whole)
{
    for (const struct grant *o = vertex_grants(s, v); o; o = o->beside)
        if (is_meant(s, c, o) && (!whole || is_whole(s, c, v, o)))
            return true;
    return false;
}

static bool is_held(struct settled s, const struct constraint *c,
                    const struct vertex *v)
{
    bool held = is_claimed(s, c, v, false);

    for (v = v->parent; v && !held; v = v->parent)
        held = is_claimed(s, c, v, true);
    return held;
}

static bool is_shared(struct settled s, const struct constraint *c,
                      const struct vertex *v)
{
    struct lot *lot = settled_lot(s, v);
    struct job_list jobs = {0};
    size_t i = 0;

    if (lot)
        jobs = lot_sharers(s.rs->usage, lot);
    while (c->text && i < jobs.n && strcmp(jobs.list[i]->name, c->text) != 0)
        i++;
    free(jobs.list);
    return i < jobs.n;
}

static bool is_staged(struct settled s, const struct constraint *c,
                      const struct vertex *v)
{
    for (; v; v = v->parent) {
        const struct job *job = lot_staged(settled_lot(s, v));
        if (job && (!c->text || !strcmp(job->name, c->text)))
            return true;
    }
    return false;
}

/* Return whether a pool and everything in it is neither staged, claimed nor
   shared. */
static bool is_free(struct settled s, const struct constraint *c,
                    const struct vertex *v)
{
    for (const struct vertex *o = v; o; o = vertex_next(v, o, false))
        for (const struct grant *g = vertex_grants(s, o); g; g = g->beside)
            if (g->term->kind == GRANT_STAGED || is_meant(s, c, g)
                || (g->term->kind == GRANT_SHARE
                    && (!c->timed || holds_at(g->term, c->time))))
                return false;
    for (v = v->parent; v; v = v->parent)
        if (lot_staged(settled_lot(s, v)) || is_claimed(s, c, v, true))
            return false;
    return true;
}

static bool has_word(const struct constraint *c, const char *word)
{
    return criterion_has_word(c, word, strlen(word));
}

/* Return whether a pool is in a state. Besides `down` a drained pool is
   draining, if any part of it is held, or else drained. A pool in a node has
   the word of the node, or of the drained part around it: so a node with a job
   and idle cores is not listed as drained. */
static bool is_in_state(struct settled s, const struct constraint *c,
                        const struct vertex *v)
{
    const struct constraint held = {.about = ABOUT_ALLOCATED, .now = c->now};
    const struct vertex *out = vertex_not_up(s, v);
    enum pool_state state = vertex_state(s, out);

    if (has_word(c, pool_state_names[state]))
        return true;
    if (state != STATE_DOWN || !vertex_get_tag(out, "drained"))
        return false;
    while (v != out && !vertex_is_outer(v))
        v = v->parent;
    return has_word(c, is_free(s, &held, v) ? "drained" : "draining");
}

/* --- sets of ranks -------------------------------------------------------- */

/* Find the ranks for a criterion of targets. If no target has a host, `!=` of
   hosts holds for none. */
static struct idset *of_criterion(const struct rset *rs,
                                  const struct constraint *c)
{
    const struct idset *have;
    struct idset *ranks;

    if (!rs->ranks || (c->about == ABOUT_HOST && !rs->hosts))
        return idset_create();
    if (c->about == ABOUT_RANK)
        return idset_intersect(rs->ranks, c->ids);
    if (c->about == ABOUT_HOST)
        ranks = named_ranks(rs, c);
    else
        ranks = (have = rset_ranks_with(rs, c->text)) ? idset_copy(have)
                                                      : idset_create();
    if (c->op == OP_NE)
        idset_replace(ranks, idset_subtract(rs->ranks, ranks));
    return ranks;
}

/* Combine the ranks of the parts. NULL: ranks don't decide one of them. */
static struct idset *of_parts(const struct rset *rs, const struct bound *a)
{
    enum constraint_kind kind = a->c->kind;
    struct idset *ranks;

    for (const struct bound *p = a->child; p; p = p->next)
        if (!p->ranks)
            return NULL;
    ranks = kind == CONSTRAINT_OR || !rs->ranks ? idset_create()
                                                : idset_copy(rs->ranks);
    for (const struct bound *p = a->child; p; p = p->next)
        if (kind == CONSTRAINT_OR)
            idset_add_set(ranks, p->ranks);
        else if (kind == CONSTRAINT_NOT)
            idset_remove_set(ranks, p->ranks);
        else
            idset_replace(ranks, idset_intersect(ranks, p->ranks));
    return ranks;
}

/* --- binding -------------------------------------------------------------- */

/* Bind a constraint to the set. With `of_targets` only targets are evaluated,
   not the pools in them. */
static struct bound *bind(struct evaluation *ev, const struct constraint *c,
                          bool of_targets)
{
    struct bound *a = arena_alloc(&ev->arena, sizeof(*a)), **end = &a->child;

    *a = (struct bound){.c = c};
    for (const struct constraint *p = c->child; p; p = p->next) {
        *end = bind(ev, p, of_targets);
        end = &(*end)->next;
    }
    if (c->kind != CONSTRAINT_CRITERION)
        a->ranks = of_parts(ev->rs, a);
    else if (c->about == ABOUT_RANK || c->about == ABOUT_HOST
             || (c->about == ABOUT_PROPERTY && of_targets))
        a->ranks = of_criterion(ev->rs, c);
    else if (c->about == ABOUT_NAME)
        a->names = hostset_create(c->hosts, false, true);
    else
        evaluation_bind_links(ev, a);
    return a;
}

static void release(struct bound *list)
{
    for (struct bound *a = list; a; a = a->next) {
        release(a->child);
        for (size_t i = 0; i < a->nsteps; i++) {
            free(a->steps[i].name);
            idset_destroy(a->steps[i].ranks);
        }
        free(a->steps);
        map_fini(&a->listed);
        idset_destroy(a->ranks);
        idset_destroy(a->named);
        hostset_destroy(a->names);
    }
}

struct evaluation *evaluation_create(const struct constraint *c,
                                     struct settled s)
{
    struct evaluation *ev = xcalloc(1, sizeof(*ev));

    ev->rs = s.rs;
    ev->settled = s;
    ev->top = bind(ev, c, false);
    return ev;
}

void evaluation_destroy(struct evaluation *ev)
{
    if (!ev)
        return;
    release(ev->top);
    arena_fini(&ev->arena);
    free(ev);
}

/* --- asking --------------------------------------------------------------- */

struct idset *constraint_ranks(const struct constraint *c,
                               const struct rset *rs)
{
    struct evaluation ev = {.rs = rs};
    struct bound *top = bind(&ev, c, true);
    struct idset *ranks = top->ranks;

    top->ranks = NULL;
    release(top);
    arena_fini(&ev.arena);
    return ranks;
}

/* Return whether a pool satisfies a criterion, as if it had `=` instead of
   `!=`. */
static bool has_equal(const struct evaluation *ev, struct bound *a,
                      struct member *m)
{
    const struct constraint *c = a->c;
    const struct vertex *v = m->v;
    struct settled s = ev->settled;

    switch (c->about) {
    case ABOUT_TYPE:
        return has_word(c, v->type);
    case ABOUT_UUID:
        return v->uuid && has_word(c, v->uuid);
    case ABOUT_UNIT:
        return has_word(c, v->unit);
    case ABOUT_STATE:
        return is_in_state(s, c, v);
    case ABOUT_STATUS:
        return has_word(c, !vertex_not_up(s, v) ? "up" : "down");
    case ABOUT_ID:
    case ABOUT_NAME:
    case ABOUT_BASENAME:
        return evaluation_is_named(ev, a, m);
    case ABOUT_PATH:
    case ABOUT_FED_BY:
    case ABOUT_SUBSYSTEM:
        return evaluation_is_linked(ev, a, m);
    case ABOUT_SIZE:
        return has_size(v, c);
    case ABOUT_PROPERTY:
        return has_property(v->properties, c->text);
    case ABOUT_TAG:
        return has_tag(v, c->text);
    case ABOUT_ALLOCATED:
    case ABOUT_RESERVED:
    case ABOUT_START:
    case ABOUT_END:
        return is_held(s, c, v);
    case ABOUT_SHARED:
        return is_shared(s, c, v);
    case ABOUT_STAGED:
        return is_staged(s, c, v);
    case ABOUT_FREE:
        return is_free(s, c, v);
    case ABOUT_EXCLUSIVE:
        return v->exclusive;
    case ABOUT_RANK: /* above all targets */
        return criterion_has_number(c, v->rank);
    case ABOUT_HOST: /* above all targets */
    case CRITERIA:
        break;
    }
    return false;
}

static bool has(const struct evaluation *ev, struct bound *a, struct member *m)
{
    enum criterion_about about = a->c->about;
    /* with these criteria some pools satisfy neither = nor != */
    bool apart = about == ABOUT_ID || about == ABOUT_RANK || about == ABOUT_HOST
                 || about == ABOUT_SIZE || about == ABOUT_START
                 || about == ABOUT_END || (about == ABOUT_UUID && !m->v->uuid);

    return has_equal(ev, a, m) != (a->c->op == OP_NE && !apart);
}

/* Recurses as deep as constraints are nested. */
static bool is_true(const struct evaluation *ev, struct bound *a,
                    struct member *m)
{
    struct bound *part = a->child;

    if (a->ranks && m->target)
        return member_targeted(m, a->ranks);
    if (a->c->kind == CONSTRAINT_CRITERION)
        return has(ev, a, m);
    if (a->c->kind == CONSTRAINT_NOT)
        return !is_true(ev, part, m);
    while (part && is_true(ev, part, m) == (a->c->kind == CONSTRAINT_AND))
        part = part->next;
    return !part == (a->c->kind == CONSTRAINT_AND);
}

bool evaluation_holds(struct evaluation *ev, struct member *m)
{
    return is_true(ev, ev->top, m);
}

/*
 * What of a constraint is about targets alone, and joined by `and`, `or` and
 * `not`, becomes a set of their ranks, bottom up, by the algebra of sets;
 * then a pool is in it or not. The rest is asked of the pools.
 */
#include "request/evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"
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
    size_t i = 0;

    while (i < c->nwords
           && (strncmp(c->words[i], word, len) != 0 || c->words[i][len]))
        i++;
    return i < c->nwords;
}

bool criterion_has_number(const struct constraint *c, int64_t number)
{
    if (number < 0)
        return false;
    if (number <= (int64_t)IDSET_MAX)
        return idset_contains(c->ids, (uint32_t)number);
    return c->op == OP_NE || c->op == OP_GT || c->op == OP_GE;
}

/* Does a comparison ask for this order (below 0, 0 or above 0)? */
static bool in_order(enum criterion_op op, int order)
{
    return op == OP_EQ   ? order == 0
           : op == OP_NE ? order != 0
           : op == OP_LT ? order < 0
           : op == OP_LE ? order <= 0
           : op == OP_GT ? order > 0
                         : order >= 0;
}

static bool listed(const struct asked *a, const char *word)
{
    return verdict(a->c, criterion_has_word(a->c, word, strlen(word)));
}

/* --- identity, place ------------------------------------------------------ */

static HOLDS(holds_type)
{
    return listed(a, m->v->type);
}

static HOLDS(holds_uuid)
{
    return m->v->uuid && listed(a, m->v->uuid);
}

/* Of what is in a target its rank is asked: see evaluation.c. */
static HOLDS(holds_rank)
{
    return criterion_has_number(a->c, m->v->rank);
}

static HOLDS(holds_host)
{
    return false;
}

/* --- size ----------------------------------------------------------------- */

__extension__ typedef __int128 int128;

static HOLDS(holds_size)
{
    const struct constraint *c = a->c;
    int64_t mine = 1, asked = 1;
    int128 has, wants;

    if (*c->unit && !units_compare(m->v->unit, c->unit, &mine, &asked))
        return false;
    has = (int128)m->v->size * mine;
    wants = (int128)c->number * asked;
    return in_order(c->op, (has > wants) - (has < wants));
}

static HOLDS(holds_unit)
{
    return listed(a, m->v->unit);
}

/* --- properties and tags ------------------------------------------------- */

static HOLDS(holds_property)
{
    const struct properties *p = m->v->properties;
    bool found = false;

    for (unsigned i = 0; p && i < p->count && !found; i++)
        found = property_answers(&p->list[i], a->c->text);
    return verdict(a->c, found);
}

/* A value that is no text is that of its JSON, as with properties. */
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
static HOLDS(holds_tag)
{
    json_t *tags = json_object_get(m->v->extra, "tags"), *value;
    const char *key, *text = a->c->text;
    bool found = false;
    size_t i;

    json_object_foreach (tags, key, value)
        found = found || is_tag(text, key, value);
    json_array_foreach (tags, i, value)
        found = found
                || (json_is_string(value)
                    && is_tag(text, json_string_value(value), NULL));
    return verdict(a->c, found);
}

/* --- state ---------------------------------------------------------------- */

/* Its own unless that is up, then that of the nearest above that is not. */
static enum pool_state effective(const struct vertex *v)
{
    while (vertex_state(v) == STATE_UP && v->parent)
        v = v->parent;
    return vertex_state(v);
}

static HOLDS(holds_state)
{
    return listed(a, pool_state_names[effective(m->v)]);
}

static HOLDS(holds_status)
{
    bool up = effective(m->v) == STATE_UP;

    return verdict(a->c, up == !strcmp(a->c->text, "up"));
}

static HOLDS(holds_exclusive)
{
    return m->v->exclusive;
}

/* --- records -------------------------------------------------------------- */

/*
 * Who holds a pool, and when: criteria on records. A pool of which a job has
 * all units is held with all that is in it, and that has no record of its
 * own (RFC 4, Resource Allocation Records); so a look at a pool is one at
 * those above it, too.
 */

/* Spans are half-open; TIME_UNSET is always, or forever. */
static bool holds_at(const struct term *t, double time)
{
    return (t->start < 0 || t->start <= time) && (t->end < 0 || time < t->end);
}

/* Is a claim not held yet: does it begin later, or wait for another job? */
static bool is_ahead(struct usage *u, const struct constraint *c,
                     const struct grant *claim)
{
    return term_is_ahead(claim->term, c->now) || grant_awaits(u, claim, c->now);
}

/* Does a claim satisfy a criterion, its `!=` left aside? */
static bool is_meant(struct usage *u, const struct constraint *c,
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
        return in_order(c->op, (time > c->time) - (time < c->time));
    }
    if (c->about == ABOUT_ALLOCATED && !c->timed && is_ahead(u, c, claim))
        return false;
    if (c->about == ABOUT_RESERVED && !is_ahead(u, c, claim))
        return false;
    if (c->timed && !holds_at(claim->term, c->time))
        return false;
    return !c->text || !strcmp(claim->term->job->name, c->text);
}

static const struct grant *grants_of(const struct vertex *v)
{
    return v->lot ? v->lot->grants : NULL;
}

/* Does the job of a claim hold all of a pool by claims of its kind? */
static bool is_whole(struct usage *u, const struct constraint *c,
                     const struct vertex *v, const struct grant *claim)
{
    int64_t sum = 0;

    if (claim->units >= v->size)
        return true;
    for (const struct grant *o = grants_of(v); o && sum < v->size;
         o = o->beside)
        if (o->term->job == claim->term->job && is_meant(u, c, o)
            && is_ahead(u, c, o) == is_ahead(u, c, claim))
            sum += o->units < v->size - sum ? o->units : v->size - sum;
    return sum >= v->size;
}

/* Is any claim on v meant; with `whole`, one that is for all of it? */
static bool is_claimed(struct usage *u, const struct constraint *c,
                       const struct vertex *v, bool whole)
{
    for (const struct grant *o = grants_of(v); o; o = o->beside)
        if (is_meant(u, c, o) && (!whole || is_whole(u, c, v, o)))
            return true;
    return false;
}

static bool is_held(struct usage *u, const struct constraint *c,
                    const struct vertex *v)
{
    bool held = is_claimed(u, c, v, false);

    for (v = v->parent; v && !held; v = v->parent)
        held = is_claimed(u, c, v, true);
    return held;
}

/* Of a time `!=` asks for another time, of a job for its absence. */
static HOLDS(holds_claim)
{
    const struct constraint *c = a->c;
    bool time = c->about == ABOUT_START || c->about == ABOUT_END;

    return time ? is_held(ev->rs->usage, c, m->v)
                : verdict(c, is_held(ev->rs->usage, c, m->v));
}

static HOLDS(holds_shared)
{
    struct job **list = NULL;
    size_t n = m->v->lot ? lot_sharers(ev->rs->usage, m->v->lot, &list) : 0;
    size_t i = 0;

    while (a->c->text && i < n && strcmp(list[i]->name, a->c->text) != 0)
        i++;
    return verdict(a->c, i < n);
}

static bool is_staged(const struct constraint *c, const struct vertex *v)
{
    const struct job *job = v->lot ? lot_staged(v->lot) : NULL;

    return job && (!c->text || !strcmp(job->name, c->text));
}

static HOLDS(holds_staged)
{
    const struct vertex *v = m->v;

    while (v && !is_staged(a->c, v))
        v = v->parent;
    return verdict(a->c, v);
}

/* Is it staged, claimed or shared? */
static bool is_busy(struct usage *u, const struct constraint *c,
                    const struct vertex *v)
{
    for (const struct grant *g = grants_of(v); g; g = g->beside)
        if (g->term->kind == GRANT_STAGED || is_meant(u, c, g)
            || (g->term->kind == GRANT_SHARE
                && (!c->timed || holds_at(g->term, c->time))))
            return true;
    return false;
}

static HOLDS(holds_free)
{
    const struct vertex *v = m->v;

    for (const struct vertex *o = v; o; o = vertex_next(v, o, false))
        if (is_busy(ev->rs->usage, a->c, o))
            return false;
    for (v = v->parent; v; v = v->parent)
        if (v->lot
            && (lot_staged(v->lot) || is_claimed(ev->rs->usage, a->c, v, true)))
            return false;
    return true;
}

/* --- the table ------------------------------------------------------------ */

static const holds_fn criterion_holds[CRITERIA] = {
    [ABOUT_TYPE] = holds_type,         [ABOUT_BASENAME] = holds_basename,
    [ABOUT_NAME] = holds_name,         [ABOUT_ID] = holds_id,
    [ABOUT_UUID] = holds_uuid,         [ABOUT_PATH] = holds_path,
    [ABOUT_RANK] = holds_rank,         [ABOUT_HOST] = holds_host,
    [ABOUT_SIZE] = holds_size,         [ABOUT_UNIT] = holds_unit,
    [ABOUT_PROPERTY] = holds_property, [ABOUT_TAG] = holds_tag,
    [ABOUT_STATE] = holds_state,       [ABOUT_STATUS] = holds_status,
    [ABOUT_FED_BY] = holds_fed_by,     [ABOUT_SUBSYSTEM] = holds_subsystem,
    [ABOUT_ALLOCATED] = holds_claim,   [ABOUT_RESERVED] = holds_claim,
    [ABOUT_SHARED] = holds_shared,     [ABOUT_STAGED] = holds_staged,
    [ABOUT_START] = holds_claim,       [ABOUT_END] = holds_claim,
    [ABOUT_FREE] = holds_free,         [ABOUT_EXCLUSIVE] = holds_exclusive,
};

/* --- sets of ranks -------------------------------------------------------- */

/* Of what targets have. What has no host has no other one, either. */
static struct idset *of_criterion(const struct rset *rs,
                                  const struct constraint *c)
{
    const struct idset *have;
    struct idset *ranks, *others;

    if (!rs->ranks || (c->about == ABOUT_HOST && !rs->hosts))
        return idset_create();
    if (c->about == ABOUT_RANK)
        return idset_intersect(rs->ranks, c->ids);
    if (c->about == ABOUT_HOST)
        ranks = named_ranks(rs, c);
    else
        ranks = (have = rset_ranks_with(rs, c->text)) ? idset_copy(have)
                                                      : idset_create();
    if (c->op != OP_NE)
        return ranks;
    others = idset_subtract(rs->ranks, ranks);
    idset_destroy(ranks);
    return others;
}

/* All begin with all ranks, but `or`. */
static struct idset *of_parts(const struct rset *rs, const struct asked *a)
{
    enum constraint_kind kind = a->c->kind;
    struct idset *ranks, *both;

    for (const struct asked *p = a->child; p; p = p->next)
        if (!p->ranks)
            return NULL;
    ranks = kind == CONSTRAINT_OR || !rs->ranks ? idset_create()
                                                : idset_copy(rs->ranks);
    for (const struct asked *p = a->child; p; p = p->next)
        if (kind == CONSTRAINT_OR) {
            idset_add_set(ranks, p->ranks);
        } else if (kind == CONSTRAINT_NOT) {
            idset_remove_set(ranks, p->ranks);
        } else {
            both = idset_intersect(ranks, p->ranks);
            idset_destroy(ranks);
            ranks = both;
        }
    return ranks;
}

/* --- binding -------------------------------------------------------------- */

static void bind_criterion(const struct evaluation *ev, struct asked *a,
                           bool of_targets)
{
    switch (a->c->about) {
    case ABOUT_RANK:
    case ABOUT_HOST:
        a->ranks = of_criterion(ev->rs, a->c);
        break;
    case ABOUT_PROPERTY:
        a->ranks = of_targets ? of_criterion(ev->rs, a->c) : NULL;
        break;
    case ABOUT_NAME:
        a->names = hostset_create(a->c->hosts, false, true);
        break;
    case ABOUT_PATH:
        bind_path(ev, a);
        break;
    case ABOUT_FED_BY:
        bind_fed_by(ev, a);
        break;
    case ABOUT_SUBSYSTEM:
        bind_subsystem(ev, a);
        break;
    default:
        break;
    }
}

/* With `of_targets` it is asked of targets alone, not of what is in them. */
static struct asked *bind(struct evaluation *ev, const struct constraint *c,
                          bool of_targets)
{
    struct asked *a = arena_alloc(&ev->arena, sizeof(*a)), **end = &a->child;

    *a = (struct asked){.c = c};
    for (const struct constraint *p = c->child; p; p = p->next) {
        *end = bind(ev, p, of_targets);
        end = &(*end)->next;
    }
    if (c->kind == CONSTRAINT_CRITERION)
        bind_criterion(ev, a, of_targets);
    else
        a->ranks = of_parts(ev->rs, a);
    return a;
}

static void release(struct asked *list)
{
    for (struct asked *a = list; a; a = a->next) {
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

static struct evaluation *create(const struct constraint *c,
                                 const struct rset *rs, bool of_targets)
{
    struct evaluation *ev = xcalloc(1, sizeof(*ev));

    ev->rs = rs;
    ev->top = bind(ev, c, of_targets);
    return ev;
}

struct evaluation *evaluation_create(const struct constraint *c,
                                     const struct rset *rs)
{
    return create(c, rs, false);
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

int constraint_ranks(const struct constraint *c, const struct rset *rs,
                     struct idset **out, struct diag *d)
{
    struct evaluation *ev = create(c, rs, true);

    *out = ev->top->ranks;
    ev->top->ranks = NULL;
    evaluation_destroy(ev);
    return *out ? 0 : diag_set(d, "the constraint is not one of targets");
}

/* As deep as constraints are nested. */
static bool is_true(const struct evaluation *ev, struct asked *a,
                    struct member *m)
{
    struct asked *part = a->child;

    if (a->ranks && m->target)
        return member_targeted(m, a->ranks);
    if (a->c->kind == CONSTRAINT_CRITERION)
        return criterion_holds[a->c->about](ev, a, m);
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

/* What a pool is, and who holds it: criteria on one pool and those above it. */
#include <stdlib.h>
#include <string.h>

#include "model/tree/properties.h"
#include "model/tree/units.h"
#include "model/records/jobs.h"
#include "request/evaluation_private.h"

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

/* Does a claim satisfy a criterion, its `!=` left aside? */
static bool is_meant(const struct constraint *c, const struct grant *claim)
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
    if (c->about == ABOUT_ALLOCATED && !c->timed
        && term_is_ahead(claim->term, c->now))
        return false;
    if (c->about == ABOUT_RESERVED && !term_is_ahead(claim->term, c->now))
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
static bool is_whole(const struct constraint *c, const struct vertex *v,
                     const struct grant *claim)
{
    int64_t sum = 0;

    if (claim->units >= v->size)
        return true;
    for (const struct grant *o = grants_of(v); o && sum < v->size;
         o = o->beside)
        if (o->term->job == claim->term->job && is_meant(c, o)
            && term_is_ahead(o->term, c->now)
                   == term_is_ahead(claim->term, c->now))
            sum += o->units < v->size - sum ? o->units : v->size - sum;
    return sum >= v->size;
}

/* Is any claim on v meant; with `whole`, one that is for all of it? */
static bool is_claimed(const struct constraint *c, const struct vertex *v,
                       bool whole)
{
    for (const struct grant *o = grants_of(v); o; o = o->beside)
        if (is_meant(c, o) && (!whole || is_whole(c, v, o)))
            return true;
    return false;
}

static bool is_held(const struct constraint *c, const struct vertex *v)
{
    bool held = is_claimed(c, v, false);

    for (v = v->parent; v && !held; v = v->parent)
        held = is_claimed(c, v, true);
    return held;
}

/* Of a time `!=` asks for another time, of a job for its absence. */
static HOLDS(holds_claim)
{
    const struct constraint *c = a->c;
    bool time = c->about == ABOUT_START || c->about == ABOUT_END;

    return time ? is_held(c, m->v) : verdict(c, is_held(c, m->v));
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

/* Is it staged or claimed, or shared, which knows no times? */
static bool is_busy(const struct constraint *c, const struct vertex *v)
{
    for (const struct grant *g = grants_of(v); g; g = g->beside)
        if (g->term->kind == GRANT_STAGED || is_meant(c, g)
            || g->term->kind == GRANT_SHARE)
            return true;
    return false;
}

static HOLDS(holds_free)
{
    const struct vertex *v = m->v;

    for (const struct vertex *o = v; o; o = vertex_next(v, o, false))
        if (is_busy(a->c, o))
            return false;
    for (v = v->parent; v; v = v->parent)
        if (v->lot && (lot_staged(v->lot) || is_claimed(a->c, v, true)))
            return false;
    return true;
}

/* --- the table ------------------------------------------------------------ */

const holds_fn criterion_holds[CRITERIA] = {
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

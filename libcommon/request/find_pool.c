/* What a pool is: criteria on the data that a vertex has of its own. */
#include "request/find_private.h"

#include <stdlib.h>
#include <string.h>

#include "model/units.h"
#include "set/digits.h"

bool find_has_word(const struct criterion *c, const char *word, size_t len)
{
    size_t i = 0;

    while (i < c->nwords
           && (strncmp(c->words[i], word, len) || c->words[i][len]))
        i++;
    return i < c->nwords;
}

static bool listed(const struct criterion *c, const char *word)
{
    return find_verdict(c, find_has_word(c, word, strlen(word)));
}

const struct vertex *find_target(const struct vertex *v)
{
    while (v && !vertex_is_target(v))
        v = v->parent;
    return v;
}

int64_t find_rank(const struct vertex *v)
{
    const struct vertex *target = find_target(v);

    if (!target)
        return v->rank;
    return target->run ? (int64_t)idset_first(target->run) : target->rank;
}

/* Is v a run of targets, whose data come from their hosts? */
static bool is_target_run(const struct vertex *v)
{
    return v->run && vertex_is_target(v);
}

static bool first_in(const struct vertex *v, const struct idset *set)
{
    return idset_contains(set, idset_first(v->run));
}

/* --- identity ------------------------------------------------------------- */

FIND_HOLDS(find_holds_type)
{
    (void)f;
    return listed(c, v->type);
}

FIND_HOLDS(find_holds_basename)
{
    (void)f;
    if (is_target_run(v))
        return find_verdict(c, first_in(v, c->targets));
    return listed(c, v->basename);
}

static bool in_book(const struct find *f, const struct criterion *c,
                    const char *name)
{
    const struct map_slot *slot = map_find(&f->book, name, strlen(name));

    return slot && slot->value.number
           && idset_contains(c->names, (uint32_t)(slot->value.number - 1));
}

static const struct idset *member_ids(const struct criterion *c,
                                      const char *basename)
{
    size_t i = 0;

    while (strcmp(c->members[i].basename, basename))
        i++;
    return c->members[i].ids; /* all basenames of runs are there */
}

FIND_HOLDS(find_holds_name)
{
    bool same;

    if (!v->run)
        same = in_book(f, c, v->name);
    else if (vertex_is_target(v))
        same = first_in(v, c->targets);
    else
        same = first_in(v, member_ids(c, v->basename));
    return find_verdict(c, same);
}

FIND_HOLDS(find_holds_id)
{
    (void)f;
    if (is_target_run(v))
        return first_in(v, c->targets);
    return find_number(c, v->run ? (int64_t)idset_first(v->run) : v->id);
}

FIND_HOLDS(find_holds_uuid)
{
    (void)f;
    return v->uuid && listed(c, v->uuid);
}

/* --- place ---------------------------------------------------------------- */

static bool in_list(const struct criterion *c, const struct vertex *v)
{
    size_t lo = 0, hi = c->nlist;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if ((uintptr_t)c->list[mid] < (uintptr_t)v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->nlist && c->list[lo] == v;
}

FIND_HOLDS(find_holds_path)
{
    (void)f;
    if (!c->below)
        return find_verdict(c, in_list(c, v));
    do
        v = v->parent;
    while (v && !in_list(c, v));
    return find_verdict(c, v);
}

FIND_HOLDS(find_holds_rank)
{
    (void)f;
    return find_number(c, find_rank(v));
}

FIND_HOLDS(find_holds_host)
{
    const struct vertex *target = find_target(v);

    if (!target || !f->rs->hosts)
        return false;
    return find_verdict(
        c, idset_contains(c->targets, (uint32_t)find_rank(target)));
}

FIND_HOLDS(find_holds_subsystem)
{
    bool contained = v->parent || v == f->rs->root;

    return find_verdict(
        c, in_list(c, v) || (contained && find_has_word(c, "containment", 11)));
}

/* --- size ----------------------------------------------------------------- */

__extension__ typedef __int128 int128;

static bool in_order(const struct criterion *c, int128 a, int128 b)
{
    return c->op == OP_EQ   ? a == b
           : c->op == OP_NE ? a != b
           : c->op == OP_LT ? a < b
           : c->op == OP_LE ? a <= b
           : c->op == OP_GT ? a > b
                            : a >= b;
}

FIND_HOLDS(find_holds_size)
{
    int64_t mine = 1, asked = 1;

    (void)f;
    if (*c->unit && !units_compare(v->unit, c->unit, &mine, &asked))
        return false;
    return in_order(c, (int128)v->size * mine, (int128)c->number * asked);
}

FIND_HOLDS(find_holds_unit)
{
    (void)f;
    return listed(c, v->unit);
}

/* --- properties and tags ------------------------------------------------- */

/* Is it KEY, or KEY=VALUE? */
static bool names(const char *text, const char *key, const char *value)
{
    size_t len = strlen(key);

    if (strncmp(text, key, len))
        return false;
    return !text[len] || (text[len] == '=' && !strcmp(text + len + 1, value));
}

/* A name `k=v` without a value is k with the value v, too. */
static bool is_property(const char *text, const struct property *p)
{
    const char *value = *p->value ? NULL : property_value_in(p->key);
    size_t len = value ? (size_t)(value - 1 - p->key) : 0;

    return names(text, p->key, p->value)
           || (value && !strncmp(text, p->key, len) && !text[len]);
}

FIND_HOLDS(find_holds_property)
{
    const struct properties *p = v->properties;
    bool found = false;

    (void)f;
    for (unsigned i = 0; p && i < p->count && !found; i++)
        found = is_property(c->text, &p->list[i]);
    return find_verdict(c, found);
}

/* A value that is no text is that of its JSON, as with properties. */
static bool is_tag(const char *text, const char *key, const json_t *value)
{
    char *dump;
    bool same;

    if (!value || json_is_null(value))
        return !strcmp(text, key);
    if (json_is_string(value))
        return names(text, key, json_string_value(value));
    dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    same = dump ? names(text, key, dump) : !strcmp(text, key);
    free(dump);
    return same;
}

/* Tags are an object, or a list of names. */
FIND_HOLDS(find_holds_tag)
{
    json_t *tags = json_object_get(v->extra, "tags"), *value;
    bool found = false;
    const char *key;
    size_t i;

    (void)f;
    json_object_foreach (tags, key, value)
        found = found || is_tag(c->text, key, value);
    json_array_foreach (tags, i, value)
        found = found
                || (json_is_string(value)
                    && is_tag(c->text, json_string_value(value), NULL));
    return find_verdict(c, found);
}

/* --- state
 * -------------------------------------------------------------------- */

/* Its own unless that is up, then that of the nearest above that is not. */
static enum pool_state effective(const struct vertex *v)
{
    while (v->state == STATE_UP && v->parent)
        v = v->parent;
    return v->state;
}

FIND_HOLDS(find_holds_state)
{
    (void)f;
    return listed(c, pool_state_names[effective(v)]);
}

FIND_HOLDS(find_holds_status)
{
    bool up = effective(v) == STATE_UP;

    (void)f;
    return find_verdict(c, up == !strcmp(c->text, "up"));
}

FIND_HOLDS(find_holds_exclusive)
{
    (void)f, (void)c;
    return v->exclusive;
}

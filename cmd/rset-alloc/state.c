/*
 * The commands that say in what state pools are, and tag them.
 *
 * A drained pool is down, with a tag that says why, since when (if a time
 * was given), and what it was before. To say in what state a drained pool is
 * changes what it will be when it is undrained. What is down for a reason has
 * a tag of its own for that.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "compare/align.h"
#include "model/document/execution.h"
#include "model/tree/path.h"
#include "model/records/tags.h"
#include "model/records/jobs.h"

#define DRAINED "drained" /* the tag of a drained pool */
#define DOWN "down"       /* of one that is down for a reason */

/* Why and since when: no time is recorded unless one was given. */
static json_t *reason(const struct alloc_call *call)
{
    json_t *why = json_object();

    if (alloc_options.reason)
        json_object_set_new(why, "reason", json_string(alloc_options.reason));
    if (call->now_given)
        json_object_set_new(why, "time", time_to_json(call->now));
    return why;
}

static bool is_drained(const struct vertex *v)
{
    return vertex_get_tag(v, DRAINED);
}

/* Of a drained pool change what it was. */
static void set_was(struct vertex *v, enum pool_state state)
{
    json_t *why = json_deep_copy(vertex_get_tag(v, DRAINED));

    if (!why || !json_is_object(why)) {
        json_decref(why);
        why = json_object();
    }
    if (state == STATE_UP)
        json_object_del(why, "was");
    else
        json_object_set_new(why, "was", json_string(pool_state_names[state]));
    vertex_tag(v, DRAINED, why);
    json_decref(why);
}

/* --- which pools -------------------------------------------------------- */

/* An R without a graph says nothing of what is above its nodes. */
static void check_sayable(const struct alloc_call *call, const struct lot *lot,
                          bool target)
{
    char *place;

    if (rset_has_graph(call->rs)
        || (target ? vertex_is_target(lot->v) : lot->v != call->rs->root))
        return;
    place = cli_own(lot_place(call->rs->usage, lot, NULL), free);
    cli_die("%s: %s: an R without a graph has no place for that",
            call->set->name, place);
}

/* What is meant, of all of which that can be said. */
static struct lots *find_all(struct alloc_call *call, bool target)
{
    struct lots *lots = alloc_lots(call);

    for (size_t i = 0; i < lots->n; i++)
        check_sayable(call, lots->list[i], target);
    return lots;
}

/* --- states ------------------------------------------------------------- */

/* Is anything said of why it is in its state? */
static bool says_why(const struct lot *lot)
{
    return is_drained(lot->v) || vertex_get_tag(lot->v, DOWN);
}

static void set_state(struct alloc_call *call, struct lot *lot,
                      enum pool_state state, json_t *why)
{
    if (is_drained(lot->v))
        set_was(lot->v, state);
    else
        lot_set_state(call->rs->usage, lot, state);
    vertex_untag(lot->v, DOWN);
    if (why)
        vertex_tag(lot->v, DOWN, why);
}

static int set_all(struct alloc_call *call, enum pool_state state)
{
    struct lots *lots = find_all(call, false);
    json_t *why = reason(call);
    bool tells = state != STATE_UP && json_object_size(why) > 0, facts = tells;
    uint64_t drained = 0;

    for (size_t i = 0; i < lots->n; i++) {
        facts = facts || says_why(lots->list[i]);
        drained += is_drained(lots->list[i]->v) ? lots->list[i]->n : 0;
    }
    if (facts)
        lots_cut(call->rs->usage, lots);
    for (size_t i = 0; i < lots->n; i++)
        set_state(call, lots->list[i], state, tells ? why : NULL);
    if (facts)
        lots_rejoin(call->rs->usage, lots);
    else
        lots_join(call->rs->usage, lots);
    json_decref(why);
    if (drained)
        cli_warn("%s: %llu of them %s drained, and will be %s when undrained",
                 call->set->name, (unsigned long long)drained,
                 drained == 1 ? "is" : "are", pool_state_names[state]);
    return STATUS_OK;
}

int alloc_up(struct alloc_call *call)
{
    return set_all(call, STATE_UP);
}

int alloc_down(struct alloc_call *call)
{
    return set_all(call, STATE_DOWN);
}

int alloc_state(struct alloc_call *call)
{
    return set_all(call, (enum pool_state)pool_state_from_name(call->word));
}

/* Several lots may have one vertex, and then they were in one state. */
static void drain(struct alloc_call *call, struct lot *lot)
{
    json_t *why = reason(call);
    const json_t *old = vertex_get_tag(lot->v, DRAINED);

    if (old) /* a new reason; what it was stays */
        json_object_update_missing(why, (json_t *)old);
    else if (lot->state != STATE_UP)
        json_object_set_new(why, "was",
                            json_string(pool_state_names[lot->state]));
    lot_set_state(call->rs->usage, lot, STATE_DOWN);
    vertex_tag(lot->v, DRAINED, why);
    json_decref(why);
}

int alloc_drain(struct alloc_call *call)
{
    struct lots *lots = find_all(call, false);

    lots_cut(call->rs->usage, lots);
    for (size_t i = 0; i < lots->n; i++)
        drain(call, lots->list[i]);
    lots_rejoin(call->rs->usage, lots);
    return STATUS_OK;
}

/* In the state that it was in. */
static void restore(struct alloc_call *call, struct lot *lot)
{
    const json_t *why = vertex_get_tag(lot->v, DRAINED);
    const char *was = json_string_value(json_object_get(why, "was"));
    int state = was ? pool_state_from_name(was) : STATE_UP;

    if (why)
        lot_set_state(call->rs->usage, lot,
                      state < 0 ? STATE_DOWN : (enum pool_state)state);
}

static int untag(struct alloc_call *call, struct lots *lots, const char *key)
{
    size_t found = 0;

    lots_cut(call->rs->usage, lots);
    for (size_t i = 0; i < lots->n; i++)
        found += vertex_untag(lots->list[i]->v, key);
    lots_rejoin(call->rs->usage, lots);
    return found ? STATUS_OK : STATUS_NO;
}

int alloc_undrain(struct alloc_call *call)
{
    struct lots *lots = alloc_lots(call);

    for (size_t i = 0; i < lots->n; i++)
        restore(call, lots->list[i]);
    return untag(call, lots, DRAINED) == STATUS_OK
               ? STATUS_OK
               : alloc_no(call, "%s: not drained", call->what);
}

/* --- facts: what is exclusive, tags and properties ---------------------- */

/* A job that has a part of it, and not all; NULL: none. */
static const char *part_holder(struct lot *top)
{
    for (struct lot *lot = top; lot; lot = lot_next_in(top, lot))
        for (const struct grant *g = lot->grants; g; g = g->beside)
            if (g->term->kind == GRANT_CLAIM
                    ? lot != top || g->units < lot->v->size
                    : g->term->kind == GRANT_SHARE)
                return g->term->job->name;
    return NULL;
}

/* What is known of the inventory is to be found anew then. */
static size_t set_exclusive(struct alloc_call *call, const struct lots *lots,
                            bool exclusive)
{
    size_t changed = 0;

    lots_cut(call->rs->usage, lots);
    for (size_t i = 0; i < lots->n; i++) {
        changed += lots->list[i]->v->exclusive != exclusive;
        lots->list[i]->v->exclusive = exclusive;
    }
    lots_rejoin(call->rs->usage, lots);
    usage_renew(call->rs->usage);
    return changed;
}

int alloc_exclusive(struct alloc_call *call)
{
    struct lots *lots = find_all(call, true);
    const char *job;

    for (size_t i = 0; i < lots->n; i++)
        if ((job = part_holder(lots->list[i]))) {
            char *place = lot_place(call->rs->usage, lots->list[i], NULL);
            cli_own(place, free);
            return alloc_no(call, "job %s has a part of %s", job, place);
        }
    set_exclusive(call, lots, true);
    return STATUS_OK;
}

int alloc_unexclusive(struct alloc_call *call)
{
    return set_exclusive(call, alloc_lots(call), false)
               ? STATUS_OK
               : alloc_no(call, "%s: not exclusive", call->what);
}

/* A word KEY[=VALUE] cut at its first `=`. */
static char *cut_value(const char *word, const char **value)
{
    size_t len = strcspn(word, "=");
    char *key = cli_own(xstrndup(word, len), free);

    *value = word[len] ? word + len + 1 : NULL;
    return key;
}

int alloc_tag(struct alloc_call *call)
{
    const char *text;
    char *key = cut_value(call->word, &text);
    json_t *value = text ? json_string(text) : NULL;
    struct lots *lots = find_all(call, false);

    lots_cut(call->rs->usage, lots);
    for (size_t i = 0; i < lots->n; i++)
        vertex_tag(lots->list[i]->v, key, value);
    lots_rejoin(call->rs->usage, lots);
    json_decref(value);
    return STATUS_OK;
}

int alloc_untag(struct alloc_call *call)
{
    return untag(call, alloc_lots(call), call->word) == STATUS_OK
               ? STATUS_OK
               : alloc_no(call, "%s has no tag %s", call->what, call->word);
}

/* Is it the property `name`, with a value or `name=value` by name? */
static bool is_named(const struct property *p, const char *name)
{
    size_t len = strlen(name);

    return !strncmp(p->key, name, len)
           && (!p->key[len] || (p->key[len] == '=' && !*p->value));
}

/* Give a vertex a property, or with no value take it away: was it there? */
static bool change_property(struct rset *rs, struct vertex *v, const char *key,
                            const char *value)
{
    unsigned n = v->properties ? v->properties->count : 0, kept = 0;
    struct property *list = xmalloc((n + 1) * sizeof(*list));
    bool found;

    for (unsigned i = 0; i < n; i++)
        if (!is_named(&v->properties->list[i], key))
            list[kept++] = v->properties->list[i];
    found = kept < n;
    if (value)
        list[kept++] = (struct property){.key = key, .value = value};
    vertex_set_properties(rs, v, list, kept);
    free(list);
    return found;
}

/* NAME or NAME=VALUE is set, ^NAME goes. */
int alloc_property(struct alloc_call *call)
{
    bool gone = call->word[0] == '^';
    const char *value;
    char *name = cut_value(call->word + gone, &value);
    struct lots *lots = find_all(call, true);
    size_t found = 0;

    value = gone ? NULL : value ? value : "";
    lots_cut(call->rs->usage, lots);
    for (size_t i = 0; i < lots->n; i++)
        found += change_property(call->rs, lots->list[i]->v, name, value);
    lots_rejoin(call->rs->usage, lots);
    if (gone && !found)
        alloc_no(call, "%s has no property %s", call->what, name);
    return gone && !found ? STATUS_NO : STATUS_OK;
}

/* --- words, before anything is read ------------------------------------- */

static void check_state(const char *word)
{
    if (pool_state_from_name(word) < 0)
        cli_usage("state: %s is not one of up, down, degraded, failing, "
                  "unknown, none",
                  quote(word, strlen(word)).text);
    if (alloc_options.reason && pool_state_from_name(word) == STATE_UP)
        cli_usage("state: up takes no --reason");
}

/* Tags that other commands set are not to be set apart from the state. */
static void check_tag(const char *name, const char *word)
{
    size_t len = strcspn(word, "=");

    if (!strncmp(word, DRAINED, len) && !DRAINED[len])
        cli_usage("%s: drain and undrain set this tag", name);
    if (!strncmp(word, DOWN, len) && !DOWN[len])
        cli_usage("%s: up and down set this tag", name);
}

static void check_property(const char *word)
{
    bool gone = *word == '^';
    const char *name = word + gone;

    if (strpbrk(name, PROPERTY_FORBIDDEN))
        cli_usage("property: %s: none of %s may be in it",
                  quote(name, strlen(name)).text, PROPERTY_FORBIDDEN);
    if (gone && strchr(name, '='))
        cli_usage("property: ^NAME has no value");
}

void alloc_check_word(alloc_fn command, const char *word)
{
    bool state = command == alloc_state, property = command == alloc_property;
    const char *name = property                 ? "property"
                       : command == alloc_untag ? "untag"
                                                : "tag";

    if (state) {
        check_state(word);
        return;
    }
    alloc_text(name, word);
    if (word[property && *word == '^'] == '='
        || !word[property && *word == '^'])
        cli_usage("%s: %s: expected KEY or KEY=VALUE", name,
                  quote(word, strlen(word)).text);
    if (property)
        check_property(word);
    else
        check_tag(name, word);
}

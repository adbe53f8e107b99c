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

static void set_state(struct alloc_call *call, struct vertex *v,
                      enum pool_state state)
{
    json_t *why;

    if (is_drained(v))
        set_was(v, state);
    else
        usage_set_state(call->rs, v, state);
    vertex_untag(v, DOWN);
    if (state == STATE_UP)
        return;
    why = reason(call);
    if (json_object_size(why) > 0)
        vertex_tag(v, DOWN, why);
    json_decref(why);
}

static void drain(struct alloc_call *call, struct vertex *v)
{
    json_t *why = reason(call);
    const json_t *old = vertex_get_tag(v, DRAINED);
    enum pool_state was;

    usage_state(call->rs, v, &was);
    if (old) /* a new reason; what it was stays */
        json_object_update_missing(why, (json_t *)old);
    else if (was != STATE_UP)
        json_object_set_new(why, "was", json_string(pool_state_names[was]));
    usage_set_state(call->rs, v, STATE_DOWN);
    vertex_tag(v, DRAINED, why);
    json_decref(why);
}

static int undrain(struct alloc_call *call, struct vertex *v)
{
    const json_t *why = vertex_get_tag(v, DRAINED);
    const char *was = json_string_value(json_object_get(why, "was"));
    int state = was ? pool_state_from_name(was) : STATE_UP;

    if (!why)
        return 0;
    usage_set_state(call->rs, v,
                    state < 0 ? STATE_DOWN : (enum pool_state)state);
    vertex_untag(v, DRAINED);
    return 1;
}

/* --- commands ----------------------------------------------------------- */

/* An R without a graph says nothing of what is above its nodes. */
static void check_sayable(const struct alloc_call *call, const struct vertex *v,
                          bool target)
{
    char *place;

    if (rset_has_graph(call->rs)
        || (target ? vertex_is_target(v) : v != call->rs->root))
        return;
    place = cli_own(vertex_place(call->rs, v), free);
    cli_die("%s: %s: an R without a graph has no place for that",
            call->set->name, place);
}

/* The vertices that are meant, of all of which that can be said. */
static size_t find_all(struct alloc_call *call, struct vertex ***list,
                       bool target)
{
    size_t n = alloc_vertices(call, list);

    for (size_t i = 0; i < n; i++)
        check_sayable(call, (*list)[i], target);
    return n;
}

static int set_all(struct alloc_call *call, enum pool_state state)
{
    struct vertex **list;
    size_t n = find_all(call, &list, false);
    uint64_t drained = 0;

    for (size_t i = 0; i < n; i++) {
        drained += is_drained(list[i]) ? vertex_count(list[i]) : 0;
        set_state(call, list[i], state);
    }
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

int alloc_drain(struct alloc_call *call)
{
    struct vertex **list;
    size_t n = find_all(call, &list, false);

    for (size_t i = 0; i < n; i++)
        drain(call, list[i]);
    return STATUS_OK;
}

int alloc_undrain(struct alloc_call *call)
{
    struct vertex **list;
    size_t n = alloc_vertices(call, &list), found = 0;

    for (size_t i = 0; i < n; i++)
        found += (size_t)undrain(call, list[i]);
    return found ? STATUS_OK : alloc_no(call, "%s: not drained", call->what);
}

/* A job that has a part of it, and not all; NULL: none. */
static const char *part_holder(const struct vertex *top)
{
    for (const struct vertex *v = top; v; v = vertex_next(top, v, false))
        for (const struct grant *g = v->lot ? v->lot->grants : NULL; g;
             g = g->beside)
            if (g->term->kind == GRANT_CLAIM ? v != top || g->units < v->size
                                             : g->term->kind == GRANT_SHARE)
                return g->term->job->name;
    return NULL;
}

/* The flag is a fact of the inventory, of which usage is made anew. */
static size_t set_exclusive(struct alloc_call *call, struct vertex **list,
                            size_t n, bool exclusive)
{
    size_t changed = 0;

    for (size_t i = 0; i < n; i++) {
        changed += list[i]->exclusive != exclusive;
        list[i]->exclusive = exclusive;
    }
    usage_settle(call->rs);
    usage_gather(call->rs);
    return changed;
}

int alloc_exclusive(struct alloc_call *call)
{
    struct vertex **list;
    size_t n = find_all(call, &list, true);
    const char *job;

    usage_settle(call->rs);
    for (size_t i = 0; i < n; i++)
        if ((job = part_holder(list[i]))) {
            char *place = cli_own(vertex_place(call->rs, list[i]), free);
            return alloc_no(call, "job %s has a part of %s", job, place);
        }
    set_exclusive(call, list, n, true);
    return STATUS_OK;
}

int alloc_unexclusive(struct alloc_call *call)
{
    struct vertex **list;
    size_t n = alloc_vertices(call, &list);

    return set_exclusive(call, list, n, false)
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
    struct vertex **list;
    size_t n = find_all(call, &list, false);

    for (size_t i = 0; i < n; i++)
        vertex_tag(list[i], key, value);
    json_decref(value);
    return STATUS_OK;
}

int alloc_untag(struct alloc_call *call)
{
    struct vertex **list;
    size_t n = alloc_vertices(call, &list), found = 0;

    for (size_t i = 0; i < n; i++)
        found += vertex_untag(list[i], call->word);
    return found ? STATUS_OK
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
    struct vertex **list;
    size_t n = find_all(call, &list, true), found = 0;

    value = gone ? NULL : value ? value : "";
    for (size_t i = 0; i < n; i++)
        found += change_property(call->rs, list[i], name, value);
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

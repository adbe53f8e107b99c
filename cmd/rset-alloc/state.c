/*
 * The commands that set states, tags and properties.
 *
 * A drained pool is down, with a tag that has the reason, the time (if one was
 * given), and its state before. Setting the state of a drained pool changes the
 * state that undrain will restore. A pool that is down for a reason has a tag
 * for it too.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "model/document/execution.h"
#include "model/tree/properties.h"
#include "model/records/tags.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"

#define DRAINED "drained" /* tag of a drained pool */
#define DOWN "down"       /* tag of a pool that is down for a reason */

/* Is there a time to record? In a document only a given time is recorded. */
static bool is_timed(const struct alloc_call *call)
{
    return call->now_is_set || call->store;
}

/* Return a tag with the reason and the time. */
static json_t *reason(const struct alloc_call *call)
{
    json_t *why = json_object();

    if (call->options->reason)
        json_object_set_new(why, "reason", json_string(call->options->reason));
    if (is_timed(call))
        json_object_set_new(why, "time", time_to_json(call->now));
    return why;
}

static bool is_drained(const struct vertex *v)
{
    return vertex_get_tag(v, DRAINED);
}

/* Change the state that a drained pool had before. */
static void set_was(struct vertex *v, enum pool_state state)
{
    const json_t *old = vertex_get_tag(v, DRAINED);
    json_t *why = json_is_object(old) ? json_deep_copy(old) : json_object();

    if (state == STATE_UP)
        json_object_del(why, "was");
    else
        json_object_set_new(why, "was", json_string(pool_state_names[state]));
    vertex_tag(v, DRAINED, why);
    json_decref(why);
}

/* --- one command ---------------------------------------------------------- */

/* The pools that a command can mark in an R without a graph, which has no place
   for marks of others. */
enum markable { ALL_POOLS, ALL_BUT_ROOT, ONLY_TARGETS };

/* Find the lots of WHAT and check that each can be marked. Returns a status. */
static int find_all(struct alloc_call *call, enum markable pools)
{
    int status = alloc_lots(call);
    bool all = pools == ALL_POOLS || rset_has_graph(call->rs);

    for (size_t i = 0; status == STATUS_OK && !all && i < call->lots.n; i++) {
        const struct lot *lot = call->lots.list[i];

        if (pools == ONLY_TARGETS ? vertex_is_target(lot->v)
                                  : lot->v != call->rs->root)
            continue;
        diag_set(&call->d, "%s: an R without a graph has no place for that",
                 alloc_place(call, lot));
        status = alloc_trouble(call);
    }
    return status;
}

/* Change facts of a lot, which has its own vertex. Returns whether it
   changed. */
typedef bool change_fn(const struct alloc_call *call, struct lot *lot);

/* Change each lot of WHAT, and join them again. Returns how many have
   changed. */
static size_t change_all(struct alloc_call *call, change_fn *change)
{
    struct lots *lots = &call->lots;
    size_t n = 0;

    lots_cut(call->rs->usage, lots);
    for (size_t i = 0; i < lots->n; i++)
        n += change(call, lots->list[i]);
    lots_rejoin(call->rs->usage, lots);
    lots->n = 0;
    return n;
}

/* --- states ------------------------------------------------------------- */

/* Return the state to set: the word, or the name of the command. */
static enum pool_state state_of(const struct alloc_call *call)
{
    const char *name = call->word ? call->word : call->command->help.name;

    return (enum pool_state)pool_state_from_name(name);
}

static bool set_state(const struct alloc_call *call, struct lot *lot)
{
    enum pool_state state = state_of(call);
    json_t *why = state == STATE_UP ? NULL : reason(call);

    if (is_drained(lot->v))
        set_was(lot->v, state);
    else
        lot_set_state(call->rs->usage, lot, state);
    vertex_untag(lot->v, DOWN);
    if (json_object_size(why) > 0)
        vertex_tag(lot->v, DOWN, why);
    json_decref(why);
    return true;
}

/* Warn if a pool above lots that are now up is not up. */
static void warn_of_above(struct alloc_call *call, const struct lots *lots)
{
    const struct lot *first = NULL;
    unsigned long long n = 0;

    for (size_t i = 0; i < lots->n; i++) {
        const struct lot *up = lot_not_up(lots->list[i]->parent);

        n += up ? lots->list[i]->n : 0;
        first = first ? first : up;
    }
    if (!first)
        return;
    cli_warn("%s: %llu of them %s in %s, which is %s", call->set->name, n,
             n == 1 ? "is" : "are", alloc_place(call, first),
             is_drained(first->v) ? DRAINED : pool_state_names[first->state]);
}

int alloc_state(struct alloc_call *call)
{
    const struct lots *lots = &call->lots;
    enum pool_state state = state_of(call);
    /* does any lot have, or will it get, a tag about its state? */
    bool tells = state != STATE_UP && (call->options->reason || is_timed(call));
    uint64_t drained = 0;
    int status = find_all(call, ALL_BUT_ROOT);

    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < lots->n; i++) {
        const struct lot *lot = lots->list[i];

        drained += is_drained(lot->v) ? lot->n : 0;
        tells = tells || is_drained(lot->v) || vertex_get_tag(lot->v, DOWN);
    }
    if (state == STATE_UP)
        warn_of_above(call, lots);
    if (tells)
        change_all(call, set_state);
    else
        for (size_t i = 0; i < lots->n; i++)
            set_state(call, lots->list[i]);
    if (drained)
        cli_warn("%s: %llu of them %s drained, and will be %s when undrained",
                 call->set->name, (unsigned long long)drained,
                 drained == 1 ? "is" : "are", pool_state_names[state]);
    return STATUS_OK;
}

/* Drain a lot. Lots that share a vertex were in one state. */
static bool drain(const struct alloc_call *call, struct lot *lot)
{
    json_t *why = reason(call);
    const json_t *old = vertex_get_tag(lot->v, DRAINED);

    if (old && call->options->update && json_object_get(old, "reason"))
        json_object_update(why, (json_t *)old);
    else if (old) /* replace the reason, keep the earlier state */
        json_object_update_missing(why, (json_t *)old);
    else if (lot->state != STATE_UP)
        json_object_set_new(why, "was",
                            json_string(pool_state_names[lot->state]));
    lot_set_state(call->rs->usage, lot, STATE_DOWN);
    vertex_tag(lot->v, DRAINED, why);
    json_decref(why);
    return true;
}

/* Refuse pools that are drained already. */
static int check_drain(struct alloc_call *call)
{
    bool again = call->options->update || cli_force;
    int status = STATUS_OK;

    for (size_t i = 0; status == STATUS_OK && i < call->lots.n && !again; i++) {
        const struct lot *lot = call->lots.list[i];
        const json_t *why = vertex_get_tag(lot->v, DRAINED);
        const char *text = json_string_value(json_object_get(why, "reason"));

        if (!why)
            continue;
        status = alloc_no(call,
                          "%s is drained already%s%s%s: --update adds a reason "
                          "where there is none, --force replaces it",
                          alloc_place(call, lot), text ? " (" : "",
                          text ? text : "", text ? ")" : "");
    }
    return status;
}

static bool undrain(const struct alloc_call *call, struct lot *lot)
{
    (void)call;
    return vertex_untag(lot->v, DRAINED);
}

/* Return a drained lot above or below one of these lots, or NULL. */
static const struct lot *drained_near(struct usage *u, const struct lots *lots)
{
    for (size_t i = 0; i < lots->n; i++) {
        struct lot *top = lots->list[i];
        for (struct lot *lot = top; lot->parent; lot = lot->parent)
            if (is_drained(lot->v))
                return lot;
        for (struct lot *lot = top; lot; lot = lot_next_in(u, top, lot))
            if (is_drained(lot->v))
                return lot;
    }
    return NULL;
}

/* Restore the states before the cut: then lots with one vertex share its tag.
   Refuse if none of the pools is drained. */
static int begin_undrain(struct alloc_call *call)
{
    const struct lots *lots = &call->lots;
    const struct lot *near;
    bool any = false;

    for (size_t i = 0; i < lots->n; i++) {
        const json_t *why = vertex_get_tag(lots->list[i]->v, DRAINED);
        const char *was = json_string_value(json_object_get(why, "was"));
        int state = was ? pool_state_from_name(was) : STATE_UP;

        if (!why)
            continue;
        lot_set_state(call->rs->usage, lots->list[i],
                      state < 0 ? STATE_DOWN : (enum pool_state)state);
        any = true;
    }
    if (any)
        return STATUS_OK;
    if (!(near = drained_near(call->rs->usage, lots)))
        return alloc_no(call, "%s: not drained", call->what);
    return alloc_no(call, "%s: not drained, but %s is", call->what,
                    alloc_place(call, near));
}

/* --- facts: exclusive pools, tags and properties -------------------------- */

/* Return a job that holds a part of a lot but not all, or NULL. */
static const char *part_holder(struct usage *u, struct lot *top)
{
    for (struct lot *lot = top; lot; lot = lot_next_in(u, top, lot))
        for (const struct grant *g = lot->grants; g; g = g->beside)
            if (g->term->kind == GRANT_CLAIM ? lot != top || !grant_is_whole(g)
                                             : g->term->kind == GRANT_SHARE)
                return g->term->job->name;
    return NULL;
}

static bool set_exclusive(const struct alloc_call *call, struct lot *lot)
{
    lot->v->exclusive = true;
    usage_mark(call->rs->usage, lot->v);
    return true;
}

/* Refuse pools that jobs have parts of. */
static int check_exclusive(struct alloc_call *call)
{
    const struct lots *lots = &call->lots;
    const char *job;

    for (size_t i = 0; i < lots->n; i++)
        if ((job = part_holder(call->rs->usage, lots->list[i])))
            return alloc_no(call, "job %s has a part of %s", job,
                            alloc_place(call, lots->list[i]));
    return STATUS_OK;
}

static bool unset_exclusive(const struct alloc_call *call, struct lot *lot)
{
    bool changed = lot->v->exclusive;

    (void)call;
    lot->v->exclusive = false;
    return changed;
}

static int answer_unexclusive(struct alloc_call *call, size_t changed)
{
    usage_renew(call->rs->usage);
    return changed ? STATUS_OK
                   : alloc_no(call, "%s: not exclusive", call->what);
}

static bool tag(const struct alloc_call *call, struct lot *lot)
{
    json_t *value = call->value ? json_string(call->value) : NULL;

    vertex_tag(lot->v, call->key, value);
    json_decref(value);
    return true;
}

static bool untag(const struct alloc_call *call, struct lot *lot)
{
    return vertex_untag(lot->v, call->word);
}

static int answer_untag(struct alloc_call *call, size_t changed)
{
    return changed ? STATUS_OK
                   : alloc_no(call, "%s has no tag %s", call->what, call->word);
}

/* Set a property, NAME or NAME=VALUE, or remove it, ^NAME. Its spelling is that
   of the old one, or else that of the document. Returns whether it was there
   before. */
static bool change_property(const struct alloc_call *call, struct lot *lot)
{
    struct vertex *v = lot->v;
    unsigned n = v->properties ? v->properties->count : 0, kept = 0;
    struct property *list = xmalloc((n + 1) * sizeof(*list));
    bool found, apart = !(call->rs->document.halves & HALF_EXECUTION);
    const char *value = call->value ? call->value : "";

    for (unsigned i = 0; i < n; i++) {
        const struct property *p = &v->properties->list[i];
        if (!property_value(p, call->key, strlen(call->key)))
            list[kept++] = *p;
        else if (*p->value)
            apart = true;
    }
    found = kept < n;
    if (*call->word != '^')
        list[kept++] = apart || !*value ? (struct property){call->key, value}
                                        : (struct property){call->word, ""};
    vertex_change_properties(call->rs, v, list, kept);
    free(list);
    return found;
}

static int answer_property(struct alloc_call *call, size_t found)
{
    struct near near = {.word = call->key, .len = strlen(call->key)};

    if (*call->word != '^' || found)
        return STATUS_OK;
    if (!rset_ranks_with(call->rs, call->key))
        rset_each_property(call->rs, near_try, &near);
    return alloc_no(call, "%s has no property %s%s", call->what, call->key,
                    near.text);
}

/* --- the commands ------------------------------------------------------- */

/* What a command does with the lots of WHAT; NULL: nothing. After a negative
   answer of `begin` nothing changes; `answer` gets the number that changed. */
static const struct marking {
    const char *name;
    enum markable pools;
    int (*begin)(struct alloc_call *call);
    change_fn *change;
    int (*answer)(struct alloc_call *call, size_t changed);
} markings[] = {
    {"drain", ALL_BUT_ROOT, check_drain, drain, NULL},
    {"undrain", ALL_POOLS, begin_undrain, undrain, NULL},
    {"exclusive", ONLY_TARGETS, check_exclusive, set_exclusive, NULL},
    {"unexclusive", ALL_POOLS, NULL, unset_exclusive, answer_unexclusive},
    {"tag", ALL_BUT_ROOT, NULL, tag, NULL},
    {"untag", ALL_POOLS, NULL, untag, answer_untag},
    {"property", ONLY_TARGETS, NULL, change_property, answer_property},
};

int alloc_mark(struct alloc_call *call)
{
    const struct marking *m = markings;
    size_t changed;
    int status;

    while (strcmp(m->name, call->command->help.name) != 0)
        m++;
    status = find_all(call, m->pools);
    if (status == STATUS_OK && m->begin)
        status = m->begin(call);
    if (status != STATUS_OK)
        return status;
    changed = change_all(call, m->change);
    return m->answer ? m->answer(call, changed) : STATUS_OK;
}

/* --- words, before anything is read ------------------------------------- */

int alloc_read_word(struct alloc_call *call)
{
    enum operands kind = call->command->operands;
    const char *name = call->command->help.name, *word = call->word;
    bool gone = kind == WHAT_PROPERTY && *word == '^';
    size_t len = strcspn(word + gone, "=");
    struct diag *d = &call->d;

    if (kind == WHAT_STATE) {
        struct near near = pool_state_near(word, POOL_STATES);
        if (!strcmp(word, "drained"))
            return cli_fault(d, "state: %s: write `rset-alloc drain %s`",
                             quote(word, near.len).text, call->what);
        if (pool_state_from_name(word) < 0)
            return cli_fault(d, "state: there is no state %s%s",
                             quote(word, near.len).text, near_or_all(&near));
        if (call->options->reason && pool_state_from_name(word) == STATE_UP)
            return cli_fault(d, "state: up takes no --reason");
        return 0;
    }

    if (alloc_check_text(name, word, d) < 0)
        return -1;
    if (len == 0)
        return cli_fault(d, "%s: %s: expected KEY or KEY=VALUE", name,
                         quote_all(word).text);
    if (kind == WHAT_PROPERTY && strpbrk(word + gone, PROPERTY_FORBIDDEN))
        return cli_fault(d, "property: %s: none of %s may be in it",
                         quote_all(word + gone).text, PROPERTY_FORBIDDEN);
    if (gone && strchr(word, '='))
        return cli_fault(d, "property: ^NAME has no value");

    /* these tags belong to the state and are set only with it */
    call->key = xstrndup(word + gone, len);
    call->value = word[gone + len] ? word + gone + len + 1 : NULL;
    if (kind == WHAT_KEY && !strcmp(call->key, DRAINED))
        return cli_fault(d, "%s: drain and undrain set this tag", name);
    if (kind == WHAT_KEY && !strcmp(call->key, DOWN))
        return cli_fault(d, "%s: up and down set this tag", name);
    return 0;
}

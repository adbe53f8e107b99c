/* Validation of the execution half of an R (RFC 20, Execution). */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/execution.h"
#include "model/validate_private.h"
#include "set/overlay.h"

void half_fini(struct half *half)
{
    rlite_fini(&half->lite);
    idset_destroy(half->ranks);
    hostlist_destroy(half->hosts);
    strtab_fini(&half->types);
}

/* --- R_lite ------------------------------------------------------------- */

/* Ranks of each entry that was read, with the number of the entry. */
struct entries {
    const struct idset **ranks;
    size_t *index;
    size_t n;
    bool single; /* R_lite is an object */
    uint64_t listed;
};

static void entries_fini(struct entries *e)
{
    for (size_t i = 0; i < e->n; i++)
        idset_destroy((struct idset *)e->ranks[i]);
    free(e->ranks);
    free(e->index);
}

static bool add_child(struct check *c, const char *key, const json_t *value,
                      struct lite_children *children, const struct place *at)
{
    const char *type = strtab_intern(&c->names, key, strlen(key));
    struct idset *set = need_idset(c, value, at), *mine;
    bool named = *key && !strchr(key, '/');

    if (!named)
        fault(c, RULE_VERTEX_TYPE, at, "%s: a type is not empty and has no '/'",
              quote(key, strlen(key)).text);
    if (!set || !named) {
        idset_destroy(set);
        return false;
    }
    mine = type ? lite_children_ids(children, type) : NULL;
    if (mine)
        idset_add_set(mine, set);
    else
        c->failed = true;
    idset_destroy(set);
    return !c->failed;
}

static bool check_children(struct check *c, const json_t *value, bool record,
                           struct lite_children *children,
                           const struct place *at)
{
    const char *key;
    bool good = true;
    json_t *item;

    if (record && !value)
        return true; /* the targets themselves */
    if (!need_object(c, value, at))
        return false;
    if (!record && !json_object_get(value, "core"))
        fault(c, RULE_CORE_MISSING, at, "core is missing");
    json_object_foreach ((json_t *)value, key, item) {
        if (!record && strcmp(key, "core") && strcmp(key, "gpu"))
            fault(c, RULE_RESERVED_KEY, IN_KEY(at, key),
                  "reserved: `children` has `core` and `gpu`");
        good &= add_child(c, key, item, children, IN_KEY(at, key));
    }
    return good;
}

bool check_lite_entry(struct check *c, const json_t *value, bool record,
                      struct idset **ranks, struct lite_children *children,
                      const struct place *at)
{
    bool good;

    *ranks = NULL;
    *children = (struct lite_children){0};
    if (!need_object(c, value, at))
        return false;
    *ranks = need_idset(c, json_object_get(value, "rank"), IN_KEY(at, "rank"));
    good = check_children(c, json_object_get(value, "children"), record,
                          children, IN_KEY(at, "children"));
    return *ranks && good;
}

/* Types count that an entry names, whatever else there is in it. */
static void note_types(struct check *c, struct half *half,
                       const struct lite_children *children)
{
    for (size_t i = 0; i < children->n; i++) {
        const char *type = children->list[i].type;
        if (!strtab_intern(&half->types, type, strlen(type)))
            c->failed = true;
    }
}

static void check_entry(struct check *c, const json_t *value, size_t i,
                        struct half *half, struct entries *entries,
                        const struct place *at)
{
    struct lite_children children;
    struct idset *ranks;
    bool good = check_lite_entry(c, value, false, &ranks, &children, at);

    check_unknown(c, value, (const char *[]){"rank", "children", NULL}, at);
    note_types(c, half, &children);
    if (good && !idset_empty(ranks)
        && rlite_add(&half->lite, ranks, &children) < 0)
        c->failed = true;
    lite_children_fini(&children);
    if (!ranks)
        return;
    entries->listed += idset_count(ranks);
    entries->index[entries->n] = i;
    entries->ranks[entries->n++] = ranks;
}

static const struct place *entry_place(const struct entries *e, size_t label,
                                       const struct place *rlite,
                                       struct place *buf)
{
    *buf = (struct place){.up = rlite, .index = e->index[label]};
    return e->single ? rlite : buf;
}

static const char *some_ranks(const struct idset *ids, char **text)
{
    *text = idset_encode(ids);
    return *text ? *text : "?";
}

/* Ranks in more than one entry, told at the second. */
static void check_twice(struct check *c, struct half *half,
                        const struct entries *e, const struct place *at)
{
    struct overlay *ov = overlay_create(e->ranks, e->n);
    struct place buf;
    char *text;

    if (!ov || !(half->ranks = idset_create()))
        c->failed = true;
    for (size_t i = 0; !c->failed && i < overlay_ngroups(ov); i++) {
        const struct overlay_group *g = overlay_group(ov, i);
        idset_add_set(half->ranks, g->ids);
        if (g->nlabels < 2)
            continue;
        fault(c, RULE_RANK_TWICE,
              IN_KEY(entry_place(e, g->labels[1], at, &buf), "rank"),
              idset_count(g->ids) > 1 ? "ranks %.200s are listed twice"
                                      : "rank %s is listed twice",
              some_ranks(g->ids, &text));
        free(text);
    }
    overlay_destroy(ov);
}

static void check_rlite(struct check *c, const json_t *value, struct half *half,
                        struct entries *e, const struct place *at)
{
    size_t before = c->refused, i;
    json_t *item;

    e->single = json_is_object(value);
    if (!value) {
        fault(c, RULE_KEY_MISSING, at->up, "R_lite is missing");
        return;
    }
    if (!e->single && !need_list(c, value, at))
        return;
    e->ranks = xcalloc(json_array_size(value) + 1, sizeof(*e->ranks));
    e->index = xcalloc(json_array_size(value) + 1, sizeof(*e->index));
    if (!e->ranks || !e->index) {
        c->failed = true;
        return;
    }
    if (e->single) {
        fault(c, RULE_RLITE_OBJECT, at, "a single entry: expected a list");
        check_entry(c, value, 0, half, e, at);
    }
    json_array_foreach (value, i, item)
        check_entry(c, item, i, half, e, IN_LIST(at, i));
    check_twice(c, half, e, at);
    rlite_sort(&half->lite);
    half->sound = !c->failed && c->refused == before;
}

/* --- nodelist ----------------------------------------------------------- */

static bool check_hosts(struct check *c, const json_t *value,
                        struct hostlist *hosts, const struct place *at)
{
    struct diag d = {0};

    if (!json_is_string(value)) {
        fault(c, RULE_WRONG_TYPE, at, "%s: expected a string",
              json_quote(value).text);
        return false;
    }
    if (hostlist_decode(hosts, json_string_value(value),
                        json_string_length(value), &d)
        == 0)
        return true;
    fault_diag(c, RULE_HOSTLIST, at, &d);
    return false;
}

static void check_nodelist(struct check *c, const json_t *value,
                           struct half *half, const struct place *at)
{
    struct hostlist *hosts;
    bool good = true;
    json_t *item;
    size_t i;

    if (!value) {
        fault(c, RULE_NODELIST_MISSING, at->up, "nodelist is missing");
        return;
    }
    if (!need_list(c, value, at))
        return;
    if (!(hosts = hostlist_create())) {
        c->failed = true;
        return;
    }
    json_array_foreach (value, i, item)
        good &= check_hosts(c, item, hosts, IN_LIST(at, i));
    if (good)
        half->hosts = hosts;
    else
        hostlist_destroy(hosts);
}

/* A list that fits the ranks as they are listed has no fault of its own. */
static void check_count(struct check *c, const json_t *rlite, struct half *half,
                        const struct entries *e, const struct place *at)
{
    uint64_t hosts = half->hosts ? hostlist_count(half->hosts) : 0;
    uint64_t ranks = half->ranks ? idset_count(half->ranks) : 0;

    half->ranked = half->ranks
                   && e->n == (e->single ? 1 : json_array_size(rlite));
    if (!half->hosts || !half->ranked || hosts == ranks || hosts == e->listed)
        return;
    fault(c, RULE_NODELIST_COUNT, at, "%llu hosts for %llu ranks",
          (unsigned long long)hosts, (unsigned long long)ranks);
    hostlist_destroy(half->hosts);
    half->hosts = NULL;
}

/* --- properties --------------------------------------------------------- */

static void check_property(struct check *c, const char *name,
                           const json_t *value, const struct place *at)
{
    const char *bad = strpbrk(name, PROPERTY_FORBIDDEN);

    if (!*name)
        fault(c, RULE_PROPERTY_NAME, at->up, "\"\": a property has a name");
    if (bad)
        fault(c, RULE_PROPERTY_NAME, at->up,
              "%s: '%c' is not allowed in a property",
              quote(name, strlen(name)).text, *bad);
    idset_destroy(need_idset(c, value, at));
}

static void check_property_keys(struct check *c, struct half *half,
                                const json_t *value, const struct place *at)
{
    const char *key;
    json_t *item;

    if (!value || !need_object(c, value, at))
        return;
    half->properties = value;
    json_object_foreach ((json_t *)value, key, item)
        check_property(c, key, item, IN_KEY(at, key));
}

void check_properties(struct check *c, const struct half *half,
                      const struct idset *ranks, const struct place *at)
{
    const struct place *in = IN_KEY(at, "properties");
    struct diag unused = {0};
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)half->properties, key, value) {
        struct idset *set = idset_from_json(value, &unused), *unknown;
        if (!set)
            continue; /* told already */
        unknown = idset_subtract(set, ranks);
        if (!unknown)
            c->failed = true;
        else if (!idset_empty(unknown))
            fault(c, RULE_PROPERTY_RANK, IN_KEY(in, key),
                  "rank %u is not in the set", idset_first(unknown));
        idset_destroy(unknown);
        idset_destroy(set);
    }
}

/* --- times -------------------------------------------------------------- */

static double check_time(struct check *c, const json_t *execution,
                         const char *key, const struct place *at)
{
    const json_t *value = json_object_get(execution, key);
    double time = 0;

    if (value && need_time(c, value, &time, IN_KEY(at, key)) && time == 0)
        fault(c, RULE_TIME_ZERO, IN_KEY(at, key),
              "0 stands for a time that is unset");
    return time;
}

static void check_times(struct check *c, const json_t *execution,
                        const struct place *at)
{
    double start = check_time(c, execution, "starttime", at);
    double end = check_time(c, execution, "expiration", at);

    if (start > 0 && end > 0 && end <= start)
        fault(c, RULE_TIMES_ORDER, IN_KEY(at, "expiration"),
              "%s is not after the starttime %s",
              json_quote(json_object_get(execution, "expiration")).text,
              json_quote(json_object_get(execution, "starttime")).text);
}

/* The current edition has it, the seed edition reserves it. */
static void check_nslots(struct check *c, const json_t *value,
                         const struct place *at)
{
    if (value && json_integer_value(value) <= 0)
        fault(c, RULE_NSLOTS, at, "%s: not a number of slots",
              json_quote(value).text);
}

/* --- the whole ---------------------------------------------------------- */

static bool known_key(const char *key)
{
    static const char *const known[] = {"R_lite", "nodelist", "properties",
                                        "starttime", "expiration"};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (!strcmp(key, known[i]))
            return true;
    return false;
}

void check_execution(struct check *c, const json_t *value, struct half *half,
                     const struct place *at)
{
    const json_t *rlite = json_object_get(value, "R_lite");
    struct entries entries = {0};
    const char *key;
    json_t *item;

    half->there = true;
    if (!need_object(c, value, at))
        return;
    check_rlite(c, rlite, half, &entries, IN_KEY(at, "R_lite"));
    check_nodelist(c, json_object_get(value, "nodelist"), half,
                   IN_KEY(at, "nodelist"));
    check_count(c, rlite, half, &entries, IN_KEY(at, "nodelist"));
    check_property_keys(c, half, json_object_get(value, "properties"),
                        IN_KEY(at, "properties"));
    check_times(c, value, at);
    check_nslots(c, json_object_get(value, "nslots"), IN_KEY(at, "nslots"));
    json_object_foreach ((json_t *)value, key, item)
        if (!known_key(key))
            fault(c, RULE_RESERVED_KEY, IN_KEY(at, key),
                  "reserved: the seed edition does not know it");
    entries_fini(&entries);
}

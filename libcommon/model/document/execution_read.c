/* Reads the execution half of an R. It is put into the set after the whole
   document is read, because the graph may come later. */
#include "model/document/execution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "model/document/graph.h"
#include "model/document/unknown.h"
#include "set/overlay.h"

static void layers_fini(struct layer *layers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        idset_destroy((struct idset *)layers[i].ranks);
    free(layers);
}

void execution_fini(struct execution *ex)
{
    rlite_fini(&ex->lite);
    idset_destroy(ex->ranks);
    hostlist_destroy(ex->hosts);
    for (size_t i = 0; i < ex->nunknown; i++)
        json_decref((json_t *)ex->unknown[i].item);
    layers_fini(ex->unknown, ex->nunknown);
    layers_fini(ex->properties, ex->nproperties);
    for (size_t i = 0; i < ex->nlater; i++)
        entry_fini(&ex->later[i].entry);
    free(ex->later);
}

/* --- R_lite -------------------------------------------------------------- */

/* Add an entry, and take it over. An entry with ranks that were listed before
   is kept until all entries are known (merge_later()). */
static void add_entry(struct execution *ex, struct entry *e, size_t number)
{
    bool again = e->ranks && idset_overlaps(ex->ranks, e->ranks);

    for (size_t i = 0; i < e->children.n; i++)
        rlite_add_type(ex->r->rs, e->children.list[i].type);
    ex->sound = ex->sound && !e->faulty;
    ex->ranked = ex->ranked && e->ranks;
    if (e->ranks)
        idset_add_set(ex->ranks, e->ranks);
    if (again && !e->faulty) {
        VECTOR_ADD(ex->later, ex->nlater,
                   (struct later_entry){.entry = *e, .number = number});
        *e = (struct entry){0};
    } else if (!e->faulty && !idset_empty(e->ranks)) {
        rlite_add(&ex->lite, e->ranks, &e->children, NULL);
    }
    entry_fini(e);
}

const char *const execution_keys[] = {"R_lite",    "nodelist",   "properties",
                                      "starttime", "expiration", "nslots",
                                      NULL};

/* Read an entry. Its unknown keys are kept until its ranks are in the set. */
static void read_entry(struct execution *ex, const json_t *value, size_t number,
                       const struct place *at)
{
    static const char *const known[] = {"rank", "children", NULL};
    json_t *keys = NULL;
    struct entry e;

    entry_read(ex->r, value, ENTRY_EXECUTION, &e, at);
    if (json_object_size(value) > 2 || e.faulty)
        keys = unknown_of(ex->r, value, known, at);
    if (keys)
        report_places(ex->r, keys, execution_keys, "beside R_lite, not in it",
                      at);
    if (keys && e.ranks)
        VECTOR_ADD(ex->unknown, ex->nunknown,
                   (struct layer){idset_copy(e.ranks), keys});
    else
        json_decref(keys);
    add_entry(ex, &e, number);
}

/* Add ids of a type from a later entry to the children of a rank. */
static void merge_child(struct execution *ex, struct lite_children *all,
                        const struct lite_child *child,
                        struct later_entry *later, uint32_t rank,
                        const struct place *at)
{
    struct idset *ids = lite_children_ids(all, child->type);

    if (later && !later->reported && idset_overlaps(ids, child->ids)) {
        const struct place in = {.up = at, .index = later->number};
        struct idset *twice = idset_intersect(ids, child->ids);
        char *text = idset_encode(twice);
        fault(ex->r, RULE_UNIT_TWICE,
              IN_KEY(IN_KEY(&in, "children"), child->type),
              "%.60s[%.200s] of rank %u is in an earlier entry, too",
              child->type, text, rank);
        free(text);
        idset_destroy(twice);
        later->reported = true;
        ex->sound = false;
    }
    idset_add_set(ids, child->ids);
}

/*
 * Merge entries that list the same ranks: together they list their resources
 * (as in flux-core's rlist_add()). Each group of ranks in the same entries
 * becomes one entry.
 */
static void merge_later(struct execution *ex, const struct place *at)
{
    size_t first = ex->lite.n, n = first + ex->nlater;
    const struct idset **sets = xcalloc(n + 1, sizeof(*sets));
    struct rlite merged = {0};
    struct overlay *ov;

    for (size_t i = 0; i < n; i++)
        sets[i] = i < first ? ex->lite.list[i].ranks
                            : ex->later[i - first].entry.ranks;
    ov = overlay_create(sets, n);
    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        const struct overlay_group *g = overlay_group(ov, i);
        struct lite_children all = {0};
        for (size_t k = 0; k < g->nlabels; k++) {
            struct later_entry *later = g->labels[k] < first
                                            ? NULL
                                            : &ex->later[g->labels[k] - first];
            const struct lite_children *c = later ? &later->entry.children
                                                  : &ex->lite.list[g->labels[k]]
                                                         .children;
            for (size_t t = 0; t < c->n; t++)
                merge_child(ex, &all, &c->list[t], later, idset_first(g->ids),
                            at);
        }
        rlite_add(&merged, g->ids, &all, NULL);
    }
    overlay_destroy(ov);
    free(sets);
    rlite_fini(&ex->lite);
    ex->lite = merged;
}

static void read_rlite(struct execution *ex, const struct place *at)
{
    struct reader *r = ex->r;
    struct stream_level level;
    struct entry e;
    json_t *value;
    size_t len;

    ex->rlite = ex->sound = ex->ranked = true;
    if (stream_peek(r->s, r->d) == '{') {
        value = read_value(r);
        if (json_object_get(value, "rank")
            && json_object_get(value, "children")) {
            /* as in the example of RFC 28 */
            fault(r, RULE_RLITE_OBJECT, at, "a single entry: expected a list");
            rset_note(r->rs,
                      "execution.R_lite: a single entry is read as a list");
            read_entry(ex, value, 0, at);
        } else if (value) {
            need_list(r, value, at);
            ex->sound = ex->ranked = false;
        }
        json_decref(value);
    } else if (read_enter(r, &level, "[", at)) {
        for (size_t i = 0; read_item(r, &level); i++) {
            const char *text = stream_ahead(r->s, &len);
            if (entry_read_plain(text, len, &len, &e)) {
                stream_skip(r->s, len);
                add_entry(ex, &e, i);
            } else if ((value = read_value(r))) {
                read_entry(ex, value, i, IN_LIST(at, i));
                json_decref(value);
            }
        }
    } else {
        ex->sound = ex->ranked = false;
    }
    if (ex->nlater)
        merge_later(ex, at);
    rlite_sort(&ex->lite);
}

/* --- the other keys ------------------------------------------------------ */

static void read_nodelist(struct execution *ex, const struct place *at)
{
    struct reader *r = ex->r;
    struct stream_level level;
    bool good = true;

    ex->nodelist = true;
    if (!read_enter(r, &level, "[", at))
        return;
    ex->hosts = hostlist_create();
    for (size_t i = 0; read_item(r, &level); i++) {
        json_t *value = read_value(r);
        const char *text = value ? need_string(r, value, IN_LIST(at, i)) : NULL;
        struct diag d = {0};
        bool bad = text
                   && hostlist_decode(ex->hosts, text,
                                      json_string_length(value), &d)
                          < 0;
        if (bad)
            fault(r, RULE_HOSTLIST, IN_LIST(at, i), "%s", d.text);
        good = good && text && !bad;
        json_decref(value);
    }
    if (!good) {
        hostlist_destroy(ex->hosts);
        ex->hosts = NULL;
    }
}

static void read_properties(struct execution *ex, const struct place *at)
{
    struct stream_level level;
    const char *name, *bad;
    struct idset *ranks;
    json_t *value;

    if (!read_enter(ex->r, &level, "{", at))
        return;
    while (read_key(ex->r, &level, &name)) {
        if (!(value = read_value(ex->r)))
            continue;
        if (!*name)
            fault(ex->r, RULE_PROPERTY_NAME, at,
                  "\"\": a property must have a name");
        if ((bad = strpbrk(name, PROPERTY_FORBIDDEN)))
            fault(ex->r, RULE_PROPERTY_NAME, at,
                  "%s: '%c' is not allowed in a property", quote_all(name).text,
                  *bad);
        if ((ranks = need_idset(ex->r, value, IN_KEY(at, name))))
            VECTOR_ADD(ex->properties, ex->nproperties,
                       (struct layer){ranks, rset_string(ex->r->rs, name)});
        json_decref(value);
    }
}

/* Read a time. Zero means unset. */
static void read_time(struct execution *ex, const struct place *at)
{
    struct rset *rs = ex->r->rs;
    bool start = !strcmp(at->key, "starttime");
    json_t *value = read_value(ex->r);
    double seconds = -1;

    if (value && need_time(ex->r, value, &seconds, at) && seconds == 0)
        fault(ex->r, RULE_TIME_ZERO, at, "0 means that the time is unset");
    else if (fabs(seconds - time_round(seconds)) > 0)
        fault_value(ex->r, RULE_TIME_PRECISION, at, value,
                    "more precise than a microsecond");
    if (seconds > 0)
        *(start ? &rs->starttime : &rs->expiration) = value;
    else
        json_decref(value);
}

static const struct {
    const char *key;
    void (*read)(struct execution *ex, const struct place *at);
} keys[] = {
    {"R_lite", read_rlite},          {"nodelist", read_nodelist},
    {"properties", read_properties}, {"starttime", read_time},
    {"expiration", read_time},
};

/* --- the whole ----------------------------------------------------------- */

static void check_hosts(struct execution *ex, const struct place *at)
{
    uint64_t nranks = idset_count(ex->ranks), nhosts;
    struct diag twice;

    if (!ex->nodelist) {
        fault(ex->r, RULE_NODELIST_MISSING, at, "nodelist is missing");
        if (nranks > 0)
            rset_note(ex->r->rs, "execution: nodelist is missing");
    }
    if (!ex->hosts || !ex->ranked)
        return;
    if (reader_reports(ex->r, FAULT_WARNED)
        && hostlist_once(ex->hosts, &twice) < 0)
        fault(ex->r, RULE_HOST_TWICE, IN_KEY(at, "nodelist"), "%s", twice.text);
    nhosts = hostlist_count(ex->hosts);
    if (nhosts == nranks)
        return;
    fault(ex->r, RULE_NODELIST_COUNT, IN_KEY(at, "nodelist"),
          "%llu hosts for %llu ranks", (unsigned long long)nhosts,
          (unsigned long long)nranks);
    hostlist_destroy(ex->hosts);
    ex->hosts = NULL;
}

/* Check unknown keys. `nslots` is known in the current edition and reserved in
   the seed edition. */
static void check_extra(struct execution *ex, const struct place *at)
{
    const json_t *extra = ex->r->rs->document.execution;
    const json_t *nslots = json_object_get(extra, "nslots");
    static const char *const outside[] = {"version", "scheduling", "attributes",
                                          NULL};

    if (nslots && json_integer_value(nslots) <= 0)
        fault_value(ex->r, RULE_NSLOTS, IN_KEY(at, "nslots"), nslots,
                    "not a number of slots");
    report_typos(ex->r, extra, execution_keys, at);
    report_places(ex->r, extra, outside, "beside execution, not in it", at);
    if (json_object_get(extra, "graph"))
        report_place(ex->r, "graph", "in scheduling", at);
    reserve_keys(ex->r, extra, at, "reserved: not in the seed edition");
}

void execution_read(struct reader *r, struct execution *ex,
                    const struct place *at)
{
    struct stream_level level;
    const char *key;
    json_t *value;

    ex->r = r;
    ex->there = true;
    ex->ranks = idset_create();
    r->rs->document.halves |= HALF_EXECUTION;
    if (!read_enter(r, &level, "{", at))
        return;
    while (read_key(r, &level, &key)) {
        int i = WORD_FIND(keys, key);
        if (i >= 0)
            keys[i].read(ex, IN_KEY(at, keys[i].key));
        else if ((value = read_value(r)))
            json_put(&r->rs->document.execution, key, value);
    }
    if (r->ended)
        return;
    if (!ex->rlite)
        fault(r, RULE_KEY_MISSING, at, "R_lite is missing%s",
              near_key(r->rs->document.execution, "R_lite").text);
    check_hosts(ex, at);
    if (r->rs->starttime && r->rs->expiration
        && rset_expiration(r->rs) <= rset_starttime(r->rs))
        fault(r, RULE_TIMES_ORDER, IN_KEY(at, "expiration"),
              "%s is not after the starttime %s",
              json_quote(r->rs->expiration).text,
              json_quote(r->rs->starttime).text);
    if (r->rs->document.execution)
        check_extra(ex, at);
}

/* --- into the set -------------------------------------------------------- */

/* Report properties of ranks that neither half has. */
static void check_properties(struct reader *r, const struct execution *ex,
                             bool sound)
{
    const struct place *in = IN_KEY(IN_KEY(NULL, "execution"), "properties");
    struct idset *known = idset_copy(r->rs->ranks);

    if (sound)
        idset_add_set(known, ex->ranks);
    for (size_t i = 0; i < ex->nproperties; i++) {
        const struct layer *l = &ex->properties[i];
        require_known(r, l->ranks, known, RULE_PROPERTY_RANK,
                      "is not in the set", IN_KEY(in, l->item));
    }
    idset_destroy(known);
}

static void put_unknown(struct rset *rs, const struct laid_ranks *on, void *arg)
{
    const struct execution *ex = arg;

    (void)rs;
    for (size_t i = 0; on->target && i < on->n; i++)
        unknown_put(&on->target->extra, UNKNOWN_ENTRY,
                    json_incref((json_t *)ex->unknown[on->layers[i]].item));
}

void execution_apply(struct reader *r, struct execution *ex, struct graph *g)
{
    struct rset *rs = r->rs;
    bool graph = rset_has_graph(rs);
    bool compare = graph && g->sound && ex->sound
                   && (r->trust == TRUST_NONE || r->faults);

    if (compare && !(rs->shorthand && r->trust == TRUST_EXECUTION))
        halves_compare(r, ex, g);
    if (graph && r->trust == TRUST_GRAPH) {
        rset_note(rs, "execution is ignored: the graph is used");
        return;
    }
    if (graph && r->trust == TRUST_EXECUTION) {
        rset_note(rs, "the graph is ignored: execution is used");
        rs->root = rs->loose = NULL;
        rs->nlinks = 0;
        rs->document.halves &= ~HALF_GRAPH;
        json_decref(rs->document.graph);
        rs->document.graph = NULL;
        graph = false;
    }
    if (r->ended || (graph ? !g->sound : !ex->ranked))
        return;
    if (!graph) {
        rset_set_ranks(rs, idset_copy(ex->ranks), ex->hosts);
        ex->hosts = NULL;
        rlite_build(rs, &ex->lite);
    }
    if (ex->nproperties)
        check_properties(r, ex, !graph || ex->sound);
    if (r->faults || r->ended)
        return; /* a validation does not use these */
    if (ex->nproperties)
        rset_lay_properties(rs, ex->properties, ex->nproperties);
    if (ex->nunknown)
        rset_lay(rs, ex->unknown, ex->nunknown, CUT_RUNS, put_unknown, ex);
}

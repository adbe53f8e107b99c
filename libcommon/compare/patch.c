/* Makes and applies patches (patch.h). keyed.c names the vertices. */
#include "compare/patch.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "compare/keyed.h"
#include "model/document/unknown.h"

/* Values below PATCH_DEPTH are replaced without comparing their parts. A
   document that can be read has no place below PLACE_DEPTH. */
enum { PATCH_DEPTH = 64, PLACE_DEPTH = 2048 };

/* --- order --------------------------------------------------------------- */

/* Objects whose known keys have a fixed place in the output, wherever they are
   in the object. */
enum place {
    DOCUMENT,
    EXECUTION,
    SCHEDULING,
    ATTRIBUTES,
    SYSTEM,
    SCHEDULER,
    GRAPH,
    VERTEX,
    ELSEWHERE
};

static const char *const free_keys[][18] = {
    [DOCUMENT] = {"version", "execution", "scheduling", "attributes", "graph"},
    [EXECUTION] = {"R_lite", "nodelist", "properties", "starttime",
                   "expiration"},
    [SCHEDULING] = {"graph"},
    [SCHEDULER] = {"allocations", "reservations", "shared", "staged", "states",
                   "tags", "exclusive", "holds"},
    [VERTEX] = {"type", "uuid", "basename", "name", "id", "properties", "size",
                "unit", "rank", "exclusive", "status", "state", "staged",
                "allocations", "reservations", "shared", "listed"},
    [ELSEWHERE] = {NULL},
};

static enum place place_below(enum place place, const char *key)
{
    static const struct {
        enum place place, below;
        const char *key;
    } steps[] = {
        {DOCUMENT, EXECUTION, "execution"},
        {DOCUMENT, SCHEDULING, "scheduling"},
        {DOCUMENT, GRAPH, "graph"},
        {DOCUMENT, ATTRIBUTES, "attributes"},
        {ATTRIBUTES, SYSTEM, "system"},
        {SYSTEM, SCHEDULER, "scheduler"},
        {SCHEDULING, GRAPH, "graph"},
    };

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (steps[i].place == place && !strcmp(steps[i].key, key))
            return steps[i].below;
    return ELSEWHERE;
}

/* Does a patch give the keys of b in their order? A patch leaves keys where
   they are, and puts new ones behind them. */
static bool order_fits(enum place place, json_t *a, json_t *b)
{
    const char *const *known = free_keys[place];
    void *next = json_object_iter(b);
    const char *key;
    json_t *value;

    json_object_foreach (a, key, value) {
        if (is_known_key(key, known) || !json_object_get(b, key))
            continue;
        while (is_known_key(json_object_iter_key(next), known))
            next = json_object_iter_next(b, next);
        if (strcmp(json_object_iter_key(next), key))
            return false;
        next = json_object_iter_next(b, next);
    }
    return true;
}

/* Are two values equal, with their keys in the same order? */
static bool same_value(const json_t *a, const json_t *b)
{
    void *x, *y;
    size_t i;
    json_t *item;

    if (json_typeof(a) != json_typeof(b))
        return false;
    if (json_is_array(a)) {
        json_array_foreach (a, i, item)
            if (!json_array_get(b, i)
                || !same_value(item, json_array_get(b, i)))
                return false;
        return json_array_size(a) == json_array_size(b);
    }
    if (!json_is_object(a))
        return json_equal(a, b)
               && (!json_is_real(a)
                   || !signbit(json_real_value(a))
                          == !signbit(json_real_value(b)));
    x = json_object_iter((json_t *)a);
    y = json_object_iter((json_t *)b);
    for (; x && y; x = json_object_iter_next((json_t *)a, x),
                   y = json_object_iter_next((json_t *)b, y))
        if (strcmp(json_object_iter_key(x), json_object_iter_key(y))
            || !same_value(json_object_iter_value(x),
                           json_object_iter_value(y)))
            return false;
    return !x && !y;
}

/* --- making ------------------------------------------------------------- */

struct patch_draft {
    struct keyed *a, *b;
    json_t *changes;
    json_t *at; /* keys that lead to the current place */
};

static json_t *new_change(struct patch_draft *m)
{
    json_t *change = json_object();

    json_object_set_new(change, "at", json_deep_copy(m->at));
    json_array_append_new(m->changes, change);
    return change;
}

static void replace(struct patch_draft *m, json_t *from, json_t *to)
{
    json_t *change = new_change(m);

    if (from)
        json_object_set(change, "from", from);
    if (to)
        json_object_set(change, "to", to);
}

static void compare_values(struct patch_draft *m, enum place place, json_t *a,
                           json_t *b);

/* Compare the values of a key on both sides (NULL: none). */
static void compare_at(struct patch_draft *m, enum place place, const char *key,
                       json_t *a, json_t *b)
{
    json_array_append_new(m->at, json_string(key));
    compare_values(m, place, a, b);
    json_array_remove(m->at, json_array_size(m->at) - 1);
}

static void compare_metadata(struct patch_draft *m, const char *key,
                             const struct keyed_vertex *v,
                             const struct keyed_vertex *w)
{
    json_t *from = v ? keyed_metadata(v) : NULL;
    json_t *to = w ? keyed_metadata(w) : NULL;

    compare_at(m, VERTEX, key, from, to);
    json_decref(from);
    json_decref(to);
}

static void compare_objects(struct patch_draft *m, enum place place, json_t *a,
                            json_t *b)
{
    bool listed = m->a->graph && a == m->a->graph;
    const char *key;
    json_t *value;

    for (size_t i = 0; listed && i < m->a->n; i++) {
        const struct keyed_vertex *v = &m->a->list[i];
        const struct keyed_vertex *w = keyed_find(m->b, v->key);

        if (!w || v->len != w->len || memcmp(v->text, w->text, v->len))
            compare_metadata(m, v->key, v, w);
    }
    json_object_foreach (a, key, value)
        compare_at(m, place_below(place, key), key, value,
                   json_object_get(b, key));

    /* Keys that only b has come last. */
    for (size_t i = 0; listed && i < m->b->n; i++) {
        const struct keyed_vertex *w = &m->b->list[i];

        if (!keyed_find(m->a, w->key))
            compare_metadata(m, w->key, NULL, w);
    }
    json_object_foreach (b, key, value)
        if (!json_object_get(a, key))
            compare_at(m, ELSEWHERE, key, NULL, value);
}

static json_t *slice(const json_t *list, size_t from, size_t to)
{
    json_t *part = json_array();

    for (; from < to; from++)
        json_array_append(part, json_array_get(list, from));
    return part;
}

/* Replace everything between the equal elements at both ends. */
static void compare_arrays(struct patch_draft *m, json_t *a, json_t *b)
{
    size_t na = json_array_size(a), nb = json_array_size(b), first = 0;
    json_t *change;

    while (first < na && first < nb
           && same_value(json_array_get(a, first), json_array_get(b, first)))
        first++;
    for (; na > first && nb > first; na--, nb--)
        if (!same_value(json_array_get(a, na - 1), json_array_get(b, nb - 1)))
            break;
    if (first == na && first == nb)
        return;
    change = new_change(m);
    json_object_set_new(change, "index", json_integer((json_int_t)first));
    json_object_set_new(change, "from", slice(a, first, na));
    json_object_set_new(change, "to", slice(b, first, nb));
}

/* Compare two values. A graph with keys is replaced by one that keeps its
   nodes. */
static void compare_values(struct patch_draft *m, enum place place, json_t *a,
                           json_t *b)
{
    if (place == GRAPH
        && !json_object_get(a, "nodes") != !json_object_get(b, "nodes"))
        replace(m, a, b);
    else if (json_is_object(a) && json_is_object(b)
             && json_array_size(m->at) < PATCH_DEPTH && order_fits(place, a, b))
        compare_objects(m, place, a, b);
    else if (json_is_array(a) && json_is_array(b))
        compare_arrays(m, a, b);
    else if (!a || !b || !same_value(a, b))
        replace(m, a, b);
}

/* Can the vertices of both be compared one by one, as listed? */
static bool lists_fit(const struct keyed *a, const struct keyed *b)
{
    json_t *in_a = json_object_get(a->top, "");
    json_t *in_b = json_object_get(b->top, "");
    size_t next = 0;

    if (!a->graph || !b->graph || !order_fits(DOCUMENT, in_a, in_b)
        || !order_fits(GRAPH, a->graph, b->graph))
        return false;

    /* Pools outside of containment must keep their order. Their keys begin with
       a subsystem. */
    for (size_t i = 0; i < a->n; i++) {
        const char *key = a->list[i].key;

        if (*key == '/' || !keyed_find(b, key))
            continue;
        while (*b->list[next].key == '/')
            next++;
        if (strcmp(b->list[next++].key, key))
            return false;
    }

    if (json_object_get(in_a, "graph") || json_object_get(in_b, "graph"))
        return json_object_get(in_a, "graph") == a->graph
               && json_object_get(in_b, "graph") == b->graph;
    return order_fits(SCHEDULING, json_object_get(in_a, "scheduling"),
                      json_object_get(in_b, "scheduling"));
}

json_t *rset_patch(struct rset *a, struct rset *b, struct diag *d)
{
    struct keyed in_a, in_b = {0};
    struct patch_draft m = {.a = &in_a, .b = &in_b};
    json_t *patch = NULL;

    if (keyed_init(&in_a, a, d) == 0 && keyed_init(&in_b, b, d) == 0) {
        if (!lists_fit(&in_a, &in_b)) {
            keyed_load_all(&in_a);
            keyed_load_all(&in_b);
        }
        m.changes = json_array();
        m.at = json_array();
        compare_values(&m, DOCUMENT, json_object_get(in_a.top, ""),
                       json_object_get(in_b.top, ""));
        json_decref(m.at);
        patch = json_pack("{s:i,s:o}", "patch", 1, "changes", m.changes);
    }
    keyed_fini(&in_a);
    keyed_fini(&in_b);
    return patch;
}

/* --- applying ----------------------------------------------------------- */

static int no_fit(const json_t *at, const json_t *found, const json_t *from,
                  struct diag *d)
{
    if (!found && !from)
        diag_set(d, "there is no such place");
    else
        diag_set(d, "found %s, expected %s",
                 found ? json_quote(found).text : "nothing",
                 from ? json_quote(from).text : "nothing");
    /* Name the place: "execution.R_lite". */
    for (size_t i = json_array_size(at); i-- > 0;)
        diag_in(d, "%s", json_string_value(json_array_get(at, i)));
    return 1;
}

static int apply_slice(json_t *list, const json_t *change, struct diag *d)
{
    const json_t *at = json_object_get(change, "at");
    const json_t *from = json_object_get(change, "from");
    const json_t *to = json_object_get(change, "to");
    size_t first = (size_t)json_integer_value(json_object_get(change, "index"));
    size_t n = json_array_size(from), i;
    json_t *item, *copy, *rest;

    if (!json_is_array(list) || first > json_array_size(list))
        return no_fit(at, list, from, d);
    json_array_foreach (from, i, item) {
        const json_t *found = json_array_get(list, first + i);
        if (!found || !json_equal(item, found))
            return no_fit(at, found, item, d);
    }

    copy = json_deep_copy(to);
    rest = slice(list, first + n, json_array_size(list));
    while (json_array_size(list) > first)
        json_array_remove(list, json_array_size(list) - 1);
    json_array_extend(list, copy);
    json_array_extend(list, rest);
    json_decref(rest);
    json_decref(copy);
    return 0;
}

/* `top` holds the document under the key "": see keyed.h. */
static int apply_change(json_t *top, const json_t *change, struct diag *d)
{
    const json_t *at = json_object_get(change, "at");
    const json_t *from = json_object_get(change, "from");
    const json_t *to = json_object_get(change, "to");
    json_t *holder = top, *place = json_object_get(top, ""), *item;
    const char *key = "";
    size_t i;

    json_array_foreach (at, i, item) {
        holder = place;
        key = json_string_value(item);
        place = json_object_get(holder, key);
    }
    if (json_object_get(change, "index"))
        return apply_slice(place, change, d);

    if (!json_is_object(holder) || !place != !from
        || (place && !json_equal(place, from)))
        return no_fit(at, place, from, d);
    if (to) /* copy it: later changes may go into it */
        json_object_set_new(holder, key, json_deep_copy(to));
    else
        json_object_del(holder, key);
    return 0;
}

static bool is_list_or_none(const json_t *value)
{
    return !value || json_is_array(value);
}

static bool is_change(const json_t *change)
{
    const json_t *at = json_object_get(change, "at"), *key;
    const json_t *index = json_object_get(change, "index");
    size_t i;

    json_array_foreach (at, i, key)
        if (!json_is_string(key))
            return false;
    return json_is_array(at) && json_array_size(at) <= PLACE_DEPTH
           && (!index
               || (json_is_integer(index) && json_integer_value(index) >= 0
                   && is_list_or_none(json_object_get(change, "from"))
                   && is_list_or_none(json_object_get(change, "to"))));
}

static int check_patch(const json_t *patch, struct diag *d)
{
    const json_t *changes = json_object_get(patch, "changes"), *change;
    const json_t *version = json_object_get(patch, "patch");
    size_t i;

    if (json_integer_value(version) > 1)
        return diag_key(d, "patch", "%s: expected version 1",
                        json_quote(version).text);
    if (json_integer_value(version) != 1 || !json_is_array(changes))
        return diag_set(d, "not a patch: {\"patch\":1,\"changes\":[...]}");
    json_array_foreach (changes, i, change) {
        if (!is_change(change)) {
            diag_set(d, "%s: not a change", json_quote(change).text);
            return diag_in(d, "changes[%zu]", i);
        }
    }
    return 0;
}

/* Load the vertex that a change is about, or all if it is about the whole
   graph. */
static void load_place(struct keyed *k, const json_t *at)
{
    bool bare = json_object_get(json_object_get(k->top, ""), "graph");
    const char *const way[] = {"scheduling", "graph"};
    size_t i, depth = bare ? 1 : 2;
    json_t *item;

    json_array_foreach (at, i, item) {
        if (i == depth) {
            keyed_load(k, json_string_value(item));
            return;
        }
        if (strcmp(json_string_value(item), way[i + bare]))
            return;
    }
    keyed_load_all(k);
}

int rset_apply(struct rset *a, const json_t *patch, struct rset **out,
               struct diag *d)
{
    const json_t *changes = json_object_get(patch, "changes"), *change;
    struct keyed k;
    size_t i;
    int rc;

    *out = NULL;
    if (check_patch(patch, d) < 0)
        return -1;
    rc = keyed_init(&k, a, d);
    json_array_foreach (changes, i, change) {
        if (rc != 0)
            break;
        if (k.graph)
            load_place(&k, json_object_get(change, "at"));
        rc = apply_change(k.top, change, d);
    }
    if (rc == 0 && !(*out = keyed_to_rset(&k, d)))
        rc = -1;
    keyed_fini(&k);
    return rc;
}

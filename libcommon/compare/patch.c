#include "compare/patch.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "compare/keyed.h"

/*
 * Deeper than this a document is not compared, but replaced; and nothing
 * that is read is as deep as a place that is not looked for.
 */
enum { PATCH_DEPTH = 64, PLACE_DEPTH = 2048 };

/* --- making ------------------------------------------------------------- */

struct making {
    json_t *changes;
    json_t *at; /* the keys that lead to the place */
    bool failed;
};

static json_t *new_change(struct making *m)
{
    json_t *change = json_object();

    if (json_object_set_new(change, "at", json_deep_copy(m->at)) < 0
        || json_array_append_new(m->changes, change) < 0) {
        m->failed = true;
        return NULL;
    }
    return change;
}

static void put(struct making *m, json_t *change, const char *key,
                const json_t *value)
{
    if (value && json_object_set(change, key, (json_t *)value) < 0)
        m->failed = true;
}

static void replace(struct making *m, const json_t *from, const json_t *to)
{
    json_t *change = new_change(m);

    put(m, change, "from", from);
    put(m, change, "to", to);
}

static void compare(struct making *m, json_t *a, json_t *b);

static void enter(struct making *m, const char *key)
{
    if (json_array_append_new(m->at, json_string(key)) < 0)
        m->failed = true;
}

static void leave(struct making *m)
{
    json_array_remove(m->at, json_array_size(m->at) - 1);
}

static void compare_objects(struct making *m, json_t *a, json_t *b)
{
    const char *key;
    json_t *value;

    json_object_foreach (a, key, value) {
        enter(m, key);
        compare(m, value, json_object_get(b, key));
        leave(m);
    }
    json_object_foreach (b, key, value) {
        if (json_object_get(a, key))
            continue;
        enter(m, key);
        replace(m, NULL, value);
        leave(m);
    }
}

static json_t *slice(const json_t *list, size_t from, size_t to)
{
    json_t *part = json_array();

    for (; part && from < to; from++) {
        if (json_array_append(part, json_array_get(list, from)) < 0) {
            json_decref(part);
            return NULL;
        }
    }
    return part;
}

/* What is between the equal elements at both ends. */
static void compare_arrays(struct making *m, json_t *a, json_t *b)
{
    size_t na = json_array_size(a), nb = json_array_size(b), first = 0;
    json_t *change, *from, *to;

    while (first < na && first < nb
           && json_equal(json_array_get(a, first), json_array_get(b, first)))
        first++;
    for (; na > first && nb > first; na--, nb--)
        if (!json_equal(json_array_get(a, na - 1), json_array_get(b, nb - 1)))
            break;
    change = new_change(m);
    from = slice(a, first, na);
    to = slice(b, first, nb);
    json_object_set_new(change, "index", json_integer((json_int_t)first));
    put(m, change, "from", from);
    put(m, change, "to", to);
    m->failed = m->failed || !from || !to;
    json_decref(from);
    json_decref(to);
}

static void compare(struct making *m, json_t *a, json_t *b)
{
    if (b && json_equal(a, b))
        return;
    if (json_is_object(a) && json_is_object(b)
        && json_array_size(m->at) < PATCH_DEPTH)
        compare_objects(m, a, b);
    else if (json_is_array(a) && json_is_array(b))
        compare_arrays(m, a, b);
    else
        replace(m, a, b);
}

static json_t *make(json_t *a, json_t *b, bool whole)
{
    struct making m = {.changes = json_array(), .at = json_array()};
    json_t *patch;

    if (whole)
        replace(&m, a, b);
    else
        compare(&m, a, b);
    json_decref(m.at);
    patch = json_pack("{s:i,s:o}", "patch", 1, "changes", m.changes);
    if (!m.failed)
        return patch;
    json_decref(patch);
    return NULL;
}

/* --- applying ----------------------------------------------------------- */

/* The place in words: "execution.R_lite". */
static void tell_place(const json_t *at, struct diag *d)
{
    for (size_t i = json_array_size(at); i-- > 0;)
        diag_in(d, "%s", json_string_value(json_array_get(at, i)));
}

static int no_fit(const json_t *at, const json_t *found, const json_t *from,
                  struct diag *d)
{
    diag_set(d, "%s is there, and %s was expected",
             found ? json_quote(found).text : "nothing",
             from ? json_quote(from).text : "nothing");
    tell_place(at, d);
    return 1;
}

/* The list with another stretch in the place of the n elements at `first`. */
static int splice(json_t *list, size_t first, size_t n, json_t *stretch)
{
    json_t *rest = slice(list, first + n, json_array_size(list));
    int rc = rest ? 0 : -1;

    while (rc == 0 && json_array_size(list) > first)
        rc = json_array_remove(list, json_array_size(list) - 1);
    if (rc == 0 && stretch)
        rc = json_array_extend(list, stretch);
    if (rc == 0)
        rc = json_array_extend(list, rest);
    json_decref(rest);
    return rc;
}

static int apply_slice(json_t *list, const json_t *change, struct diag *d)
{
    const json_t *at = json_object_get(change, "at");
    const json_t *from = json_object_get(change, "from");
    const json_t *to = json_object_get(change, "to");
    size_t first = (size_t)json_integer_value(json_object_get(change, "index"));
    size_t n = json_array_size(from), i;
    json_t *item, *copy;
    int rc;

    if (!json_is_array(list) || first > json_array_size(list))
        return no_fit(at, list, from, d);
    json_array_foreach (from, i, item) {
        const json_t *found = json_array_get(list, first + i);
        if (!found || !json_equal(item, found))
            return no_fit(at, found, item, d);
    }
    copy = json_deep_copy(to);
    rc = to && !copy ? -1 : splice(list, first, n, copy);
    json_decref(copy);
    return rc < 0 ? diag_oom(d) : 0;
}

/* What comes there is copied: later changes may go into it. */
static int apply_value(json_t *holder, const char *key, const json_t *change,
                       struct diag *d)
{
    const json_t *from = json_object_get(change, "from");
    const json_t *to = json_object_get(change, "to");
    json_t *found = json_object_get(holder, key);

    if (!json_is_object(holder) || !found != !from
        || (found && !json_equal(found, from)))
        return no_fit(json_object_get(change, "at"), found, from, d);
    if (!to) {
        json_object_del(holder, key);
        return 0;
    }
    return json_object_set_new(holder, key, json_deep_copy(to)) < 0
               ? diag_oom(d)
               : 0;
}

/* `top` is an object that holds the document under the key "". */
static int apply_change(json_t *top, const json_t *change, struct diag *d)
{
    json_t *holder = top, *place = json_object_get(top, ""), *item;
    const char *key = "";
    size_t i;

    json_array_foreach (json_object_get(change, "at"), i, item) {
        holder = place;
        key = json_string_value(item);
        place = json_object_get(holder, key);
    }
    if (json_object_get(change, "index"))
        return apply_slice(place, change, d);
    return apply_value(holder, key, change, d);
}

static bool is_place(const json_t *at)
{
    const json_t *key;
    size_t i;

    json_array_foreach (at, i, key)
        if (!json_is_string(key))
            return false;
    return json_is_array(at) && json_array_size(at) <= PLACE_DEPTH;
}

static bool is_list_or_none(const json_t *value)
{
    return !value || json_is_array(value);
}

static bool is_change(const json_t *change)
{
    const json_t *index = json_object_get(change, "index");

    return is_place(json_object_get(change, "at"))
           && (!index
               || (json_is_integer(index) && json_integer_value(index) >= 0
                   && is_list_or_none(json_object_get(change, "from"))
                   && is_list_or_none(json_object_get(change, "to"))));
}

static int check_patch(const json_t *patch, struct diag *d)
{
    const json_t *changes = json_object_get(patch, "changes"), *change;
    size_t i;

    if (json_integer_value(json_object_get(patch, "patch")) != 1
        || !json_is_array(changes))
        return diag_set(d, "not a patch: {\"patch\":1,\"changes\":[...]}");
    json_array_foreach (changes, i, change) {
        if (!is_change(change)) {
            diag_set(d, "%s: not a change", json_quote(change).text);
            return diag_in(d, "changes[%zu]", i);
        }
    }
    return 0;
}

static int apply_all(json_t *top, const json_t *patch, struct diag *d)
{
    const json_t *changes = json_object_get(patch, "changes"), *change;
    size_t i;
    int rc = 0;

    json_array_foreach (changes, i, change)
        if ((rc = apply_change(top, change, d)) != 0)
            break;
    return rc;
}

int rset_apply(struct rset *a, const json_t *patch, struct rset **out,
               struct diag *d)
{
    json_t *doc, *top;
    int rc;

    *out = NULL;
    if (check_patch(patch, d) < 0 || !(doc = keyed_from_rset(a, d)))
        return -1;
    top = json_pack("{s:o}", "", doc);
    rc = top ? apply_all(top, patch, d) : diag_oom(d);
    if (rc == 0 && !(*out = keyed_to_rset(json_object_get(top, ""), d)))
        rc = -1;
    json_decref(top);
    return rc;
}

/* --- the whole ---------------------------------------------------------- */

/* Does it give b, to the byte? -1 with a diag when memory ran out. */
static int leads_to(struct rset *a, struct rset *b, const json_t *patch,
                    struct diag *d)
{
    struct rset *result = NULL;
    int rc = rset_apply(a, patch, &result, d), same;
    size_t len;
    char *got = rc == 0 ? keyed_text(result, &len, d) : NULL;
    char *want = got ? keyed_text(b, &len, d) : NULL;

    if (want)
        same = !strcmp(got, want);
    else
        same = strcmp(d->text, "out of memory") ? 0 : -1;
    free(got);
    free(want);
    rset_destroy(result);
    return same;
}

json_t *rset_patch(struct rset *a, struct rset *b, struct diag *d)
{
    json_t *from = keyed_from_rset(a, d), *patch = NULL;
    json_t *to = from ? keyed_from_rset(b, d) : NULL;
    int good = to ? 0 : -1;

    for (int whole = 0; whole <= 1 && good == 0; whole++) {
        json_decref(patch);
        patch = make(from, to, whole);
        good = patch ? leads_to(a, b, patch, d) : diag_oom(d);
    }
    if (good == 0)
        diag_set(d, "no patch leads from one to the other");
    json_decref(from);
    json_decref(to);
    if (good > 0)
        return patch;
    json_decref(patch);
    return NULL;
}

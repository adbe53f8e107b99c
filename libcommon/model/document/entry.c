/*
 * Reads an entry of R_lite (entry.h): ranks and children, here and in records.
 */
#include "model/document/entry.h"

#include <string.h>

void entry_fini(struct entry *e)
{
    idset_destroy(e->ranks);
    lite_children_fini(&e->children);
    *e = (struct entry){0};
}

/* --- from JSON ----------------------------------------------------------- */

static void read_child(struct reader *r, const char *key, const json_t *value,
                       struct entry *e, const struct place *at)
{
    bool named = *key && !strchr(key, '/');
    struct idset *ids = need_idset(r, value, at);

    if (!named)
        fault(r, RULE_VERTEX_TYPE, at, "%s: a type is not empty and has no '/'",
              quote(key, strlen(key)).text);
    e->faulty |= !named || !ids;
    if (named && ids)
        lite_children_put(&e->children,
                          strtab_intern(&r->rs->names, key, strlen(key)), ids);
    else
        idset_destroy(ids);
}

static void read_children(struct reader *r, const json_t *value,
                          enum entry_use use, struct entry *e,
                          const struct place *at)
{
    const char *key;
    json_t *item;

    e->bare = !value;
    if (e->bare && use == ENTRY_RECORD)
        return;
    if (!need_object(r, value, at)) {
        e->faulty = true;
        return;
    }
    if (use == ENTRY_EXECUTION && !json_object_get(value, "core"))
        fault(r, RULE_CORE_MISSING, at, "core is missing");
    json_object_foreach ((json_t *)value, key, item) {
        if (use == ENTRY_EXECUTION && strcmp(key, "core") && strcmp(key, "gpu"))
            fault(r, RULE_RESERVED_KEY, IN_KEY(at, key),
                  "reserved: `children` has `core` and `gpu`");
        read_child(r, key, item, e, IN_KEY(at, key));
    }
}

void entry_read(struct reader *r, const json_t *value, enum entry_use use,
                struct entry *e, const struct place *at)
{
    *e = (struct entry){0};
    if (!need_object(r, value, at)) {
        e->faulty = true;
        return;
    }
    e->ranks = need_idset(r, json_object_get(value, "rank"),
                          IN_OBJECT(at, value, "rank"));
    e->faulty = !e->ranks;
    read_children(r, json_object_get(value, "children"), use, e,
                  IN_OBJECT(at, value, "children"));
}

/* --- from text ----------------------------------------------------------- */

struct text {
    const char *p, *end;
};

/* Step over a character, with white space before it. */
static bool take(struct text *t, char c)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' || *t->p == '\t'))
        t->p++;
    if (t->p == t->end || *t->p != c)
        return false;
    t->p++;
    return true;
}

/* A string of nothing but ASCII, none of it escaped. */
static bool take_string(struct text *t, const char **string, size_t *len)
{
    if (!take(t, '"'))
        return false;
    *string = t->p;
    while (t->p < t->end && *t->p >= ' ' && *t->p < 127 && *t->p != '"'
           && *t->p != '\\')
        t->p++;
    *len = (size_t)(t->p - *string);
    return t->p < t->end && *t->p++ == '"';
}

static bool take_key(struct text *t, const char *key)
{
    const char *string;
    size_t len;

    return take_string(t, &string, &len) && len == strlen(key)
           && !memcmp(string, key, len) && take(t, ':');
}

static bool take_idset(struct text *t, struct idset **set)
{
    struct diag unused;
    const char *string;
    size_t len;

    *set = NULL;
    return take_string(t, &string, &len)
           && idset_decode(string, len, set, &unused) >= 0;
}

/* The one copy of a type; of those that nearly all are, without a search. */
static const char *type_named(struct strtab *names, const char *text,
                              size_t len)
{
    if (len == 4 && !memcmp(text, "core", 4))
        return "core";
    if (len == 3 && !memcmp(text, "gpu", 3))
        return "gpu";
    return strtab_intern(names, text, len);
}

/* One type with its ids. A key that stands twice is a fault. */
static bool take_child(struct text *t, struct strtab *names,
                       struct lite_children *c)
{
    const char *type;
    struct idset *ids;
    size_t len;

    return take_string(t, &type, &len) && len > 0 && !memchr(type, '/', len)
           && take(t, ':') && take_idset(t, &ids)
           && lite_children_put(c, type_named(names, type, len), ids);
}

static bool take_children(struct text *t, struct strtab *names,
                          struct lite_children *c)
{
    if (!take_key(t, "children") || !take(t, '{'))
        return false;
    if (take(t, '}'))
        return true;
    do {
        if (!take_child(t, names, c))
            return false;
    } while (take(t, ','));
    return take(t, '}');
}

bool entry_read_text(struct strtab *names, const char *text, size_t len,
                     struct entry *e)
{
    struct text t = {text, text + len};

    *e = (struct entry){0};
    if (take(&t, '{') && take_key(&t, "rank") && take_idset(&t, &e->ranks)
        && take(&t, ',') && take_children(&t, names, &e->children)
        && take(&t, '}') && t.p == t.end)
        return true;
    entry_fini(e);
    return false;
}

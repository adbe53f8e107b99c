/* Reads an entry of R_lite (entry.h). */
#include "model/document/entry.h"

#include <string.h>

#include "base/json.h"

void entry_fini(struct entry *e)
{
    idset_destroy(e->ranks);
    lite_children_fini(&e->children);
    *e = (struct entry){0};
}

/* --- from JSON ----------------------------------------------------------- */

void entry_read(struct reader *r, const json_t *value, enum entry_use use,
                struct entry *e, const struct place *at)
{
    const struct place *in = IN_OBJECT(at, value, "children");
    const json_t *children;
    const char *key;
    json_t *item;

    *e = (struct entry){.faulty = true};
    if (!need_object(r, value, at))
        return;
    children = json_object_get(value, "children");
    e->bare = !children;
    e->ranks = need_idset(r, json_object_get(value, "rank"),
                          IN_OBJECT(at, value, "rank"));
    if ((!e->bare || use != ENTRY_RECORD) && !need_object(r, children, in))
        return;
    e->faulty = !e->ranks;
    if (e->bare)
        return;
    if (use == ENTRY_EXECUTION && !json_object_get(children, "core"))
        fault(r, RULE_CORE_MISSING, in, "core is missing");
    json_object_foreach ((json_t *)children, key, item) {
        bool named = *key && !strchr(key, '/');
        struct idset *ids;
        if (use == ENTRY_EXECUTION && strcmp(key, "core") && strcmp(key, "gpu"))
            fault(r, RULE_RESERVED_KEY, IN_KEY(in, key),
                  "reserved: `children` has `core` and `gpu`");
        ids = need_idset(r, item, IN_KEY(in, key));
        if (!named)
            fault(r, RULE_VERTEX_TYPE, IN_KEY(in, key),
                  "%s: a type must not be empty or contain '/'",
                  quote_all(key).text);
        e->faulty |= !named || !ids;
        if (named && ids)
            lite_children_put(&e->children,
                              map_intern(&r->rs->names, key, strlen(key)), ids);
        else
            idset_destroy(ids);
    }
}

/* --- from text ----------------------------------------------------------- */

enum { RANK, CHILDREN, CORE, GPU, KEYS };
static const struct json_field in_children[] = {
    {"core", JSON_STRING, CORE, NULL}, {"gpu", JSON_STRING, GPU, NULL}, {0}};
static const struct json_field in_entry[] = {
    {"rank", JSON_STRING, RANK, NULL},
    {"children", JSON_OBJECT, CHILDREN, in_children},
    {0}};

static struct idset *read_ids(const struct json_token *present)
{
    struct idset *ids = NULL;
    struct diag unused;

    return idset_decode(present->text, present->len, &ids, &unused) < 0 ? NULL
                                                                        : ids;
}

bool entry_read_plain(const char *text, size_t len, size_t *end,
                      struct entry *e)
{
    struct json_token present[KEYS] = {0};

    *e = (struct entry){0};
    if (!json_read_fields(text, len, in_entry, present, end)
        || !present[RANK].text || !present[CORE].text)
        return false;
    e->ranks = read_ids(&present[RANK]);
    e->faulty = !e->ranks;
    for (unsigned i = CORE; i <= GPU; i++) {
        struct idset *ids = present[i].text ? read_ids(&present[i]) : NULL;
        if (ids)
            lite_children_put(&e->children, i == CORE ? "core" : "gpu", ids);
        e->faulty |= present[i].text && !ids;
    }
    if (e->faulty)
        entry_fini(e);
    return e->ranks;
}

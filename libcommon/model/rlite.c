#include "model/rlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* --- children ----------------------------------------------------------- */

void lite_children_fini(struct lite_children *c)
{
    for (size_t i = 0; i < c->n; i++)
        idset_destroy(c->list[i].ids);
    free(c->list);
    *c = (struct lite_children){0};
}

/* core, gpu, then the others by name. */
static int compare_types(const char *a, const char *b)
{
    int a_place = !strcmp(a, "core") ? 0 : !strcmp(a, "gpu") ? 1 : 2;
    int b_place = !strcmp(b, "core") ? 0 : !strcmp(b, "gpu") ? 1 : 2;

    return a_place != b_place ? a_place - b_place : strcmp(a, b);
}

struct idset *lite_children_ids(struct lite_children *c, const char *type)
{
    struct lite_child *list;
    struct idset *ids;
    size_t at = 0;

    while (at < c->n && compare_types(c->list[at].type, type) < 0)
        at++;
    if (at < c->n && !strcmp(c->list[at].type, type))
        return c->list[at].ids;
    if (!(ids = idset_create()))
        return NULL;
    if (!(list = realloc(c->list, (c->n + 1) * sizeof(*list)))) {
        idset_destroy(ids);
        return NULL;
    }
    memmove(list + at + 1, list + at, (c->n - at) * sizeof(*list));
    list[at] = (struct lite_child){.type = type, .ids = ids};
    c->list = list;
    c->n++;
    return ids;
}

void lite_children_print(const struct lite_children *c, FILE *fp)
{
    const char *sep = "";

    for (size_t i = 0; i < c->n; i++) {
        const struct lite_child *child = &c->list[i];
        bool many = idset_count(child->ids) > 1;
        if (idset_empty(child->ids))
            continue;
        fprintf(fp, "%s%s%s", sep, child->type, many ? "[" : "");
        idset_write(child->ids, fp);
        if (many)
            putc(']', fp);
        sep = ",";
    }
}

static void drop_empty(struct lite_children *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (idset_empty(c->list[i].ids))
            idset_destroy(c->list[i].ids);
        else
            c->list[n++] = c->list[i];
    }
    c->n = n;
}

/* A word with its NUL behind what is in the key. */
static int add_word(char **key, size_t *len, const char *word)
{
    size_t n = strlen(word) + 1;
    char *more = realloc(*key, *len + n);

    if (!more)
        return -1;
    memcpy(more + *len, word, n);
    *key = more;
    *len += n;
    return 0;
}

/*
 * Types and ids in a text of their own: equal if the children are. This is
 * made for every rank of a set in which all differ, so no FILE is opened.
 */
static char *make_key(const struct lite_children *c, size_t *len)
{
    char *key = calloc(1, 1);
    int rc = key ? 0 : -1;

    *len = 0;
    for (size_t i = 0; i < c->n && rc == 0; i++) {
        char *ids = idset_encode(c->list[i].ids);
        rc = !ids || add_word(&key, len, c->list[i].type) < 0
                     || add_word(&key, len, ids) < 0
                 ? -1
                 : 0;
        free(ids);
    }
    if (rc == 0)
        return key;
    free(key);
    return NULL;
}

/* --- entries ------------------------------------------------------------ */

void rlite_fini(struct rlite *rl)
{
    for (size_t i = 0; i < rl->n; i++) {
        idset_destroy(rl->list[i].ranks);
        lite_children_fini(&rl->list[i].children);
    }
    free(rl->list);
    idset_destroy(rl->twice);
    map_fini(&rl->keys);
    *rl = (struct rlite){0};
}

static int append(struct rlite *rl, const struct idset *ranks,
                  struct lite_children *children, struct map_slot *slot)
{
    struct lite_entry e = {.key = slot->key, .keylen = slot->len};

    if (rl->n == rl->size) {
        size_t size = rl->size ? rl->size * 2 : 4;
        struct lite_entry *list = realloc(rl->list, size * sizeof(*list));
        if (!list)
            return -1;
        rl->list = list;
        rl->size = size;
    }
    if (!(e.ranks = idset_copy(ranks)))
        return -1;
    e.children = *children;
    *children = (struct lite_children){0};
    rl->list[rl->n++] = e;
    slot->value.number = rl->n;
    return 0;
}

/* Ranks mostly come in ascending order, and then there is no look behind. */
static int join(struct rlite *rl, struct idset *ranks, const struct idset *more)
{
    if (!idset_empty(more) && idset_last(ranks) >= idset_first(more)
        && !rl->twice && idset_overlaps(ranks, more)
        && !(rl->twice = idset_intersect(ranks, more)))
        return -1;
    return idset_add_set(ranks, more);
}

int rlite_add(struct rlite *rl, const struct idset *ranks,
              struct lite_children *children)
{
    struct map_slot *slot = NULL;
    size_t len = 0;
    char *key;
    int rc = -1;

    drop_empty(children);
    if ((key = make_key(children, &len)))
        slot = map_at(&rl->keys, key, len);
    if (slot && slot->value.number)
        rc = join(rl, rl->list[slot->value.number - 1].ranks, ranks);
    else if (slot)
        rc = append(rl, ranks, children, slot);
    free(key);
    lite_children_fini(children);
    return rc;
}

static int compare_entries(const void *a, const void *b)
{
    uint32_t ra = idset_first(((const struct lite_entry *)a)->ranks);
    uint32_t rb = idset_first(((const struct lite_entry *)b)->ranks);

    return (ra > rb) - (ra < rb);
}

void rlite_sort(struct rlite *rl)
{
    if (rl->n > 1)
        qsort(rl->list, rl->n, sizeof(*rl->list), compare_entries);
}

/* --- writing ------------------------------------------------------------ */

static void write_child(const char *sep, const char *type,
                        const struct idset *ids, FILE *fp)
{
    fputs(sep, fp);
    json_write_string(fp, type);
    fputs(":\"", fp);
    if (ids)
        idset_write(ids, fp);
    putc('"', fp);
}

void rlite_write(const struct rlite *rl, FILE *fp)
{
    putc('[', fp);
    for (size_t i = 0; i < rl->n; i++) {
        const struct lite_children *c = &rl->list[i].children;
        const char *sep = "";
        fputs(i ? ",{\"rank\":\"" : "{\"rank\":\"", fp);
        idset_write(rl->list[i].ranks, fp);
        fputs("\",\"children\":{", fp);
        if (c->n == 0 || strcmp(c->list[0].type, "core")) {
            write_child(sep, "core", NULL, fp);
            sep = ",";
        }
        for (size_t j = 0; j < c->n; j++, sep = ",")
            write_child(sep, c->list[j].type, c->list[j].ids, fp);
        fputs("}}", fp);
    }
    putc(']', fp);
}

static json_t *idset_to_json(const struct idset *set)
{
    char *text = idset_encode(set);
    json_t *value = text ? json_string(text) : NULL;

    free(text);
    return value;
}

static int entry_to_json(const struct lite_entry *e, enum rlite_use use,
                         json_t *entry)
{
    const struct lite_children *c = &e->children;
    json_t *children;

    if (json_object_set_new(entry, "rank", idset_to_json(e->ranks)) < 0)
        return -1;
    if (c->n == 0 && use == RLITE_RECORD)
        return 0;
    children = json_object();
    if (json_object_set_new(entry, "children", children) < 0)
        return -1;
    if (use == RLITE_EXECUTION && (!c->n || strcmp(c->list[0].type, "core")))
        json_object_set_new(children, "core", json_string(""));
    for (size_t i = 0; i < c->n; i++)
        if (json_object_set_new(children, c->list[i].type,
                                idset_to_json(c->list[i].ids))
            < 0)
            return -1;
    return 0;
}

json_t *rlite_to_json(const struct rlite *rl, enum rlite_use use)
{
    json_t *list = json_array();

    for (size_t i = 0; list && i < rl->n; i++) {
        json_t *entry = json_object();
        if (json_array_append_new(list, entry) < 0
            || entry_to_json(&rl->list[i], use, entry) < 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* --- reading ------------------------------------------------------------ */

struct idset *idset_from_json(const json_t *value, struct diag *d)
{
    struct idset *set = NULL;

    if (!json_is_string(value))
        diag_set(d, "%s: expected an idset in a string",
                 value ? json_quote(value).text : "missing");
    else
        idset_decode(json_string_value(value), json_string_length(value), &set,
                     d);
    return set;
}

static int children_from_json(struct strtab *names, const json_t *value,
                              struct lite_children *children, struct diag *d)
{
    const char *key;
    json_t *item;

    if (!json_is_object(value))
        return diag_set(d, "%s: expected an object",
                        value ? json_quote(value).text : "missing");
    json_object_foreach ((json_t *)value, key, item) {
        const char *type = strtab_intern(names, key, strlen(key));
        struct idset *set, *mine;
        if (!*key || strchr(key, '/'))
            return diag_set(d, "%s: a type is not empty and has no '/'",
                            quote(key, strlen(key)).text);
        set = idset_from_json(item, d);
        if (!set)
            return diag_in(d, "%s", key);
        mine = type ? lite_children_ids(children, type) : NULL;
        if (!mine || idset_add_set(mine, set) < 0) {
            idset_destroy(set);
            return diag_oom(d);
        }
        idset_destroy(set);
    }
    return 0;
}

int lite_entry_from_json(struct strtab *names, const json_t *value,
                         struct idset **ranks, struct lite_children *children,
                         struct diag *d)
{
    *ranks = NULL;
    *children = (struct lite_children){0};
    if (!json_is_object(value))
        return diag_set(d, "%s: expected an object", json_quote(value).text);
    if (!(*ranks = idset_from_json(json_object_get(value, "rank"), d)))
        return diag_in(d, "rank");
    if (children_from_json(names, json_object_get(value, "children"), children,
                           d)
        < 0) {
        idset_destroy(*ranks);
        *ranks = NULL;
        lite_children_fini(children);
        return diag_in(d, "children");
    }
    return 0;
}

/* --- between R_lite and the tree ---------------------------------------- */

bool rlite_type(const struct rset *rs, const char *type)
{
    if (!strcmp(type, "core") || !strcmp(type, "gpu"))
        return true;
    for (size_t i = 0; i < rs->ntypes; i++)
        if (!strcmp(rs->types[i], type))
            return true;
    return false;
}

int rlite_add_type(struct rset *rs, const char *type)
{
    const char **types;

    if (rlite_type(rs, type))
        return 0;
    types = realloc(rs->types, (rs->ntypes + 1) * sizeof(*types));
    if (!types)
        return -1;
    rs->types = types;
    if (!(type = rset_string(rs, type)))
        return -1;
    types[rs->ntypes++] = type;
    return 0;
}

int rlite_adopt_types(struct rset *rs, const struct rset *from)
{
    for (size_t i = 0; i < from->ntypes; i++)
        if (rlite_add_type(rs, from->types[i]) < 0)
            return -1;
    return 0;
}

static int project_id(const struct vertex *v, const struct vertex *target,
                      struct idset *ids, struct diag *d)
{
    long long rank = target->run ? (long long)idset_first(target->run)
                                 : (long long)target->rank;

    if (v->id < 0 || v->id > (int64_t)IDSET_MAX)
        return diag_set(d, "%s of rank %lld has no id that R can hold", v->name,
                        rank);
    if (idset_contains(ids, (uint32_t)v->id))
        return diag_set(d, "rank %lld has two pools of type %s with id %lld",
                        rank, v->type, (long long)v->id);
    if (idset_add(ids, (uint32_t)v->id, (uint32_t)v->id) < 0)
        return diag_oom(d);
    return 0;
}

int lite_children_project(const struct rset *rs, const struct vertex *target,
                          struct lite_children *children, struct diag *d)
{
    const char *type = NULL;
    struct idset *ids = NULL;
    bool wanted = false;

    for (const struct vertex *v = vertex_next(target, target, false); v;
         v = vertex_next(target, v, false)) {
        if (v->type != type) {
            type = v->type;
            wanted = rlite_type(rs, type);
            ids = wanted ? lite_children_ids(children, type) : NULL;
            if (wanted && !ids)
                return diag_oom(d);
        }
        if (wanted && v->run && idset_add_set(ids, v->run) < 0)
            return diag_oom(d);
        if (wanted && !v->run && project_id(v, target, ids, d) < 0)
            return -1;
    }
    return 0;
}

static int project_target(struct rlite *rl, const struct rset *rs,
                          const struct vertex *v, struct diag *d)
{
    struct lite_children children = {0};
    struct idset *own = NULL;
    int rc;

    if (lite_children_project(rs, v, &children, d) < 0) {
        lite_children_fini(&children);
        return -1;
    }
    if (!v->run
        && !(own = idset_create_range((uint32_t)v->rank, (uint32_t)v->rank))) {
        lite_children_fini(&children);
        return diag_oom(d);
    }
    rc = rlite_add(rl, own ? own : v->run, &children);
    idset_destroy(own);
    return rc < 0 ? diag_oom(d) : 0;
}

int rlite_project(struct rlite *rl, const struct rset *rs, struct diag *d)
{
    struct vertex **targets;
    ssize_t n = rset_targets(rs, &targets);
    int rc = 0;

    if (n < 0)
        return diag_oom(d);
    for (ssize_t i = 0; i < n && rc == 0; i++)
        rc = project_target(rl, rs, targets[i], d);
    free(targets);
    rlite_sort(rl);
    return rc;
}

static int build_children(struct rset *rs, struct vertex *target,
                          const struct lite_children *children)
{
    for (size_t i = 0; i < children->n; i++) {
        const struct lite_child *c = &children->list[i];
        struct idset *run = idset_copy(c->ids);
        if (!run || !vertex_add_run(rs, target, c->type, run)
            || rlite_add_type(rs, c->type) < 0)
            return -1;
    }
    vertex_sort_children(target);
    return 0;
}

static struct vertex *build_target(struct rset *rs, const struct lite_entry *e)
{
    struct idset *run = idset_copy(e->ranks);
    struct vertex *v = vertex_create(rs, "node");

    if (!v || !run || build_children(rs, v, &e->children) < 0) {
        idset_destroy(run);
        return NULL;
    }
    v->run = run;
    v->parent = rs->root;
    return v;
}

int rlite_build(struct rset *rs, const struct rlite *rl, struct diag *d)
{
    struct vertex **end;

    if (!vertex_add(rs, NULL, "cluster", "cluster", 0))
        return diag_oom(d);
    end = &rs->root->child;
    for (size_t i = 0; i < rl->n; i++) {
        if (!(*end = build_target(rs, &rl->list[i])))
            return diag_oom(d);
        end = &(*end)->next;
    }
    vertex_sort_children(rs->root);
    return 0;
}

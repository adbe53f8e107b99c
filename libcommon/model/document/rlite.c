/* R_lite as values and as text, made from a tree and turned into one
   (rlite.h). */
#include "model/document/rlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/show.h"
#include "model/document/unknown.h"

/* --- children ----------------------------------------------------------- */

void lite_children_fini(struct lite_children *c)
{
    for (size_t i = 0; i < c->n; i++)
        idset_destroy(c->list[i].ids);
    free(c->list);
    *c = (struct lite_children){0};
}

/* Order: core, gpu, then the others by name. */
static int compare_rlite_types(const char *a, const char *b)
{
    int a_place = !strcmp(a, "core") ? 0 : !strcmp(a, "gpu") ? 1 : 2;
    int b_place = !strcmp(b, "core") ? 0 : !strcmp(b, "gpu") ? 1 : 2;

    return a_place != b_place ? a_place - b_place : strcmp(a, b);
}

/* Return the ids of a type, or NULL. Sets *at to its place in the list. */
static struct idset *ids_at(const struct lite_children *c, const char *type,
                            size_t *at)
{
    *at = c->n; /* the usual case, if types are read in order */
    if (c->n > 0 && compare_rlite_types(c->list[c->n - 1].type, type) >= 0)
        *at = VECTOR_SEEK(i, 0, c->n,
                          compare_rlite_types(c->list[i].type, type) < 0);
    return *at < c->n && !strcmp(c->list[*at].type, type) ? c->list[*at].ids
                                                          : NULL;
}

/* Insert a new type with its ids, which are taken over. */
static struct idset *insert(struct lite_children *c, size_t at,
                            const char *type, struct idset *ids)
{
    VECTOR_GROW(c->list, c->n);
    memmove(c->list + at + 1, c->list + at, (c->n - at) * sizeof(*c->list));
    c->list[at] = (struct lite_child){.type = type, .ids = ids};
    c->n++;
    return ids;
}

struct idset *lite_children_ids(struct lite_children *c, const char *type)
{
    size_t at;
    struct idset *ids = ids_at(c, type, &at);

    return ids ? ids : insert(c, at, type, idset_create());
}

void lite_children_put(struct lite_children *c, const char *type,
                       struct idset *ids)
{
    size_t at;

    ids_at(c, type, &at);
    insert(c, at, type, ids);
}

const struct idset *lite_children_find(const struct lite_children *c,
                                       const char *type)
{
    size_t at;

    return ids_at(c, type, &at);
}

void lite_children_print(const struct lite_children *c, FILE *fp)
{
    const char *sep = "";

    for (size_t i = 0; i < c->n; i++) {
        const struct lite_child *child = &c->list[i];
        if (idset_empty(child->ids))
            continue;
        fputs(sep, fp);
        show(fp, child->type);
        idset_write_members(child->ids, fp);
        sep = ",";
    }
}

char *lite_children_text(const struct lite_children *c)
{
    char *text = NULL;
    FILE *fp = memory_open(&text, NULL);

    lite_children_print(c, fp);
    return memory_take(fp, &text, true);
}

/* Make bytes in rl->key that are equal if the children are, and return their
   number. The memory is kept for the next rank. */
static size_t make_key(struct rlite *rl, const struct lite_children *c,
                       const json_t *extra)
{
    char *text = extra ? json_dumps(extra, JSON_COMPACT | JSON_SORT_KEYS)
                       : NULL;
    size_t need = 1 + (text ? strlen(text) : 0);
    char *p;

    for (size_t i = 0; i < c->n; i++)
        need += strlen(c->list[i].type) + 1 + sizeof(size_t)
                + idset_nranges(c->list[i].ids) * sizeof(struct idrange);
    VECTOR_ROOM(rl->key, rl->room, need);
    p = rl->key;
    for (size_t i = 0; i < c->n; i++) {
        size_t n = idset_nranges(c->list[i].ids);
        p = stpcpy(p, c->list[i].type) + 1;
        p = mempcpy(p, &n, sizeof(n));
        p = mempcpy(p, idset_ranges(c->list[i].ids),
                    n * sizeof(struct idrange));
    }
    if (text)
        p = stpcpy(p, text);
    free(text);
    return (size_t)(p - rl->key);
}

/* --- entries ------------------------------------------------------------ */

void rlite_fini(struct rlite *rl)
{
    for (size_t i = 0; i < rl->n; i++) {
        idset_destroy(rl->list[i].ranks);
        lite_children_fini(&rl->list[i].children);
    }
    free(rl->list);
    map_fini(&rl->keys);
    free(rl->key);
    *rl = (struct rlite){0};
}

void rlite_add(struct rlite *rl, const struct idset *ranks,
               struct lite_children *children, json_t *extra)
{
    size_t at, len, n = 0;

    for (size_t i = 0; i < children->n; i++) {
        if (idset_empty(children->list[i].ids))
            idset_destroy(children->list[i].ids);
        else
            children->list[n++] = children->list[i];
    }
    children->n = n;
    len = make_key(rl, children, extra);
    at = map_number(&rl->keys, rl->key, len);
    if (at < rl->n) {
        idset_add_set(rl->list[at].ranks, ranks);
        lite_children_fini(children);
        return;
    }
    VECTOR_ADD(rl->list, rl->n,
               (struct lite_entry){.ranks = idset_copy(ranks),
                                   .children = *children,
                                   .key = rl->keys.slots[at].key,
                                   .keylen = len,
                                   .extra = extra});
    *children = (struct lite_children){0};
}

static int compare_entries(const void *a, const void *b)
{
    const struct lite_entry *x = a, *y = b;

    if (x->first == y->first) /* in a mark: a node, and pools in it */
        return COMPARE(x->children.n, y->children.n);
    return x->first < y->first ? -1 : 1;
}

void rlite_sort(struct rlite *rl)
{
    for (size_t i = 0; i < rl->n; i++)
        rl->list[i].first = idset_first(rl->list[i].ranks);
    VECTOR_SORT(rl->list, rl->n, compare_entries);
}

const struct lite_entry *rlite_find(const struct rlite *rl, int64_t rank)
{
    for (size_t i = 0; i < rl->n && rank >= 0; i++)
        if (idset_contains(rl->list[i].ranks, (uint32_t)rank))
            return &rl->list[i];
    return NULL;
}

/* --- writing ------------------------------------------------------------ */

void rlite_write_ids(FILE *fp, const char *sep, const char *key,
                     const struct idset *ids)
{
    fputs(sep, fp);
    json_write_string(fp, key);
    fputs(":\"", fp);
    if (ids)
        idset_write(ids, fp);
    putc('"', fp);
}

void rlite_write(const struct rlite *rl, enum rlite_use use, FILE *fp)
{
    putc('[', fp);
    for (size_t i = 0; i < rl->n; i++) {
        const struct lite_children *c = &rl->list[i].children;
        const char *sep = "";
        rlite_write_ids(fp, i ? ",{" : "{", "rank", rl->list[i].ranks);
        if (c->n > 0 || use != RLITE_RECORD) {
            fputs(",\"children\":{", fp);
            if (use == RLITE_EXECUTION
                && (!c->n || strcmp(c->list[0].type, "core"))) {
                rlite_write_ids(fp, sep, "core", NULL); /* always written */
                sep = ",";
            }
            for (size_t k = 0; k < c->n; k++, sep = ",")
                rlite_write_ids(fp, sep, c->list[k].type, c->list[k].ids);
            putc('}', fp);
        }
        json_write_members(fp, rl->list[i].extra);
        putc('}', fp);
    }
    putc(']', fp);
}

bool lite_children_equal(const struct lite_entry *a, const struct lite_entry *b)
{
    return a->keylen == b->keylen && !memcmp(a->key, b->key, a->keylen);
}

bool rlite_equal(const struct rlite *a, const struct rlite *b)
{
    bool equal = a->n == b->n;

    for (size_t i = 0; i < a->n && equal; i++)
        equal = idset_equal(a->list[i].ranks, b->list[i].ranks)
                && lite_children_equal(&a->list[i], &b->list[i]);
    return equal;
}

/* --- to R_lite ---------------------------------------------------------- */

int lite_children_project(const struct rset *rs, const struct vertex *target,
                          struct lite_children *children,
                          const struct vertex **at, struct diag *d)
{
    long long rank = target->run ? (long long)idset_first(target->run)
                                 : (long long)target->rank;
    const char *type = NULL;
    struct idset *ids = NULL;
    bool wanted = false;

    for (const struct vertex *v = vertex_next(target, target, false); v;
         v = vertex_next(target, v, false)) {
        if (v->type != type) {
            type = v->type;
            wanted = rlite_type(rs, type);
            ids = wanted ? lite_children_ids(children, type) : NULL;
        }
        if (!wanted)
            continue;
        if (at)
            *at = v;
        if (v->run)
            idset_add_set(ids, v->run);
        else if (v->id < 0 || v->id > (int64_t)IDSET_MAX)
            return diag_set(d, "%s of rank %lld has no id that an R can list%s",
                            v->name, rank,
                            v->id < 0
                                ? " (if it is a sum, --type can keep its parts)"
                                : "");
        else if (idset_contains(ids, (uint32_t)v->id))
            return diag_set(
                d, "rank %lld has two resources of type %s with id %lld", rank,
                v->type, (long long)v->id);
        else
            idset_add(ids, (uint32_t)v->id, (uint32_t)v->id);
    }
    return 0;
}

int rlite_add_target(struct rlite *rl, const struct rset *rs,
                     const struct vertex *target, const struct vertex **at,
                     struct diag *d)
{
    json_t *extra = rl->unknown && target->extra
                        ? unknown_keys(target->extra, UNKNOWN_ENTRY)
                        : NULL;
    struct lite_children children = {0};
    struct idset *own = NULL;

    if (lite_children_project(rs, target, &children, at, d) < 0) {
        lite_children_fini(&children);
        return -1;
    }
    if (!target->run)
        target_add_ranks(target, own = idset_create());
    rlite_add(rl, own ? own : target->run, &children, extra);
    idset_destroy(own);
    return 0;
}

int rlite_project(struct rlite *rl, const struct rset *rs, struct diag *d)
{
    struct vertex **targets;
    size_t n = rset_targets(rs, &targets);
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++)
        rc = rlite_add_target(rl, rs, targets[i], NULL, d);
    free(targets);
    rlite_sort(rl);
    return rc;
}

/* --- from R_lite -------------------------------------------------------- */

void rlite_build(struct rset *rs, struct rlite *rl)
{
    struct vertex **end = &vertex_add(rs, NULL, "cluster", 0)->child;

    for (size_t i = 0; i < rl->n; i++) {
        struct lite_entry *e = &rl->list[i];
        struct vertex *v = vertex_create(rs, "node"), **last = &v->child;
        v->run = e->ranks;
        e->ranks = NULL;
        v->parent = rs->root;
        for (size_t k = 0; k < e->children.n; k++) {
            struct lite_child *c = &e->children.list[k];
            *last = vertex_create(rs, c->type);
            (*last)->parent = v;
            (*last)->run = c->ids;
            last = &(*last)->next;
            rlite_add_type(rs, c->type);
            c->ids = NULL;
        }
        vertex_sort_children(v);
        *end = v;
        end = &v->next;
    }
    vertex_sort_children(rs->root);
}

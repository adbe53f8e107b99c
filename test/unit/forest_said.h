/*
 * Describe a document of a forest in lines that can be compared, and the
 * expected lines of a part of it.
 */
#ifndef TEST_FOREST_SAID_H
#define TEST_FOREST_SAID_H

#include "find_naive.h"
#include "forest_world.h"
#include "lines.h"
#include "texts.h"

/* --- a document as text --------------------------------------------------- */

static void add_line(struct lines *l, const char *a, const char *b,
                     const char *c)
{
    if (asprintf(&l->line[l->n++], "%s %s %s", a, b, c) < 0)
        abort();
}

/* The members of a list without their order. */
static char *in_order(const json_t *value)
{
    struct lines l = {.n = 0};
    const json_t *item;
    size_t i;

    if (!json_is_array(value))
        return json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS);
    json_array_foreach (value, i, item) {
        char *text = json_dumps(item, JSON_ENCODE_ANY | JSON_SORT_KEYS);
        add_line(&l, text, "", "");
        free(text);
    }
    return join(&l, "\n");
}

/* Add up the units of a pool that one job holds for one term. */
static json_t *summed(const json_t *claims)
{
    json_t *sums = json_array(), *c, *s = NULL;
    size_t i, k;

    json_array_foreach (claims, i, c) {
        json_t *copy = json_deep_copy(c), *size = json_object_get(copy, "size");
        json_int_t n = json_integer_value(size);
        json_array_foreach (sums, k, s) {
            json_object_set(copy, "size", json_object_get(s, "size"));
            if (json_equal(copy, s))
                break;
        }
        if (k == json_array_size(sums))
            json_array_append_new(sums, json_deep_copy(c));
        else
            json_object_set_new(
                s, "size",
                json_integer(n
                             + json_integer_value(json_object_get(s, "size"))));
        json_decref(copy);
    }
    return sums;
}

static void describe_pool(const struct pools *all, const struct pool *p,
                          bool records, struct lines *l)
{
    static const char *const keys[] = {"state",        "staged",
                                       "shared",       "allocations",
                                       "reservations", "exclusive"};
    const struct pool *up = above(all, p);
    char size[64];

    snprintf(size, sizeof(size), "%lld %s", (long long)number_at(p, "size"),
             text_at(p, "unit"));
    add_line(l, p->key, size, up ? up->key : "at the top");
    for (size_t k = 0; records && k < 6; k++) {
        const json_t *value = json_object_get(p->m, keys[k]);
        json_t *sums = k == 3 || k == 4 ? summed(value) : NULL;
        char *text = value && !json_is_false(value)
                         ? in_order(sums ? sums : value)
                         : NULL;
        if (text)
            add_line(l, p->key, keys[k], text);
        free(text);
        json_decref(sums);
    }
}

/* Describe all of it, or the marked pools. */
static char *describe(const struct pools *all, const bool *kept, bool records)
{
    struct lines l = {.n = 0};

    for (size_t i = 0; i < all->n; i++)
        if (!kept || kept[i])
            describe_pool(all, &all->list[i], records, &l);
    for (size_t i = 0; i < all->nedges; i++) {
        const struct edge *e = &all->edges[i];
        if (!kept || (kept[e->from] && kept[e->to]))
            add_line(&l, e->subsystem, all->list[e->from].key,
                     all->list[e->to].key);
    }
    return join(&l, "\n");
}

/* Show lines that only one of the two has; of a line, the difference. */
static void show_difference(const char *got, const char *want)
{
    const char *texts_of[] = {got, want, got}, *const words[] = {"got", "want"};
    size_t same = 0;

    while (got[same] && got[same] == want[same])
        same++;
    for (int k = 0; k < 2; k++) {
        char *copy = strdup(texts_of[k]), *rest = copy, *line;
        if (*copy == '{')
            printf("#   %s: ...%.120s\n", words[k], copy + same - 40);
        else
            while ((line = strsep(&rest, "\n")))
                if (*line && !strstr(texts_of[k + 1], line))
                    printf("#   %s: %s\n", words[k], line);
        free(copy);
    }
}

UNUSED static bool same_text(struct law *law, char *got, char *want,
                             const char *of)
{
    bool same = holds(law, got && !strcmp(got, want), "in %s", of);

    if (!same && got && law_telling(law))
        show_difference(got, want);
    free(got);
    free(want);
    return same;
}

/* --- parts ---------------------------------------------------------------- */

/* Pools above kept ones are kept, and with any pool the root. */
UNUSED static void keep_above(const struct pools *all, bool *kept)
{
    bool any = false;

    for (size_t i = 0; i < all->n; i++) {
        any = any || kept[i];
        for (int up = kept[i] ? all->list[i].parent : -1; up >= 0;
             up = all->list[up].parent)
            kept[up] = true;
    }
    for (size_t i = 0; any && i < all->n; i++)
        if (is_containment(all->list[i].home) && all->list[i].parent < 0)
            kept[i] = true;
}

/* A part keeps shares of its pools, as far as they are for a pool in it or for
   the pool itself. */
UNUSED static void cut_shares(const struct pools *all, const bool *kept)
{
    json_t **as_such = calloc(all->n + 1, sizeof(json_t *)), *job;
    size_t i, k;

    for (i = 0; i < all->n; i++) {
        as_such[i] = json_array();
        json_array_foreach (json_object_get(all->list[i].m, "shared"), k, job)
            if (shares_itself(all, &all->list[i], job))
                json_array_append(as_such[i], job);
    }
    for (i = 0; i < all->n; i++)
        json_object_del(all->list[i].m, "shared");
    for (i = 0; i < all->n; i++) {
        const struct pool *p = &all->list[i];
        json_array_foreach (as_such[i], k, job)
            if (kept[i])
                put_share(all, p, job);
        json_decref(as_such[i]);
        for (int list = 0; list < 2; list++)
            json_array_foreach (json_object_get(p->m, claim_lists[list]), k,
                                job)
                if (kept[i])
                    put_share(all, above(all, p), json_object_get(job, "job"));
    }
    free(as_such);
}

/* Describe a part as a set of its own. Takes the selection over. */
UNUSED static char *describe_part(struct rset *rs, struct selection *sel,
                                  bool records)
{
    struct desk desk = {.rs = rs};
    bool none = !sel->picks;
    char *text = part_text(&desk, sel, FORM_JGF), *lines;
    struct pools part;

    if (none) {
        free(text);
        return strdup("");
    }
    part = read_pools(text);
    lines = describe(&part, NULL, records);
    free_pools(&part);
    free(text);
    return lines;
}

/* Describe a document. A text that can't be read describes itself. */
UNUSED static char *said(const char *text, bool records)
{
    struct pools all;
    char *lines;

    if (*text != '{')
        return strdup(text);
    all = read_pools(text);
    lines = describe(&all, NULL, records);
    free_pools(&all);
    return lines;
}

#endif /* TEST_FOREST_SAID_H */

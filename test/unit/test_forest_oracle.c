/*
 * Forests against a naive reading of rset(5), rset(7) and rset-match(1).
 *
 * Random documents of two and three hierarchies are read and written, asked,
 * combined and given away by the library; what comes out is read again from its
 * JSON alone (forest_naive.h), and held against what the rules make of the
 * document that went in.
 */
#include "sets.h"
#include "forest_world.h"

/* --- what a document says, in one text ----------------------------------- */

struct lines {
    char *line[1000];
    size_t n;
};

static void add_line(struct lines *l, const char *a, const char *b,
                     const char *c)
{
    if (asprintf(&l->line[l->n++], "%s %s %s", a, b, c) < 0)
        abort();
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *join(struct lines *l)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    qsort(l->line, l->n, sizeof(*l->line), compare_lines);
    for (size_t i = 0; i < l->n; i++) {
        fprintf(fp, "%s\n", l->line[i]);
        free(l->line[i]);
    }
    fclose(fp);
    return text;
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
    return join(&l);
}

/* Sums of what one job has of a pool for one term. */
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

/* All of it, or what is marked. */
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
    return join(&l);
}

/* The lines of which the other has none; of one line, where it differs. */
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

static bool same_text(struct law *law, char *got, char *want, const char *of)
{
    bool same = holds(law, got && !strcmp(got, want), "in %s", of);

    if (!same && got && law_telling(law))
        show_difference(got, want);
    free(got);
    free(want);
    return same;
}

/* --- laws ----------------------------------------------------------------- */

enum { READ, ORDER, AGAIN, LAWS };

static struct law laws[LAWS] = {
    [READ] = {.name = "a forest is read by the rules"},
    [ORDER] = {.name = "the order in a document means nothing"},
    [AGAIN] = {.name = "what was written is written again"},
};

static char *rewrite(const char *text)
{
    struct rset *rs = read_set(text);
    char *again = write_set(rs, FORM_JGF);

    rset_destroy(rs);
    return again;
}

static void try_reading(const struct pools *all, const char *text,
                        const char *written)
{
    struct pools back = read_pools(written);
    char *other = shuffled(all);

    same_text(&laws[READ], describe(&back, NULL, true),
              describe(all, NULL, true), text);
    same_text(&laws[ORDER], rewrite(other), strdup(written), text);
    same_text(&laws[AGAIN], rewrite(written), strdup(written), text);
    free_pools(&back);
    free(other);
}

int main(void)
{
    for (long round = random_start(300); round > 0; round--) {
        struct pools all = random_forest(true);
        char *text = json_dumps(all.document, 0), *written = rewrite(text);
        try_reading(&all, text, written);
        free(written);
        free(text);
        free_pools(&all);
    }
    for (int i = 0; i < LAWS; i++)
        law_end(&laws[i]);
    return done_testing();
}

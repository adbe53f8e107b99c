/*
 * Forests against a naive reading of rset(5), rset(7) and rset-match(1).
 *
 * Random documents of two and three hierarchies are read, written and asked by
 * the library; what comes out is read again from its JSON alone
 * (forest_naive.h), and held against what the rules make of the document that
 * went in.
 */
#include "model/records/jobs.h"
#include "request/find.h"

#include "forest_available.h"
#include "forest_said.h"

/* --- laws ----------------------------------------------------------------- */

enum { READ, ORDER, AGAIN, FOUND, LEFT, SUMS, LAWS };

static struct law laws[LAWS] = {
    [READ] = {.name = "a forest is read by the rules"},
    [ORDER] = {.name = "the order in a document means nothing"},
    [AGAIN] = {.name = "what was written is written again"},
    [FOUND] = {.name = "what is found comes with what it is in, and is in it"},
    [LEFT] = {.name = "what is available is written"},
    [SUMS] = {.name = "what is available is counted"},
};

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

static void try_finding(const char *text)
{
    struct pools all = read_pools(text);
    bool *kept = calloc(all.n + 1, sizeof(*kept));
    struct ask *q = random_ask(&all, 2);
    struct rset *rs = read_set(text);
    struct filter filter = {0};
    char *words = NULL, *of = NULL;
    struct diag d = {0};
    size_t len;
    FILE *fp = open_memstream(&words, &len);

    put_ask(q, 0, fp);
    fclose(fp);
    if (asprintf(&of, "%s in %s", words, text) < 0)
        abort();
    for (size_t i = 0; i < all.n; i++)
        for (const struct pool *p = &all.list[i]; p && !kept[i];
             p = above(&all, p))
            kept[i] = answer(q, &all, p, true);
    keep_above(&all, kept);
    cut_shares(&all, kept);
    if ((filter.find = find_parse(words, NOW, &d)))
        same_text(&laws[FOUND],
                  describe_part(rs, filter_select(rs, &filter, &d), true),
                  describe(&all, kept, true), of);
    constraint_destroy(filter.find);
    rset_destroy(rs);
    free_ask(q);
    free_pools(&all);
    free(kept);
    free(words);
    free(of);
}

/* --- what is available ---------------------------------------------------- */

static char *sums_naively(const struct pools *all, const struct period *when)
{
    struct lines l = {.n = 0};

    for (size_t i = 0; i < all->n; i++) {
        const char *type = text_at(&all->list[i], "type");
        json_int_t sum = 0;
        char number[32];
        bool first = true;
        for (size_t k = 0; k < all->n; k++)
            if (!strcmp(text_at(&all->list[k], "type"), type)) {
                first = first && k >= i;
                sum += available_units(all, &all->list[k], when);
            }
        snprintf(number, sizeof(number), "%lld", (long long)sum);
        if (first && sum > 0)
            add_line(&l, type, number, "");
    }
    return join(&l);
}

static char *sums_of(struct usage *u, const struct period *when)
{
    struct lines l = {.n = 0};
    struct aggregate *list;
    size_t n = ledger_aggregate(u, when, false, &list);
    char number[32];

    for (size_t i = 0; i < n; i++) {
        snprintf(number, sizeof(number), "%" PRIu64, list[i].available);
        add_line(&l, list[i].type, number, "");
    }
    free(list);
    return join(&l);
}

static void try_availability(const char *text)
{
    struct pools all = read_pools(text), cut = read_pools(text);
    bool *kept = calloc(all.n + 1, sizeof(*kept));
    double now = random_below(12) * 10, at = now + random_below(4) * 10;
    struct period when = {now, at, at};
    struct desk desk = desk_open(text);
    char *of = NULL;

    if (asprintf(&of, "at %.0f, now %.0f, of %s", at, now, text) < 0)
        abort();
    for (size_t i = 0; i < all.n; i++) {
        json_int_t n = available_units(&all, &all.list[i], &when);
        kept[i] = n > 0;
        if (n > 0)
            json_object_set_new(cut.list[i].m, "size", json_integer(n));
    }
    keep_above(&all, kept);
    same_text(&laws[SUMS], sums_of(desk.u, &when), sums_naively(&all, &when),
              of);
    same_text(
        &laws[LEFT],
        describe_part(desk.rs, ledger_available(desk.u, &when, false), false),
        describe(&cut, kept, false), of);
    desk_drop(&desk);
    free_pools(&all);
    free_pools(&cut);
    free(kept);
    free(of);
}

/* -------------------------------------------------------------------------- */

int main(void)
{
    for (long round = random_start(300); round > 0; round--) {
        struct pools all = random_forest(true);
        char *text = json_dumps(all.document, 0), *written = rewrite(text);
        try_reading(&all, text, written);
        for (int i = 0; i < 3; i++) {
            try_finding(written);
            try_availability(written);
        }
        free(written);
        free(text);
        free_pools(&all);
    }
    for (int i = 0; i < LAWS; i++)
        law_end(&laws[i]);
    return done_testing();
}

/*
 * Records from two sets that are united.
 *
 * The records of a union are computed from the JSON of both sets, pool by pool.
 * The union must be refused if these break a rule on records.
 */
#include "compare/algebra.h"
#include "forest_said.h"

enum { UNITED, REFUSED, LAWS };

static struct law laws[LAWS] = {
    [UNITED] = {.name = "union: the records of both"},
    [REFUSED] = {.name = "union: records that exclude each other are refused"},
};

/* --- union ---------------------------------------------------------------- */

static const char *const record_keys[] = {
    "allocations", "reservations", "shared",   "staged",
    "state",       "status",       "exclusive"};
enum { LISTS = 3, STAGED = 3, STATE = 4, RECORDS = 7 };

/* Give each job another name. */
static json_t *renamed(const json_t *job)
{
    return json_is_string(job) ? json_string("other")
                               : json_integer(100 + json_integer_value(job));
}

static void rename_jobs(const struct pool *p)
{
    json_t *staged = json_object_get(p->m, "staged"), *item;
    size_t i;

    for (int k = 0; k < LISTS; k++) {
        json_t *list = json_object_get(p->m, record_keys[k]);
        json_array_foreach (list, i, item)
            if (json_is_object(item))
                json_object_set_new(item, "job",
                                    renamed(json_object_get(item, "job")));
            else
                json_array_set_new(list, i, renamed(item));
    }
    if (staged)
        json_object_set_new(p->m, "staged", renamed(staged));
}

/* Replace all records by records of other jobs. */
static struct pools with_others(const char *text)
{
    struct pools all = read_pools(text);

    for (size_t i = 0; i < all.n; i++)
        for (int k = 0; k < RECORDS; k++)
            json_object_del(all.list[i].m, record_keys[k]);
    put_records(&all);
    for (size_t i = 0; i < all.n; i++) {
        json_object_del(all.list[i].m, "exclusive");
        rename_jobs(&all.list[i]);
    }
    return all;
}

/* Add all records of one to the other. False: they exclude each other. */
static bool add_records(const struct pool *to, const struct pool *from)
{
    bool good = true;

    for (int k = 0; k <= STATE; k++) {
        const char *key = record_keys[k];
        json_t *own = json_object_get(to->m, key);
        json_t *other = json_object_get(from->m, key);
        if (k < LISTS && own && other)
            json_array_extend(own, other);
        else if (own && other)
            good = good && json_equal(own, other);
        else if (other)
            json_object_set(to->m, key, other);
    }
    return good;
}

/* Does another job hold the whole pool at any time? */
static bool is_others(const struct pool *p, const json_t *job)
{
    for (int k = 0; k < 2; k++) {
        const json_t *c;
        size_t i;
        json_array_foreach (json_object_get(p->m, claim_lists[k]), i, c)
            if (json_integer_value(json_object_get(c, "size"))
                    >= number_at(p, "size")
                && !json_equal(json_object_get(c, "job"), job))
                return true;
    }
    return false;
}

/* Does a job share a pool that another job holds whole, or one in it? */
static bool any_shared_whole(const struct pools *all)
{
    for (size_t i = 0; i < all->n; i++) {
        json_t *job;
        size_t k;
        json_array_foreach (json_object_get(all->list[i].m, "shared"), k, job)
            for (const struct pool *up = &all->list[i]; up; up = above(all, up))
                if (is_others(up, job)
                    && shares_itself(all, &all->list[i], job))
                    return true;
    }
    return false;
}

static void try_union(const char *text)
{
    struct pools all = read_pools(text), others = with_others(text);
    struct rset *a, *b;
    struct diag d = {0};
    char *other = json_dumps(others.document, 0), *one, *both, *of, *rest;
    const char *broken;
    bool good = true;
    int rc;

    for (size_t i = 0; i < all.n; i++)
        json_object_del(all.list[i].m, "exclusive");
    one = json_dumps(all.document, 0);
    for (size_t i = 0; i < all.n; i++)
        good = add_records(&all.list[i], &others.list[i]) && good;
    good = good && !any_shared_whole(&all);
    both = json_dumps(all.document, 0);
    broken = broken_rule(both);
    a = read_set(one);
    b = read_set(other);
    rc = rset_union(a, b, &d);
    if (asprintf(&of, "%s and %s", one, other) < 0)
        abort();
    if (good && !broken) {
        rest = rc == 0 ? write_set(a, FORM_JGF) : strdup(d.text);
        same_text(&laws[UNITED], said(rest, true), describe(&all, NULL, true),
                  of);
        free(rest);
    } else {
        holds(&laws[REFUSED], rc < 0, "%s: %s", broken ? broken : "differs",
              of);
    }
    rset_destroy(a);
    rset_destroy(b);
    free_pools(&all);
    free_pools(&others);
    free(other);
    free(one);
    free(both);
    free(of);
}

int main(void)
{
    for (long round = random_start(100); round > 0; round--) {
        struct pools all = random_forest(true);
        char *text = json_dumps(all.document, 0),
             *written = rewrite(text, FORM_JGF);
        try_union(written);
        free(written);
        free(text);
        free_pools(&all);
    }
    for (int i = 0; i < LAWS; i++)
        law_end(&laws[i]);
    return done_testing();
}

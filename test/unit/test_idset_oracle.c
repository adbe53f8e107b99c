/*
 * Idsets, compared with a plain array of flags: random operations on a few
 * sets, each done to both. Ids lie anywhere in the universe, also at its upper
 * end.
 */
#include "set/idset_form.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "tap.h"

#define SETS 6
#define WIDTH 400 /* number of ids in an array */

struct pair {
    struct idset *set;
    bool in[WIDTH];
};

static struct pair pairs[SETS];
static uint32_t base; /* the id of in[0] */
static const char *op;

static struct idset *set_of(const bool *in)
{
    struct idset *set = idset_create();

    for (uint32_t i = 0; i < WIDTH; i++)
        if (in[i])
            idset_add(set, base + i, base + i);
    return set;
}

/* Make the array of a set from its ranges; false if they are invalid. */
static bool array_of(const struct idset *set, bool *in)
{
    uint64_t next = 0;

    memset(in, 0, WIDTH);
    for (size_t i = 0; i < idset_nranges(set); i++) {
        struct idrange r = idset_range(set, i);

        if (r.lo < next || r.hi < r.lo || r.lo < base || r.hi - base >= WIDTH)
            return false;
        memset(in + (r.lo - base), 1, r.hi - r.lo + 1);
        next = (uint64_t)r.hi + 2;
    }
    return true;
}

static bool is_same(const struct idset *set, const bool *in)
{
    bool got[WIDTH];

    return array_of(set, got) && !memcmp(got, in, WIDTH);
}

static bool fail(const char *what)
{
    printf("# %s failed in %s\n", op, what);
    return false;
}

static struct pair *any(void)
{
    return &pairs[random_below(SETS)];
}

/* Most ranges are short, some are long. */
static void any_range(uint32_t *lo, uint32_t *hi)
{
    uint32_t width = random_below(8) ? 4 : WIDTH;

    *lo = random_below(WIDTH);
    *hi = *lo + random_below(width);
    if (*hi >= WIDTH)
        *hi = WIDTH - 1;
}

static bool do_add(void)
{
    struct pair *p = any();
    uint32_t lo, hi;

    op = "add";
    any_range(&lo, &hi);
    memset(p->in + lo, 1, hi - lo + 1);
    idset_add(p->set, base + lo, base + hi);
    return is_same(p->set, p->in);
}

static bool do_remove(void)
{
    struct pair *p = any();
    uint32_t lo, hi;

    op = "remove";
    any_range(&lo, &hi);
    memset(p->in + lo, 0, hi - lo + 1);
    idset_remove(p->set, base + lo, base + hi);
    return is_same(p->set, p->in);
}

/* Add or remove single ids here and there. */
static bool do_scatter(void)
{
    struct pair *p = any(), some = {.set = idset_create()};
    struct idset *changed;

    op = "scatter";
    for (uint32_t i = random_below(4); i < WIDTH; i += 1 + random_below(4)) {
        p->in[i] = !p->in[i];
        idset_add(some.set, base + i, base + i);
    }
    changed = idset_xor(p->set, some.set);
    idset_destroy(p->set);
    idset_destroy(some.set);
    p->set = changed;
    return is_same(p->set, p->in);
}

static bool do_combine(void)
{
    static struct idset *(*const f[])(const struct idset *,
                                      const struct idset *) = {
        idset_union, idset_intersect, idset_subtract, idset_xor};
    static const unsigned table[] = {0xe, 0x8, 0x2, 0x6};
    const struct pair *a = any(), *b = any();
    struct pair *to = any(), new;
    uint32_t which = random_below(4);

    op = "union, intersect, subtract or xor";
    new.set = f[which](a->set, b->set);
    for (int i = 0; i < WIDTH; i++)
        new.in[i] = table[which] >> (a->in[i] + 2 * b->in[i]) & 1;
    idset_destroy(to->set);
    *to = new;
    return is_same(to->set, to->in);
}

static bool do_add_set(void)
{
    struct pair *a = any();
    const struct pair *b = any();

    op = "add_set";
    for (int i = 0; i < WIDTH; i++)
        a->in[i] |= b->in[i];
    idset_add_set(a->set, b->set);
    return is_same(a->set, a->in);
}

static bool do_copy(void)
{
    const struct pair *from = any();
    struct pair *to = any();

    op = "copy";
    if (from != to) {
        idset_destroy(to->set);
        *to = *from;
        to->set = idset_copy(from->set);
    }
    return idset_equal(to->set, from->set);
}

static bool do_clear(void)
{
    struct pair *p = any();

    op = "clear";
    if (random_below(10))
        return true;
    idset_clear(p->set);
    memset(p->in, 0, WIDTH);
    return idset_empty(p->set) && is_same(p->set, p->in);
}

static bool do_head(void)
{
    const struct pair *p = any();
    uint32_t n = random_below(WIDTH / 2), left = n;
    struct idset *head = idset_slice(p->set, 0, n);
    bool in[WIDTH] = {false}, same;

    op = "head";
    for (int i = 0; i < WIDTH && left > 0; i++) {
        in[i] = p->in[i];
        left -= p->in[i];
    }
    same = is_same(head, in);
    idset_destroy(head);
    return same;
}

static bool do_positions(void)
{
    const struct pair *a = any(), *b = any();
    struct idset *got = idset_positions(a->set, b->set);
    struct idset *want = idset_create();
    uint32_t at = 0;
    bool same;

    op = "positions";
    for (int i = 0; i < WIDTH; i++) {
        if (a->in[i] && b->in[i])
            idset_add(want, at, at);
        at += a->in[i];
    }
    same = idset_equal(got, want);
    idset_destroy(got);
    idset_destroy(want);
    return same;
}

static bool do_pick(void)
{
    const struct pair *a = any(), *b = any();
    struct idset *some = idset_intersect(a->set, b->set);
    struct idset *at = idset_positions(a->set, b->set);
    struct idset *back = idset_pick(a->set, at);
    bool same = idset_equal(back, some);

    op = "pick";
    idset_destroy(some);
    idset_destroy(at);
    idset_destroy(back);
    return same;
}

static bool do_take(void)
{
    const struct pair *p = any();
    struct idset *all = idset_create();
    struct idset_iter it;
    uint32_t id;
    bool good = true;

    op = "iterate or take";
    idset_iter_init(&it, p->set);
    while (good && idset_iter_next(&it, &id)) {
        uint64_t left = idset_iter_run(&it), n = random_below(9);
        struct idset *part = idset_iter_take(&it, n);

        good = id >= base && id - base < WIDTH && p->in[id - base]
               && (idset_empty(part) || idset_first(part) > id)
               && (idset_count(part) == n || idset_iter_run(&it) == 0)
               && (n > left || idset_nranges(part) <= 1);
        idset_add(all, id, id);
        idset_add_set(all, part);
        idset_destroy(part);
    }
    good = good && idset_equal(all, p->set);
    idset_destroy(all);
    return good;
}

static bool do_sample(void)
{
    const struct pair *p = any();
    uint64_t n = random_below(WIDTH / 2), seed = random_below(1000);
    uint64_t count = idset_count(p->set);
    struct idset *a = idset_sample(p->set, n, seed);
    struct idset *b = idset_sample(p->set, n, seed);
    bool good = idset_equal(a, b) && idset_subset(a, p->set)
                && idset_count(a) == (n < count ? n : count);

    op = "sample";
    idset_destroy(a);
    idset_destroy(b);
    return good;
}

/* Write ids in any order, some twice, with all kinds of blanks. */
static bool do_loose(void)
{
    const struct pair *p = any();
    struct idset_reader how = IDSET_READER;
    struct idset *back = idset_create();
    uint32_t n = (uint32_t)idset_count(p->set);
    char text[WIDTH * 40], *t = text;
    struct diag d = {0};
    bool same;

    op = "read loosely";
    how.loose = true;
    *t = '\0';
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint32_t id = idset_nth(p->set, i < n ? n - 1 - i : random_below(n));
        bool pair = idset_contains(p->set, id + 1);

        t += sprintf(t, "%s%u", random_below(2) ? ", " : "\n ", id);
        if (pair && random_below(2))
            t += sprintf(t, " - 0%u", id + 1);
    }
    same = idset_read(back, text, (size_t)(t - text), &how, &d) == 0;
    idset_settle(back);
    same = same && idset_equal(back, p->set);
    idset_destroy(back);
    return same;
}

/* Each form is read back from its output. */
static bool do_forms(void)
{
    static const char *const names[] = {"idset", "list",    "cpulist", "step",
                                        "mask",  "taskset", "json",    "range"};
    const struct pair *p = any();
    struct idset_reader how = IDSET_READER;
    struct idset *back = idset_create();
    char *text = NULL;
    size_t size;
    FILE *fp = open_memstream(&text, &size);
    struct diag d = {0};
    bool good, said;

    op = "write and read a form";
    how.form = idset_form(names[random_below(base > WIDTH ? 4 : 8)]);
    said = idset_form_write(how.form, p->set, fp, &d) == 0;
    fclose(fp);
    good = !said || idset_read(back, text, size, &how, &d) == 0;
    idset_settle(back);
    good = good && (!said || idset_equal(back, p->set));
    if (!good)
        printf("# %s\n# %s\n", text, d.text);
    free(text);
    idset_destroy(back);
    return good;
}

static bool do_text(void)
{
    const struct pair *p = any();
    char *text = idset_encode(p->set), *again;
    struct idset *back;
    struct diag d;
    bool same;

    op = "encode and decode";
    if (idset_decode(text, strlen(text), &back, &d) < 0)
        return fail(d.text);
    again = idset_encode(back);
    same = idset_equal(back, p->set) && strcmp(text, again) == 0;
    free(text);
    free(again);
    idset_destroy(back);
    return same;
}

static bool do_compare(void)
{
    const struct pair *a = any(), *b = any();
    bool equal = true, subset = true, overlaps = false;

    op = "equal, subset or overlaps";
    for (int i = 0; i < WIDTH; i++) {
        equal &= a->in[i] == b->in[i];
        subset &= !a->in[i] || b->in[i];
        overlaps |= a->in[i] && b->in[i];
    }
    return idset_equal(a->set, b->set) == equal
           && idset_subset(a->set, b->set) == subset
           && idset_overlaps(a->set, b->set) == overlaps;
}

static bool do_ask(void)
{
    const struct pair *p = any();
    uint32_t i = random_below(WIDTH), id = base + i, n = 0, before = 0;
    uint32_t first = IDSET_INVALID, last = IDSET_INVALID;
    uint32_t next = IDSET_INVALID, prev = IDSET_INVALID;

    op = "a question";
    for (uint32_t j = 0; j < WIDTH; j++) {
        if (!p->in[j])
            continue;
        n++;
        before += j < i;
        last = base + j;
        if (first == IDSET_INVALID)
            first = base + j;
        if (j < i)
            prev = base + j;
        if (j > i && next == IDSET_INVALID)
            next = base + j;
    }
    return idset_count(p->set) == n && idset_empty(p->set) == (n == 0)
           && idset_contains(p->set, id) == p->in[i]
           && idset_first(p->set) == first && idset_last(p->set) == last
           && idset_next(p->set, id) == next && idset_prev(p->set, id) == prev
           && idset_position(p->set, id) == (p->in[i] ? (int64_t)before : -1)
           && idset_nth(p->set, n) == IDSET_INVALID
           && (!p->in[i] || idset_nth(p->set, before) == id);
}

static bool laws(void)
{
    const struct pair *a = any(), *b = any();
    struct idset *both = idset_intersect(a->set, b->set);
    struct idset *all = idset_create_range(base, base + WIDTH - 1);
    struct idset *x = idset_subtract(a->set, b->set);
    struct idset *y = idset_subtract(a->set, both);
    struct idset *not = idset_subtract(all, a->set);
    struct idset *notnot = idset_subtract(all, not );
    bool good;

    op = "a law";
    good = idset_equal(x, y) && idset_equal(notnot, a->set)
           && !idset_overlaps(a->set, not )
           && idset_count(a->set) + idset_count(not ) == WIDTH;
    idset_destroy(both);
    idset_destroy(all);
    idset_destroy(x);
    idset_destroy(y);
    idset_destroy(not );
    idset_destroy(notnot);
    return good;
}

static void start_over(void)
{
    static const uint32_t bases[] = {0, 1, 65400, IDSET_MAX - WIDTH + 1};

    base = bases[random_below(4)];
    for (int i = 0; i < SETS; i++) {
        idset_destroy(pairs[i].set);
        memset(pairs[i].in, 0, WIDTH);
        pairs[i].set = set_of(pairs[i].in);
    }
}

int main(void)
{
    static bool (*const ops[])(void) = {
        do_pick,    do_take,      do_sample,  do_loose,   do_forms, do_add,
        do_scatter, do_combine,   do_combine, do_add_set, do_copy,  do_clear,
        do_head,    do_positions, do_text,    do_compare, do_ask,   laws,
        do_add,     do_scatter,   do_compare, do_ask,     do_remove};
    long rounds = random_start(100000), i;

    for (i = 0; i < rounds; i++) {
        if (i % 5000 == 0)
            start_over();
        if (!ops[random_below(sizeof(ops) / sizeof(*ops))]())
            break;
    }
    ok(i == rounds, "%ld random operations", rounds);
    if (i < rounds)
        printf("# %s, operation %ld\n", op, i);
    for (int j = 0; j < SETS; j++)
        idset_destroy(pairs[j].set);
    return done_testing();
}

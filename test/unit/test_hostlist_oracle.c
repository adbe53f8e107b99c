/*
 * Hostlists, compared with plain arrays of names: random operations on a few
 * lists, each done to both.
 */
#include "set/hostlist.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "tap.h"

#define LISTS 5
#define HOSTS 60
#define LENGTH 24

struct names {
    size_t n;
    char name[2 * HOSTS][LENGTH];
};

struct pair {
    struct hostlist *hl;
    struct names names;
};

static struct pair pairs[LISTS];
static const char *op;

static bool is_same(const struct hostlist *hl, const struct names *names)
{
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    size_t i = 0;
    int len;

    hostlist_iter_init(&it, hl);
    while ((len = hostlist_iter_next(&it, name)) >= 0) {
        const char *want = i < names->n ? names->name[i++] : "(nothing)";

        if (strcmp(name, want) != 0 || (size_t)len != strlen(name)) {
            printf("# got %s for %s\n", name, want);
            return false;
        }
    }
    return i == names->n && hostlist_count(hl) == i;
}

static struct pair *any(void)
{
    return &pairs[random_below(LISTS)];
}

static bool has(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

static void add(struct names *names, const char *name)
{
    snprintf(names->name[names->n++], LENGTH, "%s", name);
}

/* A name of few kinds, so that lists have many in common. */
static void any_name(char *name)
{
    static const char *const prefixes[] = {"n", "n0", "r1n", "r2n", "", "x-"};
    static const char *const suffixes[] = {"", "", "-ib0", "-ib1", "s", "7"};
    int width = random_below(3) ? 0 : (int)random_below(4);

    if (random_below(20) == 0) {
        strcpy(name, "login");
        return;
    }
    snprintf(name, LENGTH, "%s%0*u%s", prefixes[random_below(6)], width,
             random_below(random_below(4) ? 13 : 120),
             suffixes[random_below(6)]);
}

/* Replace a pair by a new list and its expected names. */
static bool put(struct pair *to, struct hostlist *hl, const struct names *names)
{
    struct names copy = *names;

    hostlist_destroy(to->hl);
    to->hl = hl;
    to->names = copy;
    if (to->names.n > HOSTS) { /* keep lists short */
        hostlist_destroy(to->hl);
        to->hl = hostlist_create();
        to->names.n = 0;
        return true;
    }
    return is_same(to->hl, &to->names);
}

static bool do_append(void)
{
    struct pair *p = any();
    char name[LENGTH];

    op = "append";
    for (uint32_t i = random_below(5); i > 0 && p->names.n < HOSTS; i--) {
        any_name(name);
        add(&p->names, name);
        if (hostlist_append(p->hl, name) < 0)
            return false;
    }
    return is_same(p->hl, &p->names);
}

static bool do_decode(void)
{
    struct pair *p = any();
    char text[64], name[LENGTH];
    uint32_t lo = random_below(20), hi = lo + random_below(8);
    int width = (int)random_below(4);
    struct diag d;

    op = "decode";
    snprintf(text, sizeof(text), "n%s[%0*u-%0*u]%s", random_below(2) ? "0" : "",
             width, lo, width, hi, random_below(2) ? "" : "-ib0");
    if (p->names.n + 8 > HOSTS)
        return true;
    for (uint32_t i = lo; i <= hi; i++) {
        snprintf(name, sizeof(name), "%.*s%0*u%s", text[1] == '0' ? 2 : 1, text,
                 width, i, strchr(text, ']') + 1);
        add(&p->names, name);
    }
    return hostlist_decode(p->hl, text, strlen(text), &d) == 0
           && is_same(p->hl, &p->names);
}

static bool do_append_list(void)
{
    struct pair *a = any(), *to = any();
    const struct pair *b = any();
    struct hostlist *hl = hostlist_copy(a->hl);
    struct names names = a->names;

    op = "append_list";
    for (size_t i = 0; i < b->names.n; i++)
        add(&names, b->names.name[i]);
    return hostlist_append_list(hl, b->hl) == 0 && put(to, hl, &names);
}

static void filter(struct names *out, const struct names *a,
                   const struct names *b, bool keep)
{
    for (size_t i = 0; i < a->n; i++)
        if (has(b, a->name[i]) == keep)
            add(out, a->name[i]);
}

static bool do_combine(void)
{
    const struct pair *a = any(), *b = any();
    struct names names = {0};
    struct hostlist *hl;
    uint32_t which = random_below(3);

    op = "intersect, subtract or xor";
    filter(&names, &a->names, &b->names, which == 0);
    if (which == 2)
        filter(&names, &b->names, &a->names, false);
    hl = which == 0   ? hostlist_intersect(a->hl, b->hl)
         : which == 1 ? hostlist_subtract(a->hl, b->hl)
                      : hostlist_xor(a->hl, b->hl);
    return put(any(), hl, &names);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compare groups of digits by length, then byte by byte. */
static int compare_text(const char *a, const char *b)
{
    for (;; a++, b++) {
        size_t m = strspn(a, "0123456789"), n = strspn(b, "0123456789");

        if (m && n && m != n)
            return m < n ? -1 : 1;
        for (; m && n && m > 1; m--, a++, b++)
            if (*a != *b)
                return *a < *b ? -1 : 1;
        if (*a != *b || !*a)
            return *a < *b ? -1 : *a > *b;
    }
}

/* Compare by the text before the last number, the text behind it, the
   number. */
static int compare_names(const void *a, const void *b)
{
    char x[3][LENGTH], y[3][LENGTH];
    const char *names[] = {a, b};
    int order = 0;

    for (int i = 0; i < 2; i++) {
        char(*part)[LENGTH] = i ? y : x;
        size_t end = strlen(names[i]), start;

        while (end > 0 && !is_digit(names[i][end - 1]))
            end--;
        for (start = end; start > 0 && is_digit(names[i][start - 1]);)
            start--;
        if (end == 0) /* no number: all of it is text */
            start = end = strlen(names[i]);
        snprintf(part[0], LENGTH, "%.*s", (int)start, names[i]);
        snprintf(part[1], LENGTH, "%s", names[i] + end);
        snprintf(part[2], LENGTH, "%.*s", (int)(end - start), names[i] + start);
    }
    for (int i = 0; i < 3 && !order; i++)
        order = compare_text(x[i], y[i]);
    return order;
}

static bool do_sort(void)
{
    const struct pair *p = any();
    struct names names = p->names, unique = {0};
    bool once = random_below(2);

    op = "sort";
    qsort(names.name, names.n, LENGTH, compare_names);
    for (size_t i = 0; i < names.n; i++)
        if (!has(&unique, names.name[i]))
            add(&unique, names.name[i]);
    return put(any(), hostlist_sort(p->hl, once), once ? &unique : &names);
}

static bool do_pick(void)
{
    const struct pair *p = any();
    struct idset *at = idset_create();
    struct names names = {0};
    struct hostlist *hl;

    op = "pick";
    for (uint32_t i = 0; i < HOSTS + 5; i++) {
        if (random_below(3))
            continue;
        idset_add(at, i, i);
        if (i < p->names.n)
            add(&names, p->names.name[i]);
    }
    hl = hostlist_pick(p->hl, at);
    idset_destroy(at);
    return put(any(), hl, &names);
}

static bool do_take(void)
{
    const struct pair *p = any();
    struct hostlist_iter it;
    size_t at = 0;

    op = "take";
    hostlist_iter_init(&it, p->hl);
    while (at < p->names.n) {
        size_t n = 1 + random_below(9), left = p->names.n - at;
        struct hostlist *part = hostlist_iter_take(&it, n);
        struct names names = {0};
        bool same;

        for (n = n < left ? n : left; n > 0; n--)
            add(&names, p->names.name[at++]);
        same = is_same(part, &names);
        hostlist_destroy(part);
        if (!same)
            return false;
    }
    return hostlist_iter_run(&it) == 0;
}

static bool do_find(void)
{
    const struct pair *p = any();
    struct idset *want = idset_create(), *got, *also;
    struct hostlist *one = hostlist_create();
    char name[LENGTH], nth[HOSTLIST_NAME_MAX];
    bool same = true;

    op = "find, positions or nth";
    any_name(name);
    hostlist_append(one, name);
    for (uint32_t i = 0; i < p->names.n; i++) {
        if (strcmp(p->names.name[i], name) == 0)
            idset_add(want, i, i);
        hostlist_nth(p->hl, i, nth);
        same = same && strcmp(nth, p->names.name[i]) == 0;
    }
    got = hostlist_find(p->hl, name);
    also = hostlist_positions(p->hl, one);
    same = same && idset_equal(got, want) && idset_equal(also, want)
           && hostlist_nth(p->hl, p->names.n, nth) < 0;
    idset_destroy(got);
    idset_destroy(also);
    idset_destroy(want);
    hostlist_destroy(one);
    return same;
}

static bool do_compare(void)
{
    const struct pair *a = any(), *b = any();
    bool equal = a->names.n == b->names.n, subset = true, overlaps = false;

    op = "equal, subset or overlaps";
    for (size_t i = 0; i < a->names.n; i++) {
        bool in = has(&b->names, a->names.name[i]);

        equal = equal && strcmp(a->names.name[i], b->names.name[i]) == 0;
        subset = subset && in;
        overlaps = overlaps || in;
    }
    return hostlist_equal(a->hl, b->hl) == equal
           && hostlist_subset(a->hl, b->hl) == subset
           && hostlist_overlaps(a->hl, b->hl) == overlaps;
}

/* Write a list and read it again, without a change of hosts. *text gets the
   text. */
static struct hostlist *reread(const struct hostlist *hl, bool multi,
                               char **text)
{
    struct hostlist_reader how = HOSTLIST_READER;
    struct hostlist *back = hostlist_create();
    size_t size;
    FILE *fp = open_memstream(text, &size);
    struct diag d = {0};

    how.multi = multi;
    how.pad_each = random_below(2); /* our own output means the same in both */
    if (multi)
        hostlist_write_multi(hl, fp);
    else
        hostlist_write(hl, fp);
    fclose(fp);
    if (hostlist_read(back, *text, size, &how, &d) == 0
        && hostlist_equal(back, hl))
        return back;
    printf("# %s\n# %s\n", *text, d.text);
    hostlist_destroy(back);
    return NULL;
}

/*
 * A text that is read and written again names the same hosts, and becomes
 * stable: splitting odd lists may take several writings.
 */
enum { WRITINGS = 8 };

static bool do_text(void)
{
    const struct pair *p = any();
    bool multi = random_below(2), same = true, settled = false;
    char *text[WRITINGS] = {NULL};
    struct hostlist *list[WRITINGS + 1] = {p->hl};
    int n = 0;

    op = "encode and decode";
    while (n < WRITINGS && !settled
           && (list[n + 1] = reread(list[n], multi, &text[n]))) {
        same = same && is_same(list[n + 1], &p->names);
        settled = n > 0 && strcmp(text[n - 1], text[n]) == 0;
        n++;
    }
    if (!same || !settled)
        printf("# %s\n# %s\n", text[0], n > 0 ? text[n - 1] : "");
    for (int i = 0; i < WRITINGS; i++) {
        hostlist_destroy(list[i + 1]);
        free(text[i]);
    }
    return same && settled;
}

static void start_over(void)
{
    for (int i = 0; i < LISTS; i++) {
        hostlist_destroy(pairs[i].hl);
        pairs[i].hl = hostlist_create();
        pairs[i].names.n = 0;
    }
}

int main(void)
{
    static bool (*const ops[])(void) = {
        do_append,  do_append, do_append, do_decode,  do_append_list,
        do_combine, do_sort,   do_pick,   do_take,    do_find,
        do_compare, do_text,   do_text,   do_compare, do_decode};
    long rounds = random_start(100000), i;

    start_over();
    for (i = 0; i < rounds; i++) {
        if (i % 5000 == 0)
            start_over();
        if (!ops[random_below(sizeof(ops) / sizeof(*ops))]())
            break;
    }
    ok(i == rounds, "%ld random operations", rounds);
    if (i < rounds)
        printf("# %s, operation %ld\n", op, i);
    for (int j = 0; j < LISTS; j++)
        hostlist_destroy(pairs[j].hl);
    return done_testing();
}

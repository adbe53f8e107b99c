/*
 * The algebra of lists: the right side becomes a hostset (see hostset.h),
 * the left side is gone through in its order, a piece at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/digits.h"
#include "set/hostset.h"

/* Append numbers lo..hi of the piece that begins with h. */
static void push(struct hostlist *out, const struct host *h, uint64_t lo,
                 uint64_t hi)
{
    struct host part = *h;

    part.number = lo;
    hostlist_append_hosts(out, &part, hi - lo + 1);
}

/*
 * Call f for each stretch of hosts of `hl` that are all in the set or all
 * not. With true it ends the walk, which then is true, too.
 */
typedef bool stretch_fn(void *arg, const struct host *h, uint64_t lo,
                        uint64_t hi, bool in);

static bool walk(const struct hostlist *hl, const struct hostset *set,
                 stretch_fn *f, void *arg)
{
    struct piece_iter it;
    struct host_piece piece;

    piece_iter_init(&it, hl);
    while (piece_next(&it, &piece)) {
        const struct host_class *class = hostset_class(set, &piece.host);
        uint64_t lo = piece.host.number, hi;

        for (;; lo = hi + 1) {
            bool in = hostset_has(set, class, lo, &hi);

            if (hi > piece.hi)
                hi = piece.hi;
            if (f(arg, &piece.host, lo, hi, in))
                return true;
            if (hi == piece.hi)
                break;
        }
    }
    return false;
}

void hostlist_settle(struct hostlist *hl)
{
    hl->settled = true;
}

/* The same, where the set is made of a list; once, if that stays as it is. */
static bool walk_against(const struct hostlist *hl,
                         const struct hostlist *other, stretch_fn *f, void *arg)
{
    struct hostset *set = other->set ? other->set
                                     : hostset_create(other, false, true);
    bool ended = walk(hl, set, f, arg);

    if (other->settled)
        ((struct hostlist *)other)->set = set;
    else
        hostset_destroy(set);
    return ended;
}

struct filter {
    struct hostlist *out;
    bool keep;
};

static bool filter(void *arg, const struct host *h, uint64_t lo, uint64_t hi,
                   bool in)
{
    struct filter *f = arg;

    if (in == f->keep)
        push(f->out, h, lo, hi);
    return false;
}

static struct hostlist *filtered(const struct hostlist *a,
                                 const struct hostlist *b, bool keep)
{
    struct filter f = {hostlist_create(), keep};

    walk_against(a, b, filter, &f);
    return f.out;
}

struct hostlist *hostlist_intersect(const struct hostlist *a,
                                    const struct hostlist *b)
{
    return filtered(a, b, true);
}

struct hostlist *hostlist_subtract(const struct hostlist *a,
                                   const struct hostlist *b)
{
    return filtered(a, b, false);
}

struct hostlist *hostlist_xor(const struct hostlist *a,
                              const struct hostlist *b)
{
    struct hostlist *left = filtered(a, b, false);
    struct hostlist *right = filtered(b, a, false);

    if (hostlist_append_list(left, right) < 0) {
        hostlist_destroy(left);
        left = NULL;
    }
    hostlist_destroy(right);
    return left;
}

static bool stop_if(void *arg, const struct host *h, uint64_t lo, uint64_t hi,
                    bool in)
{
    const bool *wanted = arg;

    (void)h;
    (void)lo;
    (void)hi;
    return in == *wanted;
}

bool hostlist_subset(const struct hostlist *a, const struct hostlist *b)
{
    bool outside = false;

    return !walk_against(a, b, stop_if, &outside);
}

bool hostlist_overlaps(const struct hostlist *a, const struct hostlist *b)
{
    bool inside = true;

    return walk_against(a, b, stop_if, &inside);
}

struct places {
    struct idset *out;
    uint64_t before;
};

static bool note_place(void *arg, const struct host *h, uint64_t lo,
                       uint64_t hi, bool in)
{
    struct places *p = arg;
    uint32_t at = (uint32_t)p->before;

    (void)h;
    p->before += hi - lo + 1;
    if (in)
        idset_add(p->out, at, at + (uint32_t)(hi - lo));
    return false;
}

struct idset *hostlist_positions(const struct hostlist *hl,
                                 const struct hostlist *some)
{
    struct places p = {idset_create(), 0};

    walk_against(hl, some, note_place, &p);
    return p.out;
}

static void push_of_class(struct hostlist *out, const struct hostset *set,
                          uint32_t class, uint64_t lo, uint64_t hi)
{
    const struct host_class *c = &set->class[class];
    struct host h = {.prefix = c->affix,
                     .plen = c->plen,
                     .suffix = c->affix + c->plen + 1,
                     .slen = c->slen,
                     .width = c->width};

    push(out, &h, lo, hi);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/*
 * Ranges of one class that overlap: each number as often as it is covered.
 * `end` holds where the n ranges end, sorted.
 */
static void push_overlap(struct hostlist *out, const struct hostset *set,
                         const struct host_range *r, size_t n,
                         const uint64_t *end)
{
    size_t i = 0, j = 0; /* how many have begun, how many have ended */
    uint64_t at = r[0].lo, next;

    while (j < n) {
        while (i < n && r[i].lo == at)
            i++;
        next = i < n && r[i].lo <= end[j] ? r[i].lo : end[j] + 1;
        if (i - j == 1)
            push_of_class(out, set, r->class, at, next - 1);
        for (uint64_t v = at; i - j > 1 && v < next; v++)
            for (size_t k = j; k < i; k++)
                push_of_class(out, set, r->class, v, v);
        at = next;
        while (j < n && end[j] < at)
            j++;
    }
}

static void push_cluster(struct hostlist *out, const struct hostset *set,
                         const struct host_range *r, size_t n)
{
    uint64_t *end;

    if (n == 1) {
        push_of_class(out, set, r->class, r->lo, r->hi);
        return;
    }
    end = xmalloc(n * sizeof(*end));
    for (size_t i = 0; i < n; i++)
        end[i] = r[i].hi;
    qsort(end, n, sizeof(*end), compare_numbers);
    push_overlap(out, set, r, n, end);
    free(end);
}

static void push_sorted(struct hostlist *out, const struct hostset *set)
{
    size_t n;

    for (size_t i = 0; i < set->n; i += n) {
        const struct host_range *r = &set->range[i];
        uint64_t hi = r->hi;

        for (n = 1; i + n < set->n && r[n].class == r->class && r[n].lo <= hi;
             n++)
            if (r[n].hi > hi)
                hi = r[n].hi;
        push_cluster(out, set, r, n);
    }
}

struct hostlist *hostlist_sort(const struct hostlist *hl, bool unique)
{
    struct hostset *set = hostset_create(hl, true, unique);
    struct hostlist *out = hostlist_create();

    push_sorted(out, set);
    hostset_destroy(set);
    return out;
}

/*
 * The algebra of lists: the right side becomes a hostset (see hostset.h),
 * the left side is gone through in its order, a piece at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "set/digits.h"
#include "set/hostset.h"

/* Append numbers lo..hi of the piece that begins with h. */
static int push(struct hostlist *out, const struct host *h, uint64_t lo,
                uint64_t hi)
{
    char name[HOSTLIST_NAME_MAX], *p = name;
    struct host part = *h;

    part.number = lo;
    if (lo < hi)
        return hostlist_push(out, &part, hi - lo + 1);
    memcpy(p, h->prefix, h->plen);
    p += h->plen;
    if (h->width)
        p = put_padded(p, lo, h->width);
    memcpy(p, h->suffix, h->slen);
    return hostlist_append_name(out, name, (size_t)(p - name) + h->slen);
}

/*
 * Call f for each stretch of hosts of `hl` that are all in the set or all
 * not. It returns 0 to go on; anything else ends the walk and is returned.
 */
typedef int stretch_fn(void *arg, const struct host *h, uint64_t lo,
                       uint64_t hi, bool in);

static int walk(const struct hostlist *hl, const struct hostset *set,
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
            int rc;

            if (hi > piece.hi)
                hi = piece.hi;
            rc = f(arg, &piece.host, lo, hi, in);
            if (rc)
                return rc;
            if (hi == piece.hi)
                break;
        }
    }
    return 0;
}

/* The same, where the set is made of a list. -1 without memory. */
static int walk_against(const struct hostlist *hl, const struct hostlist *other,
                        stretch_fn *f, void *arg)
{
    struct hostset *set = hostset_create(other, false, true);
    int rc;

    if (!set)
        return -1;
    rc = walk(hl, set, f, arg);
    hostset_destroy(set);
    return rc;
}

struct filter {
    struct hostlist *out;
    bool keep;
};

static int filter(void *arg, const struct host *h, uint64_t lo, uint64_t hi,
                  bool in)
{
    struct filter *f = arg;

    return in == f->keep ? push(f->out, h, lo, hi) : 0;
}

static struct hostlist *filtered(const struct hostlist *a,
                                 const struct hostlist *b, bool keep)
{
    struct filter f = {hostlist_create(), keep};

    if (f.out && walk_against(a, b, filter, &f) < 0) {
        hostlist_destroy(f.out);
        return NULL;
    }
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

    if (!left || !right || hostlist_append_list(left, right) < 0) {
        hostlist_destroy(left);
        left = NULL;
    }
    hostlist_destroy(right);
    return left;
}

static int stop_if(void *arg, const struct host *h, uint64_t lo, uint64_t hi,
                   bool in)
{
    const bool *wanted = arg;

    (void)h;
    (void)lo;
    (void)hi;
    return in == *wanted;
}

int hostlist_subset(const struct hostlist *a, const struct hostlist *b)
{
    bool outside = false;
    int rc = walk_against(a, b, stop_if, &outside);

    return rc < 0 ? -1 : !rc;
}

int hostlist_overlaps(const struct hostlist *a, const struct hostlist *b)
{
    bool inside = true;

    return walk_against(a, b, stop_if, &inside);
}

struct places {
    struct idset *out;
    uint64_t before;
};

static int note_place(void *arg, const struct host *h, uint64_t lo, uint64_t hi,
                      bool in)
{
    struct places *p = arg;
    uint32_t at = (uint32_t)p->before;

    (void)h;
    p->before += hi - lo + 1;
    return in ? idset_add(p->out, at, at + (uint32_t)(hi - lo)) : 0;
}

struct idset *hostlist_positions(const struct hostlist *hl,
                                 const struct hostlist *some)
{
    struct places p = {idset_create(), 0};

    if (p.out && walk_against(hl, some, note_place, &p) < 0) {
        idset_destroy(p.out);
        return NULL;
    }
    return p.out;
}

static int push_range(struct hostlist *out, const struct hostset *set,
                      uint32_t class, uint64_t lo, uint64_t hi)
{
    const struct host_class *c = &set->class[class];
    struct host h = {.prefix = c->affix,
                     .plen = c->plen,
                     .suffix = c->affix + c->plen + 1,
                     .slen = c->slen,
                     .width = c->width};

    return push(out, &h, lo, hi);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/*
 * Ranges of one class that overlap: each number as often as it is covered.
 * `end` holds where the n ranges end, sorted.
 */
static int push_overlap(struct hostlist *out, const struct hostset *set,
                        const struct host_range *r, size_t n,
                        const uint64_t *end)
{
    size_t i = 0, j = 0; /* how many have begun, how many have ended */
    uint64_t at = r[0].lo, next;

    while (j < n) {
        while (i < n && r[i].lo == at)
            i++;
        next = i < n && r[i].lo <= end[j] ? r[i].lo : end[j] + 1;
        if (i - j == 1 && push_range(out, set, r->class, at, next - 1) < 0)
            return -1;
        for (uint64_t v = at; i - j > 1 && v < next; v++)
            for (size_t k = j; k < i; k++)
                if (push_range(out, set, r->class, v, v) < 0)
                    return -1;
        at = next;
        while (j < n && end[j] < at)
            j++;
    }
    return 0;
}

static int push_cluster(struct hostlist *out, const struct hostset *set,
                        const struct host_range *r, size_t n)
{
    uint64_t *end;
    int rc;

    if (n == 1)
        return push_range(out, set, r->class, r->lo, r->hi);
    end = xmalloc(n * sizeof(*end));
    if (!end)
        return -1;
    for (size_t i = 0; i < n; i++)
        end[i] = r[i].hi;
    qsort(end, n, sizeof(*end), by_value);
    rc = push_overlap(out, set, r, n, end);
    free(end);
    return rc;
}

static int push_sorted(struct hostlist *out, const struct hostset *set)
{
    size_t n;

    for (size_t i = 0; i < set->n; i += n) {
        const struct host_range *r = &set->range[i];
        uint64_t hi = r->hi;

        for (n = 1; i + n < set->n && r[n].class == r->class && r[n].lo <= hi;
             n++)
            if (r[n].hi > hi)
                hi = r[n].hi;
        if (push_cluster(out, set, r, n) < 0)
            return -1;
    }
    return 0;
}

struct hostlist *hostlist_sort(const struct hostlist *hl, bool unique)
{
    struct hostset *set = hostset_create(hl, true, unique);
    struct hostlist *out = hostlist_create();

    if (!set || !out || push_sorted(out, set) < 0) {
        hostlist_destroy(out);
        out = NULL;
    }
    hostset_destroy(set);
    return out;
}

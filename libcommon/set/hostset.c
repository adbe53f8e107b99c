/* Cuts a list of hosts into classes, and finds hosts in them (hostset.h). */
#include "set/hostset.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/digits.h"

/* Return whether a run is split where host_split() splits its names. */
static bool is_split_last(const struct hostlist *hl, const struct host_run *r,
                          uint64_t n)
{
    const char *suffix = run_suffix(hl, r);

    for (size_t i = 0; i < r->slen; i++)
        if (is_digit(suffix[i]))
            return false;
    return !r->plen || !is_digit(suffix[-1]) || run_width(r, n) == HOST_DIGITS;
}

bool piece_next(struct piece_iter *it, struct host_piece *piece)
{
    const struct hostlist *hl = it->at.hl;
    const struct host_run *r;
    uint64_t n;

    if (it->at.run == hl->n)
        return false;
    r = &hl->run[it->at.run];
    n = r->lo + it->at.next;
    piece->hi = n;
    if (!r->width || is_split_last(hl, r, n)) {
        piece->host = run_host(hl, r, n);
        if (r->width)
            piece->hi = last_of_digits(run_width(r, n));
        if (piece->hi > r->hi)
            piece->hi = r->hi;
    } else {
        piece->host = host_split(it->name, run_name(hl, r, n, it->name));
        piece->hi = piece->host.number;
    }
    hostlist_iter_skip(&it->at,
                       r->width ? piece->hi - piece->host.number + 1 : 1);
    return true;
}

/* Write the key of a host's class for the map. Returns its length. */
static size_t class_key(const struct host *h, char *key)
{
    char *p = mempcpy(key, h->prefix, h->plen);

    *p++ = '\n';
    p = mempcpy(p, h->suffix, h->slen);
    *p++ = (char)('A' + h->width);
    return (size_t)(p - key);
}

bool host_like(const struct host *a, const struct host *b)
{
    return a->width == b->width && a->plen == b->plen && a->slen == b->slen
           && !memcmp(a->prefix, b->prefix, a->plen)
           && !memcmp(a->suffix, b->suffix, a->slen);
}

const struct host_class *hostset_class(const struct hostset *set,
                                       const struct host *h)
{
    char key[HOSTLIST_NAME_MAX + 2];
    const struct map_slot *slot = map_find(&set->map, key, class_key(h, key));

    return slot ? &set->class[slot - set->map.slots] : NULL;
}

/* Return the index of a class, after adding it if needed. */
static size_t add_class(struct hostset *set, const struct host *h)
{
    char key[HOSTLIST_NAME_MAX + 2];
    size_t class = map_number(&set->map, key, class_key(h, key));
    struct host own = *h;

    if (class < set->nclasses)
        return class;
    own.prefix = set->map.slots[class].key;
    own.suffix = own.prefix + own.plen + 1;
    VECTOR_ADD(set->class, set->nclasses, (struct host_class){.host = own});
    return class;
}

/*
 * Compare two texts byte by byte, but groups of digits by their length first.
 */
static int compare_text(const char *a, size_t alen, const char *b, size_t blen)
{
    size_t i = 0, j = 0;

    while (i < alen && j < blen) {
        size_t m = 0, n = 0;
        int order;

        while (i + m < alen && is_digit(a[i + m]))
            m++;
        while (j + n < blen && is_digit(b[j + n]))
            n++;
        if (m && n && m != n)
            return m < n ? -1 : 1;
        m = m && n ? m : 1;
        order = memcmp(a + i, b + j, m);
        if (order)
            return order;
        i += m;
        j += m;
    }
    return (i < alen) - (j < blen);
}

static int by_number(const void *a, const void *b)
{
    const struct host_range *x = a, *y = b;
    int c = COMPARE(x->class, y->class);

    return c ? c : COMPARE(x->lo, y->lo);
}

static int by_text(const void *a, const void *b, void *arg)
{
    const struct hostset *set = arg;
    const struct host_range *r = a, *s = b;
    const struct host *x = &set->class[r->class].host;
    const struct host *y = &set->class[s->class].host;
    int order;

    if (x == y)
        return by_number(a, b);
    order = compare_text(x->prefix, x->plen, y->prefix, y->plen);
    if (!order)
        order = compare_text(x->suffix, x->slen, y->suffix, y->slen);
    return order ? order : x->width - y->width;
}

static void join_ranges(struct hostset *set)
{
    struct host_range *r = set->range;
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++) {
        if (n && r[n - 1].class == r[i].class && r[i].lo <= r[n - 1].hi + 1) {
            if (r[i].hi > r[n - 1].hi)
                r[n - 1].hi = r[i].hi;
        } else {
            r[n++] = r[i];
        }
    }
    set->n = n;
}

struct hostset *hostset_create(const struct hostlist *hl, bool in_order,
                               bool unique)
{
    struct hostset *set = xcalloc(1, sizeof(*set));
    struct piece_iter it;
    struct host_piece piece;
    size_t class = 0;

    hostlist_iter_init(&it.at, hl);
    while (piece_next(&it, &piece)) {
        if (!set->n || !host_like(&set->class[class].host, &piece.host))
            class = add_class(set, &piece.host);
        VECTOR_ADD(
            set->range, set->n,
            (struct host_range){(uint32_t) class, piece.host.number, piece.hi});
    }
    if (set->n && in_order)
        qsort_r(set->range, set->n, sizeof(*set->range), by_text, set);
    else if (set->n)
        qsort(set->range, set->n, sizeof(*set->range), by_number);
    if (unique)
        join_ranges(set);
    for (size_t i = 0; i < set->n; i++) {
        struct host_class *c = &set->class[set->range[i].class];

        if (!c->end)
            c->start = i;
        c->end = i + 1;
    }
    return set;
}

void hostset_destroy(struct hostset *set)
{
    if (!set)
        return;
    map_fini(&set->map);
    free(set->class);
    free(set->range);
    free(set);
}

bool hostset_has(const struct hostset *set, const struct host_class *class,
                 uint64_t n, uint64_t *hi)
{
    size_t at;

    *hi = UINT64_MAX;
    if (!class)
        return false;
    at = VECTOR_SEEK(i, class->start, class->end, set->range[i].hi < n);
    if (at == class->end)
        return false;
    if (set->range[at].lo > n) {
        *hi = set->range[at].lo - 1;
        return false;
    }
    *hi = set->range[at].hi;
    return true;
}

bool hostset_has_name(const struct hostset *set, const char *name,
                      uint64_t *more)
{
    size_t len = strlen(name);
    struct host h;
    uint64_t hi;
    bool has;

    *more = 0;
    if (len >= HOSTLIST_NAME_MAX)
        return false;
    h = host_split(name, len);
    has = hostset_has(set, hostset_class(set, &h), h.number, &hi);
    if (h.width && !h.slen)
        *more = hi - h.number;
    return has;
}

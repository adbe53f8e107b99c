/*
 * The algebra of lists. The right side becomes a hostset (hostset.h). The left
 * side is read in its order, one piece at a time. Two lists are equal if they
 * have the same pieces.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "set/hostset.h"

void hostlist_settle(struct hostlist *hl)
{
    hl->settled = true;
}

/*
 * Consecutive hosts of a list in one class, which all are in another list, or
 * all are not.
 */
struct stretch {
    struct host_piece piece; /* the piece around them */
    uint64_t lo, hi;         /* their numbers */
    bool in;
    /* the state of the walk: */
    struct piece_iter it;
    struct hostset *set;
    const struct host_class *class;
};

/* Begin a walk. The hostset of a settled list is made once and kept. */
static struct stretch stretches(const struct hostlist *hl,
                                const struct hostlist *other)
{
    struct stretch s = {.set = other->set ? other->set
                                          : hostset_create(other, false, true)};

    if (other->settled)
        ((struct hostlist *)other)->set = s.set;
    hostlist_iter_init(&s.it.at, hl);
    return s;
}

static bool next_stretch(struct stretch *s)
{
    if (s->hi < s->piece.hi) {
        s->lo = s->hi + 1;
    } else {
        if (!piece_next(&s->it, &s->piece))
            return false;
        s->class = hostset_class(s->set, &s->piece.host);
        s->lo = s->piece.host.number;
    }
    s->in = hostset_has(s->set, s->class, s->lo, &s->hi);
    if (s->hi > s->piece.hi)
        s->hi = s->piece.hi;
    return true;
}

static void end_stretches(struct stretch *s, const struct hostlist *other)
{
    if (!other->settled)
        hostset_destroy(s->set);
}

static struct hostlist *filtered(const struct hostlist *a,
                                 const struct hostlist *b, bool keep)
{
    struct hostlist *out = hostlist_create();
    struct stretch s = stretches(a, b);

    while (next_stretch(&s)) {
        struct host first = s.piece.host;

        first.number = s.lo;
        if (s.in == keep)
            hostlist_append_hosts(out, &first, s.hi - s.lo + 1);
    }
    end_stretches(&s, b);
    return out;
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

/* Return whether any host of a is in b, or with !in, whether any is not. */
static bool any(const struct hostlist *a, const struct hostlist *b, bool in)
{
    struct stretch s = stretches(a, b);
    bool found = false;

    while (!found && next_stretch(&s))
        found = s.in == in;
    end_stretches(&s, b);
    return found;
}

bool hostlist_subset(const struct hostlist *a, const struct hostlist *b)
{
    return !any(a, b, false);
}

bool hostlist_overlaps(const struct hostlist *a, const struct hostlist *b)
{
    return any(a, b, true);
}

struct idset *hostlist_positions(const struct hostlist *hl,
                                 const struct hostlist *some)
{
    struct idset *out = idset_create();
    struct stretch s = stretches(hl, some);
    uint32_t at = 0, n;

    for (; next_stretch(&s); at += n) {
        n = (uint32_t)(s.hi - s.lo + 1);
        if (s.in)
            idset_add(out, at, at + n - 1);
    }
    end_stretches(&s, some);
    return out;
}

/* Step over n hosts of a piece; at its end go to the next piece. */
static bool advance(struct piece_iter *it, struct host_piece *piece, uint64_t n)
{
    piece->host.number += n;
    return piece->host.number <= piece->hi || piece_next(it, piece);
}

/* Return whether both have equally many hosts, in equal pieces. */
bool hostlist_equal(const struct hostlist *a, const struct hostlist *b)
{
    struct piece_iter x, y;
    struct host_piece p, q;
    bool more = a->count == b->count;

    hostlist_iter_init(&x.at, a);
    hostlist_iter_init(&y.at, b);
    more = more && piece_next(&x, &p) && piece_next(&y, &q);
    while (more && p.host.number == q.host.number
           && host_like(&p.host, &q.host)) {
        uint64_t n = p.hi - p.host.number, m = q.hi - q.host.number;

        n = (n < m ? n : m) + 1;
        more = advance(&x, &p, n) && advance(&y, &q, n);
    }
    return a->count == b->count && !more;
}

/* --- in order ------------------------------------------------------------- */

static void push_of_class(struct hostlist *out, const struct hostset *set,
                          uint32_t class, uint64_t lo, uint64_t hi)
{
    struct host h = set->class[class].host;

    h.number = lo;
    hostlist_append_hosts(out, &h, hi - lo + 1);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return COMPARE(x, y);
}

/*
 * Push the n ranges of a class, which may overlap: each number as often as
 * ranges cover it. `end` has the ends of the ranges, sorted.
 */
static void push_class(struct hostlist *out, const struct hostset *set,
                       const struct host_range *r, size_t n,
                       const uint64_t *end)
{
    size_t i = 0, j = 0; /* ranges that have begun, and that have ended */
    uint64_t at = 0, next;

    while (j < n) {
        if (i == j)
            at = r[i].lo;
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

struct hostlist *hostlist_sort(const struct hostlist *hl, bool unique)
{
    struct hostset *set = hostset_create(hl, true, unique);
    struct hostlist *out = hostlist_create();
    uint64_t *end = xmalloc(set->n * sizeof(*end));

    for (size_t i = 0; i < set->n; i++)
        end[i] = set->range[i].hi;
    for (size_t i = 0, n; i < set->n; i += n) {
        n = set->class[set->range[i].class].end - i;
        qsort(end + i, n, sizeof(*end), compare_numbers);
        push_class(out, set, &set->range[i], n, end + i);
    }
    free(end);
    hostset_destroy(set);
    return out;
}

bool hostlist_repeats(const struct hostlist *hl, char name[HOSTLIST_NAME_MAX])
{
    struct hostset *set = hostset_create(hl, true, false);
    struct hostlist *twice = hostlist_create();
    const struct host_range *r = set->range;
    bool found;

    for (size_t i = 1; i < set->n && twice->count == 0; i++)
        if (r[i].class == r[i - 1].class && r[i].lo <= r[i - 1].hi)
            push_of_class(twice, set, r[i].class, r[i].lo, r[i].lo);
    found = hostlist_nth(twice, 0, name) >= 0;
    hostset_destroy(set);
    hostlist_destroy(twice);
    return found;
}

int hostlist_once(const struct hostlist *hl, struct diag *d)
{
    char name[HOSTLIST_NAME_MAX];

    return hostlist_repeats(hl, name)
               ? diag_set(d, "host %s is named twice", quote_all(name).text)
               : 0;
}

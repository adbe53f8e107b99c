/*
 * The forms other than RFC 22's own, one small reader each. All push what
 * they find and leave order to idset_settle().
 */
#include "set/idset_private.h"

#include <inttypes.h>
#include <string.h>

#include "base/digits.h"
#include "set/range.h"

/* Push `used` ids at every `step`th from lo, none above hi. */
static int push_series(struct id_scan *s, const char *start, uint32_t lo,
                       uint32_t hi, uint64_t step, uint64_t used)
{
    uint64_t pieces;

    if (used == 0)
        return 0;
    if (used >= step) {
        idset_append(s->set, lo, hi);
        return 0;
    }
    pieces = (hi - lo) / step + 1;
    if (s->set->n + pieces > IDSET_RANGES_MAX)
        return scan_fault(&s->scan, start, "names more than %d ranges",
                          IDSET_RANGES_MAX);
    for (uint64_t i = 0; i < pieces; i++) {
        uint32_t at = (uint32_t)(lo + i * step);
        uint32_t end = used - 1 < hi - at ? at + (uint32_t)(used - 1) : hi;

        idset_append(s->set, at, end);
    }
    return 0;
}

/* A number behind '/' or ':', at least 1 unless `zero` allows less. */
static int read_factor(struct id_scan *s, bool zero, uint64_t *n)
{
    const char *start = s->scan.p;

    s->scan.p = get_number(start, s->scan.end, n);
    if (s->scan.p == start && scan_at_end(&s->scan, start))
        return scan_fault(&s->scan, start, "number is missing");
    if (s->scan.p == start)
        return scan_unexpected(&s->scan, start);
    if (*n == 0 && !zero)
        return scan_fault(&s->scan, start, "number must be at least 1");
    return 0;
}

/* The kernel's a-b:used/group, or ClusterShell's a-b/step. */
static int read_series(struct id_scan *s, bool groups)
{
    const char *start = s->scan.p;
    uint64_t used = 1, step = 1;
    struct idrange item;
    bool range;

    if (id_scan_item(s, &item) < 0)
        return -1;
    range = memchr(start, '-', (size_t)(s->scan.p - start)) != NULL;
    if (range && groups && scan_skip(&s->scan, ':')) {
        if (read_factor(s, true, &used) < 0)
            return -1;
        if (!scan_skip(&s->scan, '/'))
            return scan_fault(&s->scan, s->scan.p, "group size is missing");
        if (read_factor(s, false, &step) < 0)
            return -1;
        if (used > step)
            return scan_fault(&s->scan, start,
                              "more used than there is in a group");
    } else if (range && !groups && scan_skip(&s->scan, '/')) {
        if (read_factor(s, false, &step) < 0)
            return -1;
    }
    return push_series(s, start, item.lo, item.hi, step, used);
}

/* Is there a comma? Loosely, blanks may be around it. */
static bool skip_comma(struct id_scan *s)
{
    struct scan *scan = &s->scan;
    const char *behind = scan->p;

    if (s->loose)
        scan_blanks(scan);
    if (!scan_skip(scan, ',')) {
        scan->p = behind;
        return false;
    }
    if (s->loose)
        scan_blanks(scan);
    return true;
}

/*
 * Words of items with commas between them, in any order. Loosely, blanks
 * part words wherever they stand.
 */
static int read_all_series(struct id_scan *s, bool groups)
{
    struct scan *scan = &s->scan;

    if (s->loose && scan->piece == SCAN_WHOLE)
        scan->piece = SCAN_WORDS;
    while (scan_next_word(scan)) {
        do
            if (read_series(s, groups) < 0)
                return -1;
        while (skip_comma(s));
        if (!scan_at_end(scan, scan->p))
            return scan_unexpected(scan, scan->p);
    }
    return 0;
}

int idset_read_cpulist(struct id_scan *s)
{
    return read_all_series(s, true);
}

int idset_read_step(struct id_scan *s)
{
    return read_all_series(s, false);
}

/* Any sign may separate the numbers of a list that is not part of one. */
static bool is_separator(char c)
{
    return is_space(c) || (c > 0x20 && c < 0x7f && strchr(",;:|/&_", c));
}

int idset_read_list(struct id_scan *s)
{
    struct scan *scan = &s->scan;

    scan->piece = SCAN_LINES;
    for (;;) {
        uint32_t id;

        while (scan->p < scan->end && is_separator(*scan->p))
            scan->p++;
        if (scan->p == scan->end)
            return 0;
        if (id_scan_number(s, NULL, &id) < 0)
            return -1;
        idset_append(s->set, id, id);
        if (scan->p < scan->end && !is_separator(*scan->p))
            return scan_unexpected(scan, scan->p);
    }
}

/* The rest of an array whose bracket is read. */
static int read_array(struct id_scan *s)
{
    struct scan *scan = &s->scan;
    const char *start = scan->p - 1;

    if (scan_blanks(scan) && scan_skip(scan, ']'))
        return 0;
    for (;;) {
        uint32_t id;

        if (!scan_blanks(scan))
            break;
        if (id_scan_number(s, NULL, &id) < 0)
            return -1;
        idset_append(s->set, id, id);
        if (!scan_blanks(scan))
            break;
        if (scan_skip(scan, ']'))
            return 0;
        if (!scan_skip(scan, ','))
            return scan_unexpected(scan, scan->p);
    }
    return scan_fault(scan, start, "array is not closed");
}

int idset_read_json(struct id_scan *s)
{
    struct scan *scan = &s->scan;

    scan->piece = scan->piece == SCAN_WORDS ? SCAN_LINES : scan->piece;
    while (scan_blanks(scan)) {
        if (!scan_skip(scan, '['))
            return scan_unexpected(scan, scan->p);
        if (read_array(s) < 0)
            return -1;
    }
    return 0;
}

static int push_values(struct id_scan *s, const char *start,
                       const struct range *r)
{
    uint64_t n = r->min;

    if (r->op == '+')
        return push_series(s, start, (uint32_t)r->min,
                           (uint32_t)range_largest(r, r->max), r->operand, 1);
    do
        idset_append(s->set, (uint32_t)n, (uint32_t)n);
    while (range_next(r, &n));
    return 0;
}

int idset_read_range(struct id_scan *s)
{
    struct scan *scan = &s->scan;

    while (scan_next_word(scan)) {
        const char *start = scan->p;
        struct range r;

        while (!scan_at_end(scan, scan->p))
            scan->p++;
        if (range_decode(start, (size_t)(scan->p - start), &r, scan->d) < 0)
            return scan_locate(scan, start);
        if (r.max == RANGE_UNBOUNDED)
            return scan_fault_all(scan, start, "range has no maximum");
        if (range_largest(&r, r.max) > s->max)
            return scan_fault_all(scan, start,
                                  "%" PRIu64 " is larger than %" PRIu32,
                                  range_largest(&r, r.max), s->max);
        if (push_values(s, start, &r) < 0)
            return -1;
    }
    return 0;
}

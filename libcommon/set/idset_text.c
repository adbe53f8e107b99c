/*
 * RFC 22 strings. They are read in one pass, without a copy and without a table
 * of tokens. The exact fault is determined only after a failure. Strings are
 * written into a block, which is flushed when it is full.
 */
#include "set/idset_private.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/digits.h"

/* Report a refused number as written; a very long one is cut. */
static int bad_id(const struct id_scan *s, const char *start, const char *why)
{
    size_t len = (size_t)(s->scan.p - start);

    return scan_fault(&s->scan, start, "%.*s%s %s", len > 40 ? 40 : (int)len,
                      start, len > 40 ? "..." : "", why);
}

/* Report that a number is missing. */
static int missing(const struct id_scan *s, const char *item)
{
    const struct scan *scan = &s->scan;
    const char *at = scan->p;
    bool end = scan_at_end(scan, at);

    if (item && item < at)
        return end || *at == ',' || *at == ']'
                   ? scan_fault(scan, at, "range has no end")
                   : scan_unexpected(scan, at);
    if (end || *at == ','
        || (*at == ']' && at > scan->text && (at[-1] == ',' || at[-1] == '[')))
        return scan_fault(scan, at, "empty item");
    if (item && *at == '-')
        return scan_fault(scan, at, "range has no start");
    return scan_unexpected(scan, at);
}

int id_scan_number(struct id_scan *s, const char *item, uint32_t *id)
{
    const char *start = s->scan.p;
    char why[32];
    uint64_t n;

    s->scan.p = get_number(start, s->scan.end, &n);
    if (s->scan.p == start)
        return missing(s, item);
    if (*start == '0' && s->scan.p > start + 1 && !s->loose)
        return bad_id(s, start, "has a leading zero");
    if (n > s->max) {
        snprintf(why, sizeof(why), "is larger than %" PRIu32, s->max);
        return bad_id(s, start, why);
    }
    *id = (uint32_t)n;
    return 0;
}

static int descends(const struct id_scan *s, const char *start,
                    const struct idrange *item)
{
    return scan_fault(&s->scan, start,
                      "range %" PRIu32 "-%" PRIu32 " does not ascend", item->lo,
                      item->hi);
}

int id_scan_item(struct id_scan *s, struct idrange *item)
{
    const char *start = s->scan.p;

    if (id_scan_number(s, start, &item->lo) < 0)
        return -1;
    item->hi = item->lo;
    if (!scan_skip(&s->scan, '-'))
        return 0;
    if (id_scan_number(s, start, &item->hi) < 0)
        return -1;
    return item->hi > item->lo ? 0 : descends(s, start, item);
}

static int read_items(struct id_scan *s)
{
    int64_t last = -1;

    do {
        const char *start = s->scan.p;
        struct idrange item = {0};

        if (id_scan_item(s, &item) < 0)
            return -1;
        if (item.lo <= last)
            return scan_fault(&s->scan, start, "%" PRIu32 " %s", item.lo,
                              item.lo == last ? "is repeated"
                                              : "is out of order");
        idset_append(s->set, item.lo, item.hi);
        last = item.hi;
    } while (scan_skip(&s->scan, ','));
    return 0;
}

/* Read one set. It ends at the end of the text, or at white space where that
   separates sets. */
static int read_set(struct id_scan *s)
{
    struct scan *scan = &s->scan;
    bool bracket = scan_skip(scan, '[');

    if (!bracket || !scan_skip(scan, ']')) {
        if (!(bracket && scan_at_end(scan, scan->p)) && read_items(s) < 0)
            return -1;
        if (bracket && scan_at_end(scan, scan->p))
            return scan_fault(scan, scan->p, "bracket is not closed");
        if (bracket && !scan_skip(scan, ']'))
            return scan_unexpected(scan, scan->p);
    }
    return scan_at_end(scan, scan->p) ? 0 : scan_unexpected(scan, scan->p);
}

/* Read a number or a range, with blanks around the hyphen. */
static int read_loose_item(struct id_scan *s, struct idrange *item)
{
    struct scan *scan = &s->scan;
    const char *start = scan->p, *behind;

    if (id_scan_number(s, start, &item->lo) < 0)
        return -1;
    item->hi = item->lo;
    behind = scan->p;
    if (!scan_blanks(scan) || *scan->p != '-') {
        scan->p = behind;
        return 0;
    }
    scan->p++;
    scan_blanks(scan);
    if (id_scan_number(s, start, &item->hi) < 0)
        return -1;
    return item->hi < item->lo ? descends(s, start, item) : 0;
}

/* Skip commas, blanks and brackets. *open is the bracket that is open, or
   NULL. */
static int skip_between(struct scan *scan, const char **open)
{
    while (scan_blanks(scan)) {
        char c = *scan->p;

        if (c != ',' && c != '[' && c != ']')
            return 0;
        if (c != ',' && (c == '[') == (*open != NULL))
            return scan_unexpected(scan, scan->p);
        if (c != ',')
            *open = c == '[' ? scan->p : NULL;
        scan->p++;
    }
    return 0;
}

/*
 * Read text as people paste it: items in any order, with commas, blanks, line
 * breaks and brackets between them.
 */
static int read_loose(struct id_scan *s)
{
    struct scan *scan = &s->scan;
    const char *open = NULL, *behind = NULL;

    scan->piece = scan->piece == SCAN_WORDS ? SCAN_LINES : scan->piece;
    for (;;) {
        struct idrange item;

        if (skip_between(scan, &open) < 0)
            return -1;
        if (scan->p == scan->end)
            break;
        if (scan->p == behind)
            return scan_unexpected(scan, scan->p);
        if (read_loose_item(s, &item) < 0)
            return -1;
        idset_append(s->set, item.lo, item.hi);
        behind = scan->p;
    }
    return open ? scan_fault(scan, open, "bracket is not closed") : 0;
}

int idset_read_text(struct id_scan *s)
{
    int rc = 0;

    if (s->loose)
        return read_loose(s);
    while (rc == 0 && scan_next_word(&s->scan))
        rc = read_set(s);
    return rc;
}

int idset_decode_max(const char *text, size_t len, uint32_t max,
                     struct idset **out, struct diag *d)
{
    struct id_scan s = {.scan = {text, text + len, text, SCAN_WHOLE, 0, d},
                        .max = max};

    s.set = idset_create();
    if (len > 0 && read_set(&s) < 0) {
        idset_destroy(s.set);
        return -1;
    }
    *out = s.set;
    return 0;
}

int idset_decode(const char *text, size_t len, struct idset **out,
                 struct diag *d)
{
    return idset_decode_max(text, len, IDSET_MAX, out, d);
}

/* --- writing -------------------------------------------------------------- */

#define RUN_MAX 22 /* ",4294967294-4294967294" */
#define BLOCK 4096

void idset_write(const struct idset *set, FILE *fp)
{
    char buf[BLOCK], *p = buf;

    for (size_t i = 0; i < set->n; i++) {
        struct idrange r = set->run[i];

        if (i)
            *p++ = ',';
        p = put_number(p, r.lo);
        if (r.hi > r.lo) {
            *p++ = '-';
            p = put_number(p, r.hi);
        }
        if (p > buf + BLOCK - RUN_MAX || i + 1 == set->n) {
            fwrite_unlocked(buf, 1, (size_t)(p - buf), fp);
            p = buf;
        }
    }
}

void idset_write_members(const struct idset *set, FILE *fp)
{
    bool many = idset_count(set) > 1;

    if (many)
        putc('[', fp);
    idset_write(set, fp);
    if (many)
        putc(']', fp);
}

char *idset_encode(const struct idset *set)
{
    char *text;
    FILE *fp = memory_open(&text, NULL);

    idset_write(set, fp);
    return memory_take(fp, &text, true);
}

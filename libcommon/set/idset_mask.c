/*
 * Masks: hexadecimal digits, the last of them for ids 0 to 3. hwloc and the
 * kernel put a comma between every 32 bits, and hwloc leaves a group of
 * zeros empty; taskset writes one number.
 *
 * They are read from the last digit to the first, so that ids come in
 * ascending order, and a run costs what it costs and not its bits.
 */
#include <inttypes.h>
#include <string.h>

#include "set/idset_private.h"

#define GROUP_BITS 32
#define GROUP_DIGITS (GROUP_BITS / 4)

/* A mask while it is read. */
struct bits {
    struct id_scan *s;
    uint64_t at;  /* the id of the next bit */
    int64_t from; /* where the ones before it began; -1: there are none */
};

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void end_run(struct bits *b)
{
    if (b->from >= 0)
        idset_append(b->s->set, (uint32_t)b->from, (uint32_t)(b->at - 1));
    b->from = -1;
}

static int add_digit(struct bits *b, int value, const char *digit)
{
    for (int i = 0; i < 4; i++, b->at++) {
        if (!(value >> i & 1)) {
            end_run(b);
            continue;
        }
        if (b->at > b->s->max)
            return scan_fault(&b->s->scan, digit,
                              "id %" PRIu64 " is larger than %" PRIu32, b->at,
                              b->s->max);
        if (b->from < 0)
            b->from = (int64_t)b->at;
    }
    return 0;
}

static int add_group(struct bits *b, const char *start, const char *end,
                     bool alone)
{
    const struct scan *scan = &b->s->scan;
    size_t len = (size_t)(end - start);

    if (len == 7 && !memcmp(start, "0xf...f", 7))
        return scan_fault(scan, start, "mask has no highest id");
    if (len >= 2 && start[0] == '0' && (start[1] | 0x20) == 'x') {
        start += 2;
        if (start == end)
            return scan_fault(scan, start, "digits are missing");
    }
    if (!alone && end - start > GROUP_DIGITS)
        return scan_fault(scan, start, "more than %d digits in a group",
                          GROUP_DIGITS);
    while (end > start) {
        int value = hex_value(*--end);

        if (value < 0)
            return scan_unexpected(scan, end);
        if (add_digit(b, value, end) < 0)
            return -1;
    }
    return 0;
}

/* A word of groups; each but the last begins at a multiple of 32 bits. */
static int read_word(struct bits *b, const char *start, const char *end)
{
    bool alone = !memchr(start, ',', (size_t)(end - start));

    if (*start == ',' || end[-1] == ',')
        return scan_unexpected(&b->s->scan, *start == ',' ? start : end - 1);
    for (;;) {
        const char *group = end;

        while (group > start && group[-1] != ',')
            group--;
        if (add_group(b, group, end, alone) < 0)
            return -1;
        if (group == start) {
            end_run(b);
            return 0;
        }
        if (b->at % GROUP_BITS || group == end) {
            end_run(b);
            b->at = (b->at / GROUP_BITS + 1) * GROUP_BITS;
        }
        end = group - 1;
    }
}

int idset_read_mask(struct id_scan *s)
{
    struct scan *scan = &s->scan;

    while (scan_next_word(scan)) {
        struct bits b = {s, 0, -1};
        const char *start = scan->p;

        while (!scan_at_end(scan, scan->p))
            scan->p++;
        if (scan->p > start && read_word(&b, start, scan->p) < 0)
            return -1;
    }
    return 0;
}

/* Goes from the highest bits of a set to the lowest. */
struct descent {
    const struct idset *set;
    size_t i; /* the run below which to look, plus 1 */
};

/* The bits of ids lo..lo+width-1; width divides what was asked before. */
static uint32_t bits_at(struct descent *d, uint64_t lo, unsigned width)
{
    uint64_t hi = lo + width - 1;
    uint64_t bits = 0;

    for (; d->i > 0; d->i--) {
        struct idrange r = d->set->run[d->i - 1];
        uint64_t from = r.lo > lo ? r.lo : lo, to = r.hi < hi ? r.hi : hi;

        if (from <= to)
            bits |= ((UINT64_C(1) << (to - from + 1)) - 1) << (from - lo);
        if (r.lo <= lo)
            break;
    }
    return (uint32_t)bits;
}

static void put_hex(FILE *fp, uint32_t bits, int digits)
{
    while (digits > 0)
        putc_unlocked("0123456789abcdef"[bits >> 4 * --digits & 15], fp);
}

/* As hwloc_bitmap_snprintf() does. */
void idset_write_mask(const struct idset *set, FILE *fp)
{
    struct descent d = {set, set->n};
    uint64_t group = set->n ? idset_last(set) / GROUP_BITS + 1 : 0;

    if (!set->n)
        fputs("0x0", fp);
    for (bool first = true; group-- > 0; first = false) {
        uint32_t bits = bits_at(&d, group * GROUP_BITS, GROUP_BITS);

        if (!first)
            putc_unlocked(',', fp);
        if (bits) {
            fputs("0x", fp);
            put_hex(fp, bits, GROUP_DIGITS);
        } else if (group == 0) {
            fputs("0x0", fp);
        }
    }
}

void idset_write_taskset(const struct idset *set, FILE *fp)
{
    struct descent d = {set, set->n};
    uint64_t digit = set->n ? idset_last(set) / 4 + 1 : 0;

    fputs("0x", fp);
    if (!set->n)
        putc_unlocked('0', fp);
    while (digit-- > 0)
        put_hex(fp, bits_at(&d, digit * 4, 4), 1);
}

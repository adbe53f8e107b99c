/*
 * The forms of sets other than RFC 22: a small reader and writer for each, and
 * their table. Readers push ranges and leave their order to idset_settle().
 */
#include "set/idset_private.h"

#include <inttypes.h>
#include <string.h>

#include "base/digits.h"
#include "base/near.h"
#include "set/range.h"

/* --- reading -------------------------------------------------------------- */

/* Push `used` ids at every `step`th id from lo, none above hi. */
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

/* Read a number after '/' or ':', at least 1, or 0 if `zero`. */
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

/* Read the kernel's a-b:used/group or a-b:step (taskset(1)), or ClusterShell's
   a-b/step. */
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
        if (!scan_skip(&s->scan, '/')) {
            if (used == 0)
                return scan_fault(&s->scan, start,
                                  "the step must be at least 1");
            step = used;
            used = 1;
        } else if (read_factor(s, false, &step) < 0) {
            return -1;
        }
        if (used > step)
            return scan_fault(&s->scan, start, "group is too small");
    } else if (range && !groups && scan_skip(&s->scan, '/')) {
        if (read_factor(s, false, &step) < 0)
            return -1;
    }
    return push_series(s, start, item.lo, item.hi, step, used);
}

/* Skip a comma; if loose, with blanks around it. Returns false if there is
   none. */
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
 * Read words of items with commas between them, in any order. If loose, blanks
 * separate words anywhere.
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

static int read_cpulist_form(struct id_scan *s)
{
    return read_all_series(s, true);
}

static int read_step_form(struct id_scan *s)
{
    return read_all_series(s, false);
}

/* Any sign may separate numbers, unless it can be part of one. */
static bool is_separator(char c)
{
    return is_space(c) || (c > 0x20 && c < 0x7f && strchr(",;:|/&_", c));
}

static int read_list_form(struct id_scan *s)
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

/* Read the rest of an array, after its opening bracket. */
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

static int read_json_form(struct id_scan *s)
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

static int read_range_form(struct id_scan *s)
{
    struct scan *scan = &s->scan;

    while (scan_next_word(scan)) {
        const char *start = scan->p;
        struct range r;
        uint64_t n;

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
        n = r.min;
        if (r.op != '+')
            do
                idset_append(s->set, (uint32_t)n, (uint32_t)n);
            while (range_next(&r, &n));
        else if (push_series(s, start, (uint32_t)n,
                             (uint32_t)range_largest(&r, r.max), r.operand, 1)
                 < 0)
            return -1;
    }
    return 0;
}

/* --- masks ---------------------------------------------------------------- */

/*
 * Hexadecimal digits, the last one for ids 0 to 3. hwloc and the kernel put a
 * comma between every 32 bits, and hwloc leaves a group of zeros empty. taskset
 * writes one number.
 *
 * Masks are read from the last digit to the first, so that ids come in
 * ascending order.
 */
#define GROUP_BITS 32
#define GROUP_DIGITS (GROUP_BITS / 4)

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Add the ids of a digit, `from` and the three ids above it. */
static int add_digit(struct id_scan *s, uint64_t from, int value,
                     const char *digit)
{
    if (value == 0xf && from + 3 <= s->max) { /* one run for the usual digit */
        idset_append(s->set, (uint32_t)from, (uint32_t)from + 3);
        return 0;
    }
    for (uint64_t at = from; at < from + 4; at++) {
        if (!(value >> (at - from) & 1))
            continue;
        if (at > s->max)
            return scan_fault(&s->scan, digit,
                              "id %" PRIu64 " is larger than %" PRIu32, at,
                              s->max);
        idset_append(s->set, (uint32_t)at, (uint32_t)at);
    }
    return 0;
}

/* Add the ids of a group, from *at on, and count *at up to its end. */
static int add_group(struct id_scan *s, uint64_t *at, const char *start,
                     const char *end, bool alone)
{
    const struct scan *scan = &s->scan;
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
    for (; end > start; *at += 4) {
        int value = hex_value(*--end);

        if (value < 0)
            return scan_unexpected(scan, end);
        if (add_digit(s, *at, value, end) < 0)
            return -1;
    }
    return 0;
}

/* Read a word of groups. Each group but the last begins at a multiple of 32
   bits. */
static int read_word(struct id_scan *s, const char *start, const char *end)
{
    bool alone = !memchr(start, ',', (size_t)(end - start));
    uint64_t at = 0;

    if (*start == ',' || end[-1] == ',')
        return scan_unexpected(&s->scan, *start == ',' ? start : end - 1);
    for (;;) {
        const char *group = end;

        while (group > start && group[-1] != ',')
            group--;
        if (add_group(s, &at, group, end, alone) < 0)
            return -1;
        if (group == start)
            return 0;
        if (at % GROUP_BITS || group == end)
            at = (at / GROUP_BITS + 1) * GROUP_BITS;
        end = group - 1;
    }
}

static int read_mask_form(struct id_scan *s)
{
    struct scan *scan = &s->scan;

    while (scan_next_word(scan)) {
        const char *start = scan->p;

        while (!scan_at_end(scan, scan->p))
            scan->p++;
        if (scan->p > start && read_word(s, start, scan->p) < 0)
            return -1;
    }
    return 0;
}

/* A walk from the highest bits of a set to the lowest. */
struct descent {
    const struct idset *set;
    size_t i; /* 1 + index of the run to look at next */
};

/* Return the bits of ids lo..lo+width-1. Each call asks for lower ids. */
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

/* Write a mask as hwloc_bitmap_snprintf() does. */
static void write_mask(const struct idset *set, FILE *fp)
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

static void write_taskset(const struct idset *set, FILE *fp)
{
    struct descent d = {set, set->n};
    uint64_t digit = set->n ? idset_last(set) / 4 + 1 : 0;

    fputs("0x", fp);
    if (!set->n)
        putc_unlocked('0', fp);
    while (digit-- > 0)
        put_hex(fp, bits_at(&d, digit * 4, 4), 1);
}

/* --- writing -------------------------------------------------------------- */

static void put_id(FILE *fp, uint32_t id)
{
    char text[DIGITS_MAX];

    fwrite_unlocked(text, 1, (size_t)(put_number(text, id) - text), fp);
}

void idset_write_list(const struct idset *set, const char *separator,
                      size_t len, FILE *fp)
{
    for (size_t i = 0; i < set->n && !ferror_unlocked(fp); i++) {
        uint64_t hi = set->run[i].hi;

        for (uint64_t id = set->run[i].lo; id <= hi && !ferror_unlocked(fp);
             id++) {
            bool first = i == 0 && id == set->run[i].lo;
            for (size_t k = 0; k < len && !first; k++)
                putc_unlocked(separator[k], fp);
            put_id(fp, (uint32_t)id);
        }
    }
}

static void write_lines(const struct idset *set, FILE *fp)
{
    idset_write_list(set, "\n", 1, fp);
}

static void write_json(const struct idset *set, FILE *fp)
{
    putc('[', fp);
    idset_write_list(set, ",", 1, fp);
    putc(']', fp);
}

/* Write three or more ids at equal distances as a step, as with autostep 3. */
static void write_step(const struct idset *set, FILE *fp)
{
    const struct idrange *run = set->run;
    size_t i = 0;

    while (i < set->n) {
        struct idrange r = run[i];
        uint32_t step = 1;
        size_t n = 0; /* single ids from here on are at equal distances */

        while (i + n < set->n && run[i + n].lo == run[i + n].hi
               && (n < 2
                   || run[i + n].lo - run[i + n - 1].lo
                          == run[i + 1].lo - run[i].lo))
            n++;
        if (i)
            putc_unlocked(',', fp);
        if (n >= 3) {
            r.hi = run[i + n - 1].lo;
            step = run[i + 1].lo - r.lo;
        }
        put_id(fp, r.lo);
        if (r.hi > r.lo) {
            putc_unlocked('-', fp);
            put_id(fp, r.hi);
        }
        if (step > 1) {
            putc_unlocked('/', fp);
            put_id(fp, step);
        }
        i += n >= 3 ? n : 1;
    }
}

/* Return whether a range has exactly the ids of the set. */
static bool is_range(const struct idset *set, const struct range *r)
{
    uint64_t count = idset_count(set), n = r->min;
    struct diag d;

    if (range_check(r, &d) < 0)
        return false;
    if (r->op == '+' && r->operand == 1)
        return set->n == 1;
    for (uint64_t i = 0;; i++) {
        if (i == set->n || set->run[i].lo != n || set->run[i].hi != n)
            return false;
        if (!range_next(r, &n))
            return i + 1 == count;
    }
}

/* Return the operand that makes the second id from the first, or 0. */
static uint64_t find_operand(char op, uint64_t first, uint64_t second)
{
    uint64_t operand = 1, power = first;

    if (op == '+')
        return second - first;
    if (op == '*')
        return second % first ? 0 : second / first;
    if (first < 2)
        return 0;
    for (; power < second; operand++)
        power *= first;
    return power == second ? operand : 0;
}

static bool find_range(const struct idset *set, struct range *r)
{
    static const char ops[] = "+*^";
    uint64_t first = idset_first(set), last = idset_last(set);

    *r = (struct range){first, last, '+', 1};
    if (!set->n || first == 0)
        return false;
    if (first == last)
        return true;
    for (const char *op = ops; *op; op++) {
        r->op = *op;
        r->operand = find_operand(*op, first, idset_nth(set, 1));
        if (is_range(set, r))
            return true;
    }
    return false;
}

static void write_range(const struct idset *set, FILE *fp)
{
    struct range r;

    if (find_range(set, &r))
        range_write(&r, fp);
}

/* --- the table ------------------------------------------------------------ */

struct idset_form {
    const char *name;
    bool whole; /* white space does not separate texts of this form */
    int (*read)(struct id_scan *s);
    void (*write)(const struct idset *set, FILE *fp);
};

static const struct idset_form forms[] = {
    {"idset", false, idset_read_text, idset_write},
    {"list", false, read_list_form, write_lines},
    {"cpulist", false, read_cpulist_form, idset_write},
    {"step", false, read_step_form, write_step},
    {"mask", false, read_mask_form, write_mask},
    {"taskset", false, read_mask_form, write_taskset},
    {"json", true, read_json_form, write_json},
    {"range", false, read_range_form, write_range},
};

const struct idset_form *idset_form(const char *name)
{
    int i = WORD_FIND(forms, name);

    return i < 0 ? NULL : &forms[i];
}

void idset_form_each(word_fn *next, void *arg)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        next(arg, forms[i].name);
}

bool idset_reader_is_whole(const struct idset_reader *how)
{
    return how->loose || (how->form && how->form->whole);
}

int idset_read(struct idset *set, const char *text, size_t len,
               const struct idset_reader *how, struct diag *d)
{
    struct id_scan s = {.scan = {text, text + len, text,
                                 how->many ? SCAN_WORDS : SCAN_WHOLE, how->line,
                                 d},
                        .max = how->max,
                        .loose = how->loose,
                        .set = set};

    return (how->form ? how->form : &forms[0])->read(&s);
}

int idset_form_write(const struct idset_form *form, const struct idset *set,
                     FILE *fp, struct diag *d)
{
    struct range r;

    if (form && form->write == write_range && !find_range(set, &r))
        return diag_set(d, "no range has exactly these ids");
    (form ? form : &forms[0])->write(set, fp);
    return 0;
}

/*
 * Reading RFC 29 strings. An expression is checked as a whole first: its
 * syntax, the number of its hosts, the length of their names. Then its hosts
 * are pushed, one run for each range in its last bracket. The numbers of
 * earlier brackets (which RFC 29 does not have) are expanded one by one.
 */
#include "set/hostlist_private.h"

#include <inttypes.h>
#include <string.h>

#include "base/digits.h"
#include "set/scan.h"

#define MAX_BRACKETS 8 /* in one name */

/* A text being read, and the list for its hosts. */
struct reader {
    struct scan scan;
    const struct hostlist_reader *how;
    struct hostlist *hl;
};

/* Text without brackets, and the inside of the bracket after it. */
struct part {
    const char *text;
    size_t len;
    const char *item, *stop;
};

/* One expression: n brackets, and a last part without one. */
struct expr {
    struct part part[MAX_BRACKETS + 1];
    int n;
};

struct number {
    const char *text;
    size_t len;
    uint64_t value;
};

/*
 * A range in a bracket; hi is lo for a single number. With a step above 1 it
 * stands for every step-th number.
 */
struct item {
    struct number lo, hi;
    uint64_t step;
    size_t width; /* digits that the first number gets */
};

struct walk {
    const char *p, *stop;
    size_t pad; /* digits of the first number, if all are padded to it */
};

static int refuse(const struct reader *r, const char *at, size_t len,
                  const char *why)
{
    return scan_fault(&r->scan, at, "%s %s", scan_quote(at, len).text, why);
}

static int check_count(const struct reader *r, const char *at, uint64_t more)
{
    uint64_t max = r->how->max < UINT32_MAX ? r->how->max : UINT32_MAX;

    if (more <= max && r->hl->count + more <= max)
        return 0;
    return scan_fault_all(&r->scan, at, "more than %" PRIu64 " hosts", max);
}

static int read_number(const struct reader *r, struct walk *w, struct number *n)
{
    const char *p = w->p;

    n->text = p;
    w->p = get_number(p, w->stop, &n->value);
    n->len = (size_t)(w->p - p);
    if (n->len)
        return 0;
    if (p == w->stop || *p == ',')
        return scan_fault(&r->scan, p,
                          p[-1] == '-' ? "range has no end" : "empty item");
    if (*p == '-' && p[-1] != '-')
        return scan_fault(&r->scan, p, "range has no start");
    return scan_unexpected(&r->scan, p);
}

/* Read the next item, a number or a range. Returns 1; 0 after the last; -1 with
   a diag. */
static int next_item(const struct reader *r, struct walk *w, struct item *i)
{
    struct number step;

    if (w->p > w->stop)
        return 0;
    if (read_number(r, w, &i->lo) < 0)
        return -1;
    i->hi = i->lo;
    i->step = 1;
    if (w->p < w->stop && *w->p == '-') {
        w->p++;
        if (read_number(r, w, &i->hi) < 0)
            return -1;
        if (i->hi.value > HOST_NUMBER_MAX)
            return refuse(r, i->hi.text, i->hi.len, "is too large for a range");
        if (i->hi.value < i->lo.value)
            return refuse(r, i->lo.text, (size_t)(w->p - i->lo.text),
                          "descends");
        if (r->how->step && w->p < w->stop && *w->p == '/') {
            w->p++;
            if (read_number(r, w, &step) < 0)
                return -1;
            if (step.value == 0 || step.value > HOST_NUMBER_MAX)
                return refuse(r, step.text, step.len, "can't be a step");
            i->step = step.value;
        }
    }
    if (w->p < w->stop && *w->p != ',')
        return scan_unexpected(&r->scan, w->p);

    w->p++; /* the comma, or past the end */
    if (w->pad == SIZE_MAX)
        w->pad = i->lo.len > 1 && *i->lo.text == '0' ? i->lo.len : 0;
    i->width = i->lo.len;
    if (i->width < w->pad && !r->how->pad_each)
        i->width = w->pad;
    return 1;
}

/* Check the syntax of an expression, the number of its hosts, and the length of
   the longest name. */
static int check_expr(const struct reader *r, const struct expr *e)
{
    const char *start = e->part[0].text;
    size_t len = e->part[e->n].len;
    uint64_t total = 1;
    char why[64];

    for (int k = 0; k < e->n; k++) {
        struct walk w = {e->part[k].item, e->part[k].stop, SIZE_MAX};
        size_t longest = 0;
        uint64_t count = 0;
        struct item i;
        int rc;
        while ((rc = next_item(r, &w, &i)) > 0) {
            size_t digits = i.width > i.hi.len ? i.width : i.hi.len;
            longest = digits > longest ? digits : longest;
            count += (i.hi.value - i.lo.value) / i.step + 1;
            if (count > UINT32_MAX)
                return check_count(r, e->part[k].item, count);
        }
        if (rc < 0)
            return -1;
        len += e->part[k].len + longest;
        if (__builtin_mul_overflow(total, count, &total))
            total = UINT64_MAX;
    }
    if (len >= HOSTLIST_NAME_MAX) {
        snprintf(why, sizeof(why), "is longer than %d characters",
                 HOSTLIST_NAME_MAX - 1);
        return refuse(r, start, (size_t)(r->scan.p - start), why);
    }
    return check_count(r, start, total);
}

/* Push an item of the last bracket, after the `len` bytes in `name`. */
static void push_bracket(struct reader *r, const struct expr *e,
                         const struct item *i, char *name, size_t len)
{
    size_t more = i->width > HOST_DIGITS ? i->width - HOST_DIGITS : 0;
    struct host h = {.prefix = name,
                     .plen = len + more,
                     .suffix = e->part[e->n].text,
                     .slen = e->part[e->n].len,
                     .number = i->lo.value,
                     .width = (int)(i->width - more)};

    bool alone = i->lo.text[-1] == '[' && i->lo.text[i->lo.len] == ']';

    if (i->hi.value > HOST_NUMBER_MAX || alone) { /* a name like any other */
        char *p = memset(name + len, '0', i->width - i->lo.len);

        p = mempcpy(p + i->width - i->lo.len, i->lo.text, i->lo.len);
        p = mempcpy(p, h.suffix, h.slen);
        hostlist_append_name(r->hl, name, (size_t)(p - name));
        return;
    }
    memset(name + len, '0', more);
    if (i->step == 1)
        hostlist_push(r->hl, &h, i->hi.value - i->lo.value + 1);
    for (; i->step > 1 && h.number <= i->hi.value; h.number += i->step)
        hostlist_push(r->hl, &h, 1);
}

static void push_part(struct reader *r, const struct expr *e, int k, char *name,
                      size_t len);

/* Push the rest of the expression for each number of an item, in a bracket
   before the last. */
static void push_each(struct reader *r, const struct expr *e, int k,
                      const struct item *i, char *name, size_t len)
{
    if (i->hi.value > HOST_NUMBER_MAX) {
        memcpy(name + len, i->lo.text, i->lo.len);
        push_part(r, e, k + 1, name, len + i->lo.len);
        return;
    }
    for (uint64_t n = i->lo.value; n <= i->hi.value; n += i->step) {
        char *end = put_padded(name + len, n, (int)i->width);

        push_part(r, e, k + 1, name, (size_t)(end - name));
    }
}

/* Push the expression from part k on. `name` holds the text before it. */
static void push_part(struct reader *r, const struct expr *e, int k, char *name,
                      size_t len)
{
    struct walk w = {e->part[k].item, e->part[k].stop, SIZE_MAX};
    struct item i;

    memcpy(name + len, e->part[k].text, e->part[k].len);
    len += e->part[k].len;
    while (next_item(r, &w, &i) > 0) {
        if (k + 1 < e->n)
            push_each(r, e, k, &i, name, len);
        else
            push_bracket(r, e, &i, name, len);
    }
}

/* Find the parts of the expression that begins here. */
static int read_parts(struct reader *r, struct expr *e)
{
    struct scan *s = &r->scan;

    for (e->n = 0;; e->n++) {
        struct part *part = &e->part[e->n];

        part->text = s->p;
        while (s->p < s->end && is_host_char(*s->p))
            s->p++;
        part->len = (size_t)(s->p - part->text);
        if (s->p == s->end || *s->p != '[')
            return 0;
        if (e->n == 1 && !r->how->multi)
            return scan_fault(s, s->p, "second bracket in one name");
        if (e->n == MAX_BRACKETS)
            return scan_fault(s, s->p, "more than %d brackets in one name",
                              MAX_BRACKETS);
        part->item = s->p + 1;
        while (s->p < s->end && *s->p != ']')
            s->p++;
        part->stop = s->p;
        if (!scan_skip(s, ']'))
            return scan_fault(s, part->item - 1, "bracket is not closed");
    }
}

int hostlist_read(struct hostlist *hl, const char *text, size_t len,
                  const struct hostlist_reader *how, struct diag *d)
{
    struct reader r = {{text, text + len, text,
                        how->many ? SCAN_WORDS : SCAN_WHOLE, how->line, d},
                       how,
                       hl};
    char name[HOSTLIST_NAME_MAX];
    struct expr e;

    while (scan_next_word(&r.scan)) {
        do {
            if (read_parts(&r, &e) < 0)
                return -1;
            if (e.n == 0 && e.part[0].len == 0)
                continue; /* RFC 29: an empty expression is an empty list */
            if (check_expr(&r, &e) < 0)
                return -1;
            if (e.n == 0)
                hostlist_append_name(hl, e.part[0].text, e.part[0].len);
            else
                push_part(&r, &e, 0, name, 0);
        } while (scan_skip(&r.scan, ','));
        if (!scan_at_end(&r.scan, r.scan.p))
            return scan_unexpected(&r.scan, r.scan.p);
    }
    return 0;
}

int hostlist_decode(struct hostlist *hl, const char *text, size_t len,
                    struct diag *d)
{
    struct hostlist *new = hostlist_create(), old = *hl;
    int rc = hostlist_read(new, text, len, &HOSTLIST_READER, d);

    if (rc == 0 && !hl->n) {
        *hl = *new;
        *new = old;
    } else if (rc == 0 && hostlist_append_list(hl, new) < 0) {
        rc = diag_set(d, "more than %" PRIu32 " hosts", UINT32_MAX);
    }
    hostlist_destroy(new);
    return rc;
}

/* Reads and writes ranges of counts, and steps through them (range.h). */
#include "set/range.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "set/scan.h"

static int read_bound(struct scan *s, const char *what, uint64_t *n)
{
    const char *start = s->p, *why = "is missing";

    s->p = get_number(start, s->end, n);
    if (s->p > start && *start != '0' && *n < INT64_MAX)
        return 0;
    if (s->p > start)
        why = *start != '0'      ? "is too large"
              : s->p - start > 1 ? "has a leading zero"
                                 : "must be at least 1";
    return scan_fault(s, start, "%s %s", what, why);
}

int range_decode(const char *text, size_t len, struct range *out,
                 struct diag *d)
{
    struct scan s = {text, text + len, text, SCAN_WHOLE, 0, d};
    bool bracket = scan_skip(&s, '[');

    *out = (struct range){.op = '+', .operand = 1};
    if (read_bound(&s, "minimum", &out->min) < 0)
        return -1;
    out->max = out->min;
    if (scan_skip(&s, '-')) {
        if (read_bound(&s, "maximum", &out->max) < 0)
            return -1;
    } else if (scan_skip(&s, '+')) {
        out->max = RANGE_UNBOUNDED;
    } else if (s.p < s.end && *s.p == ':') {
        return scan_fault(&s, s.p, "a single number takes no operand");
    }
    if (scan_skip(&s, ':')) {
        if (read_bound(&s, "operand", &out->operand) < 0)
            return -1;
        if (scan_skip(&s, ':')) {
            if (s.p == s.end || !*s.p || !strchr("+*^", *s.p))
                return scan_fault(&s, s.p, "operator must be +, * or ^");
            out->op = *s.p++;
        }
    }
    if (bracket && !scan_skip(&s, ']') && s.p == s.end)
        return scan_fault(&s, s.p, "bracket is not closed");
    if (s.p < s.end)
        return scan_unexpected(&s, s.p);
    if (range_check(out, d) < 0) {
        struct diag why = *d;

        return scan_fault_all(&s, text, "%s", why.text);
    }
    return 0;
}

int range_check(const struct range *r, struct diag *d)
{
    if (!r->op || !strchr("+*^", r->op))
        return diag_set(d, "operator must be +, * or ^");
    if (r->min < 1)
        return diag_set(d, "minimum must be at least 1");
    if (r->max < r->min)
        return diag_set(d, "maximum is below the minimum");
    if (r->operand < 1)
        return diag_set(d, "operand must be at least 1");
    if (r->op != '+' && r->operand < 2)
        return diag_set(d, "operand of %c must be at least 2", r->op);
    if (r->op == '^' && r->min < 2)
        return diag_set(d, "minimum must be at least 2 with ^");
    return 0;
}

bool range_next(const struct range *r, uint64_t *value)
{
    uint64_t n = *value, next = r->op == '^' ? 1 : n;
    bool over = false;

    if (r->op == '+')
        over = __builtin_add_overflow(n, r->operand, &next);
    else if (r->op == '*')
        over = __builtin_mul_overflow(n, r->operand, &next);
    else
        for (uint64_t e = r->operand; e > 0 && !over; e--)
            over = __builtin_mul_overflow(next, n, &next); /* n >= 2 */
    if (over || next > r->max || next == RANGE_UNBOUNDED)
        return false;
    *value = next;
    return true;
}

uint64_t range_largest(const struct range *r, uint64_t limit)
{
    uint64_t n = r->min, next;

    if (limit > r->max)
        limit = r->max;
    if (limit < r->min)
        return 0;
    if (r->op == '+')
        return limit - (limit - r->min) % r->operand;
    for (next = n; range_next(r, &next) && next <= limit;)
        n = next;
    return n;
}

void range_write(const struct range *r, FILE *fp)
{
    uint64_t value = r->min;

    fprintf(fp, "%" PRIu64, r->min);
    if (r->max == RANGE_UNBOUNDED)
        putc('+', fp);
    else if (range_next(r, &value))
        fprintf(fp, "-%" PRIu64, r->max);
    else
        return;
    if (r->operand != 1)
        fprintf(fp, ":%" PRIu64, r->operand);
    if (r->op != '+')
        fprintf(fp, ":%c", r->op);
}

/*
 * Counts: RFC 45 range strings and their values.
 *
 * `min-max:operand:operator` or `min+:operand:operator` name the values
 * min, min op operand, ... up to max. Operators are `+`, `*` and `^`; the
 * last two may be left out where they are `1` and `+`. A single pair of
 * brackets may stand around the whole. A plain number is a range of one
 * value.
 *
 * A range is small and is passed by pointer; nothing is allocated, nothing
 * fails for lack of memory.
 */
#ifndef SET_RANGE_H
#define SET_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

#define RANGE_UNBOUNDED UINT64_MAX /* as `max`: there is none */

struct range {
    uint64_t min, max;
    char op; /* '+', '*' or '^' */
    uint64_t operand;
};

/*
 * RFC 45: read `len` bytes of text. Returns 0; or -1 with the offending
 * piece and its offset in `d`. What was read has passed range_check().
 */
int range_decode(const char *text, size_t len, struct range *out,
                 struct diag *d);

/*
 * RFC 14, Resources: min >= 1, max >= min, a known operator, operand >= 1,
 * for `*` and `^` operand >= 2, and for `^` min >= 2. For ranges that come
 * from elsewhere. Returns 0, or -1 and what is wrong.
 */
int range_check(const struct range *r, struct diag *d);

/* The largest value that is not above `limit`; 0 if there is none. */
uint64_t range_largest(const struct range *r, uint64_t limit);

/*
 * Step from one value to the next; *value must be one of the range.
 * Returns false, *value as it was, at the last one.
 *
 *     uint64_t n = r.min;
 *     do
 *         use(n);
 *     while (range_next(&r, &n));
 */
bool range_next(const struct range *r, uint64_t *value);

/*
 * RFC 45: write the shortest string of a valid range, without brackets; of
 * ranges with one value the plain number.
 */
void range_write(const struct range *r, FILE *fp);

#endif /* SET_RANGE_H */

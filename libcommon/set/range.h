/*
 * Counts: RFC 45 range strings and their values.
 *
 * `min-max:operand:operator` and `min+:operand:operator` name the values min,
 * min op operand, ... up to max. Operators are `+`, `*` and `^`. The last two
 * parts may be omitted if they are `1` and `+`. A pair of brackets may enclose
 * the whole. A plain number is a range of one value.
 *
 * A range is small and is passed by pointer. Nothing is allocated.
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
 * Read `len` bytes of text (RFC 45). Returns 0, or -1 with the offending piece
 * and its offset in `d`. The result has passed range_check().
 */
int range_decode(const char *text, size_t len, struct range *out,
                 struct diag *d);

/*
 * Check a range from another source (RFC 14, Resources): min >= 1, max >= min,
 * a known operator, operand >= 1, for `*` and `^` operand >= 2, and for `^` min
 * >= 2. Returns 0, or -1 with a diag.
 */
int range_check(const struct range *r, struct diag *d);

/* Return the largest value that is not above `limit`, or 0 if there is none. */
uint64_t range_largest(const struct range *r, uint64_t limit);

/*
 * Step from one value to the next. *value must be a value of the range. Returns
 * false, with *value unchanged, at the last one.
 *
 *     uint64_t n = r.min;
 *     do
 *         use(n);
 *     while (range_next(&r, &n));
 */
bool range_next(const struct range *r, uint64_t *value);

/*
 * Write the shortest string of a valid range (RFC 45), without brackets. A
 * range with one value is written as a plain number.
 */
void range_write(const struct range *r, FILE *fp);

#endif /* SET_RANGE_H */

/*
 * Counts of a request. A text may be a number, an idset or a range (`2-5`);
 * forms that can be read in two ways mean the same. The result is a range, or a
 * set if no range is equal to it.
 */
#include "request/request_private.h"

#include <inttypes.h>
#include <string.h>

#include "model/tree/units.h"
#include "base/digits.h"

void request_count_fix(struct request_count *count, uint64_t n)
{
    count->set = NULL;
    count->range = (struct range){.min = n, .max = n, .op = '+', .operand = 1};
}

uint64_t request_count_most(const char *unit)
{
    return unit && unit_bytes(unit) ? INT64_MAX : REQUEST_COUNT_MAX;
}

int request_count_range(struct request_count *count, const struct range *range,
                        uint64_t most, struct diag *d)
{
    const uint64_t numbers[] = {range->min, range->max, range->operand};

    if (range_check(range, d) < 0)
        return -1;
    for (size_t i = 0; i < 3; i++)
        if (numbers[i] > most && numbers[i] != RANGE_UNBOUNDED)
            return diag_set(d, "%" PRIu64 ": a count is at most %" PRIu64,
                            numbers[i], most);
    count->set = NULL;
    count->range = *range;
    if (range->max != RANGE_UNBOUNDED
        && range_largest(range, range->max) == range->min)
        request_count_fix(count, range->min);
    return 0;
}

/* A set is kept only if no range is equal to it. */
static int decode_set(const char *text, size_t len, struct request_count *count,
                      struct diag *d)
{
    struct idset *set;

    if (idset_decode_max(text, len, REQUEST_COUNT_MAX, &set, d) < 0)
        return -1;
    if (idset_contains(set, 0)) {
        idset_destroy(set);
        return diag_set(d, "%s: a count is at least 1", quote(text, len).text);
    }
    request_count_fix(count, idset_first(set));
    if (idset_nranges(set) > 1) {
        count->set = set;
        return 0;
    }
    count->range.max = idset_last(set);
    idset_destroy(set);
    return 0;
}

int request_count_decode(const char *text, size_t len, uint64_t most,
                         struct request_count *count, struct diag *d)
{
    size_t open = len > 0 && text[0] == '[';
    struct range range;
    uint64_t n;

    if (open == len || !is_digit(text[open]))
        return diag_set(d, "%s: a count is a number, an idset or a range",
                        quote(text, len).text);
    if (memchr(text, ',', len))
        return decode_set(text, len, count, d);
    if (get_number(text, text + len, &n) < text + len)
        return range_decode(text, len, &range, d) < 0
                   ? -1
                   : request_count_range(count, &range, most, d);
    if (n == 0)
        return diag_set(d, "%s: a count is at least 1", quote(text, len).text);
    if (text[0] == '0')
        return diag_set(d, "%s: a count has no leading zero",
                        quote(text, len).text);
    if (n > most)
        return diag_set(d, "%s: a count is at most %" PRIu64,
                        quote(text, len).text, most);
    request_count_fix(count, n);
    return 0;
}

void request_count_write(const struct request_count *count, FILE *fp)
{
    if (count->set)
        idset_write(count->set, fp);
    else
        range_write(&count->range, fp);
}

uint64_t request_count_fixed(const struct request_count *count)
{
    if (count->set || count->range.min != count->range.max)
        return 0;
    return count->range.min;
}

uint64_t request_count_min(const struct request_count *count)
{
    return count->set ? idset_first(count->set) : count->range.min;
}

uint64_t request_count_largest(const struct request_count *count,
                               uint64_t limit)
{
    uint32_t n;

    if (!count->set)
        return range_largest(&count->range, limit);
    if (limit >= idset_last(count->set))
        return idset_last(count->set);
    n = idset_prev(count->set, (uint32_t)limit + 1);
    return n == IDSET_INVALID ? 0 : n;
}

/*
 * variation: nodes by how they vary in performance, which the property
 * perf_class says, from 0 (the best) to 9999. A node without it, or with
 * another value, is of class 9999.
 */
#include <string.h>

#include "schedule/policy.h"
#include "schedule/search.h"
#include "base/digits.h"

enum { CLASS_WORST = 9999 };

static int64_t perf_class_in(const char *value)
{
    const char *end = value + strlen(value);
    uint64_t n;

    return get_number(value, end, &n) == end && end > value && n <= CLASS_WORST
               ? (int64_t)n
               : CLASS_WORST;
}

static int64_t perf_class(const struct vertex *v)
{
    for (unsigned i = 0; v->properties && i < v->properties->count; i++)
        if (!strcmp(v->properties->list[i].key, "perf_class"))
            return perf_class_in(v->properties->list[i].value);
    return CLASS_WORST;
}

static void rank(const struct attempt *a, struct rank_by *by)
{
    (void)a;
    by->fact = perf_class;
}

const struct policy policy_variation = {.name = "variation", .rank = rank};

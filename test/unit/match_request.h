/*
 * A request, read naively from the JSON of its resources, with counts and
 * units: see match_naive.h.
 */
#ifndef TEST_MATCH_REQUEST_H
#define TEST_MATCH_REQUEST_H

#include "match_naive.h"

/* --- the request --------------------------------------------------------- */

struct entry {
    char type[NAME], unit[NAME], id[NAME];
    const json_t *count;
    int exclusive; /* -1: not given */
    bool slot;
    bool in_slot;        /* anywhere below one */
    bool listed_in_slot; /* in the list of a slot, or of an entry of one */
    const struct entry *with[WITH];
    int nwith;
    int number;
};

struct wish {
    json_t *resources;
    struct entry entry[ENTRIES];
    int n;
    const struct entry *top[WITH];
    int ntop;
    bool slot_parent, granule_pool, node_exclusive;
};

static int read_list(struct wish *q, const json_t *list,
                     const struct entry *above, const struct entry **out)
{
    const json_t *v;
    size_t i;

    json_array_foreach (list, i, v) {
        const json_t *exclusive = json_object_get(v, "exclusive");
        struct entry *e = &q->entry[q->n];
        snprintf(e->type, sizeof(e->type), "%s", text_of(v, "type"));
        snprintf(e->unit, sizeof(e->unit), "%s", text_of(v, "unit"));
        snprintf(e->id, sizeof(e->id), "%s", text_of(v, "id"));
        e->count = json_object_get(v, "count");
        e->exclusive = exclusive ? json_is_true(exclusive) : -1;
        e->number = q->n++;
        e->slot = !strcmp(e->type, "slot");
        e->in_slot = above && (above->slot || above->in_slot);
        e->listed_in_slot = e->in_slot;
        out[i] = e;
        e->nwith = read_list(q, json_object_get(v, "with"), e, e->with);
    }
    return (int)json_array_size(list);
}

__attribute__((unused)) static void wish_read(struct wish *q, json_t *resources)
{
    *q = (struct wish){.resources = resources};
    q->ntop = read_list(q, resources, NULL, q->top);
}

static bool stepped(long long min, long long max, char op, long long operand,
                    long long n)
{
    long long value = min;

    while (value < n && value <= max) {
        long long old = value;
        if (op == '+')
            value += operand;
        else if (op == '*')
            value *= operand;
        else
            for (long long k = 1; k < operand && value <= n; k++)
                value *= old;
    }
    return value == n && value <= max;
}

/* Is n one of the counts in a text: an idset, or min-max:2:*? */
static bool count_text_has(const char *text, long long n)
{
    long long min, max = 1LL << 40, operand = 1;
    char op = '+', *end;

    if (*text == '[')
        text++;
    min = strtoll(text, &end, 10);
    if (*end == '-')
        max = strtoll(end + 1, &end, 10);
    else if (*end == '+')
        end++;
    else
        return idset_has(text, (int)n);
    if (*end == ',')
        return idset_has(text, (int)n);
    if (*end == ':')
        operand = strtoll(end + 1, &end, 10);
    if (*end == ':')
        op = end[1];
    return stepped(min, max, op, operand, n);
}

static bool count_has(const json_t *count, long long n)
{
    const json_t *max, *operand;
    const char *op;

    if (json_is_integer(count))
        return n == json_integer_value(count);
    if (json_is_string(count))
        return count_text_has(json_string_value(count), n);
    max = json_object_get(count, "max");
    operand = json_object_get(count, "operand");
    op = text_of(count, "operator");
    return stepped(json_integer_value(json_object_get(count, "min")),
                   max ? json_integer_value(max) : 1LL << 40, *op ? *op : '+',
                   operand ? json_integer_value(operand) : 1, n);
}

/* --- units --------------------------------------------------------------- */

static long long bytes_in(const char *unit)
{
    static const struct {
        const char *unit;
        long long bytes;
    } list[] = {{"B", 1},           {"kB", 1000},     {"MB", 1000000},
                {"GB", 1000000000}, {"KiB", 1 << 10}, {"MiB", 1 << 20},
                {"GiB", 1 << 30}};

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (!strcmp(unit, list[i].unit))
            return list[i].bytes;
    return 0;
}

/* The worth of a unit of the pool, and of a requested unit. */
static bool worth(const struct entry *e, const struct pool *p, long long *pool,
                  long long *asked)
{
    *pool = *asked = 1;
    if (!*e->unit || !strcmp(e->unit, p->unit))
        return true;
    *pool = bytes_in(p->unit);
    *asked = bytes_in(e->unit);
    return *pool > 0 && *asked > 0;
}

#endif /* TEST_MATCH_REQUEST_H */

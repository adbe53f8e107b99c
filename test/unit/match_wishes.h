/*
 * Random requests for the resources of a set: see match_cases.h.
 */
#ifndef TEST_MATCH_WISHES_H
#define TEST_MATCH_WISHES_H

#include "match_cases.h"
#include "match_search.h"

/* Types in the order of nesting; then types without contents. */
static const struct {
    const char *type, *stem;
    int weight;
} wished[] = {
    {"cluster", "cluster", 2}, {"rack", "rack", 8},
    {"node", "h", 22},         {"socket", "socket", 12},
    {"core", "core", 30},      {"pu", "pu", 6},
    {"gpu", "gpu", 14},        {"memory", "memory", 16},
    {"storage", "storage", 8}, {"license", "license", 6},
    {"pdu", "pdu", 8},         {"panel", "panel", 6},
    {"switch", "switch", 6},   {"nic", "nic", 12},
};
enum { WISHED = 14, SOCKET = 3, CORE = 4, GPU = 6, PDU = 10 };

/* A request in the making. */
struct making {
    const struct world *w;
    int entries, slots;
};

static int pools_of(const struct world *w, const char *type)
{
    int n = 0;

    for (int p = 0; p < w->n; p++)
        n += !strcmp(w->pool[p].type, type);
    return n;
}

/* Has a pool of this kind contents, or edges to others? */
static bool is_inner(const struct world *w, int kind)
{
    if (kind == CORE || kind == GPU)
        return pools_of(w, kind == CORE && pools_of(w, "pu") ? "pu" : "nic")
               > 0;
    return kind < CORE || kind >= PDU;
}

static int random_kind(const struct world *w, int level)
{
    unsigned back = pools_of(w, "nic") ? 30 : 2;

    for (;;) {
        int k = (int)random_below(WISHED);
        if (random_below(30) >= (unsigned)wished[k].weight)
            continue;
        if (k <= level
            && !chance(level >= PDU      ? 60
                       : level >= SOCKET ? back
                                         : 2))
            continue;
        if (pools_of(w, wished[k].type) > 0 || chance(2))
            return k;
    }
}

/* A count near `n`, in any form. */
static json_t *random_count(int n, bool fixed)
{
    char text[64];

    if (fixed || chance(72))
        return json_integer(n);
    switch (random_below(8)) {
    case 0:
        snprintf(text, sizeof(text), "%d-%d", n, n * between(2, 3));
        break;
    case 1:
        snprintf(text, sizeof(text), "%d+", n);
        break;
    case 2:
        snprintf(text, sizeof(text), "%d,%d", n, n + 2 + between(0, 2));
        break;
    case 3:
        snprintf(text, sizeof(text), "%d-%d:%d", n, n * 4, 1 + n);
        break;
    case 4:
        snprintf(text, sizeof(text), "%d+:2:*", n);
        break;
    case 5:
        snprintf(text, sizeof(text), "[%d-%d:2:^]", n + 1, 17 * (n + 1));
        break;
    case 6:
        return json_pack("{s:i}", "min", n);
    default:
        return json_pack("{s:i,s:i,s:i,s:s}", "min", n, "max", n + 4, "operand",
                         2, "operator", chance(50) ? "+" : "*");
    }
    return json_string(text);
}

static void random_id(json_t *v, int kind)
{
    static const char *const ids[] = {"0",   "1",   "0-1", "1-2", "0,2",
                                      "8-9", "1-3", "2-9", NULL};
    char text[32];
    const char *list = one_of(ids);

    if (chance(50))
        snprintf(text, sizeof(text), "%s", list);
    else
        snprintf(text, sizeof(text), "%s[%s]", wished[kind].stem, list);
    json_object_set_new(v, "id", json_string(text));
}

/* A count in the unit of a pool, or in another unit of bytes. */
static json_t *random_bytes(json_t *v, const char *unit, int n)
{
    int times = 1;

    if (chance(40)) {
        times = chance(50) ? 1000 : 500;
        unit = *unit == 'M' ? "kB" : "MB";
    } else if (chance(50)) {
        unit = *unit != 'M' ? one_of((const char *const[]){"GB", "GiB", NULL})
                            : "MiB";
    }
    json_object_set_new(v, "unit", json_string(unit));
    if (times == 1)
        return random_count(n, false);
    return chance(70)
               ? json_integer(n * times)
               : json_pack("{s:i,s:i,s:i,s:s}", "min", n * times, "max",
                           n * times * 4, "operand", 700, "operator", "+");
}

static json_t *random_memory(const struct world *w, json_t *v, int n)
{
    const char *unit = "";

    for (int p = 0; p < w->n; p++)
        if (!strcmp(w->pool[p].type, "memory"))
            unit = w->pool[p].unit;
    if (*unit && chance(50))
        return random_bytes(v, unit, n);
    if (chance(8))
        json_object_set_new(v, "unit", json_string("widgets"));
    return random_count(n, false);
}

static int random_number(void)
{
    static const int numbers[] = {1, 1, 1, 1, 1, 2, 2, 2, 3, 4};

    return numbers[random_below(10)];
}

static json_t *random_list(struct making *m, int level, bool in_slot, int deep);

static json_t *random_slot(struct making *m, int level, int deep)
{
    char label[16];
    json_t *v;

    snprintf(label, sizeof(label), "s%d", m->slots++);
    v = json_pack("{s:s,s:o,s:s}", "type", "slot", "count",
                  random_count(random_number(), false), "label", label);
    if (chance(4))
        json_object_set_new(v, "exclusive", json_boolean(chance(50)));
    json_object_set_new(v, "with", random_list(m, level, true, deep + 1));
    return v;
}

static json_t *random_entry(struct making *m, int level, bool in_slot, int deep)
{
    json_t *v, *count;
    int kind, n = random_number();
    bool inner;

    m->entries++;
    if (deep < 3 && m->entries < 5
        && chance(in_slot     ? 10
                  : deep == 0 ? 55
                              : 65))
        return random_slot(m, level, deep);
    kind = random_kind(m->w, level);
    if (kind < CORE && n > 1 && chance(50))
        n--;
    inner = is_inner(m->w, kind) && deep < 3 && m->entries < 6
            && chance(kind == CORE && !pools_of(m->w, "nic") ? 15 : 55);
    v = json_pack("{s:s}", "type", wished[kind].type);
    count = !strcmp(wished[kind].type, "memory") && !inner
                ? random_memory(m->w, v, n + between(0, 3))
                : random_count(n, false);
    json_object_set_new(v, "count", count);
    if (chance(15))
        json_object_set_new(v, "exclusive", json_boolean(chance(65)));
    if (chance(7))
        random_id(v, kind);
    if (inner)
        json_object_set_new(v, "with", random_list(m, kind, in_slot, deep + 1));
    return v;
}

static json_t *random_list(struct making *m, int level, bool in_slot, int deep)
{
    static const int lengths[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 3};
    json_t *list = json_array();

    for (int n = lengths[random_below(10)]; n > 0; n--)
        json_array_append_new(list, random_entry(m, level, in_slot, deep));
    if (json_array_size(list) == 1 && chance(12)) /* the entry once more */
        if (m->slots == 0 && m->entries < 5) {
            json_t *again = json_deep_copy(json_array_get(list, 0));
            json_array_append_new(list, again);
            m->entries++;
        }
    return list;
}

static json_t *random_resources(const struct world *w)
{
    struct making m = {.w = w};
    json_t *list;

    for (;;) {
        list = random_list(&m, -1, false, 0);
        if (m.entries <= 6)
            return list;
        json_decref(list);
        m = (struct making){.w = w};
    }
}

/* --- constraints --------------------------------------------------------- */

__attribute__((unused)) static json_t *random_constraint(int deep)
{
    static const char *const joins[] = {"and", "or", "not", NULL};
    static const char *const properties[] = {"fast", "big",  "^fast",
                                             "^big", "none", NULL};
    static const char *const hosts[] = {"h[0-1]", "h1",     "h[8-9]", "h2,h3",
                                        "h[1-5]", "h[9,1]", NULL};
    static const char *const ranks[] = {"0", "0-1", "1", "1-3", "0,2-7", NULL};

    if (deep < 2 && chance(30)) {
        const char *join = one_of(joins);
        json_t *list = json_array();
        for (int n = between(!chance(10), 2); n > 0; n--)
            json_array_append_new(list, random_constraint(deep + 1));
        return json_pack("{s:o}", join, list);
    }
    switch (random_below(3)) {
    case 0:
        return json_pack("{s:[s]}", "properties", one_of(properties));
    case 1:
        return json_pack("{s:[s]}", "hostlist", one_of(hosts));
    default:
        return json_pack("{s:[s]}", "ranks", one_of(ranks));
    }
}

static bool has_property(const struct world *w, const struct pool *p,
                         const char *name)
{
    const json_t *all = json_object_get(json_object_get(w->doc, "execution"),
                                        "properties");

    if (*name == '^')
        return !has_property(w, p, name + 1);
    return w->plain ? idset_has(text_of(all, name), p->rank)
                    : json_object_get(p->properties, name) != NULL;
}

static bool holds_for(const struct world *w, const struct pool *p,
                      const json_t *constraint)
{
    const char *op = json_object_iter_key(
        json_object_iter((json_t *)constraint));
    const json_t *list = op ? json_object_get(constraint, op) : NULL, *item;
    bool all = true, any = json_array_size(list) == 0;
    size_t i;

    if (!op)
        return true;
    json_array_foreach (list, i, item) {
        const char *text = json_string_value(item);
        bool one = !strcmp(op, "properties") ? has_property(w, p, text)
                   : !strcmp(op, "hostlist") ? hostlist_has(text, p->name)
                   : !strcmp(op, "ranks")    ? idset_has(text, p->rank)
                                             : holds_for(w, p, item);
        all = all && one;
        any = any || one;
    }
    if (!strcmp(op, "not"))
        return !all;
    return !strcmp(op, "and") || !strcmp(op, "properties") ? all : any;
}

/* Set which pools a constraint (NULL: none) allows. */
__attribute__((unused)) static void constrain(struct world *w,
                                              const json_t *constraint)
{
    for (int p = 0; p < w->n; p++)
        w->pool[p].allowed = !constraint || !is_target(&w->pool[p])
                             || holds_for(w, &w->pool[p], constraint);
}

/* --- texts --------------------------------------------------------------- */

static void print_list(FILE *fp, const json_t *list);

static void print_dict(FILE *fp, const json_t *v)
{
    const json_t *exclusive = json_object_get(v, "exclusive");
    const char *sep = "{";

    if (*text_of(v, "label")) {
        fprintf(fp, "%s%s", sep, text_of(v, "label"));
        sep = ",";
    }
    if (exclusive) {
        fprintf(fp, "%s%s", sep, json_is_true(exclusive) ? "x" : "-x");
        sep = ",";
    }
    for (int k = 0; k < 2; k++)
        if (*text_of(v, k ? "id" : "unit")) {
            fprintf(fp, "%s%s:\"%s\"", sep, k ? "id" : "unit",
                    text_of(v, k ? "id" : "unit"));
            sep = ",";
        }
    if (*sep == ',')
        putc('}', fp);
}

static void print_count(FILE *fp, const json_t *count)
{
    const json_t *max = json_object_get(count, "max");
    const json_t *operand = json_object_get(count, "operand");

    if (json_is_integer(count)) {
        fprintf(fp, "=%d", (int)json_integer_value(count));
    } else if (json_is_string(count)) {
        fprintf(fp, "=%s", json_string_value(count));
    } else {
        fprintf(fp, "=%d",
                (int)json_integer_value(json_object_get(count, "min")));
        if (max)
            fprintf(fp, "-%d", (int)json_integer_value(max));
        else
            putc('+', fp);
        if (operand)
            fprintf(fp, ":%d:%s", (int)json_integer_value(operand),
                    text_of(count, "operator"));
    }
}

static void print_list(FILE *fp, const json_t *list)
{
    const json_t *v;
    size_t i;

    if (json_array_size(list) > 1)
        putc('[', fp);
    json_array_foreach (list, i, v) {
        fprintf(fp, "%s%s", i ? ";" : "", text_of(v, "type"));
        print_count(fp, json_object_get(v, "count"));
        print_dict(fp, v);
        if (json_object_get(v, "with")) {
            putc('/', fp);
            print_list(fp, json_object_get(v, "with"));
        }
    }
    if (json_array_size(list) > 1)
        putc(']', fp);
}

/* Return the shape of resources as a new string. */
static char *shape_of(const json_t *resources)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    print_list(fp, resources);
    fclose(fp);
    return text;
}

#endif /* TEST_MATCH_WISHES_H */

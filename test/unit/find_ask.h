/*
 * Random find expressions as trees and as text; and the single pools of a set,
 * on which the trees are evaluated without the library's code.
 */
#ifndef TEST_FIND_ASK_H
#define TEST_FIND_ASK_H

#include "forest_naive.h"
#include "sets.h"

static const char *const jobs[] = {"1", "22", "job"};
static const char *const texts[] = {"a", "b", "a b", "c=d"};
static const char *const units[] = {"", "GB", "MiB", "slots"};

#define ANY(list) (list[random_below(sizeof(list) / sizeof(*(list)))])

/* --- random expressions --------------------------------------------------- */

enum kind { IS, NOT, AND, OR };

struct ask {
    enum kind kind;
    struct ask *a, *b;
    const char *key, *op;
    char value[200];
    unsigned ids;  /* for an idset */
    double number; /* for a size, the bytes of its unit, or a time */
    const char *unit;
    bool timed;
    double at;
};

static const struct pool *any_pool(const struct pools *pools)
{
    return &pools->list[random_below((uint32_t)pools->n)];
}

static void ask_words(struct ask *q, const struct pools *pools)
{
    static const char *const keys[] = {"type", "basename", "unit"};
    const char *more;

    q->key = ANY(keys);
    more = text_at(any_pool(pools), q->key);
    snprintf(q->value, sizeof(q->value), "%s", more);
    more = text_at(any_pool(pools), q->key);
    if (one_in(3) && *q->value && *more)
        snprintf(q->value + strlen(q->value), 100, ",%s", more);
}

static void ask_names(struct ask *q, const struct pools *pools)
{
    static const char *const lists[] = {
        "n[0-12]",  "n[01-11]",          "core[1-3]", "n[9-10],7",
        "x1y[0-4]", "login,core[00-07]", "n1[0-5]",   "node[2-4],gpu[0-1]"};

    q->key = one_in(2) ? "name" : "host";
    snprintf(q->value, sizeof(q->value), "%s",
             one_in(3) ? text_at(any_pool(pools), "name") : ANY(lists));
}

static void ask_numbers(struct ask *q)
{
    static const char *const ops[] = {"=", "!=", "<", "<=", ">", ">=", "="};
    FILE *fp = fmemopen(q->value, sizeof(q->value), "w");

    q->key = one_in(2) ? "rank" : "id";
    q->op = ANY(ops);
    q->number = random_below(13);
    q->ids = 1U << (int)q->number;
    if (*q->op == '=' || *q->op == '!')
        q->ids |= random_below(1 << 13) & random_below(1 << 13);
    put_ids(fp, q->ids);
    fclose(fp);
}

static void ask_size(struct ask *q)
{
    static const char *const ops[] = {"=", "!=", "<", "<=", ">", ">="};

    q->key = "size";
    q->op = ANY(ops);
    q->unit = ANY(units);
    q->number = random_below(20);
    snprintf(q->value, sizeof(q->value), "%.0f%s", q->number, q->unit);
    if (!strcmp(q->unit, "GB") && one_in(2)) {
        q->number *= 1000;
        q->unit = "MB";
        snprintf(q->value, sizeof(q->value), "%.0fMB", q->number);
    }
}

static void ask_time(struct ask *q)
{
    static const char *const ops[] = {"=", "!=", "<", "<=", ">", ">="};

    q->key = one_in(2) ? "start" : "end";
    q->op = ANY(ops);
    q->number = random_below(9) * 10;
    snprintf(q->value, sizeof(q->value), "%.0f", q->number);
}

static void ask_held(struct ask *q)
{
    static const char *const keys[] = {"allocated", "reserved", "free",
                                       "allocated", "shared",   "staged",
                                       "exclusive"};

    q->key = ANY(keys);
    if (strcmp(q->key, "free") && strcmp(q->key, "exclusive") && one_in(2))
        snprintf(q->value, sizeof(q->value), "%s", ANY(jobs));
    else
        q->op = NULL;
    q->timed = strchr("arf", *q->key) && one_in(2);
    q->at = random_below(9) * 10;
}

static void ask_place(struct ask *q, const struct pools *pools)
{
    const struct pool *p = any_pool(pools);
    bool named = !is_containment(p->home) || one_in(3);

    q->key = one_in(3) ? "fed-by" : "path";
    snprintf(q->value, sizeof(q->value), "%s%s%s%s", named ? p->home : "",
             named ? ":" : "", p->path,
             *q->key == 'p' && one_in(3) ? "/*" : "");
    if (one_in(5)) {
        q->key = "subsystem";
        snprintf(q->value, sizeof(q->value), "%s",
                 one_in(2) ? "power" : "containment,network");
    }
}

static void ask_other(struct ask *q)
{
    static const char *const states[] = {"up", "down", "up,none", "failing",
                                         "degraded,unknown"};

    q->key = one_in(2) ? "property" : "tag";
    snprintf(q->value, sizeof(q->value), "%s%s%s", ANY(texts),
             one_in(2) ? "=" : "", one_in(4) ? "4" : ANY(texts));
    if (one_in(3)) {
        q->key = "state";
        snprintf(q->value, sizeof(q->value), "%s", ANY(states));
    } else if (one_in(3)) {
        q->key = "status";
        snprintf(q->value, sizeof(q->value), "%s", one_in(2) ? "up" : "down");
    } else if (!strchr(q->value, '=')) {
        snprintf(q->value, sizeof(q->value), "%s", ANY(texts));
    }
}

static struct ask *new_ask(enum kind kind)
{
    struct ask *q = calloc(1, sizeof(*q));

    q->kind = kind;
    return q;
}

__attribute__((unused)) static struct ask *random_ask(const struct pools *pools,
                                                      int depth)
{
    struct ask *q = new_ask(
        depth > 0 && one_in(2) ? (enum kind)(1 + random_below(3)) : IS);

    if (q->kind != IS) {
        q->a = random_ask(pools, depth - 1);
        q->b = q->kind == NOT ? NULL : random_ask(pools, depth - 1);
        return q;
    }
    q->op = one_in(4) ? "!=" : "=";
    switch (random_below(9)) {
    case 0:
        ask_words(q, pools);
        break;
    case 1:
    case 2:
        ask_names(q, pools);
        break;
    case 3:
        ask_numbers(q);
        break;
    case 4:
        ask_size(q);
        break;
    case 5:
        ask_time(q);
        break;
    case 6:
        ask_held(q);
        break;
    case 7:
        ask_place(q, pools);
        break;
    default:
        ask_other(q);
    }
    return q;
}

__attribute__((unused)) static void free_ask(struct ask *q)
{
    if (!q)
        return;
    free_ask(q->a);
    free_ask(q->b);
    free(q);
}

/* Write as text, mostly with the fewest parentheses. */
__attribute__((unused)) static void put_ask(const struct ask *q, int above,
                                            FILE *fp)
{
    static const int binds[] = {[IS] = 4, [NOT] = 3, [AND] = 2, [OR] = 1};
    bool parens = binds[q->kind] < above || one_in(8);
    bool quotes = strpbrk(q->value, " ") || !*q->value || one_in(8);

    fputs(parens ? one_in(2) ? "(" : " ( " : "", fp);
    if (q->kind == NOT)
        fputs(" not ", fp);
    if (q->a)
        put_ask(q->a, binds[q->kind], fp);
    if (q->b) {
        fputs(q->kind == AND ? " and " : " or\t", fp);
        put_ask(q->b, binds[q->kind], fp);
    }
    if (q->kind == IS) {
        fputs(q->key, fp);
        if (q->timed)
            fprintf(fp, "@%.0f", q->at);
        if (q->op)
            fprintf(fp, quotes ? "%s'%s'" : "%s%s", q->op, q->value);
    }
    fputs(parens ? ")" : "", fp);
}

#endif /* TEST_FIND_ASK_H */

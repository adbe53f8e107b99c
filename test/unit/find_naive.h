/*
 * The naive evaluation of find expressions: a tree of criteria on the JSON of
 * one pool, and of the pools above and below it.
 */
#ifndef TEST_FIND_NAIVE_H
#define TEST_FIND_NAIVE_H

#include <math.h>

#include "find_ask.h"
#include "set/hostlist.h"

static bool compare(const char *op, double a, double b)
{
    return !strcmp(op, "=")    ? a == b
           : !strcmp(op, "!=") ? a != b
           : !strcmp(op, "<")  ? a < b
           : !strcmp(op, "<=") ? a <= b
           : !strcmp(op, ">")  ? a > b
                               : a >= b;
}

static bool in_words(const char *list, const char *word)
{
    char *copy = strdup(list), *rest = copy, *element;
    bool found = false;

    while ((element = strsep(&rest, ",")))
        found = found || !strcmp(element, word);
    free(copy);
    return found;
}

static bool in_hosts(const char *list, const char *name)
{
    struct hostlist *hl = hostlist_create();
    struct diag d = {0};
    char host[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    bool found = false;

    hostlist_decode(hl, list, strlen(list), &d);
    hostlist_iter_init(&it, hl);
    while (hostlist_iter_next(&it, host) >= 0)
        found = found || !strcmp(host, name);
    hostlist_destroy(hl);
    return found;
}

static const char *state_of(const struct pools *all, const struct pool *p)
{
    const char *state;

    for (; p; p = above(all, p))
        if ((state = text_at(p, "state")) && strcmp(state, "up") != 0)
            return state;
    return "up";
}

enum { NOW = 40 };

static const char *const lists[] = {"allocations", "reservations"};

/* Job and times of a record. Only objects have times. */
static const json_t *job_of(const json_t *record)
{
    return json_is_object(record) ? json_object_get(record, "job") : record;
}

static double moment_of(const json_t *record, const char *key, double unset)
{
    const json_t *time = json_object_get(record, key);

    return time ? json_number_value(time) : unset;
}

/* Claims and shares of other jobs on a pool, before a claim began. */
struct before {
    json_int_t sum;
    bool any;         /* also a share */
    bool over, whole; /* some have ended; one of these had all of the pool */
};

static bool waits(const struct pools *all, const struct pool *p,
                  const json_t *claim, double now);

/* Has a claim ended while it waited? Then it holds nothing. */
static bool lapsed(const struct pools *all, const struct pool *p,
                   const json_t *claim, double now)
{
    return moment_of(claim, "end", INFINITY) <= now
           && waits(all, p, claim, now);
}

static struct before had_before(const struct pools *all, const struct pool *p,
                                const json_t *claim, double now)
{
    static const char *const keys[] = {"allocations", "reservations", "shared"};
    double start = moment_of(claim, "start", -INFINITY);
    struct before had = {0};

    for (int k = 0; k < 3; k++) {
        const json_t *records = json_object_get(p->m, keys[k]), *c;
        size_t i;
        json_array_foreach (records, i, c) {
            json_int_t size = json_integer_value(json_object_get(c, "size"));
            if (moment_of(c, "start", -INFINITY) >= start
                || json_equal(job_of(c), job_of(claim))
                || (k == 2 ? !json_is_object(c) : size == 0)
                || (k < 2 && lapsed(all, p, c, now)))
                continue; /* a claim of no units holds nothing */
            had.any = true;
            had.sum += size;
            if (moment_of(c, "end", INFINITY) > now)
                continue;
            had.over = true;
            had.whole |= k < 2 && size >= number_at(p, "size");
        }
    }
    return had;
}

/*
 * Must a claim that has begun wait for earlier claims that have ended without
 * being released? They are looked for on its pool, on the pools around it, and
 * on the pools in it.
 */
static bool waits(const struct pools *all, const struct pool *p,
                  const json_t *claim, double now)
{
    json_int_t size = json_integer_value(json_object_get(claim, "size"));
    bool whole = size >= number_at(p, "size");
    struct before had = had_before(all, p, claim, now);
    bool over = false;

    if (moment_of(claim, "start", INFINITY) > now)
        return false;
    if (had.over
        && (had.sum + size > number_at(p, "size") || (whole && had.any)))
        return true;
    for (const struct pool *up = above(all, p); up; up = above(all, up))
        over |= had_before(all, up, claim, now).whole;
    for (size_t i = 0; whole && i < all->n; i++)
        if (&all->list[i] != p && is_below(all, &all->list[i], p))
            over |= had_before(all, &all->list[i], claim, now).over;
    return over;
}

/* Is the claim not held yet? That does not depend on its list. */
static bool is_ahead(const struct pools *all, const struct pool *p,
                     const json_t *claim)
{
    return moment_of(claim, "start", -INFINITY) > NOW
           || waits(all, p, claim, NOW);
}

/* Does a claim satisfy the criterion? */
static bool meant(const struct ask *q, const struct pools *all,
                  const struct pool *p, const json_t *claim)
{
    double from = moment_of(claim, "start", -INFINITY);
    double to = moment_of(claim, "end", INFINITY);
    bool ahead = is_ahead(all, p, claim);
    const json_t *job = json_object_get(claim, "job");
    char name[64];

    if (!strcmp(q->key, "start"))
        return compare(q->op, from, q->number);
    if (!strcmp(q->key, "end"))
        return compare(q->op, to, q->number);
    if (q->timed && (q->at < from || q->at >= to))
        return false;
    if (!strcmp(q->key, "reserved") && !ahead)
        return false;
    if (!strcmp(q->key, "allocated") && ahead && !q->timed)
        return false;
    if (json_is_integer(job))
        snprintf(name, sizeof(name), "%d", (int)json_integer_value(job));
    else
        snprintf(name, sizeof(name), "%s", json_string_value(job));
    return !*q->value || !strcmp(name, q->value);
}

/* Sum up claims of a job that satisfy the criterion, either those held or those
   ahead. */
static json_int_t sum_meant(const struct ask *q, const struct pools *all,
                            const struct pool *p, const json_t *job, bool ahead)
{
    json_int_t sum = 0;

    for (int k = 0; k < 2; k++) {
        const json_t *claims = json_object_get(p->m, lists[k]), *c;
        size_t i;
        json_array_foreach (claims, i, c)
            if (meant(q, all, p, c) && is_ahead(all, p, c) == ahead
                && json_equal(json_object_get(c, "job"), job))
                sum += json_integer_value(json_object_get(c, "size"));
    }
    return sum;
}

/* Is there such a claim on this very pool? `whole`: one job has all of it. */
static bool claimed(const struct ask *q, const struct pools *all,
                    const struct pool *p, bool whole)
{
    for (int k = 0; k < 2; k++) {
        const json_t *claims = json_object_get(p->m, lists[k]), *c;
        size_t i;
        json_array_foreach (claims, i, c)
            if (meant(q, all, p, c)
                && (!whole
                    || sum_meant(q, all, p, json_object_get(c, "job"),
                                 is_ahead(all, p, c))
                           >= number_at(p, "size")))
                return true;
    }
    return false;
}

static bool held(const struct ask *q, const struct pools *all,
                 const struct pool *p)
{
    bool whole = false;

    for (; p; p = above(all, p), whole = true)
        if (claimed(q, all, p, whole))
            return true;
    return false;
}

static bool has_job(const struct ask *q, const json_t *list)
{
    char number[64];
    const json_t *job;
    size_t i;

    json_array_foreach (list, i, job) {
        job = job_of(job);
        snprintf(number, sizeof(number), "%d", (int)json_integer_value(job));
        if (!*q->value
            || !strcmp(json_is_string(job) ? json_string_value(job) : number,
                       q->value))
            return true;
    }
    return false;
}

static bool staged(const struct ask *q, const struct pools *all,
                   const struct pool *p)
{
    bool found = false;

    for (; p && !found; p = above(all, p)) {
        json_t *job = json_object_get(p->m, "staged");
        json_t *list = job ? json_pack("[O]", job) : NULL;
        found = has_job(q, list);
        json_decref(list);
    }
    return found;
}

/* Does a job hold any part of a pool, or share it? */
static bool is_named(const struct pool *p, json_t *job)
{
    const json_t *shared = json_object_get(p->m, "shared"), *o;
    bool found = false;
    size_t i;

    json_array_foreach (shared, i, o)
        found = found || json_equal(job_of(o), job);
    for (int k = 0; k < 2; k++)
        json_array_foreach (json_object_get(p->m, lists[k]), i, o)
            found = found || json_equal(json_object_get(o, "job"), job);
    return found;
}

/* Does a job share the pool itself, and not only something in it? */
static bool shares_itself(const struct pools *all, const struct pool *p,
                          json_t *job)
{
    if (json_is_object(job))
        return true;
    for (size_t i = 0; i < all->n; i++)
        if (&all->list[i] != p && is_below(all, &all->list[i], p)
            && is_named(&all->list[i], job))
            return false;
    return true;
}

/* Is the pool itself shared, at this time or at any? */
static bool shared_itself(const struct pools *all, const struct pool *p,
                          const double *at)
{
    bool found = false;
    json_t *job;
    size_t i;

    json_array_foreach (json_object_get(p->m, "shared"), i, job)
        found = found
                || (shares_itself(all, p, job)
                    && (!at
                        || (moment_of(job, "start", -INFINITY) <= *at
                            && moment_of(job, "end", INFINITY) > *at)));
    return found;
}

static bool is_free(const struct ask *q, const struct pools *all,
                    const struct pool *p)
{
    if (held(q, all, p) || staged(q, all, p))
        return false;
    for (size_t i = 0; i < all->n; i++) {
        const struct pool *o = &all->list[i];
        if (is_below(all, o, p)
            && (claimed(q, all, o, false) || json_object_get(o->m, "staged")
                || shared_itself(all, o, q->timed ? &q->at : NULL)))
            return false;
    }
    return true;
}

/* Is there a property named `key=value` that has this key and no value? */
static bool has_key_of(const struct ask *q, const json_t *properties)
{
    const char *name, *eq;
    json_t *value;

    json_object_foreach ((json_t *)properties, name, value) {
        eq = strchr(name, '=');
        if (eq && eq > name && eq[1] && !*json_string_value(value)
            && strlen(q->value) == (size_t)(eq - name)
            && !strncmp(name, q->value, (size_t)(eq - name)))
            return true;
    }
    return false;
}

/* Has any member of an object this key, or key=value? */
static bool has_member(const struct ask *q, const json_t *object)
{
    char text[300], *dump;
    const char *key;
    json_t *value;
    bool found = false;

    json_object_foreach ((json_t *)object, key, value) {
        dump = json_dumps(value, JSON_ENCODE_ANY);
        snprintf(text, sizeof(text), "%s=%s", key,
                 json_is_string(value) ? json_string_value(value) : dump);
        found = found || !strcmp(key, q->value)
                || (!json_is_null(value) && !strcmp(text, q->value));
        free(dump);
    }
    return found;
}

/* Does an edge, or the hierarchy, lead from one to the other? */
static bool is_next(const struct pools *all, const char *subsystem, int from,
                    int to)
{
    const struct pool *p = &all->list[to];

    return (p->parent == from && !strcmp(p->home, subsystem))
           || have_edge(all, subsystem, from, to);
}

/* Does any path from the top of a subsystem have these names? */
static bool way_leads(const struct pools *all, const char *subsystem, int at,
                      const char *path, size_t len)
{
    const char *last = memrchr(path, '/', len);
    size_t name = last ? (size_t)(path + len - last) : 0;
    const struct pool *p = &all->list[at];
    bool home = !strcmp(p->home, subsystem), top = !home;

    if (!last || strlen(text_at(p, "name")) != name - 1
        || strncmp(text_at(p, "name"), last + 1, name - 1) != 0)
        return false;
    if (home && p->parent < 0 && strlen(p->above) == len - name
        && !strncmp(p->above, path, len - name))
        return true;
    for (int i = 0; i < (int)all->n; i++) {
        if (!is_next(all, subsystem, i, at))
            continue;
        if (way_leads(all, subsystem, i, path, len - name))
            return true;
        top = false;
    }
    return top && last == path && path_of(p, subsystem);
}

/* Is a pool at a path, with or without a subsystem and a colon before it? */
static bool is_at(const struct pools *all, const struct pool *p,
                  const char *want, size_t len)
{
    const char *path = memchr(want, '/', len);
    char *subsystem = path > want ? strndup(want, (size_t)(path - 1 - want))
                                  : strdup("containment");
    bool found = way_leads(all, subsystem, (int)(p - all->list), path,
                           len - (size_t)(path - want));

    free(subsystem);
    return found;
}

/* Mark pools one step further, by edges of a subsystem or of any. Returns
   whether there were any. */
static bool mark_next(const struct pools *all, const char *subsystem,
                      bool *marks)
{
    bool more = false;

    for (size_t i = 0; i < all->nedges; i++) {
        const struct edge *e = &all->edges[i];
        if (is_containment(e->subsystem) || !marks[e->from] || marks[e->to]
            || (subsystem && strcmp(e->subsystem, subsystem) != 0))
            continue;
        marks[e->to] = more = true;
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct pool *p = &all->list[i];
        if (marks[i] || p->parent < 0 || !marks[p->parent]
            || is_containment(p->home)
            || (subsystem && strcmp(p->home, subsystem) != 0))
            continue;
        marks[i] = more = true;
    }
    return more;
}

/* Does the pool's own path continue that path? */
static bool goes_on(const struct pool *p, const char *path, size_t len)
{
    size_t n = strlen(p->home);

    return !strncmp(path, p->home, n) && path[n] == ':'
           && !strncmp(p->path, path + n + 1, len - n - 1)
           && p->path[len - n - 1] == '/';
}

/* Do edges lead from a path to a pool; with `in`, to a pool around it? */
static bool leads_to(const struct pools *all, const struct pool *p,
                     const char *path, size_t len, const char *subsystem,
                     bool in)
{
    bool *marks = calloc(all->n + 1, sizeof(*marks)), found = false;

    for (size_t i = 0; i < all->n; i++)
        marks[i] = is_at(all, &all->list[i], path, len)
                   || (!in && goes_on(&all->list[i], path, len));
    while (mark_next(all, subsystem, marks))
        ;
    for (; p && !found; p = in ? above(all, p) : NULL)
        found = marks[p - all->list] && !is_at(all, p, path, len);
    free(marks);
    return found;
}

static bool at_path(const struct ask *q, const struct pools *all,
                    const struct pool *p)
{
    const char *want = q->value, *colon = strchr(want, ':');
    size_t len = strlen(want);
    char *subsystem;
    bool found;

    if (strcmp(want + len - 2, "/*") != 0)
        return is_at(all, p, want, len);
    if (!colon || !strncmp(want, "containment:", 12)) {
        for (p = above(all, p); p && !is_at(all, p, want, len - 2);)
            p = above(all, p);
        return p;
    }
    subsystem = strndup(want, (size_t)(colon - want));
    found = leads_to(all, p, want, len - 2, subsystem, false);
    free(subsystem);
    return found;
}

static double bytes(const char *unit)
{
    return !strcmp(unit, "GB")    ? 1e9
           : !strcmp(unit, "MB")  ? 1e6
           : !strcmp(unit, "MiB") ? 1048576
                                  : 0;
}

static bool size_is(const struct ask *q, const struct pool *p)
{
    const char *unit = text_at(p, "unit");
    double size = (double)number_at(p, "size");

    if (!*q->unit || !strcmp(q->unit, unit))
        return compare(q->op, size, q->number);
    return bytes(unit) > 0 && bytes(q->unit) > 0
           && compare(q->op, size * bytes(unit), q->number * bytes(q->unit));
}

/* Compare a number with a list of numbers, or by < and >. */
static bool number_is(const struct ask *q, json_int_t n)
{
    if (n < 0)
        return false;
    if (strchr("<>", *q->op))
        return compare(q->op, (double)n, q->number);
    return (n < 32 && q->ids >> n & 1) == (*q->op == '=');
}

static bool on_host(const struct ask *q, const struct pools *all,
                    const struct pool *p, bool hosts)
{
    while (p && strcmp(text_at(p, "type"), "node") != 0)
        p = above(all, p);
    return p && hosts
           && in_hosts(q->value, text_at(p, "name")) == (*q->op == '=');
}

static bool in_subsystem(const struct ask *q, const struct pool *p)
{
    const char *subsystem;
    bool found = false;
    json_t *path;

    json_object_foreach (json_object_get(p->m, "paths"), subsystem, path)
        found = found || in_words(q->value, subsystem);
    return found;
}

/* Evaluate = and != on a key that every pool has. */
static bool has(const struct ask *q, const struct pools *all,
                const struct pool *p)
{
    const char *key = q->key;

    if (!strcmp(key, "name"))
        return in_hosts(q->value, text_at(p, "name"));
    if (!strcmp(key, "state"))
        return in_words(q->value, state_of(all, p));
    if (!strcmp(key, "status"))
        return !strcmp(state_of(all, p), "up") == !strcmp(q->value, "up");
    if (!strcmp(key, "property"))
        return has_member(q, json_object_get(p->m, "properties"))
               || has_key_of(q, json_object_get(p->m, "properties"));
    if (!strcmp(key, "tag"))
        return has_member(q, json_object_get(p->m, "tags"));
    if (!strcmp(key, "path"))
        return at_path(q, all, p);
    if (!strcmp(key, "fed-by"))
        return leads_to(all, p, q->value, strlen(q->value), NULL, true);
    if (!strcmp(key, "subsystem"))
        return in_subsystem(q, p);
    if (!strcmp(key, "allocated") || !strcmp(key, "reserved"))
        return held(q, all, p);
    if (!strcmp(key, "shared"))
        return has_job(q, json_object_get(p->m, "shared"));
    if (!strcmp(key, "staged"))
        return staged(q, all, p);
    if (!strcmp(key, "free"))
        return is_free(q, all, p);
    if (!strcmp(key, "exclusive"))
        return json_is_true(json_object_get(p->m, "exclusive"));
    return in_words(q->value, text_at(p, key));
}

__attribute__((unused)) static bool answer(const struct ask *q,
                                           const struct pools *all,
                                           const struct pool *p, bool hosts)
{
    if (q->kind == NOT)
        return !answer(q->a, all, p, hosts);
    if (q->kind != IS)
        return q->kind == AND
                   ? answer(q->a, all, p, hosts) && answer(q->b, all, p, hosts)
                   : answer(q->a, all, p, hosts) || answer(q->b, all, p, hosts);
    if (!strcmp(q->key, "rank") || !strcmp(q->key, "id"))
        return number_is(q, number_at(p, q->key));
    if (!strcmp(q->key, "size"))
        return size_is(q, p);
    if (!strcmp(q->key, "host"))
        return on_host(q, all, p, hosts);
    if (!strcmp(q->key, "start") || !strcmp(q->key, "end"))
        return held(q, all, p);
    return has(q, all, p) == !(q->op && *q->op == '!');
}

#endif /* TEST_FIND_NAIVE_H */

/*
 * What time does to the ledger: what has ended goes when it is told to, and
 * an end can be put off as long as nobody else is promised what it frees.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/path.h"
#include "schedule/annotate.h"
#include "schedule/ledger.h"

/* --- what has ended ----------------------------------------------------- */

struct ended {
    const char *job;
    double end;
};

struct expiring {
    struct rset *rs;
    double now;
    struct ended *list;
    size_t n, size;
    struct map places; /* of a job, by its name's address: number + 1 */
    struct map left;   /* jobs that have a claim that goes on */
};

static bool has_ended(const struct claim *c, double now)
{
    return c->end >= 0 && c->end <= now;
}

static int add_ended(struct expiring *x, const struct claim *c)
{
    struct map_slot *slot = map_at(&x->places, &c->job, sizeof(c->job));
    struct ended *list;

    if (!slot)
        return -1;
    if (slot->value.number) {
        struct ended *known = &x->list[slot->value.number - 1];
        known->end = c->end > known->end ? c->end : known->end;
        return 0;
    }
    if (x->n == x->size) {
        x->size = x->size ? 2 * x->size : 16;
        if (!(list = xrealloc(x->list, x->size * sizeof(*list))))
            return -1;
        x->list = list;
    }
    x->list[x->n++] = (struct ended){c->job, c->end};
    slot->value.number = x->n;
    return 0;
}

static int find_ended(struct expiring *x)
{
    for (struct vertex *v = rset_first(x->rs); v; v = rset_next(x->rs, v))
        for (const struct claim *c = v->records ? v->records->claims : NULL; c;
             c = c->next) {
            if (has_ended(c, x->now)
                    ? add_ended(x, c) < 0
                    : !map_at(&x->left, &c->job, sizeof(c->job)))
                return -1;
        }
    return 0;
}

static int compare_ended(const void *a, const void *b)
{
    return job_compare(((const struct ended *)a)->job,
                       ((const struct ended *)b)->job);
}

/* Has the job nothing any more? */
static bool is_over(const struct expiring *x, const char *job)
{
    return map_find(&x->places, &job, sizeof(job))
           && !map_find(&x->left, &job, sizeof(job));
}

static void drop_over(const struct expiring *x, struct joblist **list)
{
    while (*list) {
        struct joblist *item = *list;
        if (!is_over(x, item->job)) {
            list = &item->next;
            continue;
        }
        *list = item->next;
        free(item);
    }
}

static void drop_ended(const struct expiring *x, struct vertex *v)
{
    struct records *rec = v->records;
    struct claim *next;

    for (struct claim *c = rec->claims; c; c = next) {
        next = c->next;
        if (has_ended(c, x->now))
            records_drop(rec, c);
    }
    drop_over(x, &rec->shared);
    drop_over(x, &rec->listed);
    if (rec->staged && !records_claimed_by(rec, rec->staged))
        rec->staged = NULL;
    vertex_tidy_records(v);
}

/* Does the job have v with all that is in it, or what it is in, whole? */
static bool has_whole(const struct vertex *v, const char *job)
{
    for (v = v->child ? v : v->parent; v; v = v->parent)
        if (records_claimed_by(v->records, job) >= v->size)
            return true;
    return false;
}

/* What is listed means something only in what is held whole. */
static void drop_listed(struct vertex *v)
{
    struct joblist *next;

    for (struct joblist *j = v->records->listed; j; j = next) {
        next = j->next;
        if (!has_whole(v, j->job))
            joblist_drop(&v->records->listed, j->job);
    }
    vertex_tidy_records(v);
}

static int drop_all_ended(struct expiring *x)
{
    struct map shares = {0};
    int rc = shares_note(&shares, x->rs);

    for (struct vertex *v = rset_first(x->rs); v && rc == 0;
         v = rset_next(x->rs, v))
        if (v->records)
            drop_ended(x, v);
    for (struct vertex *v = rset_first(x->rs); v && rc == 0;
         v = rset_next(x->rs, v))
        if (v->records)
            drop_listed(v);
    if (rc == 0)
        rc = annotate(x->rs, &shares);
    map_fini(&shares);
    return rc;
}

ssize_t ledger_expire(struct rset *rs, double now, expire_fn tell, void *arg)
{
    struct expiring x = {.rs = rs, .now = now};
    int rc = find_ended(&x);

    if (rc == 0 && x.n > 0) {
        qsort(x.list, x.n, sizeof(*x.list), compare_ended);
        for (size_t i = 0; i < x.n; i++)
            tell(rs, x.list[i].job, x.list[i].end, arg);
        rc = drop_all_ended(&x);
    }
    free(x.list);
    map_fini(&x.places);
    map_fini(&x.left);
    return rc < 0 ? -1 : (ssize_t)x.n;
}

/* --- another end -------------------------------------------------------- */

struct extending {
    const struct rset *rs;
    const char *job;
    const struct claim *claim; /* the one at hand */
    struct period more;        /* from the old end to the new one */
    struct diag *d;
};

static bool is_in_the_way(const struct extending *x, const struct claim *c)
{
    return c != x->claim && claim_during(c, &x->more);
}

/* Tell who has claimed some of v in the time that is added. */
static int taken(const struct extending *x, const struct vertex *v)
{
    char *path = vertex_place(x->rs, v);
    const char *job = x->claim->job;

    for (const struct claim *c = v->records->claims; c; c = c->next)
        if (is_in_the_way(x, c))
            job = c->job;
    diag_set(x->d, "job %s has %s by then", job, path ? path : v->type);
    free(path);
    return 1;
}

/*
 * The most units that other claims have in the time that is added: at its
 * beginning, or where one of them starts.
 */
static int64_t claimed_beside(const struct extending *x, const struct vertex *v)
{
    const struct claim *list = v->records ? v->records->claims : NULL;
    int64_t most = 0;

    for (const struct claim *at = list; at; at = at->next) {
        double moment = at->start > x->more.from ? at->start : x->more.from;
        const struct period then = {x->more.now, moment, moment};
        int64_t sum = 0;
        if (!is_in_the_way(x, at))
            continue;
        for (const struct claim *c = list; c; c = c->next)
            if (c != x->claim && claim_during(c, &then))
                sum += c->size;
        most = sum > most ? sum : most;
    }
    return most;
}

/*
 * Is there room for a claim in the time that is added? Other claims of the
 * same job are in its way as those of others are: no unit is held twice.
 */
static int check_room(const struct extending *x, const struct vertex *v)
{
    if (claimed_beside(x, v) > v->size - x->claim->size)
        return taken(x, v);
    for (const struct vertex *up = v->parent; up; up = up->parent)
        if (claimed_beside(x, up) >= up->size)
            return taken(x, up);
    if (!v->child || x->claim->size < v->size)
        return 0;
    for (const struct vertex *at = v; at; at = vertex_next(v, at, false))
        if (claimed_beside(x, at) > 0)
            return taken(x, at);
    return 0;
}

/* What starts only at the new end, or later, would have no time at all. */
static int no_time_left(const struct extending *x, const struct vertex *v)
{
    char *path = vertex_place(x->rs, v);

    diag_set(x->d, "job %s has %s only from %.15g on", x->job,
             path ? path : v->type, x->claim->start);
    free(path);
    return 1;
}

static int check_claims(const struct rset *rs, struct extending *x, double end)
{
    int rc = 0;

    for (const struct vertex *v = rset_first(rs); v && rc == 0;
         v = rset_next(rs, v))
        for (const struct claim *c = v->records ? v->records->claims : NULL;
             c && rc == 0; c = c->next) {
            if (strcmp(c->job, x->job) != 0)
                continue;
            x->claim = c;
            x->more.from = c->end;
            x->more.to = end < 0 ? INFINITY : end;
            if (end >= 0 && end <= c->start)
                rc = no_time_left(x, v);
            else if (c->end >= 0 && c->end < x->more.to)
                rc = check_room(x, v);
        }
    return rc;
}

int ledger_extend(struct rset *rs, const char *job, double end, double now,
                  struct diag *d)
{
    struct extending x = {.rs = rs, .job = job, .more = {.now = now}, .d = d};
    int rc = check_claims(rs, &x, end);

    for (struct vertex *v = rset_first(rs); v && rc == 0; v = rset_next(rs, v))
        for (struct claim *c = v->records ? v->records->claims : NULL; c;
             c = c->next)
            if (!strcmp(c->job, job))
                c->end = end;
    return rc;
}

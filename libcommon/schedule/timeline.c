/*
 * What time does to the ledger: what has ended goes when it is told to, and
 * an end can be put off as long as nobody else is promised what it frees.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "model/path.h"
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
        if (!(list = realloc(x->list, x->size * sizeof(*list))))
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
            if (has_ended(c, x->now) ? add_ended(x, c) < 0
                                     : !map_at(&x->left, &c->job,
                                               sizeof(c->job)))
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
    if (rec->staged && is_over(x, rec->staged))
        rec->staged = NULL;
    vertex_tidy_records(v);
}

ssize_t ledger_expire(struct rset *rs, double now, expire_fn tell, void *arg)
{
    struct expiring x = {.rs = rs, .now = now};
    int rc = find_ended(&x);

    if (rc == 0 && x.n > 0) {
        qsort(x.list, x.n, sizeof(*x.list), compare_ended);
        for (size_t i = 0; i < x.n; i++)
            tell(rs, x.list[i].job, x.list[i].end, arg);
        for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
            if (v->records)
                drop_ended(&x, v);
        rc = ledger_reannotate(rs);
    }
    free(x.list);
    map_fini(&x.places);
    map_fini(&x.left);
    return rc < 0 ? -1 : (ssize_t)x.n;
}

/* --- another end -------------------------------------------------------- */

struct extending {
    const char *job;
    struct period more; /* from the old end to the new one */
    struct diag *d;
};

/* Tell who has claimed some of v in the time that is added. */
static int taken(const struct extending *x, const struct vertex *v)
{
    char *path = vertex_path(v);
    const char *job = "another";

    for (const struct claim *c = v->records->claims; c; c = c->next)
        if (strcmp(c->job, x->job) != 0 && claim_during(c, &x->more))
            job = c->job;
    diag_set(x->d, "job %s has %s by then", job, path ? path : v->type);
    free(path);
    return 1;
}

static bool others_claim(const struct extending *x, const struct vertex *v)
{
    for (const struct claim *c = v->records ? v->records->claims : NULL; c;
         c = c->next)
        if (strcmp(c->job, x->job) != 0 && claim_during(c, &x->more))
            return true;
    return false;
}

/* Is there room for a claim in the time that is added? */
static int check_room(const struct extending *x, const struct vertex *v,
                      const struct claim *c)
{
    if (records_claimed(v->records, &x->more) + c->size > v->size)
        return taken(x, v);
    for (const struct vertex *up = v->parent; up; up = up->parent)
        if (others_claim(x, up)
            && records_claimed(up->records, &x->more) >= up->size)
            return taken(x, up);
    if (!v->child || c->size < v->size)
        return 0;
    for (const struct vertex *at = v; at; at = vertex_next(v, at, false))
        if (others_claim(x, at))
            return taken(x, at);
    return 0;
}

static int check_claims(const struct rset *rs, struct extending *x, double end)
{
    int rc = 0;

    for (const struct vertex *v = rset_first(rs); v && rc == 0;
         v = rset_next(rs, v))
        for (const struct claim *c = v->records ? v->records->claims : NULL;
             c && rc == 0; c = c->next) {
            if (strcmp(c->job, x->job) != 0 || c->end < 0
                || (end >= 0 && end <= c->end))
                continue;
            x->more.from = c->end;
            x->more.to = end < 0 ? INFINITY : end;
            rc = check_room(x, v, c);
        }
    return rc;
}

int ledger_extend(struct rset *rs, const char *job, double end, double now,
                  struct diag *d)
{
    struct extending x = {.job = job, .more = {.now = now}, .d = d};
    int rc = check_claims(rs, &x, end);

    for (struct vertex *v = rset_first(rs); v && rc == 0;
         v = rset_next(rs, v))
        for (struct claim *c = v->records ? v->records->claims : NULL; c;
             c = c->next)
            if (!strcmp(c->job, job))
                c->end = end;
    return rc;
}

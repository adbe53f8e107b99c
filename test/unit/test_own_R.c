/*
 * A job's R restores what the job had, and releases it; and a warning reports
 * jobs that lose resources in algebra. Random sets with the records of other
 * jobs, and random requests for their resources.
 */
#include "compare/algebra.h"
#include "model/records/jobs.h"
#include "match_wishes.h"
#include "texts.h"

enum { REQUESTS = 6, NOW = 1000 };

/* Requests for pools that are held while a part of them, or none, is listed. */
static const char *const shapes[] = {
    "slot/node/pdu",           "slot/node/pdu=2",
    "slot/rack/pdu",           "slot/socket/pdu",
    "slot/node/[core;pdu=2]",  "slot=2/node/panel",
    "slot/node/memory",        "slot/node/socket/core",
    "slot/rack/node/pdu",      "slot/node/switch",
    "slot/[node/core;memory]", "[cluster;pdu=2]",
    "slot=1-3/core",           NULL};

static struct law back = {.name = "a job's R restores what it had"},
                  gone = {.name = "by its R a job releases all it has"},
                  told = {.name = "a warning reports jobs that lose resources"};

static void same(struct law *law, char *got, const char *want, const char *set,
                 const char *shape, const char *R)
{
    if (!holds(law, got && !strcmp(got, want), "%s", shape) && law_telling(law))
        printf("#   of %.20000s\n#     R %s\n#   got %s\n#  want %s\n", set, R,
               got ? got : "nothing", want);
    free(got);
}

/* Units that a job has in a pool, or in a pool above if it has all of that. */
static int64_t units_at(const struct vertex *v, const char *job)
{
    int64_t units = 0;

    for (const struct vertex *up = v; up; up = up->parent) {
        int64_t claimed = 0;
        for (const struct grant *g = up->lot ? up->lot->grants : NULL; g;
             g = g->beside)
            if (!strcmp(g->term->job->name, job))
                claimed += g->term->kind == GRANT_CLAIM ? g->units : 0;
        if (up == v || claimed >= up->size)
            units += up == v ? claimed : v->size;
    }
    return units;
}

static bool shares(const struct vertex *v, const char *job)
{
    const struct grant *g = v->lot ? v->lot->grants : NULL;

    while (g
           && (g->term->kind != GRANT_SHARE
               || strcmp(g->term->job->name, job) != 0))
        g = g->beside;
    return g;
}

static int64_t units_of_job(const struct rset *rs, const char *job)
{
    int64_t sum = 0;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        int64_t units = units_at(v, job) + shares(v, job);
        for (const struct vertex *up = v; up; up = up->parent)
            units *= (int64_t)vertex_count(up);
        sum += units;
    }
    return sum;
}

/* Does any job have less than before? */
static bool any_less(const char *after, const char *before)
{
    struct rset *now = read_set(after), *old = read_set(before);
    bool less = false;

    usage_settle(now);
    usage_settle(old);
    for (const struct job *job = usage_jobs(old->usage); job; job = job->next)
        less = less
               || units_of_job(now, job->name) < units_of_job(old, job->name);
    rset_destroy(now);
    rset_destroy(old);
    return less;
}

static bool is_told(const struct rset *rs)
{
    for (size_t i = 0; i < rs->nnotes; i++)
        if (strstr(rs->notes[i], "less than"))
            return true;
    return false;
}

/* Combine a set with the job, and a part of the set. */
static void combine(const char *used, const char *part)
{
    static int (*const ways[])(struct rset *, struct rset *, struct diag *) = {
        rset_subtract, rset_intersect, rset_xor};
    struct rset *a = read_set(used), *b = read_set(part);
    unsigned way = random_below(3);
    bool second = way == 2 && chance(50); /* the order makes no difference */
    struct rset *to = second ? b : a;
    struct diag d = {0};

    /* without its records: a job's R names the job on shared resources */
    usage_destroy(b->usage);
    b->usage = NULL;
    if (ways[way](to, second ? a : b, &d) == 0) {
        char *text = write_set(to, FORM_AS_READ);
        bool less = any_less(text, used);
        if (!holds(&told, is_told(to) == less, "%u: %s", way,
                   less ? "less" : "as much")
            && law_telling(&told))
            printf("#   of %s\n# and %s\n", used, part);
        free(text);
    }
    rset_destroy(a);
    rset_destroy(b);
}

/* Find a request that matches, and allocate it to a job. */
static void one_job(const char *set, const char *shape, char **last)
{
    const struct gift gift = {.request = shape};
    enum rset_form form = chance(70)   ? FORM_AS_READ
                          : chance(50) ? FORM_RV1
                                       : FORM_RV1_COMPACT;
    bool timed = form != FORM_AS_READ
                 && chance(50); /* a graph has no place for times */
    const struct when now = {.now = NOW, .end = timed ? NOW + 60 : 0};
    char *used = give(set, "7", &gift, &now), *R;
    struct gift again = {0};

    if (!used)
        return;
    again.R = R = allocated(used, "7", false, form);
    if (!R) { /* R_lite can't express one of the listed pools */
        free(used);
        return;
    }
    /* a bare graph has no place for the number of slots */
    if (form != FORM_AS_READ || !strstr(used, "\"nslots\""))
        same(&back, give(set, "7", &again, &now), used, set, shape, R);
    same(&gone, give_back_R(used, "7", R), set, set, shape, R);
    if (*last)
        combine(used, *last);
    free(*last);
    *last = R;
    free(used);
}

static void one_set(void)
{
    struct world *w = malloc(sizeof(*w));
    char *text = random_document(), *set, *last = NULL;
    struct rset *rs = read_set(text);

    world_read(w, text);
    set = write_set(rs, FORM_AS_READ);
    for (int i = 0; i < REQUESTS; i++) {
        json_t *resources = random_resources(w);
        char *shape = chance(30) ? strdup(one_of(shapes)) : shape_of(resources);
        one_job(set, shape, &last);
        free(shape);
        json_decref(resources);
    }
    rset_destroy(rs);
    json_decref(w->doc);
    free(w);
    free(last);
    free(set);
    free(text);
}

int main(void)
{
    for (long i = random_start(300); i > 0; i--)
        one_set();
    law_end(&back);
    law_end(&gone);
    law_end(&told);
    return done_testing();
}

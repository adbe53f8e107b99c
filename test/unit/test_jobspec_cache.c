/*
 * Requests from the cache of jobspecs, compared with reading each jobspec by
 * itself: request, duration, and faults in the same words.
 */
#include "request/jobspec_cache.h"

#include <stdlib.h>

#include "random.h"
#include "request_text.h"
#include "tap.h"

/* Parts of a jobspec, with ' for ". Some are wrong, alone or together with
   others. */
#define CORE "[{'type':'core','count':2}]"
static const char *const resources[] = {
    "[{'type':'slot','count':3,'label':'t','with':" CORE "}]",
    "[{'type':'slot','count':3,'label':'u','with':" CORE "}]",
    "[{'label':'t','type':'slot','count':3,'with':" CORE "}]",
    "[{'type':'node','count':2,'with':[{'type':'slot','count':1,'label':'t',"
    "'with':" CORE "}]}]",
    "[{'type':'slot','count':0,'label':'t','with':" CORE "}]",
    "[]",
    "7",
    NULL,
};
static const char *const tasks[] = {
    "[{'command':['a'],'slot':'t','count':{'per_slot':1}}]",
    "[{'command':['b','c'],'slot':'t','count':{'total':6}}]",
    "[{'command':['a'],'slot':'u','count':{'per_slot':1}}]",
    "[{'command':[],'slot':'t','count':{'per_slot':1}}]",
    "[{'command':['a'],'slot':'t','count':{'per_resource':{'type':'core',"
    "'count':1}}}]",
    "[{'command':['a'],'slot':'t','count':{'per_resource':{'type':'gpu',"
    "'count':1}}}]",
    NULL,
};
static const char *const attributes[] = {
    "{'system':{'duration':60}}",
    "{'system':{'duration':3600.5,'cwd':'/','queue':'debug'}}",
    "{'system':{'duration':60,'constraints':{'properties':['fast']}}}",
    "{'system':{'constraints':{'properties':['fast']},'duration':0}}",
    "{'system':{'duration':60,'constraints':{'properties':['^fast']}}}",
    "{'system':{'duration':60,'constraints':{'zebra':['fast']}}}",
    "{'system':{'duration':-1}}",
    "{}",
    NULL,
};
#define SOME(list) list[random_below(sizeof(list) / sizeof(list[0]))]

static void put_part(json_t *jobspec, const char *key, const char *quoted)
{
    char *text;

    if (!quoted)
        return;
    text = strdup(quoted);
    for (char *p = text; (p = strchr(p, '\''));)
        *p = '"';
    json_object_set_new(jobspec, key, json_loads(text, JSON_DECODE_ANY, NULL));
    free(text);
}

static json_t *some_jobspec(void)
{
    json_t *jobspec = json_object();

    put_part(jobspec, "version", random_below(20) ? "1" : "2");
    put_part(jobspec, "resources", SOME(resources));
    put_part(jobspec, "tasks", SOME(tasks));
    put_part(jobspec, "attributes", SOME(attributes));
    if (random_below(20) == 0)
        put_part(jobspec, "zebra", "1");
    return jobspec;
}

/* Return the text of a request, or of its fault, in a new string. */
static char *said(const struct request *req, double duration,
                  const struct diag *d)
{
    char *text, *shape;

    if (!req) {
        xasprintf(&text, "%s", diag_line(d).text);
        return text;
    }
    shape = request_shape(req);
    xasprintf(&text, "%s for %g, %s", shape, duration,
              req->constraint ? "somewhere" : "anywhere");
    free(shape);
    return text;
}

static bool is_as_read(struct jobspec_cache *table, json_t *jobspec,
                       struct cached_request **out)
{
    struct diag d = {0}, alone_d = {0};
    struct request *alone = request_from_jobspec(jobspec, &alone_d);
    const json_t *system = json_object_get(
        json_object_get(jobspec, "attributes"), "system");
    double duration = -1;
    struct cached_request *k = jobspec_cache_get(table, jobspec, &duration, &d);
    char *got = said(k ? k->req : NULL, duration, &d),
         *want = said(alone, alone ? alone->duration : -1, &alone_d);
    bool timeless = alone && !json_object_get(system, "duration")
                    && json_integer_value(json_object_get(jobspec, "version"))
                           == 1,
         same = timeless ? strstr(got, "version 1 needs") != NULL
                         : !strcmp(got, want);

    if (!same)
        is(got, want, "%s", json_dumps(jobspec, JSON_COMPACT));
    free(got);
    free(want);
    request_destroy(alone);
    *out = k;
    return same;
}

/* Jobs come and go, but a request in use stays. */
static void test_many(long rounds)
{
    enum { JOBS = 50 };
    struct jobspec_cache table = {0};
    struct cached_request *jobs[JOBS] = {0};
    bool same = true;
    long i;

    for (i = 0; i < rounds && same; i++) {
        json_t *jobspec = some_jobspec();
        struct cached_request **job = &jobs[random_below(JOBS)];
        if (*job)
            jobspec_cache_drop(&table, *job);
        same = is_as_read(&table, jobspec, job);
        json_decref(jobspec);
    }
    ok(same, "%ld jobspecs are read as each by itself", rounds);
    ok(table.map.count <= 4 * 6, "%zu different requests are kept",
       table.map.count);
    jobspec_cache_fini(&table);
}

static json_t *cores(long n, int duration)
{
    json_t *jobspec = json_object();
    char *text;

    xasprintf(&text,
              "[{'type':'slot','count':%ld,'label':'t','with':" CORE "}]", n);
    put_part(jobspec, "version", "1");
    put_part(jobspec, "resources", text);
    put_part(jobspec, "tasks", tasks[0]);
    free(text);
    xasprintf(&text, "{'system':{'duration':%d}}", duration);
    put_part(jobspec, "attributes", text);
    free(text);
    return jobspec;
}

static struct cached_request *get_cores(struct jobspec_cache *table, long n,
                                        int duration)
{
    json_t *jobspec = cores(n, duration);
    struct diag d = {0};
    double got = -1;
    struct cached_request *k = jobspec_cache_get(table, jobspec, &got, &d);

    if (!k || got != duration)
        ok(0, "cores %ld for %d: %g %s", n, duration, got, d.text);
    json_decref(jobspec);
    return k;
}

static void test_alike(void)
{
    struct jobspec_cache table = {0};
    struct cached_request *a = get_cores(&table, 1, 60),
                          *b = get_cores(&table, 1, 5),
                          *c = get_cores(&table, 2, 60);

    ok(a == b, "two that differ in their duration have one request");
    ok(a != c, "two that ask for something else have not");
    jobspec_cache_drop(&table, a);
    ok(get_cores(&table, 1, 7) == b, "it stays while one asks for it");
    jobspec_cache_fini(&table);
}

/* Few requests are kept, whatever the number of different ones. */
static void test_bounded(void)
{
    enum { MANY = 5000 };
    struct jobspec_cache table = {0};
    struct cached_request *stays = get_cores(&table, 1, 1);

    for (long n = 2; n < MANY; n++)
        jobspec_cache_drop(&table, get_cores(&table, n, 0));
    ok(table.map.count < MANY / 2, "of %d requests %zu are kept", MANY,
       table.map.count);
    ok(get_cores(&table, 1, 2) == stays, "one that somebody asks for is");
    jobspec_cache_fini(&table);
}

int main(void)
{
    long rounds = random_start(5000);

    test_many(rounds);
    test_alike();
    test_bounded();
    return done_testing();
}

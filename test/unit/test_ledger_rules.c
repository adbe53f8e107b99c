/*
 * The rules on records, one by one. Each has a test that is named after it, on
 * a small document, and the test lists the exact records afterwards.
 *
 *     rule                                                  test
 *   RFC 4, Resource Allocation Data
 *     Exclusive flag: all size elements are allocated       test_flag
 *     Staged: a temporary lock                              test_staged
 *     Allocations: jobs, with size                          test_jobs_and_sizes
 *     Reservations: jobs, with size                         test_reservations
 *     Shared: jobs, without size                            test_shared_jobs
 *     they become arrays over time                          test_array
 *   RFC 4, Job Allocations and Reservations
 *     Allocated: how many are                               test_counts
 *     Available: size - allocated                           test_counts
 *     Allocate: from what is available only                 test_size_bounds
 *     Allocate: stored as a searchable attribute            test_search
 *     Allocate again: grown by N                            test_grow
 *     Free: all, or N                                       test_free
 *     Free: N is at most what the job has                   test_free
 *   RFC 4, Copying
 *     available resources, sizes to match, no allocations   test_copy
 *   RFC 4, Resource Allocation Records
 *     a unit is the most granular resource                  test_unit
 *     units of many jobs, none twice                        test_size_bounds
 *     all size elements: exclusively                        test_all_units
 *     shared is empty where exclusive                       test_shared_empty
 *     children are implied, and have no records             test_implied
 *     listed parts of them, over several times              test_listed
 *     ... nor reservations                                  test_implied_later
 *     the job is in `shared` of each parent                 test_parents
 *     which shows what is free for exclusive use            test_parents_tell
 *   RFC 16, Resource Allocation Data and Rules
 *     one unit is the most granular                         test_unit
 *     total never exceeds size                              test_size_bounds
 *     the number of units is recorded                       test_jobs_and_sizes
 *     all units: considered exclusive                       test_all_units
 *     an exclusive requirement is recorded                  test_exclusive_kept
 *     without it a pool may have many jobs                  test_jobs_and_sizes
 *     an array of allocations over time                     test_array
 *     without times its size is 1                           test_array_of_one
 *     children are implicitly allocated                     test_implied
 *     annotations on each parent                            test_parents
 *     annotations lie in the extended data                  test_parents
 *   RFC 16, Resource Allocation Records
 *     Allocate: one or a set of composites                  test_composites
 *     Allocate: start and end                               test_reservations
 *     Allocate: grow                                        test_grow
 *     Allocate: shrink                                      test_free
 *     Release: one or a set of composites                   test_release
 *     Allocated: of a job, of all jobs                      test_allocated
 *     Available: resources that no job has                  test_copy
 *   consequences for time
 *     spans do not contain their ends                       test_half_open
 *     an ended allocation is held until it is released      test_ended
 *
 * alloc-rules.bats tests the parts of the commands: a start in the future needs
 * an end, and some commands take exclusive pools whole.
 */
#include <math.h>
#include <stdlib.h>

#include "model/records/jobs.h"
#include "model/records/path.h"
#include "once.h"
#include "schedule/filter.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "sets.h"

/* === rules ============================================================== */

/*
 * For tests of the ledger's rules: sets from small graphs, the ledger's
 * operations in a line each, and the records afterwards, as written in the
 * extended data of the pools.
 */

/*
 * A vertex of a graph, and an edge of containment, as readable JSON in C:
 * single quotes stand for double ones, and the commas between objects in a list
 * are left out.
 */
#define POOL(id, data) "{'id':'" id "','metadata':{" data "}}"
#define IN(parent, child) "{'source':'" parent "','target':'" child "'}"
#define GRAPH(nodes, edges) \
    "{'graph':{'nodes':[" nodes "],'edges':[" edges "]}}"

static const struct term timeless = {.start = TIME_UNSET, .end = TIME_UNSET};

static struct term from_to(double start, double end)
{
    return (struct term){.start = start, .end = end};
}

/* Terms of a reservation. */
static struct term later(double start, double end)
{
    return (struct term){.start = start, .end = end, .reserved = true};
}

static char *json_of(const char *quoted)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (const char *p = quoted; *p; p++) {
        putc(*p == '\'' ? '"' : *p, fp);
        if (p[0] == '}' && p[1] == '{')
            putc(',', fp);
    }
    fclose(fp);
    return text;
}

static struct rset *set_of(const char *quoted)
{
    char *text = json_of(quoted);
    struct rset *rs = read_set(text);

    free(text);
    return rs;
}

static char *text_of(struct rset *rs, enum rset_form form)
{
    char *text = write_set(rs, form);

    if (!text) {
        printf("Bail out! it can't be written\n");
        exit(1);
    }
    return text;
}

/* --- records ------------------------------------------------------------ */

static const char *any_path(const json_t *metadata)
{
    const char *subsystem;
    json_t *path;

    json_object_foreach (json_object_get(metadata, "paths"), subsystem, path)
        return json_string_value(path);
    return "?";
}

/* Print the keys of RFC 4's Resource Allocation Data of one pool. */
static void print_data(FILE *fp, const json_t *metadata)
{
    static const char *const keys[] = {"exclusive",    "allocations",
                                       "reservations", "shared",
                                       "listed",       "staged"};
    json_t *data = json_object(), *value;
    char *text;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if ((value = json_object_get(metadata, keys[i]))
            && !json_is_false(value))
            json_object_set(data, keys[i], value);
    if (json_object_size(data) > 0) {
        text = json_dumps(data, JSON_COMPACT);
        for (char *p = text; (p = strchr(p, '"'));)
            *p = '\'';
        fprintf(fp, "%s %s\n", any_path(metadata), text);
        free(text);
    }
    json_decref(data);
}

/* Compare all records, a line for each pool that has any. */
__attribute__((format(printf, 3, 4))) static void
recorded(struct rset *rs, const char *want, const char *fmt, ...)
{
    char *text = text_of(rs, FORM_JGF), *got = NULL, name[256];
    json_t *doc = json_loads(text, 0, NULL), *node;
    size_t i, len;
    FILE *fp = open_memstream(&got, &len);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(name, sizeof(name), fmt, ap);
    va_end(ap);
    json_array_foreach (json_object_get(json_object_get(doc, "graph"), "nodes"),
                        i, node)
        print_data(fp, json_object_get(node, "metadata"));
    fclose(fp);
    is(got, want, "%s", name);
    free(got);
    free(text);
    json_decref(doc);
}

/* --- operations --------------------------------------------------------- */

/* Units of the pools at paths: "/cluster0/memory0=4 /cluster0/node0=1". */
static struct selection *pools_at(struct rset *rs, const char *paths)
{
    struct selection *sel = selection_create();
    char *copy = strdup(paths), *rest = copy, *one;

    while ((one = strsep(&rest, " "))) {
        struct diag d = {0};
        char *eq = strrchr(one, '=');
        struct lot *lot;
        *eq = '\0';
        if (!(lot = rset_find_lot(rs, one, &d))) {
            printf("Bail out! %s\n", d.text);
            exit(1);
        }
        selection_take(sel, rs->usage, lot, strtol(eq + 1, NULL, 10));
    }
    free(copy);
    return sel;
}

/* Match a shape at a time, and record the result. Was there a match? */
static bool asked(struct rset *rs, const char *job, const char *shape,
                  struct term terms, double now)
{
    struct match_options opts = {.now = now, .start = terms.start};
    struct diag d = {0};
    struct request *req = request_from_shape(shape, &d);
    struct selection *sel = NULL;
    bool found;

    if (!req) {
        printf("Bail out! %s: %s\n", shape, d.text);
        exit(1);
    }
    if (terms.end >= 0)
        req->duration = terms.end - (terms.start > now ? terms.start : now);
    found = match_find(usage_begin(rs), req, &opts, &sel, &d) == MATCH_FOUND;
    if (found)
        once_allocate(rs, job, sel, &terms);
    selection_destroy(sel);
    request_destroy(req);
    return found;
}

/* Match a shape now, without times, and record the result. */
static bool gets(struct rset *rs, const char *job, const char *shape)
{
    return asked(rs, job, shape, timeless, 0);
}

/* Allocate pools by path if they are free. Returns the reason if not, or "". */
static const char *takes_at(struct rset *rs, const char *job, const char *paths,
                            struct term terms, double now)
{
    static struct diag d;
    struct selection *sel = pools_at(rs, paths);

    d = (struct diag){0};
    if (once_is_free(rs, job, sel, &terms, now, &d))
        once_allocate(rs, job, sel, &terms);
    selection_destroy(sel);
    return d.text;
}

static const char *takes(struct rset *rs, const char *job, const char *paths)
{
    return takes_at(rs, job, paths, timeless, 0);
}

/* Release pools by path. Returns the reason if it fails, or "". */
static const char *gives(struct rset *rs, const char *job, const char *paths)
{
    static struct diag d;
    struct selection *sel = pools_at(rs, paths);

    d = (struct diag){0};
    once_shrink(rs, job, sel, &d);
    selection_destroy(sel);
    return d.text;
}

/* --- answers ------------------------------------------------------------ */

static void print_picks(FILE *fp, const struct rset *rs,
                        const struct pick *list)
{
    for (const struct pick *p = list; p; p = p->next) {
        char *place = vertex_place(rs, p->v);
        if (!p->child || p->exclusive)
            fprintf(fp, "%s%s=%lld", ftell(fp) ? " " : "", place,
                    (long long)p->amount);
        free(place);
        print_picks(fp, rs, p->child);
    }
}

/* Compare a selection in a line. Destroys it. */
__attribute__((unused, format(printf, 4, 5))) static void
selected(const struct rset *rs, struct selection *sel, const char *want,
         const char *fmt, ...)
{
    char *got = NULL, name[256];
    size_t len;
    FILE *fp = open_memstream(&got, &len);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(name, sizeof(name), fmt, ap);
    va_end(ap);
    print_picks(fp, rs, sel->picks);
    fclose(fp);
    is(got, want, "%s", name);
    free(got);
    selection_destroy(sel);
}

/* clang-format off */

/* A node with two cores. */
#define NODE \
    GRAPH(POOL("n", "'type':'node','id':0,'rank':0") \
          POOL("0", "'type':'core','id':0") \
          POOL("1", "'type':'core','id':1"), \
          IN("n", "0") IN("n", "1"))

/* Such a node in a rack, with 8 GiB of memory. */
#define RACK \
    GRAPH(POOL("r", "'type':'rack','id':0") \
          POOL("n", "'type':'node','id':0,'rank':0") \
          POOL("0", "'type':'core','id':0") \
          POOL("1", "'type':'core','id':1") \
          POOL("m", "'type':'memory','id':0,'size':8,'unit':'GiB'"), \
          IN("r", "n") IN("n", "0") IN("n", "1") IN("n", "m"))

/* Two racks of a node with a core each. */
#define RACKS \
    GRAPH(POOL("c", "'type':'cluster','id':0") \
          POOL("r", "'type':'rack','id':0") \
          POOL("n", "'type':'node','id':0,'rank':0") \
          POOL("0", "'type':'core','id':0") \
          POOL("s", "'type':'rack','id':1") \
          POOL("o", "'type':'node','id':1,'rank':1") \
          POOL("1", "'type':'core','id':0"), \
          IN("c", "r") IN("r", "n") IN("n", "0") \
          IN("c", "s") IN("s", "o") IN("o", "1"))

/* Ten licences. */
#define LICENCES \
    GRAPH(POOL("c", "'type':'site','id':0") \
          POOL("l", "'type':'licence','size':10"), \
          IN("c", "l"))

/* A node and four exclusive GPUs. */
#define FLAGGED \
    GRAPH(POOL("c", "'type':'cluster','id':0") \
          POOL("n", "'type':'node','id':0,'rank':0,'exclusive':true") \
          POOL("0", "'type':'core','id':0") \
          POOL("1", "'type':'core','id':1") \
          POOL("g", "'type':'gpu','id':0,'size':4,'exclusive':true"), \
          IN("c", "n") IN("c", "g") IN("n", "0") IN("n", "1"))

/* clang-format on */

/* --- RFC 4, Resource Allocation Data ------------------------------------ */

static void test_flag(void)
{
    struct rset *rs = set_of(FLAGGED);

    ok(gets(rs, "1", "slot/gpu=1"),
       "RFC 4, Allocation data: one of four units of "
       "an exclusive pool is asked for");
    ok(gets(rs, "2", "slot/core"), "... one core of an exclusive node");
    recorded(rs,
             "/cluster0 {'shared':[1,2]}\n"
             "/cluster0/gpu0 {'exclusive':true,"
             "'allocations':[{'job':1,'size':4}]}\n"
             "/cluster0/node0 {'exclusive':true,"
             "'allocations':[{'job':2,'size':1}]}\n"
             "/cluster0/node0/core0 {'listed':[2]}\n",
             "RFC 4, Allocation data: exclusive flag: all size elements are "
             "allocated when set");
    ok(!gets(rs, "3", "slot/gpu=1") && !gets(rs, "3", "slot/core"),
       "... so that nobody else has any of it");
    is(gives(rs, "2", "/cluster0/node0/core1=1"),
       "/cluster0/node0 can only be given back whole",
       "... and it is not given back in part");
    rset_destroy(rs);
}

static void test_staged(void)
{
    struct rset *rs = set_of(RACK);
    struct term staged = timeless;
    char *before = text_of(rs, FORM_JGF), *after;

    staged.staged = true;
    is(takes_at(rs, "1", "/rack0/node0/memory0=2", staged, 0), "",
       "RFC 4, Allocation data: a part of a pool is staged");
    recorded(rs,
             "/rack0 {'shared':[1]}\n"
             "/rack0/node0 {'shared':[1]}\n"
             "/rack0/node0/memory0 {'allocations':[{'job':1,'size':2}],"
             "'staged':1}\n",
             "RFC 4, Allocation data: staged: the pool names who considers "
             "it, and nothing else is locked");
    is(takes(rs, "2", "/rack0/node0/memory0=1"),
       "/rack0/node0/memory0 is staged for job 1",
       "... a lock: nobody has more of it meanwhile");
    ok(!gets(rs, "2", "slot/memory=1"), "... and it does not match");
    is(takes(rs, "2", "/rack0/node0/core0=1"), "",
       "... but the pool beside it is given");
    once_release(rs, "2");
    ok(once_commit(rs, "1"), "... temporary: it is committed");
    recorded(rs,
             "/rack0 {'shared':[1]}\n"
             "/rack0/node0 {'shared':[1]}\n"
             "/rack0/node0/memory0 {'allocations':[{'job':1,'size':2}]}\n",
             "... and is the job's, without a lock");
    ok(!once_commit(rs, "1") && !once_abort(rs, "1"), "... once");
    once_release(rs, "1");
    takes_at(rs, "1", "/rack0/node0=1", staged, 0);
    ok(once_abort(rs, "1"), "... or it is aborted");
    after = text_of(rs, FORM_JGF);
    is(after, before, "... and nothing is left of it");
    free(before);
    free(after);
    rset_destroy(rs);
}

static void test_jobs_and_sizes(void)
{
    struct rset *rs = set_of(LICENCES);

    takes(rs, "1", "/site0/licence=3");
    takes(rs, "sim", "/site0/licence=6");
    recorded(rs,
             "/site0 {'shared':[1,'sim']}\n"
             "/site0/licence {'allocations':[{'job':1,'size':3},"
             "{'job':'sim','size':6}]}\n",
             "RFC 4, Allocation data: allocations: a list of jobs with size");
    ok(gets(rs, "3", "slot/licence=1"),
       "RFC 16, Rules: in the absence of an exclusive requirement a resource "
       "has multiple jobs");
    recorded(rs,
             "/site0 {'shared':[1,3,'sim']}\n"
             "/site0/licence {'allocations':[{'job':1,'size':3},"
             "{'job':'sim','size':6},{'job':3,'size':1}]}\n",
             "RFC 16, Rules: the number of units allocated to a job is "
             "recorded in the extended data");
    rset_destroy(rs);
}

static void test_reservations(void)
{
    struct rset *rs = set_of(LICENCES);

    takes_at(rs, "1", "/site0/licence=3", later(100, 160), 0);
    takes_at(rs, "2", "/site0/licence=7", later(120, 130), 0);
    recorded(rs,
             "/site0 {'shared':[1,2]}\n"
             "/site0/licence {'reservations':["
             "{'job':1,'size':3,'start':100,'end':160},"
             "{'job':2,'size':7,'start':120,'end':130}]}\n",
             "RFC 4, Allocation data: reservations: a list of jobs with size; "
             "RFC 16, Allocate: start and end into the future");
    is(takes_at(rs, "3", "/site0/licence=1", later(125, 126), 0),
       "/site0/licence is reserved for job 1",
       "... and no unit of it is free then");
    is(takes_at(rs, "3", "/site0/licence=10", from_to(0, 100), 0), "",
       "... and all of them before");
    rset_destroy(rs);
}

static void test_shared_jobs(void)
{
    struct rset *rs = set_of(LICENCES);

    ok(gets(rs, "1", "slot/licence=2") && gets(rs, "2", "site"),
       "RFC 4, Allocation data: one has units, one shares");
    recorded(rs,
             "/site0 {'shared':[1,2]}\n"
             "/site0/licence {'allocations':[{'job':1,'size':2}]}\n",
             "RFC 4, Allocation data: shared: a list of jobs without size");
    rset_destroy(rs);
    rs = set_of(LICENCES);
    ok(gets(rs, "1", "licence=4"),
       "... a pool that a request shares has no units taken");
    recorded(rs,
             "/site0 {'shared':[1]}\n"
             "/site0/licence {'shared':[1]}\n",
             "... but the job in its list");
    is(takes(rs, "2", "/site0/licence=10"), "/site0/licence is shared by job 1",
       "... and is nobody's whole");
    is(takes(rs, "2", "/site0/licence=9"), "", "... but in part");
    rset_destroy(rs);
}

static void test_array(void)
{
    struct rset *rs = set_of(NODE);

    takes_at(rs, "1", "/node0/core0=1", from_to(10, 20), 10);
    takes_at(rs, "2", "/node0/core0=1", later(20, 30), 10);
    takes_at(rs, "1", "/node0/core0=1", later(30, 40), 10);
    recorded(rs,
             "/node0 {'shared':[1,2]}\n"
             "/node0/core0 {'allocations':["
             "{'job':1,'size':1,'start':10,'end':20}],"
             "'reservations':["
             "{'job':2,'size':1,'start':20,'end':30},"
             "{'job':1,'size':1,'start':30,'end':40}]}\n",
             "RFC 16, Rules: an array of job allocations over time; "
             "RFC 4, Allocation data: likewise");
    ok(asked(rs, "3", "slot/core", from_to(10, 40), 10),
       "... in which a match finds what is free all the while");
    recorded(rs,
             "/node0 {'shared':[1,2,3]}\n"
             "/node0/core0 {'allocations':["
             "{'job':1,'size':1,'start':10,'end':20}],"
             "'reservations':["
             "{'job':2,'size':1,'start':20,'end':30},"
             "{'job':1,'size':1,'start':30,'end':40}]}\n"
             "/node0/core1 {'allocations':["
             "{'job':3,'size':1,'start':10,'end':40}]}\n",
             "... and its record lies on that");
    rset_destroy(rs);
}

static void test_array_of_one(void)
{
    struct rset *rs = set_of(NODE);

    ok(gets(rs, "1", "slot/core"), "RFC 16, Rules: a scheduler without time");
    is(takes(rs, "2", "/node0/core0=1"), "/node0/core0 is held by job 1",
       "... can't have a second allocation of the same unit");
    recorded(rs,
             "/node0 {'shared':[1]}\n"
             "/node0/core0 {'allocations':[{'job':1,'size':1}]}\n",
             "RFC 16, Rules: for currently available resources the array's "
             "size is 1");
    rset_destroy(rs);
}

/* --- RFC 4, Job Allocations and Reservations ---------------------------- */

/* Compare the units of all jobs on a pool, and its free units. */
static void counts(struct rset *rs, const char *path, int64_t allocated,
                   int64_t available, const char *name)
{
    const struct period ever = {.to = INFINITY};
    struct diag d = {0};
    const struct lot *lot = rset_find_lot(rs, path, &d);
    int64_t got = lot_claimed(lot, &ever, NULL);

    ok(got == allocated && lot->v->size - got == available, "%s", name);
}

static void test_counts(void)
{
    struct rset *rs = set_of(LICENCES);

    counts(rs, "/site0/licence", 0, 10,
           "RFC 4, Available: all of a pool without allocations");
    takes(rs, "1", "/site0/licence=3");
    takes(rs, "2", "/site0/licence=2");
    counts(rs, "/site0/licence", 5, 5,
           "RFC 4, Allocated: the number allocated to jobs; "
           "Available: size - allocated");
    once_release(rs, "1");
    counts(rs, "/site0/licence", 2, 8, "... when one of them is over");
    rset_destroy(rs);
}

static void test_search(void)
{
    struct rset *rs = set_of(RACK);
    struct filter filter = {.job = "7"};

    takes(rs, "7", "/rack0/node0/core1=1 /rack0/node0/memory0=5");
    takes(rs, "8", "/rack0/node0/core0=1");
    selected(rs, filter_select(rs, &filter),
             "/rack0/node0/core1=1 /rack0/node0/memory0=5",
             "RFC 4, Allocate: the name is a searchable attribute");
    rset_destroy(rs);
}

static void test_grow(void)
{
    struct rset *rs = set_of(LICENCES);

    takes(rs, "1", "/site0/licence=2");
    takes(rs, "1", "/site0/licence=3");
    recorded(rs,
             "/site0 {'shared':[1]}\n"
             "/site0/licence {'allocations':[{'job':1,'size':5}]}\n",
             "RFC 4, Allocate: an allocation that exists grows by N");
    takes_at(rs, "1", "/site0/licence=1", from_to(0, 60), 0);
    recorded(rs,
             "/site0 {'shared':[1]}\n"
             "/site0/licence {'allocations':[{'job':1,'size':5},"
             "{'job':1,'size':1,'start':0,'end':60}]}\n",
             "... but what is given for another time is another");
    is(takes(rs, "1", "/site0/licence=5"),
       "/site0/licence: only 4 of 10 units are free",
       "... and never beyond what is available");
    rset_destroy(rs);
}

static void test_free(void)
{
    struct rset *rs = set_of(LICENCES);

    takes(rs, "1", "/site0/licence=5");
    takes(rs, "2", "/site0/licence=1");
    is(gives(rs, "1", "/site0/licence=2"), "",
       "RFC 4, Free: an allocation shrinks by N");
    recorded(rs,
             "/site0 {'shared':[1,2]}\n"
             "/site0/licence {'allocations':[{'job':1,'size':3},"
             "{'job':2,'size':1}]}\n",
             "... and the others stay");
    is(gives(rs, "1", "/site0/licence=4"),
       "job 1 has only 3 of /site0/licence, not 4",
       "RFC 4, Free: N is less than or equal to the total allocation");
    is(gives(rs, "1", "/site0/licence=3"), "", "... or all of it");
    recorded(rs,
             "/site0 {'shared':[2]}\n"
             "/site0/licence {'allocations':[{'job':2,'size':1}]}\n",
             "RFC 4, Free: all allocated items return to what is available");
    is(gives(rs, "1", "/site0/licence=1"), "job 1 does not hold /site0/licence",
       "... and the job has nothing any more");
    rset_destroy(rs);
}

/* --- RFC 4, Copying; RFC 16, Available ---------------------------------- */

static void test_copy(void)
{
    struct rset *rs = set_of(RACK);
    const struct period now = {.now = 0, .from = 0, .to = 0};

    takes(rs, "1", "/rack0/node0/core0=1 /rack0/node0/memory0=5");
    selected(rs, once_available(rs, &now, false),
             "/rack0/node0/core1=1 /rack0/node0/memory0=3",
             "RFC 4, Copy: only what is available, size set to available; "
             "RFC 16, Available: resources that no job has");
    takes(rs, "2", "/rack0/node0/core1=1 /rack0/node0/memory0=3");
    selected(rs, once_available(rs, &now, false), "",
             "RFC 4, Copy: pools without available resources are ignored, "
             "and their children");
    once_release(rs, "1");
    takes_at(rs, "3", "/rack0/node0/core0=1", later(50, 60), 0);
    selected(rs, once_available(rs, &now, false),
             "/rack0/node0/core0=1 /rack0/node0/memory0=5",
             "... resources reserved for later are available now");
    rset_destroy(rs);
}

/* --- RFC 4, Resource Allocation Records; RFC 16, Rules ------------------ */

static void test_unit(void)
{
    struct rset *rs = set_of(RACK);

    for (int i = 0; i < 8; i++) {
        char job[8];
        snprintf(job, sizeof(job), "%d", i);
        takes(rs, job, "/rack0/node0/memory0=1");
    }
    recorded(rs,
             "/rack0 {'shared':[0,1,2,3,4,5,6,7]}\n"
             "/rack0/node0 {'shared':[0,1,2,3,4,5,6,7]}\n"
             "/rack0/node0/memory0 {'allocations':["
             "{'job':0,'size':1},{'job':1,'size':1},{'job':2,'size':1},"
             "{'job':3,'size':1},{'job':4,'size':1},{'job':5,'size':1},"
             "{'job':6,'size':1},{'job':7,'size':1}]}\n",
             "RFC 4, Allocation records: one unit is the most granular "
             "allocatable resource; RFC 16, Rules: likewise");
    rset_destroy(rs);
}

static void test_size_bounds(void)
{
    struct rset *rs = set_of(LICENCES);
    const char *want = "/site0 {'shared':[1,2]}\n"
                       "/site0/licence {'allocations':[{'job':1,'size':6},"
                       "{'job':2,'size':4}]}\n";
    struct diag d = {0};
    struct rset *none;
    struct vertex *v;
    struct stream *s;
    char *text;

    takes(rs, "1", "/site0/licence=6");
    is(takes(rs, "2", "/site0/licence=5"),
       "/site0/licence: only 4 of 10 units are free",
       "RFC 4, Allocate: the size minus all allocations is available");
    ok(!gets(rs, "2", "slot/licence=5"), "... and more does not match");
    ok(gets(rs, "2", "slot/licence=4"), "... but the rest matches");
    is(takes(rs, "3", "/site0/licence=1"), "/site0/licence is held by job 1",
       "RFC 4, Allocation records: no two jobs have the same unit");
    recorded(rs, want,
             "RFC 16, Rules: the total of units never exceeds the size");
    v = rset_find_lot(rs, "/site0/licence", &d)->v;
    v->size = 9;
    text = write_set(rs, FORM_JGF);
    s = stream_open_text(text, strlen(text), "set");
    ok(rset_read(s, TRUST_NONE, &none, &d) < 0
           && strstr(d.text, "10 units of 9 are allocated"),
       "... and a document in which it does is refused: %s", d.text);
    stream_close(s);
    free(text);
    rset_destroy(rs);
}

static void test_all_units(void)
{
    struct rset *rs = set_of(RACK);

    takes(rs, "1", "/rack0/node0/memory0=8");
    ok(!gets(rs, "2", "slot/memory=1"),
       "RFC 4, Allocation records: all size elements allocated to a job: "
       "allocated exclusively; RFC 16, Rules: likewise");
    once_release(rs, "1");
    takes(rs, "1", "/rack0/node0/memory0=5");
    takes(rs, "1", "/rack0/node0/memory0=3");
    ok(!gets(rs, "2", "slot/memory=1"), "... in whatever portions they came");
    is(takes(rs, "2", "/rack0/node0/memory0=1"),
       "/rack0/node0/memory0 is held by job 1",
       "... and the message names the job");
    once_release(rs, "1");
    takes(rs, "1", "/rack0/node0=1");
    ok(!gets(rs, "2", "slot/memory=1") && !gets(rs, "2", "slot/core"),
       "... a pool of one unit, with all that is in it");
    rset_destroy(rs);
}

static void test_shared_empty(void)
{
    struct rset *rs = set_of(RACK);

    takes(rs, "1", "/rack0/node0=1");
    recorded(rs,
             "/rack0 {'shared':[1]}\n"
             "/rack0/node0 {'allocations':[{'job':1,'size':1}]}\n",
             "RFC 4, Allocation records: the shared list of an exclusively "
             "allocated resource is empty");
    ok(!gets(rs, "2", "node"), "... and nobody shares it afterwards");
    once_release(rs, "1");
    gets(rs, "2", "node");
    is(takes(rs, "1", "/rack0/node0=1"), "/rack0/node0 is shared by job 2",
       "... nor does it become exclusive while it is shared");
    rset_destroy(rs);
}

static void test_implied(void)
{
    struct rset *rs = set_of(RACK);

    gets(rs, "1", "slot/rack/node/core=1");
    recorded(rs,
             "/rack0 {'allocations':[{'job':1,'size':1}]}\n"
             "/rack0/node0 {'listed':[1]}\n"
             "/rack0/node0/core0 {'listed':[1]}\n",
             "RFC 4, Allocation records: children have no allocations when "
             "the parent is allocated exclusively; RFC 16, Rules: likewise");
    is(takes(rs, "2", "/rack0/node0/core1=1"), "/rack0 is held by job 1",
       "... the allocation of the parent's job is implied");
    selected(rs, once_holdings(rs, "1"),
             "/rack0=1 /rack0/node0=1 /rack0/node0/core0=1 "
             "/rack0/node0/core1=1 /rack0/node0/memory0=8",
             "... down to the last of them");
    is(gives(rs, "1", "/rack0/node0/core0=1"), "",
       "... and recorded when the parent is not exclusive any more");
    recorded(rs,
             "/rack0 {'shared':[1]}\n"
             "/rack0/node0 {'shared':[1]}\n"
             "/rack0/node0/core1 {'allocations':[{'job':1,'size':1}]}\n"
             "/rack0/node0/memory0 {'allocations':[{'job':1,'size':8}]}\n",
             "... each with its own units");
    rset_destroy(rs);
}

/* A list has no time: of several lists the largest counts. */
static void test_listed(void)
{
    static const int units[] = {2, 5, 8};

    for (int i = 0; i < 9; i++) {
        int first = units[i / 3], then = units[i % 3];
        int most = first > then ? first : then;
        struct rset *rs = set_of(RACK);
        char shape[64], size[32] = "1", want[512];
        snprintf(shape, sizeof(shape), "slot/rack/node/memory=%d", first);
        asked(rs, "1", shape, from_to(0, 10), 0);
        snprintf(shape, sizeof(shape), "slot/rack/node/memory=%d", then);
        asked(rs, "1", shape, later(10, 20), 0);
        if (most < 8)
            snprintf(size, sizeof(size), "{'job':1,'size':%d}", most);
        snprintf(want, sizeof(want),
                 "/rack0 {'allocations':[{'job':1,'size':1,'start':0,'end':10}"
                 "],'reservations':[{'job':1,'size':1,'start':10,'end':20}]}\n"
                 "/rack0/node0 {'listed':[1]}\n"
                 "/rack0/node0/memory0 {'listed':[%s]}\n",
                 size);
        recorded(rs, want, "of a pool held whole %d units are listed, then %d",
                 first, then);
        rset_destroy(rs);
    }
}

static void test_implied_later(void)
{
    struct rset *rs = set_of(RACK);

    takes_at(rs, "1", "/rack0/node0=1", later(50, 60), 0);
    recorded(rs,
             "/rack0 {'shared':[1]}\n"
             "/rack0/node0 {'reservations':"
             "[{'job':1,'size':1,'start':50,'end':60}]}\n",
             "RFC 4, Allocation records: nor reservations");
    is(takes_at(rs, "2", "/rack0/node0/core0=1", later(59, 70), 0),
       "/rack0/node0 is reserved for job 1", "... which are implied as well");
    is(takes_at(rs, "2", "/rack0/node0/core0=1", later(60, 70), 0), "",
       "... but at another time children have records of their own");
    is(gives(rs, "1", "/rack0/node0/core1=1"), "",
       "... and the parent's is handed down with its times");
    recorded(rs,
             "/rack0 {'shared':[1,2]}\n"
             "/rack0/node0 {'shared':[1,2]}\n"
             "/rack0/node0/core0 {'reservations':["
             "{'job':2,'size':1,'start':60,'end':70},"
             "{'job':1,'size':1,'start':50,'end':60}]}\n"
             "/rack0/node0/memory0 {'reservations':"
             "[{'job':1,'size':8,'start':50,'end':60}]}\n",
             "... beside what others have at other times");
    rset_destroy(rs);
}

static void test_parents(void)
{
    struct rset *rs = set_of(RACK);

    takes(rs, "1", "/rack0/node0/core1=1");
    recorded(rs,
             "/rack0 {'shared':[1]}\n"
             "/rack0/node0 {'shared':[1]}\n"
             "/rack0/node0/core1 {'allocations':[{'job':1,'size':1}]}\n",
             "RFC 4, Allocation records: the job is added to the shared list "
             "of each parent; RFC 16, Rules: annotated in the extended data");
    takes(rs, "2", "/rack0/node0/core0=1");
    takes(rs, "2", "/rack0/node0/memory0=1");
    once_release(rs, "1");
    recorded(rs,
             "/rack0 {'shared':[2]}\n"
             "/rack0/node0 {'shared':[2]}\n"
             "/rack0/node0/core0 {'allocations':[{'job':2,'size':1}]}\n"
             "/rack0/node0/memory0 {'allocations':[{'job':2,'size':1}]}\n",
             "... goes with the job, and is there once");
    gives(rs, "2", "/rack0/node0/core0=1");
    gives(rs, "2", "/rack0/node0/memory0=1");
    recorded(rs, "", "... and is removed with the job's last resource there");
    rset_destroy(rs);
}

static void test_parents_tell(void)
{
    struct rset *rs = set_of(RACKS);

    takes(rs, "1", "/cluster0/rack0/node0/core0=1");
    ok(gets(rs, "2", "slot/rack"),
       "RFC 4, Allocation records: shared tells when a parent and its "
       "children can be allocated exclusively");
    recorded(rs,
             "/cluster0 {'shared':[1,2]}\n"
             "/cluster0/rack0 {'shared':[1]}\n"
             "/cluster0/rack0/node0 {'shared':[1]}\n"
             "/cluster0/rack0/node0/core0 "
             "{'allocations':[{'job':1,'size':1}]}\n"
             "/cluster0/rack1 {'allocations':[{'job':2,'size':1}]}\n",
             "... of two racks it is the one without annotations");
    is(takes(rs, "3", "/cluster0/rack0=1"),
       "/cluster0/rack0/node0/core0 is held by job 1",
       "... and for the other one the job is named");
    rset_destroy(rs);
}

static void test_exclusive_kept(void)
{
    struct rset *rs = set_of(FLAGGED);

    recorded(rs,
             "/cluster0/gpu0 {'exclusive':true}\n"
             "/cluster0/node0 {'exclusive':true}\n",
             "RFC 16, Rules: a requirement to be allocated exclusively is "
             "recorded in the extended data");
    gets(rs, "1", "slot/node");
    once_release(rs, "1");
    recorded(rs,
             "/cluster0/gpu0 {'exclusive':true}\n"
             "/cluster0/node0 {'exclusive':true}\n",
             "... where it stays, whoever had it");
    rset_destroy(rs);
}

/* --- RFC 16, Resource Allocation Records -------------------------------- */

static void test_composites(void)
{
    struct rset *rs = set_of(RACK);

    is(takes(rs, "1",
             "/rack0/node0/core0=1 /rack0/node0/core1=1 "
             "/rack0/node0/memory0=2"),
       "", "RFC 16, Allocate: a set of composite resources");
    recorded(rs,
             "/rack0 {'shared':[1]}\n"
             "/rack0/node0 {'shared':[1]}\n"
             "/rack0/node0/core0 {'allocations':[{'job':1,'size':1}]}\n"
             "/rack0/node0/core1 {'allocations':[{'job':1,'size':1}]}\n"
             "/rack0/node0/memory0 {'allocations':[{'job':1,'size':2}]}\n",
             "... each with its own record");
    once_release(rs, "1");
    takes(rs, "1", "/rack0=1");
    recorded(rs, "/rack0 {'allocations':[{'job':1,'size':1}]}\n",
             "RFC 16, Allocate: a single composite resource");
    rset_destroy(rs);
}

static void test_release(void)
{
    struct rset *rs = set_of(RACK);
    char *before, *after;

    takes(rs, "1", "/rack0/node0/core0=1 /rack0/node0/memory0=2");
    before = text_of(rs, FORM_JGF);
    takes(rs, "2", "/rack0/node0/core1=1 /rack0/node0/memory0=3");
    takes_at(rs, "2", "/rack0/node0/core0=1", later(50, 60), 0);
    ok(once_release(rs, "2"),
       "RFC 16, Release: from a set of composite resources");
    after = text_of(rs, FORM_JGF);
    is(after, before, "... allocations and reservations, and no others");
    ok(!once_release(rs, "2"), "... and there is nothing of it any more");
    gives(rs, "1", "/rack0/node0/core0=1");
    recorded(rs,
             "/rack0 {'shared':[1]}\n"
             "/rack0/node0 {'shared':[1]}\n"
             "/rack0/node0/memory0 {'allocations':[{'job':1,'size':2}]}\n",
             "RFC 16, Release: from a single composite resource");
    free(before);
    free(after);
    rset_destroy(rs);
}

static void test_allocated(void)
{
    struct rset *rs = set_of(RACK);

    takes(rs, "1", "/rack0/node0/core0=1 /rack0/node0/memory0=2");
    takes(rs, "2", "/rack0/node0/core1=1 /rack0/node0/memory0=3");
    selected(rs, once_allocated(rs, "1", false),
             "/rack0/node0/core0=1 /rack0/node0/memory0=2",
             "RFC 16, Allocated: to a job");
    selected(rs, once_allocated(rs, NULL, false),
             "/rack0/node0/core0=1 /rack0/node0/core1=1 "
             "/rack0/node0/memory0=5",
             "RFC 16, Allocated: to all jobs");
    selected(rs, once_allocated(rs, "3", false), "",
             "... and nothing to others");
    rset_destroy(rs);
}

/* --- time --------------------------------------------------------------- */

static void test_half_open(void)
{
    struct rset *rs = set_of(LICENCES);

    takes_at(rs, "1", "/site0/licence=10", from_to(100, 200), 100);
    is(takes_at(rs, "2", "/site0/licence=10", later(199, 300), 100),
       "/site0/licence is held by job 1",
       "RFC 16, Rules: over time: before the end it is not free");
    is(takes_at(rs, "2", "/site0/licence=10", later(200, 300), 100), "",
       "... at the end it is");
    is(takes_at(rs, "3", "/site0/licence=1", later(250, 260), 100),
       "/site0/licence is reserved for job 2", "... nor while it is reserved");
    recorded(rs,
             "/site0 {'shared':[1,2]}\n"
             "/site0/licence {'allocations':["
             "{'job':1,'size':10,'start':100,'end':200}],"
             "'reservations':[{'job':2,'size':10,'start':200,'end':300}]}\n",
             "... and two spans that meet are in nobody's way");
    rset_destroy(rs);
}

static void no_word(const char *job, double end, void *arg)
{
    (void)job, (void)end, (void)arg;
}

static void test_ended(void)
{
    struct rset *rs = set_of(NODE);

    takes_at(rs, "1", "/node0/core0=1", from_to(100, 200), 100);
    is(takes_at(rs, "2", "/node0/core0=1", timeless, 300),
       "/node0/core0 is held by job 1",
       "RFC 16, Rules: an ended allocation is held until it is released");
    is(takes_at(rs, "2", "/node0/core0=1", timeless, 200),
       "/node0/core0 is held by job 1", "... from its end on");
    ok(once_expire(rs, 199, no_word, NULL) == 0,
       "RFC 16, Release: it does not expire before its end");
    ok(once_expire(rs, 200, no_word, NULL) == 1, "... but at it");
    recorded(rs, "",
             "RFC 16, Release: in response to a job's expiration the "
             "record is removed");
    rset_destroy(rs);
}

int main(void)
{
    test_flag();
    test_staged();
    test_jobs_and_sizes();
    test_reservations();
    test_shared_jobs();
    test_array();
    test_array_of_one();
    test_counts();
    test_search();
    test_grow();
    test_free();
    test_copy();
    test_unit();
    test_size_bounds();
    test_all_units();
    test_shared_empty();
    test_implied();
    test_listed();
    test_implied_later();
    test_parents();
    test_parents_tell();
    test_exclusive_kept();
    test_composites();
    test_release();
    test_allocated();
    test_half_open();
    test_ended();
    return done_testing();
}

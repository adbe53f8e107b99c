/*
 * Shorthand graphs: the inventory restores, to the byte, what is left out of
 * the R of a job. Random inventories with everything in them (racks, power,
 * units, states, records, tags, properties, unknown keys) get random requests.
 * The Rs are those of a match and of an allocation.
 */
#include "compare/expand.h"

#include "match_wishes.h"
#include "model/document/shorthand.h"
#include "once.h"
#include "schedule/match.h"
#include "sets.h"

enum { REQUESTS = 6 };

static struct {
    struct law expand, whole, fixed, read;
    long left_out;
} laws = {
    .expand = {.name = "the inventory restores what a shorthand leaves out"},
    .whole = {.name = "without anything left out it is like any other graph"},
    .fixed = {.name = "a shorthand is written again as the same bytes"},
    .read =
        {.name = "the shorthand of an R that lists everything stays the same "
                 "after reading"},
};

struct trial {
    uint64_t seed;
    const char *text; /* the inventory */
    const char *shape, *how;
    enum rset_form form;
    struct rset *inventory;
};

/* --- the inventory -------------------------------------------------------- */

static void decorate(json_t *node)
{
    json_t *m = json_object_get(node, "metadata");

    if (chance(15))
        json_object_set_new(
            m, "tags",
            json_pack("{s:n,s:i}", "new", "row", (int)random_below(3)));
    if (chance(15) && !json_object_get(m, "properties"))
        json_object_set_new(m, "properties",
                            json_pack("{s:s}", "model", chance(50) ? "x" : ""));
    if (chance(10))
        json_object_set_new(m, "serial", json_integer(random_below(99)));
    if (chance(10))
        json_object_set_new(node, "label", json_string("l"));
}

/* The graph of match_cases.h, with keys that only readers of graphs use. */
static char *decorated_graph(void)
{
    char *text = random_graph(), *more;
    json_t *doc = json_loads(text, 0, NULL), *item;
    json_t *graph = json_object_get(doc, "graph");
    size_t i;

    json_array_foreach (json_object_get(graph, "nodes"), i, item)
        decorate(item);
    json_array_foreach (json_object_get(graph, "edges"), i, item) {
        if (chance(5))
            json_object_set_new(item, "directed", json_true());
        if (chance(5))
            json_object_set_new(json_object_get(item, "metadata"), "weight",
                                json_integer(random_below(9)));
    }
    more = json_dumps(doc, JSON_COMPACT);
    json_decref(doc);
    free(text);
    return more;
}

/* --- the law -------------------------------------------------------------- */

static char *text_of_set(const struct trial *t, struct rset *rs, bool shorthand)
{
    const struct rset_style style = {.form = t->form, .shorthand = shorthand};
    struct diag d = {0};
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);
    int rc = rset_write_as(rs, &style, fp, &d);

    fclose(fp);
    if (rc == 0)
        return text;
    free(text);
    return NULL;
}

static void tell(const struct trial *t, const struct law *law,
                 const char *wanted, const char *got)
{
    if (!law_telling(law))
        return;
    printf("#   %s %s\n#   wanted %s#   got    %s\n#   of %.6000s\n", t->how,
           t->shape, wanted, got ? got : "nothing", t->text);
}

static void check_expanded(const struct trial *t, const char *whole,
                           const char *shorthand)
{
    struct rset *rs = read_set(shorthand);
    char *again = write_set(rs, FORM_AS_READ), *got = NULL;
    struct diag d = {0};

    if (!holds(&laws.fixed, again && !strcmp(again, shorthand),
               "RSET_SEED=%" PRIu64, t->seed))
        tell(t, &laws.fixed, shorthand, again);
    if (rset_expand_shorthand(rs, t->inventory, EXPAND_STATES, &d) == 0)
        got = text_of_set(t, rs, false);
    if (!holds(&laws.expand, got && !strcmp(got, whole),
               "RSET_SEED=%" PRIu64 " %s", t->seed, d.text))
        tell(t, &laws.expand, whole, got);
    free(again);
    free(got);
    rset_destroy(rs);
}

/* Does it list all contents of the vertices that it holds whole? */
static bool lists_all(const struct rset *job)
{
    const struct vertex *v = job->root;

    while (v && !v->unlisted)
        v = vertex_next(job->root, v, false);
    return !v;
}

static void check_read(const struct trial *t, const struct rset *job,
                       const char *whole, const char *shorthand)
{
    struct rset *rs = read_set(whole);
    char *got = text_of_set(t, rs, true);

    if (lists_all(job)
        && !holds(&laws.read, got && !strcmp(got, shorthand),
                  "RSET_SEED=%" PRIu64, t->seed))
        tell(t, &laws.read, shorthand, got);
    free(got);
    rset_destroy(rs);
}

static void check_job(const struct trial *t, struct rset *job)
{
    char *whole = text_of_set(t, job, false), *shorthand;

    if (!whole)
        return; /* for example, no node has a rank */
    shorthand = text_of_set(t, job, true);
    if (shorthand && strstr(shorthand, SHORTHAND_WRITER)) {
        laws.left_out++;
        check_expanded(t, whole, shorthand);
        check_read(t, job, whole, shorthand);
    } else if (!holds(&laws.whole, shorthand && !strcmp(shorthand, whole),
                      "RSET_SEED=%" PRIu64, t->seed)) {
        tell(t, &laws.whole, whole, shorthand);
    }
    free(whole);
    free(shorthand);
}

/* --- the Rs of a job
   ------------------------------------------------------- */

static void check_selection(struct trial *t, struct rset *rs,
                            struct selection *sel, const char *how)
{
    struct rset *job = rset_extract(rs, sel);

    t->how = how;
    for (int i = 0; job && i < 2; i++) {
        t->form = i ? FORM_JGF_COMPACT : FORM_RV1_COMPACT;
        check_job(t, job);
    }
    rset_destroy(job);
}

static void check_allocated(struct trial *t, struct rset *rs, bool held)
{
    struct selection *sel = once_allocated(rs, "7", held);

    check_selection(t, rs, sel, held ? "held resources" : "listed resources");
    selection_destroy(sel);
}

static void check_request(struct trial *t, const struct request *req)
{
    const struct match_options opts = {.now = 1000};
    const struct term terms = {.start = TIME_UNSET, .end = TIME_UNSET};
    struct rset *rs = read_set(t->text);
    struct selection *sel = NULL;
    struct diag d = {0};

    if (match_find(usage_begin(rs), req, &opts, &sel, &d) == MATCH_FOUND) {
        check_selection(t, rs, sel, "match of");
        once_allocate(rs, "7", sel, &terms);
        check_allocated(t, rs, false);
        check_allocated(t, rs, true);
        selection_destroy(sel);
    }
    rset_destroy(rs);
}

static void one_set(void)
{
    struct trial t = {.seed = random_state};
    char *text = decorated_graph();
    struct world *w = malloc(sizeof(*w));

    t.text = text;
    t.inventory = read_set(text);
    world_read(w, text);
    for (int i = 0; i < REQUESTS; i++) {
        json_t *resources = random_resources(w);
        char *shape = shape_of(resources);
        struct diag d = {0};
        struct request *req = request_from_shape(shape, &d);
        t.shape = shape;
        if (req)
            check_request(&t, req);
        request_destroy(req);
        json_decref(resources);
        free(shape);
    }
    json_decref(w->doc);
    free(w);
    rset_destroy(t.inventory);
    free(text);
}

int main(void)
{
    for (long i = random_start(300); i > 0; i--)
        one_set();
    law_end(&laws.expand);
    law_end(&laws.whole);
    law_end(&laws.fixed);
    law_end(&laws.read);
    ok(laws.left_out * 20 > laws.expand.cases + laws.whole.cases,
       "not too few graphs leave something out");
    return done_testing();
}

/*
 * The resource set: runs that are split, overlaid, sorted and extracted; and
 * random documents with everything in them, which every form preserves.
 */
#include "model/records/layers.h"

#include "base/memory.h"
#include "model/change/select.h"
#include "sets.h"
#include "view/view.h"

#define NODES "\"nodelist\":[\"n[0-9]\"]}}"

/* --- helpers -------------------------------------------------------------- */

static struct idset *set_of(const char *text)
{
    struct diag d = {0};
    struct idset *set = NULL;

    idset_decode(text, strlen(text), &set, &d);
    return set;
}

static char *text_of(const struct idset *set)
{
    return set ? idset_encode(set) : NULL;
}

/* The runs under a vertex, as `core[0-3] core[4]`. */
static char *runs_of(const struct vertex *v)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (const struct vertex *c = v->child; c; c = c->next) {
        char *ids = c->run ? idset_encode(c->run) : NULL;
        fprintf(fp, "%s%s[%s]", c == v->child ? "" : " ", c->type,
                ids ? ids : "-");
        free(ids);
    }
    fclose(fp);
    return text;
}

static void is_runs(const struct vertex *v, const char *want, const char *name)
{
    char *got = runs_of(v);

    is(got, want, "%s", name);
    free(got);
}

static void is_short(struct rset *rs, const char *want, const char *name)
{
    struct diag d = {0};
    char *got = NULL;
    size_t len;
    FILE *fp = open_memstream(&got, &len);

    view_short(rs, fp, &d);
    fclose(fp);
    if (len)
        got[len - 1] = '\0';
    is(got, want, "%s", name);
    free(got);
}

static struct rset *ten_nodes(void)
{
    return read_set("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":"
                    "\"0-9\",\"children\":{\"core\":\"0-7\",\"gpu\":\"0-1\"}}"
                    "]," NODES);
}

/* --- runs ----------------------------------------------------------------- */

static void test_split(void)
{
    struct rset *rs = ten_nodes();
    struct vertex *node = rs->root->child, *part, *core;
    struct idset *ids = set_of("2-4,7");

    ok(node && !node->next && vertex_count(node) == 10,
       "ten equal nodes are one vertex");
    ok(rset_count(rs, NULL, "core") == 80 && rset_count(rs, NULL, "gpu") == 20
           && rset_count(rs, NULL, "node") == 10
           && rset_count(rs, NULL, "odd") == 0,
       "all are counted");
    part = vertex_split(rs, node, ids);
    ok(part && part != node && vertex_count(part) == 4
           && vertex_count(node) == 6,
       "a part of a run becomes a vertex of its own");
    ok(part->parent == rs->root && part->child && part->child != node->child
           && part->child->parent == part,
       "with children of its own");
    ok(rset_count(rs, NULL, "core") == 80, "none is lost or counted twice");
    ok(vertex_split(rs, part, ids) == part, "all of a run is the run");
    core = part->child;
    idset_destroy(ids);
    ids = set_of("1");
    ok(vertex_split(rs, core, ids) != core
           && rset_count(rs, part, "core") == 32,
       "ids are split as ranks are");
    vertex_sort_children(part);
    is_runs(part, "core[0,2-7] core[1] gpu[0-1]", "by their lowest id");
    is_short(rs, "rank[0-9]/core[0-7],gpu[0-1]",
             "the short form has the same resources");
    idset_destroy(ids);
    rset_destroy(rs);
}

static void test_spans(void)
{
    struct rset *rs = ten_nodes();
    struct idset *odd = set_of("1,3,5,7,9"), *some = set_of("8");
    struct vertex *node = rs->root->child;
    struct span *spans;
    ssize_t n;
    bool good = true;

    vertex_split(rs, node, odd);
    vertex_split(rs, node, some);
    vertex_sort_children(rs->root);
    n = vertex_spans(rs->root, &spans);
    ok(n == 10, "runs that lie in each other are spans of one");
    for (ssize_t i = 0; i < n; i++)
        good = good && spans[i].lo == (uint32_t)i && spans[i].hi == (uint32_t)i
               && idset_contains(spans[i].v->run, (uint32_t)i);
    ok(good, "in the order of their ids");
    free(spans);
    n = vertex_spans(rs->root->child, &spans);
    ok(n == 2 && spans[0].lo == 0 && spans[0].hi == 7 && spans[1].hi == 1,
       "a run without a gap is one span");
    free(spans);
    n = vertex_spans(rs->root->child->child, &spans);
    ok(n == 0, "nothing has no spans");
    free(spans);
    idset_destroy(odd);
    idset_destroy(some);
    rset_destroy(rs);
}

/* Single pools and runs may be siblings, in any order. */
static void test_mixed(void)
{
    struct rset *rs = ten_nodes(), *back;
    struct vertex *node = rs->root->child;
    struct idset *odd = set_of("1,3,5");
    struct diag d = {0};
    struct span *spans;
    char *text;
    size_t len;

    vertex_add(rs, node, "accel", 0);
    vertex_add(rs, node, "core", 9);
    vertex_split(rs, node->child, odd);
    vertex_sort_children(node);
    ok(vertex_spans(node, &spans) == 10, "spans of all of them");
    free(spans);
    text = rset_text(rs, &(struct rset_style){.form = FORM_JGF}, &len, &d);
    back = rset_read_text(text, len, "mixed", TRUST_NONE, &d);
    ok(back && rset_count(back, NULL, "core") == 90
           && rset_count(back, NULL, "gpu") == 20
           && rset_count(back, NULL, "accel") == 10,
       "all of them are in a graph");
    free(text);
    idset_destroy(odd);
    rset_destroy(back);
    rset_destroy(rs);
}

/* --- plain vertices ------------------------------------------------------- */

/* Read a graph of two vertices and write it; or return the fault. */
static char *graph_of(const char *metadata)
{
    struct diag d = {0};
    struct rset *rs;
    char *json, *text;
    size_t len;

    xasprintf(&json,
              "{\"graph\":{\"nodes\":[{\"id\":\"0\",\"metadata\":{\"type\":"
              "\"cluster\"}},{\"id\":\"1\",\"metadata\":{%s}}],\"edges\":["
              "{\"source\":\"0\",\"target\":\"1\"}]}}",
              metadata);
    rs = rset_read_text(json, strlen(json), "graph", TRUST_NONE, &d);
    text = rs ? rset_text(rs, &(struct rset_style){.form = FORM_AS_READ}, &len,
                          &d)
              : NULL;
    if (!text)
        xasprintf(&text, "%s: %s", d.where, d.text);
    rset_destroy(rs);
    free(json);
    return text;
}

/* A key with an escape is the same key, but takes the slow path. */
static void test_plain(void)
{
    static const char *const vertices[] = {
        "\"type\":\"node\"",
        "\"type\":\"node\",\"name\":\"n7\",\"rank\":3",
        "\"type\":\"node\",\"basename\":\"n\",\"id\":7,\"rank\":0,\"size\":1,"
        "\"unit\":\"\",\"properties\":{},\"exclusive\":true,\"paths\":"
        "{\"containment\":\"/cluster/n7\"}",
        "\"uuid\":\"u\",\"type\":\"memory\",\"size\":16,\"unit\":\"GB\",\"id\":"
        "-1,"
        "\"exclusive\":false,\"paths\":{\"containment\":\"/cluster/ram2\"}",
        "\"type\":\"gpu\",\"paths\":{\"containment\":\"/cluster/card3\"}",
        "\"type\":\"gpu\",\"paths\":{}",
        "\"type\":\"node\",\"rank\":4294967294",
        "\"type\":\"node\",\"rank\":4294967295",
        "\"type\":\"node\",\"rank\":-2",
        "\"type\":\"node\",\"size\":-1",
        "\"type\":\"node\",\"size\":0",
        "\"type\":\"core\",\"id\":-2",
        "\"type\":\"core\",\"name\":\"a/b\"",
        "\"type\":\"core\",\"name\":\"\"",
        "\"type\":\"core\",\"basename\":\"a/b\",\"id\":1",
        "\"type\":\"\"",
        "\"size\":1,\"size\":1,\"type\":\"core\"",
        "\"type\":\"core\",\"idd\":1",
        "\"type\":\"core\",\"status\":1,\"state\":\"up\"",
        "\"type\":\"core\",\"properties\":{\"a\":\"b\"},\"uniq_id\":4",
    };

    for (size_t i = 0; i < sizeof(vertices) / sizeof(*vertices); i++) {
        const char *text = vertices[i], *key = strstr(text, "type");
        char *escaped, *a, *b;
        xasprintf(&escaped, "%.*st\\u0079pe%s", (int)(key - text), text,
                  key + 4);
        a = graph_of(text);
        b = graph_of(escaped);
        is(a, b, "%s", text);
        free(escaped);
        free(a);
        free(b);
    }
}

/* --- layers --------------------------------------------------------------- */

struct applied {
    FILE *fp;
};

static void note_layers(struct rset *rs, const struct laid_ranks *on, void *arg)
{
    struct applied *a = arg;
    char *ranks = idset_encode(on->ranks);
    char *run = on->target ? idset_encode(on->target->run) : NULL;

    (void)rs;
    for (size_t i = 0; i < on->n; i++)
        fprintf(a->fp, "%u:%s/%s ", on->layers[i], ranks, run ? run : "none");
    free(ranks);
    free(run);
}

static void test_lay(void)
{
    struct rset *rs = ten_nodes();
    struct idset *one = set_of("0-5"), *two = set_of("4-9"), *none = set_of(""),
                 *out = set_of("3,10-12");
    struct layer layers[] = {{one, "a"}, {two, "b"}, {none, "c"}, {out, "d"}};
    struct applied a;
    char *text = NULL;
    size_t len;

    a.fp = open_memstream(&text, &len);
    rset_lay(rs, layers, 4, CUT_NOTHING, note_layers, &a);
    fputs("cut ", a.fp);
    rset_lay(rs, layers, 4, CUT_RUNS, note_layers, &a);
    fclose(a.fp);
    is(text,
       "0:0-2/0-9 0:3/0-9 3:3/0-9 0:4-5/0-9 1:4-5/0-9 1:6-9/0-9 3:10-12/none "
       "cut 0:0-2/0-2 0:3/3 3:3/3 0:4-5/4-5 1:4-5/4-5 1:6-9/6-9 3:10-12/none ",
       "layers over a run, which is whole or cut where they begin and end");
    free(text);
    ok(rset_count(rs, NULL, "core") == 80, "nothing is lost");
    is_short(rs, "rank[0-9]/core[0-7],gpu[0-1]", "and nothing changed");
    idset_destroy(one);
    idset_destroy(two);
    idset_destroy(none);
    idset_destroy(out);
    rset_destroy(rs);
}

/* --- selections ----------------------------------------------------------- */

static struct pick *add_pick(struct selection *sel, struct pick *parent,
                             struct vertex *v)
{
    struct pick *p = selection_pick(sel, v), **end = &parent->child;

    while (*end)
        end = &(*end)->next;
    return *end = p;
}

static void test_extract(void)
{
    struct rset *rs = ten_nodes(), *part;
    struct selection *sel = selection_create();
    struct pick *node, *core;
    struct idset *members;
    char *before = write_set(rs, FORM_AS_READ), *text;

    sel->picks = selection_pick(sel, rs->root);
    node = add_pick(sel, sel->picks, rs->root->child);
    node->first = 4;
    node->nmembers = 3;
    core = add_pick(sel, node, rs->root->child->child);
    core->first = 6;
    core->nmembers = 2;
    members = pick_members(node);
    text = text_of(members);
    is(text, "4-6", "a pick names members of a run");
    free(text);
    idset_destroy(members);
    part = rset_extract(rs, sel);
    is_short(part, "rank[4-6]/core[6-7]", "which become a set of their own");
    text = write_set(part, FORM_AS_READ);
    is(text,
       "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"4-6\","
       "\"children\":{\"core\":\"6-7\"}}],\"nodelist\":[\"n[4-6]\"]}}\n",
       "with their hosts");
    free(text);
    text = write_set(rs, FORM_AS_READ);
    is(text, before, "the set itself stays as it was");
    free(text);
    rset_destroy(part);
    selection_destroy(sel);

    sel = selection_create();
    part = rset_extract(rs, sel);
    is_short(part, "", "nothing selected is the set of nothing");
    rset_destroy(part);
    selection_destroy(sel);
    free(before);
    rset_destroy(rs);
}

/* --- order ---------------------------------------------------------------- */

/* Children get one order, whatever the order in which they came. */
static void test_order(void)
{
    static const struct {
        const char *type, *basename;
        int id;
    } pools[] = {{"gpu", "gpu", 0},   {"core", "core", 10},
                 {"core", "core", 9}, {"memory", "memory", -1},
                 {"core", "cpu", 9},  {"core", "core", 1}};
    char *want = NULL;
    bool good = true;

    for (int turn = 0; turn < 6; turn++) {
        struct rset *rs = rset_create();
        struct vertex *root = vertex_add(rs, NULL, "cluster", 0);
        char *got = NULL;
        size_t len;
        FILE *fp = open_memstream(&got, &len);
        for (int i = 0; i < 6; i++) {
            int k = (i * 5 + turn) % 6;
            struct vertex *v = vertex_add(rs, root, pools[k].type, pools[k].id);
            v->name = rset_name_by_id(rs, pools[k].basename, pools[k].id);
        }
        vertex_sort_children(root);
        for (struct vertex *v = root->child; v; v = v->next)
            fprintf(fp, "%s ", v->name);
        fclose(fp);
        if (!want)
            want = got;
        else {
            good = good && !strcmp(want, got);
            free(got);
        }
        rset_destroy(rs);
    }
    is(want, "core1 core9 cpu9 core10 gpu0 memory ", "type, id, name");
    ok(good, "in whatever order they came");
    free(want);
}

/* --- random documents ----------------------------------------------------- */

/* Return a part of some bits without those in `used`, and add it there. */
static unsigned part_of(unsigned bits, unsigned *used)
{
    unsigned part = bits & ~*used & random_below(1 << IDS);

    *used |= part;
    return part;
}

/*
 * Write one entry of records: a node, or some of its ids without other records.
 * Returns whether it wrote anything.
 */
static bool put_record(FILE *fp, const struct bits *b,
                       struct bits_node used[RANKS], const char *sep,
                       const char *who)
{
    int r = (int)random_below(RANKS);
    const struct bits_node *n = &b->node[r];
    unsigned ids[TYPES];
    bool any = false;

    if (!n->there || used[r].there)
        return false;
    if (one_in(4)) { /* the whole node, if no part of it is used */
        for (int t = 0; t < TYPES; t++)
            if (used[r].ids[t])
                return false;
        used[r].there = true;
        fprintf(fp, "%s{%s,\"R_lite\":[{\"rank\":\"%d\"}]}", sep, who, r);
        return true;
    }
    for (int t = 0; t < TYPES; t++)
        any = (ids[t] = part_of(n->ids[t], &used[r].ids[t])) || any;
    if (!any)
        return false;
    fprintf(fp, "%s{%s,\"R_lite\":[{\"rank\":\"%d\",\"children\":{", sep, who,
            r);
    sep = "";
    for (int t = 0; t < TYPES; t++) {
        if (!ids[t])
            continue;
        fprintf(fp, "%s\"%s\":\"", sep, type_names[t]);
        put_ids(fp, ids[t]);
        putc('"', fp);
        sep = ",";
    }
    fputs("}}]", fp);
    if (one_in(3) && !strstr(who, "state"))
        fprintf(fp, ",\"start\":%u,\"end\":%u.5", random_below(1000),
                1000 + random_below(1000));
    putc('}', fp);
    return true;
}

static void put_records(FILE *fp, const struct bits *b)
{
    static const char *const jobs[] = {"1", "2", "\"x y\"", "\"007\""};
    static const char *const states[] = {"down", "degraded", "failing",
                                         "unknown", "none"};
    struct bits_node used[RANKS] = {0}, stated[RANKS] = {0};
    static const char *const kinds[] = {"allocations", "reservations"};
    const char *sep;
    char who[40];

    for (int k = 0; k < 2; k++) {
        fprintf(fp, "\"%s\":[", kinds[k]);
        sep = "";
        for (int i = 0; i < 5; i++) {
            snprintf(who, sizeof(who), "\"job\":%s", jobs[random_below(4)]);
            if (put_record(fp, b, used, sep, who))
                sep = ",";
        }
        fputs("],", fp);
    }
    fputs("\"states\":[", fp);
    sep = "";
    for (int i = 0; i < 3; i++) {
        snprintf(who, sizeof(who), "\"state\":\"%s\"", states[random_below(5)]);
        if (put_record(fp, b, stated, sep, who))
            sep = ",";
    }
    putc(']', fp);
}

static unsigned random_ranks(const struct bits *b)
{
    unsigned ranks = 0;

    for (int r = 0; r < RANKS; r++)
        ranks |= b->node[r].there && one_in(2) ? 1U << r : 0;
    return ranks;
}

/* Write an R of the bits, with everything that an R can have. */
static char *random_document(void)
{
    struct bits b = random_bits(false);
    char *plain = bits_r(&b), *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);
    static const char *const names[] = {"big", "k=v", "k=w", "a@gpu", "+x"};

    plain[strlen(plain) - 2] = '\0'; /* `execution` continues */
    fputs(plain, fp);
    fputs(",\"properties\":{", fp);
    for (int i = 0; i < 5; i++) {
        fprintf(fp, "%s\"%s\":\"", i ? "," : "", names[i]);
        put_ids(fp, random_ranks(&b));
        putc('"', fp);
    }
    fputs("}", fp);
    if (one_in(2))
        fprintf(fp, ",\"starttime\":%u", 1 + random_below(100));
    if (one_in(2))
        fprintf(fp, ",\"expiration\":%u.25", 200 + random_below(100));
    fputs("},\"attributes\":{\"system\":{\"scheduler\":{\"queue\":\"q\",", fp);
    put_records(fp, &b);
    if (one_in(2)) {
        fputs(",\"exclusive\":\"", fp);
        put_ids(fp, random_ranks(&b));
        putc('"', fp);
    }
    fputs("}}}}", fp);
    fclose(fp);
    free(plain);
    return text;
}

static void test_random(long rounds)
{
    static const enum rset_form forms[] = {FORM_AS_READ,     FORM_R,
                                           FORM_JGF,         FORM_RV1,
                                           FORM_RV1_COMPACT, FORM_JGF_COMPACT};
    struct law fixed = {.name = "every form is a fixed point"};
    struct law back = {
        .name = "an R is the same after a conversion to a graph and back"};

    for (long i = 0; i < rounds; i++) {
        char *text = random_document(), *r = rewrite(text, FORM_R);
        for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
            char *once = rewrite(text, forms[f]);
            char *twice = once ? rewrite(once, forms[f]) : NULL;
            holds(&fixed, once && twice && !strcmp(once, twice),
                  "form %d of %s\n# %s\n# %s", (int)forms[f], text, once,
                  twice);
            if (forms[f] == FORM_RV1 || forms[f] == FORM_RV1_COMPACT) {
                char *again = rewrite(once, FORM_R);
                holds(&back, again && !strcmp(r, again), "%s\n# %s", r, again);
                free(again);
            }
            free(once);
            free(twice);
        }
        free(text);
        free(r);
    }
    law_end(&fixed);
    law_end(&back);
}

int main(void)
{
    long rounds = random_start(300);

    test_split();
    test_spans();
    test_mixed();
    test_plain();
    test_lay();
    test_extract();
    test_order();
    test_random(rounds);
    return done_testing();
}

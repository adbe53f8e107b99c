/* Sources: sets from descriptions, topologies and specifications. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/document/document.h"
#include "source/property.h"
#include "source/spec.h"
#include "source/topology.h"
#include "tap.h"

/* --- sets as text ------------------------------------------------------- */

static void print_vertex(const struct vertex *v, FILE *fp)
{
    const char *sep = "(";

    fputs(v->name ? v->name : v->type, fp);
    if (v->size != 1 || *v->unit)
        fprintf(fp, "=%lld%s", (long long)v->size, v->unit);
    for (unsigned i = 0; v->properties && i < v->properties->count; i++)
        fprintf(fp, "{%s=%s}", v->properties->list[i].key,
                v->properties->list[i].value);
    for (const struct vertex *c = v->child; c; c = c->next, sep = " ") {
        fputs(sep, fp);
        print_vertex(c, fp);
    }
    if (v->child)
        putc(')', fp);
}

/* Everything below the root: `HOST(socket0(core0(pu0)))`; for free(). */
static char *tree_text(struct rset *rs, const struct diag *d)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    if (!rs)
        fputs(diag_line(d).text, fp);
    else
        print_vertex(rs->root->child, fp);
    fclose(fp);
    rset_destroy(rs);
    return text;
}

/* Return the document, or the fault, for free(). */
static char *document_text(struct rset *rs, enum rset_form form, struct diag *d)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    if (!rs || rset_write_as(rs, &(struct rset_style){.form = form}, fp, d) < 0)
        fputs(diag_line(d).text, fp);
    fclose(fp);
    text[strcspn(text, "\n")] = '\0';
    rset_destroy(rs);
    return text;
}

static const struct topology_options common = {.types = TYPES_COMMON};

#define R "{\"version\":1,\"execution\":{\"R_lite\":["

/* --- synthetic descriptions --------------------------------------------- */

static void synthetic_trees(void)
{
    static const struct {
        const char *text, *want;
    } t[] = {
        {"pack:2 core:2 pu:2",
         "node0(memory0=1024MiB socket0(core0(pu0 pu1) core1(pu2 pu3)) "
         "socket1(core2(pu4 pu5) core3(pu6 pu7)))"},
        /* domains are beside their cores */
        {"pack:2 [numa(memory=2147483648)] core:1 pu:1",
         "node0(socket0(core0(pu0) memory0=2048MiB) "
         "socket1(core1(pu1) memory1=2048MiB))"},
        /* caches are left out, but not their contents */
        {"pack:1 l3:2 l2:1 core:1 pu:1",
         "node0(socket0(core0(pu0) core1(pu1) memory0=1024MiB))"},
        /* dies */
        {"pack:1 die:2 core:1 pu:1",
         "node0(socket0(die0(core0(pu0)) die1(core1(pu1)) memory0=1024MiB))"},
        /* groups at two levels have ids of one count */
        {"group:2 group:2 core:2 pu:1",
         "node0(group0(group2(core0(pu0) core1(pu1)) "
         "group3(core2(pu2) core3(pu3))) "
         "group1(group4(core4(pu4) core5(pu5)) "
         "group5(core6(pu6) core7(pu7))) memory0=1024MiB)"},
        /* threads without cores */
        {"pu:2", "node0(core0(pu0) core1(pu1) memory0=1024MiB)"},
        /* less than a MiB is not a pool */
        {"[numa(memory=4096)] core:1 pu:1", "node0(core0(pu0))"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct diag d = {0};
        char *got = tree_text(rset_from_synthetic(t[i].text, &common, &d), &d);

        is(got, t[i].want, "tree of \"%s\"", t[i].text);
        free(got);
    }
}

static void synthetic_r(void)
{
    struct diag d = {0};
    char *got = document_text(
        rset_from_synthetic("pack:2 core:4 pu:2", &common, &d), FORM_R, &d);

    is(got,
       R "{\"rank\":\"0\",\"children\":{\"core\":\"0-7\"}}],"
         "\"nodelist\":[\"node0\"]}}",
       "R of a description");
    free(got);
}

static void synthetic_faults(void)
{
    static const struct {
        const char *text, *want;
    } t[] = {
        {"", "\"\": hwloc does not take the end at offset 0"},
        {"pack:2 core:2",
         "\"pack:2 core:2\": hwloc does not take the end at offset 13"},
        {"pack:2 kern:2 pu:1",
         "\"pack:2 kern:2 pu:1\": hwloc does not take \"kern:2\" at offset 7"},
        {"pack:2 core:x pu:1",
         "\"pack:2 core:x pu:1\": hwloc does not take \"core:x\" at offset 7"},
        {"pack:2 core:0 pu:1",
         "\"pack:2 core:0 pu:1\": hwloc does not take \"core:0\" at offset 7"},
        {"pu:2 core:2",
         "\"pu:2 core:2\": hwloc does not take \"core:2\" at offset 5"},
        {"pack:2 [numa(memory=1) core:2 pu:1",
         "\"pack:2 [numa(memory=1) core:2 pu:1\": hwloc does not take "
         "\"[numa(memory=1)\" at offset 7"},
        {"pack:64 core:64 pu:17",
         "\"pack:64 core:64 pu:17\" makes more than 65536 processors"},
        {"4294967296 4294967296",
         "\"4294967296 4294967296\" makes more than 65536 processors"},
        {"core:99999999999999999999 pu:1",
         "\"core:99999999999999999999 pu:1\" makes more than 65536 "
         "processors"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct diag d = {0};
        char *got = tree_text(rset_from_synthetic(t[i].text, &common, &d), &d);

        is(got, t[i].want, "fault of \"%s\"", t[i].text);
        free(got);
    }
}

/* --- XML ---------------------------------------------------------------- */

/*
 * The first package of the fixture has a GPU that three backends show, one that
 * only LevelZero shows, a NIC, and disks: with a size, without one, and
 * removable. The second has a GPU in two partitions, each shown by RSMI and
 * OpenCL, and memory of a kind. Beside both are a network device, disks,
 * devices without a PCI device, which are no GPUs, and memory of a GPU.
 */
static void xml_devices(void)
{
    struct diag d = {0};
    char *got = tree_text(
        rset_from_xml("test/fixtures/hwloc-gpus.xml", &common, &d), &d);

    is(got,
       "gpu012("
       "socket0(core0(pu0) core1(pu1) gpu0{device=cuda0} gpu1{device=ze0} "
       "memory0=8192MiB nic0{device=eth0} storage0=960GB{device=nvme0n1}) "
       "socket1(core2(pu2) core3(pu3) gpu2{device=rsmi0} gpu3{device=rsmi1} "
       "memory1=4096MiB{kind=HBM}) "
       "storage1=35GB{device=sda})",
       "devices where they are, gpus counted once");
    free(got);
}

static void xml_host(void)
{
    struct diag d = {0};
    struct rset *rs = rset_from_xml("test/fixtures/hwloc-gpus.xml", &common,
                                    &d);
    const struct vertex *node = rs ? rs->root->child : NULL;

    ok(node && node->id == 12 && node->rank == 0, "id and rank of the node");
    is(node ? node->basename : NULL, "gpu", "basename of the node");
    is(rs ? rs->root->name : NULL, "cluster0", "name of the root");
    ok(rs && rs->document.halves == (HALF_EXECUTION | HALF_GRAPH),
       "both halves");
    ok(node && node->child->rank == 0, "its children have the rank");
    rset_destroy(rs);
}

/* hwloc's older format: domains are above packages. */
static void xml_version_1(void)
{
    struct diag d = {0};
    char *got = tree_text(
        rset_from_xml("test/fixtures/hwloc-v1.xml", &common, &d), &d);

    is(got, "old7(memory0=1024MiB socket0(core0(pu0 pu1) core1(pu2 pu3)))",
       "tree of XML of version 1");
    free(got);
}

/* --- this machine ------------------------------------------------------- */

static void machine(void)
{
    struct diag d = {0};
    char *first = document_text(rset_from_machine(&common, &d), FORM_JGF, &d);
    char *again = document_text(rset_from_machine(&common, &d), FORM_JGF, &d);
    char *both;

    ok(!strncmp(first, "{\"graph\":{\"nodes\":[", 19), "a graph");
    is(again, first, "an equal graph again");
    both = document_text(rset_from_machine(&common, &d), FORM_AS_READ, &d);
    ok(strstr(both, "\"execution\":") && strstr(both, "\"graph\":"),
       "it is held as both halves");
    free(first);
    free(again);
    free(both);
}

/* --- specifications ----------------------------------------------------- */

static void spec_documents(void)
{
    static const struct {
        struct spec spec;
        const char *want;
    } t[] = {
        {{.hosts = "a"},
         R "{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}],"
           "\"nodelist\":[\"a\"]}}"},
        {{.hosts = "n[0-999999]", .cores = "0-47", .gpus = "0-7"},
         R "{\"rank\":\"0-999999\",\"children\":{\"core\":\"0-47\","
           "\"gpu\":\"0-7\"}}],\"nodelist\":[\"n[0-999999]\"]}}"},
        {{.hosts = "b,a", .ranks = "5,9", .cores = "1,3"},
         R "{\"rank\":\"5,9\",\"children\":{\"core\":\"1,3\"}}],"
           "\"nodelist\":[\"b,a\"]}}"},
        {{.hosts = "a", .cores = "", .gpus = "4294967294"},
         R "{\"rank\":\"0\",\"children\":{\"core\":\"\","
           "\"gpu\":\"4294967294\"}}],\"nodelist\":[\"a\"]}}"},
        {{.hosts = "a", .ranks = "4294967294"},
         R "{\"rank\":\"4294967294\",\"children\":{\"core\":\"0\"}}],"
           "\"nodelist\":[\"a\"]}}"},
        {{.hosts = ""}, R "],\"nodelist\":[]}}"},
        {{.ranks = "", .cores = "0-3"}, R "],\"nodelist\":[]}}"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct diag d = {0};
        char *got = document_text(rset_from_spec(&t[i].spec, &d), FORM_R, &d);

        is(got, t[i].want, "specification %zu", i);
        free(got);
    }
}

static void spec_is_small(void)
{
    const struct spec spec = {.hosts = "n[0-999999]", .gpus = "0-7"};
    struct diag d = {0};
    struct rset *rs = rset_from_spec(&spec, &d);

    ok(rs && rs->nvertices == 4, "a million nodes are four vertices");
    ok(rs && rs->document.halves == HALF_EXECUTION, "and no graph");
    rset_destroy(rs);
}

/* Ranks without hosts are ranks of this one. */
static void spec_local(void)
{
    struct diag d = {0};
    struct rset *rs = rset_from_spec(&(struct spec){.ranks = "3-5"}, &d);
    char first[HOSTLIST_NAME_MAX] = "", last[HOSTLIST_NAME_MAX] = "?";

    if (rs) {
        rset_host(rs, 3, first);
        rset_host(rs, 5, last);
    }
    is(last, first, "one host for all ranks");
    rset_destroy(rs);
    rs = rset_from_spec(&(struct spec){.gpus = "0"}, &d);
    ok(rs && idset_count(rs->ranks) == 1 && rset_host(rs, 0, last) > 0,
       "one rank on this host");
    rset_destroy(rs);
}

static void spec_faults(void)
{
    static const struct {
        struct spec spec;
        const char *want;
    } t[] = {
        {{.hosts = "n[0-"},
         "hosts: \"n[0-\": bracket is not closed at offset 1"},
        {{.hosts = "a/b"},
         "hosts: \"a/b\": '/' is not allowed in the name of a host"},
        {{.hosts = "n[0-3]", .ranks = "0-2"}, "hosts: 4 hosts for 3 ranks"},
        {{.hosts = "n", .ranks = "0-2"}, "hosts: 1 host for 3 ranks"},
        {{.hosts = "n[0-1]", .ranks = "7"}, "hosts: 2 hosts for 1 rank"},
        {{.ranks = "2,1"}, "ranks: \"2,1\": 1 is out of order at offset 2"},
        {{.ranks = "0-4294967294"},
         "ranks: 4294967295 ranks are too many for one host"},
        {{.hosts = "a", .cores = "0-"},
         "cores: \"0-\": range has no end at offset 2"},
        {{.hosts = "a", .gpus = "x"},
         "gpus: \"x\": unexpected \"x\" at offset 0"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct diag d = {0};
        char *got = tree_text(rset_from_spec(&t[i].spec, &d), &d);

        is(got, t[i].want, "fault %zu of a specification", i);
        free(got);
    }
}

/* --- properties --------------------------------------------------------- */

/* Return the end of the R of four nodes with properties, or the fault. */
static char *with_properties(const char *const *texts, size_t n)
{
    struct diag d = {0};
    struct rset *rs = rset_from_spec(&(struct spec){.hosts = "a[0-3]"}, &d);
    char *text, *at;

    if (rset_add_properties(rs, texts, n, &d) < 0) {
        rset_destroy(rs);
        rs = NULL;
    }
    text = document_text(rs, FORM_R, &d);
    if ((at = strstr(text, ",\"properties\"")))
        memmove(text, at, strlen(at) + 1);
    return text;
}

static void properties(void)
{
    static const struct {
        const char *texts[3], *want;
    } t[] = {
        {{"amd"}, ",\"properties\":{\"amd\":\"0-3\"}}}"},
        {{"z:1-2", "a:2-3"}, ",\"properties\":{\"z\":\"1-2\",\"a\":\"2-3\"}}}"},
        {{"a:0", "a:2"}, ",\"properties\":{\"a\":\"0,2\"}}}"},
        {{"perf=3:1"}, ",\"properties\":{\"perf=3\":\"1\"}}}"},
        {{"x:y:0-1"}, ",\"properties\":{\"x:y\":\"0-1\"}}}"},
        {{"big:0", "none:"}, ",\"properties\":{\"big\":\"0\"}}}"},
        {{"a:4"}, "\"a:4\": rank 4 is not in the set"},
        {{"ok", "a:0-9"}, "\"a:0-9\": rank 4 is not in the set"},
        {{"a:z"}, "\"a:z\": there is no host \"z\""},
        {{""}, "\"\": a property must have a name"},
        {{":0"}, "\":0\": a property must have a name"},
        {{"a|b"}, "\"a|b\": '|' is not allowed in a property"},
        {{"a\xff"}, "\"a\\xff\": the name is not UTF-8"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        size_t n = t[i].texts[1] ? 2 : 1;
        char *got = with_properties(t[i].texts, n);

        is(got, t[i].want, "properties %zu", i);
        free(got);
    }
}

static void properties_of_a_graph(void)
{
    static const char *const texts[] = {"fast:0"};
    struct diag d = {0};
    struct rset *rs = rset_from_synthetic("pu:1", &common, &d);
    char *got;

    ok(rset_add_properties(rs, texts, 1, &d) == 0, "laid over a graph");
    got = document_text(rs, FORM_RV1, &d);
    ok(strstr(got, "\"properties\":{\"fast\":\"0\"}") != NULL, "in its R");
    ok(strstr(got, "\"properties\":{\"fast\":\"\"}") != NULL, "in its graph");
    free(got);
}

/* --- text --------------------------------------------------------------- */

static void utf8(void)
{
    static const struct {
        const char *text;
        int want;
    } t[] = {
        {"", 1},
        {"plain", 1},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", 1},
        {"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", 1},
        {"\xf4\x8f\xbf\xbf", 1},
        {"\x80", 0}, /* a continuation byte first */
        {"\xc3", 0}, /* ends early */
        {"\xe2\x82", 0},
        {"\xe2\x82z", 0},
        {"\xc1\xbf", 0}, /* overlong */
        {"\xe0\x9f\xbf", 0},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xed\xa0\x80", 0},     /* a surrogate */
        {"\xf4\x90\x80\x80", 0}, /* above U+10FFFF */
        {"\xff", 0},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
        ok(utf8_is(t[i].text) == t[i].want, "UTF-8 %zu", i);
}

int main(void)
{
    synthetic_trees();
    synthetic_r();
    synthetic_faults();
    xml_devices();
    xml_host();
    xml_version_1();
    machine();
    spec_documents();
    spec_is_small();
    spec_local();
    spec_faults();
    properties();
    properties_of_a_graph();
    utf8();
    return done_testing();
}

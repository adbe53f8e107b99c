/*
 * Documents that are refused: text, message and place. Each of them is read
 * alone, and as the last of a stream of good ones. documents.bats tests that
 * every program refuses what the reader refuses, and writes nothing.
 */
#include <stdbool.h>
#include <stdio.h>

#include "model/document/document.h"
#include "quotes.h"
#include "tap.h"

/* An R of two nodes. */
#define GOOD                                                         \
    "{'version':1,'execution':{'R_lite':[{'rank':'0-1','children':{" \
    "'core':'0-3'}}],'nodelist':['n[0-1]']}}"

/* --- parts of texts ----------------------------------------------------- */

/* An R with this text in its execution; an R of one entry with one host. */
#define EXECUTION(text) "{'version':1,'execution':{" text "}}"
#define NODELIST(text) EXECUTION("'R_lite':[],'nodelist':[]," text)
#define ENTRY(rank, children)                                   \
    EXECUTION("'R_lite':[{'rank':" rank ",'children':" children \
              "}],'nodelist':['n0']")
#define ONE_NODE "'R_lite':[{'rank':'0','children':{'core':'0'}}]"
#define HOST(name) EXECUTION(ONE_NODE ",'nodelist':['" name "']")
#define PROPERTY(name, ranks)                                               \
    EXECUTION(ONE_NODE ",'nodelist':['a'],'properties':{'" name "':'" ranks \
                       "'}")

/* A graph with a node "1" in a cluster "0"; one with a core in the node. */
#define GRAPH(nodes, edges)                                                   \
    "{'graph':{'nodes':[{'id':'0','metadata':{'type':'cluster','id':0}},"     \
    "{'id':'1','metadata':{'type':'node','id':0,'rank':0,'name':'n0'}}" nodes \
    "],'edges':[{'source':'0','target':'1'}" edges "]}}"
#define IN_NODE ",{'source':'1','target':'2'}"
#define VERTEX(metadata) \
    GRAPH(",{'id':'2','metadata':{'type':'core'," metadata "}}", IN_NODE)

/* An R with records. */
#define RECORDS(text)                                                 \
    "{'version':1,'execution':{'R_lite':[{'rank':'0-1','children':{"  \
    "'core':'0-3'}}],'nodelist':['n[0-1]']},'attributes':{'system':{" \
    "'scheduler':{" text "}}}}"
#define NODE_0 "'R_lite':[{'rank':'0'}]"
#define CORE_0 "'R_lite':[{'rank':'0','children':{'core':'0'}}]"

/*
 * In message and text `$` stands for each of the values, which are separated by
 * blanks. In a message `*` stands for anything, and `@` for a value and a
 * colon, or for "a list;" or "an object;".
 */
static const struct refused {
    const char *values, *message, *text;
} table[] = {
    /* --- the stream --- */
    {NULL, "line 1, column 2: input ends in the middle of a document", "{"},
    {NULL, "line 1, column 13: input ends in the middle of a document",
     "{'version':1"},
    {NULL, "*", GOOD "}"},
    {NULL, "*", GOOD "," GOOD},
    {NULL, "*", GOOD " garbage"},
    {"[] null true 1 'R'", "@ expected an object", "$"},
    {NULL, "line 1, column 14: duplicate object key 'version'",
     "{'version':1,'version':1}"},
    {"{'version':1,'execution':{'R_lite':[],'R_lite':[],'nodelist':[]}} "
     "{'version':1,'execution':{'nodelist':[],'nodelist':[]}} "
     "{'version':1,'execution':{'R_lite':[],'nodelist':[]},'execution':{}} "
     "{'version':1,'scheduling':{'graph':{},'graph':{}}} "
     "{'graph':{'nodes':[],'nodes':[]}} "
     "{'graph':{'nodes':[{'id':'0','id':'0','metadata':{}}]}} "
     "{'graph':{'nodes':[{'id':'0','metadata':{'type':'a','type':'a'}}]}} "
     "{'graph':{'nodes':{'0':{'metadata':{'type':'a'}},'0':{}}}} "
     "{'x':[{'a':{'b':1,'b':2}}]}",
     "*duplicate*", "$"},
    {NULL, "*duplicate*", ENTRY("'0','rank':'0'", "{}")},
    {NULL, "*duplicate*", ENTRY("'0'", "{'core':'0','core':'1'}")},
    {"\xff \xc3 \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x80", "*",
     "{'version':1,'x':'$'}"},
    {"\xff \xc3 \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x80", "*",
     "{'version':1,'$':1}"},
    {NULL, "version: '\\x1b[31m\\x0a': expected version 1",
     "{'version':'\\u001b[31m\\n'}"},
    {"9223372036854775808 -9223372036854775809 1e400 -1e400 1e-400 "
     "0.1234567890123456789 123456789012345678.5",
     "*", "{'version':1,'x':$,'execution':{'R_lite':[],'nodelist':[]}}"},

    /* --- R --- */
    {NULL, "an R needs a `version`",
     "{'execution':{'R_lite':[],'nodelist':[]}}"},
    {"'1'", "version: $: expected the number 1",
     "{'version':$,'execution':{'R_lite':[],'nodelist':[]}}"},
    {"2 0 -1 1.0 null [1]", "version: $: expected version 1",
     "{'version':$,'execution':{'R_lite':[],'nodelist':[]}}"},
    {",'scheduling':{} ,'attributes':{}",
     "an R needs `execution`, or a graph in `scheduling`", "{'version':1$}"},
    {NULL, "an R needs `execution`, or a graph in `scheduling`",
     "{'version':1}"},
    {NULL, "execution: R_lite is missing", "{'version':1,'execution':{}}"},
    {NULL,
     "execution.R_lite[0].rank: '3-0': range 3-0 does not ascend at offset 0",
     ENTRY("'3-0'", "{}")},
    {NULL,
     "execution.R_lite[0].children.core: '0-': range has no end at offset 2",
     ENTRY("'0'", "{'core':'0-'}")},
    {"0-4294967295 1,0 0,0 0-2,1 a -1 0x1 01 1- , [0 0-1-2 "
     "18446744073709551616 \\u0020 0,\\u00201",
     "execution.R_lite[0].rank: *", ENTRY("'$'", "{'core':'0'}")},
    {"0-4294967295 1,0 0,0 0-2,1 a -1 0x1 01 1- , [0 0-1-2 "
     "18446744073709551616 \\u0020 0,\\u00201",
     "execution.R_lite[0].children.core: *", ENTRY("'0'", "{'core':'$'}")},
    {NULL, "execution.nodelist: 1 hosts for 2 ranks",
     ENTRY("'0-1'", "{'core':'0'}")},
    {NULL, "execution.nodelist: 3 hosts for 2 ranks",
     EXECUTION("'R_lite':[{'rank':'0-1','children':{'core':'0'}}],"
               "'nodelist':['a','b[1-2]']")},
    {NULL, "execution.nodelist: 0 hosts for 1 ranks",
     EXECUTION("'R_lite':[{'rank':'5','children':{'core':'0'}}],"
               "'nodelist':[]")},
    {"0 0-1",
     "execution.R_lite[1].children.core: core[1,3] of rank 0 is in an earlier "
     "entry, too",
     EXECUTION("'R_lite':[{'rank':'0','children':{'core':'0-1,3'}},"
               "{'rank':'$','children':{'core':'1-3'}}],'nodelist':['a','b']")},
    {"2 2-9 0,2",
     "execution.R_lite[2].children.gpu: gpu[0] of rank 2 is in an earlier "
     "entry, too",
     EXECUTION("'R_lite':[{'rank':'0-5','children':{'core':'0'}},"
               "{'rank':'2-3','children':{'core':'1','gpu':'0'}},"
               "{'rank':'$','children':{'core':'2','gpu':'0-1'}}],"
               "'nodelist':['a[0-9]']")},
    {"null 1 'x' true", "execution.R_lite: @ expected a list",
     EXECUTION("'R_lite':$,'nodelist':[]")},
    {"null 1 'x' true", "execution.nodelist: @ expected a list",
     EXECUTION("'R_lite':[],'nodelist':$")},
    {"1 'x' [] true", "execution: @ expected an object",
     "{'version':1,'execution':$}"},
    {"1 'x' [] true", "scheduling: @ expected an object",
     "{'version':1,'scheduling':$}"},
    {"1 'x' [] true", "scheduling.graph: @ expected an object",
     "{'version':1,'scheduling':{'graph':$}}"},
    {"1 'x' [] true", "attributes: @ expected an object",
     "{'version':1,'attributes':$}"},
    {"1 'x' [] true", "execution.properties: @ expected an object",
     NODELIST("'properties':$")},
    {"1 'x' [] true", "execution.R_lite[0].children: @ expected an object",
     ENTRY("'0'", "$")},
    {"1 'x' [] true", "execution.R_lite[0]: @ expected an object",
     EXECUTION("'R_lite':[$],'nodelist':[]")},
    {"null 1 [] {} true",
     "execution.R_lite[0].rank: @ expected an idset in a string",
     ENTRY("$", "{}")},
    {"null 1 [] {} true",
     "execution.R_lite[0].children.core: @ expected an idset in a string",
     ENTRY("'0'", "{'core':$}")},
    {"null 1 [] {} true", "execution.nodelist[0]: @ expected a string",
     EXECUTION("'R_lite':[{'rank':'0','children':{}}],'nodelist':[$]")},
    {"'x' [] {} true -1 -0.5",
     "execution.starttime: $: expected seconds since the Epoch",
     NODELIST("'starttime':$")},
    {"'x' [] {} true -1 -0.5",
     "execution.expiration: $: expected seconds since the Epoch",
     NODELIST("'expiration':$")},
    {"5 'x' [1]", "attributes.system*",
     "{'version':1,'execution':{'R_lite':[],'nodelist':[]},"
     "'attributes':{'system':$}}"},
    {"5 'x' [1]", "attributes.system.scheduler*",
     "{'version':1,'execution':{'R_lite':[],'nodelist':[]},"
     "'attributes':{'system':{'scheduler':$}}}"},
    {"5 4", "execution.expiration: $ is not after the starttime 5",
     NODELIST("'starttime':5,'expiration':$")},
    {NULL, "execution.properties.big: rank 1 is not in the set",
     PROPERTY("big", "0-1")},
    {"! & \\u0027 ^ ` | ( ) \\\"",
     "execution.properties: * is not allowed in a property",
     PROPERTY("a$b", "0")},
    {"a[ a[1-0] a] a[x] a,,b a[0-4294967295]b", "execution.nodelist*",
     HOST("$")},
    {NULL, "execution.nodelist*", HOST("")},

    /* --- graphs --- */
    {"1 'x' [] null true", "graph: @ expected an object", "{'graph':$}"},
    {"1 'x' null true", "graph.nodes: $: expected an object or a list",
     "{'graph':{'nodes':$}}"},
    {"1 'x' null true", "graph.edges: @ expected a list",
     "{'graph':{'nodes':[],'edges':$}}"},
    {"1 'x' null true", "graph.nodes[0]: @ expected an object",
     "{'graph':{'nodes':[$]}}"},
    {"1 'x' null true", "graph.edges[0]: @ expected an object",
     "{'graph':{'nodes':[],'edges':[$]}}"},
    {"1 'x' null true", "graph.nodes[2].metadata: @ expected an object",
     GRAPH(",{'id':'2','metadata':$}", "")},
    {"'0' true [] {} 0.5", "graph.nodes[2].metadata.id: $: *",
     VERTEX("'id':$")},
    {"'0' true [] {} 0.5", "graph.nodes[2].metadata.rank: $: *",
     VERTEX("'rank':$")},
    {"'0' true [] {} 0.5", "graph.nodes[2].metadata.size: $: *",
     VERTEX("'size':$")},
    {"'0' true [] {} 0.5", "graph.nodes[2].metadata.uniq_id: $: *",
     VERTEX("'uniq_id':$")},
    {"true [] {} 0.5", "graph.nodes[2].metadata.status: $: *",
     VERTEX("'status':$")},
    {"1 true [] {}", "graph.nodes[2].metadata.basename: @ *",
     VERTEX("'basename':$")},
    {"1 true [] {}", "graph.nodes[2].metadata.name: @ *", VERTEX("'name':$")},
    {"1 true [] {}", "graph.nodes[2].metadata.unit: @ *", VERTEX("'unit':$")},
    {"1 true [] {}", "graph.nodes[2].metadata.uuid: @ *", VERTEX("'uuid':$")},
    {"1 true [] {}", "graph.nodes[2].metadata.state: $: *",
     VERTEX("'state':$")},
    {"1 'x'", "graph.nodes[2].metadata.exclusive: $: *",
     VERTEX("'exclusive':$")},
    {"1 'x'", "graph.nodes[2].metadata.properties: $: *",
     VERTEX("'properties':$")},
    {"1 'x'", "graph.nodes[2].metadata.paths: $: *", VERTEX("'paths':$")},
    {"1 'x'", "graph.nodes[2].metadata.allocations: $: *",
     VERTEX("'allocations':$")},
    {"1 'x'", "graph.nodes[2].metadata.reservations: $: *",
     VERTEX("'reservations':$")},
    {"1 'x'", "graph.nodes[2].metadata.shared: $: *", VERTEX("'shared':$")},
    {NULL, "graph.nodes[2].metadata.size: -1: *", VERTEX("'size':-1")},
    {NULL, "graph.nodes[2].metadata.id: -2: *", VERTEX("'id':-2")},
    {"-2 4294967295", "graph.nodes[2].metadata.rank: $: *", VERTEX("'rank':$")},
    {"2 -1", "graph.nodes[2].metadata.status: $: *", VERTEX("'status':$")},
    {NULL, "graph.edges[1].target: '9' is not among the vertices",
     GRAPH("", ",{'source':'1','target':'9'}")},
    {NULL, "graph.edges[1].source: '9' is not among the vertices",
     GRAPH("", ",{'source':'9','target':'1'}")},
    {NULL, "graph.edges[1].source: missing: expected a string",
     GRAPH("", ",{'target':'1'}")},
    {NULL, "graph.edges[1].target: {}: expected a string",
     GRAPH("", ",{'source':'1','target':{}}")},
    {NULL, "graph.edges[1].metadata.subsystem: 1: expected a string",
     GRAPH("", ",{'source':'0','target':'1','metadata':{'subsystem':1}}")},
    {NULL, "graph.edges[3]: '2' has two parents in containment",
     GRAPH(",{'id':'2','metadata':{'type':'core','id':0}}"
           ",{'id':'3','metadata':{'type':'node','id':1,'rank':1}}",
           IN_NODE ",{'source':'0','target':'3'},{'source':'3','target':'2'}")},
    {NULL, "graph.nodes[2]: 'cluster0' and 'rack0': containment has two roots",
     GRAPH(",{'id':'2','metadata':{'type':'rack','id':0}}", "")},
    {NULL, "graph.nodes[0]: containment runs in a circle: 'a' lies in 'c'",
     "{'graph':{'nodes':[{'id':'0','metadata':{'type':'a'}},"
     "{'id':'1','metadata':{'type':'b'}},{'id':'2','metadata':{'type':'c'}}],"
     "'edges':[{'source':'0','target':'1'},{'source':'1','target':'2'},"
     "{'source':'2','target':'0'}]}}"},
    {NULL,
     "graph.edges[1]: '1' and '0': containment has edges both ways, and "
     "neither relationships nor paths tell which is above",
     "{'graph':{'nodes':[{'id':'0','metadata':{'type':'a'}},"
     "{'id':'1','metadata':{'type':'b'}}],'edges':["
     "{'source':'0','target':'1'},{'source':'1','target':'0'}]}}"},
    {NULL, "graph.edges[1]: '1': an edge from a vertex to itself",
     GRAPH("", ",{'source':'1','target':'1'}")},
    {NULL, "*", /* a ring beside the tree */
     GRAPH(",{'id':'2','metadata':{'type':'a'}}"
           ",{'id':'3','metadata':{'type':'b'}}",
           ",{'source':'2','target':'3'},{'source':'3','target':'2'}")},
    {NULL, "graph.nodes[2].id: two vertices have the id '1'",
     GRAPH(",{'id':'1','metadata':{'type':'core','id':0}}", "")},
    {NULL, "*rank 0*",
     GRAPH(",{'id':'2','metadata':{'type':'node','id':1,'rank':0,"
           "'name':'n1'}}",
           ",{'source':'0','target':'2'}")},
    {NULL, "graph.nodes[3]: 'n0' holds two resources named 'core0'",
     GRAPH(",{'id':'2','metadata':{'type':'core','id':0}}"
           ",{'id':'3','metadata':{'type':'core','id':0}}",
           IN_NODE ",{'source':'1','target':'3'}")},
    {NULL, "graph: a graph of several vertices needs edges",
     "{'graph':{'nodes':[{'id':'0','metadata':{'type':'a'}},"
     "{'id':'1','metadata':{'type':'b'}}]}}"},
    {"'graphs':[{'nodes':[]},{'nodes':[]}] 'graphs':[] "
     "'graph':{'nodes':[]},'graphs':[{'nodes':[]}] "
     "'graph':{'nodes':[]},'graphs':[]",
     "*graph*", "{$}"},
    {NULL, "*hyperedges*", "{'graph':{'nodes':[],'hyperedges':[]}}"},

    /* --- records --- */
    {"'allocations':[5] 'allocations':[{}] 'allocations':[{'job':''}] "
     "'allocations':[{'job':-1}] 'allocations':[{'job':1.5}] "
     "'allocations':[{'job':null}] 'allocations':[{'job':1,'size':0}] "
     "'allocations':[{'job':1,'size':-1}] "
     "'allocations':[{'job':1,'size':'1'}] "
     "'allocations':[{'job':1,'start':-5}] "
     "'allocations':[{'job':1,'start':'x'}] "
     "'allocations':[{'job':1,'start':5,'end':5}] "
     "'shared':[{}] 'shared':[''] 'staged':'' 'staged':[] 'state':'odd'",
     "graph.nodes[2].metadata.*", VERTEX("$")},
    {"'allocations':[{'job':1,'size':2}] 'allocations':[{'job':1},{'job':2}] "
     "'size':4,'allocations':[{'job':1,'size':3},{'job':2,'size':3}] "
     "'size':9223372036854775807,'allocations':["
     "{'job':1,'size':9223372036854775807},"
     "{'job':2,'size':9223372036854775807}]",
     "graph*", VERTEX("$")},
    {"'allocations':5 'allocations':[5] 'allocations':[{}] "
     "'allocations':[{'job':1}] 'allocations':[{'job':1,'R_lite':5}] "
     "'allocations':[{'job':1,'R_lite':[{'rank':'9'}]}] "
     "'allocations':[{'job':1," NODE_0 ",'holds':'9'}] "
     "'allocations':[{'job':1," NODE_0 ",'holds':5}] "
     "'allocations':[{'job':1," NODE_0 ",'start':9,'end':8}] "
     "'states':[{'state':'odd'," NODE_0 "}] 'states':[{" NODE_0 "}] "
     "'shared':[{" NODE_0 "}] 'exclusive':5 'exclusive':'9'",
     "attributes.system.scheduler.*", RECORDS("$")},
    {"'core':'9' 'odd':'0'", "attributes.system.scheduler.*",
     RECORDS("'allocations':[{'job':1,'R_lite':["
             "{'rank':'0','children':{$}}]}]")},
    {NULL, "*",
     RECORDS("'allocations':[{'job':1," CORE_0 "},{'job':2," CORE_0 "}]")},
};
enum { TABLE = sizeof(table) / sizeof(table[0]) };

/* --- reading ------------------------------------------------------------ */

/* Read all of a text, and return the number of documents before the fault. */
static int read_all(const char *text, size_t len, struct diag *d)
{
    struct stream *s = stream_open_text(text, len, "in");
    struct rset *rs = NULL;
    int n = 0, rc;

    while ((rc = rset_read(s, TRUST_NONE, &rs, d)) == 1) {
        rset_destroy(rs);
        rs = NULL;
        n++;
    }
    stream_close(s);
    return rc < 0 && !rs ? n : -1;
}

/* Does a text match a pattern in which `*` is anything? */
static bool matches(const char *text, const char *pattern)
{
    for (; *pattern && *pattern != '*'; text++, pattern++)
        if (*text != *pattern)
            return false;
    if (!*pattern)
        return !*text;
    for (; *text; text++)
        if (matches(text, pattern + 1))
            return true;
    return !pattern[1];
}

/* Return a text with `$` replaced. */
static char *filled(const char *text, const char *value, size_t len)
{
    char *out = NULL, *quoted;
    size_t size;
    FILE *fp = open_memstream(&out, &size);

    for (; *text; text++) {
        if (*text == '@' && *value == '[')
            fputs("a list;", fp);
        else if (*text == '@' && *value == '{')
            fputs("an object;", fp);
        else if (*text == '@')
            fprintf(fp, "%.*s:", (int)len, value);
        else if (*text == '$')
            fwrite(value, 1, len, fp);
        else
            putc(*text, fp);
    }
    fclose(fp);
    quoted = with_quotes(out);
    free(out);
    return quoted;
}

/* The fault is in the document itself, not after it. */
static void refuse_alone(const char *text, const char *message)
{
    struct diag d = {0};
    struct diag_line line;

    read_all(text, strlen(text), &d);
    d.source[0] = '\0'; /* because good documents may come first in the text */
    line = diag_line(&d);
    if (!ok(matches(line.text, message), "refused: %.60s", text))
        printf("#   got: %s\n#  want: %s\n#    of: %s\n", line.text, message,
               text);
}

/* After two good ones the fault is in the third, or after it. */
static void refuse_late(const char *text)
{
    char *good = with_quotes(GOOD), *late;
    struct diag d = {0};
    int taken;

    if (asprintf(&late, "%s\n%s\n%s", good, good, text) < 0)
        abort();
    taken = read_all(late, strlen(late), &d);
    ok(taken >= 2 && d.source[3] == '1' + taken, "as the last of a stream");
    free(late);
    free(good);
}

static void refuse(const struct refused *r, const char *value, size_t len)
{
    char *text = filled(r->text, value, len);
    char *message = filled(r->message, value, len);

    refuse_alone(text, message);
    refuse_late(text);
    free(text);
    free(message);
}

static void test_table(void)
{
    for (size_t i = 0; i < TABLE; i++) {
        const char *value = table[i].values ? table[i].values : "";
        size_t len = strcspn(value, " ");
        refuse(&table[i], value, len);
        while (value[len]) {
            value += len + 1;
            len = strcspn(value, " ");
            refuse(&table[i], value, len);
        }
    }
}

/* --- changed texts ------------------------------------------------------ */

/* A truncated document is never taken for a shorter one. */
static void test_cuts(void)
{
    char *good = with_quotes(GOOD), want[1024];
    size_t size = strlen(good), wrong = 0;

    for (size_t len = 1; len < size; len++) {
        struct diag d = {0};
        snprintf(
            want, sizeof(want),
            "in: line 1, column %zu: input ends in the middle of a document",
            len + 1);
        wrong += read_all(good, len, &d) != 0
                 || strcmp(diag_line(&d).text, want) != 0;
    }
    ok(wrong == 0, "no cut of a document is a document");
    free(good);
}

/* `*` is a NUL byte. */
static void refuse_nul(const char *text)
{
    char *copy = with_quotes(text);
    size_t len = strlen(copy);
    struct diag d = {0};
    bool refused;

    for (char *p = copy; (p = memchr(p, '*', len - (size_t)(p - copy)));)
        *p = '\0';
    refused = read_all(copy, len, &d) >= 0;
    ok(refused && *diag_line(&d).text, "with NUL: %.60s", text);
    free(copy);
}

static void test_nul(void)
{
    static const char *const texts[] = {
        "*",
        "*" GOOD,
        GOOD "*",
        "{'version':1*," GOOD,
        "{*'version':1}",
        "{'version':1,'x':[1*]}",
        "{'version':1,'x':'a*'}",
        "{'version':1*,'execution':{'R_lite':[],'nodelist':[]}}",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        refuse_nul(texts[i]);
}

/* `depth` nested lists, with an `x` inside, complete or not. */
static char *nested(size_t depth, bool end)
{
    char *text = NULL;
    size_t size;
    FILE *fp = open_memstream(&text, &size);

    fputs("{\"x\":", fp);
    for (size_t i = 0; i < depth; i++)
        putc('[', fp);
    for (size_t i = 0; end && i < depth; i++)
        putc(']', fp);
    fputs(end ? "}" : "", fp);
    fclose(fp);
    return text;
}

static void test_nesting(void)
{
    for (int end = 0; end < 2; end++) {
        char *text = nested(end ? 5000 : 100000, end);
        struct diag d = {0};
        ok(read_all(text, strlen(text), &d) == 0,
           "deep nesting is refused, not overrun");
        free(text);
    }
}

static void test_small_number(void)
{
    struct diag d = {0};
    char *text;

    if (asprintf(&text,
                 "{\"version\":1,\"x\":0.%0400d1,\"execution\":{"
                 "\"R_lite\":[],\"nodelist\":[]}}",
                 0)
        < 0)
        abort();
    ok(read_all(text, strlen(text), &d) == 0,
       "a number that is too small is refused at any length");
    free(text);
}

int main(void)
{
    test_table();
    test_cuts();
    test_nul();
    test_nesting();
    test_small_number();
    return done_testing();
}

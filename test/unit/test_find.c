/*
 * Find expressions: the pools that each criterion finds in a small graph and in
 * an R with runs.
 */
#include "model/records/usage.h"
#include "request/find.h"

#include "model/document/document.h"
#include "quotes.h"
#include "request/evaluation.h"
#include "schedule/filter.h"
#include "sets.h"

/* --- the sets ------------------------------------------------------------- */

/*
 * cluster0: rack0: node0 (rank 0): core0 core1 gpu0 memory0 (16 GB)
 *                  node1 (rank 1): socket0: core0 core1
 *           rack1: node2 (rank 2): core0 memory0 (8 GiB)
 * power:    panel0 - pdu0 - node0, node1; panel0 and pdu0 not contained
 *
 * Job 8 has core0 and a quarter of the memory of node0, job 7 all of node1
 * from 100 to 200; node2 is reserved for 9 from 300 on.
 */
static const struct {
    const char *id, *parent, *feeds, *metadata;
} pools[] = {
    {"c", NULL, NULL, "'type':'cluster','id':0,'shared':[7,8,9]"},
    {"r0", "c", NULL, "'type':'rack','id':0,'shared':[7,8]"},
    {"r1", "c", NULL,
     "'type':'rack','id':1,'state':'degraded','tags':['old'],'shared':[9]"},
    {"n0", "r0", NULL,
     "'type':'node','id':0,'rank':0,'shared':[8],"
     "'properties':{'ssd':'','perf':'3'},"
     "'tags':{'row':'B 2','new':null,'n':4}"},
    {"n1", "r0", NULL,
     "'type':'node','id':1,'rank':1,"
     "'allocations':[{'job':7,'size':1,'start':100,'end':200}]"},
    {"n2", "r1", NULL,
     "'type':'node','id':2,'rank':2,'exclusive':true,"
     "'properties':{'perf':'4'},"
     "'reservations':[{'job':9,'size':1,'start':300}]"},
    {"c00", "n0", NULL,
     "'type':'core','id':0,'uuid':'u-1','allocations':[{'job':8,'size':1}]"},
    {"c01", "n0", NULL, "'type':'core','id':1"},
    {"g00", "n0", NULL, "'type':'gpu','id':0,'staged':5"},
    {"m00", "n0", NULL,
     "'type':'memory','id':0,'size':16,'unit':'GB',"
     "'allocations':[{'job':8,'size':4,'end':50}]"},
    {"s10", "n1", NULL, "'type':'socket','id':0,'state':'failing'"},
    {"c10", "s10", NULL, "'type':'core','id':0"},
    {"c11", "s10", NULL, "'type':'core','id':1,'state':'down'"},
    {"c20", "n2", NULL, "'type':'core','id':0"},
    {"m20", "n2", NULL, "'type':'memory','id':0,'size':8,'unit':'GiB'"},
    {"pdu", NULL, "n0", "'type':'supply','basename':'pdu','id':0"},
    {"pdu", NULL, "n1", NULL},
    {"panel", NULL, "pdu", "'type':'panel','id':0"},
};
enum { POOLS = sizeof(pools) / sizeof(*pools) };

static char *graph_document(void)
{
    char *text = NULL, *quoted;
    const char *sep = "";
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs("{'graph':{'nodes':[", fp);
    for (size_t i = 0; i < POOLS; i++)
        if (pools[i].metadata) {
            fprintf(fp, "%s{'id':'%s','metadata':{%s}}", sep, pools[i].id,
                    pools[i].metadata);
            sep = ",";
        }
    fputs("],'edges':[", fp);
    sep = "";
    for (size_t i = 0; i < POOLS; i++) {
        if (pools[i].parent)
            fprintf(fp, "%s{'source':'%s','target':'%s'}", sep, pools[i].parent,
                    pools[i].id);
        if (pools[i].feeds)
            fprintf(fp,
                    "%s{'source':'%s','target':'%s','metadata':"
                    "{'subsystem':'power'}}",
                    sep, pools[i].id, pools[i].feeds);
        if (pools[i].parent || pools[i].feeds)
            sep = ",";
    }
    fputs("]}}", fp);
    fclose(fp);
    quoted = with_quotes(text);
    free(text);
    return quoted;
}

/* Five ranks in two runs; two brokers share a host, and there are two kinds of
   hosts. */
static const char plain[] =
    "{'version':1,'execution':{'R_lite':["
    "{'rank':'0-2,4','children':{'core':'0-2'}},"
    "{'rank':'3','children':{'core':'0','gpu':'0-1'}}],"
    "'nodelist':['n[08-09],login,n[10,10]'],'properties':{'ssd':'0-1'}},"
    "'attributes':{'system':{'scheduler':{'allocations':["
    "{'job':7,'start':100,'holds':'0',"
    "'R_lite':[{'rank':'0','children':{'core':'0-2'}}]},"
    "{'job':8,'R_lite':[{'rank':'1','children':{'core':'1'}}]}],"
    "'states':[{'state':'down','R_lite':[{'rank':'4'}]}],"
    "'tags':[{'tag':'row','value':'B','R_lite':[{'rank':'2-3'}]}]}}}}";

/* --- searching ------------------------------------------------------------ */

/* `core1@0`: name and rank; `rack0`: a pool without a rank. */
static void put_found(const struct rset *rs, const struct member *m, FILE *fp)
{
    const struct member *t = m->target;
    char buf[VERTEX_NAME_MAX];
    const char *name = vertex_name(rs, m->v, m->id, buf);

    if (!t)
        fprintf(fp, " %s", name);
    else
        fprintf(fp, " %s@%u", name, t->left ? t->id : (uint32_t)t->v->rank);
}

/* Evaluate on a pool and all below it, in the order of the tree. */
static void ask_all(struct evaluation *ev, const struct rset *rs,
                    struct member *m, FILE *fp)
{
    struct span *spans;
    size_t n = vertex_spans(m->v, &spans);

    if (evaluation_holds(ev, m))
        put_found(rs, m, fp);
    for (size_t i = 0; i < n; i++) {
        for (uint32_t id = spans[i].lo; id <= spans[i].hi; id++) {
            struct idset *one = idset_create_range(id, id);
            struct member below;
            member_init(&below, spans[i].v, spans[i].v->run ? one : NULL, m);
            ask_all(ev, rs, &below, fp);
            idset_destroy(one);
        }
    }
    free(spans);
}

static char *found_in(const struct constraint *f, struct rset *rs)
{
    struct evaluation *ev = evaluation_create(f, usage_settle(rs));
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);
    struct member m;

    member_init(&m, rs->root, NULL, NULL);
    ask_all(ev, rs, &m, fp);
    for (const struct vertex *v = rs->loose; v; v = v->next) {
        member_init(&m, v, NULL, NULL);
        ask_all(ev, rs, &m, fp);
    }
    fclose(fp);
    evaluation_destroy(ev);
    return text;
}

static struct rset *read_quoted(const char *document)
{
    char *text = with_quotes(document);
    struct rset *rs = read_set(text);

    free(text);
    return rs;
}

/* The clock is 1000. */
static void finds(const char *document, const char *expression,
                  const char *want)
{
    struct rset *rs = read_quoted(document);
    char *got;
    struct diag d = {0};
    struct constraint *f = find_parse(expression, 250, &d);

    if (!f) {
        ok(false, "%s", expression);
        printf("# %s\n", diag_line(&d).text);
    } else {
        got = found_in(f, rs);
        is(*got ? got + 1 : got, want, "%s", expression);
        free(got);
    }
    constraint_destroy(f);
    rset_destroy(rs);
}

struct example {
    const char *expression, *want;
};

static const struct example in_graph[] = {
    /* types, names and ids */
    {"type=gpu", "gpu0@0"},
    {"type=gpu,socket", "gpu0@0 socket0@1"},
    {"type=Gpu", ""},
    {"type=core and type!=core", ""},
    {"basename=pdu", "pdu0"},
    {"name=node[1-5],rack1", "node1@1 rack1 node2@2"},
    {"name=node01", ""},
    {"id=1 and type!=core", "node1@1 rack1"},
    {"id=1-2", "core1@0 node1@1 core1@1 rack1 node2@2"},
    {"id>1", "node2@2"},
    {"id<1 and type=rack", "rack0"},
    {"id>=1 and id<=1 and type=rack", "rack1"},
    {"uuid=u-1,u-2", "core0@0"},
    {"uuid!=u-2", "core0@0"},
    {"unit=GB,GiB", "memory0@0 memory0@2"},
    {"unit='' and rank=0", "node0@0 core0@0 core1@0 gpu0@0"},
    {"exclusive", "node2@2"},
    /* sizes */
    {"size=16", "memory0@0"},
    {"size>=8GB", "memory0@0 memory0@2"},
    {"size>=9GB", "memory0@0"},
    {"size=16000MB", "memory0@0"},
    {"size='8192 MiB'", "memory0@2"},
    {"size!=16GB", "memory0@2"},
    {"size!=1", "memory0@0 memory0@2"},
    {"size>0EB", "memory0@0 memory0@2"},
    {"size=16Gbit", ""},
    /* places */
    {"rank=1-7", "node1@1 socket0@1 core0@1 core1@1 node2@2 core0@2 memory0@2"},
    {"rank!=0-1", "node2@2 core0@2 memory0@2"},
    {"rank<1 and type=core,gpu", "core0@0 core1@0 gpu0@0"},
    {"host=node[2-3]", "node2@2 core0@2 memory0@2"},
    {"host!=node[0-1] and type=core", "core0@2"},
    {"path=/cluster0/rack0/node1", "node1@1"},
    {"path=containment:/cluster0", "cluster0"},
    {"path=/cluster0/rack0/node1/*", "socket0@1 core0@1 core1@1"},
    {"path=/cluster0/rack7", ""},
    {"path=power:/panel0/pdu0/node1", "node1@1"},
    {"path=power:/pdu0", ""},
    {"path=network:/a", ""},
    {"subsystem=power", "node0@0 node1@1 panel0 pdu0"},
    {"not subsystem=containment", "panel0 pdu0"},
    {"subsystem=power,containment and type=panel,rack", "rack0 rack1 panel0"},
    /* properties, tags, states */
    {"property=ssd", "node0@0"},
    {"property=perf", "node0@0 node2@2"},
    {"property=perf=3", "node0@0"},
    {"property!=perf=3 and type=node", "node1@1 node2@2"},
    {"property=per", ""},
    {"tag=row", "node0@0"},
    {"tag='row=B 2'", "node0@0"},
    {"tag=row='B 2'", "node0@0"},
    {"tag=row=B", ""},
    {"tag=new or tag=old", "node0@0 rack1"},
    {"tag=n=4", "node0@0"},
    {"state=down", "core1@1"},
    {"state=failing,degraded",
     "socket0@1 core0@1 rack1 node2@2 core0@2 memory0@2"},
    {"status=up and type=node", "node0@0 node1@1"},
    {"status=down",
     "socket0@1 core0@1 core1@1 rack1 node2@2 core0@2 memory0@2"},
    {"state!=up and state!=degraded", "socket0@1 core0@1 core1@1"},
    /* jobs and times */
    {"allocated", "core0@0 memory0@0 node1@1 socket0@1 core0@1 core1@1"},
    {"allocated=8", "core0@0 memory0@0"},
    {"allocated!=8 and allocated", "node1@1 socket0@1 core0@1 core1@1"},
    {"allocated@99=7", ""},
    {"allocated@100=7", "node1@1 socket0@1 core0@1 core1@1"},
    {"allocated@200", "core0@0"},
    {"allocated@49", "core0@0 memory0@0"},
    {"allocated@now", "core0@0"},
    {"reserved", "node2@2 core0@2 memory0@2"},
    {"reserved@299", ""},
    {"reserved@+1h=9", "node2@2 core0@2 memory0@2"},
    {"reserved@1970-01-01T00:05:00Z and type=node", "node2@2"},
    {"shared=8", "cluster0 rack0 node0@0"},
    {"shared and not type=cluster", "rack0 node0@0 rack1"},
    {"staged", "gpu0@0"},
    {"staged=6", ""},
    {"start=100 and type=node", "node1@1"},
    {"start<100", "core0@0 memory0@0"},
    {"start!=100", "core0@0 memory0@0 node2@2 core0@2 memory0@2"},
    {"end<=50", "memory0@0"},
    {"end>now", "core0@0 node2@2 core0@2 memory0@2"},
    {"free", "core1@0 panel0 pdu0"},
    {"free@250 and type!=panel", "core1@0 memory0@0 node1@1 socket0@1 core0@1 "
                                 "core1@1 rack1 node2@2 core0@2 memory0@2 "
                                 "pdu0"},
    /* and, or, not */
    {"type=gpu or type=socket and rank=0", "gpu0@0"},
    {"(type=gpu or type=socket) and rank=1", "socket0@1"},
    {"not type=core and not type=node and rank=0", "gpu0@0 memory0@0"},
    {"not not type=gpu", "gpu0@0"},
    {"not(type=core or type=node)and rank=0", "gpu0@0 memory0@0"},
    {"  type = gpu\tor( rank = 1 and\ttype = 'socket' ) ", "gpu0@0 socket0@1"},
};

static const struct example in_plain[] = {
    {"type=gpu", "gpu0@3 gpu1@3"},
    {"rank=1,3-9 and type=node", "n09@1 n10@3 n10@4"},
    {"rank>=4", "n10@4 core0@4 core1@4 core2@4"},
    {"type=core and id=1-7 and rank<2", "core1@0 core2@0 core1@1 core2@1"},
    {"host=n[09-10] and type=core and id=0", "core0@1 core0@3 core0@4"},
    {"host=n9", ""},
    {"host=login", "login@2 core0@2 core1@2 core2@2"},
    {"name=n[08-10]", "n08@0 n09@1 n10@3 n10@4"},
    {"name=core[1-3],gpu1 and rank=0,3", "core1@0 core2@0 gpu1@3"},
    {"name=core01", ""},
    {"id=8,10 and type=node", "n08@0 n10@3 n10@4"},
    {"id!=8 and type=node", "n09@1 n10@3 n10@4"},
    {"basename=n", "n08@0 n09@1 n10@3 n10@4"},
    {"basename=node", "login@2"},
    {"basename=core and id=2 and rank=0", "core2@0"},
    {"path=/cluster0/n08/core1", "core1@0"},
    {"path=/cluster0/n10", "n10@3 n10@4"},
    {"path=/cluster0/n10/core0", "core0@3 core0@4"},
    {"path=/cluster0/login/*", "core0@2 core1@2 core2@2"},
    {"path=/cluster0/n9", ""},
    {"path=/cluster0/n08/core01", ""},
    {"path=/cluster0 or path=/cluster0/n09", "cluster0 n09@1"},
    {"property=ssd", "n08@0 n09@1"},
    {"tag=row=B", "login@2 n10@3"},
    {"status=down", "n10@4 core0@4 core1@4 core2@4"},
    {"allocated", "n08@0 core0@0 core1@0 core2@0 core1@1"},
    {"allocated@99", "core1@1"},
    {"allocated=8 or type=gpu and id=0", "core1@1 gpu0@3"},
    {"free and type=node", "login@2 n10@3 n10@4"},
    {"subsystem=containment and type=gpu", "gpu0@3 gpu1@3"},
};

static void test_examples(const char *document, const struct example *list,
                          size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].want)
            finds(document, list[i].expression, list[i].want);
}

/* --- without hosts, and with odd names ------------------------------------ */

static void test_no_hosts(void)
{
    static const char document[] =
        "{'version':1,'execution':{'R_lite':[{'rank':'0-19',"
        "'children':{'core':'0','l0':'0-3','l2':'0-30'}}]}}";

    finds(document, "name=node[3,05]", "node3@3");
    finds(document, "type=node and id=7-8", "node7@7 node8@8");
    finds(document, "basename=node and rank=2", "node2@2");
    finds(document, "host=node3", "");
    finds(document, "host!=node3", "");
    finds(document, "path=/cluster0/node19/core0", "core0@19");
    finds(document, "name=l[27-32,213,0214] and rank=0",
          "l27@0 l28@0 l29@0 l213@0");
    finds(document, "name=l[0-9],l[01-02] and rank=0", "l01@0 l02@0");
    finds(document, "path=/cluster0/node0/l213", "l213@0");
}

static void test_large_ids(void)
{
    static const char document[] =
        "{'version':1,'execution':{'R_lite':[{'rank':'0-3',"
        "'children':{}}],'nodelist':['n[4294967293-4294967296]']}}";

    finds(document, "id>4294967293",
          "n4294967294@1 n4294967295@2 n4294967296@3");
    finds(document, "id=4294967293-4294967294", "n4294967293@0 n4294967294@1");
    finds(document, "id!=4294967293 and rank!=1",
          "n4294967295@2 n4294967296@3");
}

/* --- more ----------------------------------------------------------------- */

static void test_select(const char *graph)
{
    struct rset *rs = read_quoted(plain), *part = NULL;
    struct diag d = {0};
    struct constraint *f = find_parse("type=core and id=1 and rank=0-1", 0, &d);
    struct filter filter = {.find = f};
    struct selection *sel = filter_select(rs, &filter);
    char *text,
        *want = with_quotes("{'version':1,'execution':{'R_lite':[{'rank':'0-1',"
                            "'children':{'core':'1'}}],'nodelist':['n[08-09]'],"
                            "'properties':{'ssd':'0-1'}}}\n");

    sel->records = false;
    part = rset_extract(rs, sel);
    text = write_set(part, FORM_R);
    is(text, want, "the matching pools are a set");
    free(text);
    free(want);
    selection_destroy(sel);
    rset_destroy(part);
    rset_destroy(rs);
    rs = read_quoted(graph);
    text = found_in(f, rs);
    is(text, " core1@0 core1@1",
       "an expression is for one set after the other");
    free(text);
    rset_destroy(rs);
    constraint_destroy(f);
}

static size_t count_picks(const struct pick *list)
{
    size_t n = 0;

    for (const struct pick *p = list; p; p = p->next)
        n += 1 + count_picks(p->child);
    return n;
}

/* A million ranks are cut into as few pieces as necessary. */
static void test_cost(void)
{
    struct rset *rs = read_quoted(
        "{'version':1,'execution':{'R_lite':[{'rank':'0-999999',"
        "'children':{'core':'0-4294967294'}}],"
        "'nodelist':['n[0-999999]']}}");
    struct diag d = {0};
    struct filter filter = {
        .find = find_parse("rank=7-500000 and id=1-4000000000 or "
                           "host=n[3-900000] and name=core9 or "
                           "path=/cluster0/n77/core1",
                           0, &d)};
    struct selection *sel = filter_select(rs, &filter);
    size_t n = count_picks(sel->picks);

    ok(n < 60, "a million ranks become %zu picks", n);
    selection_destroy(sel);
    constraint_destroy(filter.find);
    rset_destroy(rs);
}

int main(void)
{
    char *graph = graph_document();

    test_examples(graph, in_graph, sizeof(in_graph) / sizeof(*in_graph));
    test_examples(plain, in_plain, sizeof(in_plain) / sizeof(*in_plain));
    test_no_hosts();
    test_large_ids();
    test_select(graph);
    test_cost();
    free(graph);
    return done_testing();
}

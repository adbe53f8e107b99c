/*
 * Addressing pools by path and URI, in graphs and in sets of runs; attaching
 * and unlinking at these places.
 */
#include "model/change/subtree.h"

#include "model/document/document.h"
#include "quotes.h"
#include "sets.h"

static const char plain[] =
    "{'version':1,'execution':{'R_lite':[{'rank':'0-9','children':"
    "{'core':'0-7','gpu':'0'}}],'nodelist':['n[0-7],m,m']}}";

/* panel0 feeds pdu0, which feeds two nodes n in a rack named a: */
static const char graph[] =
    "{'graph':{'nodes':["
    "{'id':'c','metadata':{'type':'cluster','id':0}},"
    "{'id':'r','metadata':{'type':'rack','name':'a:'}},"
    "{'id':'n','metadata':{'type':'node','name':'n','rank':0}},"
    "{'id':'m','metadata':{'type':'node','name':'n','rank':1}},"
    "{'id':'k','metadata':{'type':'core','id':0}},"
    "{'id':'p','metadata':{'type':'panel','id':0}},"
    "{'id':'d','metadata':{'type':'pdu','id':0}}],'edges':["
    "{'source':'c','target':'r'},{'source':'r','target':'n'},"
    "{'source':'r','target':'m'},{'source':'m','target':'k'},"
    "{'source':'p','target':'d','metadata':{'subsystem':'power'}},"
    "{'source':'d','target':'n','metadata':{'subsystem':'power'}},"
    "{'source':'d','target':'m','metadata':{'subsystem':'power'}},"
    "{'source':'n','target':'m','metadata':{'subsystem':'chain'}}]}}";

static struct rset *read_quoted(const char *document)
{
    char *text = with_quotes(document);
    struct rset *rs = read_set(text);

    free(text);
    return rs;
}

/* Compare the place that a path leads to, or the message. */
static void leads(struct rset *rs, const char *path, const char *want)
{
    struct diag d = {0};
    struct lot *lot = rset_find_lot(rs, path, &d);
    char *got = lot ? lot_place(rs->usage, lot) : strdup(d.text);

    is(got, want, "%s", path);
    free(got);
}

static void test_plain(void)
{
    struct rset *rs = read_quoted(plain);
    char *before = write_set(rs, FORM_R), *after;

    leads(rs, "/cluster0", "/cluster0");
    leads(rs, "/cluster0/n3", "/cluster0/n3");
    leads(rs, "/cluster0/n3/core7", "/cluster0/n3/core7");
    leads(rs, "containment:/cluster0/n0/gpu0", "/cluster0/n0/gpu0");
    leads(rs, "/cluster0/n3/core8",
          "\"/cluster0/n3/core8\": there is no such resource");
    leads(rs, "/cluster0/n3/core07",
          "\"/cluster0/n3/core07\": there is no such resource");
    leads(rs, "/cluster0/n03/core0",
          "\"/cluster0/n03\": there is no such resource");
    leads(rs, "/cluster0/node3",
          "\"/cluster0/node3\": there is no such resource");
    leads(rs, "/cluster0/n3/core1/x",
          "\"/cluster0/n3/core1/x\": there is no such resource");
    leads(rs, "/cluster0/", "\"/cluster0/\": there is no such resource");
    leads(rs, "power:/n3", "\"power:/n3\": there is no such subsystem");
    leads(rs, "cluster0", "/cluster0");
    leads(rs, "cluster1", "\"cluster1\": there is no such resource");
    leads(rs, "a:b", "\"a:b\": there is no such resource");
    leads(rs, ":/x", "\":/x\": expected /PATH or SUBSYSTEM:/PATH");
    leads(rs, "/", "\"/\": expected /PATH or SUBSYSTEM:/PATH");
    after = write_set(rs, FORM_R);
    is(after, before, "the set means the same");
    free(before);
    free(after);
    rset_destroy(rs);
}

/* Return the number of lots at a path. */
static size_t number_at(struct rset *rs, const char *path)
{
    struct lots lots;
    struct diag d = {0};

    rset_find_lots(rs, path, &lots, &d);
    free(lots.list);
    return lots.n;
}

static void test_several(void)
{
    struct rset *rs = read_quoted(plain);
    struct lots lots;
    struct lot *lot;
    struct diag d = {0};
    char *place = vertex_place(rs, rs->root->child->child);

    is(place, "/cluster0/n[0-7],m,m/core[0-7]",
       "a run is named with all of its members");
    free(place);
    rset_find_lots(rs, "/cluster0/m/core2", &lots, &d);
    ok(lots.n == 1 && lots.list[0]->n == 1 && lots.list[0]->parent->n == 2,
       "all pools at a path of two brokers");
    free(lots.list);
    lot = rset_find_lot(rs, "/cluster0/m/core2", &d);
    ok(lot->parent->n == 1 && lot->parent->at == 8, "and the first of them");
    ok(number_at(rs, "/cluster0/m/core2") == 2, "now apart");
    ok(number_at(rs, "/cluster0/x") == 0, "no pool");
    ok(rset_find_lots(rs, "x:/", &lots, &d) == -1, "no path");
    rset_destroy(rs);
}

static void test_graph(void)
{
    struct rset *rs = read_quoted(graph);
    struct lots lots;
    struct diag d = {0};

    leads(rs, "/cluster0/a:", "/cluster0/a:");
    leads(rs, "/cluster0/a:/n/core0",
          "\"/cluster0/a:/n/core0\": there is no "
          "such resource");
    leads(rs, "power:/panel0/pdu0", "power:/panel0/pdu0");
    leads(rs, "power:/pdu0", "\"power:/pdu0\": there is no such resource");
    leads(rs, "power:/panel0/pdu0/x",
          "\"power:/panel0/pdu0/x\": there is no such resource");
    ok(number_at(rs, "/cluster0/a:/n") == 2, "two brokers");
    ok(number_at(rs, "/cluster0/a:/n/core0") == 1, "a pool of the second only");
    rset_find_lots(rs, "power:/panel0/pdu0/n", &lots, &d);
    ok(lots.n == 2 && lots.list[0]->v->rank == 0, "two of them by power");
    free(lots.list);
    rs->nlinks--;
    leads(rs, "power:/panel0/pdu0/n", "/cluster0/a:/n");
    rs->nlinks++;
    leads(rs, "chain:/n/n/n", "\"chain:/n/n/n\": there is no such resource");
    rset_destroy(rs);
}

/* --- unlink and attach ---------------------------------------------------- */

/* Return the R_lite and the hosts after a change, or the message. */
static char *result(struct rset *rs, int rc, const struct diag *d)
{
    char *text = rc == 0 ? write_set(rs, FORM_R) : NULL, *line;
    json_t *doc, *ex, *hosts;

    if (!text)
        return strdup(d->text);
    doc = json_loads(text, 0, NULL);
    ex = json_object_get(doc, "execution");
    hosts = json_array_get(json_object_get(ex, "nodelist"), 0);
    free(text);
    text = json_dumps(json_object_get(ex, "R_lite"), JSON_COMPACT);
    if (asprintf(&line, "%s %s", text, hosts ? json_string_value(hosts) : "-")
        < 0)
        abort();
    for (char *p = line; (p = strchr(p, '"'));)
        *p = '\'';
    free(text);
    json_decref(doc);
    return line;
}

static void unlinks(const char *document, const char *path, int status,
                    const char *want)
{
    struct rset *rs = read_quoted(document);
    struct diag d = {0};
    int rc = rset_unlink(rs, rset_find_lot(rs, path, &d), path, &d);
    char *got = result(rs, rc, &d);

    ok(rc == status, "unlink %s: %d", path, rc);
    is(got, want, "unlink %s", path);
    free(got);
    rset_destroy(rs);
}

static void test_unlink(void)
{
    static const char held[] =
        "{'version':1,'execution':{'R_lite':[{'rank':'0-2','children':"
        "{'core':'0-1'}}],'nodelist':['n[0-2]']},'attributes':{'system':"
        "{'scheduler':{'allocations':[{'job':7,'R_lite':[{'rank':'1',"
        "'children':{'core':'0'}}]},{'job':8,'R_lite':[{'rank':'0'}]}]}}}}";

    unlinks(held, "/cluster0/n2/core0", 0,
            "[{'rank':'0-1','children':{'core':'0-1'}},"
            "{'rank':'2','children':{'core':'1'}}] n[0-2]");
    unlinks(held, "/cluster0/n1/core1", 0,
            "[{'rank':'0,2','children':{'core':'0-1'}},"
            "{'rank':'1','children':{'core':'0'}}] n[0-2]");
    unlinks(held, "/cluster0/n2", 0,
            "[{'rank':'0-1','children':{'core':'0-1'}}] n[0-1]");
    unlinks(plain, "/cluster0", 0, "[] -");
    unlinks(held, "/cluster0/n1", 1, "\"core0\" is held by job 7");
    unlinks(held, "/cluster0/n0/core1", 1,
            "\"n0\" and its contents are held by job 8");
    unlinks(graph, "/cluster0/a:/n", 0,
            "[{'rank':'1','children':{'core':'0'}}] n");
    unlinks(graph, "power:/panel0/pdu0", 0,
            "[{'rank':'0','children':{'core':''}},"
            "{'rank':'1','children':{'core':'0'}}] n,n");
}

static void attaches(const char *document, const char *path, const char *more,
                     const char *want)
{
    struct rset *rs = read_quoted(document), *other = read_quoted(more);
    struct diag d = {0};
    struct lot *lot = rset_find_lot(rs, path, &d);
    char *got = result(rs, rset_attach(rs, lot, other, &d), &d);

    is(got, want, "attach to %s", path);
    free(got);
    rset_destroy(rs);
    rset_destroy(other);
}

/* Attach a graph of one vertex. */
static void attaches_one(const char *document, const char *path,
                         const char *metadata, const char *want)
{
    char more[200];

    snprintf(more, sizeof(more),
             "{'graph':{'nodes':[{'id':'0','metadata':{%s}}],'edges':[]}}",
             metadata);
    attaches(document, path, more, want);
}

static const char two[] =
    "{'version':1,'execution':{'R_lite':[{'rank':'0-1','children':"
    "{'core':'0'}}],'nodelist':['n[0-1]']}}";

static void test_attach_pool(void)
{
    attaches_one(two, "/cluster0/n1", "'type':'fpga','id':4",
                 "[{'rank':'0','children':{'core':'0'}},"
                 "{'rank':'1','children':{'core':'0','fpga':'4'}}] n[0-1]");
    attaches_one(two, "/cluster0/n1", "'type':'core','id':0",
                 "\"n1\" has a child \"core0\" already");
    attaches_one(
        two, "/cluster0/n1", "'type':'memory','id':0,'size':4",
        "\"memory0\": a node of a set without a graph can contain only "
        "resources with an id, of size 1 and without contents");
    attaches_one(
        two, "/cluster0/n1/core0", "'type':'pu','id':0",
        "\"core0\": in a set without a graph it can't contain resources");
    attaches_one(two, "/cluster0", "'type':'core','id':0",
                 "\"core0\" has no rank: the root of a set without a graph can "
                 "contain only nodes");
}

static void test_attach_nodes(void)
{
    static const char more[] =
        "{'version':1,'execution':{'R_lite':[{'rank':'3','children':"
        "{'fpga':'0'}}],'nodelist':['m']}}";

    attaches(two, "/cluster0", more,
             "[{'rank':'0-1','children':{'core':'0'}},"
             "{'rank':'3','children':{'core':'','fpga':'0'}}] n[0-1],m");
    attaches_one(two, "/cluster0", "'type':'node','name':'x','rank':7",
                 "[{'rank':'0-1','children':{'core':'0'}},"
                 "{'rank':'7','children':{'core':''}}] n[0-1],x");
    attaches(two, "/cluster0", two, "rank 0: two nodes have this rank");
    attaches(two, "/cluster0/n1", more,
             "\"n1\" has rank 1: resources with another rank can't be attached "
             "there");
    attaches(graph, "/cluster0/a:", more,
             "[{'rank':'0,3','children':{'core':''}},"
             "{'rank':'1','children':{'core':'0'}}] n,n,m");
    attaches_one(graph, "/cluster0", "'type':'rack','name':'a:'",
                 "\"cluster0\" has a child \"a:\" already");
}

int main(void)
{
    test_plain();
    test_several();
    test_graph();
    test_unlink();
    test_attach_pool();
    test_attach_nodes();
    return done_testing();
}

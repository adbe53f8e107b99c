/* Constraints: their objects (RFC 31), and constraints that are built in
   code. */
#include "constraints.h"

/* --- objects ------------------------------------------------------------ */

static const struct good objects[] = {
    /* one operator */
    {"{'properties':['a']}", "{'properties':['a']}", "0-3"},
    {"{'properties':['a','b']}", "{'properties':['a','b']}", "2-3"},
    {"{'properties':['^a']}", "{'properties':['^a']}", "4-7"},
    {"{'properties':['b','^a']}", "{'properties':['b','^a']}", "4-5"},
    {"{'properties':['none']}", "{'properties':['none']}", ""},
    {"{'properties':['^none']}", "{'properties':['^none']}", "0-7"},
    {"{'properties':['k=v']}", "{'properties':['k=v']}", "4-5"},
    {"{'properties':['k']}", "{'properties':['k']}", "4-6"},
    {"{'properties':['k','^k=v']}", "{'properties':['k','^k=v']}", "6"},
    {"{'properties':['v']}", "{'properties':['v']}", ""},
    {"{'properties':['amd@gpu']}", "{'properties':['amd@gpu']}", "7"},
    {"{'properties':['amd']}", "{'properties':['amd']}", ""},
    {"{'properties':['n7']}", "{'properties':['n7']}", "0"},
    {"{'properties':['n6']}", "{'properties':['n6']}", ""},
    {"{'properties':['a','a']}", "{'properties':['a','a']}", "0-3"},
    {"{'hostlist':['n3']}", "{'hostlist':['n3']}", "3"},
    {"{'hostlist':['n[5,1]','n7,n6']}", "{'hostlist':['n[5,1]','n7,n6']}",
     "1,5-7"},
    {"{'hostlist':['n[6-12],m1,n06']}", "{'hostlist':['n[6-12],m1,n06']}",
     "6-7"},
    {"{'hostlist':['n1 n2']}", "{'hostlist':['n1 n2']}", "1-2"},
    {"{'hostlist':['a']}", "{'hostlist':['a']}", ""},
    {"{'ranks':['0,2','5-6']}", "{'ranks':['0,2','5-6']}", "0,2,5-6"},
    {"{'ranks':['6-4294967294']}", "{'ranks':['6-4294967294']}", "6-7"},
    {"{'ranks':['8']}", "{'ranks':['8']}", ""},
    {"{'ranks':['[1-2]']}", "{'ranks':['[1-2]']}", "1-2"},
    {"{'not':[{'ranks':['1']}]}", "{'not':[{'ranks':['1']}]}", "0,2-7"},
    /* without operands */
    {"{}", "{}", "0-7"},
    {"{'and':[]}", "{}", "0-7"},
    {"{'or':[]}", "{}", "0-7"},
    {"{'not':[]}", "{'not':[{'and':[]}]}", ""},
    {"{'properties':[]}", "{}", "0-7"},
    {"{'hostlist':[]}", "{'hostlist':[]}", ""},
    {"{'hostlist':['']}", "{'hostlist':['']}", ""},
    {"{'ranks':[]}", "{'ranks':[]}", ""},
    {"{'ranks':['']}", "{'ranks':['']}", ""},
    {"{'and':[{}]}", "{}", "0-7"},
    {"{'or':[{}]}", "{}", "0-7"},
    {"{'not':[{}]}", "{'not':[{'and':[]}]}", ""},
    {"{'and':[{},{'ranks':['1']},{'or':[]}]}", "{'ranks':['1']}", "1"},
    {"{'or':[{},{'ranks':['1']}]}", "{'or':[{'and':[]},{'ranks':['1']}]}",
     "0-7"},
    {"{'or':[{'or':[]},{'ranks':['1']}]}",
     "{'or':[{'and':[]},{'ranks':['1']}]}", "0-7"},
    {"{'or':[{'not':[]},{'ranks':['1']}]}",
     "{'or':[{'not':[{'and':[]}]},{'ranks':['1']}]}", "1"},
    {"{'not':[{'not':[]}]}", "{'not':[{'not':[{'and':[]}]}]}", "0-7"},
    /* several */
    {"{'and':[{'properties':['a']},{'ranks':['3-9']}]}",
     "{'and':[{'properties':['a']},{'ranks':['3-9']}]}", "3"},
    {"{'or':[{'properties':['a']},{'hostlist':['n7']}]}",
     "{'or':[{'properties':['a']},{'hostlist':['n7']}]}", "0-3,7"},
    {"{'not':[{'properties':['a']},{'properties':['b']}]}",
     "{'not':[{'properties':['a','b']}]}", "0-1,4-7"},
    {"{'not':[{'properties':['a']},{'ranks':['0']}]}",
     "{'not':[{'and':[{'properties':['a']},{'ranks':['0']}]}]}", "1-7"},
    /* normalised */
    {"{'and':[{'properties':['a']}]}", "{'properties':['a']}", "0-3"},
    {"{'or':[{'properties':['a']}]}", "{'properties':['a']}", "0-3"},
    {"{'and':[{'properties':['a']},{'properties':['b']}]}",
     "{'properties':['a','b']}", "2-3"},
    {"{'and':[{'properties':['a']},{'ranks':['2']},{'properties':['b']}]}",
     "{'and':[{'properties':['a','b']},{'ranks':['2']}]}", "2"},
    {"{'and':[{'and':[{'properties':['a']},{'ranks':['2-4']}]},"
     "{'and':[{'ranks':['3-5']},{'properties':['b']}]}]}",
     "{'and':[{'properties':['a','b']},{'ranks':['2-4']},"
     "{'ranks':['3-5']}]}",
     "3"},
    {"{'or':[{'or':[{'ranks':['1']},{'ranks':['2']}]},{'ranks':['3']},"
     "{'or':[{'ranks':['4']},{'ranks':['5']}]}]}",
     "{'or':[{'ranks':['1']},{'ranks':['2']},{'ranks':['3']},"
     "{'ranks':['4']},{'ranks':['5']}]}",
     "1-5"},
    {"{'or':[{'and':[{'or':[{'ranks':['1']},{'ranks':['2']}]}]},"
     "{'ranks':['3']}]}",
     "{'or':[{'ranks':['1']},{'ranks':['2']},{'ranks':['3']}]}", "1-3"},
};

static const struct bad bad_objects[] = {
    {"[]", "[]: a constraint is an object"},
    {"null", "null: a constraint is an object"},
    {"{'and':[1]}", "and[0]: 1: a constraint is an object"},
    {"{'and':[],'or':[]}",
     "{\"and\":[],\"or\":[]}: a constraint has one operator"},
    {"{'properties':['a'],'x':1}",
     "{\"properties\":[\"a\"],\"x\":1}: a constraint has one operator"},
    {"{'not':[{'foo':[]}]}", "not[0]: \"foo\": unknown operator"},
    {"{'':[]}", "\"\": unknown operator"},
    {"{'AND':[]}", "\"AND\": unknown operator"},
    {"{'host':['n1']}", "\"host\": unknown operator; near it: hostlist"},
    {"{'userid':[1]}", "\"userid\": unknown operator"},
    /* values */
    {"{'and':{}}", "and: {}: the value of an operator is an array"},
    {"{'or':null}", "or: null: the value of an operator is an array"},
    {"{'not':{'properties':['a']}}",
     "not: {\"properties\":[\"a\"]}: the value of an operator is an array"},
    {"{'properties':'a'}",
     "properties: \"a\": the value of an operator is an array"},
    {"{'hostlist':'n1'}",
     "hostlist: \"n1\": the value of an operator is an array"},
    {"{'and':[{'ranks':'0'}]}",
     "and[0].ranks: \"0\": the value of an operator is an array"},
    {"{'properties':['a',5]}", "properties[1]: 5: expected a string"},
    {"{'ranks':[0]}", "ranks[0]: 0: expected a string"},
    {"{'hostlist':[['n1']]}", "hostlist[0]: [\"n1\"]: expected a string"},
    /* properties */
    {"{'properties':['']}", "properties[0]: \"\": a property must have a name"},
    {"{'properties':['^']}",
     "properties[0]: \"^\": a property must have a name"},
    {"{'and':[{},{'properties':['a|b']}]}",
     "and[1].properties[0]: \"a|b\": '|' is not allowed in a property"},
    {"{'properties':['^^a']}",
     "properties[0]: \"^^a\": '^' is not allowed in a property"},
    {"{'properties':['a^']}",
     "properties[0]: \"a^\": '^' is not allowed in a property"},
    {"{'properties':['!a']}",
     "properties[0]: \"!a\": '!' is not allowed in a property"},
    {"{'properties':['a&']}",
     "properties[0]: \"a&\": '&' is not allowed in a property"},
    {"{'properties':['a(b']}",
     "properties[0]: \"a(b\": '(' is not allowed in a property"},
    {"{'properties':['a)b']}",
     "properties[0]: \"a)b\": ')' is not allowed in a property"},
    {"{'properties':['a`b']}",
     "properties[0]: \"a'b\": ''' is not allowed in a property"},
    {"{'properties':['a\\'b']}",
     "properties[0]: \"a\"b\": '\"' is not allowed in a property"},
    {"{'properties':['\\u0060']}",
     "properties[0]: \"`\": '`' is not allowed in a property"},
    /* sets */
    {"{'hostlist':['n1','n[']}",
     "hostlist[1]: \"n[\": bracket is not closed at offset 1"},
    {"{'hostlist':['n[1-9999999]']}",
     "hostlist[0]: \"n[1-9999999]\": more than 1048576 hosts"},
    {"{'or':[{'not':[{'ranks':['0','5-2']}]}]}",
     "or[0].not[0].ranks[1]: \"5-2\": range 5-2 does not ascend at offset 0"},
    {"{'ranks':['4294967295']}",
     "ranks[0]: \"4294967295\": 4294967295 is larger than 4294967294 at "
     "offset 0"},
    {"{'ranks':['0 1']}",
     "ranks[0]: \"0 1\": unexpected white space at offset 1"},
    /* text */
    {"", "line 1, column 1: input ends in the middle of a document"},
    {"{", "line 1, column 2: input ends in the middle of a document"},
    {"{} {}", "line 1, column 4: \"{\": expected the end of the text"},
    {"{'and':[],'and':[]}", "line 1, column 11: duplicate object key \"and\""},
};

static void test_object(const struct good *t)
{
    struct diag d = {0};
    char *text = unquote(t->text);

    check(constraint_from_string(text, &d), &d, t->text, t->canonical,
          t->ranks);
    free(text);
}

static void test_bad_object(const struct bad *t)
{
    struct diag d = {0};
    char *text = unquote(t->text);

    refused(constraint_from_string(text, &d), &d, text, t->error);
    free(text);
}

/* --- nesting ------------------------------------------------------------ */

/* Nest n levels deep in this way. */
static char *nested(int n, const char *open, const char *inner,
                    const char *close)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int i = 1; i < n; i++)
        fputs(open, fp);
    fputs(inner, fp);
    for (int i = 1; i < n; i++)
        fputs(close, fp);
    fclose(fp);
    return text;
}

static void
test_depth(struct constraint *(*reader)(const char *text, struct diag *d),
           int most, const char *open, const char *inner, const char *close)
{
    for (int n = most; n <= most + 1; n++) {
        char *text = nested(n, open, inner, close);
        struct diag d = {0};
        struct constraint *c = reader(text, &d);

        ok(!c == (n > most), "%d levels of %s are %s", n, open,
           n > most ? "refused" : "read");
        is(d.text,
           n > most ? "constraints are nested deeper than 100 levels" : "",
           "... with their fault");
        free(text);
        constraint_destroy(c);
    }
}

static void test_depths(void)
{
    test_depth(constraint_from_string, 100, "{\"not\":[", "{}", "]}");
    test_depth(constraint_from_string, 99, "{\"not\":[",
               "{\"not\":[{\"ranks\":[]}]}", "]}");
    test_depth(constraint_from_string, 100, "{\"and\":[", "{\"ranks\":[]}",
               "]}");
    /* a `not` of two has an `and` in between */
    test_depth(constraint_from_string, 50, "{\"not\":[{\"ranks\":[]},",
               "{\"not\":[]}", "]}");
    test_depth(constraint_from_requires, 101, "(", "a", ")");
    test_depth(constraint_from_requires, 100, "not ", "a", "");
    test_depth(constraint_from_requires, 100, "not(", "a", ")");
    test_depth(constraint_from_requires, 50, "a and(b or ", "a and b", ")");
}

/* --- built in code ------------------------------------------------------ */

static struct constraint *of_property(const char *name)
{
    struct diag d = {0};

    return constraint_from_requires(name, &d);
}

static void test_constructors(void)
{
    struct diag d = {0};
    struct idset *ranks = idset_create_range(3, 5);
    struct hostlist *hosts = hostlist_create();
    struct constraint *list[4];

    check(constraint_from_ranks(ranks), &d, "ranks", "{'ranks':['3-5']}",
          "3-5");
    check(constraint_from_hosts(hosts, &d), &d, "no hosts", "{'hostlist':[]}",
          "");
    hostlist_decode(hosts, "n[4-9],x", 8, &d);
    check(constraint_from_hosts(hosts, &d), &d, "hosts",
          "{'hostlist':['n[4-9],x']}", "4-7");
    check(of_property("^b"), &d, "a property", "{'properties':['^b']}",
          "0-1,6-7");
    check(constraint_and(NULL, 0, &d), &d, "and of none", "{}", "0-7");
    list[0] = of_property("a");
    list[1] = constraint_not(constraint_from_hosts(hosts, &d), &d);
    list[2] = constraint_from_requires("b or rank:3", &d);
    list[3] = constraint_from_requires("rank:0-3 ^none", &d);
    check(constraint_and(list, 4, &d), &d, "and of options",
          "{'and':[{'properties':['a','^none']},{'not':[{'hostlist':["
          "'n[4-9],x']}]},{'or':[{'properties':['b']},{'ranks':['3']}]},"
          "{'ranks':['0-3']}]}",
          "2-3");
    hostlist_destroy(hosts);
    idset_destroy(ranks);
}

static void test_too_deep(void)
{
    struct diag d = {0};
    struct constraint *c = of_property("a");

    for (int i = 1; c && i < CONSTRAINT_DEPTH_MAX; i++)
        c = constraint_not(c, &d);
    ok(c != NULL, "99 times not");
    c = constraint_not(c, &d);
    refused(c, &d, "the hundredth not",
            "constraints are nested deeper than 100 levels");
}

/* --- other sets --------------------------------------------------------- */

static void holds_for(const char *r, const char *text, const char *ranks)
{
    struct diag d = {0};
    struct constraint *c = constraint_from_requires(text, &d);
    char *got = ranks_text(c, r);

    is(got, ranks, "%s holds for \"%s\" of %.40s...", text, ranks, r);
    free(got);
    constraint_destroy(c);
}

/* Properties of racks and cores are not properties of targets. */
static const char graph[] =
    "{\"graph\":{\"nodes\":["
    "{\"id\":\"0\",\"metadata\":{\"type\":\"cluster\",\"rank\":-1}},"
    "{\"id\":\"1\",\"metadata\":{\"type\":\"rack\",\"rank\":-1,"
    "\"properties\":{\"p\":\"\"}}},"
    "{\"id\":\"2\",\"metadata\":{\"type\":\"node\",\"rank\":4,"
    "\"name\":\"x4\",\"properties\":{\"k\":\"v\",\"n\":5}}},"
    "{\"id\":\"3\",\"metadata\":{\"type\":\"storage_node\",\"rank\":9,"
    "\"name\":\"s9\",\"properties\":{\"k\":\"\"}}},"
    "{\"id\":\"4\",\"metadata\":{\"type\":\"core\",\"rank\":9,\"id\":0,"
    "\"properties\":{\"p\":\"\"}}}],\"edges\":["
    "{\"source\":\"0\",\"target\":\"1\"},{\"source\":\"1\",\"target\":\"2\"},"
    "{\"source\":\"0\",\"target\":\"3\"},{\"source\":\"3\",\"target\":\"4\"}"
    "]}}";

static void test_sets(void)
{
    static const char no_hosts[] =
        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-3\","
        "\"children\":{\"core\":\"0\"}}]}}";
    static const char empty[] =
        "{\"version\":1,\"execution\":{\"R_lite\":[],\"nodelist\":[]}}";
    static const char large[] =
        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-999999\","
        "\"children\":{\"core\":\"0\"}}],\"nodelist\":[\"n[0-999999]\"],"
        "\"properties\":{\"p\":\"10-999990\"}}}";
    static const char shared[] =
        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"2-5\","
        "\"children\":{\"core\":\"0\"}}],\"nodelist\":[\"a,b,a,b\"]}}";

    holds_for(graph, "k", "4,9");
    holds_for(graph, "k=v", "4");
    holds_for(graph, "n=5", "4");
    holds_for(graph, "p", "");
    holds_for(graph, "host:s9", "9");
    holds_for(graph, "-host:s9", "4");
    holds_for(graph, "-rank:9", "4");
    holds_for(no_hosts, "host:n1", "");
    holds_for(no_hosts, "-host:n1", "0-3");
    holds_for(no_hosts, "^p", "0-3");
    holds_for(empty, "p", "");
    holds_for(empty, "-p", "");
    holds_for(empty, "not host:n1", "");
    holds_for(large, "p -host:n[500-999999]", "10-499");
    holds_for(large, "host:n[0-999999]", "0-999999");
    holds_for(large, "rank:0-4294967294 ^p", "0-9,999991-999999");
    holds_for(shared, "host:a", "2,4");
}

int main(void)
{
    EACH(objects, test_object);
    EACH(bad_objects, test_bad_object);
    test_depths();
    test_constructors();
    test_too_deep();
    test_sets();
    return done_testing();
}

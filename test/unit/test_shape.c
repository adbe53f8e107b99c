/* Shapes (RFC 46): their meaning, how they are written, and shapes that are
   refused. */
#include <stdlib.h>

#include "request/request.h"
#include "tap.h"
#include "request_text.h"

/* --- shapes and their resources ----------------------------------------- */

static const struct good {
    const char *shape;
    const char *canonical; /* NULL: the shape itself */
    const char *resources; /* compact JSON, as in RFC 14 */
} good[] = {
    /* the examples of related.md, in its order */
    {"slot=2/core=4", NULL,
     "[{'type':'slot','count':2,'label':'default','with':["
     "{'type':'core','count':4}]}]"},
    {"node=3/slot{io}/core", NULL,
     "[{'type':'node','count':3,'with':[{'type':'slot','count':1,"
     "'label':'io','with':[{'type':'core','count':1}]}]}]"},
    {"slot=2-6:2/[core=2;gpu]", NULL,
     "[{'type':'slot','count':{'min':2,'max':6,'operator':'+','operand':2},"
     "'label':'default','with':[{'type':'core','count':2},"
     "{'type':'gpu','count':1}]}]"},
    {"slot=[1-8:2:*]{w}/node{-x}/core=16+", "slot=1-8:2:*{w}/node{-x}/core=16+",
     "[{'type':'slot','count':{'min':1,'max':8,'operator':'*','operand':2},"
     "'label':'w','with':[{'type':'node','count':1,'exclusive':false,"
     "'with':[{'type':'core','count':{'min':16,'operator':'+','operand':1}}"
     "]}]}]"},
    {"rack{x}/slot=4/node", NULL,
     "[{'type':'rack','count':1,'exclusive':true,'with':[{'type':'slot',"
     "'count':4,'label':'default','with':[{'type':'node','count':1}]}]}]"},
    {"slot=2,5,9/node", NULL,
     "[{'type':'slot','count':'2,5,9','label':'default','with':["
     "{'type':'node','count':1}]}]"},
    {"[rack/slot{a}/node=2;rack/slot{b}/[core=3;memory=8{unit:GB}]]", NULL,
     "[{'type':'rack','count':1,'with':[{'type':'slot','count':1,'label':'a',"
     "'with':[{'type':'node','count':2}]}]},{'type':'rack','count':1,'with':["
     "{'type':'slot','count':1,'label':'b','with':[{'type':'core','count':3},"
     "{'type':'memory','count':8,'unit':'GB'}]}]}]"},
    {"node{id:\"n[1-3]\"}", NULL, "[{'type':'node','count':1,'id':'n[1-3]'}]"},
    /* brackets */
    {"[node]", "node", "[{'type':'node','count':1}]"},
    {"[node;rack]", NULL,
     "[{'type':'node','count':1},{'type':'rack','count':1}]"},
    {"a/[b]", "a/b",
     "[{'type':'a','count':1,'with':[{'type':'b','count':1}]}]"},
    {"a/[b/c;d]", NULL,
     "[{'type':'a','count':1,'with':[{'type':'b','count':1,'with':["
     "{'type':'c','count':1}]},{'type':'d','count':1}]}]"},
    /* counts */
    {"node=1", "node", "[{'type':'node','count':1}]"},
    {"node=[7]", "node=7", "[{'type':'node','count':7}]"},
    {"node=2147483647", NULL, "[{'type':'node','count':2147483647}]"},
    {"node=4-4", "node=4", "[{'type':'node','count':4}]"},
    {"node=4-5:7", "node=4", "[{'type':'node','count':4}]"},
    {"node=2-5", NULL,
     "[{'type':'node','count':{'min':2,'max':5,'operator':'+',"
     "'operand':1}}]"},
    {"node=2,3,4-5", "node=2-5",
     "[{'type':'node','count':{'min':2,'max':5,'operator':'+',"
     "'operand':1}}]"},
    {"node=[2-3,7]", "node=2-3,7", "[{'type':'node','count':'2-3,7'}]"},
    {"node=1+", NULL,
     "[{'type':'node','count':{'min':1,'operator':'+','operand':1}}]"},
    {"node=1+:1:+", "node=1+",
     "[{'type':'node','count':{'min':1,'operator':'+','operand':1}}]"},
    {"node=2+:2:^", NULL,
     "[{'type':'node','count':{'min':2,'operator':'^','operand':2}}]"},
    /* dictionaries */
    {"node{}", "node", "[{'type':'node','count':1}]"},
    {"node=2{+x}", "node=2{x}", "[{'type':'node','count':2,'exclusive':true}]"},
    {"node{x:true}", "node{x}", "[{'type':'node','count':1,'exclusive':true}]"},
    {"node{exclusive:false}", "node{-x}",
     "[{'type':'node','count':1,'exclusive':false}]"},
    {"node{-exclusive}", "node{-x}",
     "[{'type':'node','count':1,'exclusive':false}]"},
    {"node{\"unit\":\"GB\",x}", "node{x,unit:GB}",
     "[{'type':'node','count':1,'exclusive':true,'unit':'GB'}]"},
    {"node{label:n,id:-a,unit:+b}", "node{label:n,unit:\"+b\",id:\"-a\"}",
     "[{'type':'node','count':1,'unit':'+b','id':'-a','label':'n'}]"},
    {"node{id:\"\"}", NULL, "[{'type':'node','count':1,'id':''}]"},
    {"slot{w,x,id:a}/core", NULL,
     "[{'type':'slot','count':1,'exclusive':true,'id':'a','label':'w',"
     "'with':[{'type':'core','count':1}]}]"},
    {"slot{x}/core", NULL,
     "[{'type':'slot','count':1,'label':'x','with':["
     "{'type':'core','count':1}]}]"},
    {"slot{default}/core", "slot/core",
     "[{'type':'slot','count':1,'label':'default','with':["
     "{'type':'core','count':1}]}]"},
    {"slot{default,x}/core", NULL,
     "[{'type':'slot','count':1,'exclusive':true,'label':'default','with':["
     "{'type':'core','count':1}]}]"},
    {"slot{\"5\"}/core", NULL,
     "[{'type':'slot','count':1,'label':'5','with':["
     "{'type':'core','count':1}]}]"},
    {"slot{a}/slot{default}/core", NULL,
     "[{'type':'slot','count':1,'label':'a','with':[{'type':'slot','count':1,"
     "'label':'default','with':[{'type':'core','count':1}]}]}]"},
    /* strings */
    {"\"my type\"", NULL, "[{'type':'my type','count':1}]"},
    {"\"node\"", "node", "[{'type':'node','count':1}]"},
    {"\"true\"/\"-1.5e3\"", NULL,
     "[{'type':'true','count':1,'with':[{'type':'-1.5e3','count':1}]}]"},
    {"04/1.e/1e/-", "04/1.e/1e/\"-\"",
     "[{'type':'04','count':1,'with':[{'type':'1.e','count':1,'with':["
     "{'type':'1e','count':1,'with':[{'type':'-','count':1}]}]}]}]"},
    {"\"n\xc3\xa4 \\u00e4\"=2", "\"n\xc3\xa4 \xc3\xa4\"=2",
     "[{'type':'n\xc3\xa4 \xc3\xa4','count':2}]"},
    {"\xc3\xa4=2", NULL, "[{'type':'\xc3\xa4','count':2}]"},
    {"\xed\x9f\xbf\xf4\x8f\xbf\xbf", NULL,
     "[{'type':'\xed\x9f\xbf\xf4\x8f\xbf\xbf','count':1}]"},
    {"\"a\\\\b/c\"", NULL, "[{'type':'a\\\\b/c','count':1}]"},
    {"\"a\\tb\"", NULL, "[{'type':'a\\tb','count':1}]"},
};

/* The tables have ' for ". */
static char *unquote(const char *text)
{
    char *copy = strdup(text);

    for (char *p = copy; p && *p; p++)
        if (*p == '\'')
            *p = '"';
    return copy;
}

/* Read the request of a jobspec with these resources. */
static struct request *reread(const json_t *resources, struct diag *d)
{
    json_t *jobspec = json_pack("{s:i,s:O,s:[{s:[s],s:s,s:{s:i}}],s:{}}",
                                "version", 1, "resources", resources, "tasks",
                                "command", "a", "slot", "default", "count",
                                "per_slot", 1, "attributes");
    struct request *req = request_from_jobspec(jobspec, d);

    json_decref(jobspec);
    return req;
}

/* A jobspec with the resources of a shape gives the same request. */
static void test_law(const char *shape, const json_t *resources)
{
    struct diag d = {0};
    struct request *req = reread(resources, &d);
    char *text = req ? request_shape(req) : NULL;

    /* jobspecs have tasks, and tasks need a slot, which some shapes lack */
    if (req)
        is(text, shape, "the jobspec of %s is the same request", shape);
    else
        ok(strstr(d.text, "no slot has this label") != NULL,
           "the jobspec of %s has good resources", shape);
    free(text);
    request_destroy(req);
}

static void test_good(const struct good *t)
{
    struct diag d = {0};
    struct request *req = request_from_shape(t->shape, &d), *again;
    const char *canonical = t->canonical ? t->canonical : t->shape;
    char *want = unquote(t->resources), *got, *text;
    json_t *resources;

    if (!ok(req != NULL, "%s is read", t->shape)) {
        printf("#   %s: %s\n", d.where, d.text);
        free(want);
        return;
    }
    resources = request_resources(req);
    got = json_dumps(resources, JSON_COMPACT);
    is(got, want, "%s is understood", t->shape);
    free(got);
    got = request_shape(req);
    is(got, canonical, "%s is written as %s", t->shape, canonical);
    again = request_from_shape(got, &d);
    text = again ? request_shape(again) : NULL;
    is(text, got, "%s is read back", got);
    test_law(canonical, resources);
    json_decref(resources);
    free(text);
    free(got);
    free(want);
    request_destroy(again);
    request_destroy(req);
}

/* --- refused shapes ----------------------------------------------------- */

/* An error that ends with ~ continues in the words of sets and ranges. */
static const struct bad {
    const char *shape, *error;
} bad[] = {
    {"", "offset 0: the shape ends where a resource type is expected"},
    {"[]", "offset 1: \"]\": a resource type is expected here"},
    {"[node", "offset 0: \"[node\": bracket is not closed"},
    {"a/[b;[c]]", "offset 5: \"[\": a resource type is expected here"},
    {"[a;]", "offset 3: \"]\": a resource type is expected here"},
    {"[a]b", "offset 3: \"b\": the end of the shape is expected here"},
    {"[a}", "offset 2: \"}\": \";\" or \"]\" is expected here"},
    {"a]", "offset 1: \"]\": the end of the shape is expected here"},
    {"a/", "offset 2: the shape ends where a resource type is expected"},
    {"/a", "offset 0: \"/\": a resource type is expected here"},
    {"a;b", "offset 1: \";\": several vertices need brackets around them"},
    {"a/b;c", "offset 3: \";\": several vertices need brackets around them"},
    {"slot{a}=2/b", "offset 7: \"=\": a count comes once, before the braces"},
    /* white space */
    {" a", "offset 0: \" \": white space is allowed only in quotes"},
    {"a =2", "offset 1: \" \": white space is allowed only in quotes"},
    {"a\n", "offset 1: \"\\x0a\": white space is allowed only in quotes"},
    {"node{x, unit:GB}",
     "offset 7: \" \": white space is allowed only in quotes"},
    /* counts */
    {"a=", "offset 2: the shape ends where a count is expected"},
    {"a=/b", "offset 2: \"/\": a count is expected here"},
    {"a=0", "offset 2: \"0\": a count is at least 1"},
    {"a=07", "offset 2: \"07\": a count has no leading zero"},
    {"a=2147483648", "offset 2: \"2147483648\": a count is at most 2147483647"},
    {"a=99999999999999999999999",
     "offset 2: \"99999999999999999999999\": a count is at most 2147483647"},
    {"a=-1", "offset 2: \"-1\": a count is a number, an idset or a range"},
    {"a=x", "offset 2: \"x\": a count is a number, an idset or a range"},
    {"a=[]", "offset 2: \"[]\": a count is a number, an idset or a range"},
    {"a=[2", "offset 2: \"[2\": bracket is not closed"},
    {"a=[[2]]", "offset 2: \"[[2]\": a count is a number, an idset or a range"},
    {"a=[2]3", "offset 5: \"3\": the end of the shape is expected here"},
    {"a=5-2", "offset 2: \"5-2\": ~"},
    {"a=0,3", "offset 2: \"0,3\": a count is at least 1"},
    {"a=3,2", "offset 2: \"3,2\": ~"},
    {"a=1,1", "offset 2: \"1,1\": ~"},
    {"a=1,2147483648", "offset 2: \"1,2147483648\": ~"},
    {"a=1-2147483648", "offset 2: 2147483648: a count is at most 2147483647"},
    {"a=2147483648+", "offset 2: 2147483648: a count is at most 2147483647"},
    {"a=1+:2147483648", "offset 2: 2147483648: a count is at most 2147483647"},
    {"a=1-8:2:%", "offset 2: \"1-8:2:%\": ~"},
    {"a=1-8:1:*", "offset 2: \"1-8:1:*\": ~"},
    {"a=1-8:2:^", "offset 2: \"1-8:2:^\": ~"},
    {"a=1-8:0", "offset 2: \"1-8:0\": ~"},
    {"a=5:2", "offset 2: \"5:2\": ~"},
    {"a=1+2", "offset 2: \"1+2\": ~"},
    {"a=1-", "offset 2: \"1-\": ~"},
    {"a={}", "offset 2: \"{\": a count is expected here"},
    /* types and strings */
    {"4", "offset 0: \"4\": a type is a string: quote it"},
    {"a/true", "offset 2: \"true\": a type is a string: quote it"},
    {"null", "offset 0: \"null\": a type is a string: quote it"},
    {"-0.5E+3", "offset 0: \"-0.5E+3\": a type is a string: quote it"},
    {"\"ab", "offset 0: \"\"ab\": quote is not closed"},
    {"\"ab\\\"", "offset 0: \"\"ab\\\"\": quote is not closed"},
    {"\"ab\\", "offset 0: \"\"ab\\\": quote is not closed"},
    {"a/\"\\x\"", "offset 2: \"\"\\x\"\": not a JSON string"},
    {"\"\\u0000\"", "offset 0: \"\"\\u0000\"\": not a JSON string"},
    {"a\\b", "offset 1: \"\\\": the end of the shape is expected here"},
    {"a\x01", "offset 1: \"\\x01\": the end of the shape is expected here"},
    {"[a]\xc3\xa4",
     "offset 3: \"\xc3\xa4\": the end of the shape is expected here"},
    /* dictionaries */
    {"a{", "offset 2: the shape ends where a key is expected"},
    {"a{x", "offset 1: \"{x\": brace is not closed"},
    {"a{x]", "offset 3: \"]\": \",\" or \"}\" is expected here"},
    {"a{x,}", "offset 4: \"}\": a key is expected here"},
    {"a{,x}", "offset 2: \",\": a key is expected here"},
    {"a{x}=2", "offset 4: \"=\": a count comes once, before the braces"},
    {"a{foo}", "offset 2: \"foo\": unknown key (x, exclusive, id, label, unit "
               "are known)"},
    {"a{5}", "offset 2: \"5\": a key is a string"},
    {"a{x:5}", "offset 4: \"5\": \"x\" is true or false"},
    {"a{x:\"true\"}", "offset 4: \"\"true\"\": \"x\" is true or false"},
    {"a{x,x}", "offset 4: \"x\": key is repeated"},
    {"a{x,exclusive:false}", "offset 4: \"exclusive\": key is repeated"},
    {"a{-x:true}", "offset 2: \"-x:\": a key with a sign takes no value"},
    {"a{--x}", "offset 3: \"-x\": unknown key (x, exclusive, id, label, unit "
               "are known)"},
    {"a{unit}", "offset 2: \"unit\": \"unit\" takes a string"},
    {"a{unit:}", "offset 7: \"}\": a value is expected here"},
    {"a{unit:5}", "offset 7: \"5\": \"unit\" takes a string: quote it"},
    {"a{id:true}", "offset 5: \"true\": \"id\" takes a string: quote it"},
    {"a{id:{b:1}}", "offset 5: \"{\": \"id\" takes no object and no array"},
    {"a{id:[1]}", "offset 5: \"[\": \"id\" takes no object and no array"},
    {"a{id:b,id:c}", "offset 7: \"id\": key is repeated"},
    {"a{id:b/c}", "offset 6: \"/\": \",\" or \"}\" is expected here"},
    /* slots */
    {"slot", "offset 0: \"slot\": a slot needs \"/\" and its contents"},
    {"node=2/slot", "offset 7: \"slot\": a slot needs \"/\" and its contents"},
    {"slot=2", "offset 0: \"slot=2\": a slot needs \"/\" and its contents"},
    {"slot{}/a", "offset 5: \"}\": the label of the slot is expected here"},
    {"slot{5}/a",
     "offset 5: \"5\": the braces of a slot begin with its label, a string"},
    {"slot{-x}/a",
     "offset 5: \"-x\": the braces of a slot begin with its label, a string"},
    {"slot{label:w}/a", "offset 5: \"label:\": the braces of a slot begin with "
                        "its label, a string"},
    {"slot{w,label:v}/a", "offset 7: \"label\": key is repeated"},
    {"[slot{a}/b;slot{a}/c]",
     "offset 16: \"a\": label is used twice; tasks refer to slots by label"},
    {"slot{a}/slot{a}/b",
     "offset 13: \"a\": label is used twice; tasks refer to slots by label"},
    {"[a{label:s};slot{s}/c]",
     "offset 17: \"s\": label is used twice; tasks refer to slots by label"},
    {"[slot/b;slot{a}/c]",
     "offset 1: \"slot/b\": each of several slots needs a label"},
    {"[slot{a}/b;slot/c]",
     "offset 11: \"slot/c\": each of several slots needs a label"},
    {"slot/slot/c",
     "offset 5: \"slot/c\": each of several slots needs a label"},
    {"node{label:default}/slot/a",
     "offset 20: \"slot/a\": the label \"default\" of this slot is taken"},
    /* bytes that JSON cannot hold */
    {"a\xff", "offset 1: byte 0xff: not valid UTF-8"},
    {"\"\xc0\x80\"", "offset 1: byte 0xc0: not valid UTF-8"},
    {"\xe0\x9f\xbf", "offset 0: byte 0xe0: not valid UTF-8"},
    {"\xed\xa0\x80", "offset 0: byte 0xed: not valid UTF-8"},
    {"\xf4\x90\x80\x80", "offset 0: byte 0xf4: not valid UTF-8"},
    {"\xf0\x90\x80", "offset 0: byte 0xf0: not valid UTF-8"},
    {"\xc3", "offset 0: byte 0xc3: not valid UTF-8"},
};

static void test_bad(const struct bad *t)
{
    struct diag d = {0};
    char line[1024];
    struct request *req = request_from_shape(t->shape, &d);
    size_t len = strcspn(t->error, "~");

    if (!ok(req == NULL, "refused: %s", t->error))
        request_destroy(req);
    else if (t->error[len])
        ok(!strncmp(diag_line(&d).text, t->error, len)
               && !strstr(line + len, "offset"),
           "... with its fault: %s", line);
    else
        is(diag_line(&d).text, t->error, "... with its fault");
}

/* a/a/a ... of n levels; with brackets a/[a/[a ... */
static void test_depth(int n, const char *open, const char *close, int good_)
{
    char text[1024] = "a";
    struct diag d = {0};
    struct request *req;

    for (int i = 1; i < n; i++)
        strcat(text, open);
    for (int i = 1; i < n; i++)
        strcat(text, close);
    req = request_from_shape(text, &d);
    ok(!req == !good_, "%d levels are %s", n, good_ ? "read" : "refused");
    if (!good_)
        ok(strstr(d.text, "nested deeper than 100 levels") != NULL,
           "... with their fault");
    request_destroy(req);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        test_good(&good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        test_bad(&bad[i]);
    test_depth(100, "/a", "", 1);
    test_depth(101, "/a", "", 0);
    test_depth(100, "/[a", "]", 1);
    test_depth(101, "/[a", "]", 0);
    return done_testing();
}

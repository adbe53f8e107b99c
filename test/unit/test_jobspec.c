/* Jobspecs: the rules of RFC 14 and of RFC 25, one by one. */
#include <stdlib.h>

#include "request/request.h"
#include "tap.h"
#include "request_text.h"
#include "constraint_text.h"

/* The tables have ' for ". */
#define JOB(resources, tasks, attributes)                   \
    "{'version':1,'resources':" resources ",'tasks':" tasks \
    ",'attributes':" attributes "}"
#define CORES "[{'type':'core','count':2}]"
#define SLOT "[{'type':'slot','count':3,'label':'t','with':" CORES "}]"
#define TASK "[{'command':['a'],'slot':'t','count':{'per_slot':1}}]"
#define SYSTEM "{'system':{'duration':60}}"

/* Parts that vary while the rest is valid. */
#define RESOURCES(r) JOB(r, TASK, SYSTEM)
#define SLOTWITH(keys) RESOURCES("[{'type':'slot','label':'t'," keys "}]")
#define COUNT(c) SLOTWITH("'with':" CORES ",'count':" c)
#define INSIDE(list) SLOTWITH("'count':3,'with':" list)
#define BESIDE(v) \
    RESOURCES("[{'type':'slot','count':3,'label':'t','with':" CORES "}," v "]")
#define TASKS(t) JOB(SLOT, t, SYSTEM)
#define TASKCOUNT(c) TASKS("[{'command':['a'],'slot':'t','count':" c "}]")
#define NODETASKS(c)                                                  \
    JOB("[{'type':'node','count':4,'with':[{'type':'slot','count':2," \
        "'label':'t','with':" CORES "}]}]",                           \
        "[{'command':['a'],'slot':'t','count':" c "}]", SYSTEM)
#define ATTRIBUTES(a) JOB(SLOT, TASK, a)
#define WORD(w) ATTRIBUTES("{'system':{" w "}}")

/* --- valid jobspecs ----------------------------------------------------- */

static const struct good {
    const char *jobspec, *shape;
} good[] = {
    {TASKS(TASK), "slot=3{t}/core=2"},
    /* counts */
    {COUNT("{'min':2}"), "slot=2+{t}/core=2"},
    {COUNT("{'min':2,'max':5}"), "slot=2-5{t}/core=2"},
    {COUNT("{'min':2,'max':2}"), "slot=2{t}/core=2"},
    {COUNT("{'operand':2,'operator':'*','max':8,'min':2}"),
     "slot=2-8:2:*{t}/core=2"},
    {COUNT("{'min':2,'operator':'^','operand':3}"), "slot=2+:3:^{t}/core=2"},
    {COUNT("'4'"), "slot=4{t}/core=2"},
    {COUNT("'2-5'"), "slot=2-5{t}/core=2"},
    {COUNT("'[2,5-6]'"), "slot=2,5-6{t}/core=2"},
    {COUNT("'2-9:3'"), "slot=2-9:3{t}/core=2"},
    {COUNT("2147483647"), "slot=2147483647{t}/core=2"},
    /* vertices */
    {SLOTWITH("'count':1,'unit':'u','id':'i','exclusive':false,'with':" CORES),
     "slot{t,-x,unit:u,id:i}/core=2"},
    {INSIDE("[{'type':'core','count':1,'exclusive':false}]"),
     "slot=3{t}/core{-x}"},
    {INSIDE("[{'type':'core','count':1},{'type':'core','count':1}]"),
     "slot=3{t}/[core;core]"},
    {INSIDE("[{'type':'gpu','count':1},{'type':'core','count':1}]"),
     "slot=3{t}/[gpu;core]"},
    {INSIDE("[{'type':'core','count':1},{'type':'gpu','count':1},"
            "{'type':'gpu','count':1}]"),
     "slot=3{t}/[core;gpu;gpu]"},
    {INSIDE("[{'type':'gpu','count':1}]"), "slot=3{t}/gpu"},
    {INSIDE("[{'type':'core','count':1,'with':[{'type':'pu','count':2}]}]"),
     "slot=3{t}/core/pu=2"},
    {INSIDE("[{'type':'memory','count':1}]"), "slot=3{t}/memory"},
    {INSIDE("[{'type':'core','count':1,'unit':'u','label':'c'}]"),
     "slot=3{t}/core{label:c,unit:u}"},
    {BESIDE("{'type':'node','count':1}"), "[slot=3{t}/core=2;node]"},
    {RESOURCES("[{'type':'node','count':4,'exclusive':true,'with':[{'type':"
               "'slot','count':2,'label':'t','exclusive':true,'with':" CORES
               "}]}]"),
     "node=4{x}/slot=2{t,x}/core=2"},
    {RESOURCES("[{'type':'node','count':4,'with':[{'type':'slot','count':2,"
               "'label':'t','with':" CORES "},{'type':'core','count':1}]}]"),
     "node=4/[slot=2{t}/core=2;core]"},
    {RESOURCES("[{'type':'rack','count':4,'with':[{'type':'slot','count':2,"
               "'label':'t','with':" CORES "}]}]"),
     "rack=4/slot=2{t}/core=2"},
    {RESOURCES("[{'type':'node','count':4,'with':[{'type':'socket','count':1,"
               "'with':[{'type':'slot','count':2,'label':'t','with':" CORES
               "}]}]}]"),
     "node=4/socket/slot=2{t}/core=2"},
    /* tasks */
    {TASKCOUNT("{'total':3}"), "slot=3{t}/core=2"},
    {TASKCOUNT("{'total':1}"), "slot=3{t}/core=2"},
    {TASKCOUNT("{'total':4}"), "slot=3{t}/core=2"},
    {NODETASKS("{'total':4}"), "node=4/slot=2{t}/core=2"},
    {NODETASKS("{'total':8}"), "node=4/slot=2{t}/core=2"},
    {NODETASKS("{'total':9}"), "node=4/slot=2{t}/core=2"},
    {NODETASKS("{'total':3}"), "node=4/slot=2{t}/core=2"},
    {TASKCOUNT("{'per_slot':2}"), "slot=3{t}/core=2"},
    {TASKCOUNT("{'per_resource':{'type':'core','count':1}}"),
     "slot=3{t}/core=2"},
    {TASKS("[{'command':['a'],'slot':'t','count':{'per_slot':1}},"
           "{'command':['b'],'slot':'t','count':{'per_slot':1}}]"),
     "slot=3{t}/core=2"},
    {TASKS("[{'command':['a','b'],'slot':'t','count':{'per_slot':1},"
           "'distribution':'d','attributes':{'environment':{'A':'b',"
           "'C':null},'other':1}}]"),
     "slot=3{t}/core=2"},
    /* attributes */
    {ATTRIBUTES("null"), "slot=3{t}/core=2"},
    {ATTRIBUTES("{'user':{'a':1}}"), "slot=3{t}/core=2"},
    {ATTRIBUTES("{'system':{}}"), "slot=3{t}/core=2"},
    {WORD("'duration':0,'preemptible-after':1.5,'environment':{'A':'b',"
          "'C':null},'cwd':'/tmp','queue':'q','bank':'b','project':'p',"
          "'dependencies':[{'scheme':'afterok','value':'f1'},{'type':'inout',"
          "'scope':'global','scheme':'string','value':'x'}],"
          "'constraints':{'properties':['a']},'job':{'name':'n'},"
          "'shell':{'options':{}},'unknown':[1]"),
     "slot=3{t}/core=2"},
    {"{'version':2,'resources':" SLOT ",'tasks':" TASK ",'attributes':" SYSTEM
     "}",
     "slot=3{t}/core=2"},
    /* strings that a shape must quote */
    {INSIDE("[{'type':'core/x','count':1,'label':'true'}]"),
     "slot=3{t}/\"core/x\"{label:\"true\"}"},
};

static char *unquote(const char *text)
{
    char *copy = strdup(text);

    for (char *p = copy; p && *p; p++)
        if (*p == '\'')
            *p = '"';
    return copy;
}

static void test_good(const struct good *t)
{
    struct diag d = {0};
    char *jobspec = unquote(t->jobspec), *got;
    struct request *req = request_from_text(jobspec, strlen(jobspec), &d);

    if (ok(req != NULL, "%s is read", t->shape)) {
        got = request_shape(req);
        is(got, t->shape, "... and understood");
        free(got);
    } else {
        printf("# %s: %s\n", d.where, d.text);
    }
    request_destroy(req);
    free(jobspec);
}

/* --- refused jobspecs --------------------------------------------------- */

/* An error that ends with ~ continues in the words of sets and ranges. */
static const struct bad {
    const char *jobspec, *error;
} bad[] = {
    /* the whole */
    {"[]", "[]: a jobspec must be an object"},
    {"'a'", "\"a\": a jobspec must be an object"},
    {"{}", "a jobspec has no \"version\""},
    {"{'version':1,'resources':" SLOT "}", "a jobspec has no \"tasks\""},
    {"{'version':1,'resources':" SLOT ",'tasks':" TASK "}",
     "a jobspec has no \"attributes\""},
    {"{'version':1,'foo':1}", "\"foo\": no key of a jobspec"},
    {"{'version':0,'resources':" SLOT ",'tasks':" TASK ",'attributes':{}}",
     "version: 0: must be at least 1"},
    {"{'version':10000,'resources':" SLOT ",'tasks':" TASK ",'attributes':{}}",
     "version: 10000: must be a version up to 9999"},
    {"{'version':'1','resources':" SLOT ",'tasks':" TASK ",'attributes':{}}",
     "version: \"1\": must be an integer"},
    {"{'version':1.0,'resources':" SLOT ",'tasks':" TASK ",'attributes':{}}",
     "version: 1.0: must be an integer"},
    /* resources */
    {RESOURCES("[]"), "resources: []: must be a list of resources, not empty"},
    {RESOURCES("{}"), "resources: {}: must be a list of resources, not empty"},
    {RESOURCES("[1]"), "resources[0]: 1: a resource must be an object"},
    {RESOURCES("[{'count':1}]"), "resources[0]: a resource has no \"type\""},
    {RESOURCES("[{'type':'node'}]"),
     "resources[0]: a resource has no \"count\""},
    {RESOURCES("[{'type':1,'count':1}]"),
     "resources[0].type: 1: must be a string"},
    {RESOURCES("[{'type':'node','count':1,'foo':1}]"),
     "resources[0]: \"foo\": no key of a resource"},
    {BESIDE("{'type':'node','count':1,'with':[]}"),
     "resources[1].with: []: must be a list of resources, not empty"},
    {BESIDE("{'type':'node','count':1,'exclusive':1}"),
     "resources[1].exclusive: 1: must be true or false"},
    {BESIDE("{'type':'node','count':1,'unit':1}"),
     "resources[1].unit: 1: must be a string"},
    {BESIDE("{'type':'node','count':1,'id':null}"),
     "resources[1].id: null: must be a string"},
    /* counts */
    {COUNT("0"), "resources[0].count: 0: must be at least 1"},
    {COUNT("-1"), "resources[0].count: -1: must be at least 1"},
    {COUNT("1.0"),
     "resources[0].count: 1.0: must be an integer, a string or an object"},
    {COUNT("null"),
     "resources[0].count: null: must be an integer, a string or an object"},
    {COUNT("2147483648"),
     "resources[0].count: 2147483648: must be at most 2147483647"},
    {COUNT("2147483648,'unit':'W'"),
     "resources[0].count: 2147483648: must be at most 2147483647"},
    {COUNT("'9223372036854775808','unit':'B'"),
     "resources[0].count: \"9223372036854775808\": a count is at most "
     "9223372036854775807"},
    {COUNT("''"),
     "resources[0].count: \"\": a count is a number, an idset or a range"},
    {COUNT("'0'"), "resources[0].count: \"0\": a count is at least 1"},
    {COUNT("'0,2'"), "resources[0].count: \"0,2\": a count is at least 1"},
    {COUNT("'2,1'"), "resources[0].count: \"2,1\": ~"},
    {COUNT("'5:2'"), "resources[0].count: \"5:2\": ~"},
    {COUNT("'1-'"), "resources[0].count: \"1-\": ~"},
    {COUNT("{}"), "resources[0].count: a count has no \"min\""},
    {COUNT("{'min':1,'foo':1}"),
     "resources[0].count: \"foo\": no key of a count"},
    {COUNT("{'min':0}"), "resources[0].count.min: 0: must be at least 1"},
    {COUNT("{'min':'1'}"), "resources[0].count.min: \"1\": must be an integer"},
    {COUNT("{'min':3,'max':2}"),
     "resources[0].count.max: 2: must be at least 3"},
    {COUNT("{'min':3,'max':2147483648}"),
     "resources[0].count.max: 2147483648: must be at most 2147483647"},
    {COUNT("{'min':1,'operator':'+'}"),
     "resources[0].count: {\"min\":1,\"operator\":\"+\"}: \"operator\" and "
     "\"operand\" need each other"},
    {COUNT("{'min':1,'operand':2}"),
     "resources[0].count: {\"min\":1,\"operand\":2}: \"operator\" and "
     "\"operand\" need each other"},
    {COUNT("{'min':1,'operator':'-','operand':1}"),
     "resources[0].count.operator: \"-\": must be one of \"+\", \"*\" and "
     "\"^\""},
    {COUNT("{'min':1,'operator':'','operand':1}"),
     "resources[0].count.operator: \"\": must be one of \"+\", \"*\" and "
     "\"^\""},
    {COUNT("{'min':1,'operator':'+','operand':0}"),
     "resources[0].count.operand: 0: must be at least 1"},
    {COUNT("{'min':1,'operator':'*','operand':1}"),
     "resources[0].count.operand: 1: must be at least 2"},
    {COUNT("{'min':1,'operator':'^','operand':2}"), "resources[0].count: ~"},
    /* slots and labels */
    {RESOURCES("[{'type':'slot','count':1,'with':" CORES "}]"),
     "resources[0]: a slot has no \"label\""},
    {RESOURCES("[{'type':'slot','count':1,'label':'t'}]"),
     "resources[0]: a slot has no \"with\""},
    {BESIDE("{'type':'slot','count':1,'label':'t','with':" CORES "}"),
     "resources[1].label: \"t\": label is used twice; tasks refer to slots by "
     "label"},
    {BESIDE("{'type':'node','count':1,'label':'t'}"),
     "resources[1].label: \"t\": label is used twice; tasks refer to slots by "
     "label"},
    {INSIDE("[{'type':'core','count':1,'label':'t'}]"),
     "resources[0].with[0].label: \"t\": label is used twice; tasks refer to "
     "slots by label"},
    {INSIDE("[{'type':'node','count':1,'with':[{'type':'core','count':1},"
            "{'type':'gpu','count':{'min':2,'max':1}}]}]"),
     "resources[0].with[0].with[1].count.max: 1: must be at least 2"},
    /* tasks */
    {TASKS("[]"), "tasks: []: must be a list of tasks, not empty"},
    {TASKS("{}"), "tasks: {}: must be a list of tasks, not empty"},
    {TASKS("[1]"), "tasks[0]: 1: a task must be an object"},
    {TASKS("[{}]"), "tasks[0]: a task has no \"command\""},
    {TASKS("[{'command':['a'],'foo':1}]"), "tasks[0]: \"foo\": no key of a "
                                           "task"},
    {TASKS("[{'command':'a','slot':'t','count':{'per_slot':1}}]"),
     "tasks[0].command: \"a\": must be a list of strings, not empty"},
    {TASKS("[{'command':[],'slot':'t','count':{'per_slot':1}}]"),
     "tasks[0].command: []: must be a list of strings, not empty"},
    {TASKS("[{'command':['a',1],'slot':'t','count':{'per_slot':1}}]"),
     "tasks[0].command[1]: 1: must be a string"},
    {TASKS("[{'command':['a'],'slot':'u','count':{'per_slot':1}}]"),
     "tasks[0].slot: \"u\": no slot has this label"},
    {INSIDE("[{'type':'core','count':1}]},{'type':'slot','count':1,'label':"
            "'u','with':[{'type':'core','count':1,'label':1}]"),
     "resources[1].with[0].label: 1: must be a string"},
    {JOB("[{'type':'node','count':1,'label':'n'}]",
         "[{'command':['a'],'slot':'n','count':{'per_slot':1}}]", SYSTEM),
     "tasks[0].slot: \"n\": no slot has this label"},
    {TASKCOUNT("1"), "tasks[0].count: 1: a count of tasks must be an object"},
    {TASKCOUNT("{}"),
     "tasks[0].count: {}: must be one of \"per_slot\", \"total\" and "
     "\"per_resource\""},
    {TASKCOUNT("{'per_slot':1,'total':1}"),
     "tasks[0].count: {\"per_slot\":1,\"total\":1}: must be one of "
     "\"per_slot\", \"total\" and \"per_resource\""},
    {TASKCOUNT("{'per_slot':0}"),
     "tasks[0].count.per_slot: 0: must be at least 1"},
    {TASKCOUNT("{'total':'1'}"),
     "tasks[0].count.total: \"1\": must be an integer"},
    {TASKCOUNT("{'foo':1}"), "tasks[0].count: \"foo\": no key of a count of "
                             "tasks"},
    {TASKCOUNT("{'per_resource':{'type':'core'}}"),
     "tasks[0].count.per_resource: \"per_resource\" has no \"count\""},
    {TASKCOUNT("{'per_resource':{'type':'gpu','count':1}}"),
     "tasks[0].count.per_resource.type: \"gpu\": not in slot \"t\""},
    {TASKCOUNT("{'per_resource':{'type':'slot','count':1}}"),
     "tasks[0].count.per_resource.type: \"slot\": not in slot \"t\""},
    {TASKS("[{'command':['a'],'slot':'t','count':{'per_slot':1},"
           "'distribution':1}]"),
     "tasks[0].distribution: 1: must be a string"},
    {TASKS("[{'command':['a'],'slot':'t','count':{'per_slot':1},"
           "'attributes':{'environment':{'A':1}}}]"),
     "tasks[0].attributes.environment.A: 1: must be a string or null"},
    /* attributes */
    {ATTRIBUTES("1"), "attributes: 1: \"attributes\" must be an object"},
    {ATTRIBUTES("{'foo':1}"), "attributes: \"foo\": no key of \"attributes\""},
    {ATTRIBUTES("{'system':null}"),
     "attributes.system: null: \"system\" must be an object"},
    {ATTRIBUTES("{'user':1}"), "attributes.user: 1: must be an object"},
    {WORD("'duration':-1"), "attributes.system.duration: -1: must be a number "
                            "of seconds, not negative"},
    {WORD("'duration':'1'"), "attributes.system.duration: \"1\": must be a "
                             "number of seconds, not negative"},
    {WORD("'preemptible-after':-0.5"),
     "attributes.system.preemptible-after: -0.5: must be a number of seconds, "
     "not negative"},
    {WORD("'environment':[]"),
     "attributes.system.environment: []: must be an object"},
    {WORD("'environment':{'A':1}"),
     "attributes.system.environment.A: 1: must be a string or null"},
    {WORD("'cwd':'tmp'"),
     "attributes.system.cwd: \"tmp\": must be an absolute path"},
    {WORD("'queue':1"), "attributes.system.queue: 1: must be a string"},
    {WORD("'job':{'name':1}"),
     "attributes.system.job.name: 1: must be a string"},
    {WORD("'shell':1"), "attributes.system.shell: 1: must be an object"},
    {WORD("'constraints':[]"),
     "attributes.system.constraints: []: must be an object"},
    {WORD("'dependencies':[]"),
     "attributes.system.dependencies: []: must be a list of dependencies, not "
     "empty"},
    {WORD("'dependencies':[{'scheme':'a'}]"),
     "attributes.system.dependencies[0]: a dependency has no \"value\""},
    {WORD("'dependencies':[{'scheme':'a','value':'b','type':'on'}]"),
     "attributes.system.dependencies[0].type: \"on\": must be one of \"in\", "
     "\"out\", \"inout\""},
    {WORD("'dependencies':[{'scheme':'a','value':'b','scope':'x'}]"),
     "attributes.system.dependencies[0].scope: \"x\": must be one of "
     "\"user\", \"global\""},
    {WORD("'dependencies':[{'scheme':'a','value':'b'},{'value':'b',"
          "'scheme':'a'}]"),
     "attributes.system.dependencies[1]: {\"value\":\"b\",\"scheme\":\"a\"}: "
     "dependency is repeated"},
    /* text */
    {"", "no jobspec: the input is empty"},
    {" \n\t ", "no jobspec: the input is empty"},
    {"{'version':1",
     "line 1, column 13: input ends in the middle of a document"},
    {"{'a':1,'a':2}", "line 1, column 8: duplicate object key \"a\""},
    /* text that is not JSON by its second token is YAML */
    {"{version: 1e400}", "line 1, column 11: \"1e400\": not a finite number"},
    {" {\n version: 99999999999999999999}",
     "line 2, column 11: \"99999999999999999999\": an integer beyond 64 bits"},
    {"{version: 1, resources: [}",
     "line 1, column 26: did not find expected node content while parsing a "
     "flow node"},
    {"{", "line 1, column 2: input ends in the middle of a document"},
    {"{}\n{}", "line 2, column 1: \"{\": expected the end of the text"},
    {"version: 1\nversion: 2", "line 2, column 1: \"version\": duplicate key"},
};

static void test_bad(const struct bad *t)
{
    struct diag d = {0};
    char *jobspec = unquote(t->jobspec);
    struct request *req = request_from_text(jobspec, strlen(jobspec), &d);
    const struct diag_line line = diag_line(&d);
    size_t len = strcspn(t->error, "~");

    if (!ok(req == NULL, "refused: %s", t->error))
        request_destroy(req);
    else if (t->error[len])
        ok(!strncmp(line.text, t->error, len), "... with its fault: %s",
           line.text);
    else
        is(line.text, t->error, "... with its fault");
    free(jobspec);
}

/* --- the rest ----------------------------------------------------------- */

static void test_values(void)
{
    const char *text = "version: 1\n"
                       "resources:\n"
                       "  - type: slot\n"
                       "    count: 1\n"
                       "    label: t\n"
                       "    with: [{type: core, count: 1}]\n"
                       "tasks:\n"
                       "  - {command: [a], slot: t, count: {per_slot: 1}}\n"
                       "attributes:\n"
                       "  system:\n"
                       "    duration: 1.5\n"
                       "    constraints: {properties: [big]}\n";
    struct diag d = {0};
    struct request *req = request_from_text(text, strlen(text), &d);
    json_t *want = json_pack("{s:[s]}", "properties", "big"), *got;

    if (ok(req != NULL, "a jobspec in YAML")) {
        ok(req->duration == 1.5, "... its duration");
        got = constraint_json(req->constraint);
        ok(json_equal(got, want), "... its constraints");
        json_decref(got);
    }
    json_decref(want);
    request_destroy(req);
}

/* Vertices in vertices: {"type":"a","count":1,"with":[...]} */
static void test_depth(int depth, int good_)
{
    struct diag d = {0};
    json_t *v = json_pack("{s:s,s:i}", "type", "a", "count", 1), *jobspec;
    struct request *req;

    for (int i = 2; i < depth; i++)
        v = json_pack("{s:s,s:i,s:[o]}", "type", "a", "count", 1, "with", v);
    v = json_pack("{s:s,s:i,s:s,s:[o]}", "type", "slot", "count", 1, "label",
                  "t", "with", v);
    jobspec = json_pack("{s:i,s:[o],s:[{s:[s],s:s,s:{s:{s:s,s:i}}}],s:{}}",
                        "version", 1, "resources", v, "tasks", "command", "a",
                        "slot", "t", "count", "per_resource", "type", "a",
                        "count", 1, "attributes");
    req = request_from_jobspec(jobspec, &d);
    ok(!req == !good_, "%d levels are %s", depth, good_ ? "read" : "refused");
    if (!good_)
        is(d.text, "nested deeper than 100 levels", "... with their fault");
    json_decref(jobspec);
    request_destroy(req);
}

/* Many tasks that all refer to one large slot with as many resources. */
static void test_many(int n, bool good_)
{
    json_t *list = json_array(), *tasks = json_array(), *jobspec;
    struct diag d = {0};
    struct request *req;

    for (int i = 2; i < n; i++) {
        json_array_append_new(list,
                              json_pack("{s:s,s:i}", "type", "a", "count", 1));
        json_array_append_new(tasks, json_pack("{s:[s],s:s,s:{s:{s:s,s:i}}}",
                                               "command", "a", "slot", "t",
                                               "count", "per_resource", "type",
                                               "core", "count", 1));
    }
    json_array_append_new(list,
                          json_pack("{s:s,s:i}", "type", "core", "count", 1));
    jobspec = json_pack("{s:i,s:[{s:s,s:i,s:s,s:o}],s:o,s:{}}", "version", 1,
                        "resources", "type", "slot", "count", 1, "label", "t",
                        "with", list, "tasks", tasks, "attributes");
    req = request_from_jobspec(jobspec, &d);
    ok(!req == !good_, "%d tasks and resources are %s", n,
       good_ ? "read" : "refused");
    if (!good_)
        is(d.text, "there are more than 128 resources in a request",
           "... with their fault");
    request_destroy(req);
    json_decref(jobspec);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        test_good(&good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        test_bad(&bad[i]);
    test_values();
    test_depth(100, 1);
    test_depth(101, 0);
    test_many(128, true);
    test_many(50000, false);
    return done_testing();
}

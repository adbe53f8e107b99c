/* Annotations of a job: the rules of RFC 27 by which they are merged. */
#include "protocol/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* With ' for ". */
static json_t *parse(const char *quoted)
{
    char *text = strdup(quoted);
    json_t *value;

    for (char *p = text; (p = strchr(p, '\''));)
        *p = '"';
    value = json_loads(text, 0, NULL);
    free(text);
    return value;
}

static const struct merge {
    const char *have, *update, *want;
} merges[] = {
    /* the examples of the RFC, one after the other */
    {"{}", "{'sched':{'t_estimate':593016000.0,'reason_pending':'no GPU'}}",
     "{'sched':{'t_estimate':593016000.0,'reason_pending':'no GPU'}}"},
    {"{'sched':{'t_estimate':593016000.0,'reason_pending':'no GPU'}}",
     "{'sched':{'resource_summary':'rank0/core0','t_estimate':null}}",
     "{'sched':{'reason_pending':'no GPU','resource_summary':'rank0/core0'}}"},
    /* a key that is there: replaced, and an object goes into an object */
    {"{'a':1,'b':2}", "{'a':'x'}", "{'a':'x','b':2}"},
    {"{'a':{'b':{'c':1,'d':2}}}", "{'a':{'b':{'c':3}}}",
     "{'a':{'b':{'c':3,'d':2}}}"},
    {"{'a':[1,2]}", "{'a':[3]}", "{'a':[3]}"},
    {"{'a':1}", "{'a':{'b':2}}", "{'a':{'b':2}}"},
    {"{'a':{'b':2}}", "{'a':1}", "{'a':1}"},
    {"{'a':{'b':2}}", "{'a':{}}", "{'a':{'b':2}}"},
    /* null takes away, at every depth, and does not stay anywhere */
    {"{'a':1,'b':2}", "{'a':null}", "{'b':2}"},
    {"{'a':{'b':1}}", "{'a':{'b':null}}", "{'a':{}}"},
    {"{'a':{'b':1}}", "{'a':null}", "{}"},
    {"{}", "{'a':null}", "{}"},
    {"{}", "{'a':{'b':null,'c':{'d':null,'e':1}}}", "{'a':{'c':{'e':1}}}"},
    {"{'a':1}", "{'a':{'b':null}}", "{'a':{}}"},
    /* in a list it is a value */
    {"{}", "{'a':[null]}", "{'a':[null]}"},
    /* nothing new */
    {"{'a':1}", "{}", "{'a':1}"},
};

static void check(const struct merge *m)
{
    json_t *into = parse(m->have), *update = parse(m->update),
           *want = parse(m->want), *before = json_deep_copy(update),
           *other = parse("{'a':{'b':{'z':1},'c':{'z':1}},'sched':{'z':1}}");

    annotations_merge(into, update);
    ok(json_equal(into, want), "%s and %s: %s", m->have, m->update, m->want);
    annotations_merge(into, update);
    ok(json_equal(into, want), "twice is as once");
    annotations_merge(into, other);
    ok(json_equal(update, before), "what comes later is not in these");
    json_decref(into);
    json_decref(update);
    json_decref(want);
    json_decref(before);
    json_decref(other);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(merges) / sizeof(merges[0]); i++)
        check(&merges[i]);
    return done_testing();
}

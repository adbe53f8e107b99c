/* YAML: its meaning in JSON, and values that JSON can't hold. */
#include "base/yaml.h"

#include <stdlib.h>

#include "tap.h"

static const struct good {
    const char *yaml, *json; /* the JSON has ' for " */
} good[] = {
    /* the core schema, not YAML 1.1 */
    {"null", "null"},
    {"[Null, NULL, ~, ]", "[null,null,null]"},
    {"---\n", "null"},
    {"[true, True, TRUE, false, False, FALSE]",
     "[true,true,true,false,false,false]"},
    {"[yes, No, on, OFF, y, tRUE, nUll]",
     "['yes','No','on','OFF','y','tRUE','nUll']"},
    {"[0, 7, -7, +7, 017, 0o17, 0xfF, -0]", "[0,7,-7,7,17,15,255,0]"},
    {"[0b1, 0o8, 0xg, -0x1, 1_000, 12:30, 0o, 0x, +, -]",
     "['0b1','0o8','0xg','-0x1','1_000','12:30','0o','0x','+','-']"},
    {"[9223372036854775807, -9223372036854775808, 0x7fffffffffffffff]",
     "[9223372036854775807,-9223372036854775808,9223372036854775807]"},
    {"[1.5, .5, 1., -1e3, +1.5E-1, 0.]", "[1.5,0.5,1.0,-1000.0,0.15,0.0]"},
    {"[., 1e, .e1, e1, 1.5.2, -.]", "['.','1e','.e1','e1','1.5.2','-.']"},
    {"\"\\L\\u2029\\N\"", "'\xe2\x80\xa8\xe2\x80\xa9\xc2\x85'"},
    {"['1', \"true\", 'a''b', \"\\x41\\u00e4\\n\"]",
     "['1','true','a\\'b','A\xc3\xa4\\n']"},
    {"2026-01-01", "'2026-01-01'"},
    /* collections */
    {"a: 1\nb:\n  - x\n  - y: z\n", "{'a':1,'b':['x',{'y':'z'}]}"},
    {"{a: {}, b: []}", "{'a':{},'b':[]}"},
    {"{a, b: , \"c\":1}", "{'a':null,'b':null,'c':1}"},
    {"{'1': 2, 'null': 3, '': 4}", "{'1':2,'null':3,'':4}"},
    {"a: |\n  b\n   c\nd: >-\n  e\n  f\n", "{'a':'b\\n c\\n','d':'e f'}"},
    {"# only\n--- # comments\na # here\n...\n# and there", "'a'"},
    {"%YAML 1.2\n---\na", "'a'"},
    {"{\"a\": [1, {\"b\": null}]}", "{'a':[1,{'b':null}]}"},
    /* anchors */
    {"[&a 1, *a, *a]", "[1,1,1]"},
    {"{a: &x {b: [1]}, c: *x, d: *x}",
     "{'a':{'b':[1]},'c':{'b':[1]},'d':{'b':[1]}}"},
    {"[&a 1, &a 2, *a]", "[1,2,2]"},
    {"[&a k, {*a : 1}]", "['k',{'k':1}]"},
    {"[&a [], &b [*a, *a], [*b, *a]]", "[[],[[],[]],[[[],[]],[]]]"},
    {"{a: &a {x: 1}, <<: *a}", "{'a':{'x':1},'<<':{'x':1}}"},
    /* tags */
    {"[!!str 1, !!int '1', !!float 1.5, !!null '', !!bool true, ! 1]",
     "['1',1,1.5,null,true,'1']"},
    {"!!map {a: !!seq [b]}", "{'a':['b']}"},
    {"! {a: ! [b]}", "{'a':['b']}"},
    {"%TAG !y! tag:yaml.org,2002:\n---\n!y!str 1", "'1'"},
    /* a byte order mark is not text */
    {"\xef\xbb\xbf"
     "a: 1",
     "{'a':1}"},
};

static const struct bad {
    const char *yaml;
    size_t len; /* 0: up to the NUL */
    const char *error;
} bad[] = {
    {"", 0, "no document"},
    {"# nothing", 0, "no document"},
    {"a\n---\nb", 0, "line 2, column 1: a second document begins"},
    {"a:\n  \"b \xe2\x80\xa8 c\"", 0,
     "line 2, column 6: unescaped U+2028: write it as \"\\u2028\""},
    {"# \xc2\x85", 0,
     "line 1, column 3: unescaped U+0085: write it as \"\\u0085\""},
    {"---\n---\n", 0, "line 2, column 1: a second document begins"},
    {"{a: 1, a: 2}", 0, "line 1, column 8: \"a\": duplicate key"},
    {"a: 1\nb: 2\n\"a\": 3", 0, "line 3, column 1: \"a\": duplicate key"},
    {"{<<: 1, <<: 2}", 0, "line 1, column 9: \"<<\": duplicate key"},
    {"{1: a}", 0,
     "line 1, column 2: 1 is not a string and cannot be a key: "
     "quote it"},
    {"{~: a}", 0,
     "line 1, column 2: null is not a string and cannot be a "
     "key: quote it"},
    {"{true: a}", 0,
     "line 1, column 2: true is not a string and cannot be a "
     "key: quote it"},
    {"{[a]: b}", 0,
     "line 1, column 4: a collection is not a string and "
     "cannot be a key"},
    {"? {a: b}\n: c", 0,
     "line 1, column 8: a collection is not a string and "
     "cannot be a key"},
    {"[.inf]", 0, "line 1, column 2: \".inf\": not a finite number"},
    {"-.INF", 0, "line 1, column 1: \"-.INF\": not a finite number"},
    {".NaN", 0, "line 1, column 1: \".NaN\": not a finite number"},
    {"1e999", 0, "line 1, column 1: \"1e999\": not a finite number"},
    {"9223372036854775808", 0,
     "line 1, column 1: \"9223372036854775808\": an "
     "integer beyond 64 bits"},
    {"0xffffffffffffffff", 0,
     "line 1, column 1: \"0xffffffffffffffff\": an "
     "integer beyond 64 bits"},
    {"[*a]", 0, "line 1, column 2: \"a\": no such anchor"},
    {"&a [*a]", 0, "line 1, column 5: \"a\": no such anchor"},
    {"!foo a", 0, "line 1, column 1: \"!foo\": unknown tag"},
    {"[!foo {}]", 0, "line 1, column 2: \"!foo\": unknown tag"},
    {"!!set {a}", 0,
     "line 1, column 1: \"tag:yaml.org,2002:set\": unknown "
     "tag"},
    {"!!map [a]", 0,
     "line 1, column 1: \"tag:yaml.org,2002:map\": unknown "
     "tag"},
    {"!!timestamp a", 0,
     "line 1, column 1: \"tag:yaml.org,2002:timestamp\": "
     "unknown tag"},
    {"!!int a", 0, "line 1, column 1: \"a\": not of type int"},
    {"a: \"\\0\"", 0, "line 1, column 4: a NUL byte in a string"},
    {"ab\nc\0d", 6, "line 2, column 2: a NUL byte"},
    {"ab\nc\xff", 0, "line 2, column 2: invalid leading UTF-8 octet"},
    {"\xc3\xa4\xc0\x80", 0,
     "line 1, column 2: invalid length of a UTF-8 "
     "sequence"},
    {"a\x01", 0, "line 1, column 2: control characters are not allowed"},
    {"[a", 0,
     "line 2, column 1: did not find expected ',' or ']' while "
     "parsing a flow sequence"},
    {"a: b: c", 0,
     "line 1, column 5: mapping values are not allowed in this "
     "context"},
    {"a:\n\tb: 1", 0,
     "line 2, column 1: found character that cannot start "
     "any token while scanning for the next token"},
    {"%YAML 3.0\n---\na", 0,
     "line 1, column 1: found incompatible YAML "
     "document"},
};

static char *unquote(const char *text)
{
    char *copy = strdup(text), *to = copy;

    for (const char *p = text; p && *p; p++) {
        if (p[0] == '\\' && p[1] == '\'')
            *to++ = *++p;
        else
            *to++ = *p == '\'' ? '"' : *p;
    }
    *to = '\0';
    return copy;
}

static void test_good(const struct good *t)
{
    struct diag d = {0};
    json_t *value = yaml_load(t->yaml, strlen(t->yaml), &d);
    json_t *want;
    char *json = unquote(t->json), *got;

    want = json_loads(json, JSON_DECODE_ANY, NULL);
    got = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (!ok(value && want && json_equal(value, want), "%s", t->json))
        printf("# %s: %s\n# got %s\n", d.where, d.text, got ? got : "nothing");
    free(got);
    free(json);
    json_decref(value);
    json_decref(want);
}

static void test_bad(const struct bad *t)
{
    struct diag d = {0};
    json_t *value = yaml_load(t->yaml, t->len ? t->len : strlen(t->yaml), &d);

    if (!ok(value == NULL, "refused: %s", t->error))
        json_decref(value);
    else
        is(diag_line(&d).text, t->error, "... with its fault");
}

/* Each line contains the one before it ten times. */
static void test_expansion(int lines, int good_)
{
    char text[4096];
    struct diag d = {0};
    json_t *value;
    int n = snprintf(text, sizeof(text), "a0: &a0 x\n");

    for (int i = 1; i < lines; i++) {
        n += snprintf(text + n, sizeof(text) - (size_t)n, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            n += snprintf(text + n, sizeof(text) - (size_t)n, "*a%d,", i - 1);
        n += snprintf(text + n, sizeof(text) - (size_t)n, "]\n");
    }
    value = yaml_load(text, (size_t)n, &d);
    ok(!value == !good_, "%d powers of ten are %s", lines,
       good_ ? "read" : "refused");
    if (!good_)
        ok(strstr(d.text, "aliases expand to too much") != NULL,
           "... with their fault");
    json_decref(value);
}

/* A string of 1000 bytes, many times. */
static void test_long_alias(int times, int good_)
{
    char *text = malloc((size_t)times * 4 + 2000);
    char *p = text + sprintf(text, "[&a \"%01000d\"", 0);
    struct diag d = {0};
    json_t *value;

    for (int i = 0; i < times; i++)
        p += sprintf(p, ",*a");
    p += sprintf(p, "]");
    value = yaml_load(text, (size_t)(p - text), &d);
    ok(!value == !good_, "a long string %d times is %s", times,
       good_ ? "read" : "refused");
    json_decref(value);
    free(text);
}

/* [[[...]]], and chains of anchors of the same depth. */
static void test_depth(int depth, int good_)
{
    char *text = malloc((size_t)depth * 2 + 1);
    struct diag d = {0};
    json_t *value;

    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    value = yaml_load(text, (size_t)depth * 2, &d);
    ok(!value == !good_, "%d levels are %s", depth, good_ ? "read" : "refused");
    json_decref(value);
    free(text);
}

static void test_alias_depth(int links, int good_)
{
    char *text = malloc((size_t)links * 32 + 32), *p = text;
    struct diag d = {0};
    json_t *value;

    p += sprintf(p, "- &a0 []\n");
    for (int i = 1; i < links; i++)
        p += sprintf(p, "- &a%d [*a%d]\n", i, i - 1);
    value = yaml_load(text, (size_t)(p - text), &d);
    if (!ok(!value == !good_, "a chain of %d anchors is %s", links,
            good_ ? "read" : "refused"))
        printf("# %s: %s\n", d.where, d.text);
    json_decref(value);
    free(text);
}

/* A key before a colon has at most 1024 bytes in YAML, one after "?" any. */
static void test_long_key(const char *before, int len, const char *after,
                          int good_)
{
    char text[4096];
    struct diag d = {0};
    int n = snprintf(text, sizeof(text), "%s\"%0*d\"%s", before, len, 0, after);
    json_t *value = yaml_load(text, (size_t)n, &d);

    ok(!value == !good_, "a key of %d bytes is %s", len,
       good_ ? "read" : "refused");
    json_decref(value);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        test_good(&good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        test_bad(&bad[i]);
    test_expansion(5, 1);
    test_expansion(9, 0);
    test_expansion(40, 0);
    test_long_alias(900, 1);
    test_long_alias(1000, 0);
    test_depth(YAML_DEPTH_MAX, 1);
    test_depth(YAML_DEPTH_MAX + 1, 0);
    test_depth(100000, 0);
    test_alias_depth(YAML_DEPTH_MAX - 1, 1);
    test_alias_depth(YAML_DEPTH_MAX, 0);
    test_long_key("{", 1000, ": 1}", 1);
    test_long_key("{", 2000, ": 1}", 0);
    test_long_key("? ", 2000, "\n: 1", 1);
    return done_testing();
}

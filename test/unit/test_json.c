/*
 * The quick reader of plain JSON, compared with jansson: it reads a value as
 * jansson does, or leaves text that is not plain alone.
 */
#include "base/json.h"
#include "base/memory.h"

#include <stdlib.h>

#include "random.h"
#include "tap.h"

enum { FLAGS = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES };

/* Does jansson give the same value for these bytes? */
static bool agrees(const char *text, const json_t *value, size_t end)
{
    json_error_t error;
    json_t *wanted = json_loadb(text, end, FLAGS, &error);
    bool same = wanted && json_equal(value, wanted);

    json_decref(wanted);
    return same;
}

/* --- examples ------------------------------------------------------------- */

/* The first `taken` bytes of each text are a value; the rest is not read. */
static void test_plain(void)
{
    static const struct {
        const char *text;
        size_t taken;
    } plain[] = {
        {"{}", 2},
        {"[]", 2},
        {" \n\t[ ] ", 6},
        {"\"\"", 2},
        {"\"core\"", 6},
        {"0,", 1},
        {"-0 ", 2},
        {"-17]", 3},
        {"999999999999999999}", 18},
        {"true,", 4},
        {"false\n", 5},
        {"null]", 4},
        {"{\"rank\":\"0-3\",\"children\":{\"core\":\"0-47\"}},{", 41},
        {"{ \"a\" : [ 1 , -2 , { } ] }", 26},
        {"[[[[[[[[1]]]]]]]]", 17},
        {"{\"\":0}", 6},
        {"\"a\"b", 3},
        {"0.0,", 3},
        {"-0.50]", 5},
        {"1795401196.980462}", 17},
        {"{\"a\":12.25}", 11},
    };

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        const char *text = plain[i].text;
        size_t end = 0;
        json_t *value = json_read_plain(text, strlen(text), NULL, &end);
        ok(value && end == plain[i].taken && agrees(text, value, end),
           "plain: %zu bytes", plain[i].taken);
        json_decref(value);
    }
}

static void test_refused(void)
{
    static const char *const texts[] = {
        /* not plain */
        "\"\\n\"", "\"\\u0041\"", "\"\xc3\xa9\"", "1e3 ", "1.5e3 ",
        "[0.1234567891]", "4503599627370490.5 ", "1000000000000000000 ",
        "{\"\xc3\xa9\":1}", "\"\x7f\"",
        /* incomplete, or it can't be known */
        "", " ", "1", "-12", "true", "nul", "\"a", "{", "{\"a\"",
        "{\"a\":", "{\"a\":1", "{\"a\":1,", "[", "[1", "[1,", "[[]",
        /* wrong */
        "01 ", "-01 ", "- ", "+1 ", "1. ", ".5 ", "-.5 ", "01.5 ", "1.5.5 ",
        "[1,]", "[,1]", "{\"a\":1,}", "{,}", "{\"a\" 1}", "{a:1}", "{1:1}",
        "{\"a\":1,\"a\":1}", "[1 2]", "truex ", "True ", "\"\t\"", "[1}",
        "{\"a\":1]", "}", ",", "[{\"a\":[{\"a\":[{\"a\":[1,]}]}]}]"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        size_t end;
        json_t *value = json_read_plain(texts[i], strlen(texts[i]), NULL, &end);
        ok(!value, "left alone: text %zu", i);
        json_decref(value);
    }
}

/* Recursion has a limit, and a NUL is not the end. */
static void test_limits(void)
{
    char deep[200];
    size_t end;

    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    ok(!json_read_plain(deep, 200, NULL, &end),
       "a hundred lists in each other");
    ok(!json_read_plain("1\0", 2, NULL, &end), "a NUL behind a number");
    ok(!json_read_plain("\"\0\"", 3, NULL, &end), "a NUL in a string");
}

/* --- known keys ----------------------------------------------------------- */

enum { NAME, SIZE, WHOLE, INSIDE, DEEP, SLOTS };
static const struct json_field inside[] = {{"deep", JSON_INTEGER, DEEP, NULL},
                                           {0}},
                               fields[] = {
                                   {"name", JSON_STRING, NAME, NULL},
                                   {"size", JSON_INTEGER, SIZE, NULL},
                                   {"whole", JSON_TRUE, WHOLE, NULL},
                                   {"inside", JSON_OBJECT, INSIDE, inside},
                                   {0}};

static bool read_fields(const char *text, struct json_token *out, size_t *end)
{
    memset(out, 0, SLOTS * sizeof(*out));
    return json_read_fields(text, strlen(text), fields, out, end);
}

static void test_fields(void)
{
    static const char *const others[] = {"",
                                         "{",
                                         "[]",
                                         "{\"name\":\"x\"",
                                         "{\"name\":1}",
                                         "{\"nam\":\"x\"}",
                                         "{\"names\":\"x\"}",
                                         "{\"size\":\"1\"}",
                                         "{\"size\":01}",
                                         "{\"size\":1.5}",
                                         "{\"size\":1e3}",
                                         "{\"size\":-}",
                                         "{\"size\":}",
                                         "{\"size\":1000000000000000000}",
                                         "{\"whole\":null}",
                                         "{\"whole\":truex}",
                                         "{\"size\":1,\"size\":1}",
                                         "{\"deep\":1}",
                                         "{\"inside\":{},\"inside\":{}}",
                                         "{\"inside\":{\"name\":\"x\"}}",
                                         "{\"inside\":1}",
                                         "{\"name\":\"\\n\"}",
                                         "{\"size\":1,}",
                                         "{,}"};
    static const char known[] = " { \"size\" : -12 ,\"inside\":{\"deep\":0},"
                                "\"whole\":true,\"name\":\"x/y\"} 1";
    struct json_token t[SLOTS];
    size_t end;

    ok(read_fields(known, t, &end) && end == strlen(known) - 2,
       "an object of known keys");
    ok(t[NAME].len == 3 && !memcmp(t[NAME].text, "x/y", 3)
           && t[SIZE].number == -12 && t[WHOLE].number == 1 && t[DEEP].text
           && t[DEEP].number == 0,
       "is read into tokens");
    ok(read_fields("{\"whole\":false,\"inside\":{}}", t, &end) && t[WHOLE].text
           && !t[WHOLE].number && t[INSIDE].text && !t[NAME].text
           && !t[DEEP].text,
       "which say what is there");
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        ok(!read_fields(others[i], t, &end), "left alone: object %zu", i);
}

/* --- at random ------------------------------------------------------------ */

static size_t put_plain(char *at, unsigned depth)
{
    static const char *const scalars[] = {
        "0", "-5", "123456789", "true", "false", "null", "\"\"", "\"x-y\""};
    unsigned n = random_below(4), kind = random_below(depth ? 4 : 2);
    char *p = at;

    if (kind < 2)
        return (size_t)sprintf(at, "%s", scalars[random_below(8)]);
    *p++ = kind == 2 ? '[' : '{';
    for (unsigned i = 0; i < n; i++) {
        p += sprintf(p, "%s%s", i ? "," : "", random_below(4) ? "" : " ");
        if (kind == 3)
            p += sprintf(p, "\"k%u\":%s", i, random_below(4) ? "" : "\n");
        p += put_plain(p, depth - 1);
    }
    *p++ = kind == 2 ? ']' : '}';
    *p = '\0';
    return (size_t)(p - at);
}

static void test_random_plain(void)
{
    long rounds = random_start(2000), good = 0;

    for (long i = 0; i < rounds; i++) {
        char text[4096];
        size_t len = put_plain(text, 3), end = 0;
        json_t *value;
        text[len] = ' ';
        value = json_read_plain(text, len + 1, NULL, &end);
        good += value && end == len && agrees(text, value, end);
        json_decref(value);
    }
    ok(good == rounds, "whatever is plain is taken");
}

/* Text that is left alone is read later, as the same value, or refused then. */
static void test_texts(void)
{
    static const char *const keys[] = {"R", "resources", NULL};
    static const char *const odd[] = {"\"\\n\"", "{\"a\":1,\"a\":2}", "1e3",
                                      "[1,]", "{\"R\":{\"R\":2}}"};
    long rounds = random_start(2000), good = 0, kept = 0;

    for (long i = 0; i < rounds; i++) {
        char value[4096], *text;
        struct diag d = {0};
        json_t *whole, *lean, *R;
        size_t n = put_plain(value, 3);
        strcpy(value + n, random_below(4) ? "" : odd[random_below(5)]);
        xasprintf(&text, "{\"R\":1,\"payload\":{\"id\":3,\"R\":%s ,\"x\":[]}}",
                  random_below(4) ? value : odd[random_below(5)]);
        whole = json_read(text, strlen(text), true, &d);
        lean = json_read_texts(text, strlen(text), keys, &d);
        R = json_object_get(json_object_get(lean, "payload"), "R");
        R = R ? json_read(json_string_value(R), json_string_length(R), true, &d)
              : NULL;
        json_object_set_new(json_object_get(lean, "payload"), "R", R);
        kept += R != NULL;
        good += R ? json_equal(whole, lean) : !whole;
        json_decref(whole);
        json_decref(lean);
        free(text);
    }
    ok(good == rounds && kept > 0 && kept < rounds, "texts are read later");
}

/* Reals are read as jansson reads them, to the last bit, with all digits. */
static void test_random_reals(void)
{
    long rounds = random_start(20000), good = 0;

    for (long i = 0; i < rounds; i++) {
        char text[64];
        unsigned digits = 1 + random_below(9);
        int len = sprintf(
            text, "%u.%0*u,", random_below(1u << 31) >> random_below(31),
            (int)digits, random_below(1000000000) >> random_below(30));
        size_t end = 0, at;
        json_t *value = json_read_plain(text, (size_t)len, NULL, &end), *same;
        same = json_read_part(text, (size_t)len - 1, true, &at,
                              &(struct diag){0});
        good += !value
                || (same && end == (size_t)len - 1 && json_equal(value, same));
        json_decref(value);
        json_decref(same);
    }
    ok(good == rounds, "reals are the nearest, and exact");
}

/* Is it the number with the fewest digits, from 15 on? */
static bool is_shortest(double value)
{
    char text[64] = "", wanted[64];
    FILE *fp = fmemopen(text, sizeof(text), "w");

    json_write_real(fp, value);
    fclose(fp);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(wanted, sizeof(wanted), "%.*g", digits, value);
        if (strtod(wanted, NULL) == value)
            break;
    }
    if (!strpbrk(wanted, ".e"))
        strcat(wanted, ".0");
    return !strcmp(text, wanted);
}

static void test_written_reals(void)
{
    long rounds = random_start(20000), good = 0;

    for (long i = 0; i < rounds; i++) {
        double value = random_below(UINT32_MAX) >> random_below(32);
        value += random_below(1000000) / 1e6;
        if (random_below(4) == 0)
            value *= random_below(1000) / 7e5;
        if (random_below(4) == 0)
            value *= random_below(1000000);
        good += is_shortest(value) && is_shortest(-value);
    }
    ok(good == rounds, "reals are written as short as they can be");
}

static void test_random_pieces(void)
{
    static const char *const pieces[] = {"{",       "}",
                                         "[",       "]",
                                         ",",       ":",
                                         "\"a\"",   "\"b\"",
                                         " ",       "\"a\":",
                                         "\"b\":",  "1",
                                         "-0",      "01",
                                         "1.5",     "true",
                                         "nul",     "null",
                                         "\"\\t\"", "\"",
                                         "\n",      "-",
                                         "1e2",     "[]",
                                         "{\"a\":", "\"\xc3\xa9\"",
                                         "[1,",     "}}",
                                         "\\",      "0"};
    long rounds = random_start(20000), taken = 0, wrong = 0;

    for (long i = 0; i < rounds; i++) {
        char text[256] = "";
        size_t end;
        json_t *value;
        for (unsigned n = 1 + random_below(9); n > 0; n--)
            strcat(text,
                   pieces[random_below(sizeof(pieces) / sizeof(pieces[0]))]);
        value = json_read_plain(text, strlen(text), NULL, &end);
        taken += value != NULL;
        wrong += value && !agrees(text, value, end);
        json_decref(value);
    }
    ok(taken > 0 && wrong == 0, "no text is misread");
}

int main(void)
{
    test_plain();
    test_refused();
    test_limits();
    test_fields();
    test_random_plain();
    test_texts();
    test_random_reals();
    test_written_reals();
    test_random_pieces();
    return done_testing();
}

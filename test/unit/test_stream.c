/*
 * Streams of documents: all ways in which bytes can arrive, and streams that
 * are refused. Blocks are 64 KiB; values, strings and escapes are placed across
 * their borders.
 */
#include "base/stream.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random.h"
#include "tap.h"

#define BLOCK 65536

/* --- one text, read in two ways ----------------------------------------- */

/*
 * Read all documents of a stream, each whole, into one text with a line for
 * each. A fault ends it, as "! source: place: text".
 */
static char *drain(struct stream *s)
{
    struct diag d = {0};
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);
    int rc;

    while ((rc = stream_next(s, &d)) == 1) {
        json_t *value = stream_value(s, &d);
        if (!value) {
            rc = -1;
            break;
        }
        json_dumpf(value, fp, JSON_COMPACT | JSON_ENCODE_ANY);
        putc('\n', fp);
        json_decref(value);
    }
    if (rc < 0)
        fprintf(fp, "! %s", diag_line(&d).text);
    fclose(fp);
    stream_close(s);
    return text;
}

static char *drain_text(const char *text, size_t len)
{
    return drain(stream_open_text(text, len, "x"));
}

/* Read through a named pipe that is written in pieces. */
static char *drain_pipe(const char *text, size_t len, size_t piece)
{
    struct diag d = {0};
    char folder[] = "/tmp/stream-XXXXXX", path[32], *out, *x;
    pid_t child;
    int fd;

    if (!mkdtemp(folder))
        return NULL;
    snprintf(path, sizeof(path), "%s/pipe", folder);
    if (mkfifo(path, 0600) < 0 || (child = fork()) < 0)
        return NULL;
    if (child == 0) {
        fd = open(path, O_WRONLY);
        for (size_t at = 0; at < len; at += piece)
            if (write(fd, text + at, len - at < piece ? len - at : piece) < 0)
                _exit(1);
        _exit(0);
    }
    out = drain(stream_open(path, &d));
    unlink(path);
    rmdir(folder);
    while ((x = strstr(out, path))) { /* the name does not matter here */
        *x = 'x';
        memmove(x + 1, x + strlen(path), strlen(x + strlen(path)) + 1);
    }
    return out;
}

/* Return the text in one line, for the name of a test. */
static const char *in_one_line(const char *text)
{
    static char line[80];
    size_t len = 0;

    for (; *text && len + 1 < sizeof(line); text++)
        line[len++] = (unsigned char)*text < ' ' ? '_' : *text;
    line[len] = '\0';
    return line;
}

static void same_both_ways(const char *text, const char *want)
{
    char *got = drain_text(text, strlen(text));

    is(got, want, "%s", in_one_line(text));
    free(got);
    got = drain_pipe(text, strlen(text), 3);
    is(got, want, "from a pipe: %s", in_one_line(text));
    free(got);
}

static void test_documents(void)
{
    same_both_ways("", "");
    same_both_ways(" \n\t\r\n", "");
    same_both_ways("{}", "{}\n");
    same_both_ways("{} [] 1 true null \"x\"", "{}\n[]\n1\ntrue\nnull\n"
                                              "\"x\"\n");
    same_both_ways("{}{}[][]\"a\"\"b\"", "{}\n{}\n[]\n[]\n\"a\"\n\"b\"\n");
    same_both_ways("1{}2[]3\"x\"4", "1\n{}\n2\n[]\n3\n\"x\"\n4\n");
    same_both_ways("{\"a\":\"}]\\\"{[\"}\n{\"b\":[[],{}]}",
                   "{\"a\":\"}]\\\"{[\"}\n{\"b\":[[],{}]}\n");
    same_both_ways("\"\\\\\"\"\\\"\"", "\"\\\\\"\n\"\\\"\"\n");
}

/* --- borders of blocks -------------------------------------------------- */

/*
 * A document of two strings with `body` between them, which lies across the
 * border of a block; each offset in turn.
 */
static void check_border(const char *body, const char *name)
{
    size_t len = strlen(body), bad = 0;
    char *text = malloc(3 * BLOCK), *got, *want;

    for (size_t at = BLOCK - len - 2; at <= BLOCK + 1; at++) {
        size_t n;
        /* blanks, the body, a second document */
        memset(text, ' ', at);
        n = at + (size_t)sprintf(text + at, "%s[1]", body);
        want = drain_text(text, n);
        got = drain_pipe(text, n, BLOCK);
        bad += !got || !want || strcmp(got, want) || strchr(got, '!');
        free(got);
        free(want);
        /* a string before it in the same value */
        text[0] = '[';
        text[1] = '"';
        memset(text + 2, 'x', at - 4);
        text[at - 2] = '"';
        text[at - 1] = ',';
        n = at + (size_t)sprintf(text + at, "%s][1]", body);
        want = drain_text(text, n);
        got = drain_pipe(text, n, BLOCK);
        bad += !got || !want || strcmp(got, want) || strchr(got, '!');
        free(got);
        free(want);
    }
    ok(bad == 0, "%s across the border of a block", name);
    free(text);
}

static void test_borders(void)
{
    check_border("\"\\\"\\\\\\u00e9\\n\"", "a string with escapes");
    check_border("\"\\\\\\\\\\\\\\\\\"", "backslashes");
    check_border("\"\xc3\xa9\xe2\x82\xac\"", "UTF-8");
    check_border("{\"key\":[1,2.5,-3e2,true,null,{}]}", "an object");
    check_border("12345678", "a number");
    check_border("false", "a word");
}

/* A value of many blocks. */
static void test_large(void)
{
    size_t n = 20 * BLOCK;
    char *text = malloc(n + 8), *got, *want;

    text[0] = '"';
    memset(text + 1, 'y', n);
    strcpy(text + n + 1, "\"");
    want = drain_text(text, strlen(text));
    got = drain_pipe(text, strlen(text), 100000);
    ok(got && want && strlen(got) == n + 3 && !strcmp(got, want),
       "a string of %zu bytes", n);
    free(got);
    free(want);
    free(text);
}

/* --- refused streams ---------------------------------------------------- */

static const struct {
    const char *text, *fault;
} faults[] = {
    {"{", "! x: line 1, column 2: input ends in the middle of a document"},
    {"{\"a\"", "! x: line 1, column 5: input ends in the middle of a document"},
    {"{\"a\":",
     "! x: line 1, column 6: input ends in the middle of a document"},
    {"{\"a\":1,",
     "! x: line 1, column 8: input ends in the middle of a document"},
    {"[1,2", "! x: line 1, column 5: input ends in the middle of a document"},
    {"\"abc", "! x: line 1, column 5: input ends in the middle of a document"},
    {"\"abc\\",
     "! x: line 1, column 6: input ends in the middle of a document"},
    {"{} {",
     "{}\n! x:2: line 1, column 5: input ends in the middle of a document"},
    {"{}\n{}\n[",
     "{}\n{}\n! x:3: line 3, column 2: input ends in the middle of a "
     "document"},
};

/* Refused, with any text; the fault names the source. */
static const char *const bad[] = {
    "}",
    "]",
    ",",
    ":",
    "{]",
    "[}",
    "{,}",
    "[,]",
    "[1,]",
    "{\"a\":1,}",
    "{\"a\"}",
    "{\"a\":}",
    "{a:1}",
    "{'a':1}",
    "{1:2}",
    "[1 2]",
    "{\"a\":1 \"b\":2}",
    "tru",
    "nul",
    "True",
    "NaN",
    "Infinity",
    "-",
    "+1",
    "01",
    "1.",
    ".5",
    "1e",
    "0x1",
    "\"\t\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\"\xff\"",
    "\"\xc3\"",
    "\"\xed\xa0\x80\"",
    "99999999999999999999",
    "-9223372036854775809",
    "1e400",
    "{\"a\":1,\"a\":2}",
    "[{\"a\":1,\"a\":2}]",
    "/* */ 1",
    "# x",
    "\xef\xbb\xbf{}",
    "{\"\\u0061\":1,\"a\":2}",
};

static void test_faults(void)
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        same_both_ways(faults[i].text, faults[i].fault);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *got = drain_text(bad[i], strlen(bad[i]));
        if (!ok(!strncmp(got, "! x: line ", 10), "%s is refused",
                in_one_line(bad[i])))
            printf("# got %s\n", got);
        free(got);
    }
}

/* A NUL byte is a byte that JSON forbids, not the end. */
static void test_nul(void)
{
    static const char *const texts[] = {"{}*", "*{}",     "{*}",      "[1*]",
                                        "1*",  "\"a*b\"", "{}  *  {}"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char text[32], *got;
        size_t len = strlen(texts[i]);
        strcpy(text, texts[i]);
        *strchr(text, '*') = '\0';
        got = drain_text(text, len);
        if (!ok(strchr(got, '!') != NULL, "NUL in %s is refused", texts[i]))
            printf("# got %s\n", got);
        free(got);
    }
}

/* Unlimited nesting, and unlimited brackets in a row, are refused. */
static void test_depth(void)
{
    size_t n = 200000;
    char *text = malloc(n), *got;

    memset(text, '[', n / 2);
    memset(text + n / 2, ']', n / 2);
    got = drain_text(text, n);
    ok(got[0] == '!', "100000 arrays in each other are refused");
    free(got);
    got = drain_text(text, n / 2);
    ok(got[0] == '!', "so are those that do not end");
    free(got);
    free(text);
}

/* --- reading inside a value --------------------------------------------- */

static void test_levels(void)
{
    static const char text[] = " { \"a\" : [ 1 , {} ,[2]] , \"b\" : { } ,"
                               " \"c\":3 } 4";
    struct stream_level object, array, empty;
    struct diag d = {0};
    struct stream *s = stream_open_text(text, strlen(text), "x");
    const char *key;
    int n = 0;
    json_t *value;

    ok(stream_next(s, &d) == 1 && stream_peek(s, &d) == '{', "an object");
    ok(stream_enter(s, &object, "[{", &d) == 0 && object.object, "is entered");
    ok(stream_key(s, &object, &key, &d) == 1 && !strcmp(key, "a"), "key a");
    ok(stream_enter(s, &array, "[", &d) == 0 && !array.object,
       "an array in it is entered");
    while (stream_item(s, &array, &d) == 1) {
        json_decref(stream_value(s, &d));
        n++;
    }
    stream_leave(&array);
    ok(n == 3 && !d.text[0], "it has three elements");
    ok(stream_key(s, &object, &key, &d) == 1 && !strcmp(key, "b"), "key b");
    ok(stream_enter(s, &empty, "{", &d) == 0
           && stream_key(s, &empty, &key, &d) == 0,
       "an empty object");
    stream_leave(&empty);
    ok(stream_key(s, &object, &key, &d) == 1 && !strcmp(key, "c"), "key c");
    value = stream_value(s, &d);
    ok(json_integer_value(value) == 3, "its value");
    json_decref(value);
    ok(stream_key(s, &object, &key, &d) == 0, "there is no other key");
    stream_leave(&object);
    ok(stream_next(s, &d) == 1 && stream_peek(s, &d) == '4',
       "the next document");
    ok(stream_enter(s, &object, "{", &d) == -1 && !d.source[0],
       "a number can't be entered");
    is(d.text, "4: expected an object", "and the message says so");
    stream_leave(&object);
    stream_close(s);
}

/* A repeated key is found also in values that are read in steps. */
static void test_duplicate_key(void)
{
    static const char text[] = "{\"a\":1,\"b\":2,\"a\":3}";
    struct stream_level level;
    struct diag d = {0};
    struct stream *s = stream_open_text(text, strlen(text), "x");
    const char *key;
    int rc;

    stream_next(s, &d);
    stream_enter(s, &level, "{", &d);
    while ((rc = stream_key(s, &level, &key, &d)) == 1)
        json_decref(stream_value(s, &d));
    ok(rc == -1, "a duplicate key is refused");
    is(d.text, "duplicate object key \"a\"", "by name");
    is(d.where, "line 1, column 14", "and place");
    stream_leave(&level);
    stream_close(s);
}

/* --- at random ---------------------------------------------------------- */

static void random_value(FILE *fp, unsigned depth)
{
    unsigned n = random_below(4);

    switch (random_below(depth ? 7 : 5)) {
    case 0:
        fprintf(fp, "%d", (int)random_below(2000000) - 1000000);
        return;
    case 1:
        fputs(random_below(2) ? "true" : "null", fp);
        return;
    case 2:
        fprintf(fp, "%u.5", random_below(1000));
        return;
    case 3:
    case 4:
        putc('"', fp);
        for (n = random_below(2) ? n : random_below(50000); n-- > 0;)
            fputs((const char *[]){"x", "\\\"", "\\\\", "\\u20ac", "{",
                                   "]"}[random_below(6)],
                  fp);
        putc('"', fp);
        return;
    case 5:
        putc('[', fp);
        for (unsigned i = 0; i < n; i++) {
            fputs(i ? " ," : "", fp);
            random_value(fp, depth - 1);
        }
        putc(']', fp);
        return;
    default:
        putc('{', fp);
        for (unsigned i = 0; i < n; i++) {
            fprintf(fp, "%s\"k%u\\n\" : ", i ? ",\n" : "", i);
            random_value(fp, depth - 1);
        }
        putc('}', fp);
    }
}

static void test_random(long rounds)
{
    long bad_rounds = 0;

    for (long i = 0; i < rounds; i++) {
        char *text = NULL, *whole, *piped, *once;
        size_t len, cut;
        FILE *fp = open_memstream(&text, &len);
        unsigned n = 1 + random_below(4);
        while (n-- > 0) {
            random_value(fp, 4);
            putc(' ', fp);
        }
        fclose(fp);
        whole = drain_text(text, len);
        piped = drain_pipe(text, len, 1 + random_below(100000));
        once = drain_text(whole, strlen(whole));
        bad_rounds += strchr(whole, '!') || strcmp(whole, piped)
                      || strcmp(whole, once);
        free(piped);
        free(once);
        /* a truncated text never gives more than the whole */
        cut = random_below((uint32_t)len);
        piped = drain_text(text, cut);
        once = strchr(piped, '!');
        if (once)
            *once = '\0';
        else if (strlen(piped) >= 2)
            strrchr(piped, '\n')[0] = '\0'; /* a number may be shorter */
        bad_rounds += strlen(piped) > strlen(whole);
        free(piped);
        free(whole);
        free(text);
    }
    ok(bad_rounds == 0, "random documents: whole, piped, and cut");
}

/* --- files -------------------------------------------------------------- */

static void test_files(void)
{
    struct diag d = {0};
    struct stream *s = stream_open("/no/such/file", &d);

    ok(!s, "a missing file");
    is(diag_line(&d).text, "/no/such/file: No such file or directory",
       "is told");
    d = (struct diag){0};
    s = stream_open("/", &d);
    ok(!s || stream_next(s, &d) == -1, "a directory");
    is(diag_line(&d).text, "/: Is a directory", "is told");
    stream_close(s);
    stream_close(NULL);
}

int main(void)
{
    long rounds = random_start(100);

    test_documents();
    test_borders();
    test_large();
    test_faults();
    test_nul();
    test_depth();
    test_levels();
    test_duplicate_key();
    test_random(rounds);
    test_files();
    return done_testing();
}

/* Idsets by example: sets that RFC 22 accepts and refuses, and every
   question. */
#include "set/idset.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct idset *read_set(const char *text)
{
    struct idset *set = NULL;
    struct diag d;

    if (idset_decode(text, strlen(text), &set, &d) < 0)
        printf("# %s\n", d.text);
    return set;
}

/* Return the set as a string, which the next call frees. */
static const char *text_of(const struct idset *set)
{
    static char *text;

    free(text);
    text = idset_encode(set);
    return text;
}

static void reads(void)
{
    static const struct {
        const char *in, *out;
        uint64_t count;
    } t[] = {
        {"", "", 0},
        {"[]", "", 0},
        {"0", "0", 1},
        {"[5]", "5", 1},
        {"2,4-6,9", "2,4-6,9", 5},
        {"[10-12]", "10-12", 3},
        {"1,2,3,7", "1-3,7", 4},
        {"4,5", "4-5", 2},
        {"0-3,4,5-6", "0-6", 7},
        {"0,4294967294", "0,4294967294", 2},
        {"0-4294967294", "0-4294967294", UINT64_C(4294967295)},
        {"1,3,5,7,9,11", "1,3,5,7,9,11", 6},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct idset *set = read_set(t[i].in);

        is(set ? text_of(set) : NULL, t[i].out, "reads \"%s\"", t[i].in);
        ok(set && idset_count(set) == t[i].count, "counts \"%s\"", t[i].in);
        idset_destroy(set);
    }
}

static void refuses(void)
{
    static const struct {
        const char *in, *why;
    } t[] = {
        {"07", "07 has a leading zero at offset 0"},
        {"00", "00 has a leading zero at offset 0"},
        {"2-05", "05 has a leading zero at offset 2"},
        {"9,4", "4 is out of order at offset 2"},
        {"4-6,2", "2 is out of order at offset 4"},
        {"0-5,3", "3 is out of order at offset 4"},
        {"6,6", "6 is repeated at offset 2"},
        {"2-5,5", "5 is repeated at offset 4"},
        {"8-3", "range 8-3 does not ascend at offset 0"},
        {"4-4", "range 4-4 does not ascend at offset 0"},
        {"3-", "range has no end at offset 2"},
        {"3-,4", "range has no end at offset 2"},
        {"-3", "range has no start at offset 0"},
        {"-", "range has no start at offset 0"},
        {"1-2-3", "unexpected \"-\" at offset 3"},
        {"1--3", "unexpected \"-\" at offset 2"},
        {"2.5", "unexpected \".\" at offset 1"},
        {"x", "unexpected \"x\" at offset 0"},
        {"1x", "unexpected \"x\" at offset 1"},
        {"0x10", "unexpected \"x\" at offset 1"},
        {"+1", "unexpected \"+\" at offset 0"},
        {" 1", "unexpected white space at offset 0"},
        {"1, 2", "unexpected white space at offset 2"},
        {"[ ]", "unexpected white space at offset 1"},
        {"[1", "bracket is not closed at offset 2"},
        {"[", "bracket is not closed at offset 1"},
        {"1]", "unexpected \"]\" at offset 1"},
        {"]", "unexpected \"]\" at offset 0"},
        {"[[1]]", "unexpected \"[\" at offset 1"},
        {"[1],[2]", "unexpected \",\" at offset 3"},
        {",1", "empty item at offset 0"},
        {"1,", "empty item at offset 2"},
        {"1,,2", "empty item at offset 2"},
        {"[,]", "empty item at offset 1"},
        {",", "empty item at offset 0"},
        {"4294967295", "4294967295 is larger than 4294967294 at offset 0"},
        {"4294967296", "4294967296 is larger than 4294967294 at offset 0"},
        {"1-4294967296", "4294967296 is larger than 4294967294 at offset 2"},
        {"18446744073709551616",
         "18446744073709551616 is larger than 4294967294 at offset 0"},
        {"\xc3\xa9", "unexpected byte 0xc3 at offset 0"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct idset *set = NULL;
        struct diag d;
        char want[256];
        int rc = idset_decode(t[i].in, strlen(t[i].in), &set, &d);

        snprintf(want, sizeof(want), "\"%s\": %s", t[i].in, t[i].why);
        is(rc < 0 && !set ? d.text : NULL, want, "refuses \"%s\"", t[i].in);
        if (rc == 0)
            idset_destroy(set);
    }
}

static void refuses_bytes(void)
{
    struct idset *set;
    struct diag d;

    ok(idset_decode("1\n", 2, &set, &d) < 0, "a line break is refused");
    is(d.text, "\"1\n\": unexpected line break at offset 1", "and named");
    ok(idset_decode("1\0002", 3, &set, &d) < 0, "a NUL byte is refused");
    is(d.text, "\"1\": unexpected NUL byte at offset 1", "and named");
    ok(idset_decode_max("0-9", 3, 8, &set, &d) < 0, "a limit is kept");
    is(d.text, "\"0-9\": 9 is larger than 8 at offset 2", "and named");
    ok(idset_decode("12345", 3, &set, &d) == 0, "no byte behind the end");
    is(text_of(set), "123", "is read");
    idset_destroy(set);
}

static void algebra(void)
{
    static const struct {
        const char *a, *b, * or, *and, *minus, *xor;
    } t[] = {
        {"", "", "", "", "", ""},
        {"1-3", "", "1-3", "", "1-3", "1-3"},
        {"", "1-3", "1-3", "", "", "1-3"},
        {"1-3", "1-3", "1-3", "1-3", "", ""},
        {"0-9", "3-5", "0-9", "3-5", "0-2,6-9", "0-2,6-9"},
        {"0-4", "5-9", "0-9", "", "0-4", "0-9"},
        {"0-5", "3-9", "0-9", "3-5", "0-2", "0-2,6-9"},
        {"0,2,4", "1,3,5", "0-5", "", "0,2,4", "0-5"},
        {"0-4294967294", "7", "0-4294967294", "7", "0-6,8-4294967294",
         "0-6,8-4294967294"},
        {"4294967294", "4294967293", "4294967293-4294967294", "", "4294967294",
         "4294967293-4294967294"},
        {"0-1,4-5,8-9", "1-4,9-10", "0-5,8-10", "1,4,9", "0,5,8",
         "0,2-3,5,8,10"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct idset *a = read_set(t[i].a), *b = read_set(t[i].b), *c;

        c = idset_union(a, b);
        is(text_of(c), t[i].or, "{%s} | {%s}", t[i].a, t[i].b);
        idset_destroy(c);
        c = idset_intersect(a, b);
        is(text_of(c), t[i].and, "{%s} & {%s}", t[i].a, t[i].b);
        idset_destroy(c);
        c = idset_subtract(a, b);
        is(text_of(c), t[i].minus, "{%s} - {%s}", t[i].a, t[i].b);
        idset_destroy(c);
        c = idset_xor(a, b);
        is(text_of(c), t[i].xor, "{%s} ^ {%s}", t[i].a, t[i].b);
        idset_destroy(c);
        idset_destroy(a);
        idset_destroy(b);
    }
}

static void questions(void)
{
    struct idset *set = read_set("2,4-6,9"), *none = idset_create();
    struct idset *all = idset_create_range(0, IDSET_MAX);

    ok(idset_first(set) == 2 && idset_last(set) == 9, "first and last");
    ok(idset_first(none) == IDSET_INVALID, "the empty set has no first");
    ok(idset_last(none) == IDSET_INVALID, "nor a last");
    ok(idset_next(set, 2) == 4 && idset_next(set, 4) == 5, "next");
    ok(idset_next(set, 0) == 2 && idset_next(set, 7) == 9, "next of no id");
    ok(idset_next(set, 9) == IDSET_INVALID, "next of the last");
    ok(idset_next(all, IDSET_MAX) == IDSET_INVALID, "next of the largest");
    ok(idset_next(all, IDSET_INVALID) == IDSET_INVALID, "next of nothing");
    ok(idset_prev(set, 9) == 6 && idset_prev(set, 6) == 5, "prev");
    ok(idset_prev(set, 100) == 9 && idset_prev(set, 3) == 2, "of no id");
    ok(idset_prev(set, 2) == IDSET_INVALID, "prev of the first");
    ok(idset_prev(all, IDSET_INVALID) == IDSET_MAX, "prev of nothing");
    ok(idset_nth(set, 0) == 2 && idset_nth(set, 4) == 9, "nth");
    ok(idset_nth(set, 5) == IDSET_INVALID, "nth past the end");
    ok(idset_position(set, 6) == 3 && idset_position(set, 7) == -1, "position");
    ok(idset_position(all, IDSET_MAX) == IDSET_MAX, "the last position");
    ok(idset_contains(set, 5) && !idset_contains(set, 3), "contains");
    ok(idset_nranges(set) == 3 && idset_range(set, 1).lo == 4
           && idset_range(set, 1).hi == 6,
       "ranges");
    idset_destroy(set);
    idset_destroy(none);
    idset_destroy(all);
}

static void changes(void)
{
    struct idset *set = idset_create();

    idset_add(set, 5, 4);
    ok(idset_empty(set), "a range upside down adds nothing");
    idset_add(set, 0, IDSET_INVALID);
    ok(idset_empty(set), "nor does one with an id too large");
    for (uint32_t i = 0; i < 10; i++)
        idset_add(set, 2 * i, 2 * i);
    is(text_of(set), "0,2,4,6,8,10,12,14,16,18", "added apart");
    idset_add(set, 3, 15);
    is(text_of(set), "0,2-16,18", "joined on both sides");
    idset_add(set, IDSET_MAX, IDSET_MAX);
    idset_add(set, IDSET_MAX - 1, IDSET_MAX - 1);
    is(text_of(set), "0,2-16,18,4294967293-4294967294", "at the upper end");
    idset_clear(set);
    is(text_of(set), "", "cleared");
    idset_destroy(set);
    idset_destroy(NULL);
}

static void parts(void)
{
    struct idset *set = read_set("2,4-6,9"), *some = read_set("0-5,9-12"), *c;

    c = idset_slice(set, 0, 3);
    is(text_of(c), "2,4-5", "head");
    idset_destroy(c);
    c = idset_slice(set, 0, 100);
    is(text_of(c), "2,4-6,9", "head of more than there is");
    idset_destroy(c);
    c = idset_slice(set, 0, 0);
    is(text_of(c), "", "head of nothing");
    idset_destroy(c);
    c = idset_positions(set, some);
    is(text_of(c), "0-2,4", "positions");
    idset_destroy(c);
    idset_destroy(set);
    idset_destroy(some);
}

static void long_output(void)
{
    struct idset *set = idset_create(), *back;
    char *text, *file = NULL;
    size_t size;
    FILE *fp = open_memstream(&file, &size);

    for (uint32_t i = 0; i < 100000; i++)
        idset_add(set, 40000 * i, 40000 * i + i % 2);
    text = idset_encode(set);
    back = read_set(text);
    ok(idset_equal(set, back), "a megabyte of text reads back");
    idset_write(set, fp);
    ok(!ferror(fp) && fclose(fp) == 0, "is written");
    ok(strcmp(file, text) == 0, "as it is encoded");
    free(text);
    free(file);
    idset_destroy(set);
    idset_destroy(back);
    fp = fopen("/dev/full", "w");
    if (fp) {
        setvbuf(fp, NULL, _IONBF, 0);
        set = idset_create_range(1, 2);
        idset_write(set, fp);
        ok(ferror(fp), "a full disk is noticed");
        idset_destroy(set);
        fclose(fp);
    }
}

int main(void)
{
    reads();
    refuses();
    refuses_bytes();
    algebra();
    questions();
    changes();
    parts();
    long_output();
    return done_testing();
}

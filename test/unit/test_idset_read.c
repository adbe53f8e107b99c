/* The forms in which sets are read and written, by example. */
#include "set/idset_form.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* Read a text in a form. NULL if it is refused, with the fault in `d`. */
static struct idset *read_as(const char *form, const char *text,
                             struct idset_reader how, struct diag *d)
{
    struct idset *set = idset_create();

    how.form = idset_form(form);
    if (idset_read(set, text, strlen(text), &how, d) < 0) {
        idset_destroy(set);
        return NULL;
    }
    idset_settle(set);
    return set;
}

static const char *text_of(const struct idset *set)
{
    static char *text;

    free(text);
    text = set ? idset_encode(set) : NULL;
    return text;
}

static void reads(void)
{
    static const struct {
        const char *form, *in, *out;
    } t[] = {
        {"idset", "0-3,7", "0-3,7"},
        {"list", "", ""},
        {"list", "3\n1\n2\n", "1-3"},
        {"list", "3, 1; 2:9|10/11&12_13", "1-3,9-13"},
        {"list", "5 5 5", "5"},
        {"list", "4294967294", "4294967294"},
        {"cpulist", "", ""},
        {"cpulist", "0-3,8", "0-3,8"},
        {"cpulist", "8,0-3,2-9", "0-9"},
        {"cpulist", "0-31:2/8", "0-1,8-9,16-17,24-25"},
        {"cpulist", "0-9:8/8", "0-9"},
        {"cpulist", "0-9:5/8", "0-4,8-9"},
        {"cpulist", "0-9:0/8", ""},
        {"cpulist", "4-10:1/3,0", "0,4,7,10"},
        {"cpulist", "0-4294967294:1/1", "0-4294967294"},
        {"step", "0-10/2", "0,2,4,6,8,10"},
        {"step", "0-10/3,20", "0,3,6,9,20"},
        {"step", "0-10/1", "0-10"},
        {"step", "4294967290-4294967294/2", "4294967290,4294967292,4294967294"},
        {"step", "0-4294967294/4294967294", "0,4294967294"},
        {"step", "5-9/18446744073709551615", "5"},
        {"cpulist", "5-9:18446744073709551614/18446744073709551615", "5-9"},
        {"step", "9,1-3", "1-3,9"},
        {"mask", "", ""},
        {"mask", "0", ""},
        {"mask", "0x0", ""},
        {"mask", "f", "0-3"},
        {"mask", "0xF0", "4-7"},
        {"mask", "0x0000000f,0xffffffff", "0-35"},
        {"mask", "0000000f,ffffffff", "0-35"},
        {"mask", "0x1,,0x0", "64"},
        {"mask", "1,0", "32"},
        {"mask", "80000000,1", "0,63"},
        {"mask", "10000000000000000", "64"},
        {"mask", "0x3ffffffff", "0-33"},
        {"taskset", "5", "0,2"},
        {"json", "[]", ""},
        {"json", " [ 3 , 1,\n2 ] ", "1-3"},
        {"json", "[1][2] [3]", "1-3"},
        {"json", "", ""},
        {"range", "", ""},
        {"range", "5", "5"},
        {"range", "3-6", "3-6"},
        {"range", "2-64:2:*", "2,4,8,16,32,64"},
        {"range", "2-300:2:^", "2,4,16,256"},
        {"range", "2-9:3", "2,5,8"},
        {"range", "[2-9:3]", "2,5,8"},
        {"range", "1-4294967294", "1-4294967294"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct diag d = {0};
        struct idset *set = read_as(t[i].form, t[i].in, IDSET_READER, &d);

        is(text_of(set), t[i].out, "%s \"%s\"", t[i].form, t[i].in);
        if (!set)
            printf("# %s\n", d.text);
        idset_destroy(set);
    }
}

static void refuses(void)
{
    static const struct {
        const char *form, *in, *why;
    } t[] = {
        {"list", "1,-2", "unexpected \"-\" at offset 2"},
        {"list", "1-2", "unexpected \"-\" at offset 1"},
        {"list", "007", "007 has a leading zero at offset 0"},
        {"list", "x", "unexpected \"x\" at offset 0"},
        {"list", "4294967295",
         "4294967295 is larger than 4294967294 at offset 0"},
        {"cpulist", "0-3:0", "the step must be at least 1 at offset 0"},
        {"cpulist", "0-3:", "number is missing at offset 4"},
        {"cpulist", "0-3:2/0", "number must be at least 1 at offset 6"},
        {"cpulist", "0-3:4/2", "group is too small at offset 0"},
        {"cpulist", "3:1/2", "unexpected \":\" at offset 1"},
        {"cpulist", "3-0", "range 3-0 does not ascend at offset 0"},
        {"cpulist", "all", "unexpected \"a\" at offset 0"},
        {"cpulist", "0,,1", "empty item at offset 2"},
        {"cpulist", "0 1", "unexpected white space at offset 1"},
        {"cpulist", "0-4294967294:1/2",
         "names more than 67108864 ranges at offset 0"},
        {"step", "0-4/0", "number must be at least 1 at offset 4"},
        {"step", "0-4/", "number is missing at offset 4"},
        {"step", "0-4/x", "unexpected \"x\" at offset 4"},
        {"step", "4/2", "unexpected \"/\" at offset 1"},
        {"step", "0-4294967294/2",
         "names more than 67108864 ranges at offset 0"},
        {"mask", "g", "unexpected \"g\" at offset 0"},
        {"mask", "0x", "digits are missing at offset 2"},
        {"mask", ",1", "unexpected \",\" at offset 0"},
        {"mask", "1,", "unexpected \",\" at offset 1"},
        {"mask", "0x1,0x123456789",
         "more than 8 digits in a group at offset 6"},
        {"mask", "0xf...f,0xffffffff", "mask has no highest id at offset 0"},
        {"json", "[1", "array is not closed at offset 0"},
        {"json", "[1,", "array is not closed at offset 0"},
        {"json", "[", "array is not closed at offset 0"},
        {"json", "1", "unexpected \"1\" at offset 0"},
        {"json", "[1 2]", "unexpected \"2\" at offset 3"},
        {"json", "[1,]", "empty item at offset 3"},
        {"json", "[1.5]", "unexpected \".\" at offset 2"},
        {"json", "[-1]", "unexpected \"-\" at offset 1"},
        {"json", "[\"1\"]", "unexpected \"\"\" at offset 1"},
        {"json", "[[1]]", "unexpected \"[\" at offset 1"},
        {"json", "[01]", "01 has a leading zero at offset 1"},
        {"range", "4+", "range has no maximum"},
        {"range", "5:2", "a single number takes no operand at offset 1"},
        {"range", "1-4294967295", "4294967295 is larger than 4294967294"},
        {"range", "3-9999999999:2000000000",
         "8000000003 is larger than 4294967294"},
        {"range", "1-4294967294:2",
         "names more than 67108864 ranges at offset 0"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct diag d = {0};
        char want[256];
        struct idset *set = read_as(t[i].form, t[i].in, IDSET_READER, &d);

        snprintf(want, sizeof(want), "\"%s\": %s", t[i].in, t[i].why);
        is(set ? NULL : d.text, want, "%s \"%s\"", t[i].form, t[i].in);
        idset_destroy(set);
    }
}

static void writes(void)
{
    static const struct {
        const char *form, *in, *out;
    } t[] = {
        {"idset", "0-3,7", "0-3,7"},
        {"cpulist", "0-3,7", "0-3,7"},
        {"list", "0-3,7", "0\n1\n2\n3\n7"},
        {"list", "", ""},
        {"json", "0-3,7", "[0,1,2,3,7]"},
        {"json", "", "[]"},
        {"step", "0,2,4,6", "0-6/2"},
        {"step", "0,2", "0,2"},
        {"step", "0-3,5,7,9,20,30", "0-3,5-9/2,20,30"},
        {"step", "1,4,7,8,9", "1,4,7-9"},
        {"mask", "", "0x0"},
        {"mask", "0", "0x00000001"},
        {"mask", "0-31", "0xffffffff"},
        {"mask", "32", "0x00000001,0x0"},
        {"mask", "0,33,100", "0x00000010,,0x00000002,0x00000001"},
        {"mask", "95", "0x80000000,,0x0"},
        {"taskset", "", "0x0"},
        {"taskset", "0-3,33", "0x20000000f"},
        {"taskset", "64", "0x10000000000000000"},
        {"range", "5", "5"},
        {"range", "3-6", "3-6"},
        {"range", "3,5", "3-5:2"},
        {"range", "2,5,8", "2-8:3"},
        {"range", "2,4,8,16", "2-16:2:*"},
        {"range", "2,4,16,256", "2-256:2:^"},
        {"range", "1-4294967294", "1-4294967294"},
        {"range", "", NULL},
        {"range", "0-3", NULL},
        {"range", "2,4,5", NULL},
        {"range", "1-3,5", NULL},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        char *text = NULL;
        size_t size;
        FILE *fp = open_memstream(&text, &size);
        struct diag d = {0};
        struct idset *set = read_as("idset", t[i].in, IDSET_READER, &d);
        int rc = idset_form_write(idset_form(t[i].form), set, fp, &d);

        fclose(fp);
        is(rc < 0 ? NULL : text, t[i].out, "{%s} as %s", t[i].in, t[i].form);
        if (rc < 0)
            is(d.text, "no range has exactly these ids", "and says why");
        free(text);
        idset_destroy(set);
    }
}

static void loosely(void)
{
    static const struct {
        const char *in, *out;
    } t[] = {
        {"9,4", "4,9"},
        {"6,6", "6"},
        {"007", "7"},
        {"1, 2", "1-2"},
        {" 1 2\t3\n", "1-3"},
        {"5 - 7", "5-7"},
        {"4-4", "4"},
        {"1,,2,", "1-2"},
        {"[1-3] [5]", "1-3,5"},
        {"[ 1 - 3 , 2 ],[7]", "1-3,7"},
        {"", ""},
        {"[]", ""},
        {"2-5,1-9", "1-9"},
        {"8-3", NULL},
        {"1x", NULL},
        {"[1", NULL},
        {"1]", NULL},
        {"[[1]]", NULL},
        {"1-", NULL},
        {"-1", NULL},
        {"1-2-3", NULL},
        {"4294967295", NULL},
        {"1.2", NULL},
    };
    struct idset_reader how = IDSET_READER;

    how.loose = true;
    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct diag d = {0};
        struct idset *set = read_as("idset", t[i].in, how, &d);

        is(text_of(set), t[i].out, "loosely \"%s\": %s", t[i].in,
           set ? "" : d.text);
        idset_destroy(set);
    }
}

static void many(void)
{
    static const struct {
        const char *in, *out, *line, *why;
    } t[] = {
        {"", "", NULL, NULL},
        {"\n", "", NULL, NULL},
        {"5", "5", NULL, NULL},
        {"9 4\r\n7\n", "4,7,9", NULL, NULL},
        {"[1-3]\t[2-5]\n[]\n", "1-5", NULL, NULL},
        {"3,5\n4\n", "3-5", NULL, NULL},
        {"1\n2\n9,4 7\n", NULL, "line 12",
         "\"9,4\": 4 is out of order at offset 2"},
        {"1\n\n3-", NULL, "line 12", "\"3-\": range has no end at offset 2"},
        {"1 [2", NULL, "line 10", "\"[2\": bracket is not closed at offset 2"},
        {"1,\n2", NULL, "line 10", "\"1,\": empty item at offset 2"},
    };
    struct idset_reader how = IDSET_READER;

    how.many = true;
    how.line = 10;
    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct diag d = {0};
        struct idset *set = read_as("idset", t[i].in, how, &d);

        is(text_of(set), t[i].out, "many in \"%s\"", t[i].in);
        if (!set)
            is(d.where, t[i].line, "names the line");
        if (!set)
            is(d.text, t[i].why, "and the fault");
        idset_destroy(set);
    }
}

static void sampling(void)
{
    struct idset *all = idset_create_range(100, 109);
    struct idset *universe = idset_create_range(0, IDSET_MAX), *some;
    uint32_t seen[10] = {0}, least = UINT32_MAX, most = 0;

    for (uint64_t seed = 0; seed < 10000; seed++) {
        some = idset_sample(all, 3, seed);
        for (uint32_t i = 0; i < 10; i++)
            seen[i] += idset_contains(some, 100 + i);
        idset_destroy(some);
    }
    for (int i = 0; i < 10; i++) {
        least = seen[i] < least ? seen[i] : least;
        most = seen[i] > most ? seen[i] : most;
    }
    ok(least > 2800 && most < 3200, "each id is drawn as often: %u to %u",
       least, most);
    some = idset_sample(universe, 1000, 1);
    ok(idset_count(some) == 1000, "a few of four billion");
    idset_destroy(some);
    some = idset_sample(universe, IDSET_MAX - 9, 1);
    ok(idset_count(some) == IDSET_MAX - 9 && idset_nranges(some) <= 11,
       "nearly all of four billion");
    idset_destroy(some);
    idset_destroy(all);
    idset_destroy(universe);
}

int main(void)
{
    reads();
    refuses();
    writes();
    loosely();
    many();
    sampling();
    ok(idset_form("bogus") == NULL, "an unknown form");
    return done_testing();
}

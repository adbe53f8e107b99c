/* Hostlists by example: lists that RFC 29 accepts and refuses, and every
   question. */
#include "set/hostlist.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct hostlist *read_list(const char *text)
{
    struct hostlist *hl = hostlist_create();
    struct diag d;

    if (hostlist_decode(hl, text, strlen(text), &d) < 0) {
        printf("# %s\n", d.text);
        hostlist_destroy(hl);
        return NULL;
    }
    return hl;
}

static const char *text_of(const struct hostlist *hl)
{
    static char *text;

    free(text);
    text = hostlist_encode(hl);
    return text;
}

/* All names, with blanks between them. */
static const char *names_of(const struct hostlist *hl)
{
    static char text[4096];
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    size_t n = 0;

    text[0] = '\0';
    hostlist_iter_init(&it, hl);
    while (hostlist_iter_next(&it, name) >= 0)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "",
                              name);
    return text;
}

static const char *ids_of(const struct idset *set)
{
    static char *text;

    free(text);
    text = idset_encode(set);
    return text;
}

static void reads(void)
{
    static const struct {
        const char *in, *names, *out;
    } t[] = {
        {"", "", ""},
        {"red,blue,red", "red blue red", "red,blue,red"},
        {"n[2-4,9]", "n2 n3 n4 n9", "n[2-4,9]"},
        {"n[9,2,9]", "n9 n2 n9", "n[9,2,9]"},
        {"n[08-11]", "n08 n09 n10 n11", "n[08-11]"},
        {"n[98-101]", "n98 n99 n100 n101", "n[98-101]"},
        {"n[098-101]", "n098 n099 n100 n101", "n[098-101]"},
        {"gw[1-2]-ib0", "gw1-ib0 gw2-ib0", "gw[1-2]-ib0"},
        {"[3-4]", "3 4", "[3-4]"},
        {"a[1-2],b[7]", "a1 a2 b7", "a[1-2],b7"},
        {"n[2,2,2]", "n2 n2 n2", "n[2,2,2]"},
        {"n[5,4,10-11]", "n5 n4 n10 n11", "n[5,4,10-11]"},
        {"n[4-4]", "n4", "n4"},
        {"n0", "n0", "n0"},
        {"n[0-1]", "n0 n1", "n[0-1]"},
        /* the zeros of the first number pad the bracket */
        {"rack[007,8-10]", "rack007 rack008 rack009 rack010", "rack[007-010]"},
        {"[00-3]", "00 01 02 03", "[00-03]"},
        {"n[005,4]", "n005 n004", "n[005,004]"},
        /* without such zeros every number keeps its digits */
        {"n[9-10,09-10]", "n9 n10 n09 n10", "n[9-10],n[09-10]"},
        {"n[1,02]", "n1 n02", "n1,n02"},
        /* every reader pads the output in the same way */
        {"n005,n4", "n005 n4", "n005,n4"},
        {"n005,n4000", "n005 n4000", "n[005,4000]"},
        {"n9,n09", "n9 n09", "n9,n09"},
        {"n09,n10", "n09 n10", "n[09-10]"},
        {"n9,n10", "n9 n10", "n[9-10]"},
        {"n01,n001", "n01 n001", "n01,n001"},
        /* an empty expression is an empty list */
        {"a,,b,", "a b", "a,b"},
        {",", "", ""},
        /* names are folded at the number in which they differ */
        {"n1,n2,n3,n5", "n1 n2 n3 n5", "n[1-3,5]"},
        {"a1-ib0,a2-ib0,a3-ib0", "a1-ib0 a2-ib0 a3-ib0", "a[1-3]-ib0"},
        {"a1-ib0,a3-ib0", "a1-ib0 a3-ib0", "a[1,3]-ib0"},
        {"a9-e0,a10-e0", "a9-e0 a10-e0", "a[9-10]-e0"},
        {"n19,n20,n21", "n19 n20 n21", "n[19-21]"},
        {"r1n1,r1n2,r2n1,r2n2", "r1n1 r1n2 r2n1 r2n2", "r1n[1-2],r2n[1-2]"},
        {"a1-e0,a1-e1,a2-e1,a3-e1", "a1-e0 a1-e1 a2-e1 a3-e1",
         "a1-e[0-1],a[2-3]-e1"},
        {"p0[7-8]", "p07 p08", "p0[7-8]"},
        {"p0[7-8],p09,p010", "p07 p08 p09 p010", "p0[7-10]"},
        {"foo[0-2]2", "foo02 foo12 foo22", "foo[0-2]2"},
        {"1,2,3", "1 2 3", "[1-3]"},
        /* numbers that are too large for any integer are part of the name */
        {"n123456789012345678901234567890", "n123456789012345678901234567890",
         "n123456789012345678901234567890"},
        {"n[99999999999999999999,3]", "n99999999999999999999 n3",
         "n99999999999999999999,n3"},
        {"n[00000000000000000000000-1]",
         "n00000000000000000000000 n00000000000000000000001",
         "n00000[000000000000000000-000000000000000001]"},
        {"n-1", "n-1", "n-1"},
        {"a.b-c_d:e", "a.b-c_d:e", "a.b-c_d:e"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct hostlist *hl = read_list(t[i].in);

        is(hl ? names_of(hl) : NULL, t[i].names, "names of \"%s\"", t[i].in);
        is(hl ? text_of(hl) : NULL, t[i].out, "writes \"%s\"", t[i].in);
        hostlist_destroy(hl);
    }
}

static void refuses(void)
{
    static const struct {
        const char *in, *why;
    } t[] = {
        {"n[", "bracket is not closed at offset 1"},
        {"n]", "unexpected \"]\" at offset 1"},
        {"n[]", "empty item at offset 2"},
        {"n[4-2]", "\"4-2\" descends at offset 2"},
        {"n[1-]", "range has no end at offset 4"},
        {"n[-1]", "range has no start at offset 2"},
        {"n[1,]", "empty item at offset 4"},
        {"n[,1]", "empty item at offset 2"},
        {"n[a-b]", "unexpected \"a\" at offset 2"},
        {"n[1--2]", "unexpected \"-\" at offset 4"},
        {"n[1-2-3]", "unexpected \"-\" at offset 5"},
        {"n[+1]", "unexpected \"+\" at offset 2"},
        {"n[ 1]", "unexpected white space at offset 2"},
        {"n[1 ]", "unexpected white space at offset 3"},
        {"n[1-2]x[3]", "second bracket in one name at offset 7"},
        {"n[1-[2]]", "unexpected \"[\" at offset 4"},
        {"a b", "unexpected white space at offset 1"},
        {"a, b", "unexpected white space at offset 2"},
        {"a\tb", "unexpected white space at offset 1"},
        {"a\n", "unexpected line break at offset 1"},
        {"a\x01", "unexpected byte 0x01 at offset 1"},
        {"a\xc3\xa9", "unexpected byte 0xc3 at offset 1"},
        {"n[1-99999999999999999999]",
         "\"99999999999999999999\" is too large for a range at offset 4"},
        {"n[0-4294967295]", "more than 4294967295 hosts"},
        {"n[0-4294967294],b", "more than 4294967295 hosts"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct hostlist *hl = read_list("first");
        struct diag d;
        char want[256];
        int rc = hostlist_decode(hl, t[i].in, strlen(t[i].in), &d);

        snprintf(want, sizeof(want), "\"%s\": %s", t[i].in, t[i].why);
        is(rc < 0 ? d.text : NULL, want, "refuses \"%s\"", t[i].in);
        is(names_of(hl), "first", "and leaves the list as it was");
        hostlist_destroy(hl);
    }
}

static void limits(void)
{
    struct hostlist *hl = hostlist_create();
    char name[HOSTLIST_NAME_MAX + 1], text[HOSTLIST_NAME_MAX + 8];
    struct diag d;

    ok(hostlist_decode(hl, "n[1-4294967294]", 15, &d) == 0
           && hostlist_decode(hl, "a", 1, &d) == 0,
       "the longest list");
    ok(hostlist_decode(hl, "b", 1, &d) < 0, "it takes no other host");
    is(d.text, "more than 4294967295 hosts", "and this is the reason");
    hostlist_destroy(hl);
    hl = hostlist_create();
    memset(name, 'x', HOSTLIST_NAME_MAX);
    name[HOSTLIST_NAME_MAX] = '\0';
    ok(hostlist_append(hl, name) < 0, "too long a name");
    ok(hostlist_append(hl, name + 1) == 0, "the longest");
    ok(hostlist_append(hl, "") < 0, "a name has at least a letter");
    ok(hostlist_decode(hl, name, HOSTLIST_NAME_MAX, &d) < 0, "too long");
    memset(text, 'x', sizeof(text));
    memcpy(text + 1019, "[1-9999]", 8);
    ok(hostlist_decode(hl, text, 1027, &d) == 0, "as long as allowed");
    memcpy(text + 1019, "[1-10000]", 9);
    ok(hostlist_decode(hl, text, 1028, &d) < 0, "a range grows too long");
    ok(hostlist_count(hl) == 10000, "nothing else was added");
    ok(hostlist_decode(hl, "a\0b", 3, &d) < 0, "a NUL byte is refused");
    is(d.text, "\"a\": unexpected NUL byte at offset 1", "and named");
    ok(hostlist_decode(hl, "a[1-3]", 2, &d) < 0, "no byte behind the end");
    hostlist_destroy(hl);
    hl = read_list("n[0-4294967294]");
    ok(hostlist_count(hl) == UINT32_MAX, "4 billion hosts are one run");
    ok(hostlist_append(hl, "n") < 0, "and no more are taken");
    ok(hostlist_nth(hl, UINT32_MAX - 1, name) == 11, "nth");
    is(name, "n4294967294", "the last of them");
    hostlist_destroy(hl);
}

static void positions(void)
{
    static const struct {
        const char *list, *name, *at;
    } t[] = {
        {"n[0-5]", "n3", "3"},          {"n[0-5]", "n00", ""},
        {"n[0-5]", "n6", ""},           {"n[0-5]", "n", ""},
        {"n[0-5]", "m3", ""},           {"n[08-11]", "n9", ""},
        {"n[08-11]", "n09", "1"},       {"n[08-11]", "n10", "2"},
        {"p0[7-8]", "p07", "0"},        {"p[07-08]", "p07", "0"},
        {"red,blue,red", "red", "0,2"}, {"gw[1-3]-ib0", "gw2-ib0", "1"},
        {"gw[1-3]-ib0", "gw2-ib1", ""}, {"foo[0-2]2", "foo12", "1"},
        {"foo[0-2]2", "foo2", ""},      {"", "red", ""},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct hostlist *hl = read_list(t[i].list);
        struct idset *at = hostlist_find(hl, t[i].name);

        is(ids_of(at), t[i].at, "%s in %s", t[i].name, t[i].list);
        idset_destroy(at);
        hostlist_destroy(hl);
    }
}

static void picks(void)
{
    static const struct {
        const char *list, *at, *want;
    } t[] = {
        {"n[0-9]", "0,2-4,9", "n[0,2-4,9]"},
        {"n[8-12]", "1-3", "n[9-11]"},
        {"n[08-12],x", "0,2,5,7", "n[08,10],x"},
        {"a,b,c", "1", "b"},
        {"a,b,c", "3-100", ""},
        {"a,b,c", "", ""},
        {"", "0", ""},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct hostlist *hl = read_list(t[i].list), *got;
        struct idset *at;
        struct diag d;

        idset_decode(t[i].at, strlen(t[i].at), &at, &d);
        got = hostlist_pick(hl, at);
        is(text_of(got), t[i].want, "%s of %s", t[i].at, t[i].list);
        hostlist_destroy(got);
        hostlist_destroy(hl);
        idset_destroy(at);
    }
}

static void equality(void)
{
    static const struct {
        const char *a, *b;
        bool same;
    } t[] = {
        {"", "", true},
        {"n[1-3]", "n1,n2,n3", true},
        {"n[1-3]", "n3,n2,n1", false},
        {"n[1-3]", "n[1-2]", false},
        {"p0[7-9]", "p[07-09]", true},
        {"p0[7-10]", "p[07-10]", false},
        {"n[9-12]", "n9,n[10-12]", true},
        {"n9", "n09", false},
        {"n[8-11]", "n[08-11]", false},
        {"a,b", "a,c", false},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct hostlist *a = read_list(t[i].a), *b = read_list(t[i].b);

        ok(hostlist_equal(a, b) == t[i].same
               && hostlist_equal(b, a) == t[i].same,
           "%s and %s are %s", t[i].a, t[i].b, t[i].same ? "equal" : "not");
        hostlist_destroy(a);
        hostlist_destroy(b);
    }
}

static void appending(void)
{
    struct hostlist *hl = read_list("n[1-2]"), *other = read_list("n3,x");
    struct hostlist *copy;
    char buf[HOSTLIST_NAME_MAX];
    struct diag d;

    ok(hostlist_append_list(hl, other) == 0, "a list is appended");
    is(text_of(hl), "n[1-3],x", "and joined");
    copy = hostlist_copy(hl);
    ok(hostlist_append_list(hl, copy) == 0, "a copy is appended");
    is(text_of(hl), "n[1-3],x,n[1-3],x", "once");
    hostlist_append(copy, "y");
    is(text_of(hl), "n[1-3],x,n[1-3],x", "a copy is independent");
    is(text_of(copy), "n[1-3],x,y", "and so is the original");
    hostlist_destroy(hl);
    hostlist_destroy(copy);
    hostlist_destroy(other);
    hl = read_list("a1-e0");
    hostlist_decode(hl, "a2-e0", 5, &d);
    is(text_of(hl), "a[1-2]-e0", "decoding appends");
    ok(hostlist_nth(hl, 1, buf) == 5, "the second has five letters");
    is(buf, "a2-e0", "its name");
    ok(hostlist_nth(hl, 2, buf) < 0, "there is no third");
    hostlist_destroy(hl);
    hostlist_destroy(NULL);
}

int main(void)
{
    reads();
    refuses();
    limits();
    positions();
    picks();
    equality();
    appending();
    return done_testing();
}

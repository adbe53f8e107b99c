/* Find expressions that are refused, and their messages. */
#include "request/find.h"

#include "tap.h"

static const struct {
    const char *expression, *want; /* NULL: any text with an offset */
} refused[] = {
    {"", "offset 0: the expression ends where a criterion is expected"},
    {"  ", "offset 2: the expression ends where a criterion is expected"},
    {"()", "offset 1: \")\": a criterion is expected here"},
    {"type=core type=gpu",
     "offset 10: \"type=gpu\": \"and\" or \"or\" is expected "
     "here"},
    {"type=core (free)",
     "offset 10: \"(\": \"and\" or \"or\" is expected here"},
    {"type=core)", "offset 9: \")\": \"and\" or \"or\" is expected here"},
    {"(type=core free)",
     "offset 11: \"free\": \"and\", \"or\" or \")\" is expected "
     "here"},
    {"free and", "offset 8: the expression ends where a criterion is expected"},
    {"free and or free", "offset 9: \"or\": a criterion is expected here"},
    {"or free", "offset 0: \"or\": a criterion is expected here"},
    {"not", "offset 3: the expression ends where a criterion is expected"},
    {"free and (type=core", "offset 9: \"(type=core\": \"(\" is not closed"},
    {"tpye=core", "offset 0: \"tpye\": no such key; near it: type"},
    {"free or names=a", "offset 8: \"names\": no such key; near it: name"},
    {"colour=red",
     "offset 0: \"colour\": no such key; there are type, "
     "basename, name, id, uuid, path, rank, host, size, unit, "
     "property, tag, state, status, subsystem, fed-by, "
     "allocated, reserved, shared, staged, start, end, free, exclusive"},
    {"=core", "offset 0: \"=core\": a criterion is expected here"},
    {"type", "offset 4: the expression ends where an operator is expected"},
    {"type core", "offset 5: \"core\": an operator is expected here"},
    {"type=", "offset 5: the expression ends where a value is expected"},
    {"(type=)", "offset 6: \")\": a value is expected here"},
    {"type==core",
     "offset 4: \"==\": no such operator; there are =, !=, <, <=, > and >="},
    {"id=<3",
     "offset 2: \"=<\": no such operator; there are =, !=, <, <=, > and >="},
    {"type<core", "offset 4: \"<\": type takes only = and !="},
    {"free=7", "offset 4: \"=\": free takes no value"},
    {"type=''", "offset 5: \"''\": type can't be empty"},
    {"type=core,,gpu", "offset 5: \"core,,gpu\": an element of the list is "
                       "empty"},
    {"type='core", "offset 5: \"'core\": the quote is not closed"},
    {"rank=3-1", "offset 5: \"3-1\": range 3-1 does not ascend at offset 0"},
    {"rank='[]'", "offset 5: \"[]\": the set is empty"},
    {"rank<1-2", "offset 5: \"1-2\": expected a number"},
    {"id<4294967295", "offset 3: \"4294967295\": expected a number of at most "
                      "4294967294"},
    {"size=big", "offset 5: \"big\": expected a number of at most "
                 "9223372036854775807"},
    {"state=broken",
     "offset 6: \"broken\": no such state; "
     "there are up, down, degraded, failing, unknown, none, drained, draining"},
    {"status=sick", "offset 7: \"sick\": expected up or down"},
    {"path=rack0", "offset 5: \"rack0\": expected /PATH or SUBSYSTEM:/PATH"},
    {"path=power:/*", "offset 5: \"power:/*\": expected a path before /*"},
    {"allocated@noon", "offset 10: \"noon\": expected seconds, now, +DURATION "
                       "or YYYY-MM-DD[THH:MM[:SS][ZONE]]"},
    {"shared@now", "offset 6: \"@now\": shared takes no @TIME"},
    {"name=a[0-4000000000]", NULL},
    {"name='a b'", NULL},
    {"start>soon", NULL},
};

static void test_refused(void)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        const char *text = refused[i].expression, *want = refused[i].want;
        struct diag d = {0};
        struct constraint *f = find_parse(text, 0, &d);
        const struct diag_line line = diag_line(&d);
        if (f || !want)
            ok(!f && !strncmp(line.text, "offset ", 7), "refused: %s", text);
        else
            is(line.text, want, "refused: %s", text);
        constraint_destroy(f);
    }
}

static void test_depth(void)
{
    char text[600] = "";
    struct diag d = {0};
    struct constraint *f;

    memset(text, '(', CONSTRAINT_DEPTH_MAX);
    strcat(text, "free");
    memset(text + strlen(text), ')', CONSTRAINT_DEPTH_MAX);
    ok((f = find_parse(text, 0, &d)) != NULL, "as deep as is allowed");
    constraint_destroy(f);
    memmove(text + 1, text, strlen(text));
    ok(!find_parse(text, 0, &d)
           && !strcmp(d.text, "\"(\": nested deeper than 100"),
       "and no deeper");
}

int main(void)
{
    test_refused();
    test_depth();
    return done_testing();
}

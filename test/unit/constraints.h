/* Shared by the tests of constraints: a cluster, and checks of results. */
#ifndef TEST_CONSTRAINTS_H
#define TEST_CONSTRAINTS_H

#include <stdlib.h>

#include "request/constraint.h"
#include "sets.h"
#include "constraint_text.h"

/* An input, its normal JSON, and the ranks of the cluster that satisfy it. */
struct good {
    const char *text, *canonical, *ranks;
};

struct bad {
    const char *text, *error;
};

/* Eight ranks; a property with the name of a host, and values. */
static const char cluster[] =
    "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-7\","
    "\"children\":{\"core\":\"0-3\"}}],\"nodelist\":[\"n[0-7]\"],"
    "\"properties\":{\"a\":\"0-3\",\"b\":\"2-5\",\"k=v\":\"4-5\","
    "\"k=w\":\"6\",\"amd@gpu\":\"7\",\"n7\":\"0\",\"a b\":\"1\","
    "\"x:y\":\"2\",\"or\":\"3\"}}}";

/* In the tables ' stands for " in JSON, and ` for '. */
static char *unquote(const char *text)
{
    char *copy = strdup(text);

    for (char *p = copy; p && *p; p++)
        *p = *p == '\'' ? '"' : *p == '`' ? '\'' : *p;
    return copy;
}

/* Return the JSON of a constraint with sorted keys, for free(). */
static char *json_text(const struct constraint *c)
{
    json_t *json = c ? constraint_json(c) : NULL;
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

    json_decref(json);
    return text;
}

static char *ranks_text(const struct constraint *c, const char *r)
{
    struct rset *rs = read_set(r);
    struct idset *ranks = c ? constraint_ranks(c, rs) : NULL;
    char *text = ranks ? idset_encode(ranks) : NULL;

    idset_destroy(ranks);
    rset_destroy(rs);
    return text;
}

/* Check the meaning of a constraint, or the fault, and that its text is read
   back. */
static void check(struct constraint *c, const struct diag *d, const char *name,
                  const char *canonical, const char *ranks)
{
    struct diag d2 = {0};
    char *want = unquote(canonical), *got = json_text(c), *again_text;
    char *got_ranks = ranks_text(c, cluster);
    struct constraint *again = got ? constraint_from_string(got, &d2) : NULL;

    if (!is(got, want, "%s is %s", name, canonical) && !c)
        printf("#   %s: %s\n", d->where, d->text);
    is(got_ranks, ranks, "... and holds for \"%s\"", ranks);
    again_text = json_text(again);
    is(again_text, got, "... and is read back");
    free(again_text);
    free(got_ranks);
    free(got);
    free(want);
    constraint_destroy(again);
    constraint_destroy(c);
}

static void refused(struct constraint *c, const struct diag *d,
                    const char *name, const char *error)
{

    if (!ok(c == NULL, "%s is refused", name))
        constraint_destroy(c);
    else
        is(diag_line(d).text, error, "... with its fault");
}

#define EACH(table, test)                                             \
    do {                                                              \
        for (size_t i = 0; i < sizeof(table) / sizeof(table)[0]; i++) \
            test(&(table)[i]);                                        \
    } while (0)

#endif /* TEST_CONSTRAINTS_H */

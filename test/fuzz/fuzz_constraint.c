/*
 * Any text, as an object (RFC 31) or compact (RFC 35), is refused with a fault,
 * or its object is read back as the same and holds for the same ranks, and its
 * opposite for all others.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "long_list.h"
#include "model/document/document.h"
#include "request/constraint.h"
#include "../unit/constraint_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The set on which constraints are evaluated. Its properties overlap. */
static struct rset *make_set(void)
{
    static const char text[] =
        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-6\","
        "\"children\":{\"core\":\"0\"}},{\"rank\":\"7,9\",\"children\":{"
        "\"core\":\"0-1\"}}],\"nodelist\":[\"n[0-4],x,n3,y[07-08]\"],"
        "\"properties\":{\"a\":\"0-3\",\"b\":\"2-7\",\"k=v\":\"4-7,9\"}}}";
    struct diag d = {0};
    struct rset *rs = NULL;
    struct stream *s = stream_open_text(text, strlen(text), "set");

    check(s && rset_read(s, TRUST_NONE, &rs, &d) == 1);
    stream_close(s);
    return rs;
}

static struct idset *ranks_of(const struct constraint *c, const struct rset *rs)
{
    struct idset *ranks = constraint_ranks(c, rs);

    check(ranks != NULL);
    return ranks;
}

static void check_json(const struct constraint *c, const struct rset *rs)
{
    struct diag d = {0};
    json_t *json = constraint_json(c), *json2;
    struct constraint *again = constraint_from_json(json, &d);
    struct idset *ranks = ranks_of(c, rs), *ranks2;

    check(json && again);
    json2 = constraint_json(again);
    ranks2 = ranks_of(again, rs);
    check(json_equal(json, json2) && idset_equal(ranks, ranks2));
    idset_destroy(ranks);
    idset_destroy(ranks2);
    json_decref(json);
    json_decref(json2);
    constraint_destroy(again);
}

/* Takes the constraint over. A constraint of the maximal depth has no
   opposite. */
static void check_not(struct constraint *c, const struct rset *rs)
{
    struct diag d = {0};
    struct idset *ranks = ranks_of(c, rs), *others, *all;

    c = constraint_not(c, &d);
    if (c) {
        others = ranks_of(c, rs);
        all = idset_union(ranks, others);
        check(!idset_overlaps(ranks, others) && idset_equal(all, rs->ranks));
        idset_destroy(all);
        idset_destroy(others);
    }
    idset_destroy(ranks);
    constraint_destroy(c);
}

static void check_constraint(struct constraint *c, const struct diag *d,
                             const struct rset *rs)
{
    if (c) {
        check_json(c, rs);
        check_not(c, rs);
    } else {
        check(d->text[0] != '\0');
    }
}

static void check_text(const char *text, const struct rset *rs)
{
    struct diag d = {0};

    check_constraint(constraint_from_string(text, &d), &d, rs);
    memset(&d, 0, sizeof(d));
    check_constraint(constraint_from_requires(text, &d), &d, rs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rset *rs;
    char *text = malloc(size + 1);

    rs = rs ? rs : make_set();
    check(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (!has_long_list(text))
        check_text(text, rs);
    free(text);
    return 0;
}

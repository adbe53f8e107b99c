/*
 * Patches between random sets: the laws for any two documents, and for plain
 * graphs the number of changes, counted on bits.
 */
#include "compare/diff.h"
#include "compare/patch.h"

#include "sets.h"

/* --- documents with more than resources --------------------------------- */

/* Set a key in one document, or in both, with equal or different values. */
static void maybe_set(json_t *object, const char *key, json_t *value)
{
    if (one_in(2))
        json_object_set(object, key, value);
    json_decref(value);
}

static json_t *random_value(void)
{
    switch (random_below(4)) {
    case 0:
        return json_integer(random_below(3));
    case 1:
        return json_pack("[i,{s:s}]", (int)random_below(2), "k", "v");
    case 2:
        return json_pack("{s:i,s:n}", "b", (int)random_below(2), "a");
    default:
        return json_real(0.5 * (1 + random_below(3)));
    }
}

/* An unknown key, maybe a word from the form of patches. */
static const char *random_key(void)
{
    static const char *const keys[] = {"x", "links", "/cluster0@-1", "a@b"};

    return keys[random_below(4)];
}

static void decorate_vertex(json_t *metadata)
{
    static const char *const states[] = {"down", "failing", "degraded"};

    maybe_set(metadata, "state", json_string(states[random_below(3)]));
    maybe_set(metadata, random_key(), random_value());
    maybe_set(metadata, random_key(), random_value());
    if (one_in(2))
        maybe_set(metadata, "uuid", json_string("u"));
    maybe_set(metadata, "properties", json_pack("{s:s}", "p", "q"));
    if (one_in(4)) /* for one job, which may also have the contents */
        maybe_set(metadata, "allocations",
                  json_pack("[{s:i,s:i,s:i}]", "job", 1, "size", 1, "end",
                            1 + (int)random_below(3)));
}

static json_t *link_between(size_t source, size_t target)
{
    static const char *const subsystems[] = {"power", "network", "/n", "a:/b"};

    return json_pack("{s:o,s:o,s:{s:s,s:s}}", "source",
                     json_sprintf("v%zu", source), "target",
                     json_sprintf("v%zu", target), "metadata", "subsystem",
                     subsystems[random_below(one_in(4) ? 4 : 2)],
                     "relationship", one_in(3) ? "feeds" : "supplies_to");
}

/* Add a pdu beside the tree, linked to some vertices, and other keys. */
static void decorate_graph(json_t *graph)
{
    json_t *nodes = json_object_get(graph, "nodes"), *node;
    json_t *edges = json_object_get(graph, "edges");
    size_t i, n = json_array_size(nodes), first = random_below((uint32_t)n);
    const json_t *last = json_object_get(json_array_get(nodes, n - 1),
                                         "metadata");
    bool first_pdu = strcmp(json_string_value(json_object_get(last, "type")),
                            "pdu")
                     != 0;

    json_array_foreach (nodes, i, node)
        if (one_in(8))
            decorate_vertex(json_object_get(node, "metadata"));
    maybe_set(graph, random_key(), random_value());
    maybe_set(graph, random_key(), random_value());
    if (one_in(2))
        return;
    json_array_append_new(
        nodes, json_pack("{s:o,s:{s:s,s:i}}", "id", json_sprintf("v%zu", n),
                         "metadata", "type", "pdu", "id",
                         first_pdu ? (int)random_below(2) : 2));
    for (i = 0; i < n; i++)
        if (i == first || one_in(8))
            json_array_append_new(edges, link_between(n, i));
}

static void decorate_r(json_t *doc)
{
    json_t *execution = json_object_get(doc, "execution");

    maybe_set(execution, "expiration", json_integer(1 + random_below(3)));
    maybe_set(execution, "nslots", json_integer(1 + random_below(3)));
    maybe_set(execution, random_key(), random_value());
    maybe_set(doc, "attributes",
              json_pack("{s:{s:o}}", "user", random_key(), random_value()));
    maybe_set(doc, "scheduling",
              json_pack("{s:o}", random_key(), random_value()));
}

static char *decorate(char *text)
{
    json_t *doc = json_loads(text, 0, NULL), *graph;
    char *decorated;

    if ((graph = json_object_get(doc, "graph")))
        decorate_graph(graph);
    else
        decorate_r(doc);
    maybe_set(doc, random_key(), random_value());
    decorated = json_dumps(doc, JSON_COMPACT);
    json_decref(doc);
    free(text);
    return decorated;
}

static struct layout random_layout(void)
{
    return (struct layout){
        .graph = one_in(2), .racks = one_in(2), .sockets = one_in(2)};
}

static char *random_text(void)
{
    struct layout layout = random_layout();
    struct bits bits = random_bits(layout.graph);

    return decorate(bits_text(&bits, &layout));
}

/* --- laws --------------------------------------------------------------- */

/* Make a patch, write it and read it, as between two programs. */
static json_t *make_patch(const char *a, const char *b, struct law *law)
{
    struct rset *ra = read_set(a), *rb = read_set(b);
    struct diag d = {0};
    json_t *patch = rset_patch(ra, rb, &d), *again = NULL;
    char *text = patch ? json_dumps(patch, JSON_REAL_PRECISION(17)) : NULL;

    if (holds(law, text != NULL, "%s\n#   a: %s\n#   b: %s", d.text, a, b))
        again = json_loads(text, 0, NULL);
    json_decref(patch);
    free(text);
    rset_destroy(ra);
    rset_destroy(rb);
    return again;
}

static size_t count_changes(const json_t *patch)
{
    return json_array_size(json_object_get(patch, "changes"));
}

/* Return the text of the patched set; NULL: the patch was refused. */
static char *apply(const char *a, const json_t *patch, struct diag *d)
{
    struct rset *rs = read_set(a), *out;
    char *text = rset_apply(rs, patch, &out, d) == 0
                     ? write_set(out, FORM_AS_READ)
                     : NULL;

    rset_destroy(rs);
    rset_destroy(out);
    return text;
}

static char *canonical(const char *text)
{
    struct rset *rs = read_set(text);
    char *out = write_set(rs, FORM_AS_READ);

    rset_destroy(rs);
    return out;
}

static void check_leads(const char *a, const char *b, struct law *law)
{
    struct diag d = {0};
    json_t *patch = make_patch(a, b, law);
    char *got = patch ? apply(a, patch, &d) : NULL, *want = canonical(b);

    holds(law, got && !strcmp(got, want),
          "%s\n#   a: %s\n#   b: %s\n#   got: %s", d.text, a, want,
          got ? got : "nothing");
    json_decref(patch);
    free(got);
    free(want);
}

static void check_self(const char *a, struct law *law)
{
    char *again = canonical(a);
    json_t *patch = make_patch(a, again, law);

    holds(law, patch && count_changes(patch) == 0, "%s", a);
    json_decref(patch);
    free(again);
}

/* Apply the patch from a to b to a third document. */
static void check_other(const char *a, const char *b, const char *other,
                        struct law *law)
{
    struct diag d = {0};
    json_t *patch = make_patch(a, b, law);
    char *got = patch ? apply(other, patch, &d) : NULL;
    char *again = got ? canonical(got) : NULL;

    holds(law, got ? !strcmp(got, again) : d.text[0] != '\0',
          "%s\n#   a: %s\n#   b: %s\n#   other: %s", got ? got : "no text", a,
          b, other);
    json_decref(patch);
    free(got);
    free(again);
}

static void test_laws(long rounds)
{
    struct law leads = {.name = "the patch from a to b applied to a is b"};
    struct law self = {.name = "the patch from a set to itself is empty"};
    struct law other = {.name = "a patch of other sets is refused with a "
                                "text or gives a set"};

    for (long n = 0; n < rounds; n++) {
        char *a = random_text(), *b = random_text();
        char *c = one_in(2) ? strdup(a) : random_text();

        c = decorate(c);
        check_leads(a, b, &leads);
        check_leads(a, c, &leads);
        check_self(a, &self);
        check_other(a, c, b, &other);
        check_other(a, b, c, &other);
        free(a);
        free(b);
        free(c);
    }
    law_end(&leads);
    law_end(&self);
    law_end(&other);
}

/* --- differences -------------------------------------------------------- */

/*
 * Change or remove (NULL) value number `n` of a document, counting down.
 */
static void mutate(json_t *at, long *n);

static json_t *mutated(json_t *value, long *n)
{
    char text[80];

    if (json_is_object(value) || json_is_array(value))
        mutate(value, n);
    else if (--*n != 0)
        ;
    else if (one_in(4))
        return NULL;
    else if (json_is_integer(value))
        return json_integer(json_integer_value(value) + (one_in(2) ? 1 : -1));
    else if (json_is_string(value)) {
        snprintf(text, sizeof(text), "%.60s%s", json_string_value(value),
                 one_in(2) ? "1" : "x");
        return json_string(text);
    } else if (json_is_boolean(value))
        return json_boolean(!json_is_true(value));
    return json_incref(value);
}

static void mutate(json_t *at, long *n)
{
    json_t *value, *other;
    const char *key;
    size_t i;
    void *next;

    json_object_foreach_safe(at, next, key, value)
    {
        if ((other = mutated(value, n)))
            json_object_set_new(at, key, other);
        else
            json_object_del(at, key);
    }
    json_array_foreach (at, i, value) {
        if ((other = mutated(value, n)))
            json_array_set_new(at, i, other);
        else
            json_array_remove(at, i);
    }
}

/* Read a text. NULL: it is not valid. */
static struct rset *try_read(const char *text)
{
    struct stream *s = stream_open_text(text, strlen(text), "test");
    struct rset *rs = NULL;
    struct diag d = {0};

    if (rset_read(s, TRUST_NONE, &rs, &d) != 1)
        rs = NULL;
    stream_close(s);
    return rs;
}

/* Documents that are written differently have a difference to report. */
static void check_told(const char *text, struct law *law)
{
    json_t *doc = json_loads(text, 0, NULL);
    long at = 1 + random_below(150);
    char *other, *want = canonical(text), *got;
    struct rset *a = read_set(text), *b;
    struct changes changes = {0};
    struct diag d = {0};

    mutate(doc, &at);
    other = json_dumps(doc, JSON_COMPACT);
    if ((b = try_read(other))) {
        got = canonical(other);
        if (strcmp(got, want)
            && rset_diff(a, b, BY_RANK, false, &changes, &d) == 0)
            holds(law, changes.n > 0, "%s\n#   and %s", text, other);
        changes_fini(&changes);
        free(got);
    }
    rset_destroy(a);
    rset_destroy(b);
    free(want);
    free(other);
    json_decref(doc);
}

static void test_told(long rounds)
{
    struct law law = {
        .name = "documents that are written differently have a difference"};

    for (long n = 0; n < 4 * rounds; n++) {
        char *text = decorate(random_text());
        check_told(text, &law);
        free(text);
    }
    law_end(&law);
}

/* --- changes ------------------------------------------------------------ */

static int pools_that_differ(const struct bits_node *a,
                             const struct bits_node *b)
{
    int n = (a->there != b->there) + (a->memory != b->memory);

    for (int t = 0; t < TYPES; t++)
        n += __builtin_popcount(a->ids[t] ^ b->ids[t]);
    return n;
}

/* Count nodes, their pools, sockets and racks that differ. */
static int vertices_that_differ(const struct bits *a, const struct bits *b,
                                const struct layout *layout)
{
    bool rack_a = false, rack_b = false;
    int n = 0;

    for (int r = 0; r < RANKS; r++) {
        const struct bits_node *x = &a->node[r], *y = &b->node[r];
        n += pools_that_differ(x, y);
        for (int s = 0; layout->sockets && s < SOCKETS; s++)
            n += socket_there(x, s) != socket_there(y, s);
        rack_a = x->there || (r % 4 && rack_a);
        rack_b = y->there || (r % 4 && rack_b);
        n += layout->racks && r % 4 == 3 && rack_a != rack_b;
    }
    return n;
}

static void test_changes(long rounds)
{
    struct law law = {.name = "a change for each vertex that differs"};

    for (long n = 0; n < rounds; n++) {
        struct layout layout = random_layout();
        struct bits a = random_bits(true), b = random_bits(true);
        char *text_a, *text_b;
        json_t *patch;
        size_t want;

        layout.graph = true;
        want = (size_t)vertices_that_differ(&a, &b, &layout);
        text_a = bits_text(&a, &layout);
        text_b = bits_text(&b, &layout);
        patch = make_patch(text_a, text_b, &law);
        holds(&law, patch && count_changes(patch) == want,
              "%zu, not %zu\n#   a: %s\n#   b: %s", count_changes(patch), want,
              text_a, text_b);
        json_decref(patch);
        free(text_a);
        free(text_b);
    }
    law_end(&law);
}

int main(void)
{
    long rounds = random_start(40);

    test_laws(rounds);
    test_told(rounds);
    test_changes(rounds);
    return done_testing();
}

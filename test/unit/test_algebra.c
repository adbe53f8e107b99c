/*
 * Union, intersection and difference of random sets, compared with operations
 * on bits; and the laws that hold for all sets.
 */
#include "compare/algebra.h"

#include "compare/diff.h"
#include "sets.h"

typedef int (*combine_fn)(struct rset *a, struct rset *b, struct diag *d);

/* --- on bits ------------------------------------------------------------ */

static bool empty(const struct bits_node *n)
{
    return !n->memory && !n->ids[0] && !n->ids[1] && !n->ids[2];
}

static struct bits bits_union(const struct bits *a, const struct bits *b)
{
    struct bits u = *a;

    for (int r = 0; r < RANKS; r++) {
        struct bits_node *n = &u.node[r];
        n->there |= b->node[r].there;
        for (int t = 0; t < TYPES; t++)
            n->ids[t] |= b->node[r].ids[t];
        if (b->node[r].memory > n->memory)
            n->memory = b->node[r].memory;
    }
    return u;
}

/* A node without common resources is dropped, unless it is empty in one of
   them. */
static struct bits bits_intersect(const struct bits *a, const struct bits *b)
{
    struct bits u = {0};

    for (int r = 0; r < RANKS; r++) {
        const struct bits_node *x = &a->node[r], *y = &b->node[r];
        struct bits_node n = {.there = x->there && y->there};
        if (!n.there)
            continue;
        for (int t = 0; t < TYPES; t++)
            n.ids[t] = x->ids[t] & y->ids[t];
        n.memory = x->memory < y->memory ? x->memory : y->memory;
        if (!empty(&n) || empty(x) || empty(y))
            u.node[r] = n;
    }
    return u;
}

static struct bits bits_subtract(const struct bits *a, const struct bits *b)
{
    struct bits u = {0};

    for (int r = 0; r < RANKS; r++) {
        const struct bits_node *x = &a->node[r], *y = &b->node[r];
        struct bits_node n = *x;
        for (int t = 0; t < TYPES; t++)
            n.ids[t] &= ~y->ids[t];
        n.memory = x->memory > y->memory ? x->memory - y->memory : 0;
        if (x->there && (!y->there || !empty(&n)))
            u.node[r] = n;
    }
    return u;
}

/* --- against bits ------------------------------------------------------- */

static const struct operation {
    const char *name;
    combine_fn combine;
    struct bits (*naive)(const struct bits *a, const struct bits *b);
} operations[] = {
    {"union", rset_union, bits_union},
    {"intersect", rset_intersect, bits_intersect},
    {"subtract", rset_subtract, bits_subtract},
};

/* Return the text of the result, or NULL and print the fault. */
static char *combine(const char *a, const char *b, combine_fn fn,
                     struct law *law)
{
    struct rset *ra = read_set(a), *rb = read_set(b);
    struct diag d = {0};
    char *text = NULL;

    if (holds(law, fn(ra, rb, &d) == 0, "%s\n#   a: %s\n#   b: %s", d.text, a,
              b))
        text = write_set(ra, FORM_AS_READ);
    rset_destroy(ra);
    rset_destroy(rb);
    return text;
}

static void check_bits(const struct operation *op, const char *a, const char *b,
                       const struct bits *want, bool memory, struct law *law)
{
    char *text = combine(a, b, op->combine, law);
    struct bits got;

    if (!text)
        return;
    got = bits_of(text);
    if (!holds(law, bits_equal(want, &got, memory),
               "wrong\n#   a: %s\n#   b: %s\n#   got: %s", a, b, text)
        && law_telling(law)) {
        bits_print("want", want);
        bits_print("got", &got);
    }
    free(text);
}

static void check_alike(const struct operation *op, const struct layout *layout,
                        struct law *law)
{
    struct bits a = random_bits(layout->graph);
    struct bits b = random_bits(layout->graph), want = op->naive(&a, &b);
    char *text_a = bits_text(&a, layout), *text_b = bits_text(&b, layout);

    check_bits(op, text_a, text_b, &want, true, law);
    free(text_a);
    free(text_b);
}

/*
 * A graph and an R are combined by R_lite. The R_lite of a graph has cores and
 * gpus, an R may have other types.
 */
static void check_mixed(const struct operation *op, bool graph_first,
                        struct law *law)
{
    struct layout graph = {
        .graph = true, .sockets = one_in(2), .racks = one_in(2)};
    struct layout plain = {.graph = false};
    struct bits a = random_bits(false), b = random_bits(false), want;
    char *text_a, *text_b;

    for (int r = 0; r < RANKS && !graph_first; r++)
        b.node[r].ids[2] = 0;
    text_a = bits_text(&a, graph_first ? &graph : &plain);
    text_b = bits_text(&b, graph_first ? &plain : &graph);
    want = op->naive(&a, &b);
    check_bits(op, text_a, text_b, &want, false, law);
    free(text_a);
    free(text_b);
}

static void test_against_bits(long rounds)
{
    static const struct {
        const char *name;
        struct layout layout;
    } layouts[] = {
        {"R", {.graph = false}},
        {"flat graphs", {.graph = true}},
        {"graphs with sockets", {.graph = true, .sockets = true}},
        {"graphs with racks and sockets",
         {.graph = true, .racks = true, .sockets = true}},
    };
    char name[80];

    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        for (size_t j = 0; j < sizeof(layouts) / sizeof(layouts[0]); j++) {
            struct law law = {.name = name};
            snprintf(name, sizeof(name), "%s of %s is that of bits",
                     operations[i].name, layouts[j].name);
            for (long n = 0; n < rounds; n++)
                check_alike(&operations[i], &layouts[j].layout, &law);
            law_end(&law);
        }
        for (int first = 0; first < 2; first++) {
            struct law law = {.name = name};
            snprintf(name, sizeof(name), "%s of %s is that of bits",
                     operations[i].name,
                     first ? "a graph and an R" : "an R and a graph");
            for (long n = 0; n < rounds; n++)
                check_mixed(&operations[i], first, &law);
            law_end(&law);
        }
    }
}

/* --- laws --------------------------------------------------------------- */

static struct layout random_layout(void)
{
    return (struct layout){
        .graph = one_in(2), .racks = one_in(2), .sockets = one_in(2)};
}

static size_t count_changes(const char *a, const char *b)
{
    struct rset *ra = read_set(a), *rb = read_set(b);
    struct changes changes = {0};
    struct diag d = {0};
    size_t n = rset_diff(ra, rb, BY_RANK, false, &changes, &d) < 0 ? (size_t)-1
                                                                   : changes.n;

    changes_fini(&changes);
    rset_destroy(ra);
    rset_destroy(rb);
    return n;
}

static void test_laws(long rounds)
{
    struct law self = {.name = "union and intersect of a set with itself "
                               "are the set"};
    struct law none = {.name = "a set minus itself is empty"};
    struct law parts = {.name = "intersect and subtract together make a again"};
    struct law apart = {.name = "they have nothing in common"};
    struct law commute = {.name = "union and intersect commute"};
    struct law same = {.name = "nothing differs if and only if the bytes are "
                               "the same"};

    for (long n = 0; n < rounds; n++) {
        struct layout layout = random_layout();
        struct bits a = random_bits(layout.graph), none_left = {0}, got;
        struct bits b = one_in(4) ? a : random_bits(layout.graph);
        char *text_a = bits_text(&a, &layout);
        char *text_b = bits_text(&b, &layout);
        char *can_a = rewrite(text_a, FORM_AS_READ);
        char *can_b = rewrite(text_b, FORM_AS_READ);
        char *t, *in, *out;
        bool equal = !strcmp(can_a, can_b);

        t = combine(text_a, text_a, rset_union, &self);
        holds(&self, t && !strcmp(t, can_a), "union: %s\n# of %s", t, can_a);
        free(t);
        t = combine(text_a, text_a, rset_intersect, &self);
        holds(&self, t && !strcmp(t, can_a), "intersect: %s\n# of %s", t,
              can_a);
        free(t);

        t = combine(text_a, text_a, rset_subtract, &none);
        got = bits_of(t ? t : "{}");
        holds(&none, bits_equal(&got, &none_left, true), "%s\n# of %s", t,
              can_a);
        free(t);

        in = combine(text_a, text_b, rset_intersect, &parts);
        out = combine(text_a, text_b, rset_subtract, &parts);
        if (!layout.graph && in && out) {
            t = combine(in, out, rset_union, &parts);
            holds(&parts, t && !strcmp(t, can_a),
                  "got %s\n# a %s\n# in %s\n# out %s", t, can_a, in, out);
            free(t);
            t = combine(in, out, rset_intersect, &apart);
            got = bits_of(t ? t : "{}");
            for (int r = 0; r < RANKS; r++)
                got.node[r].there = false;
            holds(&apart, bits_equal(&got, &none_left, true), "%s and %s", in,
                  out);
            free(t);
        }
        free(in);
        free(out);

        in = combine(text_a, text_b, rset_union, &commute);
        out = combine(text_b, text_a, rset_union, &commute);
        holds(&commute, in && out && !strcmp(in, out), "union %s\n# and %s", in,
              out);
        free(in);
        free(out);
        in = combine(text_a, text_b, rset_intersect, &commute);
        out = combine(text_b, text_a, rset_intersect, &commute);
        holds(&commute, in && out && !strcmp(in, out), "intersect %s\n# and %s",
              in, out);
        free(in);
        free(out);

        holds(&same, count_changes(text_a, can_a) == 0, "%s\n# and itself",
              text_a);
        holds(&same, (count_changes(text_a, text_b) == 0) == equal,
              "%s\n# and %s", can_a, can_b);
        free(text_a);
        free(text_b);
        free(can_a);
        free(can_b);
    }
    law_end(&self);
    law_end(&none);
    law_end(&parts);
    law_end(&apart);
    law_end(&commute);
    law_end(&same);
}

/* --- many at once ------------------------------------------------------- */

enum { MANY = 6 };

/* Few ranks, so that some sets have nothing in common. */
static char *small_text(bool graph, struct layout layout)
{
    struct bits bits = random_bits(graph);

    for (int r = 0; r < RANKS; r++)
        if (!one_in(4))
            bits.node[r] = (struct bits_node){0};
    layout.graph = graph;
    return bits_text(&bits, &layout);
}

/* Unite n sets, one after the other or at once. NULL: refused. */
static char *unite(char *const *texts, size_t n, bool at_once, bool disjoint,
                   struct diag *d)
{
    struct rset *sets[MANY] = {0};
    size_t at, step = at_once ? n - 1 : 1;
    char *text = NULL;
    int rc = 0;

    for (size_t i = 0; i < n; i++)
        sets[i] = read_set(texts[i]);
    for (size_t i = 1; i < n && rc == 0; i += step)
        rc = rset_unite(sets[0], sets + i, step, disjoint, &at, d);
    if (rc == 0)
        text = write_set(sets[0], FORM_AS_READ);
    for (size_t i = 0; i < n; i++)
        rset_destroy(sets[i]);
    return text;
}

static void test_many(long rounds)
{
    struct law law = {
        .name = "a union at once equals unions one after the other"};

    for (long n = 0; n < rounds; n++) {
        struct layout layout = random_layout();
        size_t many = 2 + random_below(MANY - 1);
        bool graph = one_in(2), mixed = one_in(4), disjoint = one_in(2);
        char *texts[MANY], *at_once, *in_turn;
        struct diag d = {0}, unused = {0};

        for (size_t i = 0; i < many; i++)
            texts[i] = small_text(mixed ? one_in(2) : graph, layout);
        at_once = unite(texts, many, true, disjoint, &d);
        in_turn = unite(texts, many, false, disjoint, &unused);
        holds(&law, !at_once == !in_turn, "%s\n#   %s", d.text, unused.text);
        if (at_once && in_turn)
            holds(&law, !strcmp(at_once, in_turn), "%s\n#   %s", at_once,
                  in_turn);
        for (size_t i = 0; i < many; i++)
            free(texts[i]);
        free(at_once);
        free(in_turn);
    }
    law_end(&law);
}

int main(void)
{
    long rounds = random_start(40);

    test_against_bits(rounds);
    test_laws(rounds * 2);
    test_many(rounds * 4);
    return done_testing();
}

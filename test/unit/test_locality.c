/*
 * The order of the policy `locality`, compared with a naive reading of the
 * manual (rset-request(7), POLICIES): requests for a slot of cores on random
 * graphs of nodes, with or without racks and sockets, in which some cores are
 * down.
 */
#include "model/records/usage.h"
#include "schedule/match.h"
#include "schedule/policy.h"
#include "sets.h"

enum { POOLS_MAX = 400, DOWN_MAX = 60 };

static struct law law = {.name = "locality takes what the manual says"};
static long found, spread;

struct naive {
    struct usage *u;
    int64_t want, left; /* cores */
    const struct vertex *taken[POOLS_MAX];
    size_t n;
};

static bool is_core(const struct vertex *v)
{
    return !strcmp(v->type, "core");
}

static struct lot *lot_of(struct usage *u, const struct vertex *v)
{
    struct lot *parent = v->parent ? lot_of(u, v->parent) : usage_top(u);

    return lot_find(u, parent, v, 0);
}

/* The number of cores that are up in a pool, including itself. */
static int64_t cores_in(struct usage *u, const struct vertex *v)
{
    int64_t n = is_core(v) && lot_of(u, v)->state == STATE_UP;

    for (const struct vertex *c = v->child; c; c = c->next)
        n += cores_in(u, c);
    return n;
}

/* How many nested pools have room for all? */
static int depth_of(const struct naive *k, const struct vertex *v)
{
    int deepest = 0, depth;

    if (!v->child || cores_in(k->u, v) < k->want)
        return 0;
    for (const struct vertex *c = v->child; c; c = c->next) {
        depth = depth_of(k, c);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* Does an inner pool come before its next sibling? */
static bool comes_before(const struct naive *k, const struct vertex *a,
                         const struct vertex *b)
{
    int x = depth_of(k, a), y = depth_of(k, b);

    if (x != y)
        return x > y;
    return x > 0 || strcmp(a->type, b->type) != 0
           || cores_in(k->u, a) >= cores_in(k->u, b);
}

/* Sort the inner children of a pool, and return their number. */
static size_t sort_inner(const struct naive *k, const struct vertex *v,
                         const struct vertex **list)
{
    size_t n = 0;

    for (const struct vertex *c = v->child; c; c = c->next) {
        size_t i;
        if (!c->child)
            continue;
        for (i = n++; i > 0 && !comes_before(k, list[i - 1], c); i--)
            list[i] = list[i - 1];
        list[i] = c;
    }
    return n;
}

static void take(struct naive *k, const struct vertex *core)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->taken[i] == core)
            return;
    if (k->left == 0 || !is_core(core) || !cores_in(k->u, core))
        return;
    k->taken[k->n++] = core;
    k->left--;
}

/* The first core of consecutive ids with all cores, or NULL. */
static const struct vertex *first_of_row(const struct naive *k,
                                         const struct vertex *v)
{
    const struct vertex *first = NULL;
    int64_t n = 0, last = 0;

    for (const struct vertex *c = v->child; c; c = c->next) {
        if (!is_core(c) || !cores_in(k->u, c))
            continue;
        if (!first || c->id != last + 1) {
            first = c;
            n = 0;
        }
        last = c->id;
        if (++n == k->want)
            return first;
    }
    return NULL;
}

static void take_below(struct naive *k, const struct vertex *v)
{
    const struct vertex *list[POOLS_MAX];
    size_t n = sort_inner(k, v, list);

    for (const struct vertex *c = first_of_row(k, v); c; c = c->next)
        take(k, c);
    for (size_t i = 0; i < n; i++)
        take_below(k, list[i]);
    for (const struct vertex *c = v->child; c; c = c->next)
        take(k, c);
}

/* The first node in the order with enough cores. */
static const struct vertex *choose_node(const struct naive *k,
                                        const struct vertex *v)
{
    const struct vertex *list[POOLS_MAX], *node = NULL;
    size_t n;

    if (!strcmp(v->type, "node"))
        return cores_in(k->u, v) >= k->want ? v : NULL;
    n = sort_inner(k, v, list);
    for (size_t i = 0; i < n && !node; i++)
        node = choose_node(k, list[i]);
    return node;
}

/* --- the order ------------------------------------------------------------ */

static size_t count_cores(const struct pick *p)
{
    size_t n = 0;

    for (; p; p = p->next)
        n += is_core(p->v) + count_cores(p->child);
    return n;
}

static bool has_core(const struct pick *p, const struct vertex *core)
{
    while (p && p->v != core && !has_core(p->child, core))
        p = p->next;
    return p;
}

static bool is_taken(const struct naive *k, const struct selection *sel)
{
    bool same = count_cores(sel->picks) == k->n;

    for (size_t i = 0; i < k->n && same; i++)
        same = has_core(sel->picks, k->taken[i]);
    return same;
}

static void ask(struct usage *u)
{
    struct near near = {0};
    struct match_options opts = {.policy = policy_find("locality", &near)};
    struct naive k = {.u = u, .want = 1 + random_below(9)};
    const struct vertex *node;
    struct selection *sel = NULL;
    enum match_answer answer;
    struct diag d = {0};
    struct request *req;
    char shape[32];

    k.left = k.want;
    snprintf(shape, sizeof(shape), "slot/core=%d", (int)k.want);
    req = request_from_shape(shape, &d);
    answer = match_find(u, req, &opts, &sel, &d);
    node = choose_node(&k, usage_rset(u)->root);
    if (node)
        take_below(&k, node);
    holds(&law,
          (answer == MATCH_FOUND) == (node != NULL)
              && (!node || is_taken(&k, sel)),
          "RSET_SEED=%" PRIu64 ": %s", random_state, shape);
    found += node != NULL;
    spread += node && depth_of(&k, node) == 1 && node->child->child;
    selection_destroy(sel);
    request_destroy(req);
}

static void one_set(void)
{
    struct layout layout = {.racks = one_in(2), .sockets = !one_in(3)};
    struct bits bits = random_bits(true);
    char *text = bits_graph(&bits, &layout);
    struct rset *rs = read_set(text);
    struct usage *u = usage_begin(rs);
    uint32_t down = random_below(DOWN_MAX);

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (is_core(v) && random_below(DOWN_MAX) < down)
            lot_set_state(u, lot_of(u, v), STATE_DOWN);
    for (int i = 0; i < 6; i++)
        ask(u);
    rset_destroy(rs);
    free(text);
}

int main(void)
{
    for (long i = random_start(400); i > 0; i--)
        one_set();
    law_end(&law);
    ok(found > 0 && spread > 0 && found < law.cases, "all kinds come up");
    return done_testing();
}

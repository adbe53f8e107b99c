/*
 * Union, intersection, difference and xor of forests, and allocating and
 * releasing in all of their hierarchies, compared with a naive reading of
 * rset-diff(1).
 *
 * Two sets are made of one by removing some pools with all below them, some
 * links, and some units. The expected result is computed from their JSON.
 */
#include "compare/algebra.h"
#include "forest_said.h"
#include "model/change/subtree.h"

enum {
    UNION,
    INTERSECT,
    SUBTRACT,
    XOR,
    KEPT,
    JOINED,
    UNLINKED,
    GIVEN,
    BACK,
    COARSE,
    LAWS
};

static struct law laws[LAWS] = {
    [UNION] = {.name = "union: in either, the larger, edges of both"},
    [INTERSECT] = {.name = "intersect: in both, the smaller"},
    [SUBTRACT] = {.name = "subtract: the rest of the first"},
    [XOR] = {.name = "xor: the union of both differences"},
    [KEPT] = {.name = "the records of a result are valid, or it is refused"},
    [JOINED] = {.name = "union: the jobs of both"},
    [UNLINKED] =
        {.name = "unlink: with all below it, unless a job has a part of it"},
    [GIVEN] =
        {.name = "a job has what it takes, and shares the pools around it"},
    [BACK] = {.name = "allocate and release restore the set"},
    [COARSE] = {.name = "a unit of a coarse pool comes with its share"},
};

/* --- two sets from one ---------------------------------------------------- */

/* Which pools may get another size. */
enum sizes { SAME_SIZES, LEAVES, ANY_POOL };

/* Remove some pools and links, and all records. */
static struct pools thinned(const char *text, enum sizes sizes)
{
    static const char *const keys[] = {"allocations", "reservations", "shared",
                                       "staged",      "state",        "status",
                                       "exclusive"};
    struct pools all = read_pools(text);
    bool *gone = calloc(all.n + 1, sizeof(*gone));
    json_t *nodes = json_array(), *edges = json_array();
    json_t *g = json_object_get(all.document, "graph");

    for (size_t i = 0; i < all.n; i++)
        if (chance(8) && all.list[i].parent >= 0)
            for (size_t k = 0; k < all.n; k++)
                gone[k] = gone[k] || is_below(&all, &all.list[k], &all.list[i]);
    for (size_t i = 0; i < all.n; i++) {
        struct pool *p = &all.list[i];
        json_int_t size = number_at(p, "size");
        for (size_t k = 0; k < 7; k++)
            json_object_del(p->m, keys[k]);
        if ((sizes == ANY_POOL && chance(2))
            || (sizes == LEAVES && chance(4) && is_leaf(&all, p)))
            json_object_set_new(p->m, "size",
                                json_integer(1 + random_below((uint32_t)size)));
        if (!gone[i])
            json_array_append(nodes,
                              json_array_get(json_object_get(g, "nodes"), i));
    }
    for (size_t i = 0; i < json_array_size(json_object_get(g, "edges")); i++) {
        json_t *e = json_array_get(json_object_get(g, "edges"), i);
        int from = find_outer(&all,
                              json_string_value(json_object_get(e, "source")));
        int to = find_outer(&all,
                            json_string_value(json_object_get(e, "target")));
        if (!gone[from] && !gone[to]
            && (all.list[to].parent == from || !chance(6)))
            json_array_append(edges, e);
    }
    json_object_set_new(g, "nodes", nodes);
    json_object_set_new(g, "edges", edges);
    free_places(&all);
    free(gone);
    return place_pools(all.document);
}

/* --- the expected results ------------------------------------------------- */

static struct pool *same_pool(const struct pools *all, const struct pool *p)
{
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(all->list[i].key, p->key))
            return &all->list[i];
    return NULL;
}

/*
 * Units of a pool without contents that are left after intersect or subtract.
 */
static json_int_t units_left(const struct pool *p, const struct pool *other,
                             bool subtract)
{
    json_int_t a = number_at(p, "size");
    json_int_t b = other ? number_at(other, "size") : 0;

    return subtract ? a - b : a < b ? a : b;
}

/*
 * Cut a set to the pools that are left, and return them. If a pool is empty in
 * the other set, it is in both, whatever its contents.
 */
static bool *cut(struct pools *a, const struct pools *b, bool subtract)
{
    bool *kept = calloc(a->n + 1, sizeof(*kept));

    for (size_t i = 0; i < a->n; i++) {
        struct pool *p = &a->list[i], *other = same_pool(b, p);
        json_int_t n = units_left(p, other, subtract);
        kept[i] = is_leaf(a, p) ? n > 0
                                : !subtract && other && is_leaf(b, other);
        if (kept[i])
            json_object_set_new(p->m, "size", json_integer(n));
    }
    keep_above(a, kept);
    return kept;
}

/* Join the lines of both, each once. */
static char *merged(char *a, char *b)
{
    struct lines l = {.n = 0};
    char *texts_of[] = {a, b};

    for (int k = 0; k < 2; k++) {
        char *rest = texts_of[k], *line;
        while ((line = strsep(&rest, "\n"))) {
            size_t i = 0;
            while (i < l.n && strcmp(l.line[i], line) != 0)
                i++;
            if (*line && i == l.n)
                l.line[l.n++] = strdup(line);
        }
        free(texts_of[k]);
    }
    return join(&l, "\n");
}

static void take_larger(struct pools *a, const struct pools *b)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct pool *o = same_pool(b, &a->list[i]);
        if (o && number_at(o, "size") > number_at(&a->list[i], "size"))
            json_object_set(a->list[i].m, "size",
                            json_object_get(o->m, "size"));
    }
}

static char *united(const char *one, const char *other)
{
    struct pools a = read_pools(one), b = read_pools(other);
    char *both;

    take_larger(&a, &b);
    take_larger(&b, &a);
    both = merged(describe(&a, NULL, false), describe(&b, NULL, false));
    free_pools(&a);
    free_pools(&b);
    return both;
}

static char *left(const char *one, const char *other, bool subtract,
                  bool records)
{
    struct pools a = read_pools(one), b = read_pools(other);
    bool *kept = cut(&a, &b, subtract);
    char *text;

    if (records)
        cut_shares(&a, kept);
    text = describe(&a, kept, records);
    free_pools(&a);
    free_pools(&b);
    free(kept);
    return text;
}

/* --- the library's results ------------------------------------------------ */

typedef int (*algebra)(struct rset *, struct rset *, struct diag *);

static char *combine(algebra how, const char *one, const char *other)
{
    struct rset *a = read_set(one), *b = read_set(other);
    struct diag d = {0};
    char *text = NULL;

    if (how(a, b, &d) == 0)
        text = write_set(a, FORM_JGF);
    else if (asprintf(&text, "%s", diag_line(&d).text) < 0)
        abort();
    rset_destroy(a);
    rset_destroy(b);
    return text;
}

static void try_one(int law, algebra how, const char *one, const char *other,
                    char *want, bool records)
{
    char *text = combine(how, one, other), *of = NULL;

    if (asprintf(&of, "%s and %s", one, other) < 0)
        abort();
    same_text(&laws[law], said(text, records), want, of);
    free(text);
    free(of);
}

static void try_algebra(const char *text)
{
    struct pools a = thinned(text, LEAVES), b = thinned(text, LEAVES);
    char *one = json_dumps(a.document, 0), *other = json_dumps(b.document, 0);

    try_one(UNION, rset_union, one, other, united(one, other), false);
    try_one(INTERSECT, rset_intersect, one, other,
            left(one, other, false, false), false);
    try_one(SUBTRACT, rset_subtract, one, other, left(one, other, true, false),
            false);
    try_one(
        XOR, rset_xor, one, other,
        merged(left(one, other, true, false), left(other, one, true, false)),
        false);
    free(one);
    free(other);
    free_pools(&a);
    free_pools(&b);
}

/*
 * With records in the first set, or in both. If a pool has fewer units than in
 * the other set, jobs may lack room: then the sets are refused, and the message
 * names jobs.
 */
static void try_records(const char *text)
{
    static const algebra ways[] = {rset_intersect, rset_subtract, rset_union,
                                   rset_xor};
    static const char *const names[] = {"intersect", "subtract", "union",
                                        "xor"};
    enum sizes sizes = chance(2) ? ANY_POOL : SAME_SIZES;
    bool both = chance(2);
    struct pools b = thinned(text, sizes);
    char *other, *of = NULL;

    if (both)
        put_records(&b);
    other = json_dumps(b.document, 0);
    for (int k = 0; k < 4; k++) {
        char *rest = combine(ways[k], text, other);
        bool refused = *rest != '{';
        const char *broken = refused ? NULL : broken_rule(rest);
        /* a job has a pool in one set, and its contents in the other */
        bool implied = both && broken && !strcmp(broken, "record-implied");
        bool rightly = both || (sizes && strstr(rest, " job"));
        if (asprintf(&of, "%s: %s and %s", names[k], text, other) < 0)
            abort();
        holds(&laws[KEPT], refused ? rightly : !broken || implied, "%s: %s",
              refused  ? rest
              : broken ? broken
                       : "",
              of);
        if (!sizes && !both && k < 2)
            same_text(&laws[KEPT], said(rest, true),
                      left(text, other, k == 1, true), of);
        free(of);
        free(rest);
    }
    free(other);
    free_pools(&b);
}

/* Return the document with the records of one of its jobs only, or of the
   others. */
static char *with_jobs(const char *text, const char *job, bool others)
{
    static const char *const keys[] = {"allocations", "reservations", "shared"};
    struct pools all = read_pools(text);
    json_t *mine = job_value(job);
    char *part;

    for (size_t i = 0; i < all.n; i++) {
        json_t *m = all.list[i].m, *staged = json_object_get(m, "staged");
        for (int k = 0; k < 3; k++) {
            json_t *list = json_object_get(m, keys[k]);
            for (size_t at = json_array_size(list); at-- > 0;) {
                json_t *one = json_array_get(list, at);
                if (json_equal(k < 2 ? json_object_get(one, "job") : one, mine)
                    == others)
                    json_array_remove(list, at);
            }
            if (json_array_size(list) == 0)
                json_object_del(m, keys[k]);
        }
        if (staged && json_equal(staged, mine) == others)
            json_object_del(m, "staged");
    }
    part = json_dumps(all.document, 0);
    json_decref(mine);
    free_pools(&all);
    return part;
}

static void try_joining(const char *text)
{
    const char *job = PICK(job_names);
    char *one = with_jobs(text, job, false), *rest = with_jobs(text, job, true);
    char *both = combine(rset_union, one, rest);

    same_text(&laws[JOINED], said(both, true), said(text, true), text);
    free(one);
    free(rest);
    free(both);
}

/* Remove a pool with all below it from the hierarchy that it is at home in. */
static struct pools unlinked(const char *text, size_t top)
{
    struct pools all = read_pools(text);
    json_t *g = json_object_get(all.document, "graph"), *edges = json_array();
    json_t *nodes = json_array();
    bool *gone = calloc(all.n + 1, sizeof(*gone));
    const char *home = all.list[top].home;

    for (size_t i = 0; i < all.n; i++)
        gone[i] = is_below(&all, &all.list[i], &all.list[top]);
    for (size_t i = 0; i < all.n; i++)
        if (gone[i]) {
            json_object_del(all.list[i].m, "paths");
            json_object_set_new(all.list[i].m, "rank", json_integer(-1));
        }
    for (size_t k = 0; k < all.nedges; k++) {
        const struct edge *e = &all.edges[k];
        if ((gone[e->from] || gone[e->to]) && !strcmp(e->subsystem, home))
            continue;
        json_array_append_new(edges,
                              json_pack("{s:s,s:s,s:{s:s}}", "source",
                                        all.list[e->from].outer, "target",
                                        all.list[e->to].outer, "metadata",
                                        "subsystem", e->subsystem));
    }
    for (size_t k = 0; k < all.nedges;
         k++) /* pools at home elsewhere stay there */
        if (strcmp(all.edges[k].subsystem, home) != 0)
            gone[all.edges[k].from] = gone[all.edges[k].to] = false;
    for (size_t i = 0; i < all.n; i++)
        if (!gone[i])
            json_array_append(nodes,
                              json_array_get(json_object_get(g, "nodes"), i));
    json_object_set_new(g, "nodes", nodes);
    json_object_set_new(g, "edges", edges);
    free_places(&all);
    free(gone);
    all = place_pools(all.document);
    say_paths(&all);
    free_places(&all);
    return place_pools(all.document);
}

static bool is_held(const struct pools *all, const struct pool *p)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct pool *o = &all->list[i];
        bool over = is_below(all, p, o)
                    && most_claimed(o) >= number_at(o, "size");
        if ((over || is_below(all, o, p))
            && (json_object_get(o->m, "allocations")
                || json_object_get(o->m, "reservations")))
            return true;
    }
    return false;
}

/* Is a claim at some time below another job's claim on a whole pool? */
static bool is_below_whole(const struct pools *all, const struct pool *p,
                           const json_t *claim)
{
    const json_t *w, *job = json_object_get(claim, "job");
    size_t i;

    for (p = above(all, p); p; p = above(all, p))
        for (int k = 0; k < 2; k++)
            json_array_foreach (json_object_get(p->m, claim_lists[k]), i, w)
                if (number_at(p, "size")
                        <= json_integer_value(json_object_get(w, "size"))
                    && !json_equal(json_object_get(w, "job"), job)
                    && time_at(w, "start", -1) < time_at(claim, "end", INFINITY)
                    && time_at(claim, "start", -1)
                           < time_at(w, "end", INFINITY))
                    return true;
    return false;
}

static bool any_below_whole(const struct pools *all)
{
    const json_t *claim;
    size_t j;

    for (size_t i = 0; i < all->n; i++)
        for (int k = 0; k < 2; k++)
            json_array_foreach (json_object_get(all->list[i].m, claim_lists[k]),
                                j, claim)
                if (is_below_whole(all, &all->list[i], claim))
                    return true;
    return false;
}

static void try_unlinking(const char *text)
{
    struct pools all = read_pools(text);
    struct pool *p = &all.list[random_below((uint32_t)all.n)];
    struct pools after = unlinked(text, (size_t)(p - all.list));
    struct rset *rs = read_set(text);
    struct diag d = {0};
    char *uri, *of, *rest;
    bool stays = is_held(&all, p) || any_below_whole(&after);
    int rc, want = stays ? 1 : any_twice(&after) ? -1 : 0;

    if (asprintf(&uri, "%s:%s", p->home, p->path) < 0
        || asprintf(&of, "%s of %s", uri, text) < 0)
        abort();
    if (above(&all, p) || !is_containment(p->home)) {
        rc = rset_unlink(rs, rset_find_lot(rs, uri, &d), uri, &d);
        rest = rc == 0 ? write_set(rs, FORM_JGF) : NULL;
        holds(&laws[UNLINKED], rc == want, "%d: %s", rc, of);
        if (rest && rc == want) {
            same_text(&laws[UNLINKED], said(rest, false),
                      describe(&after, NULL, false), of);
            same_text(&laws[UNLINKED], rewrite(rest, FORM_JGF), strdup(rest),
                      of);
        }
        free(rest);
    }
    rset_destroy(rs);
    free_pools(&all);
    free_pools(&after);
    free(uri);
    free(of);
}

/* --- allocating and releasing --------------------------------------------- */

/* Is the pool free with all its contents, and can it be taken? */
static bool is_idle(const struct pools *all, const struct pool *p, bool whole)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct pool *o = &all->list[i];
        bool over = is_below(all, p, o), below = whole && is_below(all, o, p);
        if ((over || below)
            && (strcmp(state_of(all, o), "up") != 0
                || json_object_get(o->m, "staged")
                || json_is_true(json_object_get(o->m, "exclusive"))
                || json_object_get(o->m, "allocations")
                || json_object_get(o->m, "reservations")
                || ((below || o == p) && json_object_get(o->m, "shared"))))
            return false;
    }
    return true;
}

static bool any_exclusive(const struct pools *all, const struct pool *p)
{
    for (; p; p = above(all, p))
        if (json_is_true(json_object_get(p->m, "exclusive")))
            return true;
    return false;
}

static void check_given(struct pools *all, struct pool *p, json_int_t n,
                        const char *after, const char *of)
{
    char *R = allocated(after, "new", false, FORM_JGF);
    const char *broken = broken_rule(after);
    bool *kept = calloc(all->n + 1, sizeof(*kept));

    holds(&laws[GIVEN], !broken, "%s %s", broken ? broken : "", of);
    for (size_t i = 0; i < all->n; i++)
        kept[i] = n == number_at(p, "size") ? is_below(all, &all->list[i], p)
                                            : &all->list[i] == p;
    keep_above(all, kept);
    json_object_set_new(p->m, "size", json_integer(n));
    if (!any_exclusive(all, p))
        same_text(&laws[GIVEN], said(R, false), describe(all, kept, false), of);
    free(kept);
    free(R);
}

static void try_giving(const char *text)
{
    struct pools all = read_pools(text);
    struct pool *p = &all.list[random_below((uint32_t)all.n)];
    json_int_t size = number_at(p, "size");
    json_int_t n = chance(2) ? size : 1 + random_below((uint32_t)size);
    double start = chance(2) ? 0 : NOW + random_below(4) * 10;
    struct when when = {.now = NOW, .start = start, .end = start + 30};
    char *take = NULL, *after, *again = NULL, *of = NULL;
    struct gift gift;

    if (asprintf(&take, "%s:%s=%lld", p->home, p->path, (long long)n) < 0
        || asprintf(&of, "%s of %s", take, text) < 0)
        abort();
    when.end = start > 0 ? when.end : 0;
    gift = (struct gift){.take = take};
    after = give(text, "new", &gift, &when);
    if (after) {
        check_given(&all, p, n, after, of);
        again = settle(after, "new", ledger_release);
        holds(&laws[BACK], again && !strcmp(again, text), "%s", of);
    } else {
        holds(&laws[GIVEN], !is_idle(&all, p, n == size), "a no to %s", of);
    }
    free(again);
    free(after);
    free(take);
    free(of);
    free_pools(&all);
}

/* --- coarse pools --------------------------------------------------------- */

/* One pool of several nodes with the sum of their contents. */
static char *coarse_text(int nodes)
{
    struct world w = {json_array(), json_array()};
    int root = put_pool(&w, "cluster", 0, -1, 1);
    int node = put_pool(&w, "node", 0, -1, nodes);
    int socket = put_pool(&w, "socket", 0, -1, nodes * 2);
    struct pools all;
    char *text, *written;

    put_edge(&w, "containment", root, node);
    put_edge(&w, "containment", node, socket);
    put_edge(&w, "containment", socket,
             put_pool(&w, "core", 0, -1, 1 + (int)random_below(40)));
    put_edge(&w, "containment", node,
             put_pool(&w, "memory", 0, -1, 1 + (int)random_below(40)));
    put_edge(&w, "power", put_pool(&w, "pdu", 0, -1, 99), node);
    all = look_at(&w);
    text = json_dumps(all.document, 0);
    written = rewrite(text, FORM_JGF);
    free_pools(&all);
    free(text);
    json_decref(w.nodes);
    json_decref(w.edges);
    return written;
}

/* The expected R of n of these nodes. */
static char *share_of(const char *text, json_int_t n)
{
    struct pools all = read_pools(text);
    bool *kept = calloc(all.n + 1, sizeof(*kept));
    json_int_t nodes = 1;
    char *lines;

    for (size_t i = 0; i < all.n; i++)
        if (!strcmp(text_at(&all.list[i], "type"), "node"))
            nodes = number_at(&all.list[i], "size");
    for (size_t i = 0; i < all.n; i++) {
        struct pool *p = &all.list[i];
        json_int_t size = number_at(p, "size");
        json_int_t each = n == nodes ? size : n * (size / nodes);
        kept[i] = each > 0 && !strncmp(p->path, "/cluster0/node0", 15);
        if (kept[i])
            json_object_set_new(p->m, "size", json_integer(each));
    }
    keep_above(&all, kept);
    lines = describe(&all, kept, false);
    free_pools(&all);
    free(kept);
    return lines;
}

static void try_coarse(void)
{
    static const char *const jobs_of[] = {"7", "8", "9"};
    int nodes = 2 + (int)random_below(4), has[3] = {0}, left = nodes;
    char *first = coarse_text(nodes), *text = strdup(first), *after, *R;
    const struct when when = {.now = NOW};

    for (int round = 0; round < 9; round++) {
        int k = (int)random_below(3);
        int n = 1 + (int)random_below((uint32_t)nodes);
        char take[64];
        struct gift gift = {.take = take};
        snprintf(take, sizeof(take), "/cluster0/node0=%d", n);
        if (has[k]) {
            after = settle(text, jobs_of[k], ledger_release);
            left += has[k];
            has[k] = 0;
            holds(&laws[COARSE], left < nodes || !strcmp(after, first), "%s",
                  text);
        } else {
            after = give(text, jobs_of[k], &gift, &when);
            if (!holds(&laws[COARSE], !after == (n > left), "%s of %s", take,
                       text)
                || !after)
                continue;
            has[k] = n;
            left -= n;
            holds(&laws[COARSE], !broken_rule(after), "%s", after);
            R = allocated(after, jobs_of[k], false, FORM_JGF);
            same_text(&laws[COARSE], said(R, false), share_of(first, n), text);
            free(R);
        }
        free(text);
        text = after;
    }
    free(first);
    free(text);
}

int main(void)
{
    for (long round = random_start(80); round > 0; round--) {
        struct pools all = random_forest(true);
        char *text = json_dumps(all.document, 0),
             *written = rewrite(text, FORM_JGF);
        try_algebra(written);
        for (int i = 0; i < 3; i++)
            try_records(written);
        try_joining(written);
        try_unlinking(written);
        try_coarse();
        for (int i = 0; i < 4; i++)
            try_giving(written);
        free(written);
        free(text);
        free_pools(&all);
    }
    for (int i = 0; i < LAWS; i++)
        law_end(&laws[i]);
    return done_testing();
}

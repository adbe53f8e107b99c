/*
 * Matching, compared with a naive search: see match_naive.h.
 *
 * Small random sets with everything that a document can have (states, records
 * of other jobs, exclusive marks, units, pools outside of containment) get
 * small random requests with everything that RFC 14 has. The answer must be the
 * first that the naive search finds, pool by pool.
 */
#include <string.h>

#include "match_search.h"
#include "match_wishes.h"
#include "model/records/usage.h"
#include "schedule/match.h"
#include "schedule/policy.h"
#include "sets.h"

/* === match policies ===================================================== */

/*
 * The orders of policies, read naively from the manual (rset-request(7),
 * POLICIES), for pools without edges: see match_search.h.
 */

enum { TYPES_MAX = 8 };

struct ordering {
    const struct search *s;
    short *out;
    int n;
    /* Does pool a come before its sibling b, or node a before node b? */
    bool (*before)(const struct ordering *o, int a, int b);
    bool (*node_before)(const struct ordering *o, int a, int b);
    const char *types[TYPES_MAX]; /* types requested in nodes */
    int ntypes;
    bool most; /* most free first */
};

typedef bool (*before_fn)(const struct ordering *o, int a, int b);

/* --- properties of pools
   --------------------------------------------------- */

static bool is_there(const struct search *s, int p)
{
    const struct pool *at = &s->w->pool[p];

    return at->up && !at->staged && at->claimed < at->size;
}

/* Free units of a type in a pool. */
static int free_in(const struct search *s, int top, const char *type)
{
    int sum = 0;

    for (int p = top + 1; p < s->w->pool[top].end; p++) {
        const struct pool *at = &s->w->pool[p];
        if (!is_there(s, p))
            p = at->end - 1;
        else if (!strcmp(at->type,
                         type)) /* a shared pool has all units but one */
            sum += at->size - at->claimed
                   - (at->shared && at->size > 1 && !at->claimed);
    }
    return sum;
}

static bool free_before(const struct ordering *o, int a, int b)
{
    for (int i = 0; i < o->ntypes; i++) {
        int x = free_in(o->s, a, o->types[i]),
            y = free_in(o->s, b, o->types[i]);
        if (x != y)
            return o->most ? x > y : x < y;
    }
    return a < b;
}

/* Pools with contents are ordered by type and free units; then the others. */
static bool fit_before(const struct ordering *o, int a, int b)
{
    const struct pool *x = &o->s->w->pool[a], *y = &o->s->w->pool[b];
    bool in_a = x->end > a + 1, in_b = y->end > b + 1;

    if (!in_node(o->s->w, x->parent) || in_a != in_b)
        return in_a != in_b && in_node(o->s->w, x->parent) ? in_a : a < b;
    return in_a && !strcmp(x->type, y->type) ? free_before(o, a, b) : a < b;
}

static bool last_before(const struct ordering *o, int a, int b)
{
    (void)o;
    return a > b;
}

static bool tree_before(const struct ordering *o, int a, int b)
{
    (void)o;
    return a < b;
}

static int class_of_node(const struct pool *p)
{
    const char *text = text_of(p->properties, "perf_class");
    int n = 0;

    for (const char *c = text; *c; c++)
        n = *c >= '0' && *c <= '9' && n <= 9999 ? 10 * n + *c - '0' : 10000;
    return *text && n <= 9999 ? n : 9999;
}

static bool class_before(const struct ordering *o, int a, int b)
{
    int x = class_of_node(&o->s->w->pool[a]);
    int y = class_of_node(&o->s->w->pool[b]);

    return x == y ? a < b : x < y;
}

/* Find the types of a request, in its order, that have pools in nodes. */
static void find_types(struct ordering *o)
{
    const struct wish *q = o->s->q;
    const struct world *w = o->s->w;

    for (int i = 0; i < q->n; i++) {
        bool counts = false;
        for (int p = 0; p < w->n && !counts; p++)
            counts = !strcmp(w->pool[p].type, q->entry[i].type)
                     && in_node(w, w->pool[p].parent);
        for (int k = 0; k < o->ntypes; k++)
            counts = counts && strcmp(o->types[k], q->entry[i].type) != 0;
        if (counts && o->ntypes < TYPES_MAX)
            o->types[o->ntypes++] = q->entry[i].type;
    }
}

/* --- orders -------------------------------------------------------------- */

static void sort(const struct ordering *o, int *list, int n, before_fn before)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && before(o, list[k], list[k - 1]); k--) {
            int swap = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swap;
        }
}

/* Add the contents of a pool (TOP: all), without nodes if these were added
   before. */
static void put_children(struct ordering *o, int top, bool put_nodes)
{
    const struct world *w = o->s->w;
    int list[POOLS], n = 0, end = top == TOP ? w->n : w->pool[top].end;

    for (int c = top + 1; c < end; c = w->pool[c].end)
        if (put_nodes || !is_node(&w->pool[c]))
            list[n++] = c;
    sort(o, list, n, o->before);
    for (int i = 0; i < n; i++) {
        o->out[o->n++] = (short)list[i];
        put_children(o, list[i], put_nodes);
    }
}

static void put_nodes(struct ordering *o, int top)
{
    const struct world *w = o->s->w;
    int list[POOLS], n = 0, end = top == TOP ? w->n : w->pool[top].end;

    for (int p = top + 1; p < end; p++)
        if (is_node(&w->pool[p]))
            list[n++] = p;
    sort(o, list, n, o->node_before);
    for (int i = 0; i < n; i++) {
        o->out[o->n++] = (short)list[i];
        put_children(o, list[i], true);
    }
}

/* The scope, its contents, and the rest, whose order does not matter. */
static void put_all(struct ordering o, const struct search *s,
                    const struct goal *g, short *order)
{
    o.s = s;
    o.out = order;
    find_types(&o);
    o.n = g->scope == TOP ? 0 : 1;
    if (o.node_before)
        put_nodes(&o, g->scope);
    put_children(&o, g->scope, !o.node_before);
}

static void order_high(const struct search *s, const struct goal *g,
                       short order[POOLS])
{
    put_all((struct ordering){.before = last_before}, s, g, order);
}

static void order_best(const struct search *s, const struct goal *g,
                       short order[POOLS])
{
    put_all((struct ordering){.before = fit_before, .node_before = free_before},
            s, g, order);
}

static void order_worst(const struct search *s, const struct goal *g,
                        short order[POOLS])
{
    put_all((struct ordering){.before = fit_before,
                              .node_before = free_before,
                              .most = true},
            s, g, order);
}

static void order_variation(const struct search *s, const struct goal *g,
                            short order[POOLS])
{
    put_all(
        (struct ordering){.before = tree_before, .node_before = class_before},
        s, g, order);
}

static const struct {
    const char *name;
    order_fn order;
} policies[] = {
    {"first", NULL},
    {"low", NULL},
    {"lonode", NULL},
    {"high", order_high},
    {"hinode", order_high},
    {"best-fit", order_best},
    {"worst-fit", order_worst},
    {"variation", order_variation},
};
enum { POLICIES = sizeof(policies) / sizeof(policies[0]) };

enum { REQUESTS = 4, NOW = 1000 };
static const long steps_max = 20000;

static struct {
    struct law answer, pools, held, available, feasible, units, same, extract,
        slots, policies, ended;
    long naive_too_long, given_up, answers[4];
} laws = {
    .answer = {.name = "found, not now and never are right"},
    .pools = {.name = "the selection is the first that fits"},
    .held = {.name = "the selection says which pools are held whole or shared"},
    .available = {.name = "only available resources are selected"},
    .feasible = {.name = "never is the answer only to impossible requests"},
    .units = {.name = "units that can't be compared are an error"},
    .same = {.name = "matching does not change a set"},
    .slots = {.name = "it has the slots that were asked for"},
    .policies = {.name = "all policies agree on whether there is a match"},
    .extract = {.name = "the extracted set has the selection"},
};

/* One request on one set, with the expected answer. */
struct trial {
    uint64_t seed;
    const char *text; /* the document */
    struct rset *rs;
    struct usage *usage;
    struct world *w;
    json_t *resources, *constraint; /* NULL: none */
    bool jobspec; /* the request is a jobspec with the constraint in it */
    char *shape;
    struct match_options opts;
    unsigned policy; /* index in `policies` */
    double duration;
    bool unlike;   /* units that can't be compared are requested */
    bool too_long; /* for the naive search */
    struct search search;
    enum match_answer want;
    struct picked picked;
};

/* --- the expected answer ------------------------------------------------- */

static double time_of(const struct trial *t, const char *key)
{
    const json_t *value = json_object_get(
        json_object_get(t->w->doc, "execution"), key);

    return json_number_value(value);
}

static bool naive_search(struct trial *t, const struct wish *q, bool ever)
{
    t->search = (struct search){.w = t->w,
                                .q = q,
                                .ever = ever,
                                .limit = steps_max,
                                .order = policies[t->policy].order};
    return search_first(&t->search);
}

/* Is there a pool whose units can't be compared with requested ones? */
static bool asks_unlike(const struct world *w, const struct wish *q)
{
    long long x, y;

    for (int i = 0; i < q->n; i++)
        for (int p = 0; p < w->n; p++)
            if (!strcmp(w->pool[p].type, q->entry[i].type)
                && !worth(&q->entry[i], &w->pool[p], &x, &y))
                return true;
    return false;
}

/* Find the expected answer. */
static void trial_expect(struct trial *t)
{
    double start = time_of(t, "starttime"), end = time_of(t, "expiration");
    struct wish q;

    constrain(t->w, t->constraint);
    for (int p = 0; p < t->w->n; p++)
        t->w->pool[p].exclusive = t->w->pool[p].marked
                                  || (t->opts.node_exclusive
                                      && is_node(&t->w->pool[p]));
    wish_read(&q, t->resources);
    q.slot_parent = t->opts.slot_parent;
    q.granule_pool = t->opts.granule_pool;
    q.node_exclusive = t->opts.node_exclusive;
    for (int i = 0; i < q.n && q.node_exclusive; i++)
        if (!strcmp(q.entry[i].type, "node"))
            q.entry[i].exclusive = 1;
    t->want = MATCH_NEVER;
    t->unlike = asks_unlike(t->w, &q);
    t->too_long = false;
    if (end > 0 && (end <= NOW || NOW + t->duration > end))
        return;
    if (start <= NOW && naive_search(t, &q, false)) {
        t->want = MATCH_FOUND;
        pick_acts(&t->search, &t->picked);
        return;
    }
    t->too_long = start <= NOW && t->search.too_long;
    if (!t->too_long && naive_search(t, &q, true))
        t->want = MATCH_NOT_NOW;
    t->too_long = t->too_long || t->search.too_long;
}

/* --- the library's answer
   -------------------------------------------------- */

static int pool_at(const struct world *w, const char *path, const char *type)
{
    for (int p = 0; p < w->n; p++)
        if (!strcmp(w->pool[p].path, path) && !strcmp(w->pool[p].type, type))
            return p;
    return -1;
}

struct reading_picks {
    const struct trial *t;
    struct picked *x;
    bool stranger; /* a pool that is not in the document */
};

static void read_pick(struct reading_picks *r, const struct pick *p,
                      const char *above);

/* Read one pool, a member of a run or a single vertex, with its contents. */
static void read_one(struct reading_picks *r, const struct pick *p, uint32_t n,
                     const char *above)
{
    char path[PATH], buf[VERTEX_NAME_MAX];
    int at;

    snprintf(path, sizeof(path), "%s%s%.60s", above, *above ? "/" : "",
             vertex_name(r->t->rs, p->v, n, buf));
    at = pool_at(r->t->w, path, p->v->type);
    if (at < 0) {
        r->stranger = true;
        return;
    }
    r->x->amount[at] += (int)p->amount;
    r->x->held[at] = p->exclusive;
    r->x->shared[at] = p->shared;
    if (p->whole)
        pick_all(r->t->w, r->x, at);
    for (const struct pick *c = p->child; c && !p->whole; c = c->next)
        read_pick(r, c, path);
}

static void read_pick(struct reading_picks *r, const struct pick *p,
                      const char *above)
{
    struct idset *members;

    if (!p->v->run) {
        read_one(r, p, 0, above);
        return;
    }
    members = pick_members(p);
    for (uint32_t i = 0; i < 16; i++)
        if (idset_contains(members, i))
            read_one(r, p, i, above);
    idset_destroy(members);
}

/* Return false if a selected pool is not in the document. */
static bool read_selection(const struct trial *t, const struct selection *sel,
                           struct picked *x)
{
    struct reading_picks r = {.t = t, .x = x};

    *x = (struct picked){0};
    for (const struct pick *p = sel->picks; p; p = p->next)
        read_pick(&r, p, "");
    return !r.stranger;
}

/* --- the laws ------------------------------------------------------------ */

static char *picked_text(const struct world *w, const struct picked *x)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int p = 0; p < w->n; p++)
        if (x->amount[p])
            fprintf(fp, " %s:%d%s%s", w->pool[p].path, x->amount[p],
                    x->held[p] ? "!" : "", x->shared[p] ? "~" : "");
    fclose(fp);
    return text;
}

static void tell(const struct trial *t, const struct picked *got)
{
    char *constraint = t->constraint ? json_dumps(t->constraint, JSON_COMPACT)
                                     : strdup("none");
    char *want = picked_text(t->w, &t->picked);

    printf("#   RSET_SEED=%" PRIu64 " %s%s%s%s constraint %s\n", t->seed,
           policies[t->policy].name, t->opts.slot_parent ? " slot-parent" : "",
           t->opts.granule_pool ? " granule-pool" : "",
           t->opts.node_exclusive ? " node-exclusive" : "", constraint);
    printf("#   request %s\n#   of %.25000s\n", t->shape, t->text);
    if (t->want == MATCH_FOUND)
        printf("#   want%.600s\n", want);
    if (got) {
        free(want);
        want = picked_text(t->w, got);
        printf("#   got %.600s\n", want);
    }
    free(want);
    free(constraint);
}

static void check(struct law *law, bool good, const struct trial *t,
                  const struct picked *got, const char *what)
{
    if (!holds(law, good, "%s", what) && law_telling(law))
        tell(t, got);
}

static bool has_child(const struct world *w, int p)
{
    return w->pool[p].end > p + 1;
}

/* Are all selected resources available? */
static bool all_available(const struct trial *t, const struct picked *x)
{
    struct search s = {.w = t->w};
    bool good = true;

    for (int p = 0; p < t->w->n; p++) {
        const struct pool *at = &t->w->pool[p];
        bool asked = x->amount[p] && !has_child(t->w, p) && !x->in_held[p]
                     && !t->picked.inner[p];
        if (asked)
            good = good && usable(&s, p)
                   && (x->shared[p] || x->amount[p] <= at->size - at->claimed);
        if (x->held[p] && has_child(t->w, p))
            good = good && whole_free(&s, p, false);
    }
    return good;
}

/* Are the same pools held and shared? */
static bool same_hold(const struct trial *t, const struct picked *got)
{
    for (int p = 0; p < t->w->n; p++) {
        bool child = has_child(t->w, p);
        if (!got->amount[p] || got->in_held[p])
            continue;
        if (child && got->held[p] != t->picked.held[p])
            return false;
        if (!child && got->shared[p] != t->picked.shared[p])
            return false;
    }
    return true;
}

/*
 * Does the document of the extracted set list the selection? Pools outside of
 * containment are below the root if they have no other parent.
 */
static bool extracted(const struct trial *t, const struct selection *sel,
                      const struct picked *got)
{
    struct world *w = calloc(1, sizeof(*w));
    struct rset *part = rset_extract(t->rs, sel);
    char *text = part ? write_set(part, FORM_JGF) : NULL;
    bool good = text != NULL;
    int n = 0;

    if (text)
        world_read(w, text);
    for (int p = 0; p < t->w->n; p++)
        n += got->amount[p] > 0;
    for (int p = 0; good && p < w->n; p++) {
        int at = pool_at(t->w, w->pool[p].path, w->pool[p].type);
        bool bare_root = at == 0 && !got->amount[0];
        good = at >= 0 && (bare_root || got->amount[at] == w->pool[p].size);
        n -= !bare_root;
    }
    json_decref(w->doc);
    free(w);
    free(text);
    rset_destroy(part);
    return good && n == 0;
}

static void check_found(const struct trial *t, const struct selection *sel)
{
    struct picked got;
    bool good = read_selection(t, sel, &got);

    check(&laws.available, good && all_available(t, &got), t, &got,
          "not available");
    good = good && !memcmp(got.amount, t->picked.amount, sizeof(got.amount));
    check(&laws.pools, good, t, &got, "others");
    if (good)
        check(&laws.held, same_hold(t, &got), t, &got, "otherwise");
    check(&laws.extract, extracted(t, sel, &got), t, &got, "another set");
}

/* How many outermost slots does a list request? 0 if that is open. */
static uint64_t slots_asked(const struct request_vertex *list, uint64_t times,
                            bool *open)
{
    uint64_t sum = 0;

    for (const struct request_vertex *v = list; v; v = v->next) {
        uint64_t n = times * request_count_fixed(&v->count);
        *open = *open || n == 0;
        sum += request_is_slot(v) ? n : slots_asked(v->with, n, open);
    }
    return sum;
}

static bool has_slots(const struct selection *sel, const struct request *req)
{
    bool open = false;
    uint64_t n = slots_asked(req->resources, 1, &open);

    return sel->moldable == open && (open || sel->nslots == n);
}

static const char *const answers[] = {"found", "not now", "never", "error"};

static void check_answer(struct trial *t, const struct request *req)
{
    struct diag d = {0};
    struct selection *sel = NULL;
    char what[256];
    enum match_answer got = match_find(t->usage, req, &t->opts, &sel, &d);
    enum match_answer ever = match_feasible(t->usage, req, &t->opts, &d);

    snprintf(what, sizeof(what), "%s (%.120s), not %s", answers[got],
             got == MATCH_ERROR ? d.text : "", answers[t->want]);
    laws.answers[got]++;
    if (t->unlike) {
        check(&laws.units, got == MATCH_ERROR, t, NULL, what);
    } else if (got == MATCH_ERROR && strstr(d.text, "too long")) {
        laws.given_up++;
    } else {
        check(&laws.answer, got == t->want, t, NULL, what);
        if (ever != MATCH_ERROR || !strstr(d.text, "too long"))
            check(&laws.feasible,
                  ever == (t->want == MATCH_NEVER ? MATCH_NEVER : MATCH_FOUND),
                  t, NULL, answers[ever]);
    }
    if (got == MATCH_FOUND && t->want == MATCH_FOUND)
        check_found(t, sel);
    if (got == MATCH_FOUND)
        check(&laws.slots, has_slots(sel, req), t, NULL, "other slots");
    if (got == MATCH_FOUND)
        selection_destroy(sel);
}

/* --- cases --------------------------------------------------------------- */

static json_t *jobspec_of(const struct trial *t)
{
    json_t *system = json_pack("{s:f}", "duration", t->duration);

    if (t->constraint)
        json_object_set(system, "constraints", t->constraint);
    return json_pack("{s:i,s:O,s:[{s:[s],s:s,s:{s:i}}],s:{s:o}}", "version", 1,
                     "resources", t->resources, "tasks", "command", "app",
                     "slot", "s0", "count", "per_slot", 1, "attributes",
                     "system", system);
}

/* From a jobspec with its constraint, or from a shape with a constraint beside
   it. */
static struct request *request_of(struct trial *t)
{
    struct request *req;
    struct diag d = {0};

    if (t->jobspec) {
        json_t *jobspec = jobspec_of(t);
        req = request_from_jobspec(jobspec, &d);
        json_decref(jobspec);
    } else {
        t->opts.constraint = t->constraint
                                 ? constraint_from_json(t->constraint, &d)
                                 : NULL;
        req = request_from_shape(t->shape, &d);
    }
    if (!req) {
        printf("Bail out! %s: %s\n", t->shape, d.text);
        exit(1);
    }
    return req;
}

static void trial_draw(struct trial *t)
{
    static const int durations[] = {0, 0, 0, 100, 1000, 1500};
    struct near near = {0};

    t->resources = random_resources(t->w);
    t->shape = shape_of(t->resources);
    t->constraint = chance(20) ? random_constraint(0) : NULL;
    t->policy = t->w->nlinks || chance(40) ? 0 : random_below(POLICIES);
    t->opts = (struct match_options){
        .now = NOW,
        .slot_parent = chance(15),
        .granule_pool = chance(15),
        .node_exclusive = chance(10),
        .policy = t->policy ? policy_find(policies[t->policy].name, &near)
                            : NULL};
    t->jobspec = strstr(t->shape, "{s0") && chance(60);
    t->duration = t->jobspec ? durations[random_below(6)] : 0;
}

static void trial_end(struct trial *t)
{
    json_decref(t->constraint);
    json_decref(t->resources);
    free(t->shape);
}

/* Make a request, not too often an impossible one. */
static void trial_make(struct trial *t)
{
    for (int tries = 0;; tries++) {
        trial_draw(t);
        trial_expect(t);
        if (t->want != MATCH_NEVER || chance(25) || tries == 3)
            return;
        trial_end(t);
    }
}

/* All policies agree on whether there is a match. */
static void check_policies(struct trial *t, const struct request *req)
{
    static const char *const names[] = {"high", "best-fit", "worst-fit",
                                        "locality", "variation"};
    enum { N = sizeof(names) / sizeof(names[0]) };
    struct match_options opts = t->opts;
    uint32_t start = random_below(N);

    for (uint32_t i = 0; i < N; i++) {
        const char *name = names[(start + i) % N];
        struct selection *sel = NULL;
        struct near near = {0};
        struct diag d = {0};
        enum match_answer got;
        opts.policy = policy_find(name, &near);
        got = match_find(t->usage, req, &opts, &sel, &d);
        selection_destroy(sel);
        check(&laws.policies,
              opts.policy
                  && (got == t->want
                      || (got == MATCH_ERROR
                          && (t->unlike || strstr(d.text, "too long")))),
              t, NULL, name);
    }
}

static void trial_check(struct trial *t)
{
    struct request *req = request_of(t);

    if (t->too_long)
        laws.naive_too_long++;
    else if (chance(50))
        check_policies(t, req); /* each may be the first to see the request */
    if (!t->too_long)
        check_answer(t, req);
    constraint_destroy((struct constraint *)t->opts.constraint);
    request_destroy(req);
}

/* Read a set, and return its own text. */
static char *set_open(struct trial *t, const char *text)
{
    char *written;

    t->text = text;
    t->w = malloc(sizeof(*t->w));
    world_read(t->w, text);
    t->rs = read_set(text);
    written = write_set(t->rs, FORM_AS_READ);
    t->usage = usage_begin(t->rs);
    return written;
}

static void set_close(struct trial *t)
{
    rset_destroy(t->rs);
    json_decref(t->w->doc);
    free(t->w);
}

static void one_set(void)
{
    struct trial t = {.seed = random_state};
    char *text = random_document(), *before, *after;

    before = set_open(&t, text);
    for (int i = 0; i < REQUESTS; i++) {
        trial_make(&t);
        trial_check(&t);
        trial_end(&t);
    }
    after = write_set(t.rs, FORM_AS_READ);
    if (!holds(&laws.same, before && after && !strcmp(before, after),
               "RSET_SEED=%" PRIu64, t.seed)
        && law_telling(&laws.same))
        printf("#   of %.25000s\n", text);
    set_close(&t);
    free(before);
    free(after);
    free(text);
}

int main(void)
{
    for (long i = random_start(300); i > 0; i--)
        one_set();
    law_end(&laws.answer);
    law_end(&laws.pools);
    law_end(&laws.held);
    law_end(&laws.available);
    law_end(&laws.feasible);
    law_end(&laws.units);
    law_end(&laws.same);
    law_end(&laws.extract);
    law_end(&laws.slots);
    law_end(&laws.policies);
    ok(laws.given_up * 1000 < laws.answer.cases,
       "a search is hardly ever given up where a naive one ends: %ld",
       laws.given_up);
    ok(laws.naive_too_long * 30 < laws.answer.cases,
       "few cases take the naive search too long");
    printf("# %ld left out; found %ld, not now %ld, never %ld\n",
           laws.naive_too_long, laws.answers[MATCH_FOUND],
           laws.answers[MATCH_NOT_NOW], laws.answers[MATCH_NEVER]);
    return done_testing();
}

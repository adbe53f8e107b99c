/*
 * Matching and the ledger, compared with a naive scheduler of bits.
 *
 * A random cluster gets random requests of many jobs, one after the other, and
 * some jobs are released again. The naive scheduler knows the free ids of each
 * node, and which of them the policy `first` has to take by the words of
 * schedule/match.h. Everything is compared: the answer, the R of the job, the
 * free resources, and at the end the bytes.
 */
#include "schedule/match.h"

#include <string.h>

#include "once.h"
#include "sets.h"

enum { JOBS = 6, STEPS = 14 };

static const struct match_options at_epoch;
static const struct period moment;

/* --- the naive scheduler ------------------------------------------------ */

/* The free resources of a cluster. */
struct naive {
    struct bits all, free;
    bool sockets, memory;
};

struct shape {
    enum {
        SLOTS,          /* slot=n/[core=c;gpu=g;memory=m] */
        NODES_SLOTS,    /* node=N/slot=n/[...] */
        XNODES_SLOTS,   /* node=N{x}/slot=n/[...] */
        SLOTS_IN_NODES, /* slot=n/node/[...]: whole nodes, with a part listed */
        WHOLE_NODES,    /* slot=n/node */
        SLOTS_SOCKET,   /* slot=n/socket/core=c: whole sockets */
        WHOLE_SOCKETS,  /* slot=n/socket */
        NODE_SOCKETS,   /* node=N/socket=2/slot/core=c */
        KINDS
    } kind;
    int min, max; /* outermost count; equal if it is fixed */
    int slots;    /* in a node */
    int core, gpu, fpga, memory;
};

static bool one_per_node(const struct shape *q)
{
    return q->kind == NODES_SLOTS || q->kind == XNODES_SLOTS
           || q->kind == NODE_SOCKETS;
}

static bool node_untouched(const struct naive *n, const struct bits *free,
                           int r)
{
    return !memcmp(&n->all.node[r], &free->node[r], sizeof(n->all.node[r]));
}

static bool has_socket(const struct bits_node *n, int s)
{
    return socket_there(n, s);
}

static bool socket_untouched(const struct naive *n, const struct bits *free,
                             int r, int s)
{
    const struct bits_node *all = &n->all.node[r], *now = &free->node[r];

    if (!now->there || !has_socket(all, s)
        || (s == 0 && all->memory != now->memory))
        return false;
    for (int t = 0; t < TYPES; t++)
        if ((all->ids[t] ^ now->ids[t]) & socket_ids(s))
            return false;
    return true;
}

static int at_most(int have, int each, int limit)
{
    return each == 0 || have / each > limit ? limit : have / each;
}

/* How many slots of leaves fit into the ids of a mask? */
static int leaves_fit(const struct bits_node *n, const struct shape *q,
                      unsigned mask)
{
    int fit = 1000;

    fit = at_most(__builtin_popcount(n->ids[0] & mask), q->core, fit);
    fit = at_most(__builtin_popcount(n->ids[1] & mask), q->gpu, fit);
    fit = at_most(__builtin_popcount(n->ids[2] & mask), q->fpga, fit);
    return at_most(n->memory, q->memory, fit);
}

/* How many times does the outermost count fit into a node (except
   one_per_node)? */
static int node_fits(const struct naive *n, const struct bits *free,
                     const struct shape *q, int r)
{
    const struct bits_node *now = &free->node[r];
    int fit = 0;

    if (!now->there)
        return 0;
    switch (q->kind) {
    case SLOTS:
        return leaves_fit(now, q, ~0U);
    case NODES_SLOTS:
        return leaves_fit(now, q, ~0U) >= q->slots;
    case XNODES_SLOTS:
        return node_untouched(n, free, r)
               && leaves_fit(now, q, ~0U) >= q->slots;
    case SLOTS_IN_NODES:
        return node_untouched(n, free, r) && leaves_fit(now, q, ~0U) >= 1;
    case WHOLE_NODES:
        return node_untouched(n, free, r);
    case SLOTS_SOCKET:
    case WHOLE_SOCKETS:
        for (int s = 0; s < SOCKETS; s++)
            fit += socket_untouched(n, free, r, s)
                   && __builtin_popcount(now->ids[0] & socket_ids(s))
                          >= q->core;
        return fit;
    case NODE_SOCKETS:
        for (int s = 0; s < SOCKETS; s++)
            fit += __builtin_popcount(now->ids[0] & socket_ids(s)) >= q->core;
        return fit == SOCKETS;
    case KINDS:
        break;
    }
    abort();
}

/* The lowest `count` of some ids. */
static unsigned lowest(unsigned ids, int count)
{
    unsigned taken = 0;

    for (int i = 0; i < 32 && count > 0; i++)
        if (ids >> i & 1) {
            taken |= 1U << i;
            count--;
        }
    return taken;
}

static void take_leaves(struct bits_node *to, const struct bits_node *from,
                        const struct shape *q, int times, unsigned mask)
{
    to->ids[0] |= lowest(from->ids[0] & mask, q->core * times);
    to->ids[1] |= lowest(from->ids[1] & mask, q->gpu * times);
    to->ids[2] |= lowest(from->ids[2] & mask, q->fpga * times);
    to->memory += q->memory * times;
}

static void give(struct bits_node *free, const struct bits_node *taken)
{
    for (int t = 0; t < TYPES; t++)
        free->ids[t] &= ~taken->ids[t];
    free->memory -= taken->memory;
}

/* Take a whole socket with its memory from the free ids. */
static struct bits_node whole_socket(const struct bits_node *n, int s)
{
    struct bits_node taken = {.there = true};

    for (int t = 0; t < TYPES; t++)
        taken.ids[t] = n->ids[t] & socket_ids(s);
    if (s == 0)
        taken.memory = n->memory;
    return taken;
}

/*
 * Take `times` of the outermost count from a node. `listed` gets the part that
 * the R of the job lists.
 */
static void node_take(const struct naive *n, struct bits *free,
                      const struct shape *q, int r, int times,
                      struct bits_node *listed)
{
    struct bits_node *now = &free->node[r], part;

    listed->there = true;
    switch (q->kind) {
    case SLOTS:
        take_leaves(listed, now, q, times, ~0U);
        give(now, listed);
        return;
    case NODES_SLOTS:
        take_leaves(listed, now, q, q->slots, ~0U);
        give(now, listed);
        return;
    case XNODES_SLOTS:
    case WHOLE_NODES:
        *listed = *now;
        *now = (struct bits_node){0};
        return;
    case SLOTS_IN_NODES:
        take_leaves(listed, now, q, 1, ~0U);
        *now = (struct bits_node){0};
        return;
    case SLOTS_SOCKET:
    case WHOLE_SOCKETS:
        for (int s = 0; s < SOCKETS && times > 0; s++) {
            if (!socket_untouched(n, free, r, s)
                || __builtin_popcount(now->ids[0] & socket_ids(s)) < q->core)
                continue;
            part = whole_socket(now, s);
            if (q->kind == SLOTS_SOCKET)
                take_leaves(listed, now, q, 1, socket_ids(s));
            else
                for (int t = 0; t < TYPES; t++)
                    listed->ids[t] |= part.ids[t];
            if (q->kind == WHOLE_SOCKETS)
                listed->memory += part.memory;
            give(now, &part);
            times--;
        }
        return;
    case NODE_SOCKETS:
        for (int s = 0; s < SOCKETS; s++)
            take_leaves(listed, now, q, 1, socket_ids(s));
        give(now, listed);
        return;
    case KINDS:
        break;
    }
    abort();
}

/* Does the request match, and what does its R list? Updates `free`. */
static bool naive_match(const struct naive *n, struct bits *free,
                        const struct shape *q, struct bits *listed)
{
    int fits[RANKS], sum = 0;

    for (int r = 0; r < RANKS; r++)
        sum += fits[r] = node_fits(n, free, q, r);
    if (sum < q->min)
        return false;
    sum = sum < q->max ? sum : q->max;
    *listed = (struct bits){0};
    for (int r = 0; r < RANKS && sum > 0; r++) {
        int times = fits[r] < sum ? fits[r] : sum;
        if (times > 0)
            node_take(n, free, q, r, times, &listed->node[r]);
        sum -= times;
    }
    return true;
}

static enum match_answer naive_answer(const struct naive *n,
                                      const struct shape *q, struct bits *free,
                                      struct bits *listed)
{
    struct bits now = n->free, ever = n->all, some;

    if (naive_match(n, &now, q, listed)) {
        *free = now;
        return MATCH_FOUND;
    }
    return naive_match(n, &ever, q, &some) ? MATCH_NOT_NOW : MATCH_NEVER;
}

/* --- requests ----------------------------------------------------------- */

static struct shape random_shape(const struct naive *n)
{
    struct shape q = {.slots = 1 + (int)random_below(3)};

    q.kind = random_below(n->sockets ? KINDS : WHOLE_NODES + 1);
    q.min = q.max = 1 + (int)random_below(one_per_node(&q) ? 4 : 8);
    if (one_in(4))
        q.max = q.min + (int)random_below(6);
    if (q.kind == WHOLE_NODES || q.kind == WHOLE_SOCKETS)
        return q;
    q.core = 1 + (int)random_below(4);
    if (q.kind == SLOTS_SOCKET || q.kind == NODE_SOCKETS)
        return q;
    if (one_in(3))
        q.gpu = 1 + (int)random_below(3);
    if (one_in(6))
        q.fpga = 1 + (int)random_below(2);
    if (n->memory && one_in(4))
        q.memory = 1 + (int)random_below(6);
    if (q.gpu + q.fpga + q.memory > 0 && one_in(3))
        q.core = 0;
    return q;
}

static void put_leaves(FILE *fp, const struct shape *q)
{
    const struct {
        const char *type;
        int count;
    } leaves[] = {{"core", q->core},
                  {"gpu", q->gpu},
                  {"fpga", q->fpga},
                  {"memory", q->memory}};
    const char *sep = "[";

    for (size_t i = 0; i < 4; i++)
        if (leaves[i].count) {
            fprintf(fp, "%s%s=%d", sep, leaves[i].type, leaves[i].count);
            sep = ";";
        }
    putc(']', fp);
}

static void print_shape(const struct shape *q, char *text, size_t size)
{
    static const char *const before[KINDS] = {
        [SLOTS] = "slot=",         [NODES_SLOTS] = "node=",
        [XNODES_SLOTS] = "node=",  [SLOTS_IN_NODES] = "slot=",
        [WHOLE_NODES] = "slot=",   [SLOTS_SOCKET] = "slot=",
        [WHOLE_SOCKETS] = "slot=", [NODE_SOCKETS] = "node=",
    };
    static const char *const after[KINDS] = {
        [SLOTS] = "/",
        [NODES_SLOTS] = "/slot=",
        [XNODES_SLOTS] = "{x}/slot=",
        [SLOTS_IN_NODES] = "/node/",
        [WHOLE_NODES] = "/node",
        [SLOTS_SOCKET] = "/socket/",
        [WHOLE_SOCKETS] = "/socket",
        [NODE_SOCKETS] = "/socket=2/slot/",
    };
    FILE *fp = fmemopen(text, size, "w");

    fprintf(fp, q->min == q->max ? "%s%d" : "%s%d-%d", before[q->kind], q->min,
            q->max);
    fputs(after[q->kind], fp);
    if (q->kind == NODES_SLOTS || q->kind == XNODES_SLOTS)
        fprintf(fp, "%d/", q->slots);
    if (q->kind != WHOLE_NODES && q->kind != WHOLE_SOCKETS)
        put_leaves(fp, q);
    fclose(fp);
}

/* --- the library -------------------------------------------------------- */

/* Convert a selection to bits, by way of its document. */
static struct bits bits_selected(const struct rset *rs,
                                 const struct selection *sel)
{
    struct rset *part = rset_extract(rs, sel);
    char *text = part ? write_set(part, FORM_AS_READ) : NULL;
    struct bits b = bits_of(text ? text : "{}");

    free(text);
    rset_destroy(part);
    return b;
}

/* Nodes with free resources, and nodes that are empty anyway. */
static struct bits naive_available(const struct naive *n)
{
    struct bits b = n->free;

    for (int r = 0; r < RANKS; r++) {
        struct bits_node *now = &b.node[r];
        const struct bits_node *all = &n->all.node[r];
        bool left = now->memory, had = all->memory;
        for (int t = 0; t < TYPES; t++) {
            left = left || now->ids[t];
            had = had || all->ids[t];
        }
        if (had && !left)
            *now = (struct bits_node){0};
    }
    return b;
}

struct game {
    struct naive naive;
    struct rset *rs;
    char *start;            /* the first document */
    struct bits held[JOBS]; /* the resources of each job */
    struct bits listed[JOBS];
    bool has[JOBS];
};

struct laws {
    struct law answer, listed, allocated, available, bytes, forms;
};

static const char *job_name(int job)
{
    static const char *const names[JOBS] = {
        "1", "2", "a job", "007", "é12", "18446744073709551615"};

    return names[job];
}

static struct bits taken(const struct bits *before, const struct bits *after)
{
    struct bits b = {0};

    for (int r = 0; r < RANKS; r++) {
        const struct bits_node *x = &before->node[r], *y = &after->node[r];
        b.node[r].there = x->there && !y->there;
        b.node[r].memory = x->memory - y->memory;
        for (int t = 0; t < TYPES; t++)
            b.node[r].ids[t] = x->ids[t] & ~y->ids[t];
    }
    return b;
}

static void give_back(struct bits *free, const struct bits *held)
{
    for (int r = 0; r < RANKS; r++) {
        free->node[r].there |= held->node[r].there;
        free->node[r].memory += held->node[r].memory;
        for (int t = 0; t < TYPES; t++)
            free->node[r].ids[t] |= held->node[r].ids[t];
    }
}

static bool compare(struct law *law, const struct game *g,
                    const struct bits *want, const struct bits *got,
                    const char *what)
{
    bool good = bits_equal(want, got, g->naive.memory);

    if (!holds(law, good, "%s\n# of %s", what, g->start) && law_telling(law)) {
        bits_print("want", want);
        bits_print("got", got);
    }
    return good;
}

/* Let a new job allocate. Returns false if the game can't continue. */
static bool play_allocate(struct game *g, int job, struct laws *laws)
{
    static const char *const answers[] = {"found", "not now", "never", "error"};
    struct shape q = random_shape(&g->naive);
    struct bits left, listed, got;
    enum match_answer want, answer;
    const struct term terms = {.start = TIME_UNSET, .end = TIME_UNSET};
    struct selection *sel;
    struct request *req;
    struct diag d = {0};
    char text[128];
    bool good;

    print_shape(&q, text, sizeof(text));
    want = naive_answer(&g->naive, &q, &left, &listed);
    req = request_from_shape(text, &d);
    answer = req ? match_find(usage_begin(g->rs), req, &at_epoch, &sel, &d)
                 : MATCH_ERROR;
    good = holds(&laws->answer, answer == want, "%s: %s, not %s (%s)\n# of %s",
                 text, answers[answer], answers[want], d.text, g->start);
    request_destroy(req);
    if (!good || answer != MATCH_FOUND) {
        if (answer == MATCH_FOUND)
            selection_destroy(sel);
        return good;
    }
    got = bits_selected(g->rs, sel);
    good = compare(&laws->listed, g, &listed, &got, text);
    once_allocate(g->rs, job_name(job), sel, &terms);
    selection_destroy(sel);
    g->held[job] = taken(&g->naive.free, &left);
    g->naive.free = left;
    g->listed[job] = listed;
    g->has[job] = true;
    return good;
}

static bool play_release(struct game *g, int job, struct laws *laws)
{
    bool released = once_release(g->rs, job_name(job));

    give_back(&g->naive.free, &g->held[job]);
    g->has[job] = false;
    return holds(&laws->bytes, released, "job %s held nothing in %s",
                 job_name(job), g->start);
}

/* Compare jobs and free resources. */
static bool check_books(struct game *g, struct laws *laws)
{
    struct bits got, want;
    struct selection *sel;
    bool good = true;

    for (int job = 0; job < JOBS && good; job++) {
        good = holds(&laws->allocated,
                     once_has(g->rs, job_name(job)) == g->has[job], "job %s %s",
                     job_name(job),
                     g->has[job] ? "has nothing" : "has something");
        if (!good || !g->has[job])
            continue;
        sel = once_allocated(g->rs, job_name(job), false);
        got = bits_selected(g->rs, sel);
        good = compare(&laws->allocated, g, &g->listed[job], &got,
                       job_name(job));
        selection_destroy(sel);
    }
    want = naive_available(&g->naive);
    sel = once_available(g->rs, &moment, false);
    got = bits_selected(g->rs, sel);
    good = good && compare(&laws->available, g, &want, &got, "available");
    selection_destroy(sel);
    return good;
}

/* Write and read again in some form, as in a pipe. */
static bool through_a_pipe(struct game *g, struct laws *laws)
{
    static const enum rset_form forms[] = {FORM_RV1, FORM_JGF, FORM_R,
                                           FORM_JGF_COMPACT, FORM_RV1_COMPACT};
    char *text = write_set(g->rs, FORM_AS_READ), *again, *other;
    struct rset *copy;
    bool good;

    if (!holds(&laws->forms, text != NULL, "can't be written"))
        return false;
    rset_destroy(g->rs);
    g->rs = read_set(text);
    again = write_set(g->rs, FORM_AS_READ);
    good = holds(&laws->forms, again && !strcmp(text, again),
                 "read: %s\n# written: %s", text, again);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && good; i++) {
        other = write_set(g->rs, forms[i]);
        copy = read_set(other);
        free(again);
        again = write_set(copy, forms[i]);
        good = holds(&laws->forms, again && !strcmp(other, again),
                     "form %d: %s\n# written: %s", (int)forms[i], other, again);
        rset_destroy(copy);
        free(other);
    }
    free(text);
    free(again);
    return good;
}

static void play(const struct layout *layout, struct laws *laws)
{
    struct game g = {0};
    char *text, *end;
    bool good = true;

    g.naive.all = g.naive.free = random_bits(layout->graph);
    g.naive.sockets = layout->graph && layout->sockets;
    g.naive.memory = layout->graph;
    text = bits_text(&g.naive.all, layout);
    g.rs = read_set(text);
    free(text);
    g.start = write_set(g.rs, FORM_AS_READ);
    for (int step = 0; step < STEPS && good; step++) {
        int job = (int)random_below(JOBS);
        good = g.has[job] ? play_release(&g, job, laws)
                          : play_allocate(&g, job, laws);
        good = good && check_books(&g, laws);
        if (good && one_in(3))
            good = through_a_pipe(&g, laws);
    }
    for (int job = 0; job < JOBS && good; job++)
        if (g.has[job])
            good = play_release(&g, job, laws);
    end = write_set(g.rs, FORM_AS_READ);
    if (good)
        holds(&laws->bytes, end && !strcmp(g.start, end), "%s\n# became %s",
              g.start, end);
    free(end);
    free(g.start);
    rset_destroy(g.rs);
}

static void test_games(long rounds)
{
    static const struct {
        const char *name;
        struct layout layout;
    } kinds[] = {
        {"R", {.graph = false}},
        {"flat graphs", {.graph = true}},
        {"graphs with sockets", {.graph = true, .sockets = true}},
        {"graphs with racks and sockets",
         {.graph = true, .racks = true, .sockets = true}},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct laws laws = {
            {.name = "the answer is the naive one"},
            {.name = "the selection is the first that fits"},
            {.name = "allocated has the resources of each job"},
            {.name = "available has the free resources"},
            {.name = "releasing everything restores the bytes"},
            {.name = "with records in it every form is a fixed point"},
        };
        printf("# %s\n", kinds[i].name);
        for (long n = 0; n < rounds; n++)
            play(&kinds[i].layout, &laws);
        law_end(&laws.answer);
        law_end(&laws.listed);
        law_end(&laws.allocated);
        law_end(&laws.available);
        law_end(&laws.bytes);
        law_end(&laws.forms);
    }
}

/* --- an R and its graph ------------------------------------------------- */

/* A set in two forms gives the same answer, and the same R. */
static void test_both_forms(long rounds)
{
    struct law law = {.name = "an R and its graph give the same answers"};

    for (long i = 0; i < rounds; i++) {
        struct naive n = {.all = random_bits(false)};
        struct layout plain = {0}, graph = {.graph = true,
                                            .racks = one_in(2),
                                            .sockets = one_in(2)};
        char *text[2] = {bits_text(&n.all, &plain), bits_text(&n.all, &graph)};
        enum match_answer answer[2];
        struct shape q = random_shape(&n);
        struct bits got[2] = {0};
        struct diag d = {0};
        char shape[128];
        struct request *req;

        print_shape(&q, shape, sizeof(shape));
        req = request_from_shape(shape, &d);
        for (int side = 0; side < 2; side++) {
            struct rset *rs = read_set(text[side]);
            struct selection *sel = NULL;
            answer[side] = match_find(usage_begin(rs), req, &at_epoch, &sel,
                                      &d);
            if (answer[side] == MATCH_FOUND)
                got[side] = bits_selected(rs, sel);
            selection_destroy(sel);
            rset_destroy(rs);
            free(text[side]);
        }
        holds(&law,
              answer[0] == answer[1] && bits_equal(&got[0], &got[1], false),
              "%s: %d and %d", shape, (int)answer[0], (int)answer[1]);
        request_destroy(req);
    }
    law_end(&law);
}

int main(void)
{
    long rounds = random_start(25);

    test_games(rounds);
    test_both_forms(rounds * 10);
    return done_testing();
}

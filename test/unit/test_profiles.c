/*
 * Free resources over time, compared with usage at every moment: random sets,
 * in which jobs with times come, change and go and nodes go down, are asked for
 * the first time with enough of everything. And a match that only looks at some
 * nodes finds the same as one that has counted all.
 */
#include <math.h>

#include "model/records/profile.h"
#include "quotes.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "schedule/plan.h"
#include "sets.h"

enum { NOW = 10, LAST = 60, OPERATIONS = 40 };

/* The time of questions. From it on some jobs are past their end. */
static int present = NOW;

static struct {
    struct law start, own, kept, nodes, places, windows, outlooks, same;
    long ruled_out, later, never, looked, late, late_exact;
} laws = {
    .start =
        {.name = "the first start is the first time with enough free in all "
                 "nodes"},
    .own = {.name = "a profile knows how much is free in its node at any time"},
    .kept = {.name = "profiles that followed all changes equal new ones"},
    .nodes = {.name = "the first start of whole nodes beside promised ones is "
                      "exact"},
    .places = {.name = "a place has the lowest ranks that are idle all the "
                       "time, first those that are claimed or taken later"},
    .windows = {.name = "the first window is the first time at which nodes "
                        "have enough all the time"},
    .outlooks = {.name = "a window is the same with an outlook of earlier "
                         "questions"},
    .same = {.name = "a match that looks at nodes equals one that counts all"},
};

static const char *const shapes[] = {
    "slot=2/core=2", "node=2{x}",          "node/slot/core",
    "slot/node",     "slot=1-3/gpu",       "slot/[core=3;gpu]",
    "node=3",        "slot/socket/core=2", "slot/memory=3"};

static double between(int lo, int hi)
{
    return lo + (double)random_below((unsigned)(hi - lo + 1));
}

static struct request *random_request(void)
{
    struct diag d = {0};
    struct request *req = request_from_shape(
        shapes[random_below(sizeof(shapes) / sizeof(*shapes))], &d);

    req->duration = one_in(4) ? 0 : between(1, 20);
    return req;
}

/* --- operations --------------------------------------------------------- */

static void give(struct usage *u, int i)
{
    struct request *req = random_request();
    struct match_options opts = {.now = NOW, .start = between(NOW, 40)};
    struct term terms = {.start = opts.start, .end = TIME_UNSET};
    struct selection *sel = NULL;
    struct diag d = {0};
    char name[8];

    snprintf(name, sizeof(name), "%d", i % 12);
    if (req->duration > 0)
        terms.end = terms.start + req->duration;
    terms.reserved = terms.start > NOW;
    if (match_find(u, req, &opts, &sel, &d) == MATCH_FOUND
        && plan_check(u, name, sel, &terms, NOW, 0, &d) == PLAN_GOOD)
        ledger_allocate(u, name, sel, &terms);
    selection_destroy(sel);
    request_destroy(req);
}

/* Return a random lot. NULL: the walk ended too early. */
static struct lot *any_lot(struct usage *u, unsigned steps)
{
    struct lot *lot = usage_top(u);

    for (unsigned n = random_below(steps); n > 0 && lot; n--)
        lot = lot_next(u, usage_top(u), lot, false);
    return lot == usage_top(u) ? NULL : lot;
}

static void turn(struct usage *u)
{
    struct lot *lot = any_lot(u, 30);

    while (lot && !type_is_node(lot->v->type))
        lot = lot->parent;
    if (lot)
        lot_set_state(u, lot, lot->state == STATE_UP ? STATE_DOWN : STATE_UP);
}

/* Split a lot, as visits do. */
static void cut(struct usage *u)
{
    struct lot *lot = any_lot(u, 30);

    if (lot && lot->n > 1)
        lot_split(u, lot, lot->at + random_below(lot->n - 1), 1);
}

static void operate(struct usage *u, int i)
{
    char name[8];
    struct job *job;
    struct diag d = {0};

    snprintf(name, sizeof(name), "%d", (int)random_below(12));
    job = job_find(u, name);
    switch (random_below(6)) {
    case 0:
        turn(u);
        break;
    case 1:
        cut(u);
        break;
    case 2:
        if (job)
            job_release(u, job);
        break;
    case 3:
        ledger_extend(u, name, one_in(4) ? TIME_UNSET : between(20, 50), NOW,
                      &d);
        break;
    default:
        give(u, i);
    }
}

/* --- the first start ---------------------------------------------------- */

/* How many of each does a node give, by usage at a moment? */
static int64_t times_in(const struct usage *u, const struct lot *node,
                        const struct needs *each)
{
    int64_t times = INT64_MAX, n;

    for (unsigned i = 0; i < each->n; i++) {
        n = node->blocked ? 0 : lot_units(u, node, each->at[i].row);
        n /= each->at[i].least;
        times = n < times ? n : times;
    }
    return times;
}

static int64_t times_at(struct usage *u, const struct needs *each, double at)
{
    struct period when = {.now = NOW, .from = at, .to = at};
    struct lot *lot = usage_top(u);
    bool over = false;
    int64_t sum = 0, n;

    usage_at(u, &when);
    while ((lot = lot_next(u, usage_top(u), lot, over))) {
        over = type_is_node(lot->v->type);
        if (!over)
            continue;
        n = times_in(u, lot, each) * (int64_t)lot->n;
        for (struct lot *up = lot->parent; up->parent; up = up->parent)
            n *= (int64_t)up->n;
        sum += n;
    }
    return sum;
}

enum { PROMISES = 3 };

static int64_t promised_at(const struct promise *list, double at)
{
    int64_t sum = 0;

    for (int i = 0; list && i < PROMISES; i++)
        if (list[i].from <= at && at < list[i].to)
            sum += list[i].times;
    return sum;
}

/* Ask at every moment, for what is left beside promises (NULL: none). Nothing
   changes after the last one. */
static double naive_start(struct usage *u, const struct needs *each,
                          const struct promise *list, int64_t least, int from,
                          int duration)
{
    bool enough[LAST + 1];

    for (int at = from; at <= LAST; at++)
        enough[at] = times_at(u, each, at) - promised_at(list, at) >= least;
    for (int at = from; at <= LAST; at++) {
        int end = duration > 0 && at + duration <= LAST ? at + duration
                                                        : LAST + 1;
        int k = at;
        while (k < end && enough[k])
            k++;
        if (k == end)
            return at;
    }
    return INFINITY;
}

/* Random needs: an amount of some type, and maybe an idle node. */
static struct needs random_needs(const struct usage *u)
{
    struct needs needs = {.n = 0};
    unsigned node = 0, any;

    while (!(usage_types(u)->flags[node] & TYPE_NODE))
        node++;
    do
        any = random_below(usage_types(u)->count);
    while (!(usage_types(u)->flags[any] & (TYPE_NODE | TYPE_IN_NODES)));
    if (one_in(3))
        needs_add(&needs, usage_types(u)->count + node, 1);
    if (needs.n == 0 || one_in(2))
        needs_add(&needs, any, 1 + random_below(4));
    return needs;
}

/* Do profiles know everything? Not if pools are shared, or nodes are empty. */
static bool is_told(struct usage *u)
{
    bool told = u->nbeside == 0;

    for (const struct job *job = usage_jobs(u); job; job = job->next)
        told = told && job->nshared == 0;
    for (struct lot *lot = usage_top(u); lot;
         lot = lot_next(u, usage_top(u), lot, false))
        told = told && (lot->state == STATE_UP || lot->v->child);
    return told;
}

static void ask_start(struct usage *u)
{
    struct part_kind kind = {.each = random_needs(u)};
    const struct needs each = kind.each;
    int64_t least = 1 + random_below(8);
    int from = NOW + 1 + (int)random_below(30),
        duration = one_in(4) ? 0 : 1 + (int)random_below(20);
    double limit = one_in(2) ? (double)INFINITY
                             : from + (double)random_below(30),
           got = usage_first_start(u, &kind, least, from, limit, duration),
           want = naive_start(u, &each, NULL, least, from, duration), anew;

    want = want < limit ? want : INFINITY;
    holds(&laws.start, is_told(u) ? got == want : got <= want,
          "RSET_SEED=%" PRIu64 ": %g, not %g, from %d for %d", random_state,
          got, want, from, duration);
    if (one_in(8)) {
        usage_end_profiles(u);
        anew = usage_first_start(u, &kind, least, from, limit, duration);
        holds(&laws.kept, got == anew, "%g, anew %g", got, anew);
    }
    laws.later += got > from && got < INFINITY;
    laws.never += got == INFINITY;
}

/* Ask the profile of each node for as many units as are free, and for one
   more. */
static void ask_profiles(struct usage *u)
{
    double at = between(NOW + 1, LAST);
    struct period when = {.now = NOW, .from = at, .to = at};
    struct lot *lot = usage_top(u);
    struct profile *p;
    bool told = is_told(u);

    usage_at(u, &when);
    while (told && (lot = lot_next(u, usage_top(u), lot, false))) {
        if (!type_is_node(lot->v->type) || !(p = lot_profile(lot))
            || lot->blocked)
            continue;
        for (unsigned t = 0; t < usage_types(u)->count; t++) {
            int64_t n = lot_units(u, lot, t);
            struct needs there = {.n = 0}, more = {.n = 0};
            needs_add(&there, t, n);
            needs_add(&more, t, n + 1);
            holds(&laws.own,
                  profile_may_have(p, &there, &when)
                      && !profile_may_have(p, &more, &when),
                  "RSET_SEED=%" PRIu64 ": not %" PRId64 " at %g", random_state,
                  n, at);
        }
    }
}

/* Nothing changes after the last moment. */
static int end_in_table(double to)
{
    return to <= LAST ? (int)to : LAST + 1;
}

/* Find out how many of each the node with each rank gives at each moment. */
static void fill_table(struct usage *u, const struct needs *each,
                       int64_t table[RANKS][LAST + 1])
{
    memset(table, 0, RANKS * sizeof(*table));
    for (int at = present; at <= LAST; at++) {
        struct period when = {.now = present, .from = at, .to = at};
        struct lot *lot = usage_top(u);
        usage_at(u, &when);
        while ((lot = lot_next(u, usage_top(u), lot, false))) {
            struct idrange r = lot_ranks(lot);
            for (uint32_t k = r.lo; type_is_node(lot->v->type) && k <= r.hi;
                 k++)
                table[k][at] = times_in(u, lot, each);
        }
    }
}

/* Let nodes in places have nothing meanwhile. */
static void take_places(int64_t table[RANKS][LAST + 1],
                        const struct promise *list, int n)
{
    for (int i = 0; i < n; i++)
        for (uint32_t k = 0; list[i].ranks && k < RANKS; k++)
            for (int at = (int)list[i].from; idset_contains(list[i].ranks, k)
                                             && at < end_in_table(list[i].to);
                 at++)
                table[k][at] = 0;
}

static int64_t least_in(const int64_t row[LAST + 1], int from, double to)
{
    int64_t least = row[from];

    for (int at = from; at < end_in_table(to); at++)
        least = row[at] < least ? row[at] : least;
    return least;
}

/* Place a promise, and compare with the idle nodes beside those before it. */
static void ask_place(struct usage *u, struct promise *list, int i,
                      const struct needs *idle)
{
    int64_t claimed[RANKS][LAST + 1], table[RANKS][LAST + 1],
        left = list[i].times;
    bool told = is_told(u), same = usage_place(u, &list[i]);
    int from = (int)list[i].from;
    unsigned expected = 0;

    fill_table(u, idle, claimed);
    fill_table(u, idle, table);
    take_places(table, list, i);
    for (uint32_t k = 0; k < 3 * RANKS; k++) {
        uint32_t rank = k % RANKS;
        bool is = left > 0 && least_in(table[rank], from, list[i].to) > 0;
        uint32_t turn = least_in(claimed[rank], from, INFINITY) <= 0 ? 0
                        : least_in(table[rank], from, INFINITY) <= 0 ? 1
                                                                     : 2;
        is = is && turn == k / RANKS;
        left -= is;
        expected |= (unsigned)is << rank;
    }
    for (uint32_t k = 0; list[i].ranks && k < RANKS; k++)
        same = same && idset_contains(list[i].ranks, k) == (expected >> k & 1);
    holds(&laws.places, !told || (list[i].ranks ? same && left == 0 : left > 0),
          "RSET_SEED=%" PRIu64 ": %d nodes from %g to %g", random_state,
          (int)list[i].times, list[i].from, list[i].to);
    holds(&laws.places, !list[i].ranks || usage_keeps_place(u, &list[i]),
          "a new place is kept");
}

/* Needs of a supply, which knows when each node may have them; or others. */
static struct needs window_needs(struct usage *u)
{
    if (u->nsupplies == 0 || one_in(4))
        return random_needs(u);
    return u->supplies[random_below((unsigned)u->nsupplies)]->kind.each;
}

/* Ask for a window, maybe without the claims of a job: then it is released. */
static void ask_window(struct usage *u, const struct promise *list)
{
    char name[8];
    struct job *without = NULL;
    struct needs each = window_needs(u);
    int64_t table[RANKS][LAST + 1], sum, least = 1 + random_below(8);
    int at = random_below(4) < (present > NOW ? 3 : 1)
                 ? present
                 : present + 1 + (int)random_below(30),
        from = at, duration = one_in(4) ? 0 : 1 + (int)random_below(20);
    struct idset *allowed = one_in(2) ? idset_create() : NULL;
    double got, to,
        limit = one_in(2) ? INFINITY : (double)at + (int)random_below(20);

    for (uint32_t k = 0; allowed && k < RANKS; k++)
        if (one_in(2))
            idset_add(allowed, k, k);
    if (one_in(present > NOW ? 2 : 4)) {
        snprintf(name, sizeof(name), "%d", (int)random_below(12));
        without = job_find(u, name);
        if (without
            && (without->terms->next
                || (without->terms->end >= 0
                    && without->terms->end <= present)))
            without = NULL; /* more than usage_leave_out() can do */
    }
    if (u->now != present || one_in(8))
        usage_set_now(u, present);
    usage_leave_out(u, without, NULL);
    got = usage_first_window(u, &each, least, allowed, at, limit, duration,
                             NULL);
    usage_leave_out(u, NULL, NULL);
    if (without)
        job_release(u, without);
    fill_table(u, &each, table);
    take_places(table, list, PROMISES);
    for (; at <= LAST && at < limit; at++) {
        to = duration > 0 ? (double)at + duration : INFINITY;
        sum = 0;
        for (uint32_t k = 0; k < RANKS; k++)
            if (!allowed || idset_contains(allowed, k))
                sum += least_in(table[k], at, to);
        if (sum >= least)
            break;
    }
    to = at <= LAST && at < limit ? (double)at : INFINITY;
    if (got == nextafter(present, INFINITY))
        got = present + 1 < limit ? present + 1 : to;
    if (u->late && from == present) {
        laws.late++;
        laws.late_exact += got == to;
    }
    holds(&laws.windows,
          is_told(u) && !(u->late && from == present) ? got == to : got <= to,
          "RSET_SEED=%" PRIu64 ": %g, not %g, from %d for %d", random_state,
          got, to, from, duration);
    idset_destroy(allowed);
}

/* Questions for windows that are asked again and again. */
enum { WATCHES = 4 };
static struct standing {
    struct needs each; /* none: there is no question */
    struct idset *allowed;
    int64_t least;
    int duration;
    char without[8]; /* a job whose claims do not count */
    struct outlook outlook;
} watches[WATCHES];

static void end_watch(struct standing *w)
{
    idset_destroy(w->allowed);
    outlook_fini(&w->outlook);
    *w = (struct standing){.duration = 0};
}

static void begin_watch(struct usage *u, struct standing *w)
{
    w->each = window_needs(u);
    w->least = 1 + random_below(8);
    w->duration = one_in(4) ? 0 : 1 + (int)random_below(20);
    w->allowed = one_in(3) ? idset_create() : NULL;
    for (uint32_t k = 0; w->allowed && k < RANKS; k++)
        if (one_in(2))
            idset_add(w->allowed, k, k);
    snprintf(w->without, sizeof(w->without), "%d", (int)random_below(12));
}

/* Return the ranks of the nodes in which a job has grants, a new set. */
static struct idset *ranks_of(const struct job *job)
{
    struct idset *ranks = idset_create();

    for (const struct grant *g = job ? job->grants : NULL; g; g = g->next) {
        const struct lot *lot = g->lot;
        while (lot->parent && !type_is_node(lot->v->type))
            lot = lot->parent;
        if (lot->parent)
            idset_add(ranks, lot_ranks(lot).lo, lot_ranks(lot).hi);
    }
    return ranks;
}

/* Ask with the outlook, and then without it. */
static void ask_watch(struct usage *u, struct standing *w)
{
    const struct job *without = job_find(u, w->without);
    struct idset *ranks = ranks_of(without);
    double from = present + (one_in(3) ? random_below(5) : 0), got, want,
           limit = one_in(4) ? (double)INFINITY
                             : from + 1 + (double)random_below(20);
    const double *starts = w->outlook.starts;

    if (!without
        || (!without->terms->next
            && (without->terms->end < 0 || without->terms->end > present))) {
        usage_leave_out(u, without, ranks);
        got = usage_first_window(u, &w->each, w->least, w->allowed, from, limit,
                                 w->duration, &w->outlook);
        laws.ruled_out += got == INFINITY && w->outlook.starts == starts;
        want = usage_first_window(u, &w->each, w->least, w->allowed, from,
                                  limit, w->duration, NULL);
        usage_leave_out(u, NULL, NULL);
        holds(&laws.outlooks, got == want,
              "RSET_SEED=%" PRIu64 ": %g, not %g, from %g for %d", random_state,
              got, want, from, w->duration);
    }
    idset_destroy(ranks);
}

static void ask_watches(struct usage *u)
{
    for (struct standing *w = watches; w < watches + WATCHES; w++) {
        if (w->each.n > 0 && one_in(12))
            end_watch(w);
        if (w->each.n == 0)
            begin_watch(u, w);
        ask_watch(u, w);
    }
}

/* Promise some whole nodes, and maybe give them places; ask when others are
   left, and take the promises back. */
static void ask_nodes(struct usage *u)
{
    struct promise list[PROMISES] = {{.times = 0}};
    struct part_kind kind = {.each = {.n = 0}};
    int64_t least = 1 + random_below(4);
    int from = NOW + 1 + (int)random_below(30),
        duration = one_in(4) ? 0 : 1 + (int)random_below(20);
    double got, want;
    bool placed = one_in(2);

    if (!usage_counts_nodes(u))
        return;
    needs_add(&kind.each,
              usage_types(u)->count + (unsigned)types_node(usage_types(u)), 1);
    for (int i = 0; i < PROMISES; i++) {
        list[i].kind = &kind;
        list[i].times = random_below(3);
        list[i].from = between(NOW + 1, LAST - 1);
        list[i].to = one_in(4) ? INFINITY
                               : between((int)list[i].from + 1, LAST);
        if (placed)
            ask_place(u, list, i, &kind.each);
        usage_promise(u, &list[i]);
        if (one_in(8))
            usage_end_profiles(u);
    }
    want = naive_start(u, &kind.each, list, least, from, duration);
    got = usage_first_start(u, &kind, least, from, INFINITY, duration);
    holds(&laws.nodes, is_told(u) ? got == want : got <= want,
          "RSET_SEED=%" PRIu64 ": %g, not %g, from %d for %d", random_state,
          got, want, from, duration);
    for (int n = 1 + (int)random_below(5); n > 0; n--) {
        if (one_in(3))
            present = one_in(2) ? NOW : NOW + (int)random_below(20);
        ask_window(u, list);
        ask_watches(u);
    }
    present = NOW;
    usage_set_now(u, NOW);
    for (int i = 0; i < PROMISES; i++) {
        usage_take_back(u, &list[i]);
        usage_unplace(&list[i]);
    }
}

/* --- matching ----------------------------------------------------------- */

/* Return the result of a match as text. */
static char *found(struct usage *u, const struct request *req, double at)
{
    struct match_options opts = {.now = NOW, .start = at};
    struct selection *sel = NULL;
    struct diag d = {0};
    struct rset *part;
    char *text = NULL;

    if (match_find(u, req, &opts, &sel, &d) != MATCH_FOUND)
        return NULL;
    part = rset_extract(usage_rset(u), sel);
    text = write_set(part, FORM_AS_READ);
    rset_destroy(part);
    selection_destroy(sel);
    return text;
}

static void ask_match(struct usage *u)
{
    struct request *req = random_request();
    double at = between(NOW, LAST);
    char *look, *all;

    u->few = 0;
    look = found(u, req, at);
    laws.looked += u->looking;
    u->few = SIZE_MAX;
    all = found(u, req, at);
    holds(&laws.same, look && all ? !strcmp(look, all) : look == all,
          "RSET_SEED=%" PRIu64 ": %s, not %s", random_state, look, all);
    u->few = random_below(2) ? 0 : SIZE_MAX;
    free(look);
    free(all);
    request_destroy(req);
}

/* A node that many jobs share: there are several blocks of moments. */
static const char large_node[] =
    "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0\",\"children\":"
    "{\"core\":\"0-39\",\"gpu\":\"0-3\"}}],\"nodelist\":[\"n0\"]}}";

static void one_set(void)
{
    bool large = one_in(3);
    struct layout layout = {.racks = one_in(2), .sockets = one_in(2)};
    struct bits bits = random_bits(true);
    char *text = large       ? strdup(large_node)
                 : one_in(2) ? bits_r(&bits)
                             : bits_graph(&bits, &layout);
    struct rset *rs = read_set(text);
    struct usage *u = usage_begin(rs);

    for (int i = 0; large && i < 3 * OPERATIONS; i++)
        give(u, i);
    for (int i = 0; i < OPERATIONS && rs->nvertices > 1; i++) {
        operate(u, i);
        ask_match(u);
        if (u->ntimed == 0)
            continue;
        ask_start(u);
        ask_profiles(u);
        ask_nodes(u);
    }
    for (int i = 0; i < WATCHES; i++)
        end_watch(&watches[i]);
    rset_destroy(rs);
    free(text);
}

int main(void)
{
    for (long i = random_start(250); i > 0; i--)
        one_set();
    law_end(&laws.start);
    law_end(&laws.own);
    law_end(&laws.kept);
    law_end(&laws.nodes);
    law_end(&laws.places);
    law_end(&laws.windows);
    law_end(&laws.outlooks);
    ok(laws.ruled_out > 0, "outlooks answer some questions");
    law_end(&laws.same);
    ok(laws.late_exact * 20 > laws.late * 19,
       "what is held past its end is not free, if others have not claimed it");
    printf("# late %ld, exact %ld\n", laws.late, laws.late_exact);
    ok(laws.later && laws.never && laws.looked, "all kinds of cases come up");
    printf("# later %ld, never %ld, looked at %ld\n", laws.later, laws.never,
           laws.looked);
    return done_testing();
}

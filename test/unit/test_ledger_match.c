/*
 * Requests, compared with the naive ledger: a match is found exactly if a count
 * of free units says that there is one, and the selection is free and satisfies
 * the request. They are made between all other moves of a random game
 * (ledger_game.h).
 */
#include "ledger_play.h"

/* --- the selection ------------------------------------------------------ */

/* Units of a pool that the R will list. */
static int will_list(const struct world *w, const struct wish *wish, int p)
{
    int top = p;

    if (wish->claim[p] || wish->listed[p])
        return wish->claim[p] + wish->listed[p];
    while (top >= 0 && !wish->claim[top])
        top = w->pool[top].parent;
    if (top < 0)
        return 0;
    for (int q = top; q < w->pool[top].end; q++)
        if (wish->listed[q])
            return 0;
    return w->pool[p].size; /* held whole, with all of it listed */
}

static int wished(const struct naive *n, const struct wish *wish, int top,
                  enum kind kind)
{
    const struct world *w = n->w;
    int sum = 0;

    for (int p = top < 0 ? 0 : top; p < (top < 0 ? w->n : w->pool[top].end);
         p++)
        if (w->pool[p].kind == kind)
            sum += will_list(w, wish, p);
    return sum;
}

/* The requested amount; of exclusive pools it may be more. */
static bool enough(const struct naive *n, int got, int want)
{
    return n->w->marked ? got >= want : got == want;
}

static bool gives_slots(const struct naive *n, const struct wish *wish,
                        const struct ask *a)
{
    int slots = 0;

    for (int p = 0; p < n->w->n; p++) {
        int cores = wished(n, wish, p, CORE), here = cores / a->core;
        if (n->w->pool[p].kind != NODE)
            continue;
        if (cores % a->core || wished(n, wish, p, GPU) != here * a->gpu
            || !enough(n, wished(n, wish, p, MEMORY), here * a->memory))
            return false;
        slots += here;
    }
    return slots == a->n;
}

/* Is the selected amount the requested one? */
static bool answers_ask(const struct naive *n, const struct wish *wish,
                        const struct ask *a)
{
    switch (a->what) {
    case ASK_SLOTS:
        return gives_slots(n, wish, a);
    case ASK_NODES:
        return wished(n, wish, -1, NODE) == a->n;
    case ASK_NODES_PART:
        return wished(n, wish, -1, NODE) == a->n
               && wished(n, wish, -1, CORE) == a->n * a->core;
    case ASK_UNITS:
        return enough(n, wished(n, wish, -1, a->kind), a->n);
    case ASK_NODE_SLOTS:
        return wished(n, wish, -1, CORE) == a->n * a->core;
    case ASK_SOCKETS:
        return wished(n, wish, -1, SOCKET) == a->n;
    case ASK_RACK:
        return wished(n, wish, -1, RACK) == 1;
    case ASK_SHARED:
        return enough(n, wished(n, wish, -1, CORE), a->core);
    case ASK_SHARED_UNITS:
        return enough(n, wished(n, wish, -1, LICENCE), 1);
    }
    abort();
}

/* --- the available units ------------------------------------------------ */

static bool is_up(const struct naive *n, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (n->state[p] != STATE_UP)
            return false;
    return true;
}

/* All of a pool and of its contents. */
static bool whole_left(const struct naive *n, int top, int from, int to)
{
    for (int p = top; p < n->w->pool[top].end; p++)
        if (!is_up(n, p) || is_locked(n, p))
            return false;
    return is_untouched(n, top, from, to);
}

/* Units of one pool that could be taken. */
static int units_left(const struct naive *n, int p, int from, int to)
{
    int left;

    if (!is_up(n, p) || is_locked(n, p))
        return 0;
    if (n->w->pool[p].size == 1)
        return whole_left(n, p, from, to);
    left = naive_left(n, p, from, to);
    /* a job with all units has the pool, which nobody shares then (RFC 4) */
    return left == n->w->pool[p].size
                   && shared_then(n, p, from, to, from <= n->now)
               ? left - 1
               : left;
}

static int left_in(const struct naive *n, int top, enum kind kind, int from,
                   int to)
{
    const struct world *w = n->w;
    int sum = 0;

    for (int p = top; p < w->pool[top].end; p++)
        if (w->pool[p].kind == kind)
            sum += units_left(n, p, from, to);
    return sum;
}

/* How many slots or nodes of the request fit into this node? */
static int node_gives(const struct naive *n, int p, const struct ask *a,
                      int from, int to)
{
    int cores = left_in(n, p, CORE, from, to) / a->core, most = cores;

    if (a->what != ASK_SLOTS)
        return whole_left(n, p, from, to)
               && (a->what == ASK_NODES || cores > 0);
    if (a->gpu && left_in(n, p, GPU, from, to) < most)
        most = left_in(n, p, GPU, from, to);
    if (a->memory && left_in(n, p, MEMORY, from, to) / a->memory < most)
        most = left_in(n, p, MEMORY, from, to) / a->memory;
    return most;
}

/*
 * Does the request match? -1: not known, for other kinds and with exclusive
 * pools.
 */
static int could_have(const struct naive *n, const struct ask *a, int from,
                      int to)
{
    const struct world *w = n->w;
    int sum = 0, best = 0;

    if (a->what > ASK_UNITS || w->marked)
        return -1;
    for (int p = 0; p < w->n; p++) {
        int left = 0;
        if (a->what != ASK_UNITS && w->pool[p].kind == NODE)
            sum += node_gives(n, p, a, from, to);
        else if (a->what == ASK_UNITS && w->pool[p].kind == a->kind)
            sum += left = units_left(n, p, from, to);
        /* units inside nodes come from one node */
        if (a->what == ASK_UNITS && w->pool[p].kind == NODE)
            left = left_in(n, p, a->kind, from, to);
        best = left > best ? left : best;
    }
    if (a->what == ASK_UNITS && a->kind <= MEMORY)
        return best >= a->n;
    return sum >= a->n;
}

/* --- the game ----------------------------------------------------------- */

static void check_no(struct game *g, const struct ask *a,
                     enum match_answer answer, int from, int to)
{
    static struct naive empty;
    int now = could_have(&g->naive, a, from, to), ever;

    empty = (struct naive){.w = &g->world};
    naive_fill(&empty);
    ever = could_have(&empty, a, 0, SLOTS + 1);
    check(g, ANSWER, now < 0 || (answer == MATCH_FOUND) == now,
          answer == MATCH_FOUND ? "found resources that are not free"
                                : "did not find free resources");
    check(g, ANSWER, ever < 0 || (answer != MATCH_NEVER) == ever,
          "never, or not now");
}

/* Check that a plan passes all checks, also the checks of chosen pools. */
static void check_plan(struct game *g, const struct selection *sel,
                       const struct lease *of, bool staged)
{
    const struct term terms = terms_of(of, staged);
    unsigned flags[] = {0, PLAN_CHOSEN};
    struct diag d = {0};

    for (int i = 0; i < 2; i++) {
        enum plan_answer answer = plan_check(
            usage_begin(g->rs), job_names[of->job], sel, &terms,
            moment_time(g->naive.now), flags[i], &d);
        check(g, SELECTED, answer == PLAN_GOOD || answer == PLAN_UNSAYABLE,
              d.text);
    }
}

static void check_match(struct game *g, const struct matched *m)
{
    check_no(g, m->ask, m->answer, m->from, m->to);
    if (m->answer != MATCH_FOUND || g->play.over)
        return;
    check(g, SELECTED, answers_ask(&g->naive, m->wish, m->ask),
          "selected more or less than was asked for");
    check_plan(g, m->sel, m->of, m->staged);
}

static game_fn *const checks[] = {check_cells, go_on_with_copy, NULL};
static const struct subject subject = {
    .laws = {[ANSWER] = true, [SELECTED] = true},
    .checks = checks,
    .matched = check_match};

int main(void)
{
    return play_games(&subject);
}

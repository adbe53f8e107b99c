/*
 * Answers of the ledger, compared with those of the naive one after each move
 * of a random game (ledger_game.h): whether a job is known, its terms, the
 * resources that it lists and holds, the resources that are available at some
 * moment, and their sums.
 */
#include <math.h>

#include "ledger_play.h"

/* --- jobs --------------------------------------------------------------- */

/* Units of each named pool; 0 for a pool that is only above others. */
static void units_of(const struct world *w, const struct naming *named,
                     int units[POOLS_MAX])
{
    memset(units, 0, POOLS_MAX * sizeof(*units));
    for (int p = 0; p < w->n; p++) {
        const struct named *at = &named->at[p];
        if (at->there && (at->exclusive || (!at->shared && !at->inner)))
            units[p] = at->units;
        for (int q = p + 1; at->there && at->whole && q < w->pool[p].end; q++)
            units[q] = w->pool[q].size;
    }
}

/* Units that the R of a job lists; with `held` all of its units. */
static void naive_lists(const struct naive *n, int job, bool held,
                        int units[POOLS_MAX])
{
    const struct world *w = n->w;

    memset(units, 0, POOLS_MAX * sizeof(*units));
    for (int p = 0; p < w->n; p++) {
        bool part = false;
        int own = claimed_by(n, job, p);
        if (own <= 0)
            continue;
        units[p] = own < w->pool[p].size ? own : w->pool[p].size;
        if (own < w->pool[p].size)
            continue;
        for (int q = p; !held && q < w->pool[p].end; q++)
            part = part || n->listed[job][q];
        for (int q = p + 1; q < w->pool[p].end; q++)
            units[q] = part ? n->listed[job][q] : w->pool[q].size;
        p = w->pool[p].end - 1;
    }
}

static const char *compare_units(const struct world *w, const char *what,
                                 const int got[POOLS_MAX],
                                 const int want[POOLS_MAX])
{
    for (int p = 0; p < w->n; p++)
        if (got[p] != want[p])
            return pool_trouble(w, p, what, got[p], want[p]);
    return NULL;
}

/* Takes the selection over. */
static const char *check_selected(const struct naive *n, const char *what,
                                  struct selection *sel,
                                  const int want[POOLS_MAX])
{
    struct naming named = name_selection(n->w, sel);
    int got[POOLS_MAX];

    selection_destroy(sel);
    units_of(n->w, &named, got);
    return named.fault ? trouble("%s: %s", what, named.fault)
                       : compare_units(n->w, what, got, want);
}

static const char *check_terms(const struct naive *n, struct rset *rs, int job)
{
    int start = SLOTS, end = 0;
    bool any = false, staged = false;
    struct term terms;
    struct usage *u;

    for (int i = 0; i < n->n; i++) {
        const struct lease *of = &n->claims[i].of;
        if (of->job != job || (!n->claims[i].units && !is_timed(of)))
            continue;
        any = true;
        start = of->start < start ? of->start : start;
        end = of->end < 0 ? SLOTS + 1 : of->end > end ? of->end : end;
    }
    for (int p = 0; p < n->w->n; p++)
        staged = staged || n->staged[p] == job + 1;
    u = usage_begin(rs);
    terms = ledger_terms(u, job_names[job]);
    if (time_moment(terms.start) != (any ? start : NEVER)
        || time_moment(terms.end) != (any && end <= SLOTS ? end : NEVER)
        || terms.staged != staged)
        return trouble("job %s: terms %g-%g %d", job_names[job], terms.start,
                       terms.end, terms.staged);
    return NULL;
}

static const char *check_job(const struct naive *n, struct rset *rs, int job)
{
    const char *name = job_names[job], *wrong;
    int want[POOLS_MAX];

    if (once_has(rs, name) != naive_knows(n, job))
        return trouble("job %s is known: %d", name, once_has(rs, name));
    naive_lists(n, job, false, want);
    if ((wrong = check_selected(n, "allocated", once_allocated(rs, name, false),
                                want)))
        return wrong;
    naive_lists(n, job, true, want);
    if ((wrong = check_selected(n, "held", once_allocated(rs, name, true),
                                want))
        || (wrong = check_selected(n, "holdings", once_holdings(rs, name),
                                   want)))
        return wrong;
    return check_terms(n, rs, job);
}

/* --- available resources ------------------------------------------------ */

static struct period naive_period(const struct naive *n, int from, int to)
{
    return (struct period){.now = moment_time(n->now),
                           .from = moment_time(from),
                           .to = to > SLOTS ? INFINITY : moment_time(to)};
}

/* RFC 4, Copy: pools without available units are left out with their
   contents. */
static int naive_available(const struct naive *n, int p, int moment,
                           bool any_state, bool there[POOLS_MAX])
{
    const struct world *w = n->w;
    int left = naive_left(n, p, moment, moment), found = 0;

    if (!left || n->staged[p] || (n->state[p] != STATE_UP && !any_state))
        return 0;
    for (int q = p; w->pool[p].exclusive && q < w->pool[p].end; q++)
        if (naive_taken(n, q, moment, moment)
            || shared_then(n, q, moment, moment, moment <= n->now))
            return 0;
    for (int q = p + 1; q < w->pool[p].end; q = w->pool[q].end)
        found += naive_available(n, q, moment, any_state, there);
    if (!found && !is_leaf(w, p))
        return 0;
    there[p] = true;
    return left;
}

/*
 * Compare sums of available units, and the contents of a set of them. Every set
 * has the root.
 */
static const char *check_sums(struct rset *rs, const struct period *when,
                              const uint64_t units[KINDS_OF_POOLS])
{
    struct selection *sel = once_available(rs, when, false);
    struct rset *part = rset_extract(rs, sel);
    struct aggregate *list;
    size_t got = ledger_aggregate(usage_begin(rs), when, true, &list);
    const char *wrong = NULL;

    for (int k = 0; k < KINDS_OF_POOLS && !wrong; k++) {
        uint64_t sum = 0, count = rset_count(part, NULL, kind_names[k]);
        for (size_t i = 0; i < got; i++)
            if (!strcmp(list[i].type, kind_names[k]))
                sum += list[i].available;
        if (sum != units[k] || (count != units[k] && k != CLUSTER))
            wrong = trouble("%s: %d in sum, %d to count, not %d", kind_names[k],
                            (int)sum, (int)count, (int)units[k]);
    }
    free(list);
    rset_destroy(part);
    selection_destroy(sel);
    return wrong;
}

static const char *check_available(const struct naive *n, struct rset *rs,
                                   int moment, bool any_state)
{
    uint64_t units[KINDS_OF_POOLS] = {0};
    const struct world *w = n->w;
    struct period when = naive_period(n, moment, moment);
    struct selection *sel = once_available(rs, &when, any_state);
    struct naming named = name_selection(w, sel);
    bool there[POOLS_MAX] = {false}, gone = false;

    selection_destroy(sel);
    for (int p = 0; p < w->n; p++)
        if (w->pool[p].parent < 0)
            naive_available(n, p, moment, any_state, there);
    for (int p = 0; p < w->n; p++) {
        int up = w->pool[p].parent, left = naive_left(n, p, moment, moment);
        gone = up >= 0 && !there[up];
        if (named.at[p].there != (there[p] && !gone))
            return pool_trouble(w, p, "available", named.at[p].there,
                                there[p] && !gone);
        there[p] = there[p] && !gone;
        if (there[p] && named.at[p].units != left)
            return pool_trouble(w, p, "available units", named.at[p].units,
                                left);
        units[w->pool[p].kind] += there[p] ? (uint64_t)left : 0;
    }
    return any_state ? NULL : check_sums(rs, &when, units);
}

/* --- the game ----------------------------------------------------------- */

static void check_told(struct game *g)
{
    struct naive *n = &g->naive;
    int moment = n->now + (int)random_below((uint32_t)(SLOTS + 1 - n->now));

    for (int job = 0; job < JOBS && !g->play.over; job++)
        check_none(g, TELLS, check_job(n, g->rs, job));
    if (!g->play.over)
        check_none(g, TELLS, check_available(n, g->rs, moment, one_in(2)));
}

static game_fn *const checks[] = {check_cells, check_told, go_on_with_copy,
                                  NULL};
static const struct subject subject = {.laws = {[TELLS] = true},
                                       .checks = checks};

int main(void)
{
    return play_games(&subject);
}

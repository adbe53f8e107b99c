/*
 * A game on a small set. It is played with the ledger and with the naive one,
 * and ends with the first broken law. Each test_ledger_*.c that plays it makes
 * all moves, but has the checks and the laws of one subject only:
 *
 *     static game_fn *const checks[] = {check_cells, check_told,
 *                                       go_on_with_copy, NULL};
 *     static const struct subject subject = {.laws = {[TELLS] = true},
 *                                            .checks = checks};
 *
 *     int main(void)
 *     {
 *         return play_games(&subject);
 *     }
 *
 * ledger_chosen.h and ledger_play.h have the moves.
 */
#ifndef TEST_LEDGER_GAME_H
#define TEST_LEDGER_GAME_H

#include "game.h"
#include "ledger_naive_moves.h"
#include "once.h"

enum laws {
    ANSWER,
    SELECTED,
    FREE,
    TAKEN_BACK,
    TIME,
    RECORDS,
    TELLS,
    FAULTS,
    FORMS,
    BYTES,
    LAWS
};

static const char *const law_names[LAWS] = {
    [ANSWER] = "a match is found exactly if a count says that there is one",
    [SELECTED] = "the selection is free, and satisfies the request",
    [FREE] = "chosen pools are refused if any of them is taken",
    [TAKEN_BACK] = "a release takes from this job and no other",
    [TIME] = "ended claims are dropped, an end is extended if possible",
    [RECORDS] = "the records are those of the naive ledger",
    [TELLS] = "the ledger gives the answers of the naive one",
    [FAULTS] = "the document obeys all rules on records",
    [FORMS] = "the document is read, and written again as the same bytes",
    [BYTES] = "releasing everything restores the bytes",
};

struct matched; /* ledger_play.h */

/* The subject of one test. */
struct subject {
    bool laws[LAWS];        /* each of these has a line for each plan */
    game_fn *const *checks; /* after each move */
    game_fn *end;           /* after a game without a fault, or NULL */
    void (*matched)(struct game *g, const struct matched *m); /* or NULL */
};

/* --- names -------------------------------------------------------------- */

static const char *const job_names[JOBS] = {
    "12", "a job", "007", "\303\251t\303\251 12", "18446744073709551615",
    "fat"};
static const char *const owner_names[] = {NULL, "1000", "alice"};
enum { OWNERS = sizeof(owner_names) / sizeof(owner_names[0]) };

static double moment_time(int moment)
{
    return moment < 0 ? TIME_UNSET : 1000.0 + 100.0 * moment;
}

UNUSED static int time_moment(double time)
{
    return time < 0 ? NEVER : (int)((time - 1000.0) / 100.0);
}

static int job_number(const char *name)
{
    for (int job = 0; job < JOBS; job++)
        if (!strcmp(job_names[job], name))
            return job;
    return -1;
}

/* --- the pools of a selection ------------------------------------------- */

struct named {
    bool there, whole, exclusive, shared, inner;
    int units;
};

struct naming {
    struct named at[POOLS_MAX];
    const char *fault;
};

/* The pools of a vertex, or of some members of a run, in nodes of `ranks`. */
static int pools_of(const struct world *w, const struct vertex *v,
                    const struct idset *members, unsigned ranks,
                    int list[POOLS_MAX])
{
    int n = 0;

    if (!v->run) {
        list[0] = find_pool(w, v->type, v->rank, v->id);
        return 1;
    }
    for (uint32_t i = idset_first(members); i != IDSET_INVALID;
         i = idset_next(members, i))
        for (int rank = 0; rank < 15; rank++) {
            if (vertex_is_target(v) ? rank != (int)i : !(ranks >> rank & 1))
                continue;
            if (n < POOLS_MAX)
                list[n++] = find_pool(w, v->type, rank,
                                      vertex_is_target(v) ? rank : (int)i);
        }
    return n;
}

static unsigned ranks_of(const struct world *w, const int *list, int n)
{
    unsigned ranks = 0;

    for (int i = 0; i < n; i++)
        if (list[i] >= 0 && w->pool[list[i]].rank >= 0)
            ranks |= 1U << w->pool[list[i]].rank;
    return ranks;
}

static void name_pick(struct naming *out, const struct world *w,
                      const struct pick *p, unsigned ranks)
{
    struct idset *members = p->v->run ? pick_members(p) : NULL;
    int list[POOLS_MAX], n = pools_of(w, p->v, members, ranks, list);

    idset_destroy(members);
    if (p->v->run && n == 0)
        out->fault = "a pick of no member";
    for (int i = 0; i < n; i++) {
        struct named *at = list[i] < 0 ? NULL : &out->at[list[i]];
        if (!at || at->there) {
            out->fault = at ? "a pool is picked twice" : "an unknown pool";
            continue;
        }
        *at = (struct named){true,      p->whole,         p->exclusive,
                             p->shared, p->child != NULL, (int)p->amount};
        if (p->amount < 1 || p->amount > w->pool[list[i]].size)
            out->fault = "an amount that is not in the pool";
    }
    for (const struct pick *c = p->child; c; c = c->next)
        name_pick(out, w, c, ranks_of(w, list, n));
}

static struct naming name_selection(const struct world *w,
                                    const struct selection *sel)
{
    struct naming out = {.fault = NULL};

    for (const struct pick *p = sel->picks; p; p = p->next)
        name_pick(&out, w, p, 0);
    return out;
}

/* Convert a selection for allocating. */
static struct wish wish_of(const struct world *w, const struct naming *named)
{
    bool listing[POOLS_MAX] = {false}; /* pools below it are listed */
    struct wish wish = {0};

    for (int p = 0; p < w->n; p++) {
        const struct named *at = &named->at[p];
        int up = w->pool[p].parent;
        if (!at->there)
            continue;
        if (up >= 0 && listing[up]) {
            wish.listed[p] = at->units;
            listing[p] = true;
            for (int q = p + 1; at->whole && q < w->pool[p].end; q++)
                wish.listed[q] = w->pool[q].size;
        } else if (at->shared || (at->inner && !at->exclusive)) {
            wish.share[p] = at->shared;
        } else {
            wish.claim[p] = at->units;
            listing[p] = !at->whole && at->inner;
            if (at->exclusive && !at->whole && !at->inner && !is_leaf(w, p))
                wish.listed[p] = at->units; /* and none of its contents */
        }
    }
    for (int p = 0; p < w->n; p++)
        if (!is_leaf(w, p) && wish.claim[p] >= w->pool[p].size)
            drop_full_list(w, wish.listed, p);
    return wish;
}

/* Convert a selection for releasing. */
static struct gift gift_of(const struct world *w, const struct naming *named)
{
    struct gift gift = {0};

    for (int p = 0; p < w->n; p++) {
        const struct named *at = &named->at[p];
        if (!at->there)
            continue;
        gift.inner[p] = at->inner && !at->whole;
        gift.share[p] = !gift.inner[p] && at->shared;
        gift.units[p] = gift.inner[p] ? 0 : at->units;
    }
    return gift;
}

/* --- the first difference ----------------------------------------------- */

static char trouble_text[256];

__attribute__((format(printf, 1, 2))) static const char *
trouble(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(trouble_text, sizeof(trouble_text), fmt, ap);
    va_end(ap);
    return trouble_text;
}

UNUSED static const char *pool_trouble(const struct world *w, int p,
                                       const char *what, int got, int want)
{
    return trouble("%s%d of rank %d: %s %d, not %d",
                   kind_names[w->pool[p].kind], w->pool[p].id, w->pool[p].rank,
                   what, got, want);
}

/* --- the game ----------------------------------------------------------- */

struct game {
    struct play play;
    struct world world;
    struct naive naive;
    struct rset *rs;
    char *start; /* the first document */
    struct law *laws;
    const struct subject *subject;
};

static int some_job(void)
{
    return (int)random_below(JOBS);
}

/* The first failure ends a game, since later ones would follow from it. */
static bool check(struct game *g, enum laws law, bool good, const char *what)
{
    if (g->play.over)
        return false;
    g->play.over = !good;
    return holds(&g->laws[law], good, "%s\n# in %s\n# after%s", what, g->start,
                 game_log(&g->play));
}

static bool check_none(struct game *g, enum laws law, const char *wrong)
{
    return check(g, law, !wrong, wrong ? wrong : "");
}

/* --- terms -------------------------------------------------------------- */

static struct lease random_lease(struct game *g, int job)
{
    struct naive *n = &g->naive;
    struct lease of = {.job = job,
                       .owner = (int)random_below(OWNERS),
                       .start = NEVER,
                       .end = NEVER};

    if (one_in(3) || n->now >= SLOTS - 1)
        return of;
    of.start = n->now;
    if (one_in(2))
        of.start += (int)random_below((uint32_t)(SLOTS - 1 - n->now));
    of.end = of.start + 1 + (int)random_below((uint32_t)(SLOTS - of.start));
    of.reserved = of.start > n->now;
    return of;
}

static struct term terms_of(const struct lease *of, bool staged)
{
    return (struct term){.owner = owner_names[of->owner],
                         .start = moment_time(of->start),
                         .end = moment_time(of->end),
                         .reserved = of->reserved,
                         .staged = staged};
}

static int lease_from(const struct game *g, const struct lease *of)
{
    return of->start > g->naive.now ? of->start : g->naive.now;
}

static int lease_to(const struct lease *of)
{
    return of->end < 0 ? SLOTS + 1 : of->end;
}

/* Record it in both ledgers. */
static void record_wish(struct game *g, struct selection *sel,
                        const struct wish *wish, const struct lease *of,
                        bool staged)
{
    const struct term terms = terms_of(of, staged);

    if (fills_shared(&g->naive, of->job, wish))
        return;
    once_allocate(g->rs, job_names[of->job], sel, &terms);
    naive_give(&g->naive, wish, of, staged);
}

#endif /* TEST_LEDGER_GAME_H */

/*
 * A game on a small set: it is played in the ledger and in the naive one, and
 * ends with the first law that is broken.
 */
#ifndef TEST_LEDGER_GAME_H
#define TEST_LEDGER_GAME_H

#include "once.h"
#include "schedule/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "compare/cover.h"
#include "ledger_asks.h"
#include "model/records/path.h"

enum { LOG_SIZE = 16384 };

struct laws {
    struct law answer, selected, free, taken_back, time, records, tells, faults,
        forms, bytes;
};

struct game {
    struct world world;
    struct naive naive;
    struct rset *rs;
    char *start; /* the document that it began with */
    char log[LOG_SIZE];
    struct laws *laws;
    bool over;
};

/* --- telling ------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void note(struct game *g,
                                                       const char *fmt, ...)
{
    size_t len = strlen(g->log);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(g->log + len, sizeof(g->log) - len, fmt, ap);
    va_end(ap);
}

/* The first failure ends a game: all after it would fail. */
static bool check(struct game *g, struct law *law, bool good, const char *what)
{
    if (g->over)
        return false;
    holds(law, good, "%s\n# in %s\n# after%s", what, g->start, g->log);
    g->over = !good;
    return good;
}

static bool check_none(struct game *g, struct law *law, const char *wrong)
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

/* Record it in both. */
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

/*
 * Random games: each step makes a move, which is drawn from a table by weight,
 * and then all checks. The first fault ends a game, since all after it would
 * fail, and is printed with what was noted until then.
 *
 *     struct game {
 *         struct play play;
 *         ...
 *     };
 *     static const struct game_move moves[] = {
 *         {"give", 5, play_give}, {"release", 2, play_release}, {0}};
 *     static game_fn *const checks[] = {check_sums, check_order, NULL};
 *     struct game g = {.play = {moves, checks}};
 *
 *     game_play(&g.play, &g, 300);
 *     ok(!g.play.over, "...");
 *     game_end(&g.play);
 */
#ifndef TEST_GAME_H
#define TEST_GAME_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "random.h"

struct game; /* what a test plays with, its own */

typedef void game_fn(struct game *g);

struct game_move {
    const char *name; /* NULL: the end of a table */
    unsigned weight;
    game_fn *make;
};

struct play {
    const struct game_move *moves;
    game_fn *const *checks; /* after each move; the last one is NULL */
    FILE *log;              /* what was noted */
    char *text;
    size_t len;
    bool over; /* there was a fault */
};

/* Note what is done, for whoever reads of a fault. */
__attribute__((format(printf, 2, 3), unused)) static void
game_note(struct play *p, const char *fmt, ...)
{
    va_list ap;

    if (!p->log)
        p->log = open_memstream(&p->text, &p->len);
    va_start(ap, fmt);
    vfprintf(p->log, fmt, ap);
    va_end(ap);
}

/* What was noted until now. */
__attribute__((unused)) static const char *game_log(struct play *p)
{
    if (p->log)
        fflush(p->log);
    return p->text ? p->text : "";
}

/* Returns `good`. The first thing that is not good is told, and ends the
   game. */
__attribute__((format(printf, 3, 4), unused)) static bool
game_must(struct play *p, bool good, const char *fmt, ...)
{
    va_list ap;

    if (good || p->over)
        return good;
    p->over = true;
    fputs("# ", stdout);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n# after%s\n", game_log(p));
    return false;
}

__attribute__((unused)) static void game_step(struct play *p, struct game *g)
{
    const struct game_move *move;
    unsigned sum = 0, at;

    for (move = p->moves; move->name; move++)
        sum += move->weight;
    at = random_below(sum);
    for (move = p->moves; at >= move->weight; move++)
        at -= move->weight;
    game_note(p, " %s", move->name);
    move->make(g);
    for (game_fn *const *check = p->checks; *check && !p->over; check++)
        (*check)(g);
}

/* Returns how many steps were made. */
__attribute__((unused)) static long game_play(struct play *p, struct game *g,
                                              long steps)
{
    long n = 0;

    for (; n < steps && !p->over; n++)
        game_step(p, g);
    return n;
}

__attribute__((unused)) static void game_end(struct play *p)
{
    if (p->log)
        fclose(p->log);
    free(p->text);
    p->log = NULL;
    p->text = NULL;
}

#endif /* TEST_GAME_H */

/*
 * Random games: each step makes a random move from a table with weights, then
 * all checks. The first fault ends a game, since later ones would follow from
 * it. It is printed with the notes of all moves.
 *
 *     struct game {
 *         struct play play;
 *         ...
 *     };
 *     static const struct game_move moves[] = {
 *         {"give", 5, play_give}, {"release", 2, play_release}, {0}};
 *     static game_fn *const checks[] = {check_sums, check_order, NULL};
 *     struct game g = {.play = {.moves = moves, .checks = checks}};
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

struct game; /* the objects of a test, defined there */

typedef void game_fn(struct game *g);

struct game_move {
    const char *name; /* NULL: the end of a table */
    unsigned weight;
    game_fn *make;
};

struct play {
    const struct game_move *moves;
    game_fn *const *checks; /* after each move; the last one is NULL */
    FILE *log;              /* the notes */
    char *text;
    size_t len;
    bool over; /* there was a fault */
};

/* Note a move, for the report of a fault. */
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

/* Return the notes. */
__attribute__((unused)) static const char *game_log(struct play *p)
{
    if (p->log)
        fflush(p->log);
    return p->text ? p->text : "";
}

/* Return `good`. The first false `good` is printed and ends the game. */
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

/* Return the number of steps that were made. */
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

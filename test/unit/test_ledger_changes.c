/*
 * Changes of records, compared with the naive ledger in a random game
 * (ledger_game.h): chosen pools are allocated, all or a part of a job is
 * released, and ends are moved, exactly if the naive ledger allows it. When
 * everything is released, the document has its first bytes again.
 */
#include "ledger_play.h"

/* Release everything and undo all states: the bytes are the first ones. */
static void end_game(struct game *g)
{
    char *end;

    for (int job = 0; job < JOBS; job++)
        release(g, job);
    for (int p = 0; p < g->world.n; p++) {
        if (g->naive.state[p] != STATE_UP)
            set_state(g, p, STATE_UP);
        if (g->naive.tagged[p])
            set_tag(g, p, false);
    }
    end = write_set(g->rs, FORM_AS_READ);
    check(g, BYTES, end && !strcmp(g->start, end),
          trouble("became %.200s", end));
    free(end);
}

static game_fn *const checks[] = {check_cells, go_on_with_copy, NULL};
static const struct subject subject = {
    .laws = {[FREE] = true, [TAKEN_BACK] = true, [TIME] = true, [BYTES] = true},
    .checks = checks,
    .end = end_game};

int main(void)
{
    return play_games(&subject);
}

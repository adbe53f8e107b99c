/*
 * Weights that prove that bins can't hold what is asked for.
 *
 * It is a game: one side chooses weights of the kinds, the other how the
 * bins are filled. What the bins can hold at some weights is one more way to
 * fill them, against all known ways the best weights are found by linear
 * programming, and so on until weights are found that no way can match, or
 * a mix of ways stands against all weights. Only numbers of kinds and ways
 * are in the program, however many bins there are.
 */
#include <math.h>

#include "schedule/packing.h"

enum { WAYS_MAX = 40, COLUMNS = WAYS_MAX + KINDS_MAX + 1 };

struct game {
    int kinds, ways;
    int of[KINDS_MAX]; /* which kinds are asked for */
    /* What each way lacks of each kind, of what is asked for. */
    double lack[WAYS_MAX][KINDS_MAX];
};

/* A simplex tableau: a row a kind, the costs below them. */
struct tableau {
    int rows, columns;
    double at[KINDS_MAX + 1][COLUMNS];
};

static void pivot(struct tableau *t, int row, int column)
{
    double by = t->at[row][column];

    for (int c = 0; c < t->columns; c++)
        t->at[row][c] /= by;
    for (int r = 0; r <= t->rows; r++) {
        double times = t->at[r][column];
        for (int c = 0; r != row && times != 0 && c < t->columns; c++)
            t->at[r][c] -= times * t->at[row][c];
    }
}

/* The row that bounds a column first, -1: none. */
static int bounding_row(const struct tableau *t, int column)
{
    int row = -1;
    double least = INFINITY;

    for (int r = 0; r < t->rows; r++) {
        double ratio = t->at[r][t->columns - 1] / t->at[r][column];
        if (t->at[r][column] > 1e-12 && ratio < least) {
            least = ratio;
            row = r;
        }
    }
    return row;
}

static void maximize(struct tableau *t)
{
    for (int steps = 0; steps < 200; steps++) {
        int column = 0, row;
        while (column < t->columns - 1 && t->at[t->rows][column] > -1e-12)
            column++;
        if (column == t->columns - 1 || (row = bounding_row(t, column)) < 0)
            return;
        pivot(t, row, column);
    }
}

/*
 * The weights at which every way lacks the most, and how much that is. Lacks
 * are made positive, and the program is the one of the other side.
 */
static double best_weights(const struct game *g, double *w)
{
    struct tableau t = {.rows = g->kinds, .columns = g->ways + g->kinds + 1};
    double least = 0, sum = 0;

    for (int j = 0; j < g->ways; j++)
        for (int i = 0; i < g->kinds; i++)
            least = fmin(least, g->lack[j][i]);
    for (int i = 0; i < g->kinds; i++) {
        for (int j = 0; j < g->ways; j++)
            t.at[i][j] = g->lack[j][i] - least + 1;
        t.at[i][g->ways + i] = 1;
        t.at[i][t.columns - 1] = 1;
    }
    for (int j = 0; j < g->ways; j++)
        t.at[g->kinds][j] = -1;
    maximize(&t);
    for (int i = 0; i < g->kinds; i++) {
        w[i] = fmax(t.at[g->kinds][g->ways + i], 0);
        sum += w[i];
    }
    for (int i = 0; i < g->kinds; i++)
        w[i] /= sum;
    return 1 / sum + least - 1;
}

/* As whole numbers, for what is asked for of each kind. */
static void whole_weights(const struct game *g, const struct supply *supply,
                          const double *w, int64_t *out)
{
    double largest = 0;

    for (int i = 0; i < KINDS_MAX; i++)
        out[i] = 0;
    for (int i = 0; i < g->kinds; i++)
        largest = fmax(largest, w[i]);
    for (int i = 0; i < g->kinds; i++)
        out[g->of[i]] = (int64_t)(w[i] / largest * supply->worth_max
                                  / (double)supply->need[g->of[i]]);
}

/* Do they say no? If not, the way that matches them is one more. */
static bool refute(struct game *g, const struct supply *supply,
                   const int64_t *w)
{
    double held[KINDS_MAX] = {0};
    int64_t most = supply->most(supply->arg, w, held), worth = 0;

    for (int i = 0; i < g->kinds; i++) {
        int64_t need = supply->need[g->of[i]];
        worth += w[g->of[i]] * need;
        g->lack[g->ways][i] = ((double)need - held[g->of[i]]) / (double)need;
    }
    g->ways++;
    return worth > most;
}

bool weights_find(const struct supply *supply, int64_t *w)
{
    double weights[KINDS_MAX];
    struct game g = {0};

    for (int i = 0; i < supply->n; i++)
        if (supply->need[i] > 0)
            g.of[g.kinds++] = i;
    for (int i = 0; i < g.kinds; i++)
        weights[i] = 1;
    while (g.kinds > 0 && g.ways < WAYS_MAX) {
        whole_weights(&g, supply, weights, w);
        if (refute(&g, supply, w))
            return true;
        if (best_weights(&g, weights) <= 1e-12)
            return false;
    }
    return false;
}

/* Finds near misses of words (near.h), by their distance in letters. */
#include "base/near.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 32 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters have to be changed, added or left out (Levenshtein). */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t row[WORD_MAX + 1];

    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t above = row[j];
            row[j] = least(corner + (a[i - 1] != b[j - 1]),
                           least(above, row[j - 1]) + 1);
            corner = above;
        }
    }
    return row[nb];
}

/* Of two letters or less nothing but the beginning says anything. */
static bool is_near(const char *a, size_t na, const char *b, size_t nb)
{
    size_t n = least(na, nb);

    if (n > 1 && !strncmp(a, b, n))
        return true;
    return n > 2 && na <= WORD_MAX && nb <= WORD_MAX
           && distance(a, na, b, nb) <= 2;
}

void near_try(struct near *near, const char *word)
{
    size_t n = strlen(near->text);

    if (is_near(near->word, near->len, word, strlen(word)))
        snprintf(near->text + n, sizeof(near->text) - n, "%s%s",
                 n ? ", " : "; near it: ", word);
}

#include "base/near.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"

enum { WORD_MAX = 32 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Return the number of letters to change, add, leave out or swap. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t d[WORD_MAX + 1][WORD_MAX + 1];

    for (size_t i = 0; i <= na; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= nb; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        for (size_t j = 1; j <= nb; j++) {
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                            least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[na][nb];
}

/* Short words may differ in only one letter: too many others are two letters
   away. */
static bool is_near(const char *a, size_t na, const char *b, size_t nb)
{
    size_t n = least(na, nb);

    if (n > 1 && !strncmp(a, b, n))
        return true;
    return n > 2 && na <= WORD_MAX && nb <= WORD_MAX
           && distance(a, na, b, nb) <= (n < 5 ? 1 : 2);
}

bool near_slip(const char *word, const char *other)
{
    size_t n = strlen(word), m = strlen(other);

    return least(n, m) > 3 && n <= WORD_MAX && m <= WORD_MAX && n <= m + 1
           && m <= n + 1 && distance(word, n, other, m) == 1;
}

static void add(char *text, size_t size, const char *before, const char *word)
{
    size_t n = strlen(text);

    snprintf(text + n, size - n, "%s%s", n ? ", " : before, word);
}

void near_try(void *arg, const char *word)
{
    struct near *near = arg;

    add(near->all, sizeof(near->all), "; there are ", word);
    if (is_near(near->word, near->len, word, strlen(word)))
        add(near->text, sizeof(near->text), "; near it: ", word);
}

const char *near_or_all(const struct near *near)
{
    return near->text[0] ? near->text : near->all;
}

int word_find(const void *table, size_t n, size_t size, const char *word)
{
    for (size_t i = 0; i < n; i++) {
        const char *const *at = (const void *)((const char *)table + i * size);
        if (*at && !strcmp(*at, word))
            return (int)i;
    }
    return -1;
}

int word_index(const char *text, const char *const *words, int n,
               struct diag *d)
{
    char list[160] = "";
    size_t len = 0;
    int found = word_find(words, (size_t)n, sizeof(*words), text);

    if (found >= 0)
        return found;
    for (int i = 0; i < n && len < sizeof(list); i++)
        len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
                                i == 0      ? ""
                                : i < n - 1 ? ", "
                                            : " or ",
                                words[i]);
    return diag_set(d, "%s: expected %s", quote_all(text).text, list);
}

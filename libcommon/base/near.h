/*
 * Near misses: find the known words that may have been meant.
 *
 *     struct near near = {.word = word, .len = len};
 *
 *     for (i = 0; i < n; i++)
 *         near_try(&near, words[i]);
 *     diag_set(d, "%s: no such key%s", quote(word, len).text, near.text);
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct diag;

struct near {
    const char *word;
    size_t len;
    char text[160]; /* "; near it: type, tag", or empty */
    char all[400];  /* "; there are name, tag, type", all words tried */
};

/* Return the near words, or all words tried if none is near. */
const char *near_or_all(const struct near *near);

/* Do two words of more than three letters differ by a single slip? */
bool near_slip(const char *word, const char *other);

/*
 * Add a word to the text of the struct near `arg` if it is near: one of the two
 * begins the other, or they differ in at most two letters (short words: one).
 */
void near_try(void *arg, const char *word);

/*
 * A function that is called with each word of a vocabulary, such as near_try():
 *
 *     policy_each(near_try, &near);
 */
typedef void word_fn(void *arg, const char *word);

/* Are `len` bytes this word? */
static inline bool word_is(const char *bytes, size_t len, const char *word)
{
    return strlen(word) == len && !memcmp(bytes, word, len);
}

/* Are two texts equal, or both NULL? */
static inline bool texts_equal(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Return the number of a word in a table, from 0; or -1. The table is an array
 * of words, or of structs that begin with one. NULL: no word.
 */
#define WORD_FIND(table, word)                                                 \
    word_find((table), sizeof(table) / sizeof((table)[0]), sizeof((table)[0]), \
              (word))
int word_find(const void *table, size_t n, size_t size, const char *word);

/* Return the number of a text among n words, from 0; or -1 with a diag that
   lists the words. */
int word_index(const char *text, const char *const *words, int n,
               struct diag *d);

#endif /* BASE_NEAR_H */

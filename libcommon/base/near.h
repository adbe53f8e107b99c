/*
 * Near misses: which of the words that there are may have been meant.
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

struct near {
    const char *word;
    size_t len;
    char text[160]; /* "; near it: type, tag", or empty */
    char all[400];  /* "; there are name, tag, type": all that were tried */
};

/* The near words, or all of them if there are none. */
const char *near_or_all(const struct near *near);

/* Is a word of some length just one slip away from another? */
bool near_slip(const char *word, const char *other);

/*
 * Add a word to the text of a struct near, which `arg` is, if it is near: one
 * of the two begins the other, or they are up to two letters apart, short ones
 * one.
 */
void near_try(void *arg, const char *word);

/*
 * Such a function is called with each word of a vocabulary: by near_try() the
 * near ones are found in a struct near.
 *
 *     policy_each(near_try, &near);
 */
typedef void word_fn(void *arg, const char *word);

#endif /* BASE_NEAR_H */

/*
 * A list of changes between two sets, for people to read: equal changes on many
 * ranks are one line, and so are equal changes of many pools under one parent.
 *
 *     - rank 7 (node7): core[46-47]
 *     ! rank[0-3] (node[0-3]): core0: free -> held by 12
 *     + /cluster0/rack[1-2]
 */
#ifndef COMPARE_CHANGES_H
#define COMPARE_CHANGES_H

#include <stdio.h>

#include "base/map.h"
#include "model/tree/rset.h"

/* Only in the first set, in both but changed, only in the second. */
enum change_sign { CHANGE_GONE, CHANGE_ALTERED, CHANGE_NEW };

struct change {
    enum change_sign sign;
    struct idset *ranks; /* NULL: not a matter of ranks */
    struct idset *shown; /* the ranks as people know them, when sorted */
    struct idset *ids;   /* of pools that it is about; NULL: none */
    const char *text;    /* what; the place before it if no ranks */
    char *made;          /* the text, if it was made when sorted */
    char *data; /* more members of it as data, `,"key":...`; NULL: none */
};

struct changes {
    struct change *list;
    size_t n;
    struct map index; /* number of a change + 1, by sign and text */
    uint32_t *old;    /* ranks of b as they were, if they were changed to
                         compare by host; see rset_adopt_ranks() */
};

void changes_fini(struct changes *c);

/* Add a change that is not a matter of ranks; printf style. */
void changes_add(struct changes *c, enum change_sign sign, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with more members as data, which are taken over. */
void changes_add_data(struct changes *c, enum change_sign sign, char *data,
                      const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Add a change on ranks, joined with equal ones. */
void changes_add_ranks(struct changes *c, enum change_sign sign,
                       const struct idset *ranks, const char *text);

/*
 * Add a change of a pool that is found by its path. The text is `before`, the
 * path, and `after` behind a colon unless it is "". Equal changes of sibling
 * pools are joined.
 */
void changes_add_pool(struct changes *c, enum change_sign sign,
                      const char *before, const struct vertex *v,
                      const char *after);

/* Sort: changes of the whole set, then by rank, then of pools by path. */
void changes_sort(struct changes *c, const struct rset *a,
                  const struct rset *b);

/*
 * Write sorted changes for people, or as data, with hosts from the set that has
 * the ranks:
 *
 *     {"same": false, "changes": [{"change": "gone", "ranks": "7",
 *      "hosts": "node7", "what": "core[46-47]"}, ...]}
 *
 * `change` is gone, altered or new. `colours` has the escape sequence that
 * begins each sign in a terminal, or is NULL.
 */
void changes_print(const struct changes *c, const struct rset *a,
                   const struct rset *b, bool json, const char *const *colours,
                   FILE *fp);

/* Write the number of changes in one line, or as data. */
void changes_sum(const struct changes *c, bool json, FILE *fp);

/*
 * Pools under one vertex, folded by name: `socket0/core[0-3],gpu0`.
 */
struct folded_pools {
    struct folded_pool {
        const char *stem; /* borrowed from the index */
        struct idset *ids;
    } * list;
    size_t n;
    struct map index;
};

void folded_fini(struct folded_pools *p);
/* Add a pool, `prefix` ("socket0/") before its name. */
void folded_add(struct folded_pools *p, const char *prefix,
                const struct vertex *v);
/* Return the text, with `after` behind it, for free(): `core[0-3]: free ->
 * held`.
 */
char *folded_text(const struct folded_pools *p, const char *after);

#endif /* COMPARE_CHANGES_H */

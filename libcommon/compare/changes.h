/*
 * A list of changes between two sets, for people to read. Equal changes on many
 * ranks share a line, and so do equal changes of many pools under one parent.
 *
 *     - rank 7 (node7): core[46-47]
 *     ! rank[0-3] (node[0-3]): core0: free -> held by 12
 *     + /cluster0/rack[1-2]
 */
#ifndef COMPARE_CHANGES_H
#define COMPARE_CHANGES_H

#include <jansson.h>
#include <stdio.h>

#include "base/map.h"
#include "model/tree/rset.h"

/* GONE: only in the first set; ALTERED: different; NEW: only in the second. */
enum change_sign { CHANGE_GONE, CHANGE_ALTERED, CHANGE_NEW };

struct change {
    enum change_sign sign;
    struct idset *ranks; /* NULL: no change on ranks */
    struct idset *shown; /* the ranks to show; set by changes_sort() */
    struct idset *ids;   /* ids of the pools that changed; NULL: none */
    const char *text;    /* begins with the place, if no ranks */
    char *made;          /* allocated text, set by changes_sort() */
    json_t *data;        /* more JSON members; NULL: none */
};

struct changes {
    struct change *list;
    size_t n;
    struct map index; /* of the changes, by sign and text */
    uint32_t *old;    /* former ranks of b, if compared by host */
};

void changes_fini(struct changes *c);

/* Add a change that is not on ranks (printf style). Returns it for its `data`;
   valid until the next change. */
struct change *changes_add(struct changes *c, enum change_sign sign,
                           const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a change on ranks. Equal changes are joined. */
void changes_add_ranks(struct changes *c, enum change_sign sign,
                       const struct idset *ranks, const char *text);

/*
 * Add a change of a pool that is found by its path. The text is `before`, the
 * path, and a colon and `after` unless that is "". Equal changes of sibling
 * pools are joined.
 */
void changes_add_pool(struct changes *c, enum change_sign sign,
                      const char *before, const struct vertex *v,
                      const char *after);

/* Sort: first changes of the whole set, then by rank, then of pools by path. */
void changes_sort(struct changes *c, const struct rset *a,
                  const struct rset *b);

/*
 * Write sorted changes for people, or as JSON. Hosts come from the set that has
 * the ranks:
 *
 *     {"same": false, "changes": [{"change": "gone", "ranks": "7",
 *      "hosts": "node7", "what": "core[46-47]"}, ...]}
 *
 * `change` is gone, altered or new. `colours` has the escape sequence for each
 * sign in a terminal, or is NULL.
 */
void changes_print(const struct changes *c, const struct rset *a,
                   const struct rset *b, bool json, const char *const *colours,
                   FILE *fp);

/* Return ranks for people, a new string: "rank 7", "rank[0-3]". */
char *ranks_text(const struct idset *ranks);

/* Put a set of ranks into a JSON object, and their hosts if they are known. */
void changes_put_ranks(json_t *object, const struct rset *rs,
                       const struct idset *ranks);

/* Write the numbers of changes in one line, for people or as JSON. */
void changes_sum(const struct changes *c, bool json, FILE *fp);

/*
 * Pools under one vertex, folded by name, `socket0/core[0-3],gpu0`: a map from
 * names without ids to sets of ids.
 */
void folded_fini(struct map *pools);
/* Add a pool with `prefix` ("socket0/") before its name. */
void folded_add(struct map *pools, const char *prefix, const struct vertex *v);
/* Return the text followed by `after`, a new string: `core[0-3]: free
   -> held`. */
char *folded_text(const struct map *pools, const char *after);

#endif /* COMPARE_CHANGES_H */

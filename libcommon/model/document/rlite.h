/*
 * R_lite (RFC 20, Execution): which ids of which types each rank has.
 *
 * An entry is an idset of ranks with one set of children. No two entries have
 * equal children: a hash of the children finds the entry to which ranks are
 * added. So adding n ranks costs n, and a million equal ranks are one entry.
 * Sets are written this way, and the halves of a document are compared so.
 */
#ifndef MODEL_DOCUMENT_RLITE_H
#define MODEL_DOCUMENT_RLITE_H

#include <jansson.h>

#include "base/map.h"
#include "model/tree/types.h"

/* The ids of each type; types are interned or live as long. */
struct lite_child {
    const char *type;
    struct idset *ids;
};
struct lite_children {
    struct lite_child *list;
    size_t n;
};

void lite_children_fini(struct lite_children *c);
/* The ids of a type, added empty if there are none yet. */
struct idset *lite_children_ids(struct lite_children *c, const char *type);
/* Take the ids of a type over, unless there are ids of it already. */
void lite_children_put(struct lite_children *c, const char *type,
                       struct idset *ids);
/* The ids of a type, NULL if there are none. */
const struct idset *lite_children_find(const struct lite_children *c,
                                       const char *type);
/* For people: `core[0-47],gpu[0-7]`, core first, then gpu, then by name. */
void lite_children_print(const struct lite_children *c, FILE *fp);
char *lite_children_text(const struct lite_children *c); /* for free() */

struct lite_entry {
    struct idset *ranks;
    struct lite_children children;
    const char *key; /* bytes that are equal if the children are */
    size_t keylen;
    uint32_t first; /* the lowest rank, of sorted entries */
    json_t *extra;  /* unknown keys, borrowed; NULL: none */
};

struct rlite {
    struct lite_entry *list;
    size_t n;
    struct map keys; /* the number of an entry + 1 */
    char *key;       /* room to make a key in */
    size_t room;
    bool unknown; /* to be told apart by unknown keys, too (unknown.h) */
};

void rlite_fini(struct rlite *rl);

/* Add ranks with their children, which it takes over (types without ids are
   left out), and unknown keys, which must live as long (NULL: none). */
void rlite_add(struct rlite *rl, const struct idset *ranks,
               struct lite_children *children, json_t *extra);

/* Order entries by their lowest rank. After it nothing can be added. */
void rlite_sort(struct rlite *rl);

/* The entry of a rank; NULL if there is none. */
const struct lite_entry *rlite_find(const struct rlite *rl, int64_t rank);

/*
 * Write the JSON list: types in the order above, in EXECUTION always with
 * `core`. Ranks without children stand for the targets themselves in a RECORD,
 * which leaves `children` out; in a CLAIM the job's R lists nothing of them.
 */
enum rlite_use { RLITE_EXECUTION, RLITE_RECORD, RLITE_CLAIM };
void rlite_write(const struct rlite *rl, enum rlite_use use, FILE *fp);

/* Write the member of an object that is a set (NULL: empty), behind `sep`. */
void rlite_write_ids(FILE *fp, const char *sep, const char *key,
                     const struct idset *ids);

/* Are the children of two entries equal? Are two that are sorted? */
bool lite_children_equal(const struct lite_entry *a,
                         const struct lite_entry *b);
bool rlite_equal(const struct rlite *a, const struct rlite *b);

/*
 * Make the R_lite of a set: its targets with the ids of core, gpu and the types
 * in rs->types below them; with `unknown` also unknown keys of their entries.
 * -1 with a diag if a target has a pool without an id, or an id twice.
 */
int rlite_project(struct rlite *rl, const struct rset *rs, struct diag *d);

/* Add one target; *at is the vertex at fault. */
int rlite_add_target(struct rlite *rl, const struct rset *rs,
                     const struct vertex *target, const struct vertex **at,
                     struct diag *d);

/* Its children alone. */
int lite_children_project(const struct rset *rs, const struct vertex *target,
                          struct lite_children *children,
                          const struct vertex **at, struct diag *d);

/* Build the tree of an R without a graph, of runs. Takes the contents over. */
void rlite_build(struct rset *rs, struct rlite *rl);

#endif /* MODEL_DOCUMENT_RLITE_H */

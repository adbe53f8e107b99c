/*
 * R_lite (RFC 20, Execution): the ids of each type that each rank has.
 *
 * An entry is an idset of ranks with one set of children. No two entries have
 * equal children: a hash of the children finds the entry to which ranks are
 * added. So adding n ranks costs n, and a million equal ranks are one entry.
 * Sets are written this way, and the halves of a document are compared this
 * way.
 */
#ifndef MODEL_DOCUMENT_RLITE_H
#define MODEL_DOCUMENT_RLITE_H

#include <jansson.h>

#include "base/map.h"
#include "model/tree/types.h"

/* The ids of each type. Types are interned, or live as long as the list. */
struct lite_child {
    const char *type;
    struct idset *ids;
};
struct lite_children {
    struct lite_child *list;
    size_t n;
};

void lite_children_fini(struct lite_children *c);
/* Return the ids of a type, added empty if there are none yet. */
struct idset *lite_children_ids(struct lite_children *c, const char *type);
/* Add the ids of a type that has none yet. Takes the ids over. */
void lite_children_put(struct lite_children *c, const char *type,
                       struct idset *ids);
/* Return the ids of a type, or NULL. */
const struct idset *lite_children_find(const struct lite_children *c,
                                       const char *type);
/* Print for people: `core[0-47],gpu[0-7]`, core first, then gpu, then by
   name. */
void lite_children_print(const struct lite_children *c, FILE *fp);
char *lite_children_text(const struct lite_children *c); /* for free() */

struct lite_entry {
    struct idset *ranks;
    struct lite_children children;
    const char *key; /* bytes that are equal if the children are */
    size_t keylen;
    uint32_t first; /* lowest rank, once sorted */
    json_t *extra;  /* unknown keys, borrowed; NULL: none */
};

struct rlite {
    struct lite_entry *list;
    size_t n;
    struct map keys; /* number of an entry + 1 */
    char *key;       /* buffer for a key */
    size_t room;
    bool unknown; /* entries also differ by unknown keys (unknown.h) */
};

void rlite_fini(struct rlite *rl);

/* Add ranks with their children, which are taken over (types without ids are
   left out), and unknown keys (NULL: none), which must live as long. */
void rlite_add(struct rlite *rl, const struct idset *ranks,
               struct lite_children *children, json_t *extra);

/* Sort entries by their lowest rank. Nothing can be added afterwards. */
void rlite_sort(struct rlite *rl);

/* Return the entry of a rank, or NULL. */
const struct lite_entry *rlite_find(const struct rlite *rl, int64_t rank);

/*
 * Write the JSON list, with types in the order above. RLITE_EXECUTION always
 * writes `core`. Ranks without children: RLITE_RECORD leaves out `children`,
 * which means the targets themselves; RLITE_CLAIM writes an empty object, which
 * means that the job's R lists nothing in them.
 */
enum rlite_use { RLITE_EXECUTION, RLITE_RECORD, RLITE_CLAIM };
void rlite_write(const struct rlite *rl, enum rlite_use use, FILE *fp);

/* Write a member that is a set (NULL: empty), after `sep`. */
void rlite_write_ids(FILE *fp, const char *sep, const char *key,
                     const struct idset *ids);

/* Return whether the children of two entries are equal; whether two sorted
   lists are. */
bool lite_children_equal(const struct lite_entry *a,
                         const struct lite_entry *b);
bool rlite_equal(const struct rlite *a, const struct rlite *b);

/*
 * Make the R_lite of a set: its targets with the ids of core, gpu and the types
 * in rs->types below them. If rl->unknown, unknown keys of entries count, too.
 * Returns -1 with a diag if a target has a pool without an id, or one id twice.
 */
int rlite_project(struct rlite *rl, const struct rset *rs, struct diag *d);

/* Add one target. After a fault *at (unless NULL) is the vertex that has
   it. */
int rlite_add_target(struct rlite *rl, const struct rset *rs,
                     const struct vertex *target, const struct vertex **at,
                     struct diag *d);

/* Add the children of a target to `children`, like rlite_project(). */
int lite_children_project(const struct rset *rs, const struct vertex *target,
                          struct lite_children *children,
                          const struct vertex **at, struct diag *d);

/* Build the tree of an R without a graph, from runs. Takes the contents of rl
   over. */
void rlite_build(struct rset *rs, struct rlite *rl);

#endif /* MODEL_DOCUMENT_RLITE_H */

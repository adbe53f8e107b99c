/*
 * The common form of resource requests: from flux-run's short options, from a
 * shape (RFC 46) or from a jobspec (RFC 14, 25).
 *
 * A request is a forest of request vertices, like `resources` of RFC 14. Each
 * has a type, a count, and the vertices that it has to contain.
 * schedule/match.h says how it is matched.
 */
#ifndef REQUEST_REQUEST_H
#define REQUEST_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "request/constraint.h"
#include "set/idset.h"
#include "set/range.h"

/*
 * The largest number in a count, as in deployed readers. request_count_most()
 * returns the limit for a unit (NULL: none); it is higher for bytes.
 */
#define REQUEST_COUNT_MAX UINT32_C(2147483647)
uint64_t request_count_most(const char *unit);

/* Resources nested deeper than this are refused, and so are more of them: a
   search looks at each of them in each node, and requests come from anybody. */
#define REQUEST_DEPTH_MAX 100
#define REQUEST_ENTRIES_MAX 128

/*
 * The acceptable counts: a set, or a range (RFC 14, 45). A set has at least two
 * runs: `2-5` is always a range, in whatever form it was written. If only one
 * count is acceptable, it is a range with min == max.
 */
struct request_count {
    struct idset *set;  /* not NULL: any of these */
    struct range range; /* otherwise: any in this range */
};

/* An optional boolean of a request. */
enum tristate { UNSET = -1, NO = 0, YES = 1 };

struct request_vertex {
    char *type; /* "slot" is the grouping of RFC 14 */
    struct request_count count;
    enum tristate exclusive;     /* as written; UNSET: RFC 14's default */
    char *unit;                  /* NULL: none */
    char *id;                    /* NULL: none */
    char *label;                 /* slots have one; others may: NULL: none */
    struct request_vertex *with; /* first child, or NULL */
    struct request_vertex *next; /* next sibling */
};

struct request {
    struct request_vertex *resources; /* never NULL */
    double duration;                  /* seconds; 0: unset */
    struct constraint *constraint;    /* RFC 31; NULL: none */
};

/* flux-run's short options, as given; see request_from_options(). */
struct request_options {
    uint64_t nodes;          /* -N; 0: not given */
    uint64_t nslots;         /* -n; 0: not given */
    uint64_t cores_per_slot; /* -c; 0: not given */
    uint64_t gpus_per_slot;  /* -g; 0: none */
    bool exclusive;          /* -x */
};

void request_destroy(struct request *req); /* NULL is allowed */

/* Explain why a set can never satisfy a request: as constraint_unknown(), for
   its types and its constraint. */
char *request_unknown(const struct request *req, const struct rset *rs);

bool request_is_slot(const struct request_vertex *v);

/* Return the value of a fixed count, or 0 if several counts are acceptable. */
uint64_t request_count_fixed(const struct request_count *count);
/* Return the least acceptable count; the largest one up to `limit`, or 0 if
   there is none. */
uint64_t request_count_min(const struct request_count *count);
uint64_t request_count_largest(const struct request_count *count,
                               uint64_t limit);

/* Describe a request vertex for people: "4 nodes with 8 gpus", "2-6 slots of 1
   core"; or also its `siblings`: "1 node and 2 licenses". Returns a new string
   for free(). */
char *request_words(const struct request_vertex *v, bool siblings);

/*
 * Make a request from flux-run's short options: `-n` slots (default 1) of `-c`
 * cores (default 1) and `-g` gpus. With `-N` the slots are spread evenly,
 * rounded up, over that many nodes. `-N` without `-n` means one slot per node
 * and whole nodes. `-x` makes the nodes exclusive and needs `-N`. Returns a new
 * request, or NULL with a diag: -x without -N, or fewer slots than nodes.
 */
struct request *request_from_options(const struct request_options *opts,
                                     struct diag *d);

/*
 * Make a request from a shape, with the whole grammar of RFC 46. Returns NULL
 * with a diag that has the offset and the offending text: `offset 7: ...`.
 */
struct request *request_from_shape(const char *text, struct diag *d);

/*
 * Make a request from a canonical jobspec (borrowed), checked by all rules of
 * RFC 14. Returns NULL with a diag that has the JSON path of the first fault:
 * `resources[0].with[1].count.max: ...`.
 */
struct request *request_from_jobspec(const json_t *jobspec, struct diag *d);

/*
 * Make a request from a jobspec file, JSON or YAML ("-" is standard input). It
 * contains exactly one document. Returns NULL with a diag.
 */
struct request *request_from_file(const char *path, struct diag *d);

/* Make a request from `len` bytes of text, JSON or YAML. Returns NULL with a
   diag, which has no source. */
struct request *request_from_text(const char *text, size_t len, struct diag *d);

#endif /* REQUEST_REQUEST_H */

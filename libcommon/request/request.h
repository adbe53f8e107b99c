/*
 * What is asked for: the one form of a resource request, whether it came as
 * flux-run's short options, as a shape (RFC 46) or as a jobspec (RFC 14, 25).
 *
 * A request is a forest of request vertices, each a type with a count and
 * the vertices it is asked to contain, as `resources` of RFC 14. It says
 * nothing of how it is matched; see schedule/match.h.
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
 * The largest number that may stand in a count, as deployed readers have it;
 * and in one of a unit (NULL: none), which of bytes are more.
 */
#define REQUEST_COUNT_MAX UINT32_C(2147483647)
uint64_t request_count_most(const char *unit);

/* Resources nested deeper than this are refused. */
#define REQUEST_DEPTH_MAX 100

/*
 * How many: a set of acceptable counts, or a range (RFC 14, 45). A set has
 * at least two runs: `2-5` is a range however it was written, and where only
 * one value is acceptable, min == max.
 */
struct request_count {
    struct idset *set;  /* not NULL: one of these */
    struct range range; /* otherwise: in this range; fixed if min == max */
};

/* An optional boolean of a request. */
enum tristate { UNSET = -1, NO = 0, YES = 1 };

struct request_vertex {
    char *type; /* "slot" is the grouping of RFC 14 */
    struct request_count count;
    enum tristate exclusive;     /* as written; UNSET takes RFC 14's default */
    char *unit;                  /* NULL: none */
    char *id;                    /* NULL: none */
    char *label;                 /* slots have one; others may: NULL: none */
    struct request_vertex *with; /* first child; NULL: the request ends here */
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

/* The same as constraint_unknown(), of its types and its constraint. */
struct rset;
char *request_unknown(const struct request *req, const struct rset *rs);

bool request_is_slot(const struct request_vertex *v);

/* A fixed count: its value; 0 if several counts are acceptable. */
uint64_t request_count_fixed(const struct request_count *count);
/* The least acceptable count; the largest up to `limit` (0: none). */
uint64_t request_count_min(const struct request_count *count);
uint64_t request_count_largest(const struct request_count *count,
                               uint64_t limit);

/*
 * What an entry asks for, for people: "4 nodes with 8 gpus", "2-6 slots of 1
 * core". A new string for free().
 */
char *request_words(const struct request_vertex *v);

/*
 * The request that flux-run's short options make: `-n` slots (1 unless
 * given) of `-c` cores (1 unless given) and `-g` gpus. With `-N` the slots
 * are spread evenly, rounded up, over that many nodes; `-N` without `-n` is
 * a slot a node and whole nodes; `-x` makes the nodes exclusive and needs
 * `-N`. Returns a new request; or NULL with a diag: -x without -N, or fewer
 * slots than nodes.
 */
struct request *request_from_options(const struct request_options *opts,
                                     struct diag *d);

/*
 * RFC 46: a new request from a shape, the whole grammar. NULL with a diag
 * that has the offset and the offending text: `offset 7: ...`.
 */
struct request *request_from_shape(const char *text, struct diag *d);

/*
 * RFC 14: a new request from a canonical jobspec that was read into a JSON
 * value (borrowed). All the rules of RFC 14 are checked, the diag has the
 * JSON path of the first fault: `resources[0].with[1].count.max: ...`.
 * With `v1` the rules of RFC 25 too.
 */
struct request *request_from_jobspec(const json_t *jobspec, bool v1,
                                     struct diag *d);

/*
 * Read a jobspec file ("-" is standard input), JSON or YAML, and make a
 * request of it. Exactly one document.
 */
struct request *request_from_file(const char *path, bool v1, struct diag *d);

/* The same of `len` bytes of text; a fault has no source. */
struct request *request_from_text(const char *text, size_t len, bool v1,
                                  struct diag *d);

#endif /* REQUEST_REQUEST_H */

/* Inside validation: places, rules, and what its parts know of each other. */
#ifndef MODEL_VALIDATE_PRIVATE_H
#define MODEL_VALIDATE_PRIVATE_H

#include "model/rlite.h"
#include "model/validate.h"

/* The rules; what they are is in the table in validate_rules.c. */
enum rule {
    RULE_WRONG_TYPE,
    RULE_KEY_MISSING,
    RULE_NO_DOCUMENT,
    RULE_VERSION,
    RULE_HALF_MISSING,
    RULE_RESERVED_KEY,
    RULE_RLITE_OBJECT,
    RULE_IDSET,
    RULE_RANK_TWICE,
    RULE_CORE_MISSING,
    RULE_NODELIST_MISSING,
    RULE_HOSTLIST,
    RULE_NODELIST_COUNT,
    RULE_PROPERTY_NAME,
    RULE_PROPERTY_RANK,
    RULE_TIME,
    RULE_TIMES_ORDER,
    RULE_TIME_ZERO,
    RULE_NSLOTS,
    RULE_WRITER,
    RULE_GRAPH_TWICE,
    RULE_GRAPH_PLACE,
    RULE_SHORTHAND,
    RULE_HYPEREDGES,
    RULE_GRAPH_KEY_MISSING,
    RULE_EDGES_MISSING,
    RULE_NODES_OBJECT,
    RULE_INTEGER_ID,
    RULE_VERTEX_ID_TWICE,
    RULE_VERTEX_KEY_MISSING,
    RULE_VERTEX_TYPE,
    RULE_NUMBER,
    RULE_NAME,
    RULE_DEFAULT_NAME,
    RULE_UUID_TWICE,
    RULE_STATE,
    RULE_TAG,
    RULE_TAGS_SHAPE,
    RULE_PROPERTIES_LIST,
    RULE_PROPERTY_VALUE,
    RULE_PATH_TYPE,
    RULE_PATH_DIFFERS,
    RULE_EDGE_WORDS,
    RULE_EDGE_METADATA,
    RULE_EDGE_DANGLING,
    RULE_EDGE_SELF,
    RULE_EDGE_DIFFERS,
    RULE_TWO_PARENTS,
    RULE_TWO_ROOTS,
    RULE_NO_ROOT,
    RULE_CYCLE,
    RULE_UNREACHABLE,
    RULE_DEPTH,
    RULE_SIBLING_TWICE,
    RULE_RANK_DIFFERS,
    RULE_NODE_RANK_TWICE,
    RULE_HOST_NAME,
    RULE_GRAPH_ID,
    RULE_HALVES_DISAGREE,
    RULE_HOSTS_DISAGREE,
    RULE_JOB,
    RULE_SHARED_UNITS,
    RULE_SPAN,
    RULE_RECORD_RANK,
    RULE_RECORD_ID,
    RULE_RECORD_HOLDS,
    RULE_OVERSUBSCRIBED,
    RULE_OVERRESERVED,
    RULE_BELOW_EXCLUSIVE,
    RULE_IMPLIED,
    RULE_EXCLUSIVE_SHARED,
    RULE_EXCLUSIVE_PARTIAL,
    RULE_SHARED_MISSING,
    RULE_STALE_LOCK,
    RULES
};
extern const struct fault_rule rules[RULES];

/*
 * Where something stands in the document: a key, or a number in a list, in
 * what is around it. Places live on the stack; text is made of one only when
 * there is a fault.
 */
struct place {
    const struct place *up; /* NULL: the document */
    const char *key;        /* NULL: a list's element */
    size_t index;
};
#define IN_KEY(around, name) (&(struct place){.up = (around), .key = (name)})
#define IN_LIST(around, i) (&(struct place){.up = (around), .index = (i)})

/* A document while it is checked. */
struct check {
    struct faults *out;
    size_t refused; /* faults of that level so far */
    struct strtab names;
    struct arena arena; /* records */
    bool failed;        /* memory ran out */
};

/* Tell a fault, printf style. */
void fault(struct check *c, enum rule rule, const struct place *at,
           const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Tell what a function of the library said, unless memory ran out. */
void fault_diag(struct check *c, enum rule rule, const struct place *at,
                const struct diag *d);

/* Is a value (NULL: the key is missing) an object, a list? If not: a fault. */
bool need_object(struct check *c, const json_t *value, const struct place *at);
bool need_list(struct check *c, const json_t *value, const struct place *at);

/* Keys of an object beyond those that are known: readers carry them. */
void check_unknown(struct check *c, const json_t *object,
                   const char *const *known, const struct place *at);

/* An idset in a string; NULL if it is none, which is told. */
struct idset *need_idset(struct check *c, const json_t *value,
                         const struct place *at);

/* A number of seconds that is not negative, into *out. */
bool need_time(struct check *c, const json_t *value, double *out,
               const struct place *at);

/* --- R ------------------------------------------------------------------ */

/* The execution half, as far as it was understood. */
struct half {
    bool there;
    bool sound;        /* R_lite was understood, all of it */
    bool ranked;       /* its ranks were */
    struct rlite lite; /* only if it is sound */
    struct idset *ranks;
    struct hostlist *hosts; /* NULL: not known */
    struct strtab types;    /* that R_lite speaks of */
    const json_t *properties;
};

void check_execution(struct check *c, const json_t *value, struct half *half,
                     const struct place *at);
void half_fini(struct half *half);

/* An entry of an R_lite; false if it was not understood. */
bool check_lite_entry(struct check *c, const json_t *value, bool record,
                      struct idset **ranks, struct lite_children *children,
                      const struct place *at);

/* Do properties name ranks that are there? */
void check_properties(struct check *c, const struct half *half,
                      const struct idset *ranks, const struct place *at);

/* Records in an R without a graph: `scheduler` is the object that has them. */
void check_marks(struct check *c, const json_t *scheduler,
                 const struct half *half, const struct place *at);

/* --- records ------------------------------------------------------------ */

/* A job's hold on some units, from start to end. */
struct hold {
    const char *job; /* interned */
    int64_t size;
    double start, end; /* TIME_UNSET */
    enum claim_kind kind;
    size_t index; /* in its list */
};

struct pool_records {
    struct hold *holds;
    size_t nholds;
    struct hold *whole; /* those of all of the pool, by their starts */
    size_t nwhole;
    const char **shared;
    size_t nshared;
    const char *staged; /* NULL: it is not locked */
    bool faulty;        /* not all holds were understood */
};

/* A job's name, interned; NULL if it is none, which is told. */
const char *check_job(struct check *c, const json_t *value,
                      const struct place *at);
/* `owner` of an entry, if it has one. */
void check_owner(struct check *c, const json_t *entry, const struct place *at);
/* `start` and `end` of an entry. */
void check_span(struct check *c, const json_t *entry, struct hold *hold,
                const struct place *at);
/* The records in the metadata of a vertex; NULL if there are none. */
struct pool_records *check_pool_records(struct check *c, const json_t *metadata,
                                        const struct place *at);

/* Do two holds overlap in time? */
bool holds_overlap(const struct hold *a, const struct hold *b);

/*
 * Is there a moment at which more than `size` units are held? Then it is in
 * *when, with the first hold that is too much, and how many units there are
 * with it. Holds are put in the order of their starts. -1: no memory.
 */
struct excess {
    const struct hold *hold;
    uint64_t units;
};
int holds_excess(struct hold *holds, size_t n, int64_t size,
                 struct excess *when);
void holds_sort(struct hold *holds, size_t n);

/*
 * Of holds of all of something, in the order of their starts, one that
 * overlaps with another in time, or NULL: the last that starts before the end
 * of the other. What is before it has ended, unless there are too many of
 * them, which is told anyway.
 */
const struct hold *holds_meeting(const struct hold *whole, size_t n,
                                 const struct hold *hold);

/* " at TIME" of a hold's start, or "". */
const char *hold_moment(const struct hold *hold, char buf[48]);

/* --- graph -------------------------------------------------------------- */

/* A vertex of the graph. */
struct pool {
    const char *id; /* NULL: it has none that others could use */
    size_t place;   /* its number in `nodes` */
    const char *type, *basename, *name; /* NULL: not known */
    const char *path;                   /* that it says it has, or NULL */
    const char *relationship;           /* of the edge from its parent */
    int64_t number, rank, size;
    struct pool *parent, *child, *next;
    struct pool *target; /* the execution target that it lies in */
    struct pool *above;  /* the nearest pool above that a job holds whole */
    struct pool_records *records;
    uint64_t hash; /* of its path by the edges; 0: not known */
    size_t walk;   /* in the search for circles */
    int depth;
    bool exclusive;
    bool linked; /* has an edge outside of containment */
    bool orphan; /* its edge was faulty: that it has no parent is no news */
    bool met;    /* in a walk from a root */
};

struct graph {
    struct check *c;
    const struct place *at;
    bool there, sound;
    bool keyed; /* `nodes` is an object */
    struct pool *list;
    size_t n;
    struct map ids, uuids, edges;
    struct pool **order; /* those in a tree, from the root down */
    size_t norder;
    struct map targets; /* from rank to pool */
    struct idset *ranks;
};

void check_graph(struct graph *g, const json_t *value);
void graph_fini(struct graph *g);

/* A vertex's metadata. */
void check_vertex(struct graph *g, struct pool *p, const json_t *metadata,
                  const struct place *at);
/* The edges. */
void check_edges(struct graph *g, const json_t *edges);
/* What the edges make of the vertices. */
void check_tree(struct graph *g);
/* Records of all pools against each other. */
void check_records(struct graph *g);
/* Tell a fault of a vertex, at its metadata's `key`; NULL: at the vertex. */
void pool_fault(struct graph *g, const struct pool *p, enum rule rule,
                const char *key, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* What messages call a vertex: its name, or the outer id. */
struct quoted pool_quote(const struct pool *p);

/* Do the halves say the same? Both are sound. */
void check_halves(struct graph *g, const struct half *half);

#endif /* MODEL_VALIDATE_PRIVATE_H */

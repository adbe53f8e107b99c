/*
 * Inside the reading of documents: how its parts report faults and read JSON.
 *
 * Reading and validating use the same reader. It reports each fault with its
 * rule and place to fault(), and continues with a default, or without the
 * value. If a set is read, the first fault of FAULT_REFUSED goes to the diag
 * and sets `ended`; then loops end, and later faults are dropped. If a document
 * is validated, all faults go into a list. So each part is written once, and
 * returns no errors:
 *
 *     static void read_size(struct reader *r, const json_t *value,
 *                           struct vertex *v, const struct place *at)
 *     {
 *         need_integer(r, value, 0, &v->size, at);
 *     }
 */
#ifndef MODEL_DOCUMENT_READER_H
#define MODEL_DOCUMENT_READER_H

#include "base/near.h"
#include "base/stream.h"
#include "model/document/document.h"
#include "model/document/faults.h"
#include "model/records/jobs.h"

/* The rules, in the order of rset-documents(5), which describes them. */
enum rule {
    RULE_WRONG_TYPE,
    RULE_KEY_MISSING,
    RULE_NO_DOCUMENT,
    RULE_VERSION,
    RULE_HALF_MISSING,
    RULE_RESERVED_KEY,
    RULE_KEY_SLIP,
    RULE_KEY_PLACE,
    RULE_RLITE_OBJECT,
    RULE_NULL,
    RULE_IDSET,
    RULE_UNIT_TWICE,
    RULE_CORE_MISSING,
    RULE_NODELIST_MISSING,
    RULE_HOSTLIST,
    RULE_NODELIST_COUNT,
    RULE_HOST_TWICE,
    RULE_PROPERTY_NAME,
    RULE_PROPERTY_RANK,
    RULE_TIME,
    RULE_TIMES_ORDER,
    RULE_TIME_ZERO,
    RULE_TIME_PRECISION,
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
    RULE_RECORDS_BESIDE,
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
    RULE_WAITING,
    RULES
};
extern const struct fault_rule rules[RULES];

/* A place in the document: a key or an index in the place around it. Places are
   on the stack; only a fault makes text of one. */
struct place {
    const struct place *up; /* NULL: the document */
    const char *key;        /* NULL: an element of a list */
    size_t index;
    const json_t *among; /* object of a key that may be missing, or NULL */
};
#define IN_KEY(around, name) (&(struct place){.up = (around), .key = (name)})
#define IN_OBJECT(around, object, name) \
    (&(struct place){.up = (around), .key = (name), .among = (object)})
#define IN_LIST(around, i) (&(struct place){.up = (around), .index = (i)})

/* A document that is being read. */
struct reader {
    struct stream *s;
    struct rset *rs;
    struct map jobs;       /* names of jobs and owners */
    struct faults *faults; /* list of all; NULL: stop at the first */
    struct diag *d;
    enum trust trust;
    size_t refused; /* faults of FAULT_REFUSED so far */
    bool ended;     /* a fault in `d` ended reading */
};

/* Report a fault (printf style). */
void fault(struct reader *r, enum rule rule, const struct place *at,
           const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Report that a value is wrong: the text is the value, a colon and `what`. */
void fault_value(struct reader *r, enum rule rule, const struct place *at,
                 const json_t *value, const char *what);

/* Refuse an object with a `version` above 1: a later program wrote it. */
void need_version(struct reader *r, const json_t *object,
                  const struct place *at);

/* Return whether faults of a level are reported. */
bool reader_reports(const struct reader *r, enum fault_level level);

/* --- the stream ---------------------------------------------------------- */

/* Enter an object or array. If it is none of `kinds`, reports a fault, skips
   the value and returns false. */
bool read_enter(struct reader *r, struct stream_level *level, const char *kinds,
                const struct place *at);

/* Step to the next key or element; false at the end, or if reading ended. */
bool read_key(struct reader *r, struct stream_level *level, const char **key);
bool read_item(struct reader *r, struct stream_level *level);

/* Return the next value, a new reference; NULL: reading ended. */
json_t *read_value(struct reader *r);

/* --- keys ---------------------------------------------------------------- */

/* Return a hint for a message that an object (NULL: none) lacks a key: a
   similar key, or nothing. */
struct near near_key(const json_t *object, const char *key);

/* Report unknown keys of an object that look like misspelt known keys (a list
   that ends with NULL), if the object lacks the known key. */
void report_typos(struct reader *r, const json_t *object,
                  const char *const *known, const struct place *at);

/* Report a key that has no effect because its place is `home`. */
void report_place(struct reader *r, const char *key, const char *home,
                  const struct place *at);

/* Report each of `keys` (a list that ends with NULL) that an object has. */
void report_places(struct reader *r, const json_t *object,
                   const char *const *keys, const char *home,
                   const struct place *at);

/* --- values -------------------------------------------------------------- */

/* Check that a value (NULL: the key is missing) has a type. Otherwise report a
   fault and return false or NULL. */
bool need_object(struct reader *r, const json_t *value, const struct place *at);
bool need_list(struct reader *r, const json_t *value, const struct place *at);
const char *need_string(struct reader *r, const json_t *value,
                        const struct place *at);
bool need_integer(struct reader *r, const json_t *value, int64_t least,
                  int64_t *out, const struct place *at);

/* Check that a value is a number of seconds, not negative, and set *out. */
bool need_time(struct reader *r, const json_t *value, double *out,
               const struct place *at);

/* Return a new idset from a string, or NULL after a fault. */
struct idset *need_idset(struct reader *r, const json_t *value,
                         const struct place *at);

/* Report the first id that is not in `known`: "rank 7 WHAT". */
void require_known(struct reader *r, const struct idset *ids,
                   const struct idset *known, enum rule rule, const char *what,
                   const struct place *at);

/* Return the name of a job, interned in r->jobs, or NULL after a fault. */
const char *need_job(struct reader *r, const json_t *value,
                     const struct place *at);

/* Read the term of a claim from the keys of an object. */
struct term term_read(struct reader *r, const json_t *entry,
                      const struct place *at);

/* Report all keys of an object as reserved, with a reason. */
void reserve_keys(struct reader *r, const json_t *object,
                  const struct place *at, const char *reason);

/* Return the unknown keys of an object in a new object (NULL: none), and report
   them as reserved. */
json_t *unknown_of(struct reader *r, const json_t *object,
                   const char *const *known, const struct place *at);

#endif /* MODEL_DOCUMENT_READER_H */

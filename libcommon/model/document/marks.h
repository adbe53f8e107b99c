/*
 * Marks: the records of an R without a graph. They are under
 * attributes.system.scheduler (free-form by RFC 20), each with its resources in
 * the form of R_lite:
 *
 *     "allocations": [{"job": 7, "R_lite": [{"rank": "0-1", "children":
 *                      {"core": "0-3"}}], "holds": "1", "start": 1700000000}]
 *     "reservations": [{"job": 8, "R_lite": [...], "start": 1800000000}]
 *     "shared": [{"job": 7, "R_lite": [...]}]
 *     "staged": [{"job": 7, "R_lite": [...]}]
 *     "states": [{"state": "down", "R_lite": [{"rank": "5"}]}]
 *     "tags": [{"tag": "row", "value": "B", "R_lite": [{"rank": "0-7"}]}]
 *     "exclusive": "3-5"
 *     "holds": "0-1"
 *
 * A tag need not have a value. An entry without `children` means the targets
 * themselves; in a claim, the targets with all contents. With `"children": {}`
 * a job holds the targets, but its R lists nothing in them. `holds` in a record
 * are ranks that the job holds whole, even if its R_lite lists less.
 * `exclusive` are ranks that must be taken whole (RFC 4's exclusive flag).
 * `holds` beside it, in the R of a job, are ranks that this job holds whole.
 */
#ifndef MODEL_DOCUMENT_MARKS_H
#define MODEL_DOCUMENT_MARKS_H

#include <jansson.h>

#include "base/json.h"
#include "model/tree/rset.h"

struct place;
struct reader;
struct term;

/* The lists of records. */
enum mark_kind {
    MARK_ALLOCATION,
    MARK_RESERVATION,
    MARK_SHARED,
    MARK_STAGED,
    MARK_STATE,
    MARK_TAG,
    MARK_KINDS
};

/* The text of a list in the document. */
struct mark_text {
    char *text; /* NULL: missing */
    size_t len;
    struct text_place from; /* in the source */
};

struct mark_words {
    const char *key;  /* of the list */
    const char *name; /* the key of its subject: job, state or tag */
};
extern const struct mark_words mark_words[MARK_KINDS];

/* Return the list with a key, or MARK_KINDS; the list for grants of a term. */
enum mark_kind mark_list(const char *key);
enum mark_kind mark_of_term(const struct term *t);

/*
 * Read the keys above, and remove them from the scheduler's object. The lists
 * are read from their texts in the order of mark_kind; the texts are freed. If
 * the set is `sound`, checks records against it, and puts them into it if there
 * are no faults. Otherwise checks only each record.
 */
void marks_read(struct reader *r, struct mark_text *texts, json_t *scheduler,
                bool sound, const struct place *at);

/* Read the keys of a sound set with a graph, and put the records into it. */
void marks_join(struct reader *r, struct mark_text *texts, json_t *scheduler,
                const struct place *at);

/* Return whether a key is one of the keys above; whether the scheduler's object
   has any. */
bool is_mark_key(const char *key);
bool marks_there(const json_t *scheduler);

/* Remove these keys from the scheduler's object. */
void marks_drop_keys(json_t *scheduler);

/*
 * Check that an R without a graph can express all claims of a set. It names a
 * pool only as a whole, so two jobs with parts of a pool would both hold all of
 * it. Returns 0, or -1 with a diag. (Topology is lost without a note; records
 * of pools that an R does not list are reported: losses.h.)
 */
int marks_require(const struct rset *rs, struct diag *d);

/* Replace the keys above in an object by the marks of the set. Lists become new
   strings in `texts` (all zeros), which are much smaller than JSON values, and
   the object has placeholders. */
void marks_write(const struct rset *rs, json_t *scheduler,
                 struct mark_text *texts);

#endif /* MODEL_DOCUMENT_MARKS_H */

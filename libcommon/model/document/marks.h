/*
 * Marks: the records and states of a set that is written as a plain R.
 *
 * An R without a graph has no vertices to carry records, so they stand under
 * attributes.system.scheduler (free-form by RFC 20), each with the resources
 * it speaks of in the form of R_lite:
 *
 *     "allocations": [{"job": 7, "R_lite": [{"rank": "0-1", "children":
 *                      {"core": "0-3"}}], "holds": "1", "start": 1700000000}]
 *     "reservations": the same
 *     "shared": [{"job": 7, "R_lite": [...]}]
 *     "staged": [{"job": 7, "R_lite": [...]}]
 *     "states": [{"state": "down", "R_lite": [{"rank": "5"}]}]
 *     "tags": [{"tag": "row", "value": "B", "R_lite": [{"rank": "0-7"}]}]
 *     "exclusive": "3-5"
 *     "holds": "0-1"
 *
 * A tag need not have a value. In a graph it is a member of the object `tags`
 * of a vertex, with null for no value. An entry without `children` stands for
 * the targets themselves, in a claim with all that they have; one with
 * `children` of `{}` is of targets that a job holds and of which its R lists
 * nothing. `holds` are the ranks that the job holds whole,
 * beyond what its R_lite lists; `exclusive` are ranks of an inventory whose
 * target has to be taken whole (RFC 4's exclusive flag). `holds` beside the
 * lists is of the R of a job: the ranks that the job holds whole.
 */
#ifndef MODEL_DOCUMENT_MARKS_H
#define MODEL_DOCUMENT_MARKS_H

#include <jansson.h>

#include "base/json.h"
#include "model/tree/rset.h"

struct place;
struct reader;

/* The lists. */
enum mark_kind {
    MARK_ALLOCATION,
    MARK_RESERVATION,
    MARK_SHARED,
    MARK_STAGED,
    MARK_STATE,
    MARK_TAG,
    MARK_KINDS
};

/* One of the lists, as it stands in the document. */
struct mark_text {
    char *text; /* NULL: it is not there */
    size_t len;
    struct text_place from; /* in the source */
};

struct mark_words {
    const char *key;  /* of the list */
    const char *name; /* of what an entry is about: job, state or tag */
};
extern const struct mark_words mark_words[MARK_KINDS];

/* The list of that key, MARK_KINDS if there is none. */
enum mark_kind mark_list(const char *key);

/* Are the records only checked, or applied to the set? */
enum mark_use {
    MARKS_LOOK, /* it is only looked at: the set is not sound */
    MARKS_LAY /* held against the set, and laid over it unless it is refused */
};

/*
 * Read what the keys above say, and take them out of the scheduler's object.
 * The lists are read from their text, in the order of mark_kind, and the texts
 * are freed.
 */
void marks_read(struct reader *r, struct mark_text *texts, json_t *scheduler,
                enum mark_use use, const struct place *at);

/*
 * The same of a set with a graph: what they say is held against what the graph
 * says, and laid over it where that says nothing. The set is sound.
 */
void marks_join(struct reader *r, struct mark_text *texts, json_t *scheduler,
                const struct place *at);

/* Is it one of the keys above? Is any of them in the scheduler's object? */
bool is_mark_key(const char *key);
bool marks_there(const json_t *scheduler);

/* Take them out of it. */
void marks_drop_keys(json_t *scheduler);

/*
 * Put the marks of the set into an object, over what it has under the keys
 * above. A hundred thousand jobs are a text much smaller than their JSON: with
 * `texts`, which by then are all zeros, lists are new strings there and the
 * object keeps their places.
 */
void marks_write(const struct rset *rs, json_t *scheduler,
                 struct mark_text *texts);

#endif /* MODEL_DOCUMENT_MARKS_H */

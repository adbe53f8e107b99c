/*
 * Marks: the records of an R without a graph. They stand under
 * attributes.system.scheduler (free-form by RFC 20), each with its resources in
 * the form of R_lite:
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
 * A tag need not have a value. An entry without `children` stands for the
 * targets themselves, in a claim with all that is in them. With `children` of
 * `{}`, a job holds the targets and its R lists nothing of them. `holds` in a
 * record are ranks that the job holds whole, whatever its R_lite lists.
 * `exclusive` are ranks that have to be taken whole (RFC 4's exclusive flag).
 * `holds` beside it, in the R of a job, are ranks that this job holds whole.
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

/* What is done with records. */
enum mark_use {
    MARKS_LOOK, /* each is checked by itself: the set is not sound */
    MARKS_LAY   /* also checked against the set, and put there if all is well */
};

/*
 * Read the keys above, and take them out of the scheduler's object. The lists
 * are read from their texts, which are freed, in the order of mark_kind.
 */
void marks_read(struct reader *r, struct mark_text *texts, json_t *scheduler,
                enum mark_use use, const struct place *at);

/* Read the keys of a sound set with a graph: compare them with the records of
   the graph, or put them there if it has none. */
void marks_join(struct reader *r, struct mark_text *texts, json_t *scheduler,
                const struct place *at);

/* Is it one of the keys above? Is any of them in the scheduler's object? */
bool is_mark_key(const char *key);
bool marks_there(const json_t *scheduler);

/* Take them out of it. */
void marks_drop_keys(json_t *scheduler);

/*
 * Put the marks of the set into an object, in place of the keys above. With
 * `texts` (all zeros) lists become new strings there, much smaller than JSON
 * values, and the object keeps their places.
 */
void marks_write(const struct rset *rs, json_t *scheduler,
                 struct mark_text *texts);

#endif /* MODEL_DOCUMENT_MARKS_H */

/* Inside marks: what reading and writing share. */
#ifndef MODEL_DOCUMENT_MARKS_PRIVATE_H
#define MODEL_DOCUMENT_MARKS_PRIVATE_H

#include "model/document/marks.h"
#include "model/document/rlite.h"

struct mark_words {
    const char *key;  /* of the list */
    const char *name; /* of what an entry is about: job, state or tag */
};
extern const struct mark_words mark_words[MARK_KINDS];

/* An entry of one of the lists. */
struct mark {
    enum mark_kind kind;
    const char *name;  /* interned: a job, a state or a tag */
    json_t *value;     /* of a tag; NULL: none */
    const char *owner; /* of an allocation or reservation; NULL: not said */
    double start, end;
    struct rlite lite;
    struct idset *holds;
};

void mark_fini(struct mark *m);

/* Take the keys of marks out of an object. */
void marks_drop_keys(json_t *scheduler);

#endif /* MODEL_DOCUMENT_MARKS_PRIVATE_H */

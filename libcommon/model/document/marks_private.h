/* Inside marks: what reading and writing share. */
#ifndef MODEL_DOCUMENT_MARKS_PRIVATE_H
#define MODEL_DOCUMENT_MARKS_PRIVATE_H

#include "model/document/marks.h"
#include "model/document/rlite.h"
#include "model/records/usage.h"

struct mark_words {
    const char *key;  /* of the list */
    const char *name; /* of what an entry is about: job, state or tag */
};
extern const struct mark_words mark_words[MARK_KINDS];

/* An entry of one of the lists. */
struct mark {
    enum mark_kind kind;
    const char *name;          /* interned: a job, a state or a tag */
    json_t *value;             /* of a tag; NULL: none */
    const char *owner, *queue; /* of a claim; NULL: not said */
    double start, end;
    uint32_t nslots;
    struct rlite lite;
    struct idset *holds;
};

void mark_fini(struct mark *m);

/* What a mark says of the target at hand, until that is done. */
struct saying {
    struct lite_children here;
    bool self;    /* it speaks of the target itself */
    bool touched; /* it speaks of anything */
};
void saying_add(struct saying *s, const struct vertex *v, uint32_t lo,
                uint32_t hi);
void saying_add_all(struct saying *s, const struct vertex *v);
void saying_add_lot(struct saying *s, const struct lot *lot);
void saying_end(struct saying *s, struct mark *m, const struct idset *ranks);

/* The ranks of a target, a new set. */
struct idset *target_ranks(const struct lot *target);

/* Does an R_lite speak of pools like it? */
bool is_spoken(const struct rset *rs, const struct vertex *v);

/* All terms of jobs in the order of their marks: a new array for free(). */
struct term;
size_t terms_in_order(const struct usage *u, struct term ***list);

/* Make the mark of a term; false: there is nothing that an R can say. */
bool mark_of_term(const struct rset *rs, const struct term *t, struct mark *m);

/* Take the keys of marks out of an object. */
void marks_drop_keys(json_t *scheduler);

#endif /* MODEL_DOCUMENT_MARKS_PRIVATE_H */

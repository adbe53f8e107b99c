/* Losses: parts of a set that a form or an edition can't express. */
#ifndef MODEL_DOCUMENT_LOSSES_H
#define MODEL_DOCUMENT_LOSSES_H

#include "model/document/document.h"
#include "model/document/marks.h"
#include "model/records/usage.h"

/* How a set is written. */
struct written_form {
    const struct rset_style *style;
    bool bare; /* a bare graph */
    int halves;
    struct settled settled; /* the set, if it has or gets a graph */
    unsigned graph;         /* its style: see jgf.h */
    json_t *attributes;     /* attributes to write in an R; NULL: none */
    struct mark_text marks[MARK_KINDS]; /* lists with texts in `attributes` */
};

/* Note the losses in the notes of the set. */
void note_losses(struct rset *rs, const struct written_form *form);

#endif /* MODEL_DOCUMENT_LOSSES_H */

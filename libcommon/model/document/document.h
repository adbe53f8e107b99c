/*
 * Documents: reads a resource set from an R (RFC 20) or a bare JGF graph, and
 * writes it.
 *
 * A set has one tree. When an R with a graph is read, `execution` is checked
 * against the graph; when it is written, `execution` is made from the tree. So
 * the halves always agree. Records are in the metadata of vertices, or without
 * a graph under `attributes.system.scheduler`: see rset-documents(5).
 */
#ifndef MODEL_DOCUMENT_DOCUMENT_H
#define MODEL_DOCUMENT_DOCUMENT_H

#include "base/stream.h"
#include "model/document/faults.h"
#include "model/tree/rset.h"

/* The half to use if both disagree. */
enum trust { TRUST_NONE, TRUST_EXECUTION, TRUST_GRAPH };

/*
 * Read the next document of a stream. Returns 1 and a new set in *out; 0 at
 * the end of the input; -1 with a diag that names source and place. Warnings
 * become the set's notes, except rset_partial_note() of shorthand.h.
 */
int rset_read(struct stream *s, enum trust trust, struct rset **out,
              struct diag *d);

/* Read the only document in a text, which messages call `name`. Returns NULL
   with a diag. */
struct rset *rset_read_text(const char *text, size_t len, const char *name,
                            enum trust trust, struct diag *d);

/*
 * Read the next document only to find its faults, and add all of them to
 * *faults. One of them has the level FAULT_REFUSED exactly if rset_read()
 * refuses the document. Costs as much as reading. Returns 1; 0 at the end of
 * the input; -1 with a diag if the input is not JSON.
 */
int rset_validate(struct stream *s, enum trust trust, struct faults *faults,
                  struct diag *d);

/* The forms of a document. FORM_AS_READ writes the halves that were read, with
   the graph in the same style: full if it has uuids. */
enum rset_form {
    FORM_AS_READ,
    FORM_R,
    FORM_JGF,
    FORM_RV1,
    FORM_RV1_COMPACT,
    FORM_JGF_COMPACT
};

/*
 * The editions of RFC 20. Both are always understood in input. Bare graphs are
 * the same in both. An R of the current edition always has an execution, never
 * attributes, and its graph is compact.
 */
enum dialect { DIALECT_SEED, DIALECT_CURRENT };

/* How to write a set. All zeros: as it was read. */
struct rset_style {
    enum rset_form form;
    enum dialect dialect;
    bool chosen;    /* the user chose the edition: note unsupported keys */
    bool shorthand; /* omit contents of exclusive vertices, in FORM_*_COMPACT */
    bool keyed;     /* write the graph as in patches: see jgf.h */
    bool unrecorded; /* write only resources of an R without a graph: no
                        records, and no notes about losses */
};

/*
 * Write a set as one line. Returns 0. Returns -1 with a diag, and writes
 * nothing, if the form can't express the set (an R of a graph without ranks, a
 * partial graph as a whole one). Write errors show in ferror(). The set's notes
 * tell what the form and the edition omit.
 */
int rset_write_as(struct rset *rs, const struct rset_style *style, FILE *fp,
                  struct diag *d);

/* Write a set to a new text for free(). Returns NULL with a diag. */
char *rset_text(struct rset *rs, const struct rset_style *style, size_t *len,
                struct diag *d);

/* Write a set and read it again as a new set. Messages call the text `name`.
   Returns NULL with a diag. */
struct rset *rset_in_style(struct rset *rs, const struct rset_style *style,
                           const char *name, struct diag *d);

/* Return -1 with a diag if the nodes of a graph have no ranks: then no R can
   list them. */
int rset_check_ranks(const struct rset *rs, struct diag *d);

#endif /* MODEL_DOCUMENT_DOCUMENT_H */

/*
 * Documents: a resource set from and to an R (RFC 20) or a bare JGF graph.
 *
 * A set has one tree. The `execution` of an R with a graph is checked against
 * the graph when it is read, and made from the tree when it is written, so the
 * halves always agree. Records stand in the metadata of vertices, or without a
 * graph under `attributes.system.scheduler`: see rset(5).
 */
#ifndef MODEL_DOCUMENT_DOCUMENT_H
#define MODEL_DOCUMENT_DOCUMENT_H

#include "base/stream.h"
#include "model/document/faults.h"
#include "model/tree/rset.h"

/* Which half to go on with where they disagree. */
enum trust { TRUST_NONE, TRUST_EXECUTION, TRUST_GRAPH };

/*
 * Read the next document of a stream. Returns 1 and a new set in *out; 0 at
 * the end of the input; -1 with a diag that names source and place. Warnings
 * become the set's notes, except rset_partial_note() of shorthand.h.
 */
int rset_read(struct stream *s, enum trust trust, struct rset **out,
              struct diag *d);

/* The one document of a text, which messages call `name`. NULL with a diag. */
struct rset *rset_read_text(const char *text, size_t len, const char *name,
                            struct diag *d);

/*
 * Read the next document for its faults alone, and add all of them to *faults.
 * One is of FAULT_REFUSED exactly if rset_read() refuses the document. Costs
 * what reading costs. Returns 1; 0 at the end of the input; -1 with a diag if
 * it is no JSON.
 */
int rset_validate(struct stream *s, enum trust trust, struct faults *faults,
                  struct diag *d);

/*
 * The forms of a document. FORM_AS_READ: the halves that were read, and the
 * graph in the style in which it came: full if it has uuids.
 */
enum rset_form {
    FORM_AS_READ,
    FORM_R,
    FORM_JGF,
    FORM_RV1,
    FORM_RV1_COMPACT,
    FORM_JGF_COMPACT
};

/*
 * The editions of RFC 20. Both are read everywhere; bare graphs are the same in
 * both. An R of the current edition has always an execution, never attributes,
 * and a compact graph.
 */
enum dialect { DIALECT_SEED, DIALECT_CURRENT };

/* How a set is written; all of zeros is as it was read. */
struct rset_style {
    enum rset_form form;
    enum dialect dialect;
    bool asked;      /* for the edition: tell what it has no word for, too */
    bool shorthand;  /* leave out what is in exclusive vertices, in
                        FORM_*_COMPACT */
    bool keyed;      /* its graph as patches have it: see jgf.h */
    bool unrecorded; /* of an R without a graph the resources alone: no
                       records, and no word of what is left out */
};

/*
 * Write a set as one line. Returns 0; or -1 with a diag, and nothing written,
 * if the form can't express it (an R of a graph without ranks, a partial graph
 * as a whole one). Write errors show in ferror(). The set's notes say what form
 * and edition leave out.
 */
int rset_write_as(struct rset *rs, const struct rset_style *style, FILE *fp,
                  struct diag *d);

/* The line as a text for free(); NULL with a diag. */
char *rset_text(struct rset *rs, const struct rset_style *style, size_t *len,
                struct diag *d);

/* Write a set and read it again: a new set, or NULL with a diag. Messages call
   the text `name`. */
struct rset *rset_in_style(struct rset *rs, const struct rset_style *style,
                           const char *name, struct diag *d);

/* An error if the nodes of a graph have no ranks: no R can speak of them. */
int rset_check_ranks(const struct rset *rs, struct diag *d);

#endif /* MODEL_DOCUMENT_DOCUMENT_H */

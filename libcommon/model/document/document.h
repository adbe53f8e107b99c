/*
 * Documents: a resource set to and from an R (RFC 20) or a bare JGF graph.
 *
 * Both halves of an R are understood. An R with a graph is held as the
 * graph; its `execution` is checked against it in reading and made from it
 * in writing, so that the halves can't come apart. Records travel in the
 * metadata of vertices where a graph is written and under
 * `attributes.system.scheduler` where only R_lite is: see rset(5).
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
 * are in the set's notes, but that a graph is partial: see shorthand.h.
 */
int rset_read(struct stream *s, enum trust trust, struct rset **out,
              struct diag *d);

/* The one document of a text, which messages call `name`. NULL with a diag. */
struct rset *rset_read_text(const char *text, size_t len, const char *name,
                            struct diag *d);

/*
 * Read the next document for its faults alone: all that the reader finds are
 * added to *faults, where rset_read() ends with the first for which it refuses
 * the document. So it has a fault of FAULT_REFUSED exactly if rset_read()
 * refuses it. Cost and memory are those of reading. Returns 1; 0 at the end of
 * the input; -1 with a diag on what is no JSON.
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
 * The editions of the standards. Both are read everywhere. That of RFC 20 is
 * of an R; bare graphs are the same in both. In the current edition an R has
 * always an execution and never attributes, and its graph is compact.
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
 * Write a set as one line. Returns 0; or -1 with a diag if it can't be said
 * so (an R of a graph without ranks, a partial graph as if it was whole), and
 * then nothing was written. Write errors show in ferror(). What form and
 * edition leave out that a user would miss is told in the set's notes.
 */
int rset_write_as(struct rset *rs, const struct rset_style *style, FILE *fp,
                  struct diag *d);

/* The line as a text for free(); NULL with a diag. */
char *rset_text(struct rset *rs, const struct rset_style *style, size_t *len,
                struct diag *d);

/*
 * What one reads of a set that was written so: a new set, or NULL with a
 * diag. `name` is what messages call the text.
 */
struct rset *rset_in_style(struct rset *rs, const struct rset_style *style,
                           const char *name, struct diag *d);

/* An error if the nodes of a graph have no ranks: no R can speak of them. */
int rset_check_ranks(const struct rset *rs, struct diag *d);

#endif /* MODEL_DOCUMENT_DOCUMENT_H */

/*
 * Documents: a resource set to and from an R (RFC 20) or a bare JGF graph.
 *
 * Both halves of an R are understood. An R with a graph is held as the
 * graph; its `execution` is checked against it in reading and made from it
 * in writing, so that the halves can't come apart. Records travel in the
 * metadata of vertices where a graph is written and under
 * `attributes.system.scheduler` where only R_lite is: see rset(5).
 */
#ifndef MODEL_DOCUMENT_H
#define MODEL_DOCUMENT_H

#include "base/stream.h"
#include "model/rset.h"

/* Which half to go on with where they disagree. */
enum trust { TRUST_NONE, TRUST_EXECUTION, TRUST_GRAPH };

/*
 * Read the next document of a stream. Returns 1 and a new set in *out; 0 at
 * the end of the input; -1 with a diag that names source and place. Warnings
 * are in the set's notes.
 */
int rset_read(struct stream *s, enum trust trust, struct rset **out,
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
 * Write a set as one line. Returns 0; or -1 with a diag if the form can't
 * say it (an R of a graph without ranks), and then nothing was written.
 * Write errors show in ferror(). What the form leaves out that a user would
 * miss is told in the set's notes.
 */
int rset_write(struct rset *rs, enum rset_form form, FILE *fp, struct diag *d);

#endif /* MODEL_DOCUMENT_H */

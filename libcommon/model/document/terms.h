/* What records have in common, in a graph and in a plain R. */
#ifndef MODEL_DOCUMENT_TERMS_H
#define MODEL_DOCUMENT_TERMS_H

#include "model/document/reader.h"
#include "model/records/records.h"

/* Owner, start and end of a claim from an object with these keys. */
struct read_terms {
    const char *owner; /* NULL: not said */
    double start, end; /* TIME_UNSET */
};
struct read_terms terms_read(struct reader *r, const json_t *entry,
                             const struct place *at);

/* The document has such records, sound or not: validation is told. */
void note_jobs(struct reader *r, const json_t *records);

#endif /* MODEL_DOCUMENT_TERMS_H */

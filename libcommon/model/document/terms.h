/* What records have in common, in a graph and in a plain R. */
#ifndef MODEL_DOCUMENT_TERMS_H
#define MODEL_DOCUMENT_TERMS_H

#include "model/document/reader.h"
#include "model/records/records.h"

/* What is said of a claim beside its units, from an object with these keys. */
struct read_terms {
    const char *owner; /* NULL: not said */
    double start, end; /* TIME_UNSET */
    uint32_t nslots;   /* 0: not said */
};
struct read_terms terms_read(struct reader *r, const json_t *entry,
                             const struct place *at);

/* The document has such records, sound or not: validation is told. */
void note_jobs(struct reader *r, const json_t *records);

#endif /* MODEL_DOCUMENT_TERMS_H */

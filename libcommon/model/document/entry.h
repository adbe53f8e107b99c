/* An element of an R_lite list: ranks with their children. In the records of a
   plain R, `children` may be missing. */
#ifndef MODEL_DOCUMENT_ENTRY_H
#define MODEL_DOCUMENT_ENTRY_H

#include "model/document/reader.h"
#include "model/document/rlite.h"

struct entry {
    struct idset *ranks;           /* NULL: they were not understood */
    struct lite_children children; /* those that were */
    bool bare;                     /* has no `children` at all */
    bool faulty;
};
void entry_fini(struct entry *e);

enum entry_use { ENTRY_EXECUTION, ENTRY_RECORD };

/* Read one from its JSON value. Types are interned in the set. */
void entry_read(struct reader *r, const json_t *value, enum entry_use use,
                struct entry *e, const struct place *at);

/*
 * Read the entry of `execution` that begins the text, *end bytes, if it is
 * plain: ranks with cores, maybe gpus, and no fault. Otherwise return false.
 * Without making JSON values, a set of unequal ranks is read in half the time.
 */
bool entry_read_plain(const char *text, size_t len, size_t *end,
                      struct entry *e);

#endif /* MODEL_DOCUMENT_ENTRY_H */

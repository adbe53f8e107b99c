/* An element of an R_lite list: ranks with their children. In the records of a
   plain R, `children` may be missing. */
#ifndef MODEL_DOCUMENT_ENTRY_H
#define MODEL_DOCUMENT_ENTRY_H

#include "model/document/reader.h"
#include "model/document/rlite.h"

struct entry {
    struct idset *ranks;           /* NULL: not valid */
    struct lite_children children; /* only valid ones */
    bool bare;                     /* there is no `children` */
    bool faulty;
};
void entry_fini(struct entry *e);

enum entry_use { ENTRY_EXECUTION, ENTRY_RECORD };

/* Read an entry from its JSON value. Types are interned in the set. */
void entry_read(struct reader *r, const json_t *value, enum entry_use use,
                struct entry *e, const struct place *at);

/*
 * Read the entry of `execution` that begins the text, *end bytes, if it is
 * plain: ranks with cores, maybe gpus, without faults. Otherwise return false.
 * A set of unequal ranks is read in half the time, because no JSON values are
 * made.
 */
bool entry_read_plain(const char *text, size_t len, size_t *end,
                      struct entry *e);

#endif /* MODEL_DOCUMENT_ENTRY_H */

/*
 * An element of an R_lite list: ranks with their children. It stands in
 * `execution`, and in the records of a plain R, where `children` may be
 * missing.
 */
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
 * The same of one that begins the text, *end bytes of it, if it is plain:
 * ranks with a core, maybe a gpu, and nothing to tell. A set of ranks that all
 * differ is entries and little else, and half of the time of reading one is the
 * making and freeing of JSON values that are looked at once. False: it is not.
 */
bool entry_read_plain(const char *text, size_t len, size_t *end,
                      struct entry *e);

#endif /* MODEL_DOCUMENT_ENTRY_H */

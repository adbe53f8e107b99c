/* The keys of find expressions, and how the value of each is read. */
#ifndef REQUEST_FIND_PRIVATE_H
#define REQUEST_FIND_PRIVATE_H

#include "request/constraint_private.h"
#include "request/find.h"

/* What a key may have: no value, < <= > >=, @TIME, the empty text. */
enum { KEY_ALONE = 1, KEY_ORDER = 2, KEY_TIME = 4, KEY_EMPTY = 8 };

struct find_key {
    const char *name;
    /* Read the value, which is in `text`; NULL: it takes none. */
    int (*read)(struct constraint *c, struct diag *d);
    unsigned flags;
};
extern const struct find_key find_keys[CRITERIA];

#endif /* REQUEST_FIND_PRIVATE_H */

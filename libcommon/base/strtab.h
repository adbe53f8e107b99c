/*
 * Interned strings: each text is kept once, so that equal strings are equal
 * pointers and `core` is stored once for a million cores.
 */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include <stddef.h>

#include "base/map.h"

struct strtab {
    struct map map;
};

/* A table of all zeros is empty and ready. */
void strtab_fini(struct strtab *tab);

/*
 * The one copy of `len` bytes of text (terminated; the bytes hold no NUL),
 * which lives as long as the table.
 */
const char *strtab_intern(struct strtab *tab, const char *text, size_t len);

/* The order of pointers to interned strings, by address; for qsort. */
int strtab_compare(const void *a, const void *b);

/* The one copy, NULL if the text was never interned. */
const char *strtab_find(const struct strtab *tab, const char *text);

#endif /* BASE_STRTAB_H */

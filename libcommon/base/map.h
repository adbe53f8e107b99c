/*
 * A map from bytes to a pointer or a number, keys copied into an arena.
 *
 * Slots lie one behind the other in the order in which keys were made; a
 * table with open addressing holds their numbers and hashes only. So it is
 * small, what is looked up in the order in which it was made is found in
 * that order in memory, and growing touches no key. A few keys have no table:
 * they are looked through.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

union map_value {
    void *pointer;
    size_t number;
};

struct map_slot {
    const char *key; /* terminated, so that text can be used as it is */
    size_t len;
    union map_value value;
};

struct map {
    struct arena arena;
    struct map_slot *slots;
    size_t count, nslots; /* behind those in use are zeros */
    size_t nforgotten;    /* of them: their value is zeros */
    struct map_place {
        uint32_t hash, number; /* of a slot, from 1; 0: free */
    } * places;
    size_t nplaces; /* 0: there are few; or a power of two */
};

/* A map of all zeros is empty and ready. */
void map_fini(struct map *map);

/*
 * The slot of a key, made with a value of zeros if it was not there. It
 * stays in place until the next key is made.
 */
struct map_slot *map_at(struct map *map, const void *key, size_t len);

/* The slot of a key, or NULL if it is not there. */
const struct map_slot *map_find(const struct map *map, const void *key,
                                size_t len);

/* The pointer that a key has; NULL if it is not there. */
void *map_get(const struct map *map, const void *key, size_t len);

/*
 * A key that is there is wanted no more. Slots stay where they are until the
 * next key is made: then, when half of them are forgotten, only the others are
 * kept. So a map where keys come and go does not grow; no value of it that is
 * wanted may be zeros.
 */
void map_forget(struct map *map, const void *key, size_t len);

/*
 * Interned strings: each text is kept once, as a key, so that equal strings
 * are equal pointers and `core` is stored once for a million cores. Return the
 * one copy of `len` bytes of text (terminated; the bytes hold no NUL), which
 * lives as long as the map.
 */
const char *map_intern(struct map *map, const char *text, size_t len);

/* The order of pointers to interned strings, by address; for qsort. */
int interned_compare(const void *a, const void *b);

/* Return the one copy, NULL if the text was never interned. */
const char *map_interned(const struct map *map, const char *text);

#endif /* BASE_MAP_H */

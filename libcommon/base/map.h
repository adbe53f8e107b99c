/*
 * A map from bytes to a pointer or a number. Keys are copied into an arena.
 *
 * Slots lie in the order in which keys were added. A table with open addressing
 * holds only their numbers and hashes. So the table is small, keys looked up in
 * the order of insertion are found in that order in memory, and growing touches
 * no key.
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
    const char *key; /* terminated, so that it can be used as text */
    size_t len;
    union map_value value;
};

struct map {
    struct arena arena;
    struct map_slot *slots;
    size_t count;
    size_t nforgotten; /* forgotten slots: their value is zeros */
    struct map_place {
        uint32_t hash, number; /* number of a slot, from 1; 0: free */
    } * places;
    size_t nplaces; /* 0: no table, or a power of two */
};

/* A map of all zeros is empty and ready. */
void map_fini(struct map *map);

/* Return the slot of a key. A new key gets a value of zeros. The slot stays in
   place until the next key is added. */
struct map_slot *map_at(struct map *map, const void *key, size_t len);

/* Return the number of a key, from 0 in the order in which keys were added. A
   new key is added. No key of the map may be forgotten. */
size_t map_number(struct map *map, const void *key, size_t len);

/* Return the slot of a key; NULL if there is none. */
const struct map_slot *map_find(const struct map *map, const void *key,
                                size_t len);

/* Return the pointer of a key; NULL if there is none. */
void *map_get(const struct map *map, const void *key, size_t len);

/*
 * Forget a key, which must be in the map. Slots stay in place until the next
 * key is added: then, if half of them are forgotten, only the others are kept.
 * So a map whose keys come and go does not grow. In such a map no value in use
 * may be zeros.
 */
void map_forget(struct map *map, const void *key, size_t len);

/*
 * Return the one copy of `len` bytes of text (without NUL), terminated, which
 * lives as long as the map. Interned strings are stored once, as keys: equal
 * strings are equal pointers, and `core` is stored once for a million cores.
 */
const char *map_intern(struct map *map, const char *text, size_t len);

/* Return the one copy of a text; NULL if it was never interned. */
const char *map_interned(const struct map *map, const char *text);

#endif /* BASE_MAP_H */

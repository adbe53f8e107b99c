/* Maps (map.h): slots in the order of insertion, and a table with open
   addressing of their numbers. */
#include "base/map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* Fewer forgotten keys may stay. */
enum { FEW = 8 };

void map_fini(struct map *map)
{
    arena_fini(&map->arena);
    free(map->slots);
    free(map->places);
    *map = (struct map){0};
}

/* Hash eight bytes at once, because keys may be long. */
static uint32_t hash_key(const void *key, size_t len)
{
    const char *p = key;
    uint64_t h = HASH_START, word;

    for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
        memcpy(&word, p, sizeof(word));
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (uint32_t)hash_mix(hash_bytes(h, p, len));
}

static bool is_key(const struct map_slot *slot, const void *key, size_t len)
{
    return slot->len == len && !memcmp(slot->key, key, len);
}

static void put_place(struct map *map, uint32_t hash, uint32_t number)
{
    size_t i = hash & (map->nplaces - 1);

    while (map->places[i].number)
        i = (i + 1) & (map->nplaces - 1);
    map->places[i] = (struct map_place){.hash = hash, .number = number};
}

/* Double the table. Only numbers and hashes move. */
static void grow_places(struct map *map)
{
    struct map_place *old = map->places;
    size_t nold = map->nplaces;

    map->nplaces = nold ? nold * 2 : 16;
    map->places = xcalloc(map->nplaces, sizeof(*map->places));
    for (size_t i = 0; i < nold; i++)
        if (old[i].number)
            put_place(map, old[i].hash, old[i].number);
    free(old);
}

/* Make room for one more key. A third of the table stays free. If many keys are
   forgotten, first replace the map by one with only the others. */
static void make_room(struct map *map)
{
    if (map->nforgotten > FEW && map->nforgotten >= map->count / 2) {
        struct map old = *map;

        *map = (struct map){0};
        for (size_t i = 0; i < old.count; i++)
            if (old.slots[i].value.pointer)
                map_at(map, old.slots[i].key, old.slots[i].len)
                    ->value = old.slots[i].value;
        map_fini(&old);
    }
    if (map->count == UINT32_MAX)
        memory_exhausted(); /* no numbers left */
    if (map->count * 3 >= map->nplaces * 2)
        grow_places(map);
    VECTOR_GROW(map->slots, map->count);
}

/* Return the slot of a key; NULL if there is none. */
static struct map_slot *find(const struct map *map, uint32_t hash,
                             const void *key, size_t len)
{
    if (!map->places)
        return NULL;
    for (size_t i = hash & (map->nplaces - 1); map->places[i].number;
         i = (i + 1) & (map->nplaces - 1)) {
        struct map_slot *slot = &map->slots[map->places[i].number - 1];
        if (map->places[i].hash == hash && is_key(slot, key, len))
            return slot;
    }
    return NULL;
}

struct map_slot *map_at(struct map *map, const void *key, size_t len)
{
    uint32_t hash = hash_key(key, len);
    struct map_slot *slot = find(map, hash, key, len);

    if (slot)
        return slot;
    make_room(map);
    slot = &map->slots[map->count++];
    *slot = (struct map_slot){arena_strndup(&map->arena, key, len), len, {0}};
    put_place(map, hash, (uint32_t)map->count);
    return slot;
}

size_t map_number(struct map *map, const void *key, size_t len)
{
    return (size_t)(map_at(map, key, len) - map->slots);
}

const struct map_slot *map_find(const struct map *map, const void *key,
                                size_t len)
{
    return find(map, hash_key(key, len), key, len);
}

void *map_get(const struct map *map, const void *key, size_t len)
{
    const struct map_slot *slot = map_find(map, key, len);

    return slot ? slot->value.pointer : NULL;
}

void map_forget(struct map *map, const void *key, size_t len)
{
    struct map_slot *slot = find(map, hash_key(key, len), key, len);

    slot->value = (union map_value){0};
    map->nforgotten++;
}

/* --- strings -------------------------------------------------------------- */

const char *map_intern(struct map *map, const char *text, size_t len)
{
    return map_at(map, text, len)->key;
}

const char *map_interned(const struct map *map, const char *text)
{
    const struct map_slot *slot = map_find(map, text, strlen(text));

    return slot ? slot->key : NULL;
}

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void map_fini(struct map *map)
{
    arena_fini(&map->arena);
    free(map->slots);
    *map = (struct map){0};
}

static struct map_slot *probe(const struct map *map, uint32_t hash,
                              const void *key, size_t len)
{
    size_t i = hash & (map->nslots - 1);

    while (map->slots[i].key
           && (map->slots[i].hash != hash || map->slots[i].len != len
               || memcmp(map->slots[i].key, key, len) != 0))
        i = (i + 1) & (map->nslots - 1);
    return &map->slots[i];
}

/* Keep a third of the slots free. */
static int make_room(struct map *map)
{
    struct map_slot *old = map->slots;
    size_t n = map->nslots;

    if (map->count * 3 < n * 2)
        return 0;
    map->nslots = n ? n * 2 : 32;
    if (!(map->slots = calloc(map->nslots, sizeof(*old)))) {
        map->slots = old;
        map->nslots = n;
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        if (old[i].key)
            *probe(map, old[i].hash, old[i].key, old[i].len) = old[i];
    free(old);
    return 0;
}

static uint32_t hash_key(const void *key, size_t len)
{
    return (uint32_t)hash_mix(hash_bytes(HASH_START, key, len));
}

struct map_slot *map_at(struct map *map, const void *key, size_t len)
{
    uint32_t hash = hash_key(key, len);
    struct map_slot *slot;

    if (len > UINT32_MAX || make_room(map) < 0)
        return NULL;
    slot = probe(map, hash, key, len);
    if (!slot->key) {
        if (!(slot->key = arena_strndup(&map->arena, key, len)))
            return NULL;
        slot->hash = hash;
        slot->len = (uint32_t)len;
        map->count++;
    }
    return slot;
}

const struct map_slot *map_find(const struct map *map, const void *key,
                                size_t len)
{
    const struct map_slot *slot;

    if (!map->nslots)
        return NULL;
    slot = probe(map, hash_key(key, len), key, len);
    return slot->key ? slot : NULL;
}

/*
 * A map whose keys come and go, compared with a list: its contents, a walk over
 * its slots that removes keys, and its size, which stays.
 */
#include "base/map.h"

#include <stdbool.h>
#include <stdio.h>

#include "random.h"
#include "tap.h"

enum { KEYS = 200 };

static int values[KEYS];

static size_t key_of(uint32_t i, char key[16])
{
    return (size_t)snprintf(key, 16, "key %u", i);
}

/* Remove about one in `some` of the keys during a walk over the slots. */
static void forget_some(struct map *map, bool there[KEYS], uint32_t some)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct map_slot *slot = &map->slots[i];
        int *value = slot->value.pointer;
        if (!value || random_below(some) > 0)
            continue;
        there[value - values] = false;
        map_forget(map, slot->key, slot->len);
    }
}

static bool is_right(const struct map *map, const bool there[KEYS])
{
    char key[16];
    size_t n = 0, count = 0;

    for (uint32_t i = 0; i < KEYS; i++) {
        n += there[i];
        if (map_get(map, key, key_of(i, key)) != (there[i] ? &values[i] : NULL))
            return false;
    }
    for (size_t i = 0; i < map->count; i++)
        count += map->slots[i].value.pointer != NULL;
    return count == n;
}

int main(void)
{
    bool there[KEYS] = {false}, right = true;
    struct map map = {0};
    char key[16];
    long rounds = random_start(20000);

    for (long round = 0; round < rounds && right; round++) {
        uint32_t i = random_below(KEYS);
        if (random_below(10) == 0)
            forget_some(&map, there, 1 + random_below(3));
        if (!there[i])
            map_at(&map, key, key_of(i, key))->value.pointer = &values[i];
        else
            map_forget(&map, key, key_of(i, key));
        there[i] = !there[i];
        right = random_below(10) > 0 || is_right(&map, there);
    }
    ok(right && is_right(&map, there), "it has the remaining keys");
    ok(map.count <= 4 * KEYS, "it does not grow: %zu slots", map.count);
    map_fini(&map);
    for (uint32_t i = 0; i < 100000; i++) {
        map_at(&map, key, key_of(i, key))->value.pointer = &values[0];
        if (i >= 10)
            map_forget(&map, key, key_of(i - 10, key));
    }
    ok(map.count <= 64, "nor where each key comes once: %zu slots", map.count);
    map_fini(&map);
    return done_testing();
}

/* Interned strings (strtab.h), as the keys of a map. */
#include "base/strtab.h"

#include <string.h>

void strtab_fini(struct strtab *tab)
{
    map_fini(&tab->map);
}

const char *strtab_intern(struct strtab *tab, const char *text, size_t len)
{
    return map_at(&tab->map, text, len)->key;
}

const char *strtab_find(const struct strtab *tab, const char *text)
{
    const struct map_slot *slot = map_find(&tab->map, text, strlen(text));

    return slot ? slot->key : NULL;
}

int strtab_compare(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;

    return (x > y) - (x < y);
}

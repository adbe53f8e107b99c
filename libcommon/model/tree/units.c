/* The units of pools (units.h), and how many bytes they are. */
#include "model/tree/units.h"

#include <stddef.h>
#include <string.h>

int64_t unit_bytes(const char *unit)
{
    static const char letters[] = "kMGTPE";
    int64_t base, bytes = 1;
    const char *at;

    if (!strcmp(unit, "B"))
        return 1;
    at = *unit == 'K' ? letters : strchr(letters, *unit);
    if (!*unit || !at)
        return 0;
    if (!strcmp(unit + 1, "B"))
        base = 1000;
    else if (!strcmp(unit + 1, "iB"))
        base = 1024;
    else
        return 0;
    for (ptrdiff_t i = at - letters; i >= 0; i--)
        bytes *= base;
    return bytes;
}

bool units_compare(const char *unit_a, const char *unit_b, int64_t *a,
                   int64_t *b)
{
    *a = *b = 1;
    if (!strcmp(unit_a, unit_b))
        return true;
    *a = unit_bytes(unit_a);
    *b = unit_bytes(unit_b);
    return *a > 0 && *b > 0;
}

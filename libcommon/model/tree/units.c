/* Tables of prefixes and of units of bytes, and conversions (units.h). */
#include "model/tree/units.h"

#include <stddef.h>
#include <string.h>

/* Powers of ten. All SI prefixes are here, also the rare ones. */
static const struct prefix {
    const char *text;
    int power;
} prefixes[] = {
    {"", 0},    {"k", 3},   {"K", 3},   {"M", 6},   {"G", 9},   {"T", 12},
    {"P", 15},  {"E", 18},  {"Z", 21},  {"Y", 24},  {"R", 27},  {"Q", 30},
    {"h", 2},   {"da", 1},  {"d", -1},  {"c", -2},  {"m", -3},  {"u", -6},
    {"µ", -6},  {"μ", -6},  {"n", -9},  {"p", -12}, {"f", -15}, {"a", -18},
    {"z", -21}, {"y", -24}, {"r", -27}, {"q", -30},
};
enum { NPREFIXES = sizeof(prefixes) / sizeof(prefixes[0]), POWER_MAX = 18 };

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

/* Return the unit after a prefix, or NULL if it does not begin with the
   prefix. */
static const char *behind(const char *unit, const struct prefix *p)
{
    size_t len = strlen(p->text);

    return strncmp(unit, p->text, len) || !unit[len] ? NULL : unit + len;
}

static int64_t ten_to(int power)
{
    int64_t n = 1;

    while (power-- > 0)
        n *= 10;
    return n;
}

/* Compare two units that differ only in their prefixes; one may have none. */
static bool compare_prefixes(const char *unit_a, const char *unit_b, int64_t *a,
                             int64_t *b)
{
    for (int i = 0; i < NPREFIXES; i++) {
        const char *stem = behind(unit_a, &prefixes[i]), *other;
        for (int k = 0; stem && k < NPREFIXES; k++) {
            int power = prefixes[i].power - prefixes[k].power;
            if (!(other = behind(unit_b, &prefixes[k])) || strcmp(stem, other)
                || power > POWER_MAX || power < -POWER_MAX)
                continue;
            *a = ten_to(power);
            *b = ten_to(-power);
            return true;
        }
    }
    return false;
}

bool units_compare(const char *unit_a, const char *unit_b, int64_t *a,
                   int64_t *b)
{
    *a = *b = 1;
    if (!strcmp(unit_a, unit_b))
        return true;
    *a = unit_bytes(unit_a);
    *b = unit_bytes(unit_b);
    return (*a > 0 && *b > 0) || compare_prefixes(unit_a, unit_b, a, b);
}

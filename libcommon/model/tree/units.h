/* Units of pools (RFC 4). Most are names that are only compared. Units of
   bytes, and one unit with different SI prefixes (kW and W), can be
   converted. */
#ifndef MODEL_TREE_UNITS_H
#define MODEL_TREE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Return the bytes of one unit: B; kB and KB, MB, ... are powers of 1000; KiB
 * (and kiB), MiB, ... are powers of 1024. Returns 0 for other units, also for
 * bare letters, which some tools write.
 */
int64_t unit_bytes(const char *unit);

/*
 * Return whether amounts in two units can be compared. If so, *a and *b are set
 * to the worth of one of each in a common measure: bytes, or the smaller of the
 * two units. The larger may be at most 10^18 times the smaller. "" is no unit.
 */
bool units_compare(const char *unit_a, const char *unit_b, int64_t *a,
                   int64_t *b);

#endif /* MODEL_TREE_UNITS_H */

/*
 * Units of pools (RFC 4): names that are only compared, but for those of
 * bytes, and for one unit with several SI prefixes (kW and W), which can be
 * reckoned into each other.
 */
#ifndef MODEL_TREE_UNITS_H
#define MODEL_TREE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How many bytes is one of it: B, kB and KB, MB, ... are powers of 1000,
 * KiB (and kiB), MiB, ... powers of 1024. 0 if it is no unit of bytes, as
 * are the bare letters that some tools write.
 */
int64_t unit_bytes(const char *unit);

/*
 * Can amounts in one be compared with amounts in the other? If so, *a and *b
 * are what one of each is worth, in the same measure: bytes, or else the
 * smaller of the two, of which the larger has no more than 10^18. "" is no
 * unit.
 */
bool units_compare(const char *unit_a, const char *unit_b, int64_t *a,
                   int64_t *b);

#endif /* MODEL_TREE_UNITS_H */

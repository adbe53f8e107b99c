/* Sorting pairs of 32-bit numbers by the first: stable, in linear time. */
#ifndef SET_SORT_H
#define SET_SORT_H

#include <stddef.h>

#include "set/idset.h"

/*
 * Sort `n` pairs by `lo`; pairs with equal `lo` keep their order. Pairs that
 * are in order already are only read once.
 */
void sort_by_lo(struct idrange *v, size_t n);

#endif /* SET_SORT_H */

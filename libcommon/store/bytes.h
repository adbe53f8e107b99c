/*
 * Numbers and texts as bytes, as rows of a store have them: a number with 7
 * bits in a byte, the lowest first, and the highest bit says that more follow;
 * one with a sign has that as its lowest bit; a text has its length before it.
 */
#ifndef STORE_BYTES_H
#define STORE_BYTES_H

#include <stdint.h>
#include <stdio.h>

struct store;

void bytes_put(FILE *fp, uint64_t n);
void bytes_put_signed(FILE *fp, int64_t n);
void bytes_put_text(FILE *fp, const char *text, size_t len);

/* Bytes that are being read; what can't be is a store that is corrupt. */
struct bytes {
    struct store *s;
    const char *what; /* it is of, for a message */
    const unsigned char *at, *end;
};

uint64_t bytes_get(struct bytes *in);
int64_t bytes_get_signed(struct bytes *in);
/* A number of things each of which has a byte at least. */
size_t bytes_get_count(struct bytes *in);
const char *bytes_get_text(struct bytes *in, size_t *len);

#endif /* STORE_BYTES_H */

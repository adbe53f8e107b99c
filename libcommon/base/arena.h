/*
 * An arena: many small objects that live and die together.
 *
 * A resource graph has a million vertices and strings that all go when the
 * set goes; taking them from large blocks makes each a pointer increment and
 * the end of all of them a handful of free() calls.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
};

/* An arena of all zeros is empty and ready. */
void arena_fini(struct arena *arena);

/* `size` zeroed bytes, aligned for any object. */
void *arena_alloc(struct arena *arena, size_t size);

/* A terminated copy of `len` bytes. */
char *arena_strndup(struct arena *arena, const char *s, size_t len);

/*
 * A stock: objects of one size in an arena that come and go before its end.
 * What is given back is the next that is taken. One of all zeros is empty; its
 * objects are at least as large as a pointer.
 */
struct stock {
    struct arena arena;
    void *spare; /* what was given back */
};

/* A zeroed object; every one of a stock is of the same size. */
void *stock_take(struct stock *stock, size_t size);
void stock_give(struct stock *stock, void *object);
void stock_fini(struct stock *stock);

#endif /* BASE_ARENA_H */

/*
 * An arena: many small objects that are freed together.
 *
 * A resource graph has a million vertices and strings that all live as long as
 * the set. From the large blocks of an arena each takes only the increment of a
 * pointer, and a few calls of free() release them all.
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

/* Return `size` zeroed bytes, aligned for pointers. */
void *arena_alloc(struct arena *arena, size_t size);

/* Return a terminated copy of `len` bytes. */
char *arena_strndup(struct arena *arena, const char *s, size_t len);

/*
 * A stock: objects of one size in an arena that may be returned before its end.
 * The next object taken is the last one returned. A stock of all zeros is
 * empty; its objects are at least as large as a pointer.
 */
struct stock {
    struct arena arena;
    void *spare; /* the last object returned */
};

/* Take a zeroed object. All objects of a stock must have the same size. */
void *stock_take(struct stock *stock, size_t size);
void stock_free(struct stock *stock, void *object);
void stock_fini(struct stock *stock);

#endif /* BASE_ARENA_H */

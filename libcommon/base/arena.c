#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_MIN = 240, BLOCK_TIMES = 4, BLOCK_MAX = 1 << 20 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

void arena_fini(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}

static void *take(struct arena *arena, size_t size, size_t align)
{
    struct arena_block *block = arena->blocks;
    /* the first block is small, so that malloc() has one cached */
    size_t start = 0, room = block ? block->size * BLOCK_TIMES : BLOCK_MIN;

    if (block)
        start = (block->used + align - 1) & ~(align - 1);
    if (!block || start > block->size || block->size - start < size) {
        if (room > BLOCK_MAX)
            room = BLOCK_MAX;
        if (room < size)
            room = size;
        block = xmalloc(sizeof(*block) + room);
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
        start = 0;
    }
    block->used = start + size;
    return block->bytes + start;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return memset(take(arena, size, alignof(void *)), 0, size);
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
    char *copy = take(arena, len + 1, 1);

    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

/* The first bytes of a returned object point to the one returned before it. */
void *stock_take(struct stock *stock, size_t size)
{
    void *object = stock->spare;

    if (!object)
        return arena_alloc(&stock->arena, size);
    memcpy(&stock->spare, object, sizeof(stock->spare));
    return memset(object, 0, size);
}

void stock_free(struct stock *stock, void *object)
{
    memcpy(object, &stock->spare, sizeof(stock->spare));
    stock->spare = object;
}

void stock_fini(struct stock *stock)
{
    arena_fini(&stock->arena);
    *stock = (struct stock){0};
}

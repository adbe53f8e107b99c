/* The blocks of an arena (arena.h): a list, of which the first has room. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_MIN = 4096, BLOCK_MAX = 1 << 20 };

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

/* Blocks double in size, so that a small set stays small. */
static struct arena_block *grow(struct arena *arena, size_t need)
{
    size_t size = arena->blocks ? arena->blocks->size * 2 : BLOCK_MIN;
    struct arena_block *block;

    if (size > BLOCK_MAX)
        size = BLOCK_MAX;
    if (size < need)
        size = need;
    block = xcalloc(1, sizeof(*block) + size);
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

static void *take(struct arena *arena, size_t size, size_t align)
{
    struct arena_block *block = arena->blocks;
    size_t start = 0;

    if (block)
        start = (block->used + align - 1) & ~(align - 1);
    if (!block || start > block->size || block->size - start < size) {
        block = grow(arena, size);
        start = 0;
    }
    block->used = start + size;
    return block->bytes + start;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return take(arena, size, alignof(void *));
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
    char *copy = take(arena, len + 1, 1);

    memcpy(copy, s, len);
    return copy;
}

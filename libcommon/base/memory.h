/*
 * Memory. All our code allocates here. If no memory is left, memory_exhausted()
 * ends the process: no function of the library returns "out of memory", and no
 * caller has a branch for it. Data that must survive such an end is on disk.
 *
 *     struct node *n = xcalloc(1, sizeof(*n));
 *     char *path = NULL;
 *     xasprintf(&path, "%s/%s", up, name);
 *
 * There are also streams that write to memory.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * End the process because no memory is left. Call this if another library
 * reports that it has none. This function aborts and is weak: cli/ has one that
 * prints a message first, and programs link that one.
 */
void memory_exhausted(void) __attribute__((noreturn));

/* Like the functions of libc with these names, but never NULL. For 0 bytes they
   return at least one byte. */
void *xmalloc(size_t size) __attribute__((malloc, alloc_size(1)));
void *xcalloc(size_t n, size_t size) __attribute__((malloc));
void *xrealloc(void *p, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *text) __attribute__((malloc));
char *xstrndup(const char *text, size_t n) __attribute__((malloc));

/*
 * Make room for one more element behind the n elements of a vector; or add one,
 * which the other arguments are. The room doubles at powers of two, so that
 * nobody has to store its size.
 *
 *     VECTOR_ADD(list->item, list->n, (struct item){.name = name});
 */
#define VECTOR_GROW(list, n) ((list) = xgrow((list), (n), sizeof(*(list))))
#define VECTOR_ADD(list, n, ...) \
    (VECTOR_GROW((list), (n)), (void)((list)[(n)++] = __VA_ARGS__))
void *xgrow(void *list, size_t n, size_t size);

/* Make room for n elements in a vector whose room is stored. It is never NULL,
   and grows at least to the double. */
#define VECTOR_ROOM(list, room, n) \
    ((list) = xroom((list), &(room), (n), sizeof(*(list))))
void *xroom(void *list, size_t *room, size_t n, size_t size);

/* Return the room that a vector of n elements must have if it is allocated at
   once. */
size_t vector_room(size_t n);

/* Sort a vector as qsort() does, unless it is in order already. */
#define VECTOR_SORT(list, n, compare) \
    vector_sort((list), (n), sizeof(*(list)), (compare))
void vector_sort(void *list, size_t n, size_t size,
                 int (*compare)(const void *, const void *));

/*
 * Return the first index from `lo` to `hi` for which a condition on i does not
 * hold, or `hi`. The condition must not hold for any index behind it.
 *
 *     at = VECTOR_SEEK(i, 0, list->n, list->time[i] < time);
 */
#define VECTOR_SEEK(i, lo, hi, condition)     \
    ({                                        \
        size_t lo_ = (lo), hi_ = (hi);        \
        while (lo_ < hi_) {                   \
            size_t i = lo_ + (hi_ - lo_) / 2; \
            if (condition)                    \
                lo_ = (i) + 1;                \
            else                              \
                hi_ = i;                      \
        }                                     \
        lo_;                                  \
    })

/* Return the first index below n for which a condition on i holds, or n. */
#define VECTOR_FIND(i, n, condition)     \
    ({                                   \
        size_t i = 0, n_ = (n);          \
        while ((i) < n_ && !(condition)) \
            (i)++;                       \
        i;                               \
    })

/* Return how two numbers or pointers compare: -1, 0 or 1. */
#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/* Compare doubles or 32-bit numbers, for VECTOR_SORT(). Structs are compared by
   the number with which they begin. */
int compare_doubles(const void *a, const void *b);
int compare_uint32(const void *a, const void *b);

/* Print to a new string *out. Returns its length. */
int xasprintf(char **out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int xvasprintf(char **out, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));

/*
 * Open a stream that writes to memory. When it is closed, *text is its
 * terminated text, for free(), and *len its length (`len` may be NULL). Both
 * variables must exist until then.
 */
FILE *memory_open(char **text, size_t *len);

/* Close a stream of memory_open(). */
void memory_close(FILE *fp);

/* Close a stream of memory_open(), and return its text if it is good; otherwise
   free it and return NULL. */
char *memory_take(FILE *fp, char **text, bool good);

#endif /* BASE_MEMORY_H */

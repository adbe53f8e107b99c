/*
 * Memory. All our code allocates here. If no memory is left, memory_exhausted()
 * ends the process: no function of the library has "out of memory" among its
 * results, and no caller has a branch for it. What must survive such an end is
 * on disk.
 *
 *     struct node *n = xcalloc(1, sizeof(*n));
 *     char *path = NULL;
 *     xasprintf(&path, "%s/%s", up, name);
 *
 * Beside it streams that write to memory.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/*
 * End the process because no memory is left. Call it if another library reports
 * that it had none. The function here aborts and is weak: cli/ has one that
 * prints a message first, and a program links that one instead.
 */
void memory_exhausted(void) __attribute__((noreturn));

/* As their namesakes in libc, but never NULL; of 0 bytes: a byte. */
void *xmalloc(size_t size) __attribute__((malloc, alloc_size(1)));
void *xcalloc(size_t n, size_t size) __attribute__((malloc));
void *xrealloc(void *p, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *text) __attribute__((malloc));
char *xstrndup(const char *text, size_t n) __attribute__((malloc));

/*
 * Room for one more element behind the n of a vector. It doubles at powers
 * of two, so that nobody has to keep how much room there is.
 *
 *     VECTOR_GROW(list->item, list->n);
 *     list->item[list->n++] = item;
 */
#define VECTOR_GROW(list, n) ((list) = xgrow((list), (n), sizeof(*(list))))
void *xgrow(void *list, size_t n, size_t size);

/* Room for so many that a vector of n has, where it is made in one go. */
size_t vector_room(size_t n);

/* The new text is in *out; its length is returned. */
int xasprintf(char **out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int xvasprintf(char **out, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));

/*
 * Open a stream whose text, terminated, is in *text when it is closed, for
 * free(), and its length in *len (NULL: nobody asks); both must stay until
 * then.
 */
FILE *memory_open(char **text, size_t *len);

/* Close it. */
void memory_close(FILE *fp);

#endif /* BASE_MEMORY_H */

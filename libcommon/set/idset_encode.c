/*
 * Writing sets: digits are put by hand, two at a time, into a block that is
 * handed on when it is full. A million runs cost one pass over them.
 */
#include "set/idset_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "set/digits.h"

#define RUN_MAX 22 /* ",4294967294-4294967294" */
#define BLOCK 65536

/* Put runs from index *i on while there is room. Returns the length. */
static size_t put_runs(const struct idset *set, size_t *i, char *buf,
                       size_t size)
{
    char *p = buf, *end = buf + size;

    for (; *i < set->n && end - p >= RUN_MAX; ++*i) {
        struct idrange r = set->run[*i];

        if (*i)
            *p++ = ',';
        p = put_number(p, r.lo);
        if (r.hi > r.lo) {
            *p++ = '-';
            p = put_number(p, r.hi);
        }
    }
    return (size_t)(p - buf);
}

char *idset_encode(const struct idset *set)
{
    size_t size = 64, len = 0, i = 0;
    char *buf = xmalloc(size);

    for (;;) {
        len += put_runs(set, &i, buf + len, size - len - 1);
        if (i == set->n)
            break;
        size *= 2;
        buf = xrealloc(buf, size);
    }
    buf[len] = '\0';
    return buf;
}

int idset_write(const struct idset *set, FILE *fp)
{
    char buf[BLOCK];
    size_t i = 0;

    while (i < set->n) {
        size_t len = put_runs(set, &i, buf, sizeof(buf));

        if (fwrite(buf, 1, len, fp) != len)
            return -1;
    }
    return 0;
}

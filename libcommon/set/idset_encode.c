/*
 * Writing sets: digits are put by hand, two at a time, into a block that is
 * handed on when it is full. A million runs cost one pass over them.
 */
#include "set/idset_private.h"

#include "base/memory.h"
#include "set/digits.h"

#define RUN_MAX 22 /* ",4294967294-4294967294" */
#define BLOCK 4096

int idset_write(const struct idset *set, FILE *fp)
{
    char buf[BLOCK], *p = buf;

    for (size_t i = 0; i < set->n; i++) {
        struct idrange r = set->run[i];

        if (i)
            *p++ = ',';
        p = put_number(p, r.lo);
        if (r.hi > r.lo) {
            *p++ = '-';
            p = put_number(p, r.hi);
        }
        if (p > buf + BLOCK - RUN_MAX || i + 1 == set->n) {
            fwrite_unlocked(buf, 1, (size_t)(p - buf), fp);
            p = buf;
        }
    }
    return ferror(fp) ? -1 : 0;
}

char *idset_encode(const struct idset *set)
{
    char *text;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    idset_write(set, fp);
    memory_close(fp);
    return text;
}

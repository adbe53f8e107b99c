/*
 * Writing RFC 29 strings: neighbouring runs with the same prefix and suffix
 * share a bracket, as long as every reader gives the numbers in it the
 * width they have. RFC 29 pads all of a bracket like its first number,
 * others pad each range like its own first number; so a bracket that starts
 * with a padded number takes no narrower one and none padded otherwise, and
 * one that starts unpadded takes no padded number at all.
 */
#include "set/hostlist_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "set/digits.h"
#include "set/writer.h"

static bool is_padded(const struct host_run *r)
{
    return r->width > count_digits(r->lo);
}

/* May `r` stand in the bracket that `first` begins? */
static bool fits(const struct hostlist *hl, const struct host_run *first,
                 const struct host_run *r)
{
    if (!first->width || !r->width || first->plen != r->plen
        || first->slen != r->slen)
        return false;
    if (first->affix != r->affix
        && memcmp(run_prefix(hl, first), run_prefix(hl, r),
                  (size_t)r->plen + r->slen)
               != 0)
        return false;
    if (is_padded(first))
        return is_padded(r) ? r->width == first->width
                            : r->width >= first->width;
    return !is_padded(r);
}

size_t hostlist_expr_end(const struct hostlist *hl, size_t i)
{
    const struct host_run *first = &hl->run[i];

    do
        i++;
    while (i < hl->n && fits(hl, first, &hl->run[i]));
    return i;
}

static void put_run(struct writer *w, const struct host_run *r)
{
    char *p = writer_room(w, 2 * DIGITS_MAX + 1);

    p = put_padded(p, r->lo, r->width);
    if (r->hi > r->lo) {
        *p++ = '-';
        p = put_padded(p, r->hi, r->width);
    }
    writer_end(w, p);
}

void hostlist_put_numbers(struct writer *w, const struct hostlist *hl, size_t i,
                          size_t end)
{
    const struct host_run *r = &hl->run[i];
    bool bracket = end - i > 1 || r->hi > r->lo;

    if (!r->width)
        return;
    if (bracket)
        writer_put(w, "[", 1);
    for (size_t k = i; k < end; k++) {
        if (k > i)
            writer_put(w, ",", 1);
        put_run(w, &hl->run[k]);
    }
    if (bracket)
        writer_put(w, "]", 1);
}

int hostlist_write(const struct hostlist *hl, FILE *fp)
{
    return hostlist_write_tails(hl, NULL, fp);
}

int hostlist_write_names(const struct hostlist *hl, const char *separator,
                         size_t len, FILE *fp)
{
    struct writer w;

    writer_init(&w, fp);
    for (size_t i = 0; i < hl->n && !w.failed; i++) {
        const struct host_run *r = &hl->run[i];

        for (uint64_t n = r->lo; n <= r->hi && !w.failed; n++) {
            char *p;

            if (i || n > r->lo)
                writer_put(&w, separator, len);
            p = writer_room(&w, HOSTLIST_NAME_MAX);
            writer_end(&w, p + run_name(hl, r, n, p));
        }
    }
    return writer_flush(&w);
}

char *hostlist_encode(const struct hostlist *hl)
{
    char *text;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    hostlist_write(hl, fp);
    memory_close(fp);
    return text;
}

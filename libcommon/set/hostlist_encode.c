/*
 * Writing RFC 29 strings. Neighbouring runs with equal prefix and suffix share
 * a bracket if every reader gives the numbers in it their width. RFC 29 pads
 * all numbers of a bracket like the first one; other readers pad each range
 * like its own first number. So a bracket that starts with a padded number
 * takes no narrower numbers, and no numbers with other padding. A bracket that
 * starts unpadded takes no padded number.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/digits.h"
#include "set/hostlist_private.h"

#define MAX_FOLDS 7 /* we read up to eight brackets in a name */

/* --- one bracket a name --------------------------------------------------- */

static bool is_padded(const struct host_run *r)
{
    return r->width > count_digits(r->lo);
}

/* Return whether `r` may be in the bracket that `first` begins. */
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

/* Return the end of the runs that share a bracket with run i. */
static size_t expr_end(const struct hostlist *hl, size_t i)
{
    const struct host_run *first = &hl->run[i];

    do
        i++;
    while (i < hl->n && fits(hl, first, &hl->run[i]));
    return i;
}

/* Write this bracket, or the number if there is only one. */
static void put_numbers(FILE *fp, const struct hostlist *hl, size_t i,
                        size_t end)
{
    const struct host_run *r = &hl->run[i];
    bool bracket = end - i > 1 || r->hi > r->lo;

    if (!r->width)
        return;
    if (bracket)
        putc_unlocked('[', fp);
    for (size_t k = i; k < end; k++) {
        char text[2 * DIGITS_MAX + 1], *p;
        r = &hl->run[k];
        p = put_padded(text, r->lo, r->width);
        if (r->hi > r->lo) {
            *p++ = '-';
            p = put_padded(p, r->hi, r->width);
        }
        if (k > i)
            putc_unlocked(',', fp);
        fwrite_unlocked(text, 1, (size_t)(p - text), fp);
    }
    if (bracket)
        putc_unlocked(']', fp);
}

/*
 * Write text. A reference to a tail (see below) is replaced by the tail, whose
 * text may end in a reference again. `tails` may be NULL.
 */
static void put_text(FILE *fp, const struct map *tails, const char *text,
                     size_t len)
{
    for (;;) {
        const char *bracket = tails ? memrchr(text, '[', len) : NULL;
        uint64_t id;

        if (!bracket || memchr(bracket, ']', len - (size_t)(bracket - text)))
            break;
        fwrite_unlocked(text, 1, (size_t)(bracket - text), fp);
        get_number(bracket + 1, text + len, &id);
        text = tails->slots[id].key;
        len = tails->slots[id].len;
    }
    fwrite_unlocked(text, 1, len, fp);
}

/* Write a list whose names may end in references to tails (NULL: none). */
static void write_tails(const struct hostlist *hl, const struct map *tails,
                        FILE *fp)
{
    for (size_t i = 0, end; i < hl->n; i = end) {
        const struct host_run *r = &hl->run[i];

        end = expr_end(hl, i);
        if (i)
            putc_unlocked(',', fp);
        put_text(fp, tails, run_prefix(hl, r), r->plen);
        put_numbers(fp, hl, i, end);
        put_text(fp, tails, run_suffix(hl, r), r->slen);
    }
}

void hostlist_write(const struct hostlist *hl, FILE *fp)
{
    write_tails(hl, NULL, fp);
}

void hostlist_write_names(const struct hostlist *hl, const char *separator,
                          size_t len, FILE *fp)
{
    char name[HOSTLIST_NAME_MAX];

    for (size_t i = 0; i < hl->n && !ferror_unlocked(fp); i++) {
        const struct host_run *r = &hl->run[i];

        for (uint64_t n = r->lo; n <= r->hi && !ferror_unlocked(fp); n++) {
            bool first = i == 0 && n == r->lo;
            for (size_t k = 0; k < len && !first; k++)
                putc_unlocked(separator[k], fp);
            fwrite_unlocked(name, 1, run_name(hl, r, n, name), fp);
        }
    }
}

char *hostlist_encode(const struct hostlist *hl)
{
    char *text;
    FILE *fp = memory_open(&text, NULL);

    write_tails(hl, NULL, fp);
    return memory_take(fp, &text, true);
}

/* --- several -------------------------------------------------------------- */

/*
 * Several brackets. Folding once, at the last number of the names, leaves
 * `r0n[0-7]`, `r1n[0-7]`. Read as plain names, these fold again to
 * `r[0-1]n[0-7]`: numbers further left vary more slowly, which is the order in
 * which brackets are expanded. So folding is repeated until nothing gets
 * shorter.
 *
 * To keep the names short, the tail of a name, from a bracket on, is kept in a
 * table. The name has `[` and the number of the tail instead.
 */

/* Append an expression of `from`, as a name, to `to`. Returns false if it is
   too long. */
static bool append_expr(struct map *tails, struct hostlist *to,
                        const struct hostlist *from, size_t first, size_t end)
{
    const struct host_run *r = &from->run[first];
    char name[HOSTLIST_NAME_MAX + DIGITS_MAX + 1];
    size_t len;

    if (end - first == 1 && r->lo == r->hi) {
        len = run_name(from, r, r->lo, name);
    } else {
        char *p = mempcpy(name, run_prefix(from, r), r->plen), *tail;
        FILE *fp = memory_open(&tail, &len);

        /* the number of the tail, bracket and suffix, stands for it */
        put_numbers(fp, from, first, end);
        put_text(fp, NULL, run_suffix(from, r), r->slen);
        memory_close(fp);
        *p++ = '[';
        p = put_number(p, (size_t)(map_at(tails, tail, len) - tails->slots));
        len = (size_t)(p - name);
        free(tail);
    }
    if (len >= HOSTLIST_NAME_MAX)
        return false;
    hostlist_append_name(to, name, len);
    return true;
}

/* Fold once more. Returns a new list of expressions, or NULL if one is too
   long. */
static struct hostlist *fold(struct map *tails, const struct hostlist *hl)
{
    struct hostlist *out = hostlist_create();

    for (size_t i = 0, end; i < hl->n; i = end) {
        end = expr_end(hl, i);
        if (!append_expr(tails, out, hl, i, end)) {
            hostlist_destroy(out);
            return NULL;
        }
    }
    return out;
}

void hostlist_write_multi(const struct hostlist *hl, FILE *fp)
{
    struct map tails = {0};
    struct hostlist *now = hostlist_copy(hl), *next;

    for (int i = 0; i < MAX_FOLDS; i++) {
        next = fold(&tails, now);
        if (!next || next->count == now->count) {
            hostlist_destroy(next);
            break;
        }
        hostlist_destroy(now);
        now = next;
    }
    write_tails(now, &tails, fp);
    hostlist_destroy(now);
    map_fini(&tails);
}

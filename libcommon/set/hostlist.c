/*
 * The list itself: memory, appending, and questions about positions, which step
 * from run to run.
 *
 * Names that arrive one by one are joined into runs at once. A new name is
 * compared with the last run only, so building is linear. If the last run is a
 * single name, it may be split at another group of digits so that the new name
 * continues it: `a1-ib0`, `a2-ib0` becomes `a[1-2]-ib0`, although the last
 * group of digits is the 0.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/digits.h"
#include "set/hostset.h"

struct hostlist *hostlist_create(void)
{
    return xcalloc(1, sizeof(struct hostlist));
}

struct hostlist *hostlist_copy(const struct hostlist *hl)
{
    struct hostlist *copy = hostlist_create();

    if (!hl->n)
        return copy;
    *copy = *hl;
    copy->set = NULL;
    copy->settled = false;
    copy->run = xmalloc(vector_room(hl->n) * sizeof(*hl->run));
    memcpy(copy->run, hl->run, hl->n * sizeof(*hl->run));
    copy->text = xmalloc(hl->used + 1);
    memcpy(copy->text, hl->text, hl->used);
    copy->room = hl->used + 1;
    return copy;
}

void hostlist_destroy(struct hostlist *hl)
{
    if (!hl)
        return;
    hostset_destroy(hl->set);
    free(hl->run);
    free(hl->text);
    free(hl);
}

struct host host_split(const char *name, size_t len)
{
    const char *end = memchr(name, '[', len), *first;
    struct host h = {.prefix = name, .plen = len, .suffix = name + len};

    if (!end)
        end = name + len;
    while (end > name && !is_digit(end[-1]))
        end--;
    for (first = end; first > name && is_digit(first[-1]); first--)
        ;
    if (first == end)
        return h;
    if (end - first > HOST_DIGITS)
        first = end - HOST_DIGITS;
    get_number(first, end, &h.number);
    h.plen = (size_t)(first - name);
    h.width = (int)(end - first);
    h.suffix = end;
    h.slen = len - (size_t)(end - name);
    return h;
}

void hostlist_push(struct hostlist *hl, const struct host *h, uint64_t count)
{
    struct host_run r = {.lo = h->number,
                         .hi = h->number + count - 1,
                         .before = hl->count,
                         .affix = hl->used,
                         .plen = (uint16_t)h->plen,
                         .slen = (uint16_t)h->slen,
                         .width = (uint8_t)h->width};
    struct host_run *last = hl->n ? &hl->run[hl->n - 1] : NULL;
    bool same = last && last->plen == h->plen && last->slen == h->slen
                && !memcmp(run_prefix(hl, last), h->prefix, h->plen)
                && !memcmp(run_suffix(hl, last), h->suffix, h->slen);

    hl->count += count;
    if (same && last->width && h->width && h->number == last->hi + 1
        && h->width == run_width(last, h->number)) { /* continue the run */
        last->hi = r.hi;
        return;
    }
    if (same) {
        r.affix = last->affix;
    } else {
        VECTOR_ROOM(hl->text, hl->room, hl->used + h->plen + h->slen);
        memcpy(hl->text + r.affix, h->prefix, h->plen);
        memcpy(hl->text + r.affix + h->plen, h->suffix, h->slen);
        hl->used += h->plen + h->slen;
    }
    VECTOR_ADD(hl->run, hl->n, r);
}

struct host run_host(const struct hostlist *hl, const struct host_run *r,
                     uint64_t n)
{
    return (struct host){.prefix = run_prefix(hl, r),
                         .plen = r->plen,
                         .suffix = run_suffix(hl, r),
                         .slen = r->slen,
                         .number = n,
                         .width = r->width ? run_width(r, n) : 0};
}

static size_t host_name(const struct host *h, char *buf)
{
    char *p = mempcpy(buf, h->prefix, h->plen);

    if (h->width)
        p = put_padded(p, h->number, h->width);
    p = mempcpy(p, h->suffix, h->slen);
    *p = '\0';
    return (size_t)(p - buf);
}

size_t run_name(const struct hostlist *hl, const struct host_run *r, uint64_t n,
                char *buf)
{
    struct host h = run_host(hl, r, n);

    return host_name(&h, buf);
}

/* Split a name as run `r` is split, if that is possible. */
static bool split_as(const struct hostlist *hl, const struct host_run *r,
                     const char *name, size_t len, struct host *h)
{
    const char *first, *end;
    uint64_t number;

    if (!r->width || len <= (size_t)r->plen + r->slen)
        return false;
    first = name + r->plen;
    end = name + len - r->slen;
    if (end - first > HOST_DIGITS
        || memcmp(name, run_prefix(hl, r), r->plen) != 0
        || memcmp(end, run_suffix(hl, r), r->slen) != 0
        || get_number(first, end, &number) != end)
        return false;
    h->number = number;
    h->plen = r->plen;
    h->suffix = end;
    h->slen = r->slen;
    h->width = (int)(end - first);
    return true;
}

/*
 * Return whether two names differ in one group of digits and in nothing else.
 * Sets the parts of both, with the whole group as number.
 */
static bool differ_in_number(const char *a, size_t alen, const char *b,
                             size_t blen, struct host *x, struct host *y)
{
    size_t least = alen < blen ? alen : blen, head = 0, tail = 0;
    const char *aend, *bend;

    while (head < least && a[head] == b[head])
        head++;
    while (head > 0 && is_digit(a[head - 1]))
        head--;
    while (tail < least - head && a[alen - 1 - tail] == b[blen - 1 - tail])
        tail++;
    while (tail > 0 && is_digit(a[alen - tail]))
        tail--;
    if (alen - head - tail > HOST_DIGITS || blen - head - tail > HOST_DIGITS
        || memchr(a, '[', head))
        return false;
    aend = a + alen - tail;
    bend = b + blen - tail;
    *x = (struct host){a, aend, head, tail, 0, (int)(aend - a - head)};
    *y = (struct host){b, bend, head, tail, 0, (int)(bend - b - head)};
    return x->width && y->width
           && get_number(a + head, aend, &x->number) == aend
           && get_number(b + head, bend, &y->number) == bend;
}

/*
 * Return whether the last name may be split again to match `next`. A name in a
 * longer run may not. A name that shares a bracket with the run before it may
 * only if `next` then continues it.
 */
static bool is_free(const struct hostlist *hl, const struct host *last,
                    const struct host *next)
{
    const struct host_run *r = &hl->run[hl->n - 1];

    if (next->number == last->number + 1 && next->width >= last->width)
        return true;
    return hl->n == 1 || (r - 1)->affix != r->affix;
}

/*
 * Split a name so that it matches the last run: like that run, or both at the
 * group of digits in which they differ.
 */
static void split_like_last(struct hostlist *hl, const char *name, size_t len,
                            struct host *h)
{
    const struct host_run *last = &hl->run[hl->n - 1];
    char old[HOSTLIST_NAME_MAX];
    size_t oldlen;
    struct host x, y;

    if (split_as(hl, last, name, len, h) || last->lo != last->hi)
        return;
    oldlen = run_name(hl, last, last->lo, old);
    if (!differ_in_number(old, oldlen, name, len, &x, &y)
        || !is_free(hl, &x, &y))
        return;
    VECTOR_ROOM(hl->text, hl->room, hl->used + x.plen + x.slen);
    *h = y;
    hl->n--;
    hl->count--;
    hostlist_push(hl, &x, 1);
}

void hostlist_append_name(struct hostlist *hl, const char *name, size_t len)
{
    struct host h = host_split(name, len);

    if (hl->n)
        split_like_last(hl, name, len, &h);
    hostlist_push(hl, &h, 1);
}

int hostlist_append(struct hostlist *hl, const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len >= HOSTLIST_NAME_MAX || hl->count >= UINT32_MAX)
        return -1;
    for (size_t i = 0; i < len; i++)
        if (!is_host_char(name[i]))
            return -1;
    hostlist_append_name(hl, name, len);
    return 0;
}

void hostlist_append_hosts(struct hostlist *hl, const struct host *h,
                           uint64_t count)
{
    char name[HOSTLIST_NAME_MAX];

    if (count > 1)
        hostlist_push(hl, h, count);
    else
        hostlist_append_name(hl, name, host_name(h, name));
}

int hostlist_append_list(struct hostlist *hl, const struct hostlist *other)
{
    if (hl->count + other->count > UINT32_MAX)
        return -1;
    for (size_t i = 0; i < other->n; i++) {
        const struct host_run *r = &other->run[i];
        struct host h = run_host(other, r, r->lo);
        hostlist_append_hosts(hl, &h, run_count(r));
    }
    return 0;
}

/* --- questions ------------------------------------------------------------ */

uint64_t hostlist_count(const struct hostlist *hl)
{
    return hl->count;
}

/* Return the index of the run with the n-th host, counted from 0. */
static size_t seek(const struct hostlist *hl, uint64_t n)
{
    return VECTOR_SEEK(i, 0, hl->n,
                       hl->run[i].before + run_count(&hl->run[i]) <= n);
}

int hostlist_nth(const struct hostlist *hl, uint64_t n,
                 char buf[HOSTLIST_NAME_MAX])
{
    const struct host_run *r;

    if (n >= hl->count)
        return -1;
    r = &hl->run[seek(hl, n)];
    return (int)run_name(hl, r, r->lo + (n - r->before), buf);
}

struct idset *hostlist_find(const struct hostlist *hl, const char *name)
{
    struct idset *out = idset_create();
    size_t len = strlen(name);

    for (size_t i = 0; i < hl->n; i++) {
        const struct host_run *r = &hl->run[i];
        struct host h = {.number = r->lo};
        bool has;

        if (!r->width)
            has = len == (size_t)r->plen + r->slen
                  && !memcmp(name, run_prefix(hl, r), len);
        else
            has = split_as(hl, r, name, len, &h) && h.number >= r->lo
                  && h.number <= r->hi && h.width == run_width(r, h.number);
        if (has) {
            uint32_t at = (uint32_t)(r->before + h.number - r->lo);
            idset_add(out, at, at);
        }
    }
    return out;
}

void hostlist_iter_init(struct hostlist_iter *it, const struct hostlist *hl)
{
    *it = (struct hostlist_iter){.hl = hl};
}

int hostlist_iter_next(struct hostlist_iter *it, char buf[HOSTLIST_NAME_MAX])
{
    const struct hostlist *hl = it->hl;
    const struct host_run *r;
    uint64_t n;

    if (it->run >= hl->n)
        return -1;
    r = &hl->run[it->run];
    n = r->lo + it->next;
    hostlist_iter_skip(it, 1);
    return (int)run_name(hl, r, n, buf);
}

uint64_t hostlist_iter_run(const struct hostlist_iter *it)
{
    return it->run < it->hl->n ? run_count(&it->hl->run[it->run]) - it->next
                               : 0;
}

/* Append the next n hosts; at the end fewer. */
static void take_hosts(struct hostlist *out, struct hostlist_iter *it,
                       uint64_t n)
{
    uint64_t left;

    while (n > 0 && (left = hostlist_iter_run(it)) > 0) {
        const struct host_run *r = &it->hl->run[it->run];
        struct host h = run_host(it->hl, r, r->lo + it->next);
        uint64_t part = n < left ? n : left;

        hostlist_push(out, &h, part);
        hostlist_iter_skip(it, part);
        n -= part;
    }
}

struct hostlist *hostlist_iter_take(struct hostlist_iter *it, uint64_t n)
{
    struct hostlist *out = hostlist_create();

    take_hosts(out, it, n);
    return out;
}

struct hostlist *hostlist_pick(const struct hostlist *hl,
                               const struct idset *positions)
{
    struct hostlist *out = hostlist_create();
    struct hostlist_iter it = {.hl = hl};

    for (size_t i = 0; i < idset_nranges(positions); i++) {
        struct idrange p = idset_range(positions, i);

        if (it.run < hl->n
            && hl->run[it.run].before + run_count(&hl->run[it.run]) <= p.lo)
            it.run = seek(hl, p.lo);
        if (it.run == hl->n)
            break;
        it.next = p.lo - hl->run[it.run].before;
        take_hosts(out, &it, (uint64_t)p.hi - p.lo + 1);
    }
    return out;
}

bool host_but_for_domain(const char *a, const char *b)
{
    size_t len = strcspn(a, ".");

    return strcspn(b, ".") == len && !strncmp(a, b, len)
           && (a[len] == '\0' || b[len] == '\0');
}

char *hostlist_hint(const struct hostlist *there,
                    const struct hostlist *lacking)
{
    char name[HOSTLIST_NAME_MAX], other[HOSTLIST_NAME_MAX], *text = NULL;
    struct hostlist_iter it;

    hostlist_iter_init(&it, there);
    if (hostlist_nth(lacking, 0, name) >= 0)
        while (!text && hostlist_iter_next(&it, other) >= 0)
            if (host_but_for_domain(name, other))
                xasprintf(&text, "; there is %s", other);
    return text ? text : xstrdup("");
}

int hostlist_need(const struct hostlist *hosts, const struct hostlist *there,
                  struct diag *d)
{
    struct hostlist *none = there ? hostlist_subtract(hosts, there)
                                  : hostlist_copy(hosts);
    char *text = hostlist_encode(none);
    char *hint = there ? hostlist_hint(there, none) : xstrdup("");
    int rc = 0;

    if (!there || *text)
        rc = diag_set(d, "there is no host %s%s", quote_all(text).text, hint);
    free(text);
    free(hint);
    hostlist_destroy(none);
    return rc;
}

/* --- words that are no hosts ---------------------------------------------- */

/* What words of other tools mean, by a letter in them. */
static const struct {
    char letter;
    const char *hint;
} odd_words[] = {
    {'=', "leave out the slots of a hostfile"},
    {':', "leave out the slots of a hostfile"},
    {'*', "leave out the slots of a hostfile, or name each host"},
    {'#', "a comment is read in a file, @FILE"},
    {'@', "there are no groups; @FILE alone reads a file"},
    {'^', "a file is @FILE; idset -H -X is the exclusive or"},
    {'!', "idset -H -x leaves out hosts"},
    {'{', "a range is n[1-3]"},
    {'}', "a range is n[1-3]"},
};

/* Return the hint for a word of a text of hosts; NULL: it may be a host. */
static const char *odd_hint(const char *word, size_t len)
{
    size_t digits = 0;

    while (digits < len && isdigit((unsigned char)word[len - digits - 1]))
        digits++;
    for (size_t i = 0; i < sizeof(odd_words) / sizeof(odd_words[0]); i++) {
        const char *at = memchr(word, odd_words[i].letter, len);
        if (at && (*at != ':' || (digits > 0 && at == word + len - digits - 1)))
            return odd_words[i].hint;
    }
    return NULL;
}

int hostlist_check_words(const char *text, size_t n, struct diag *d)
{
    static const char between[] = ", \t\r\n";
    const char *end = text + n, *hint;
    size_t len;

    for (const char *word = text; word < end; word += len + 1) {
        for (len = 0; word + len < end && !strchr(between, word[len]); len++)
            ;
        if ((hint = odd_hint(word, len)))
            return diag_set(d, "%s is not the name of a host (%s)",
                            quote(word, len).text, hint);
    }
    return 0;
}

void hostlist_blank_comments(char *text, size_t n)
{
    bool in = false;

    for (size_t i = 0; i < n; i++) {
        in = text[i] != '\n'
             && (in
                 || (text[i] == '#'
                     && (i == 0 || isspace((unsigned char)text[i - 1]))));
        if (in)
            text[i] = ' ';
    }
}

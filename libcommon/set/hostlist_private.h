/*
 * The inside of a hostlist, for the files of this folder only.
 *
 * A run is prefix, number, suffix, with the number going from lo to hi at a
 * least width. Prefixes and suffixes are in one buffer per list, and a run with
 * the affixes of the run before it shares them. So a list is two arrays,
 * however many hosts it names. A run knows how many hosts are before it, so the
 * n-th host is found by a binary search.
 *
 * Every name has one split of its own (see host_split): its last group of
 * digits, as much of it as fits. Runs read from brackets may be split
 * elsewhere, but comparisons always use the text of the names.
 */
#ifndef SET_HOSTLIST_PRIVATE_H
#define SET_HOSTLIST_PRIVATE_H

#include "base/digits.h"
#include "set/hostlist.h"

/* Numbers of up to 18 digits: no sum of two overflows 64 bits. */
#define HOST_DIGITS 18
#define HOST_NUMBER_MAX UINT64_C(999999999999999999)

/* A name in its parts. A name without a number has width 0. */
struct host {
    const char *prefix, *suffix;
    size_t plen, slen;
    uint64_t number;
    int width; /* number of digits as written */
};

struct host_run {
    uint64_t lo, hi;
    uint64_t before; /* hosts in the runs before it */
    size_t affix;    /* offset of the prefix; the suffix follows it */
    uint16_t plen, slen;
    uint8_t width; /* width of lo: at least its digits; 0: there is no number */
};

struct hostlist {
    struct host_run *run;
    size_t n;
    char *text;
    size_t used, room;
    uint64_t count;
    struct hostset *set; /* the index of a settled list, or NULL */
    bool settled;
};

static inline const char *run_prefix(const struct hostlist *hl,
                                     const struct host_run *r)
{
    return hl->text + r->affix;
}

static inline const char *run_suffix(const struct hostlist *hl,
                                     const struct host_run *r)
{
    return hl->text + r->affix + r->plen;
}

static inline uint64_t run_count(const struct host_run *r)
{
    return r->hi - r->lo + 1;
}

/* Step over n hosts of the current run. */
static inline void hostlist_iter_skip(struct hostlist_iter *it, uint64_t n)
{
    it->next += n;
    if (it->next == run_count(&it->hl->run[it->run])) {
        it->run++;
        it->next = 0;
    }
}

/* Return whether a character is allowed in a name, outside of brackets. */
static inline bool is_host_char(char c)
{
    return c > ' ' && c < 0x7f && c != '[' && c != ']' && c != ',';
}

/* Return how many digits number n of a run is written with. */
static inline int run_width(const struct host_run *r, uint64_t n)
{
    int digits = count_digits(n);

    return digits > r->width ? digits : r->width;
}

/*
 * Split a name at its last group of digits. Text from a bracket on is ignored:
 * hostlist_write_multi() folds names that end in one.
 */
struct host host_split(const char *name, size_t len);

/*
 * Append `count` hosts that begin with `h`, joined to the run before them if
 * they continue it. The caller has checked the length of the names, and the
 * numbers.
 */
void hostlist_push(struct hostlist *hl, const struct host *h, uint64_t count);

/* Append `count` hosts that begin with `h`; a single one may be split
   differently to continue the run before it. */
void hostlist_append_hosts(struct hostlist *hl, const struct host *h,
                           uint64_t count);

/* Append a name that is known to be valid, or that ends in a bracket. */
void hostlist_append_name(struct hostlist *hl, const char *name, size_t len);

/* Return the host with number n of a run. Its parts belong to the list. */
struct host run_host(const struct hostlist *hl, const struct host_run *r,
                     uint64_t n);

/* Put the name with number n of a run into buf, which holds HOSTLIST_NAME_MAX.
   Returns its length. */
size_t run_name(const struct hostlist *hl, const struct host_run *r, uint64_t n,
                char *buf);

#endif /* SET_HOSTLIST_PRIVATE_H */

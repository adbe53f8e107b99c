/*
 * Ordered lists of host names: RFC 29 hostlists.
 *
 * Order and duplicates are significant. A list is kept as runs of names
 * that differ only in a number (prefix, lo..hi at a width, suffix), so that
 * `node[0-999999]` costs one run. Names that are not part of a run are runs
 * of one.
 *
 * Strings are read strictly (RFC 29): at most one pair of brackets a name,
 * ascending ranges, no white space. The zeros of the first number in a
 * bracket pad all of it.
 */
#ifndef SET_HOSTLIST_H
#define SET_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "set/idset.h"

/* Longer names are refused: a buffer of this size holds any host. */
#define HOSTLIST_NAME_MAX 1024

struct hostlist;

struct hostlist *hostlist_create(void);
struct hostlist *hostlist_copy(const struct hostlist *hl);
void hostlist_destroy(struct hostlist *hl); /* NULL is allowed */

/*
 * RFC 29: append the hosts that `len` bytes of text name to `hl`. Returns
 * 0; or -1, `hl` as it was and the offending piece with its offset in `d`.
 * Lists of more than UINT32_MAX hosts are refused.
 */
int hostlist_decode(struct hostlist *hl, const char *text, size_t len,
                    struct diag *d);

/* How hosts are read where more than RFC 29 is wanted. */
struct hostlist_reader {
    uint64_t max;  /* more hosts than this are refused */
    bool multi;    /* several brackets in one name: `r[0-3]n[0-7]` */
    bool pad_each; /* zeros pad only the range they are in, as with Flux */
    bool step;     /* `n[0-30/2]`, every other, as ClusterShell writes */
    bool many;     /* white space separates lists, as on standard input */
    size_t line;   /* number of the first line, for messages; 0: do not tell */
};

#define HOSTLIST_READER ((struct hostlist_reader){.max = UINT32_MAX})

/*
 * Append what a text names. Returns 0; or -1 with the offending piece and
 * its offset in `d`, and its line if the reader knows the number of the
 * first. Hosts before the fault are in the list then.
 */
int hostlist_read(struct hostlist *hl, const char *text, size_t len,
                  const struct hostlist_reader *how, struct diag *d);

/*
 * Append one name. Returns -1 also if it is empty, too long, or has a
 * character that no hostlist can hold (white space, comma, brackets, what
 * is not printable ASCII).
 */
int hostlist_append(struct hostlist *hl, const char *name, size_t len);
/* Append all of `other`. Returns -1 if a list can't hold as many hosts. */
int hostlist_append_list(struct hostlist *hl, const struct hostlist *other);

/* The compressed string of the list: a new string for free(), or to a FILE. */
char *hostlist_encode(const struct hostlist *hl);
int hostlist_write(const struct hostlist *hl, FILE *fp);

/*
 * The same with several brackets in a name where that is shorter (an
 * extension: `r[0-3]n[0-7]`). It expands to the list in its order.
 */
int hostlist_write_multi(const struct hostlist *hl, FILE *fp);

/* All names by themselves, with `len` bytes of separator between them. */
int hostlist_write_names(const struct hostlist *hl, const char *separator,
                         size_t len, FILE *fp);

uint64_t hostlist_count(const struct hostlist *hl);
bool hostlist_equal(const struct hostlist *a, const struct hostlist *b);

/*
 * The n-th name, counted from 0, into buf (cut at size, always terminated).
 * Returns its length, or -1 if there is no such host.
 */
int hostlist_nth(const struct hostlist *hl, uint64_t n, char *buf, size_t size);

/* The positions at which a name stands: a new set, empty if nowhere. */
struct idset *hostlist_find(const struct hostlist *hl, const char *name);

/* Are they the same up to the first dot, and one has no more than that? */
bool host_but_for_domain(const char *a, const char *b);

/*
 * What to say of hosts that are not there: `; there is n1.site.org` if that is
 * the first of them but for the domain, which one of the two lacks; or "". A
 * new text for free().
 */
char *hostlist_hint(const struct hostlist *there,
                    const struct hostlist *lacking);

/* Are they all there (NULL: none is)? 0, or -1 with a diag that names those
   that are not, with the hint. */
int hostlist_need(const struct hostlist *hosts, const struct hostlist *there,
                  struct diag *d);

/* A new list of the hosts at the given positions, in ascending position. */
struct hostlist *hostlist_pick(const struct hostlist *hl,
                               const struct idset *positions);

/*
 * The list will not change any more, and may be asked by what follows again
 * and again: from now on it knows its hosts by name.
 */
void hostlist_settle(struct hostlist *hl);

/*
 * New lists, in the order of `a`: the hosts of a that are in b, those that
 * are not, and those of a that are not in b before those of b that are not
 * in a. A host stands for all its occurrences. xor returns NULL if a list
 * can't hold as many hosts.
 */
struct hostlist *hostlist_intersect(const struct hostlist *a,
                                    const struct hostlist *b);
struct hostlist *hostlist_subtract(const struct hostlist *a,
                                   const struct hostlist *b);
struct hostlist *hostlist_xor(const struct hostlist *a,
                              const struct hostlist *b);

/* Are all hosts of a in b, whatever the order? Is one? */
bool hostlist_subset(const struct hostlist *a, const struct hostlist *b);
bool hostlist_overlaps(const struct hostlist *a, const struct hostlist *b);

/*
 * A new list in order: by prefix, then suffix, then number. Numbers, in
 * prefixes too, are ordered by how many digits they are written with before
 * their value, so that n9 stands before n10, and n10 before n009.
 * Duplicates are kept, or with `unique` removed.
 */
struct hostlist *hostlist_sort(const struct hostlist *hl, bool unique);

/* Is each host named once? 0, or -1 with a diag that names one that is not. */
int hostlist_once(const struct hostlist *hl, struct diag *d);

/* The positions at which hosts of `some` stand in `hl`: a new set. */
struct idset *hostlist_positions(const struct hostlist *hl,
                                 const struct hostlist *some);

/* Iterate over names without random access. */
struct hostlist_iter {
    const struct hostlist *hl;
    size_t run;
    uint64_t next;
};
void hostlist_iter_init(struct hostlist_iter *it, const struct hostlist *hl);
/* The next name into buf. Returns its length, or -1 at the end. */
int hostlist_iter_next(struct hostlist_iter *it, char *buf, size_t size);
/* A new list of the next n hosts; of fewer at the end. */
struct hostlist *hostlist_iter_take(struct hostlist_iter *it, uint64_t n);
/* How many hosts are left in the run where one is; 0 at the end. */
uint64_t hostlist_iter_run(const struct hostlist_iter *it);

#endif /* SET_HOSTLIST_H */

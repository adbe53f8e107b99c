/*
 * Ordered lists of host names: RFC 29 hostlists.
 *
 * Order and duplicates are significant. A list is kept as runs of names that
 * differ only in a number (prefix, lo..hi at a width, suffix), so that
 * `node[0-999999]` costs one run. Other names are runs of one.
 *
 * Strings are read strictly (RFC 29): at most one pair of brackets in a name,
 * ascending ranges, no white space. The zeros of the first number in a bracket
 * pad all numbers in it.
 */
#ifndef SET_HOSTLIST_H
#define SET_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "set/idset.h"

/*
 * Find the first word of a text of hosts that can't be the name of one: it has
 * one of = # * ! @ ^ { }, or a colon and a number at its end, as the files of
 * MPI and the groups of other tools do. Returns -1 with a diag that names it,
 * and what to write in its place; 0: there is none.
 */
int hostlist_check_words(const char *text, size_t n, struct diag *d);

/* Put blanks in place of comments: from a # at the beginning of a line, or
   after a blank, to the end of the line. */
void hostlist_blank_comments(char *text, size_t n);

/* Longer names are refused: a buffer of this size holds any host. */
#define HOSTLIST_NAME_MAX 1024

struct hostlist;

struct hostlist *hostlist_create(void);
struct hostlist *hostlist_copy(const struct hostlist *hl);
void hostlist_destroy(struct hostlist *hl); /* NULL is allowed */

/*
 * Append the hosts that `len` bytes of text name to `hl` (RFC 29). Returns 0,
 * or -1 with the offending piece and its offset in `d`, and `hl` unchanged.
 * Lists of more than UINT32_MAX hosts are refused.
 */
int hostlist_decode(struct hostlist *hl, const char *text, size_t len,
                    struct diag *d);

/* Options for reading more than RFC 29. */
struct hostlist_reader {
    uint64_t max;  /* larger lists are refused */
    bool multi;    /* several brackets in one name: `r[0-3]n[0-7]` */
    bool pad_each; /* zeros pad only the range they are in, as with Flux */
    bool step;     /* `n[0-30/2]`, every other host, as ClusterShell writes */
    bool many;     /* white space separates lists, as on standard input */
    size_t line;   /* number of the first line, for messages; 0: no line
                      numbers */
};

#define HOSTLIST_READER ((struct hostlist_reader){.max = UINT32_MAX})

/*
 * Append the hosts of a text. Returns 0, or -1 with the offending piece and its
 * offset in `d`, and its line if the reader has line numbers. Hosts before the
 * fault have been appended then.
 */
int hostlist_read(struct hostlist *hl, const char *text, size_t len,
                  const struct hostlist_reader *how, struct diag *d);

/*
 * Append one name. Returns -1 if a list can't hold more hosts, or if the name
 * is empty, too long, or has a character that no hostlist can hold (white
 * space, comma, brackets, anything but printable ASCII).
 */
int hostlist_append(struct hostlist *hl, const char *name);
/* Append all hosts of another list. Returns -1 if a list can't hold as many
   hosts. */
int hostlist_append_list(struct hostlist *hl, const struct hostlist *other);

/* Return the compressed string of the list, a new string for free(), or write
   it to a FILE. Write errors show in ferror(). */
char *hostlist_encode(const struct hostlist *hl);
void hostlist_write(const struct hostlist *hl, FILE *fp);

/*
 * Write the compressed string, with several brackets in a name where that is
 * shorter (an extension: `r[0-3]n[0-7]`). It expands to the list in its order.
 */
void hostlist_write_multi(const struct hostlist *hl, FILE *fp);

/* Write each name, with `len` bytes of separator between them. */
void hostlist_write_names(const struct hostlist *hl, const char *separator,
                          size_t len, FILE *fp);

uint64_t hostlist_count(const struct hostlist *hl);
bool hostlist_equal(const struct hostlist *a, const struct hostlist *b);

/*
 * Put the n-th name, counted from 0, into buf. Returns its length, or -1 if
 * there is no such host.
 */
int hostlist_nth(const struct hostlist *hl, uint64_t n,
                 char buf[HOSTLIST_NAME_MAX]);

/* Return the positions of a name: a new set, empty if the list does not have
   it. */
struct idset *hostlist_find(const struct hostlist *hl, const char *name);

/* Return whether two names are equal up to the first dot, and one ends
   there. */
bool host_but_for_domain(const char *a, const char *b);

/*
 * Return a hint about missing hosts: `; there is n1.site.org` if n1.site.org
 * exists and the first missing host is n1, or the other way round; otherwise
 * "". A new string for free().
 */
char *hostlist_hint(const struct hostlist *there,
                    const struct hostlist *lacking);

/* Check that all hosts exist in `there` (NULL: none does). Returns 0, or -1
   with a diag that names the missing ones, and the hint. */
int hostlist_need(const struct hostlist *hosts, const struct hostlist *there,
                  struct diag *d);

/* Return a new list of the hosts at the given positions, in ascending
   position. */
struct hostlist *hostlist_pick(const struct hostlist *hl,
                               const struct idset *positions);

/*
 * Promise that the list will not change any more. From now on it keeps an index
 * of its hosts by name, for repeated questions with the functions below.
 */
void hostlist_settle(struct hostlist *hl);

/*
 * Return new lists, in the order of `a`: the hosts of a that are in b; the
 * hosts of a that are not in b; the latter, followed by the hosts of b that are
 * not in a. A host stands for all its occurrences. xor returns NULL if a list
 * can't hold as many hosts.
 */
struct hostlist *hostlist_intersect(const struct hostlist *a,
                                    const struct hostlist *b);
struct hostlist *hostlist_subtract(const struct hostlist *a,
                                   const struct hostlist *b);
struct hostlist *hostlist_xor(const struct hostlist *a,
                              const struct hostlist *b);

/* Return whether all hosts of a are in b, in any order; whether any is. */
bool hostlist_subset(const struct hostlist *a, const struct hostlist *b);
bool hostlist_overlaps(const struct hostlist *a, const struct hostlist *b);

/*
 * Return a new list in order: by prefix, then suffix, then number. Numbers,
 * also those in prefixes, are ordered by their number of digits first and then
 * by value, so that n9 comes before n10, and n10 before n009. Duplicates are
 * kept, or removed with `unique`.
 */
struct hostlist *hostlist_sort(const struct hostlist *hl, bool unique);

/* Return whether a host is named twice, and put the first one, in order, into
   `name`. */
bool hostlist_repeats(const struct hostlist *hl, char name[HOSTLIST_NAME_MAX]);

/* Check that each host is named once. Returns 0, or -1 with a diag that names
   one that is repeated. */
int hostlist_once(const struct hostlist *hl, struct diag *d);

/* Return the positions in `hl` of the hosts of `some`: a new set. */
struct idset *hostlist_positions(const struct hostlist *hl,
                                 const struct hostlist *some);

/* Iterate over names without random access. */
struct hostlist_iter {
    const struct hostlist *hl;
    size_t run;
    uint64_t next;
};
void hostlist_iter_init(struct hostlist_iter *it, const struct hostlist *hl);
/* Put the next name into buf. Returns its length, or -1 at the end. */
int hostlist_iter_next(struct hostlist_iter *it, char buf[HOSTLIST_NAME_MAX]);
/* Return a new list of the next n hosts; at the end of fewer. */
struct hostlist *hostlist_iter_take(struct hostlist_iter *it, uint64_t n);
/* Return how many hosts are left in the current run; 0 at the end. */
uint64_t hostlist_iter_run(const struct hostlist_iter *it);

#endif /* SET_HOSTLIST_H */

/*
 * Reading and writing sets in common forms.
 *
 *     idset    RFC 22: `0-3,7`, ascending, optionally in brackets
 *     list     numbers, one per line or with any separator
 *     cpulist  the kernel's: `0-3,8`, and `0-31:2/8` for 2 of every 8
 *     step     ClusterShell's: `0-3,8`, and `0-30/2` for every other id
 *     mask     hexadecimal: hwloc's `0x00000001,0xffffffff`, the kernel's
 *              without 0x, and taskset's in one piece
 *     taskset  read like mask, written in one piece
 *     json     an array of integers
 *     range    RFC 45: `2-64:2:*`, its values; there must be a maximum
 *
 * Many texts make one set, in any order, at the cost of one sort:
 *
 *     struct idset_reader r = IDSET_READER;
 *     struct idset *set = idset_create();
 *
 *     while (more(&text, &len))
 *         if (idset_read(set, text, len, &r, d) < 0)
 *             ...
 *     idset_settle(set);
 *
 * Before idset_settle() only idset_read() and idset_destroy() may be used on
 * the set.
 */
#ifndef SET_IDSET_FORM_H
#define SET_IDSET_FORM_H

#include "base/near.h"
#include "set/idset.h"

struct idset_form;

struct idset_reader {
    const struct idset_form *form; /* NULL: RFC 22 */
    uint32_t max;                  /* the largest allowed id */
    bool loose;  /* any order, repeats, white space, leading zeros */
    bool many;   /* white space separates sets, as on standard input */
    size_t line; /* number of the first line, for messages; 0: no line
                    numbers */
};

#define IDSET_READER ((struct idset_reader){.max = IDSET_MAX})

/*
 * The largest number of ranges that a text may name in a form that can name
 * many with few characters. More would be a slip, and memory depends on it. RFC
 * 22 strings write each range out, so they have no limit.
 */
#define IDSET_RANGES_MAX (1 << 26)

/* Return a form by its name, or NULL if there is none. */
const struct idset_form *idset_form(const char *name);
/* Call `next` with each name. */
void idset_form_each(word_fn *next, void *arg);
/* Return whether a text must be read in one piece, because sets in it may
   continue on a new line. */
bool idset_reader_is_whole(const struct idset_reader *how);

/*
 * Read the ids of a text into `set`. Returns 0, or -1 with the offending piece
 * and its offset in `d`, and its line if the reader has line numbers.
 */
int idset_read(struct idset *set, const char *text, size_t len,
               const struct idset_reader *how, struct diag *d);

/* Write a set in a form (NULL: RFC 22). Returns 0, or -1 with a diag if the
   form can't express the set. Write errors show in ferror(). */
int idset_form_write(const struct idset_form *form, const struct idset *set,
                     FILE *fp, struct diag *d);

/* Write all ids, with `len` bytes of separator between them. */
void idset_write_list(const struct idset *set, const char *separator,
                      size_t len, FILE *fp);

#endif /* SET_IDSET_FORM_H */

/*
 * JSON objects, read by a table of their keys:
 *
 *     static const struct key keys[] = {
 *         {"hosts", read_hosts, offsetof(struct entry, hosts)},
 *         {"cores", read_ids, offsetof(struct entry, cores)},
 *         {0}};
 *
 *     if (keys_read(arg, object, NULL, keys, true, &entry, d) < 0)
 *         return -1;
 *
 * A fault has its place, which grows on the way out: `config[1].cores: ...`.
 */
#ifndef BASE_KEYS_H
#define BASE_KEYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* Reads the value of a key into `to`. Returns 0, or -1 with a diag. */
typedef int key_reader(void *arg, json_t *value, void *to, struct diag *d);

struct key {
    const char *name;
    key_reader *read;
    /*
     * Offset of the value in the struct that the keys describe. With
     * KEY_REQUIRED a missing key is a fault. With KEY_EXPECTED the reader is
     * called with NULL if the key is missing, and reports what it expected.
     */
    size_t at;
};
#define KEY_REQUIRED ((size_t)1 << 16)
#define KEY_EXPECTED ((size_t)1 << 17)

/*
 * Read an object by a table that ends with a name of NULL, in the order of the
 * table. Faults name the object as `what` (NULL: a table). Only with `strict`
 * are keys outside the table a fault. Returns 0, or -1 with a diag.
 */
int keys_read(void *arg, json_t *object, const char *what,
              const struct key *keys, bool strict, void *to, struct diag *d);

/* Read a list of `what`: call `read` for each element. */
int keys_list(void *arg, json_t *list, const char *what, key_reader *read,
              void *to, struct diag *d);

/* Is `name` a key of the table, which is that of `what` (NULL: any)? If not,
   the diag says so and names similar keys. */
bool keys_check(const char *name, const char *what, const struct key *keys,
                struct diag *d);

/* Report that a value is not the expected one (NULL: missing). Returns -1. */
int keys_wrong(struct diag *d, const json_t *value, const char *expected);

/* Readers of a string, borrowed, into a const char *, and of a boolean into a
   bool. */
key_reader keys_text, keys_bool;

#endif /* BASE_KEYS_H */

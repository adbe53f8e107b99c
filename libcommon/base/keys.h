/*
 * Objects of JSON read by a table of their keys:
 *
 *     static const struct key keys[] = {
 *         {"hosts", read_hosts, offsetof(struct entry, hosts)},
 *         {"cores", read_ids, offsetof(struct entry, cores)},
 *         {0}};
 *
 *     if (keys_read(arg, object, keys, &entry, d) < 0)
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

/* Looks at the value of a key and puts it in `to`; -1 with a diag. */
typedef int key_reader(void *arg, json_t *value, void *to, struct diag *d);

struct key {
    const char *name;
    key_reader *read;
    /*
     * Where its value goes in what the keys describe. Beside it KEY_REQUIRED:
     * the key must be there; or KEY_EXPECTED: if it is not, the reader gets
     * NULL and says what is expected.
     */
    size_t at;
};
#define KEY_REQUIRED ((size_t)1 << 16)
#define KEY_EXPECTED ((size_t)1 << 17)

/*
 * Read an object by a table that ends with a name of NULL: keys that are not in
 * it are a fault, and those that are there are read in the order of the table.
 */
int keys_read(void *arg, json_t *object, const struct key *keys, void *to,
              struct diag *d);

/*
 * The same where faults say `what` the object is; with `strict` alone there are
 * no keys but those of the table.
 */
int keys_read_of(void *arg, json_t *object, const char *what,
                 const struct key *keys, bool strict, void *to, struct diag *d);

/* Read a list of `what` by a reader of its elements. */
int keys_list(void *arg, json_t *list, const char *what, key_reader *read,
              void *to, struct diag *d);

/*
 * Is `name` a key of the table? Otherwise the diag says that it is not, and
 * which keys are near it.
 */
bool keys_known(const char *name, const struct key *keys, struct diag *d);

/* A value is not what is expected (NULL: it is not there). Returns -1. */
int keys_wrong(struct diag *d, const json_t *value, const char *expected);

/* Reader of a string, borrowed, into a const char *. */
key_reader keys_text;

#endif /* BASE_KEYS_H */

/* A table of requests by the text of what they ask for (known.h). */
#include "request/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "request/jobspec_private.h"

/* So many that nobody asks for any more are kept: they may come again. */
enum { IDLE_MAX = 1000 };

/* --- the table ---------------------------------------------------------- */

static struct known **bucket_of(const struct known_requests *table,
                                uint64_t hash)
{
    return &table->buckets[hash & (table->nbuckets - 1)];
}

static void grow(struct known_requests *table)
{
    struct known_requests old = *table;

    table->nbuckets = old.nbuckets ? 2 * old.nbuckets : 64;
    table->buckets = xcalloc(table->nbuckets, sizeof(*table->buckets));
    for (size_t i = 0; i < old.nbuckets; i++)
        for (struct known *k = old.buckets[i], *next; k; k = next) {
            struct known **to = bucket_of(table, k->hash);
            next = k->chain;
            k->chain = *to;
            *to = k;
        }
    free(old.buckets);
}

static void known_destroy(struct known *k)
{
    request_destroy(k->req);
    json_decref(k->labels);
    json_decref(k->resources);
    json_decref(k->constraints);
    free(k->never);
    free(k);
}

/* Those that nobody uses go, or all of them. */
static void clean(struct known_requests *table, bool all)
{
    for (size_t i = 0; i < table->nbuckets; i++)
        for (struct known **at = &table->buckets[i], *k; (k = *at);) {
            if (k->users > 0 && !all) {
                at = &k->chain;
                continue;
            }
            *at = k->chain;
            table->n--;
            known_destroy(k);
        }
    table->nidle = 0;
}

void known_fini(struct known_requests *table)
{
    clean(table, true);
    free(table->buckets);
    *table = (struct known_requests){0};
}

/* --- requests ----------------------------------------------------------- */

/* What a request is known by. */
struct key {
    const json_t *resources, *constraints;
    uint64_t hash;
};

static uint64_t hash_json(uint64_t h, const json_t *value)
{
    json_int_t integer = json_integer_value(value);
    double real = json_real_value(value);
    const char *key;
    json_t *item;
    size_t i;

    json_object_foreach ((json_t *)value, key, item)
        h = hash_json(hash_bytes(h, key, strlen(key)), item);
    json_array_foreach (value, i, item)
        h = hash_json(h, item);
    h = hash_bytes(h, json_string_value(value), json_string_length(value));
    h = hash_bytes(h, &integer, json_is_integer(value) ? sizeof(integer) : 0);
    h = hash_bytes(h, &real, json_is_real(value) ? sizeof(real) : 0);
    return hash_mix(h + (value ? (uint64_t)json_typeof(value) : 0));
}

static struct key key_of(const json_t *jobspec)
{
    const json_t *attributes = json_object_get(jobspec, "attributes"),
                 *system = json_object_get(attributes, "system");
    struct key key = {.resources = json_object_get(jobspec, "resources"),
                      .constraints = json_object_get(system, "constraints")};

    key.hash = hash_json(hash_json(HASH_START, key.resources), key.constraints);
    return key;
}

static bool same_json(const json_t *a, const json_t *b)
{
    return a && b ? json_equal(a, b) : a == b;
}

static struct known *find(const struct known_requests *table,
                          const struct key *key)
{
    struct known *k = table->nbuckets ? *bucket_of(table, key->hash) : NULL;

    while (k
           && (k->hash != key->hash || !same_json(k->resources, key->resources)
               || !same_json(k->constraints, key->constraints)))
        k = k->chain;
    return k;
}

static struct known *make(const json_t *jobspec, const struct key *key,
                          struct diag *d)
{
    struct known *k = xcalloc(1, sizeof(*k));

    k->req = xcalloc(1, sizeof(*k->req));
    k->hash = key->hash;
    k->resources = json_incref((json_t *)key->resources);
    k->constraints = json_incref((json_t *)key->constraints);
    if (jobspec_read(jobspec, false, false, &k->labels, k->req, d) == 0)
        return k;
    known_destroy(k);
    return NULL;
}

static struct known *add_known(struct known_requests *table, struct known *k)
{
    struct known **at;

    if (table->n++ >= table->nbuckets)
        grow(table);
    at = bucket_of(table, k->hash);
    k->chain = *at;
    *at = k;
    table->nidle++;
    return k;
}

struct known *known_get(struct known_requests *table, const json_t *jobspec,
                        double *duration, struct diag *d)
{
    struct request rest = {0};
    struct key key = key_of(jobspec);
    struct known *k = find(table, &key);

    if (k && jobspec_read(jobspec, false, true, &k->labels, &rest, d) < 0) {
        k = NULL;
    } else if (!k && (k = make(jobspec, &key, d))) {
        rest.duration = k->req->duration;
        add_known(table, k);
    }
    if (!k)
        return NULL;
    table->nidle -= k->users++ == 0;
    *duration = rest.duration;
    return k;
}

void known_drop(struct known_requests *table, struct known *k)
{
    if (--k->users == 0 && ++table->nidle > IDLE_MAX)
        clean(table, false);
}

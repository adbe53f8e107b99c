/* A table of requests by the text of what they ask for (known.h). */
#include "request/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "request/jobspec_private.h"

/* So many that nobody asks for any more are kept: they may come again. */
enum { IDLE_MAX = 1000 };

/* --- the table ---------------------------------------------------------- */

static struct known **bucket_of(const struct known_requests *table,
                                const char *key, size_t len)
{
    return &table->buckets[hash_mix(hash_bytes(HASH_START, key, len))
                           & (table->nbuckets - 1)];
}

static void grow(struct known_requests *table)
{
    struct known_requests old = *table;

    table->nbuckets = old.nbuckets ? 2 * old.nbuckets : 64;
    table->buckets = xcalloc(table->nbuckets, sizeof(*table->buckets));
    for (size_t i = 0; i < old.nbuckets; i++)
        for (struct known *k = old.buckets[i], *next; k; k = next) {
            struct known **to = bucket_of(table, k->key, k->len);
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

static char *key_of(const json_t *jobspec, size_t *len)
{
    const json_t *attributes = json_object_get(jobspec, "attributes"),
                 *system = json_object_get(attributes, "system");
    char *key;
    FILE *fp = memory_open(&key, len);

    json_write_member(fp, "", "resources",
                      json_object_get(jobspec, "resources"));
    json_write_member(fp, "", "constraints",
                      json_object_get(system, "constraints"));
    memory_close(fp);
    return key;
}

static struct known *find(const struct known_requests *table, const char *key,
                          size_t len)
{
    struct known *k = table->nbuckets ? *bucket_of(table, key, len) : NULL;

    while (k && (k->len != len || memcmp(k->key, key, len) != 0))
        k = k->chain;
    return k;
}

static struct known *make(const json_t *jobspec, const char *key, size_t len,
                          struct diag *d)
{
    struct known *k = xcalloc(1, sizeof(*k) + len);

    k->req = xcalloc(1, sizeof(*k->req));
    k->len = len;
    memcpy(k->key, key, len);
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
    at = bucket_of(table, k->key, k->len);
    k->chain = *at;
    *at = k;
    table->nidle++;
    return k;
}

struct known *known_get(struct known_requests *table, const json_t *jobspec,
                        double *duration, struct diag *d)
{
    struct request rest = {0};
    size_t len;
    char *key = key_of(jobspec, &len);
    struct known *k = find(table, key, len);

    if (k && jobspec_read(jobspec, false, true, &k->labels, &rest, d) < 0) {
        k = NULL;
    } else if (!k && (k = make(jobspec, key, len, d))) {
        rest.duration = k->req->duration;
        add_known(table, k);
    }
    free(key);
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

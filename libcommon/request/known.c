/* A table of requests by the text of what they ask for (known.h). */
#include "request/known.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "request/request_private.h"

/* So many that nobody asks for any more are kept: they may come again. */
enum { IDLE_MAX = 1000 };

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
    for (size_t i = 0; i < table->map.count; i++) {
        const struct map_slot *slot = &table->map.slots[i];
        struct known *k = slot->value.pointer;

        if (k && (all || k->users == 0)) {
            known_destroy(k);
            map_forget(&table->map, slot->key, slot->len);
        }
    }
    table->nidle = 0;
}

void known_fini(struct known_requests *table)
{
    clean(table, true);
    map_fini(&table->map);
}

/* What a jobspec asks for, as text. */
static char *key_of(const json_t *jobspec, size_t *len)
{
    const json_t *attributes = json_object_get(jobspec, "attributes"),
                 *system = json_object_get(attributes, "system");
    char *text;
    FILE *fp = memory_open(&text, len);

    json_write_member(fp, "", "resources",
                      json_object_get(jobspec, "resources"));
    json_write_member(fp, "", "constraints",
                      json_object_get(system, "constraints"));
    memory_close(fp);
    return text;
}

static struct known *make(const json_t *jobspec, double *duration,
                          struct diag *d)
{
    struct known *k = xcalloc(1, sizeof(*k));

    k->req = xcalloc(1, sizeof(*k->req));
    if (jobspec_read(jobspec, false, false, &k->labels, k->req, d) < 0) {
        known_destroy(k);
        return NULL;
    }
    *duration = k->req->duration;
    return k;
}

struct known *known_get(struct known_requests *table, const json_t *jobspec,
                        double *duration, struct diag *d)
{
    struct request rest = {0};
    size_t len;
    char *key = key_of(jobspec, &len);
    struct known *k = map_get(&table->map, key, len);

    if (k && jobspec_read(jobspec, false, true, &k->labels, &rest, d) < 0) {
        k = NULL;
    } else if (!k && (k = make(jobspec, &rest.duration, d))) {
        map_at(&table->map, key, len)->value.pointer = k;
        table->nidle++;
    }
    free(key);
    if (!k || jobspec_check_duration(jobspec, d) < 0)
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

/*
 * The lists of a vertex's records (records.h): claims, jobs that share, what is
 * listed; copying and writing them.
 */
#include "model/records/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const claim_keys[CLAIM_KINDS] = {"allocations", "reservations"};

struct records *records_create(void)
{
    return xcalloc(1, sizeof(struct records));
}

static void joblist_free(struct joblist *list)
{
    while (list) {
        struct joblist *next = list->next;
        free(list);
        list = next;
    }
}

void records_destroy(struct records *rec)
{
    if (!rec)
        return;
    while (rec->claims) {
        struct claim *next = rec->claims->next;
        free(rec->claims);
        rec->claims = next;
    }
    joblist_free(rec->shared);
    joblist_free(rec->listed);
    free(rec);
}

static const char *job_in(struct strtab *names, const char *job)
{
    return names ? strtab_intern(names, job, strlen(job)) : job;
}

static int joblist_copy(struct joblist **to, const struct joblist *from,
                        struct strtab *names)
{
    for (; from; from = from->next, to = &(*to)->next) {
        const char *job = job_in(names, from->job);
        if (!job || joblist_append(to, job, from->size) < 0)
            return -1;
    }
    return 0;
}

static int claims_copy(struct records *to, const struct records *from,
                       struct strtab *names)
{
    for (const struct claim *c = from->claims; c; c = c->next) {
        struct claim copy = *c;
        if (!(copy.job = job_in(names, c->job))
            || (c->owner && !(copy.owner = job_in(names, c->owner)))
            || records_claim(to, &copy) < 0)
            return -1;
    }
    return 0;
}

struct records *records_copy(const struct records *rec, struct strtab *names)
{
    struct records *copy = records_create();

    if (!copy)
        return NULL;
    if (rec->staged)
        copy->staged = job_in(names, rec->staged);
    if (claims_copy(copy, rec, names) < 0
        || joblist_copy(&copy->shared, rec->shared, names) < 0
        || joblist_copy(&copy->listed, rec->listed, names) < 0
        || !copy->staged != !rec->staged) {
        records_destroy(copy);
        return NULL;
    }
    return copy;
}

bool records_empty(const struct records *rec)
{
    return !rec
           || (!rec->claims && !rec->shared && !rec->listed && !rec->staged);
}

int records_claim(struct records *rec, const struct claim *claim)
{
    struct claim **end = &rec->claims, *copy = xmalloc(sizeof(*copy));

    if (!copy)
        return -1;
    *copy = *claim;
    copy->next = NULL;
    while (*end)
        end = &(*end)->next;
    *end = copy;
    return 0;
}

int joblist_append(struct joblist **list, const char *job, int64_t size)
{
    struct joblist *item = xmalloc(sizeof(*item));

    if (!item)
        return -1;
    while (*list)
        list = &(*list)->next;
    *item = (struct joblist){.job = job, .size = size};
    *list = item;
    return 0;
}

int joblist_add(struct joblist **list, const char *job)
{
    return joblist_has(*list, job) ? 0 : joblist_append(list, job, 0);
}

const struct joblist *joblist_find(const struct joblist *list, const char *job)
{
    while (list && list->job != job && strcmp(list->job, job))
        list = list->next;
    return list;
}

bool joblist_has(const struct joblist *list, const char *job)
{
    return joblist_find(list, job);
}

bool joblist_drop(struct joblist **list, const char *job)
{
    bool dropped = false;

    while (*list) {
        struct joblist *item = *list;
        if (strcmp(item->job, job)) {
            list = &item->next;
            continue;
        }
        *list = item->next;
        free(item);
        dropped = true;
    }
    return dropped;
}

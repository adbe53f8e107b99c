#include "model/records.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

const char *const claim_keys[CLAIM_KINDS] = {"allocations", "reservations"};

struct records *records_create(void)
{
    return calloc(1, sizeof(struct records));
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
        if (!(copy.job = job_in(names, c->job)) || records_claim(to, &copy) < 0)
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

/* The same jobs, in whatever order? */
static bool joblist_equal(const struct joblist *a, const struct joblist *b)
{
    size_t na = 0, nb = 0;

    for (const struct joblist *j = b; j; j = j->next)
        nb++;
    for (const struct joblist *j = a; j; j = j->next, na++) {
        const struct joblist *same = joblist_find(b, j->job);
        if (!same || same->size != j->size)
            return false;
    }
    return na == nb;
}

static bool has_claim(const struct claim *list, const struct claim *c)
{
    for (; list; list = list->next)
        if (!strcmp(list->job, c->job) && list->size == c->size
            && list->kind == c->kind && list->start == c->start
            && list->end == c->end)
            return true;
    return false;
}

bool records_equal(const struct records *a, const struct records *b)
{
    size_t na = 0, nb = 0;

    if (records_empty(a) || records_empty(b))
        return records_empty(a) && records_empty(b);
    for (const struct claim *c = b->claims; c; c = c->next)
        nb++;
    for (const struct claim *c = a->claims; c; c = c->next, na++)
        if (!has_claim(b->claims, c))
            return false;
    return na == nb && joblist_equal(a->shared, b->shared)
           && joblist_equal(a->listed, b->listed) && !a->staged == !b->staged
           && (!a->staged || !strcmp(a->staged, b->staged));
}

int records_claim(struct records *rec, const struct claim *claim)
{
    struct claim **end = &rec->claims, *copy = malloc(sizeof(*copy));

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
    struct joblist *item = malloc(sizeof(*item));

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

bool records_drop_claims(struct records *rec, const char *job)
{
    struct claim **link = &rec->claims;
    bool dropped = false;

    while (*link) {
        struct claim *claim = *link;
        if (strcmp(claim->job, job)) {
            link = &claim->next;
            continue;
        }
        *link = claim->next;
        free(claim);
        dropped = true;
    }
    return dropped;
}

int64_t records_claimed(const struct records *rec)
{
    int64_t sum = 0;

    if (rec)
        for (const struct claim *c = rec->claims; c; c = c->next)
            if (__builtin_add_overflow(sum, c->size, &sum))
                return INT64_MAX;
    return sum;
}

int64_t records_claimed_by(const struct records *rec, const char *job)
{
    int64_t sum = 0;

    if (rec)
        for (const struct claim *c = rec->claims; c; c = c->next)
            if (c->job == job || !strcmp(c->job, job))
                sum += c->size;
    return sum;
}

json_t *time_to_json(double value)
{
    return value == (double)(int64_t)value ? json_integer((json_int_t)value)
                                           : json_real(value);
}

/* Do both claims hold at some moment? Spans are half-open. */
static bool overlap(const struct claim *a, const struct claim *b)
{
    return (a->end < 0 || b->start < a->end)
           && (b->end < 0 || a->start < b->end);
}

/*
 * The most that is claimed at a time is claimed at the start of some claim:
 * what holds then overlaps with it and started no later.
 */
int records_check(const struct records *rec, int64_t size, struct diag *d)
{
    const struct claim *list = rec ? rec->claims : NULL;

    if (records_claimed(rec) <= size && size < INT64_MAX)
        return 0; /* even if all were at the same time */
    for (const struct claim *c = list; c; c = c->next) {
        const struct claim *other = c;
        bool more = false; /* than can be counted */
        int64_t sum = 0;
        for (const struct claim *o = list; o; o = o->next) {
            if (o->start > c->start || !overlap(o, c))
                continue;
            if (__builtin_add_overflow(sum, o->size, &sum)) {
                sum = INT64_MAX;
                more = true;
            }
            if (o != c)
                other = o;
        }
        if (sum > size || more)
            return diag_set(d,
                            "%lld units are claimed where there %s %lld, by "
                            "jobs %s and %s",
                            (long long)sum, size == 1 ? "is" : "are",
                            (long long)size, c->job, other->job);
    }
    return 0;
}

/* --- names of jobs ------------------------------------------------------ */

/* Is the name the digits of an integer, written in the one usual way? */
static bool job_number(const char *job, int64_t *number)
{
    size_t len = strspn(job, "0123456789");

    if (len == 0 || len > 19 || job[len] || (job[0] == '0' && len > 1))
        return false;
    errno = 0;
    *number = strtoll(job, NULL, 10);
    return errno == 0;
}

const char *job_from_json(struct strtab *names, const json_t *value,
                          struct diag *d)
{
    char text[32];
    const char *job;

    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
        job = strtab_intern(names, text, strlen(text));
    } else if (json_is_string(value) && json_string_length(value) > 0
               && json_string_length(value) <= JOB_NAME_MAX) {
        job = strtab_intern(names, json_string_value(value),
                            json_string_length(value));
    } else {
        diag_set(d,
                 "%s: a job is a non-negative integer or a name of at most "
                 "%d bytes",
                 value ? json_quote(value).text : "missing", JOB_NAME_MAX);
        return NULL;
    }
    if (!job)
        diag_oom(d);
    return job;
}

json_t *job_to_json(const char *job)
{
    int64_t number;

    return job_number(job, &number) ? json_integer(number) : json_string(job);
}

int job_compare(const char *a, const char *b)
{
    int64_t na, nb;
    bool a_is_number = job_number(a, &na), b_is_number = job_number(b, &nb);

    if (a_is_number && b_is_number)
        return (na > nb) - (na < nb);
    if (a_is_number != b_is_number)
        return a_is_number ? -1 : 1;
    return strcmp(a, b);
}

/* --- to and from the metadata of a vertex ------------------------------- */

bool records_key(const char *key)
{
    static const char *const keys[] = {"allocations", "reservations", "shared",
                                       "listed", "staged"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

static int time_from_json(const json_t *entry, const char *key, double *out,
                          struct diag *d)
{
    const json_t *value = json_object_get(entry, key);

    *out = TIME_UNSET;
    if (!value)
        return 0;
    if (!json_is_number(value) || json_number_value(value) < 0) {
        diag_set(d, "%s: expected seconds since the Epoch",
                 json_quote(value).text);
        return diag_in(d, "%s", key);
    }
    *out = json_number_value(value);
    return 0;
}

int claim_times_from_json(struct claim *claim, const json_t *entry,
                          struct diag *d)
{
    if (time_from_json(entry, "start", &claim->start, d) < 0
        || time_from_json(entry, "end", &claim->end, d) < 0)
        return -1;
    if (claim->start >= 0 && claim->end >= 0 && claim->end <= claim->start)
        return diag_set(d, "the end %.15g is not after the start %.15g",
                        claim->end, claim->start);
    return 0;
}

static int claim_from_json(struct strtab *names, const json_t *entry,
                           struct claim *claim, struct diag *d)
{
    const json_t *size = json_object_get(entry, "size");

    if (!json_is_object(entry))
        return diag_set(d, "%s: expected an object", json_quote(entry).text);
    if (!(claim->job = job_from_json(names, json_object_get(entry, "job"), d)))
        return diag_in(d, "job");
    claim->size = size ? json_integer_value(size) : 1;
    if (claim->size < 1) {
        diag_set(d, "%s: expected a number of units", json_quote(size).text);
        return diag_in(d, "size");
    }
    return claim_times_from_json(claim, entry, d);
}

static int claims_from_json(struct strtab *names, const json_t *list,
                            enum claim_kind kind, struct records *rec,
                            struct diag *d)
{
    struct claim claim = {.kind = kind};
    const json_t *entry;
    size_t i;

    if (!json_is_array(list))
        return diag_set(d, "%s: expected an array", json_quote(list).text);
    json_array_foreach (list, i, entry) {
        if (claim_from_json(names, entry, &claim, d) < 0)
            return diag_in(d, "[%zu]", i);
        if (records_claim(rec, &claim) < 0)
            return diag_oom(d);
    }
    return 0;
}

/* A job, or (in `listed`) an object of a job with a number of units. */
static int job_entry_from_json(struct strtab *names, const json_t *entry,
                               struct joblist **out, struct diag *d)
{
    struct claim claim = {.size = 0};

    if (json_is_object(entry)) {
        if (claim_from_json(names, entry, &claim, d) < 0)
            return -1;
    } else if (!(claim.job = job_from_json(names, entry, d))) {
        return -1;
    }
    return joblist_append(out, claim.job, claim.size) < 0 ? diag_oom(d) : 0;
}

static int joblist_from_json(struct strtab *names, const json_t *list,
                             struct joblist **out, struct diag *d)
{
    const json_t *entry;
    size_t i;

    if (!json_is_array(list))
        return diag_set(d, "%s: expected an array", json_quote(list).text);
    json_array_foreach (list, i, entry) {
        if (job_entry_from_json(names, entry, out, d) < 0)
            return diag_in(d, "[%zu]", i);
        out = &(*out)->next;
    }
    return 0;
}

static int read_key(struct strtab *names, const char *key, const json_t *value,
                    struct records *rec, struct diag *d)
{
    if (!strcmp(key, "allocations"))
        return claims_from_json(names, value, CLAIM_ALLOCATION, rec, d);
    if (!strcmp(key, "reservations"))
        return claims_from_json(names, value, CLAIM_RESERVATION, rec, d);
    if (!strcmp(key, "shared")) {
        if (joblist_from_json(names, value, &rec->shared, d) < 0)
            return -1;
        for (const struct joblist *j = rec->shared; j; j = j->next)
            if (j->size)
                return diag_set(d, "job %s: sharing has no size", j->job);
        return 0;
    }
    if (!strcmp(key, "listed"))
        return joblist_from_json(names, value, &rec->listed, d);
    rec->staged = job_from_json(names, value, d);
    return rec->staged ? 0 : -1;
}

int records_from_json(struct strtab *names, const json_t *metadata,
                      struct records **out, struct diag *d)
{
    struct records *rec = NULL;
    const char *key;
    json_t *value;

    *out = NULL;
    json_object_foreach ((json_t *)metadata, key, value) {
        if (!records_key(key))
            continue;
        if (!rec && !(rec = records_create()))
            return diag_oom(d);
        if (read_key(names, key, value, rec, d) < 0) {
            records_destroy(rec);
            return diag_in(d, "%s", key);
        }
    }
    if (rec && records_empty(rec)) {
        records_destroy(rec);
        rec = NULL;
    }
    *out = rec;
    return 0;
}

static void write_job(const char *job, FILE *fp)
{
    int64_t number;

    if (job_number(job, &number))
        fputs(job, fp);
    else
        json_write_string(fp, job);
}

static void write_time(FILE *fp, const char *key, double value)
{
    if (value < 0)
        return;
    fprintf(fp, ",\"%s\":", key);
    if (value == floor(value) && value < 1e15)
        fprintf(fp, "%.0f", value);
    else
        json_write_real(fp, value);
}

static void write_claims(const struct records *rec, enum claim_kind kind,
                         FILE *fp)
{
    const char *sep = "";

    for (const struct claim *c = rec->claims; c; c = c->next) {
        if (c->kind != kind)
            continue;
        if (!*sep)
            fprintf(fp, ",\"%s\":[", claim_keys[kind]);
        fprintf(fp, "%s{\"job\":", sep);
        write_job(c->job, fp);
        fprintf(fp, ",\"size\":%lld", (long long)c->size);
        write_time(fp, "start", c->start);
        write_time(fp, "end", c->end);
        putc('}', fp);
        sep = ",";
    }
    if (*sep)
        putc(']', fp);
}

static void write_joblist(const struct joblist *list, const char *key, FILE *fp)
{
    if (!list)
        return;
    fprintf(fp, ",\"%s\":[", key);
    for (; list; list = list->next) {
        if (list->size > 0)
            fputs("{\"job\":", fp);
        write_job(list->job, fp);
        if (list->size > 0)
            fprintf(fp, ",\"size\":%lld}", (long long)list->size);
        if (list->next)
            putc(',', fp);
    }
    putc(']', fp);
}

void records_write(const struct records *rec, FILE *fp)
{
    if (!rec)
        return;
    if (rec->staged) {
        fputs(",\"staged\":", fp);
        write_job(rec->staged, fp);
    }
    write_claims(rec, CLAIM_ALLOCATION, fp);
    write_claims(rec, CLAIM_RESERVATION, fp);
    write_joblist(rec->shared, "shared", fp);
    write_joblist(rec->listed, "listed", fp);
}

/*
 * Records: who holds a pool, how much of it, and from when to when
 * (RFC 4 "Resource Allocation Data", RFC 16 "Resource Allocation Data and
 * Rules"). Most pools have none, so a vertex has a pointer to its records.
 *
 *   claims   allocations and reservations: a job, units, a span of time
 *   shared   jobs that hold something below this pool, or share it
 *   listed   below a pool that a job holds whole: what its R lists. Without
 *            any such mark under the pool, the R lists all of it; with one
 *            on the pool itself, only what is marked below it
 *   staged   the job for which this pool is locked while it is considered
 *
 * A job is a name; names are interned in the set that the vertex is of, so
 * that two are equal if their pointers are.
 */
#ifndef MODEL_RECORDS_RECORDS_H
#define MODEL_RECORDS_RECORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/strtab.h"

enum claim_kind { CLAIM_ALLOCATION, CLAIM_RESERVATION, CLAIM_KINDS };

/* The key under which claims of a kind stand in a document. */
extern const char *const claim_keys[CLAIM_KINDS];

#define TIME_UNSET (-1.0)

/* Seconds since the Epoch: an integer where it is one. New reference. */
json_t *time_to_json(double value);

struct claim {
    struct claim *next;
    const char *job;
    const char *owner; /* whose job it is, NULL: not said */
    int64_t size;      /* units of the pool */
    double start, end; /* seconds since the Epoch; TIME_UNSET */
    enum claim_kind kind;
};

/* A list of jobs. */
struct joblist {
    struct joblist *next;
    const char *job;
    int64_t size; /* in `listed`: of the pool's units; 0: all of them */
};

struct records {
    struct claim *claims;
    struct joblist *shared;
    struct joblist *listed;
    const char *staged;
};

struct records *records_create(void);
void records_destroy(struct records *rec); /* NULL is allowed */
/* A copy with its names in `names`; NULL: they stay where they are. */
struct records *records_copy(const struct records *rec, struct strtab *names);
bool records_empty(const struct records *rec); /* NULL is empty */

/* Add at the end. joblist_add leaves a job alone that is there. */
int records_claim(struct records *rec, const struct claim *claim);
int joblist_add(struct joblist **list, const char *job);
/* Add without looking whether the job is there. */
int joblist_append(struct joblist **list, const char *job, int64_t size);
bool joblist_has(const struct joblist *list, const char *job);
const struct joblist *joblist_find(const struct joblist *list, const char *job);
/* Drop all of a job's; true if there was any. */
bool joblist_drop(struct joblist **list, const char *job);

/*
 * A span of time, seconds since the Epoch, half-open; with from == to that
 * moment. What has ended by `now` and was not released is held on.
 */
struct period {
    double now, from, to;
};

/* The same but for their sizes: job, owner, kind and times? */
bool claim_same_terms(const struct claim *a, const struct claim *b);

/* Does the claim hold at some moment of the period? */
bool claim_during(const struct claim *c, const struct period *p);

/* The most units that are claimed at any moment of it. */
int64_t records_claimed(const struct records *rec, const struct period *p);

/* Units claimed by one job, whenever. */
int64_t records_claimed_by(const struct records *rec, const char *job);

/*
 * RFC 4 and 16: no unit is given to two jobs at a time. -1 with a diag that
 * names the jobs if more than `size` units are claimed at any moment.
 */
int records_check(const struct records *rec, int64_t size, struct diag *d);

/*
 * A job's name from JSON: an integer and the string of its digits are the
 * same job. NULL with a diag if it is neither string nor integer, or empty.
 */
const char *job_from_json(struct strtab *names, const json_t *value,
                          struct diag *d);
/*
 * RFC 19: the decimal digits of a job id that is written in F58 with its
 * prefix, U+0192. With `plain` also of F58 after a plain f, and of 0x and
 * hexadecimal digits. False: it is a name.
 */
enum { JOB_DIGITS_MAX = 24 };
bool job_decode(const char *text, bool plain, char out[JOB_DIGITS_MAX]);

/* Is the name the digits of an integer, written in the one usual way? */
bool job_is_number(const char *job, int64_t *number);

/* An integer where the name is one, otherwise a string. New reference. */
json_t *job_to_json(const char *job);

enum { JOB_NAME_MAX = 255 };

/* Order of jobs in documents: numbers first, by value, then names. */
int job_compare(const char *a, const char *b);

/* Is this metadata key one of the records? */
bool records_key(const char *key);

/* Write these keys, each with a comma before it. */
void records_write(const struct records *rec, FILE *fp);

#endif /* MODEL_RECORDS_RECORDS_H */

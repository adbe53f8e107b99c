/*
 * The words of records: who holds a pool, and when (RFC 4 "Resource Allocation
 * Data", RFC 16 "Resource Allocation Data and Rules"), as documents have them:
 *
 *   allocations, reservations   a job, units, a span of time
 *   shared   jobs that hold something below this pool, or share it, for a
 *            span of time or always
 *   listed   below a pool that a job holds whole: what its R lists. Without
 *            any such mark under the pool, the R lists all of it; with one
 *            on the pool itself, only what is marked below it
 *   staged   the job for which this pool is locked while it is considered
 *
 * The table of jobs (jobs.h) is what they are read into and written from.
 */
#ifndef MODEL_RECORDS_RECORDS_H
#define MODEL_RECORDS_RECORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/map.h"

/* The keys in a document of claims that are not reserved, and that are. */
extern const char *const claim_keys[2];

/*
 * A span of time, seconds since the Epoch, half-open; with from == to that
 * moment. What has ended by `now` and was not released is held on in a period
 * that starts now; one that starts later counts on its end, unless `held_on`.
 */
struct period {
    double now, from, to;
    bool held_on;
};

struct agenda_place;
struct job;

enum grant_kind {
    GRANT_CLAIM,  /* units of each member, for a term */
    GRANT_SHARE,  /* the pool itself is used, no units are taken */
    GRANT_LISTED, /* below a claim of all: what the R lists; units, 0: all */
    GRANT_STAGED  /* the pool is locked for the job while it is considered */
};

/*
 * The terms of a job: for whom, and when. Many grants have them in common. A
 * caller fills in the first part; job_term() keeps a copy for the job, with the
 * rest. Locks and what is listed have no times, shares have times alone.
 */
struct term {
    const char *owner; /* NULL: not said */
    const char *queue; /* that the job was in; NULL: not said */
    double start, end; /* seconds since the Epoch, half-open; TIME_UNSET */
    uint32_t nslots;   /* of what the job was given, if its request left their
                          number open; 0: not said, or too many */
    enum grant_kind kind : 8;
    bool reserved; /* the job is to start later */
    bool staged;   /* lock what is granted (ledger_allocate()); not kept */

    struct term *next; /* of the job */
    struct job *job;
    struct agenda_place *at; /* of each agenda; NULL: it is on none */
};

/*
 * A job's name from JSON: an integer and the string of its digits are the
 * same job. NULL with a diag if it is neither string nor integer, or empty.
 */
const char *job_from_json(struct map *names, const json_t *value,
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

struct lot;
struct usage;

/* Write what is recorded of a lot by these keys, each with a comma before it.
 */
void records_write(struct usage *u, const struct lot *lot, FILE *fp);

#endif /* MODEL_RECORDS_RECORDS_H */

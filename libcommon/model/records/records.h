/*
 * Records: which job holds a pool, and when (RFC 4 "Resource Allocation Data",
 * RFC 16 "Resource Allocation Data and Rules"). Keys of documents:
 *
 *   allocations, reservations   a job, units, a span of time
 *   shared   jobs that hold something below this pool, or share the pool
 *            itself, always or for a span of time
 *   listed   below a pool that a job holds whole: the pools that the job's R
 *            lists. Without any such mark below the pool, the R lists all of
 *            them; with a mark on the pool itself, only the marked ones
 *   staged   the job for which this pool is locked while it is considered
 *
 * The table of jobs (jobs.h) is filled from these keys and written as these
 * keys.
 */
#ifndef MODEL_RECORDS_RECORDS_H
#define MODEL_RECORDS_RECORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/map.h"

/* Keys of claims that are not reserved, and of reserved claims. */
extern const char *const claim_keys[2];

/*
 * A span of time: seconds since the Epoch, half-open; if from == to, only that
 * moment. A grant that has ended by `now` without being released still counts
 * in a period that starts now. In a period that starts later it does not count,
 * unless `held_on`.
 */
struct period {
    double now, from, to;
    bool held_on;
};

struct agenda_place;
struct job;
struct needs;

enum grant_kind {
    GRANT_CLAIM,  /* units of each member, for a term */
    GRANT_SHARE,  /* the pool itself is used, without taking units; with `each`
                     in its term: a number of parts of a node */
    GRANT_LISTED, /* below a claim of a whole pool: the R lists it; units, 0:
                     all */
    GRANT_STAGED  /* a lock on the pool while it is considered for the job */
};

/*
 * A term of a job: for whom, and when. Many grants have the same term. A caller
 * fills in the first part; job_term() keeps a copy in the job, with texts that
 * are interned in the set, and with the second part. Locks and listed grants
 * have no times; shares have times only.
 */
struct term {
    const char *owner; /* NULL: unknown */
    const char *queue; /* queue of the job; NULL: unknown */
    double start, end; /* seconds since the Epoch, half-open; TIME_UNSET */
    uint32_t nslots; /* slots that the job got, if its request left their number
                        open; 0: unknown, or too many */
    enum grant_kind kind : 8;
    bool reserved; /* the job will start later */
    bool staged;   /* lock the resources (ledger_allocate()); not kept */
    bool planned;  /* a planner's; it is in no document and in no store */
    const struct needs *each; /* of a planner: the units of one part of a node,
                                 whichever. Borrowed; NULL: no parts */

    struct term *next; /* of the job */
    struct job *job;
    struct agenda_place *at; /* place in each agenda; NULL: in none */
};

/*
 * Read the name of a job from JSON, interned in `names`. An integer and the
 * string of its digits are the same job. Returns NULL with a diag unless
 * `value` is a non-negative integer or a string of 1 to JOB_NAME_MAX bytes.
 */
const char *job_from_json(struct map *names, const json_t *value,
                          struct diag *d);
/*
 * Decode a job id in F58 with its prefix U+0192 (RFC 19) into decimal digits.
 * `plain`: also F58 after a plain f, and 0x with hexadecimal digits. Returns
 * false if `text` has no such form: then it is a name.
 */
enum { JOB_DIGITS_MAX = 24 };
bool job_decode(const char *text, bool plain, char out[JOB_DIGITS_MAX]);

/* Return whether a name is an integer in its usual digits, and set *number. */
bool job_is_number(const char *job, int64_t *number);

/* Return the name of a job as JSON: an integer if it is one, otherwise a
   string. New reference. */
json_t *job_to_json(const char *job);

enum { JOB_NAME_MAX = 255 };

/* Compare jobs in the order of documents: numbers by value, then names. */
int job_compare(const char *a, const char *b);

/* Compare two structs that begin with the name of a job (for qsort). */
int job_compare_first(const void *a, const void *b);

struct lot;
struct usage;

/* Write as members, each with a comma before it: the owner, queue, times and
   slots of a term; the records of a lot. */
void term_write(const struct term *t, FILE *fp);
void records_write(struct usage *u, struct lot *lot, FILE *fp);

#endif /* MODEL_RECORDS_RECORDS_H */

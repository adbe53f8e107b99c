/*
 * Jobs and their grants (RFC 4 "Resource Allocation Data", RFC 16 "Resource
 * Allocation Data and Rules").
 *
 * A table from a job to its terms (owner, queue, start, end) and its grants. A
 * grant is what the job has of one lot (model/records/usage.h): it stands in
 * the list of the job, which owns it, and in that of the lot, where it counts.
 * So what a job has costs what it has, whoever else is there; and a job that is
 * gone leaves nothing behind.
 *
 *     struct term like = {.kind = GRANT_CLAIM, .start = 0, .end = 3600};
 *     struct job *job = job_get(u, "17");                 made if it is new
 *
 *     grant_add(u, job, lot, GRANT_CLAIM, job_term(job, &like), 4);
 *     for (g = lot->grants; g; g = g->beside)             who has any of a lot
 *         printf("%s\n", g->term->job->name);
 *     for (g = job->grants; g; g = g->next)               what a job has
 *         printf("%lld\n", (long long)g->units);
 *     job_release(u, job);
 */
#ifndef MODEL_RECORDS_JOBS_H
#define MODEL_RECORDS_JOBS_H

#include "model/records/records.h"
#include "model/records/usage.h"

struct grant {
    struct grant *next, *prev;     /* of the job */
    struct grant *beside, *before; /* on the lot, in the order of giving */
    struct term *term;
    struct lot *lot;
    int64_t units;
    int64_t seq; /* in the order of giving, among all; parts have the same */
};

struct job {
    struct job *next, *prev; /* in the order in which they came */
    struct term *terms;
    struct grant *grants, *last;
    size_t nlisted, nshared; /* grants of these kinds */
    bool whole;              /* of a set in pieces: all that it has was read */
    char name[];
};

/* The job of a name; NULL: it has nothing. */
struct job *job_find(const struct usage *u, const char *name);

/* The same, made if it was not there; it must get a grant. */
struct job *job_get(struct usage *u, const char *name);

/* The job's term that is like this one, of any job, made if there is none. */
struct term *job_term(struct job *job, const struct term *like);

/* Return the job's term of shares for the times of a term. */
struct term *job_share_term(struct job *job, const struct term *times);

/* It has something else now: how many slots that is is not known. */
void job_forget_nslots(struct job *job);

/* All that a job has goes, and with it the job. */
void job_release(struct usage *u, struct job *job);

/*
 * What a job has, to be given back to it as it was: nobody else may have been
 * given any of it in between, and the usage must be the same one.
 */
struct job_copy *job_save(const struct job *job);
void job_restore(struct usage *u, const struct job_copy *copy);
void job_copy_destroy(struct job_copy *copy); /* NULL is allowed */

/*
 * Watch from now on which jobs have something else, and whether states do
 * (watch in usage.h); all of them count as changed; none does.
 */
void usage_watch(struct usage *u);
void usage_note_all(struct usage *u);
void usage_forget_changes(struct usage *u);

/* End a job that has no grants left. True: it is gone. */
bool job_end_if_empty(struct usage *u, struct job *job);

/* Add a grant; `term`: NULL for one without times, which no claim is. */
struct grant *grant_add(struct usage *u, struct job *job, struct lot *lot,
                        enum grant_kind kind, struct term *term, int64_t units);
struct grant *grant_copy(struct usage *u, const struct grant *g,
                         struct lot *lot);
void grant_destroy(struct usage *u, struct grant *g);

/* Return a grant of this kind that a job has on a lot, NULL if it has none. */
struct grant *grant_find(const struct lot *lot, const struct job *job,
                         enum grant_kind kind);

/*
 * Drop a job's lock or listing of a lot, or all its shares; drop its shares for
 * these times and those without any.
 */
void grant_drop(struct usage *u, const struct lot *lot, const struct job *job,
                enum grant_kind kind);
void grant_drop_share(struct usage *u, const struct lot *lot,
                      const struct job *job, const struct term *times);

/* A job's grant on a lot for a term; NULL: none. */
struct grant *grant_of_term(const struct lot *lot, const struct term *term);

/* It is for this term, of the same kind, and so many units from now on. */
void grant_change(struct usage *u, struct grant *g, struct term *term,
                  int64_t units);

/*
 * Step through what a job has of a lot and of all that lies in it:
 *
 *     struct grants_in it = grants_in(job, lot);
 *     while ((g = grants_in_next(&it)))
 *
 * Two lists have it, all grants of the job, and all lots there of which there
 * is anything to say. Both are gone through side by side, and the end of the
 * shorter one is the end; so a grant may come twice. One that came may be
 * destroyed; lots must not be joined meanwhile.
 */
struct grants_in {
    const struct job *job;
    const struct lot *top, *lot; /* the next one in it; NULL: none */
    struct grant *of_job, *on_lot;
};
struct grants_in grants_in(const struct job *job, const struct lot *top);
struct grant *grants_in_next(struct grants_in *it);

/* The next one that is listed; NULL: there are no more. */
struct grant *grants_in_next_listed(struct grants_in *it);

/* Does the job claim or share anything below a lot? */
bool job_has_below(const struct job *job, const struct lot *lot);

/* Has it all of a pool with others in it, this one or one that it lies in, but
   not `above` that, at whatever time? */
bool job_has_whole(const struct job *job, const struct lot *lot,
                   const struct lot *above);

/* The first grant on the `lot` of a vertex; NULL: it has none. */
struct grant *vertex_grants(const struct vertex *v);

/* Is it a claim of all units of its pool? */
bool grant_is_whole(const struct grant *g);

/* Units claimed by a job, whenever. */
int64_t lot_claimed_by(const struct lot *lot, const struct job *job);

/* The job for which a lot is staged; NULL: none. */
struct job *lot_staged(const struct lot *lot);

/* Are both of one kind, from when to when, and for whom, but for the job? */
bool term_is_like(const struct term *a, const struct term *b);

/* Is it of claims or shares, which can have times? */
static inline bool term_uses(const struct term *t)
{
    return t->kind == GRANT_CLAIM || t->kind == GRANT_SHARE;
}

/* Has it a start or an end? */
static inline bool term_has_times(const struct term *t)
{
    return t->start >= 0 || t->end >= 0;
}

/* Is it to start later? What has begun is allocated. */
bool term_is_ahead(const struct term *t, double now);

/* Does a claim or a share hold at some moment of the period? */
bool term_during(const struct term *t, const struct period *p);

/*
 * A job that has ended keeps what it has until it is released, and others may
 * have reserved it from then on. Return the grant of another job that a claim
 * or a share, which has begun by `now`, waits for; NULL if it has begun and
 * holds, or has not begun.
 *
 * It waits while what began before it and was not released leaves no room for
 * it. So no two jobs hold one unit (RFC 16), and a job that holds something
 * never loses it because a third one is released.
 */
const struct grant *grant_awaits(struct usage *u, const struct grant *g,
                                 double now);

/*
 * Return what the job waits for by the first of its grants that waits, and set
 * *own to that grant; NULL if it waits for nothing.
 */
const struct grant *job_awaits(struct usage *u, const struct job *job,
                               double now, const struct grant **own);

/* The most units that are claimed at any moment of it, but for one grant. */
int64_t lot_claimed(const struct lot *lot, const struct period *p,
                    const struct grant *but);

#endif /* MODEL_RECORDS_JOBS_H */

/*
 * Jobs and their grants (RFC 4 "Resource Allocation Data", RFC 16 "Resource
 * Allocation Data and Rules").
 *
 * A job has terms (owner, queue, start, end) and grants. A grant is what the
 * job has in one lot (model/records/usage.h). It is in the list of the job,
 * which owns it, and in the list of the lot, where it counts. So listing or
 * releasing a job costs the number of its grants, however many other jobs there
 * are. A job that ended leaves nothing behind but the texts of its owner and
 * its queue, which the set keeps once for all jobs.
 *
 *     struct term like = {.kind = GRANT_CLAIM, .start = 0, .end = 3600};
 *     struct job *job = job_get(u, "17");                 made if it is new
 *
 *     grant_add(u, job, lot, GRANT_CLAIM, job_term(u, job, &like), 4);
 *     for (g = lot->grants; g; g = g->beside)             jobs on a lot
 *         printf("%s\n", g->term->job->name);
 *     for (g = job->grants; g; g = g->next)               grants of a job
 *         printf("%lld\n", (long long)g->units);
 *     job_release(u, job);
 */
#ifndef MODEL_RECORDS_JOBS_H
#define MODEL_RECORDS_JOBS_H

#include "model/records/records.h"
#include "model/tree/rset.h"

struct grant {
    struct grant *next, *prev;     /* of the job */
    struct grant *beside, *before; /* on the lot, the oldest first */
    struct term *term;
    struct lot *lot;
    int64_t units;
    int64_t seq; /* order among all grants; copies have the same */
};

struct job {
    struct job *next, *prev; /* in the order in which jobs were made */
    struct term *terms;
    struct grant *grants, *last;
    size_t nlisted, nshared; /* numbers of listed grants and of shares */
    uint32_t seen; /* for a walk: the last one that visited it (usage_walk()) */
    bool whole;    /* of a set in pieces: all its grants are read */
    char name[];
};

/* Return the job with a name, or NULL if it has no grants. */
struct job *job_find(const struct usage *u, const char *name);

/* Return the job with a name, made if there is none. A new job must get a
   grant. */
struct job *job_get(struct usage *u, const char *name);

/* Return the job's term that equals `like`, made if there is none. `like` may
   belong to any job. */
struct term *job_term(struct usage *u, struct job *job,
                      const struct term *like);

/* Return the job's term of shares for the times of a term. */
struct term *job_share_term(struct usage *u, struct job *job,
                            const struct term *times);

/* Forget how many slots the job has, because its grants changed. */
void job_forget_nslots(struct job *job);

/* Release all grants of a job, and end it. */
void job_release(struct usage *u, struct job *job);

/* End the jobs whose names are numbers. The others are reservations of a
   site. */
void job_release_numbered(struct usage *u);

/*
 * job_save() copies the grants of a job; job_restore() gives them back. In
 * between no other job may get any of these resources, and the usage must stay
 * the same. The caller frees the copy with job_copy_destroy().
 */
struct job_copy *job_save(const struct job *job);
void job_restore(struct usage *u, const struct job_copy *copy);
void job_copy_destroy(struct job_copy *copy); /* NULL is allowed */

/*
 * usage_watch(): from now on note which jobs change, and whether states change
 * (struct watch in usage.h). usage_note_all(): note all jobs and states as
 * changed. usage_forget_changes(): note none.
 */
void usage_watch(struct usage *u);
void usage_note_all(struct usage *u);
void usage_forget_changes(struct usage *u);

/* End a job, unless it has grants. */
void job_end_if_empty(struct usage *u, struct job *job);

/* Remove the marks and locks of a job that have lost their claim. Returns
   whether the job still has more than shares without times. */
bool job_drop_lost(struct usage *u, struct job *job);

/*
 * Add a grant of units for a term; remove it. `term` may be NULL, except for
 * claims: then the grant has no times. grant_copy() copies a grant to the lot
 * of other members; it keeps the sequence number. grant_release() removes a
 * grant, and joins its lot with its neighbours, as lot_join() does.
 */
struct grant *grant_add(struct usage *u, struct job *job, struct lot *lot,
                        enum grant_kind kind, struct term *term, int64_t units);
void grant_copy(struct usage *u, const struct grant *g, struct lot *lot);
void grant_destroy(struct usage *u, struct grant *g);
void grant_release(struct usage *u, struct grant *g);

/* Return a grant of this kind that a job has on a lot, or NULL if it has
   none. */
struct grant *grant_find(const struct lot *lot, const struct job *job,
                         enum grant_kind kind);

/*
 * grant_drop(): remove all grants of one kind that a job has on a lot.
 * grant_drop_share(): remove its shares for these times, and its shares without
 * times.
 */
void grant_drop(struct usage *u, const struct lot *lot, const struct job *job,
                enum grant_kind kind);
void grant_drop_share(struct usage *u, const struct lot *lot,
                      const struct job *job, const struct term *times);

/* Return the grant on a lot for a term, or NULL if there is none. */
struct grant *grant_of_term(const struct lot *lot, const struct term *term);

/* Change the term and the units of a grant. The new term must be of the same
   kind. */
void grant_change(struct usage *u, struct grant *g, struct term *term,
                  int64_t units);

/*
 * Step through the grants that a job has on a lot and on the lots in it:
 *
 *     struct grants_in it = grants_in(job, lot);
 *     while ((g = grants_in_next(&it)))
 *
 * Two lists contain them: all grants of the job, and all used lots in `lot`.
 * Both are walked side by side until the shorter one ends, so a grant may come
 * twice. A grant that came may be destroyed. Do not join lots meanwhile.
 */
struct grants_in {
    const struct job *job;
    const struct lot *top, *lot; /* next lot to visit; NULL: none */
    struct grant *of_job, *on_lot;
};
struct grants_in grants_in(const struct job *job, const struct lot *top);
struct grant *grants_in_next(struct grants_in *it);

/* Return the next listed grant, or NULL at the end. */
struct grant *grants_in_next_listed(struct grants_in *it);

/* Return whether the job claims or shares anything below a lot. */
bool job_has_below(const struct job *job, const struct lot *lot);

/* Return whether the job claims all units, at any time, of a pool that
   contains others: of the pool of `lot` or of one around it, up to but
   without `above`. */
bool job_has_whole(const struct job *job, const struct lot *lot,
                   const struct lot *above);

/* Return whether a grant is a claim of all units of its pool. */
bool grant_is_whole(const struct grant *g);

/* Return the units that a job claims in a lot, at any time. */
int64_t lot_claimed_by(const struct lot *lot, const struct job *job);

/* Return the job for which a lot (or NULL) is staged, or NULL. */
struct job *lot_staged(const struct lot *lot);

/* Return whether two terms are equal except for their jobs. */
bool term_is_like(const struct term *a, const struct term *b);

/* Return whether a term is for claims or shares, which can have times. */
static inline bool term_uses(const struct term *t)
{
    return t->kind == GRANT_CLAIM || t->kind == GRANT_SHARE;
}

/* Return whether a term has a start or an end. */
static inline bool term_has_times(const struct term *t)
{
    return t->start >= 0 || t->end >= 0;
}

/* Return whether two terms have a moment in common. */
static inline bool terms_overlap(const struct term *a, const struct term *b)
{
    return (a->end < 0 || b->start < a->end)
           && (b->end < 0 || a->start < b->end);
}

/* Return whether a term starts after `now`. A term that has started is an
   allocation. */
bool term_is_ahead(const struct term *t, double now);

/* Return whether a term is for claims or shares, and holds at any moment of the
   period. */
bool term_during(const struct term *t, const struct period *p);

/*
 * Return the grant of another job that a claim or a share, which has begun by
 * `now`, waits for. NULL if it holds, or has not begun yet.
 *
 * A job whose end has passed keeps its resources until it is released, and
 * another job may have reserved them from that end on. The second grant waits
 * as long as grants that began before it and were not released leave no room
 * for it. So no two jobs hold one unit (RFC 16), and releasing a third job
 * never takes anything from a job that holds it.
 */
const struct grant *grant_awaits(struct usage *u, const struct grant *g,
                                 double now);

/* Find the first grant of a job that waits. Sets *own to it and returns the
   grant that it waits for. NULL if no grant waits. */
const struct grant *job_awaits(struct usage *u, const struct job *job,
                               double now, const struct grant **own);

/* Return the most units of a lot that are claimed at any moment of a period,
   not counting the grant `but`. */
int64_t lot_claimed(const struct lot *lot, const struct period *p,
                    const struct grant *but);

#endif /* MODEL_RECORDS_JOBS_H */

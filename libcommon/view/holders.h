/*
 * Who holds a pool, what is free in it, and in what state it is: what tables,
 * maps and drawings tell of it. All is so in the period of the usage:
 *
 *     struct usage *u = usage_now(rs, now);
 *     struct holders h = holders_of(u, lot);
 *
 *     jobs_print(fp, &h.jobs);                 101-103,200
 *     holders_fini(&h);
 *
 * It costs what is recorded of the pool and of all in it. Of a lot of many
 * members it holds for each of them.
 */
#ifndef VIEW_HOLDERS_H
#define VIEW_HOLDERS_H

#include "model/records/jobs.h"
#include "view/palette.h"
#include "view/table.h"

/*
 * In words: see holders_word(). A pool is full if nothing of it is available; a
 * node with cores or GPUs also if jobs have some of it and no core and no GPU
 * is free.
 */
enum use { USE_IDLE, USE_MIXED, USE_FULL, USE_DRAINED, USE_NOT_UP };

/* Jobs as they are found; then in the order of names, each once. */
struct job_list {
    struct job **list;
    size_t n;
};
void job_list_add(struct job_list *to, struct job *job);
void job_list_sort(struct job_list *jobs);

struct holders {
    enum use use;
    enum pool_state state;    /* not up: USE_DRAINED or USE_NOT_UP */
    const struct vertex *out; /* what is not up: it, or what it lies in */
    struct job_list jobs;     /* that have any of it */
    bool inside; /* what they have is in it, and not the pool itself */
    struct job_list later; /* for which any of it is reserved */
};

/* The usage of a set at a moment; until usage_at() says another. */
struct usage *usage_now(struct rset *rs, double now);

/* Does a claim or a share hold then, and wait for no other job? */
bool grant_holds(struct usage *u, const struct grant *g);

/* Find who has a lot and in what state it is; for holders_fini(). */
struct holders holders_of(struct usage *u, struct lot *lot);

/* Tell why a lot itself is not up, without its jobs: nothing is to be freed. */
struct holders holders_out(const struct lot *lot);
void holders_fini(struct holders *h);

/* The lot of a vertex, of its first member; it is opened. */
struct lot *pool_lot(struct usage *u, const struct vertex *v);

/* idle, mixed, full, drained; or the state: down, failing ... */
const char *holders_word(const struct holders *h);

/* The tag that says why it is not up, and its reason; NULL: there is none. */
const json_t *holders_tag(const struct holders *h);
const char *holders_reason(const struct holders *h);

/*
 * Units of a type (usage_type(); -1: none) in a pool, and itself if it is of
 * that type: of each member all, and what is free of them.
 */
int64_t pool_total(const struct usage *u, const struct lot *lot, int ntype);
int64_t pool_free(struct usage *u, struct lot *lot, int ntype);

/*
 * What each job has of the units of a type in a pool, or of the pool if it is
 * of that type, in the order of jobs: a new array for free(); its length. What
 * several share is each one's.
 */
struct share {
    struct job *job;
    int64_t units;
};
size_t pool_shares(struct usage *u, struct lot *lot, int ntype,
                   struct share **list);

/* Pools of a type (-1: nodes) in a lot, each by itself; of those that lie in
   others of the type only the outermost. It is 1 for a pool of that type. */
uint64_t pools_count(struct usage *u, struct lot *lot, int ntype);

/* Is a pool of a type (-1: a node)? Do such pools lie in pools of its type? */
bool pool_is(const struct usage *u, const struct vertex *v, int ntype);
bool pool_may_hold(const struct usage *u, const struct vertex *v, int ntype);

/* How it is painted: as its state; but if just one job has it as that. */
enum paint_state holders_state(const struct holders *h);
struct paint holders_paint(const struct holders *h, const struct palette *p);

/* Write the names of jobs with commas; folds the numbers of many jobs. */
void jobs_print(FILE *fp, const struct job_list *jobs);

/* Put jobs into a cell of a table: the first few and how many more there are.
   JSON has all of them. */
void holders_put(struct table *t, int column, const struct job_list *jobs);

/* For a title: "down: bad disk; shared by 101,102; reserved for 9". */
void holders_print(FILE *fp, const struct holders *h);

#endif /* VIEW_HOLDERS_H */

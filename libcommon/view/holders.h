/*
 * Who holds a pool, how much of it is free, and its state, for tables, maps and
 * drawings. Everything refers to the period of the usage:
 *
 *     struct usage *u = usage_now(rs, now);
 *     struct holders h = holders_of(u, lot);
 *
 *     job_list_print(&h.jobs, SIZE_MAX, fp);      101-103,200
 *     holders_fini(&h);
 *
 * A query costs the number of records on the pool and on all pools in it. For a
 * lot of several members the answer holds for each of them.
 */
#ifndef VIEW_HOLDERS_H
#define VIEW_HOLDERS_H

#include "model/records/job_list.h"
#include "model/records/lots.h"
#include "view/palette.h"
#include "view/table.h"

/*
 * A pool is full if nothing of it is available, a node with cores or GPUs also
 * if none of them is free. If no job uses it then, it has the state of the
 * first pool in it that is not up. If it is not up, `use` says only whether it
 * is drained, or draining, or else PAINT_DOWN.
 */
struct holders {
    enum paint_state use;     /* up to PAINT_DOWN: see holders_word() */
    enum pool_state state;    /* if it is not up (from PAINT_DRAINED on) */
    const struct vertex *out; /* pool not up: this or an outer one; or one in
                                 it, if nobody has or can have any of it */
    struct job_list jobs;     /* jobs that hold any part of it */
    bool inside;              /* they hold pools in it, not the pool itself */
    struct job_list later;    /* jobs for which any part of it is reserved */
};

/* Return the usage of a set at a moment. Valid until usage_at() sets another
   one. */
struct usage *usage_now(struct rset *rs, double now);

/* Does a claim or share hold in the period, without waiting for another job? */
bool grant_holds(struct usage *u, const struct grant *g);

/* Find the jobs that hold a lot, and its state; for holders_fini(). */
struct holders holders_of(struct usage *u, struct lot *lot);

/* Free the lists of jobs. The state stays. */
void holders_fini(struct holders *h);

/* Return the opened lot of the first member of a vertex. */
struct lot *pool_lot(struct usage *u, const struct vertex *v);

/* Return a word: idle, mixed, full, drained, draining, or a state such as
   down. */
const char *holders_word(const struct holders *h);

/* Return the tag that says why the pool is not up, or the reason in the tag.
   NULL: there is none. */
const json_t *holders_tag(const struct holders *h);
const char *holders_reason(const struct holders *h);

/*
 * Return the units of a type (usage_type(); -1 returns 0) in each member of a
 * lot: in total, or those that are free. Includes the units of the member
 * itself if it has this type.
 */
int64_t pool_total(const struct usage *u, const struct lot *lot, int ntype);
int64_t pool_free(struct usage *u, struct lot *lot, int ntype);

/* Count the pools of a type (-1: nodes) in all members of lots, and the members
   that have this type. Pools inside a pool of the type don't count. */
uint64_t pools_count(struct usage *u, const struct lots *lots, int ntype);

/* Does any node lie in a pool? */
bool pool_has_nodes(const struct usage *u, const struct lot *lot);
/*
 * Step through the nodes in some lots, and through the pools that have no node
 * in or above them: return the place after one (NULL: the first); NULL at the
 * end. *top, at first 0, is the index of the lot that contains it.
 */
struct lot *place_next(struct usage *u, const struct lots *tops, size_t *top,
                       struct lot *place);

/* Does a pool have a type (-1: is it a node)? Can it contain pools of the type,
   judging by its own type? */
bool pool_is(const struct usage *u, const struct vertex *v, int ntype);
bool pool_may_hold(const struct usage *u, const struct vertex *v, int ntype);

/* Return the paint of a pool: that of its state, or of the job if it is up and
   only one job holds any of it. */
enum paint_state holders_state(const struct holders *h);
struct paint holders_paint(const struct holders *h, const struct palette *p);

/* Put jobs into a cell of a table: the first few, and how many more there are.
   The JSON of the cell has all of them. */
void holders_put(struct table *t, int column, const struct job_list *jobs);

#endif /* VIEW_HOLDERS_H */

/*
 * Policies: in which order a request takes pools. What it may take, and
 * whether there is enough, is the same under all of them.
 *
 * A policy says up to three things. Nodes that lie in no other node come by a
 * ranking, wherever they lie, and what lies in none comes after them; or they
 * come where they stand in the set. Below a pool its children come in an order
 * of the policy's own, or as they stand. And what comes as it stands comes
 * forward, or back from the last on.
 *
 * To add one: an entry in the table in policy.c, and a paragraph in
 * rset-match(1).
 */
#ifndef SCHEDULE_POLICY_H
#define SCHEDULE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/near.h"

struct entries;
struct goal;
struct rank_by;
struct search;
struct site;
struct vertex;

struct policy {
    const char *name;
    bool back;
    bool ranked; /* nodes come by a ranking */
    /* By what: a fact from the least on, or if NULL what is free in them of the
       types that are asked for, the first in the request first, from the least
       on or from the most. */
    int64_t (*fact)(const struct vertex *v);
    bool most;
    /* The child of a site that follows another (NULL: the first) and may serve
       the goal; NULL: site_next(). */
    struct site *(*next)(struct search *s, const struct goal *g,
                         struct site *parent, struct site *from);
};

/* The policy of a name; NULL: there is none, and *near tells which ones are
   near it. */
const struct policy *policy_find(const char *name, struct near *near);
/* Each name. */
void policy_each(word_fn *next, void *arg);

/* The one that is used where none was asked for. */
const struct policy *policy_first(void);

/* What usage_rank() needs to know of it. */
struct rank_by policy_rank_by(const struct policy *policy,
                              const struct entries *entries);

/*
 * The next child when those with something in them come by what is free of
 * the types that are asked for in them, from the least on or from the most,
 * among equals as they stand; and then those with nothing in them, as they
 * stand.
 */
struct site *policy_next_by_free(struct search *s, const struct goal *g,
                                 struct site *parent, struct site *from);

/* See policy_locality.c. */
struct site *policy_next_local(struct search *s, const struct goal *g,
                               struct site *parent, struct site *from);

#endif /* SCHEDULE_POLICY_H */

/*
 * Policies: in which order a request takes pools. What it may take, and
 * whether there is enough, is the same under all of them.
 *
 *     struct match_options opts = {.policy = policy_find("best-fit", &near)};
 *
 * To add one: an entry in the table in policy.c (match_private.h tells what a
 * policy consists of), and a paragraph in rset-request(7).
 */
#ifndef SCHEDULE_POLICY_H
#define SCHEDULE_POLICY_H

#include "base/near.h"

/* The policy of a name; NULL: there is none, and *near tells which ones are
   near it. */
const struct policy *policy_find(const char *name, struct near *near);
/* Each name. */
void policy_each(word_fn *next, void *arg);

/* The one that is used where none was asked for. */
const struct policy *policy_first(void);

#endif /* SCHEDULE_POLICY_H */

/*
 * Policies: the order in which a request takes pools. Under all policies it may
 * take the same pools, and matches or fails alike.
 *
 *     struct match_options opts = {.policy = policy_find("best-fit", &near)};
 *
 * To add one, write an entry in the table in policy.c (match_private.h
 * describes its members) and a paragraph in rset-request(7).
 */
#ifndef SCHEDULE_POLICY_H
#define SCHEDULE_POLICY_H

#include "base/near.h"

/* Return the policy with a name. NULL: there is none, and *near has similar
   names. */
const struct policy *policy_find(const char *name, struct near *near);
/* Call `next` with each name. */
void policy_each(word_fn *next, void *arg);

/* Return the default policy. */
const struct policy *policy_first(void);
/* Return the name of a policy; NULL: of the default. */
const char *policy_name(const struct policy *policy);

#endif /* SCHEDULE_POLICY_H */

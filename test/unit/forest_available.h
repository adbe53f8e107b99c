/*
 * What is available, by a naive reading of rset(7): a unit that is up and not
 * held, reserved or staged at the time; of a pool with others in it, if
 * anything in it is.
 */
#ifndef TEST_FOREST_AVAILABLE_H
#define TEST_FOREST_AVAILABLE_H

#include "find_naive.h"
#include "forest_world.h"
#include "model/records/records.h"

/* Units that are claimed; what has ended and was not released is held on, but
   not for what starts later. */
static json_int_t claimed_at(const struct pool *p, const struct period *when)
{
    json_int_t sum = 0;

    for (int k = 0; k < 2; k++) {
        const json_t *c;
        size_t i;
        json_array_foreach (json_object_get(p->m, claim_lists[k]), i, c) {
            double end = time_at(c, "end", INFINITY);
            if (time_at(c, "start", -1) <= when->from
                && (end > when->from
                    || (end <= when->now && when->from <= when->now)))
                sum += json_integer_value(json_object_get(c, "size"));
        }
    }
    return sum;
}

/* Whatever is done with it or in it. */
static bool in_use_at(const struct pools *all, const struct pool *p,
                      const struct period *when)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct pool *o = &all->list[i];
        if (is_below(all, o, p)
            && (claimed_at(o, when) > 0 || json_object_get(o->m, "staged")
                || shared_itself(all, o, NULL)))
            return true;
    }
    return false;
}

static json_int_t available_units(const struct pools *all, const struct pool *p,
                                  const struct period *when)
{
    json_int_t left = number_at(p, "size") - claimed_at(p, when);

    for (const struct pool *up = p; up; up = above(all, up))
        if (strcmp(state_of(all, up), "up") != 0
            || json_object_get(up->m, "staged")
            || (up != p && claimed_at(up, when) >= number_at(up, "size"))
            || (json_is_true(json_object_get(up->m, "exclusive"))
                && in_use_at(all, up, when)))
            return 0;
    if (left <= 0 || is_leaf(all, p))
        return left > 0 ? left : 0;
    for (size_t i = 0; i < all->n; i++)
        if (above(all, &all->list[i]) == p
            && available_units(all, &all->list[i], when) > 0)
            return left;
    return 0;
}

#endif /* TEST_FOREST_AVAILABLE_H */

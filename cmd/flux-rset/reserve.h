/* flux rset reserve, unreserve: reservations of the site. */
#ifndef FLUX_RSET_RESERVE_H
#define FLUX_RSET_RESERVE_H

#include <stdbool.h>

#include "base/diag.h"
#include "cli/clock.h"

/* Options of `reserve`. */
struct reserve_options {
    struct cli_time_options times;
    char *targets, *owner;
    bool any_state;
};

/*
 * Ask the scheduler of the instance for a reservation of this name, or to free
 * it. Returns STATUS_OK; STATUS_NO with a diag if jobs are in the way, or if
 * there is no such reservation; STATUS_TROUBLE with a diag.
 */
int reserve_make(const char *name, const struct reserve_options *o,
                 struct diag *d);
int reserve_free(const char *name, struct diag *d);

#endif /* FLUX_RSET_RESERVE_H */

/*
 * The transport between a Flux broker and the scheduler in protocol/: a message
 * there is a line here. All rules of scheduling, of RFC 27 and of RFC 28 are
 * behind scheduler_line().
 */
#ifndef SCHED_RSET_BROKER_H
#define SCHED_RSET_BROKER_H

#include <flux/core.h>

#include "protocol/scheduler.h"

/*
 * Serve until the reactor is stopped or the resources are gone. Adds streams
 * and a log to the options. `name`: the name of the module. Logs errors.
 * Returns 0; or -1 with errno if nothing was begun: EEXIST if there is another
 * scheduler.
 */
int broker_serve(flux_t *h, const char *name,
                 struct scheduler_options *options);

#endif /* SCHED_RSET_BROKER_H */

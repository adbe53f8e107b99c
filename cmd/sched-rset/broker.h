/*
 * Between a broker of Flux and the scheduler in protocol/: what is a message
 * there is a line here. This is all that it does; every rule of scheduling, and
 * of RFC 27 and RFC 28, is behind scheduler_line().
 */
#ifndef SCHED_RSET_BROKER_H
#define SCHED_RSET_BROKER_H

#include <flux/core.h>

#include "protocol/scheduler.h"

/*
 * Serve until the reactor is stopped or the resources are gone. The options
 * lack streams and a log, which are added; `name` is that of the module.
 * Returns 0; or -1 with errno, and nothing was begun: EEXIST if there is
 * another scheduler. What goes wrong is logged.
 */
int broker_serve(flux_t *h, const char *name,
                 struct scheduler_options *options);

#endif /* SCHED_RSET_BROKER_H */

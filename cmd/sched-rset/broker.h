/*
 * The transport between a Flux broker and the scheduler in protocol/: a message
 * there is a line here. All rules of scheduling, of RFC 27 and of RFC 28 are
 * behind scheduler_line().
 */
#ifndef SCHED_RSET_BROKER_H
#define SCHED_RSET_BROKER_H

#include <flux/core.h>

#include "protocol/scheduler.h"

/* A module and its arguments. */
struct module {
    const char *name;
    int argc;
    char *const *argv;
    /* Read the options from the arguments and the configuration of Flux.
       Returns 0, or -1 with a diag. */
    int (*read)(flux_t *h, const struct module *m, const flux_conf_t *conf,
                struct scheduler_options *o, struct diag *d);
};

/*
 * Serve until the reactor is stopped or the resources are gone. Adds streams
 * and a log to the options. A new configuration of Flux is followed. Logs
 * errors. Returns 0; or -1 with errno if nothing was begun: EINVAL if the
 * options can't be read, EEXIST if there is another scheduler.
 */
int broker_serve(flux_t *h, const struct module *module);

#endif /* SCHED_RSET_BROKER_H */

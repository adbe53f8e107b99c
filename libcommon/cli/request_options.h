/*
 * The options that say what is asked for, the same in every program that
 * takes a request: flux-run's short ones, a shape, or a jobspec.
 */
#ifndef CLI_REQUEST_OPTIONS_H
#define CLI_REQUEST_OPTIONS_H

#include <popt.h>
#include <stdbool.h>

#include "cli/cli.h"
#include "cli/documents.h"
#include "schedule/match.h"

/*
 * All options are taken as text and looked at together: popt would read
 * `-n 010` as eight, and a contradiction shows only when all are known. What
 * counts once is a list, too, so that a second one is refused.
 */
struct cli_request_options {
    char *nodes, *nslots, *cores, *gpus;
    char **shapes, **jobspecs;
    bool exclusive, v1;
    char **include, **exclude, **property, **requires, **constraint;
    char *slot_scope, *granule, *policy;
    bool node_exclusive;
};

/* For inclusion in a program's table. */
extern struct poptOption cli_request_table[];
#define CLI_REQUEST_OPTIONS(at) \
    CLI_INCLUDE(cli_request_table, at, "Request options:")

/*
 * Of these options some ask for something (CLI_ASKS), others say which targets
 * may be used (CLI_BOUNDS: they can select without a request, too), or how a
 * request is served (CLI_SEMANTICS):
 *
 *     if (cli_given(cli_request_table, options, CLI_ASKS))
 */

/* The option whose file is standard input; NULL: none. See cli_check_input().
 */
const char *cli_request_reads_stdin(const struct cli_request_options *o);

/*
 * Make the request that the options ask for, for request_destroy(): NULL if
 * none was given. Returns 0, or -1 with a diag on a bad option, a contradiction
 * or a bad shape (cli_fault), and on a bad jobspec.
 */
int cli_request(const struct cli_request_options *o, struct request **req,
                struct diag *d);

/*
 * The text of an option that counts once, of all that it was given (NULL:
 * none), or NULL. A second one is a fault: -1 with a diag.
 */
int cli_only(const char *option, char *const *texts, const char **text,
             struct diag *d);

/*
 * Make what the options say together that bounds a request, a new constraint:
 * NULL if none was given. Returns 0, or -1 with a diag: also on a rank or a
 * host that is in none of the sets; with NULL the text alone is checked.
 */
int cli_request_constraint(const struct cli_request_options *o,
                           const struct rset_list *sets, struct constraint **c,
                           struct diag *d);

/*
 * What --slot-scope, --granule, --policy and --node-exclusive say of how a
 * request is served; one that was not given leaves that as it is. Returns 0, or
 * -1 with a diag.
 */
int cli_request_semantics(const struct cli_request_options *o,
                          struct match_options *opts, struct diag *d);

#endif /* CLI_REQUEST_OPTIONS_H */

/* The options of a request, the same in each program that takes one: short ones
   as in flux-run, a shape, or a jobspec. */
#ifndef CLI_REQUEST_OPTIONS_H
#define CLI_REQUEST_OPTIONS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/documents.h"
#include "schedule/match.h"

/*
 * The values of the options. All are texts, because popt would read `-n 010` as
 * eight. They are checked together, because a contradiction shows only when all
 * are known. Options that may be given only once are lists too, so that a
 * second one can be refused.
 */
struct cli_request_options {
    char *nodes, *nslots, *cores, *gpus;
    char **shapes, **jobspecs;
    bool exclusive;
    char **include, **exclude, **requires, **constraint;
    char *slot_scope, *granule, *policy;
    bool node_exclusive;
};

/* To include in a program's table. */
extern const struct cli_option cli_request_table[];
#define CLI_REQUEST_OPTIONS(at) \
    CLI_INCLUDE(cli_request_table, at, "Request options:")

/*
 * Some of these options ask for resources (CLI_ASKS). Others limit the targets
 * (CLI_BOUNDS), also without a request, or change how a request is served
 * (CLI_SEMANTICS):
 *
 *     if (cli_first_set(cli_request_table, options, CLI_ASKS))
 */

/* Return the option that reads standard input (cli_check_input), or NULL. */
const char *cli_request_reads_stdin(const struct cli_request_options *o);

/*
 * Make a request from the options, for request_destroy(); NULL if none was
 * given. Returns 0, or -1 with a diag on a bad option, a contradiction or a bad
 * shape (cli_fault), or a bad jobspec.
 */
int cli_request(const struct cli_request_options *o, struct request **req,
                struct diag *d);

/*
 * Get the value of an option that may be given once. `texts`: its values, or
 * NULL. Sets *text, NULL if not given. Returns 0, or -1 with a diag if there
 * are two.
 */
int cli_only(const char *option, char *const *texts, const char **text,
             struct diag *d);

/*
 * Make one constraint from all options that limit targets, NULL if none was
 * given. Returns 0, or -1 with a diag, also if none of the sets has a named
 * rank or host. `sets` NULL: only the texts are checked.
 */
int cli_request_constraint(const struct cli_request_options *o,
                           const struct rset_list *sets, struct constraint **c,
                           struct diag *d);

/* Apply --slot-scope, --granule, --policy and --node-exclusive to `opts`;
   options that were not given change nothing. Returns 0, or -1 with a diag. */
int cli_request_semantics(const struct cli_request_options *o,
                          struct match_options *opts, struct diag *d);

#endif /* CLI_REQUEST_OPTIONS_H */

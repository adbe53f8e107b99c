/*
 * The options that select without a request: --subtree, --state, --job,
 * --available, --find and --type. Those of targets are among the request
 * options: they select, or bound a request where there is one.
 */
#ifndef CLI_FILTER_OPTIONS_H
#define CLI_FILTER_OPTIONS_H

#include <popt.h>

#include "cli/documents.h"
#include "schedule/filter.h"

/* For inclusion in a program's table with CLI_FILTER_OPTIONS. */
extern struct poptOption cli_filter_table[];
#define CLI_FILTER_OPTIONS                                       \
    {                                                            \
        NULL, '\0', POPT_ARG_INCLUDE_TABLE, cli_filter_table, 0, \
            "Filters:", NULL                                     \
    }

/*
 * The name of a filter that was given and makes no sense beside a request;
 * NULL if there is none.
 */
const char *cli_filter_not_of_targets(void);

/*
 * Check all that can be checked before a set is read; a fault ends the
 * program. `now` is for times in --find.
 */
void cli_filter_check(double now);

/* The types of --type, NULL: not given. */
const char *cli_filter_types(void);

/*
 * The filter that the options make for these sets; a rank or host that is in
 * none of them ends the program. For cli_filter_fini().
 */
struct filter cli_filter(const struct rset_list *sets, double now);
void cli_filter_fini(struct filter *f);

/* Was any filter but --type given? */
bool cli_filter_given(void);

/* Was --available? */
bool cli_filter_available(void);

/*
 * Of a set the pool that --subtree names is left, with all below it, if it was
 * given. It has to be there, or the program ends.
 */
void cli_take_subtree(struct named_rset *set);

/* Make a set as coarse as --type says, if it was given. */
void cli_coarsen(const struct named_rset *set);

#endif /* CLI_FILTER_OPTIONS_H */

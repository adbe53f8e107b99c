/* The parts of rset-match: requests, filters, and numbers. */
#ifndef RSET_MATCH_MATCH_H
#define RSET_MATCH_MATCH_H

#include "cli/clock.h"
#include "cli/documents.h"
#include "cli/request_options.h"
#include "schedule/filter.h"
#include "schedule/match.h"

/* --- a request (query.c) ------------------------------------------------ */

/* A request and how to serve it. */
struct query {
    struct request *req;  /* NULL: only filters */
    struct cli_when when; /* times of the options */
    struct cli_times times;
    struct match_options opts;
    bool feasible; /* only ask whether it could ever match */
    bool earliest; /* ask for the earliest time */
};

/* Set the times of the request. Returns 0, or -1 with a diag. */
int query_set_times(struct query *q, struct diag *d);

/* Search a set. If found, sets *sel, unless `feasible`, and the times found. */
enum match_answer query_find(struct query *q, struct usage *u,
                             struct selection **sel, struct diag *d);

/* Explain an answer, except MATCH_ERROR (schedule/explain.h), as an object. */
json_t *query_explain(const struct query *q, struct usage *u,
                      enum match_answer answer);

/* Return the selected resources with their times, a new set. */
struct rset *query_set(const struct query *q, const struct selection *sel,
                       struct rset *rs);

/*
 * Answer requests in a file ("-": standard input), one a line: a shape, a
 * jobspec as JSON, or request options. Each is answered on the unchanged set
 * with a line of JSON: {"status":0,"R":...}, {"status":1,"why":...},
 * {"status":3,...}, or {"status":2,"error":...} for a bad line. Blank lines are
 * skipped. `all` holds for all requests. Returns the worst status.
 */
int query_batch(const char *file, const struct rset_list *set,
                const struct query *all);

/* --- filters (filters.c) -------------------------------------------------- */

/*
 * The options that select without a request, all of one kind (cli_first_set).
 * Options about targets are among the request options: without a request they
 * select, with one they limit it.
 */
enum { FILTERS = 1 };
struct filter_options {
    char **find, **prune; /* all are joined; the others may be given once */
    char **states, **types, **subtrees;
    bool available;
    /* set by filter_make(); NULL: not given */
    const char *state, *type, *subtree;
};
extern const struct cli_option filter_table[];
#define FILTER_OPTIONS(at) CLI_INCLUDE(filter_table, at, "Filters:")

/* Make a filter from the options, which are checked as far as that needs no
   set. A fault ends the program. */
struct filter filter_make(struct filter_options *o, const struct period *when);
void filter_fini(struct filter *f);

/* Reduce a set to the pool that --subtree names and all below it, if given.
   Ends the program if there is no such pool. */
void filter_subtree(const struct filter_options *o, struct named_rset *set);

/* Make a set as coarse as --type says, if given. */
void filter_coarsen(const struct filter_options *o,
                    const struct named_rset *set);

/* --- numbers (counts.c) --------------------------------------------------- */

/* Check the types of a list (NULL: none). Ends the program if none of the sets
   has a type and it is not a usual one: a likely mistake in this option. */
void counts_check(const char *option, const char *list,
                  const struct rset_list *sets);

/* Does --count (NULL: not given) count only nodes, cores and GPUs? */
bool counts_cores(const char *list);

/* --count: print one line with the numbers of all types in the given order, or
   with --output=json an object. */
void counts_print(const char *list, const struct rset *rs);

/* --aggregate: print a line for each type that is available at that time, or an
   object. `zero`: also types with none available. */
void counts_aggregate(struct rset *rs, struct period when, bool zero);

#endif /* RSET_MATCH_MATCH_H */

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

/* --- numbers (counts.c) --------------------------------------------------- */

/* A list of types, as an option names them. n 0: it was not given. */
struct type_list {
    const char *option;
    const char **list;
    size_t n;
};

/* Read TYPE[,TYPE...]. Ends the program if the text is no such list. */
struct type_list counts_read(const char *option, const char *text);

/* Check that any of the sets has each type, unless it is a usual one. Ends the
   program if not: a likely mistake in the option. */
void counts_check(const struct type_list *types, const struct rset_list *sets);

/* Does a list name types, and only nodes, cores and GPUs? */
bool counts_cores(const struct type_list *types);

/* --count: print one line with the numbers of all types in the given order, or
   with --output=json an object. */
void counts_print(const struct type_list *types, const struct rset *rs);

/* --aggregate: print a line for each type that is available at that time, or an
   object. `zero`: also types with none available. */
void counts_aggregate(struct rset *rs, struct period when, bool zero);

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
    const char *state, *subtree;
    struct type_list shown; /* of --type */
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

#endif /* RSET_MATCH_MATCH_H */

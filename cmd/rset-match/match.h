/* The parts of rset-match: requests, filters, and numbers. */
#ifndef RSET_MATCH_MATCH_H
#define RSET_MATCH_MATCH_H

#include "cli/clock.h"
#include "cli/documents.h"
#include "cli/request_options.h"
#include "schedule/filter.h"
#include "schedule/match.h"

/* --- a request (ask.c) -------------------------------------------------- */

/* What is asked, and how. */
struct asking {
    struct request *req;  /* NULL: filters alone */
    struct cli_when when; /* what options say of its times */
    struct cli_times times;
    struct match_options opts;
    bool feasible; /* only whether it could ever match */
    bool earliest; /* when it can be had first */
};

/* Times of the request, of which they may say how long: 0, or -1 with a diag.
 */
int ask_when(struct asking *ask, struct diag *d);

/* The answer of a set: a selection, but for `feasible`, and then its times. */
enum match_answer ask(struct asking *ask, struct usage *u,
                      struct selection **sel, struct diag *d);

/* Why (schedule/explain.h), as an object, for any answer. NULL with a diag. */
json_t *ask_explain(const struct asking *ask, struct usage *u,
                    enum match_answer answer, struct diag *d);

/* What was selected, with its times. */
struct rset *asked_set(const struct asking *ask, const struct selection *sel,
                       struct rset *rs);

/*
 * Read requests from a file ("-": standard input), a line each: a shape,
 * a jobspec as JSON, or request options. Each is answered against the set
 * alone, in a line of JSON: {"status":0,"R":...}, {"status":1,"why":...},
 * {"status":3,...}, or {"status":2,"error":...} for a bad line. Blank lines are
 * passed over. What `all` says holds for all of them. Returns the worst of the
 * statuses.
 */
int ask_batch(const char *file, const struct rset_list *set,
              const struct asking *all);

/* --- filters (filters.c) -------------------------------------------------- */

/*
 * The options that select without a request, all of one kind (cli_given). Those
 * of targets are among the request options: they select, or bound a request
 * where there is one.
 */
enum { FILTERS = 1 };
struct filter_options {
    char **find; /* all of them count; of the others one */
    char **states, **jobs, **types, **subtrees;
    bool available;
};
extern struct poptOption filter_table[];
#define FILTER_OPTIONS(at) CLI_INCLUDE(filter_table, at, "Filters:")

/*
 * Check all that can be checked before a set is read; a fault ends the
 * program. `now` is for times in --find.
 */
void filter_check(const struct filter_options *o, double now);

/*
 * The filter that the options make for these sets, with the targets that the
 * options of a request name, which it takes over. For filter_fini().
 */
struct filter filter_make(const struct filter_options *o,
                          struct constraint *targets,
                          const struct period *when);
void filter_fini(struct filter *f);

/*
 * Of a set the pool that --subtree names is left, with all below it, if it was
 * given. It has to be there, or the program ends.
 */
void filter_subtree(const struct filter_options *o, struct named_rset *set);

/* Make a set as coarse as --type says, if it was given. */
void filter_coarsen(const struct filter_options *o,
                    const struct named_rset *set);

/* --- numbers (counts.c) --------------------------------------------------- */

/*
 * A type of a list (NULL: none) that none of the sets has, and that is none of
 * the usual ones, is a slip of this option: ends the program.
 */
void counts_check(const char *option, const char *list,
                  const struct rset_list *sets);

/*
 * --count: one line, the numbers of all types, in the order in which they were
 * asked; with --output=json an object of them.
 */
void counts_print(const char *list, const struct rset *rs);

/* --aggregate: a line for each type that is available then, or an object. */
void counts_aggregate(struct rset *rs, struct period when, bool zero);

#endif /* RSET_MATCH_MATCH_H */

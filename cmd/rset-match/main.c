/*
 * rset-match: find resources in a set; with no request, the `cat` of
 * resource sets.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/offers.h"
#include "cli/progress.h"
#include "cli/request_options.h"
#include "cli/store.h"
#include "cli/table.h"
#include "cli/validate.h"
#include "schedule/explain.h"
#include "schedule/ledger.h"
#include "match.h"

static void offer(struct complete *c, const char *placeholder)
{
    offer_of_sets(c, placeholder, ANSWER_SETS);
}

static const struct cli cli = {
    .offer = offer,
    .name = "rset-match",
    .synopsis = "[OPTION...] [FILE...]",
    .summary = "Select resources from resource sets; with no request, check "
               "and convert them.",
    .footer = "Exit status: 0 done or matched, 1 no match now, 2 trouble, "
              "3 no match ever.\n",
};

static const char *count_types;
static const char *batch;
static int aggregate, zero, validate, strict, feasible, explain, tell_when;

static struct poptOption options[] = {
    FILTER_OPTIONS,
    CLI_REQUEST_OPTIONS,
    {"feasible", '\0', POPT_ARG_NONE, &feasible, 0,
     "only tell by the exit status whether the request could ever match", NULL},
    {"when", '\0', POPT_ARG_NONE, &tell_when, 0,
     "print the first moment at which all of it can be had", NULL},
    {"explain", '\0', POPT_ARG_NONE, &explain, 0,
     "when nothing matches, tell in full why", NULL},
    {"batch", '\0', POPT_ARG_STRING, &batch, 0,
     "answer the requests in a file, one a line", "FILE"},
    {"count", '\0', POPT_ARG_STRING, &count_types, 0,
     "print how many there are of each type instead", "TYPE[,TYPE...]"},
    {"aggregate", '\0', POPT_ARG_NONE, &aggregate, 0,
     "print how many units of each type are available (a node: if anything in "
     "it is), and how many are wholly free, instead",
     NULL},
    {"zero", '\0', POPT_ARG_NONE, &zero, 0,
     "with --aggregate: types of which nothing is available, too", NULL},
    {"validate", '\0', POPT_ARG_NONE, &validate, 0,
     "print all that is wrong with the documents instead", NULL},
    {"strict", '\0', POPT_ARG_NONE, &strict, 0,
     "with --validate: hold to the letter of the seed edition", NULL},
    CLI_TIME_OPTIONS,
    CLI_STORE_READ_OPTIONS,
    CLI_DOCUMENT_OPTIONS,
    CLI_EXPAND_OPTION,
    CLI_TABLE_OPTIONS,
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

/* Is the answer to a request told as data? */
static bool tells_data(void)
{
    return cli_output_json() && (explain || feasible || tell_when);
}

/* Is the answer something else than resource sets? */
static bool answers_data(void)
{
    return count_types || aggregate || validate || tell_when || tells_data();
}

/* Which of these was given; NULL: none. */
static const char *numbers(void)
{
    return count_types ? "--count" : aggregate ? "--aggregate" : NULL;
}

static const char *tells(void)
{
    return feasible    ? "--feasible"
           : tell_when ? "--when"
           : explain   ? "--explain"
                       : NULL;
}

static const char *asked(unsigned kinds)
{
    return cli_given(cli_request_table, kinds);
}

static void check_lists(void)
{
    if (strict && !validate)
        cli_usage("--strict needs --validate");
    if (zero && !aggregate)
        cli_usage("--zero needs --aggregate");
    if (count_types && aggregate)
        cli_exclude("--count", "--aggregate");
    if (count_types)
        cli_check_types("--count", count_types);
}

static void check_validate(void)
{
    cli_exclude("--validate", numbers());
    if (asked(CLI_ASKS) || batch)
        cli_usage("--validate takes no request");
    if (cli_given(filter_table, FILTERS) || asked(CLI_BOUNDS))
        cli_usage("--validate takes no filter");
}

/* A match at a time reads of a store what it comes to. */
static bool needs_pieces(void)
{
    return asked(CLI_ASKS) && !tells() && !numbers() && !filter_types;
}

/* What is not of requests does not go with one. */
static void check_given(void)
{
    const char *filter;

    if (batch && asked(CLI_ASKS))
        cli_exclude("--batch", "a request");
    if (batch)
        cli_exclude("--batch", numbers());
    if ((filter = cli_given(filter_table, FILTERS)))
        cli_usage("%s does not go with a request: put another rset-match "
                  "before it in a pipe",
                  filter);
}

/* What is of requests needs one. */
static void check_not_given(void)
{
    if (cli_when_of_request())
        cli_usage("%s needs a request", cli_when_of_request());
    if (cli_at_text && !aggregate && !filter_available)
        cli_usage("--at needs a request, --available or --aggregate");
    if (tells() || asked(CLI_SEMANTICS))
        cli_usage("%s needs a request",
                  tells() ? tells() : asked(CLI_SEMANTICS));
}

static void check_options(void)
{
    cli_document_check(answers_data() ? ANSWER_DATA : ANSWER_SETS);
    check_lists();
    if (cli_given(cli_table_options, ~0U)
        && (answers_data() || !cli_output_table()))
        cli_usage("%s needs -o table", cli_given(cli_table_options, ~0U));
    if (validate)
        check_validate();
    if (asked(CLI_ASKS) || batch)
        check_given();
    else
        check_not_given();
    cli_when_check();
    cli_exclude(tells(), numbers());
    if (feasible && (tell_when || cli_earliest))
        cli_exclude("--feasible", tell_when ? "--when" : "--earliest");
    if (batch && (tell_when || explain))
        cli_exclude("--batch", tell_when ? "--when" : "--explain");
}

/* --- with a request ----------------------------------------------------- */

/* The answer as data, or a no in one line. */
static void tell(const struct asking *ask, const struct named_rset *set,
                 struct usage *u, enum match_answer answer)
{
    json_t *data = NULL;
    char *why = NULL;
    struct diag d = {0};

    if (tells_data())
        data = ask_explain(ask, u, answer, &d);
    else
        why = match_explain_text(u, ask->req, &ask->opts, answer, explain, &d);
    if (!data && !why)
        cli_die_in(&d, set->name);
    if (data)
        cli_write_json(data);
    else
        cli_warn("%s: no match %s: %s", set->name,
                 answer == MATCH_NEVER ? "ever" : "now", why);
    free(why);
}

/* As in an R: whole seconds without a fraction. */
static void print_when(double time)
{
    json_t *value = time_to_json(time);

    cli_write_json(cli_output_json() ? json_pack("{s:s,s:o}", "answer", "match",
                                                 "when", value)
                                     : value);
}

/* What is selected of a set, or NULL; and the status. */
static struct rset *match(const struct asking *all,
                          const struct named_rset *set, int *status)
{
    struct diag d = {0};
    struct selection *sel = NULL;
    struct rset *found = NULL;
    struct asking one = *all;
    struct usage *u = usage_begin(set->rs);
    enum match_answer answer = ask(&one, u, &sel, &d);

    if (sel && tell_when)
        print_when(one.times.start);
    else if (sel && !tells_data())
        found = asked_set(&one, sel, set->rs);
    if (answer == MATCH_ERROR
        || (found && !numbers() && cli_check_said(found, &d) < 0))
        cli_die_in(&d, set->name);
    if (answer != MATCH_FOUND || (tells_data() && !tell_when))
        tell(&one, set, u, answer);
    selection_destroy(sel);
    *status = cli_answer_status(answer);
    return found;
}

/* All is matched before anything is written. */
static int match_all(struct rset_list *sets, const struct asking *all)
{
    int worst = STATUS_OK;

    for (size_t i = 0; i < sets->n; i++) {
        int status;
        struct rset *found = match(all, &sets->list[i], &status);
        rset_destroy(sets->list[i].rs);
        sets->list[i].rs = found;
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* --- without ------------------------------------------------------------ */

static bool has_nothing(struct rset *rs, const char *job)
{
    char digits[JOB_DIGITS_MAX];
    const struct usage *u = usage_begin(rs);

    return !ledger_has(u, ledger_job(u, job, digits));
}

static void say_nothing_passes(const struct named_rset *set,
                               const struct filter *filter)
{
    char *more = constraint_unknown(filter->targets, set->rs);

    if (!more)
        more = constraint_unknown(filter->find, set->rs);
    if (!more && filter->job && has_nothing(set->rs, filter->job))
        xasprintf(&more, "; job %s holds nothing", filter->job);
    cli_warn("%s: nothing passes the filters%s", set->name, more ? more : "");
    free(more);
}

/* What passes the filters; an empty set is a no. */
static int filter_all(struct rset_list *sets, const struct filter *filter)
{
    int status = STATUS_OK;

    progress_begin("matching", NULL);
    for (size_t i = 0; i < sets->n; i++) {
        struct named_rset *set = &sets->list[i];
        struct diag d = {0};
        struct selection *sel = filter_select(set->rs, filter, &d);
        struct rset *found = sel ? rset_extract(set->rs, sel) : NULL;
        bool empty = sel && !sel->picks;
        if (!found)
            cli_die_in(&d, set->name);
        selection_destroy(sel);
        if (empty)
            say_nothing_passes(set, filter);
        rset_destroy(set->rs);
        set->rs = found;
        if (!empty)
            continue;
        status = STATUS_NO;
        if (!numbers()) {
            rset_destroy(found);
            set->rs = NULL;
        }
    }
    progress_end();
    return status;
}

/* Select what was asked for from each set; the exit status. */
static int select_all(struct rset_list *sets, struct asking *asking)
{
    struct filter f = filter_make(sets, asking->opts.now);
    int status = STATUS_OK;

    asking->opts.constraint = f.targets;
    if (batch)
        status = ask_batch(batch, sets, asking);
    else if (asking->req)
        status = match_all(sets, asking);
    else if (filter_given(&f))
        status = filter_all(sets, &f);
    for (size_t i = 0; i < sets->n && !batch; i++)
        if (sets->list[i].rs)
            filter_coarsen(&sets->list[i]);
    filter_fini(&f);
    return status;
}

static void print_all(const struct rset_list *sets, double now)
{
    if (!numbers())
        cli_write_all(sets);
    for (size_t i = 0; numbers() && i < sets->n; i++) {
        struct rset *rs = sets->list[i].rs;
        if (i > 0 && aggregate && !cli_output_json())
            putchar('\n');
        if (rs && count_types)
            counts_print(count_types, rs);
        else if (rs)
            counts_aggregate(rs, cli_moment(now), zero);
    }
}

int main(int argc, const char **argv)
{
    static const char *no_files[] = {NULL};
    struct asking asking = {0};
    struct store *store = NULL;
    struct rset_list sets;
    const char **files;
    poptContext ctx;
    int status;

    cli_init(&cli);
    ctx = cli_options(argc, argv, options, 0);
    while (cli_next(ctx) >= 0)
        ;
    cli_earliest = tell_when ? 2 : cli_earliest;
    check_options();
    files = cli_operands(ctx);
    cli_store_check(files);
    cli_wait(cli_store ? NULL : "--store");
    if (cli_store)
        files = no_files;
    if (validate && cli_store)
        cli_usage("--validate: rset-alloc check is for stores");
    if (validate)
        cli_exit(cli_validate(files, strict ? VALIDATE_STRICT : 0));
    cli_check_input(cli_request_reads_stdin(), files);
    if (batch && cli_is_stdin(batch))
        cli_check_input("--batch", files);
    if (batch)
        cli_check_input(cli_request_reads_stdin(),
                        (const char *const[]){batch, NULL});
    asking.feasible = feasible;
    asking.opts.now = cli_clock(&(bool){false});
    cli_request_semantics(&asking.opts);
    cli_when_read(asking.opts.now);
    if ((asking.req = cli_request()))
        ask_when(&asking);
    filter_check(asking.opts.now);
    sets = cli_store ? cli_store_begin(&store, STORE_READ, needs_pieces(),
                                       asking.opts.now)
                     : cli_read(files);
    if (batch && sets.n != 1)
        cli_usage("--batch needs one document, there are %zu", sets.n);
    for (size_t i = 0; i < sets.n; i++)
        filter_subtree(&sets.list[i]);
    counts_check("--count", count_types, &sets);
    counts_check("--type", filter_types, &sets);
    status = select_all(&sets, &asking);
    if (!batch)
        print_all(&sets, asking.opts.now);
    request_destroy(asking.req);
    cli_leave(&sets);
    poptFreeContext(ctx);
    store_close(store);
    cli_exit(status);
}

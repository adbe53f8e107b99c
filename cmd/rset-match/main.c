/*
 * rset-match: find resources in a set; with no request, the `cat` of
 * resource sets.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/offers.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/validate.h"
#include "schedule/explain.h"
#include "model/records/jobs.h"
#include "schedule/ledger.h"
#include "match.h"

static void offer(struct complete *c, const char *placeholder)
{
    offer_of_sets(c, placeholder, ANSWER_SETS);
}

static const struct cli cli = {
    .offer = offer,
    .store_set = cli_store_offer,
    .name = "rset-match",
    .synopsis = "[OPTION...] [FILE...]",
    .summary = "Select resources from resource sets; with no request, check "
               "and convert them.",
    .common = " available find explain when count store validate ",
    .footer = "Exit status: 0 done or matched, 1 no match now, 2 error, "
              "3 no match ever.\n",
};

static struct options {
    struct filter_options filter;
    struct cli_request_options request;
    struct cli_time_options times;
    struct cli_table_options table;
    char *count, *batch;
    bool aggregate, zero, validate, strict, feasible, explain;
} given;

#define AT(member) CLI_AT(struct options, member)
static struct poptOption options[] = {
    FILTER_OPTIONS(offsetof(struct options, filter)),
    CLI_REQUEST_OPTIONS(offsetof(struct options, request)),
    {"feasible", '\0', POPT_ARG_NONE, AT(feasible), 0,
     "print nothing: the exit status says whether the request could ever match",
     NULL},
    {"when", '\0', POPT_ARG_NONE, AT(times.when), 0,
     "print the earliest time at which the request fits", NULL},
    {"explain", '\0', POPT_ARG_NONE, AT(explain), 0,
     "if nothing matches, explain in full why", NULL},
    {"batch", '\0', POPT_ARG_STRING, AT(batch), 0,
     "answer the requests in a file, one on each line", "FILE"},
    {"count", '\0', POPT_ARG_STRING, AT(count), 0,
     "print the number of resources of each type", "TYPE[,TYPE...]"},
    {"aggregate", '\0', POPT_ARG_NONE, AT(aggregate), 0,
     "print how many units of each type are available (a node: if anything in "
     "it is), and how many are wholly free",
     NULL},
    {"zero", '\0', POPT_ARG_NONE, AT(zero), 0,
     "with --aggregate: list types with 0 available as well", NULL},
    {"validate", '\0', POPT_ARG_NONE, AT(validate), 0,
     "print everything that is wrong with the documents", NULL},
    {"strict", '\0', POPT_ARG_NONE, AT(strict), 0,
     "with --validate: apply the letter of the seed edition", NULL},
    CLI_TIME_OPTIONS(offsetof(struct options, times)),
    CLI_STORE_READ_OPTIONS,
    CLI_DOCUMENT_OPTIONS,
    CLI_EXPAND_OPTIONS(NULL),
    CLI_TABLE_OPTIONS(offsetof(struct options, table)),
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

/* Is the answer to a request data? */
static bool tells_data(void)
{
    return cli_output_json()
           && (given.explain || given.feasible || given.times.when);
}

/* Is the answer something other than resource sets? */
static bool answers_data(void)
{
    return given.count || given.aggregate || given.validate || given.times.when
           || tells_data();
}

/* Are numbers printed instead of sets? */
static bool answers_numbers(void)
{
    return given.count || given.aggregate;
}

static const char *tells(void)
{
    return given.feasible     ? "--feasible"
           : given.times.when ? "--when"
           : given.explain    ? "--explain"
                              : NULL;
}

static const char *asked(unsigned kinds)
{
    return cli_given(cli_request_table, &given.request, kinds);
}

/* Check that options of requests have one, and that others have none. */
static void check_request(void)
{
    const char *filter;
    const char *when = cli_when_of_request(&given.times);

    if (given.batch && asked(CLI_ASKS))
        cli_exclude("--batch", "a request", NULL);
    if (asked(CLI_ASKS) || given.batch) {
        if ((filter = cli_given(filter_table, &given.filter, FILTERS)))
            cli_usage("%s does not go with a request: put another rset-match "
                      "before it in a pipe",
                      filter);
        return;
    }
    if (when)
        cli_usage("%s needs a request", when);
    if (given.times.at && !given.aggregate && !given.filter.available)
        cli_usage("--at needs a request, --available or --aggregate");
    if (tells() || asked(CLI_SEMANTICS))
        cli_usage("%s needs a request",
                  tells() ? tells() : asked(CLI_SEMANTICS));
}

static void check_options(void)
{
    static const struct cli_rule first[] = {
        {"strict", CLI_NEEDS, "validate"},
        {"zero", CLI_NEEDS, "aggregate"},
        {"count", CLI_EXCLUDES, "aggregate"},
        {"validate", CLI_EXCLUDES, "count"},
        {"validate", CLI_EXCLUDES, "aggregate"},
        {"batch", CLI_EXCLUDES, "count"},
        {"batch", CLI_EXCLUDES, "aggregate"},
    };
    static const struct cli_rule others[] = {
        {"feasible", CLI_EXCLUDES, "count"},
        {"feasible", CLI_EXCLUDES, "aggregate"},
        {"when", CLI_EXCLUDES, "count"},
        {"when", CLI_EXCLUDES, "aggregate"},
        {"explain", CLI_EXCLUDES, "count"},
        {"explain", CLI_EXCLUDES, "aggregate"},
        {"feasible", CLI_EXCLUDES, "when"},
        {"feasible", CLI_EXCLUDES, "earliest"},
        {"batch", CLI_EXCLUDES, "when"},
        {"batch", CLI_EXCLUDES, "explain"},
    };
    const char *of_table;

    cli_document_check(answers_data() ? ANSWER_DATA : ANSWER_SETS,
                       &given.table);
    cli_check_rules(&given, first, sizeof(first) / sizeof(first[0]), NULL);
    if (given.count)
        cli_check_types("--count", given.count, NULL);
    if ((of_table = cli_given(cli_table_options, &given.table, ~0U))
        && (answers_data() || !cli_output_table())) {
        if (strcmp(of_table, "--sort") != 0)
            cli_usage("%s needs -o table", of_table);
        else if (answers_data() || !cli_output_tree())
            cli_usage("--sort needs -o table or tree");
        else if (given.table.no_header)
            cli_usage("--no-header needs -o table");
    }
    if (given.validate && (asked(CLI_ASKS) || given.batch))
        cli_usage("--validate takes no request");
    if (given.validate
        && (cli_given(filter_table, &given.filter, FILTERS)
            || asked(CLI_BOUNDS)))
        cli_usage("--validate takes no filter");
    check_request();
    cli_when_check(&given.times, NULL);
    cli_check_rules(&given, others, sizeof(others) / sizeof(others[0]), NULL);
}

/* --- with a request ----------------------------------------------------- */

/* Print the answer as data, or a negative answer in one line. */
static void tell(const struct asking *ask, const struct named_rset *set,
                 struct usage *u, enum match_answer answer)
{
    char *why;

    if (tells_data()) {
        cli_write_json(ask_explain(ask, u, answer));
        return;
    }
    why = match_explain_text(u, ask->req, &ask->opts, answer,
                             given.explain ? EXPLAIN_ALL : EXPLAIN_REASONS);
    cli_warn("%s: no match %s: %s", set->name,
             answer == MATCH_NEVER ? "ever" : "now", why);
    free(why);
}

/* Return the resources selected from a set, or NULL, and the status. */
static struct rset *match(const struct asking *all,
                          const struct named_rset *set, int *status)
{
    struct diag d = {0};
    struct selection *sel = NULL;
    struct rset *found = NULL;
    struct asking one = *all;
    struct usage *u = usage_begin(set->rs);
    enum match_answer answer = ask(&one, u, &sel, &d);

    if (sel && given.times.when && isatty(STDOUT_FILENO)
        && !cli_output_json()) {
        char buf[TIME_TEXT];
        puts(time_text(one.times.start, buf));
    } else if (sel && given.times.when) {
        /* as in an R: whole seconds without a fraction */
        json_t *time = time_to_json(one.times.start);
        if (cli_output_json())
            time = json_pack("{s:s,s:o}", "answer", "match", "when", time);
        cli_write_json(time);
    } else if (sel && !tells_data())
        found = asked_set(&one, sel, set->rs);
    if (answer == MATCH_ERROR
        || (found && !answers_numbers() && cli_check_said(found, &d) < 0))
        cli_die_in(&d, set->name);
    if (answer != MATCH_FOUND || (tells_data() && !given.times.when))
        tell(&one, set, u, answer);
    selection_destroy(sel);
    *status = cli_answer_status(answer);
    return found;
}

/* Match all sets before anything is written. */
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

/* --- without a request ---------------------------------------------------- */

static void say_nothing_passes(const struct named_rset *set,
                               const struct filter *filter)
{
    char *more = constraint_unknown(filter->targets, set->rs);

    if (!more)
        more = constraint_unknown(filter->find, set->rs);
    cli_warn("%s: nothing passes the filters%s", set->name, more ? more : "");
    free(more);
}

/*
 * Replace each set with the part of it that passes the filters. An empty part
 * is status 1, except with --count: 0 is a count like any other, and a script
 * that stops on errors goes on.
 */
static int filter_all(struct rset_list *sets, const struct filter *filter)
{
    int status = STATUS_OK;

    progress_begin("matching", NULL);
    for (size_t i = 0; i < sets->n; i++) {
        struct named_rset *set = &sets->list[i];
        struct selection *sel = filter_select(set->rs, filter);
        struct rset *found = rset_extract(set->rs, sel);
        bool empty = !sel->picks;
        if (sel->root_found)
            cli_warn(
                "warning: %s: --find: %s matches itself, and so everything "
                "in it is selected: --prune leaves resources out",
                set->name, set->rs->root->name);
        selection_destroy(sel);
        if (empty && !given.count)
            say_nothing_passes(set, filter);
        rset_destroy(set->rs);
        set->rs = found;
        if (!empty || given.count)
            continue;
        status = STATUS_NO;
        if (!answers_numbers()) {
            rset_destroy(found);
            set->rs = NULL;
        }
    }
    progress_end();
    return status;
}

/* Select from each set. Returns the exit status. */
static int select_all(struct rset_list *sets, struct asking *asking)
{
    struct constraint *targets;
    struct period when;
    struct filter f;
    struct diag d = {0};
    int status = STATUS_OK;

    if (cli_request_constraint(&given.request, sets, &targets, &d) < 0
        || cli_moment(&given.times, asking->opts.now, &when, &d) < 0)
        cli_die_diag(&d);
    f = filter_make(&given.filter, targets, &when);
    f.outside = given.request.exclude && !given.request.include
                && !given.request.requires && !given.request.constraint;
    f.usable |= f.available && !f.find && counts_cores(given.count);
    asking->opts.constraint = f.targets;
    if (given.batch)
        status = ask_batch(given.batch, sets, asking);
    else if (asking->req)
        status = match_all(sets, asking);
    else if (filter_given(&f))
        status = filter_all(sets, &f);
    for (size_t i = 0; i < sets->n && !given.batch; i++)
        if (sets->list[i].rs)
            filter_coarsen(&given.filter, &sets->list[i]);
    filter_fini(&f);
    return status;
}

static void print_all(const struct rset_list *sets, double now)
{
    struct period when;
    struct diag d = {0};

    if (cli_moment(&given.times, now, &when, &d) < 0)
        cli_die_diag(&d);
    if (!answers_numbers())
        cli_write_all(sets);
    for (size_t i = 0; answers_numbers() && i < sets->n; i++) {
        struct rset *rs = sets->list[i].rs;
        if (i > 0 && given.aggregate && !cli_output_json())
            putchar('\n');
        if (rs && given.count)
            counts_print(given.count, rs);
        else if (rs)
            counts_aggregate(rs, when, given.zero);
    }
}

int main(int argc, const char **argv)
{
    static const char *no_files[] = {NULL};
    struct asking asking = {0};
    struct store *store = NULL;
    struct rset_list sets;
    const char **files, *input;
    struct constraint *targets;
    struct diag d = {0};
    poptContext ctx;
    bool pieces;
    int status;

    cli_init(&cli);
    ctx = cli_options(argc, argv, options, &given, 0);
    if (cli_read_options(ctx, &d) < 0)
        cli_die_diag(&d);
    cli_clock_is(given.times.now);
    check_options();
    files = cli_set_operands(ctx);
    if (cli_store)
        cli_store_check(files);
    cli_wait(cli_store ? NULL : "--store");
    if (cli_store)
        files = no_files;
    if (given.validate && cli_store)
        cli_usage("--validate: use 'rset-alloc check' for a store");
    if (given.validate)
        cli_exit(cli_validate(files, given.strict ? VALIDATE_STRICT : 0));
    if ((input = cli_request_reads_stdin(&given.request)))
        cli_check_input(input, files);
    if (given.batch && cli_is_stdin(given.batch))
        cli_check_input("--batch", files);
    if (given.batch && input)
        cli_check_input(input, (const char *const[]){given.batch, NULL});
    asking.feasible = given.feasible;
    asking.earliest = given.times.earliest || given.times.when;
    asking.opts.now = cli_clock(&(bool){false});
    if (cli_request_semantics(&given.request, &asking.opts, &d) < 0
        || cli_when_read(&given.times, asking.opts.now, &asking.when, &d) < 0
        || cli_request(&given.request, &asking.req, &d) < 0
        || (asking.req && ask_when(&asking, &d) < 0))
        cli_die_diag(&d);
    filter_check(&given.filter, asking.opts.now);
    if (cli_request_constraint(&given.request, NULL, &targets, &d) < 0)
        cli_die_diag(&d);
    constraint_destroy(targets);
    /* a match at a time needs only parts of a store */
    pieces = asked(CLI_ASKS) && !tells() && !answers_numbers()
             && !given.filter.types;
    sets = cli_store ? cli_store_begin(&store, STORE_READ, pieces,
                                       asking.earliest, asking.opts.now)
                     : cli_read(files);
    if (given.batch && sets.n != 1)
        cli_usage("--batch needs one document, there are %zu", sets.n);
    for (size_t i = 0; i < sets.n; i++)
        filter_subtree(&given.filter, &sets.list[i]);
    counts_check("--count", given.count, &sets);
    counts_check("--type", given.filter.types ? given.filter.types[0] : NULL,
                 &sets);
    status = select_all(&sets, &asking);
    if (!given.batch)
        print_all(&sets, asking.opts.now);
    request_destroy(asking.req);
    cli_leave(&sets);
    poptFreeContext(ctx);
    store_close(store);
    cli_exit(status);
}

/*
 * rset-match: find resources in a set; with no request, the `cat` of
 * resource sets.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/offers.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/validate.h"
#include "schedule/explain.h"
#include "schedule/ledger.h"
#include "match.h"
#include "model/change/granularity.h"
#include "model/records/usage.h"

static const struct cli_meaning meanings[] = {
    {"", "sort",
     "sort by a column (-o tree: name, id, size or free); with - from the "
     "greatest to the least"},
    {NULL, NULL, NULL}};

static const struct cli cli = {
    .offer = offer_for_sets,
    .meanings = meanings,
    .store_set = cli_store_offer,
    .name = "rset-match",
    .synopsis = "[OPTION...] [FILE...]",
    .summary = "Select resources from resource sets; with no request, check "
               "and convert them.",
    .common = "available find explain when count store validate",
    .examples =
        "  rset-match -N2 --duration 1h set.json\n"
        "  rset-match -n2 -c2 -g1 --policy locality -o short set.json\n"
        "  rset-match -n2 -c2 --slot-scope parent --granule pool -o tree "
        "racks.json\n"
        "  rset-match -n3 --policy variation --when set.json\n"
        "  rset-match --shape 'node=2/slot/[core=2;gpu=1]' --when set.json\n"
        "  rset-match --shape 'node=1+/slot=2+/core=1-2' --policy worst-fit "
        "racks.json\n"
        "  rset-match --shape 'rack/slot=1-2/[core=2;memory=8GB]' -o short "
        "racks.json\n"
        "  rset-match --shape 'node{id:node2}/slot/core=2{id:1-2}' "
        "racks.json\n"
        "  rset-match --jobspec job.yaml --explain set.json\n"
        "  rset-match --available --type node -o tree set.json\n"
        "  rset-match --type memory -o tree slurm.json\n"
        "  rset-match --find 'type=core and path=/cluster0/node[0-1]/*' "
        "set.json\n"
        "  rset-match --find 'id>=2 and not allocated' -o table graph.json\n"
        "  rset-match --find 'type=node and id=1-2' -o ranks inventory.json\n"
        "  rset-match --find 'type=node and shared=102' -o hosts set.json\n"
        "  rset-match --find 'size>=32GiB and free@+1h' -o csv racks.json\n"
        "  rset-match --find 'staged=203 or end<=+1h' -o table racks.json\n"
        "  rset-match --find 'tag=ticket or property=ssd' --prune type=gpu "
        "set.json\n"
        "  rset-match --find 'fed-by=power:/pdu0' -o hosts power.json\n"
        "  rset-match --subsystem power -o tree power.json\n"
        "  rset-match --subsystem power --type pdu -o tree power.json\n"
        "  rset-match --requires 'ssd and -host:node3' --count node,core "
        "set.json\n"
        "  rset-match --batch requests.txt --policy worst-fit set.json\n"
        "  rset-match --validate --strict set.json\n",
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
} options;
static struct type_list counted; /* of --count */

#define AT(member) CLI_AT(struct options, member)
static const struct cli_option option_table[] = {
    FILTER_OPTIONS(offsetof(struct options, filter)),
    CLI_REQUEST_OPTIONS(offsetof(struct options, request)),
    {"feasible", '\0', AT(feasible), 0,
     "print nothing: the exit status says whether the request could ever "
     "match"},
    {"when", '\0', AT(times.when), 0,
     "print the earliest time at which the request fits"},
    {"explain", '\0', AT(explain), 0,
     "if nothing matches, explain in full why"},
    {"batch", '\0', AT(batch), 0,
     "answer the requests in a file, one on each line", "FILE"},
    {"count", '\0', AT(count), 0, "print the number of resources of each type",
     "TYPE[,TYPE...]"},
    {"aggregate", '\0', AT(aggregate), 0,
     "print how many units of each type are available (a node: if anything in "
     "it is), and how many are wholly free"},
    {"zero", '\0', AT(zero), 0,
     "with --aggregate: list types with 0 available as well"},
    {"validate", '\0', AT(validate), 0,
     "print everything that is wrong with the documents"},
    {"strict", '\0', AT(strict), 0,
     "with --validate: apply the letter of the seed edition"},
    CLI_TIME_OPTIONS(offsetof(struct options, times)),
    CLI_STORE_READ_OPTIONS,
    CLI_DOCUMENT_OPTIONS,
    CLI_EXPAND_OPTIONS(NULL),
    CLI_TABLE_OPTIONS(offsetof(struct options, table)),
    CLI_COMMON_OPTIONS,
    {0},
};

/* Is the answer to a request data? */
static bool explains_as_data(void)
{
    return cli_output_is("json")
           && (options.explain || options.feasible || options.times.when);
}

/* Is the answer something other than resource sets? */
static bool answers_data(void)
{
    return options.count || options.aggregate || options.validate
           || options.times.when || explains_as_data();
}

/* Are numbers printed instead of sets? */
static bool answers_numbers(void)
{
    return options.count || options.aggregate;
}

static const char *answer_option(void)
{
    return options.feasible     ? "--feasible"
           : options.times.when ? "--when"
           : options.explain    ? "--explain"
                                : NULL;
}

static const char *request_option(unsigned kinds)
{
    return cli_first_set(cli_request_table, &options.request, kinds);
}

/* Check that options of requests have one, and that others have none. */
static void check_request(void)
{
    const char *other, *when = cli_when_of_request(&options.times);

    if (options.batch && request_option(CLI_ASKS))
        cli_exclude("--batch", "a request", NULL);
    if (request_option(CLI_ASKS) || options.batch) {
        if ((other = cli_first_set(filter_table, &options.filter, FILTERS)))
            cli_usage("%s does not go with a request: put another rset-match "
                      "before it in a pipe",
                      other);
        return;
    }
    if (when)
        cli_usage("%s needs a request", when);
    if (options.times.at && !options.aggregate && !options.filter.available)
        cli_usage("--at needs a request, --available or --aggregate");
    if ((other = answer_option()) || (other = request_option(CLI_SEMANTICS)))
        cli_usage("%s needs a request", other);
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
                       &options.table);
    cli_check_rules(first, sizeof(first) / sizeof(first[0]), NULL);
    if (options.count)
        counted = counts_read("--count", options.count);
    if ((of_table = cli_first_set(cli_table_options, &options.table, ~0U))
        && (answers_data()
            || !(cli_output_is("table") || cli_output_is("csv")))) {
        if (strcmp(of_table, "--sort") != 0)
            cli_usage("%s needs -o table", of_table);
        else if (answers_data() || !cli_output_is("tree"))
            cli_usage("--sort needs -o table or tree");
        else if (options.table.no_header)
            cli_usage("--no-header needs -o table");
    }
    if (options.validate && (request_option(CLI_ASKS) || options.batch))
        cli_usage("--validate takes no request");
    if (options.validate
        && (cli_first_set(filter_table, &options.filter, FILTERS)
            || request_option(CLI_BOUNDS)))
        cli_usage("--validate takes no filter");
    check_request();
    cli_when_check(&options.times, NULL);
    cli_check_rules(others, sizeof(others) / sizeof(others[0]), NULL);
}

/* --- with a request ----------------------------------------------------- */

/* Replace a set with the resources selected from it, or NULL. Returns the
   status. */
static int match(const struct query *all, struct named_rset *set)
{
    struct diag d = {0};
    struct selection *sel = NULL;
    struct rset *found = NULL;
    struct query one = *all;
    struct usage *u = usage_begin(set->rs);
    enum match_answer answer = query_find(&one, u, &sel, &d);

    if (sel && options.times.when && isatty(STDOUT_FILENO)
        && !cli_output_is("json")) {
        char buf[TIME_TEXT];
        puts(time_text(one.times.start, buf));
    } else if (sel && options.times.when) {
        /* as in an R: whole seconds without a fraction */
        json_t *time = time_to_json(one.times.start);
        if (cli_output_is("json"))
            time = json_pack("{s:s,s:o}", "answer", "match", "when", time);
        cli_write_json(time);
    } else if (sel && !explains_as_data())
        found = query_set(&one, sel, set->rs);
    if (answer == MATCH_ERROR
        || (found && !answers_numbers()
            && cli_check_expressible(found, &d) < 0))
        cli_die_in(&d, set->name);
    if (explains_as_data() && (answer != MATCH_FOUND || !options.times.when)) {
        cli_write_json(query_explain(&one, u, answer));
    } else if (answer != MATCH_FOUND) {
        char *why = match_explain_text(u, one.req, &one.opts, answer,
                                       options.explain ? EXPLAIN_ALL
                                                       : EXPLAIN_REASONS);
        cli_warn("%s: no match %s: %s", set->name,
                 answer == MATCH_NEVER ? "ever" : "now", why);
        free(why);
    }
    selection_destroy(sel);
    rset_destroy(set->rs);
    set->rs = found;
    return cli_answer_status(answer);
}

/* --- without a request ---------------------------------------------------- */

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
        if (empty && !options.count) {
            char *more = constraint_unknown(filter->targets, set->rs);
            if (!more)
                more = constraint_unknown(filter->find, set->rs);
            cli_warn("%s: nothing passes the filters%s", set->name,
                     more ? more : "");
            free(more);
            status = STATUS_NO;
            if (!answers_numbers()) {
                rset_destroy(found);
                found = NULL;
            }
        }
        rset_destroy(set->rs);
        set->rs = found;
    }
    progress_end();
    return status;
}

/* Select from each set. Returns the exit status. */
static int select_all(struct rset_list *sets, struct query *query,
                      struct filter *f)
{
    const struct type_list *shown = &options.filter.shown;
    struct diag d = {0};
    int status = STATUS_OK;

    if (cli_request_constraint(&options.request, sets, &f->targets, &d) < 0)
        cli_die_diag(&d);
    f->outside = options.request.exclude && !options.request.include
                 && !options.request.requires && !options.request.constraint;
    f->usable = f->available && !f->find
                && (cli_output_extent() != EXTENT_GRAPH
                    || counts_cores(&counted));
    query->opts.constraint = f->targets;
    if (options.batch)
        status = query_batch(options.batch, sets, query);
    else if (!query->req && filter_is_set(f))
        status = filter_all(sets, f);
    /* match all sets before anything is written; the worst status counts */
    for (size_t i = 0; query->req && i < sets->n; i++) {
        int one = match(query, &sets->list[i]);

        status = one > status ? one : status;
    }
    for (size_t i = 0; i < sets->n && !options.batch && shown->n > 0; i++)
        if (sets->list[i].rs
            && rset_coarsen(sets->list[i].rs, shown->list, shown->n, &d) < 0)
            cli_die_in(&d, sets->list[i].name);
    return status;
}

static void print_all(const struct rset_list *sets, struct period when)
{
    if (!answers_numbers())
        cli_write_all(sets);
    for (size_t i = 0; answers_numbers() && i < sets->n; i++) {
        struct rset *rs = sets->list[i].rs;
        if (i > 0 && options.aggregate && !cli_output_is("json"))
            putchar('\n');
        if (rs && options.count)
            counts_print(&counted, rs);
        else if (rs)
            counts_aggregate(rs, when, options.zero);
    }
}

int main(int argc, const char **argv)
{
    static const char *no_files[] = {NULL};
    struct query query = {0};
    struct store *store = NULL;
    struct rset_list sets;
    const char **files, *input;
    struct constraint *targets;
    struct filter filter;
    struct period when;
    struct diag d = {0};
    poptContext ctx;
    bool pieces;
    int status;

    cli_init(&cli);
    ctx = cli_options(argc, argv, option_table, &options, 0);
    if (cli_read_options(ctx, &d) < 0)
        cli_die_diag(&d);
    cli_clock_is(options.times.now);
    check_options();
    files = cli_set_operands(ctx);
    cli_store_check(files);
    cli_wait(cli_store ? NULL : "--store");
    if (cli_store)
        files = no_files;
    if (options.validate && cli_store)
        cli_usage("--validate: use 'rset-alloc check' for a store");
    if (options.validate)
        cli_exit(cli_validate(files, options.strict ? VALIDATE_STRICT : 0));
    if ((input = cli_request_reads_stdin(&options.request)))
        cli_check_input(input, files);
    if (options.batch && cli_is_stdin(options.batch))
        cli_check_input("--batch", files);
    if (options.batch && input)
        cli_check_input(input, (const char *const[]){options.batch, NULL});
    query.feasible = options.feasible;
    query.earliest = options.times.earliest || options.times.when;
    query.opts.now = cli_clock(&(bool){false});
    if (cli_request_semantics(&options.request, &query.opts, &d) < 0
        || cli_when_read(&options.times, query.opts.now, &query.when, &d) < 0
        || cli_request(&options.request, &query.req, &d) < 0
        || (query.req && query_set_times(&query, &d) < 0))
        cli_die_diag(&d);
    when = (struct period){.now = query.opts.now};
    when.from = when.to = query.when.at >= 0 ? query.when.at : when.now;
    filter = filter_make(&options.filter, &when);
    if (cli_request_constraint(&options.request, NULL, &targets, &d) < 0)
        cli_die_diag(&d);
    constraint_destroy(targets);
    /* a match at a time needs only parts of a store */
    pieces = request_option(CLI_ASKS) && !answer_option() && !answers_numbers()
             && !options.filter.shown.n;
    sets = cli_store ? cli_store_begin(&store, STORE_READ, pieces,
                                       query.earliest, query.opts.now)
                     : cli_read(files, 0);
    if (options.batch && sets.n != 1)
        cli_usage("--batch needs one document, there are %zu", sets.n);
    for (size_t i = 0; i < sets.n; i++)
        filter_subtree(&options.filter, &sets.list[i]);
    counts_check(&counted, &sets);
    counts_check(&options.filter.shown, &sets);
    status = select_all(&sets, &query, &filter);
    if (!options.batch)
        print_all(&sets, when);
    request_destroy(query.req);
    filter_fini(&filter);
    cli_leave(&sets);
    poptFreeContext(ctx);
    store_close(store);
    cli_exit(status);
}

/*
 * rset-match: find resources in a set; with no request, the `cat` of
 * resource sets.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/show.h"
#include "cli/answer.h"
#include "batch.h"
#include "counts.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/documents.h"
#include "cli/filter_options.h"
#include "cli/request_options.h"
#include "cli/validate.h"
#include "schedule/ledger.h"

static const struct cli cli = {
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
    CLI_FILTER_OPTIONS,
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
     "print how many units of each type are available instead", NULL},
    {"zero", '\0', POPT_ARG_NONE, &zero, 0,
     "with --aggregate: types of which nothing is available, too", NULL},
    {"validate", '\0', POPT_ARG_NONE, &validate, 0,
     "print all that is wrong with the documents instead", NULL},
    {"strict", '\0', POPT_ARG_NONE, &strict, 0,
     "with --validate: hold to the letter of the seed edition", NULL},
    CLI_TIME_OPTIONS,
    CLI_DOCUMENT_OPTIONS,
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

/* A line a type, or an object. */
static void print_aggregate(struct rset *rs)
{
    double now = cli_now(), at = cli_at(now);
    struct period when = {.now = now, .from = at, .to = at};
    struct aggregate *list;
    size_t n = ledger_aggregate(usage_begin(rs), &when, zero, &list);
    bool json = cli_output_json();

    fputs(json ? "{" : "", stdout);
    for (size_t i = 0; i < n; i++) {
        if (json) {
            fputs(i ? "," : "", stdout);
            json_write_string(stdout, list[i].type);
        } else {
            show(stdout, list[i].type);
        }
        printf(json ? ":%llu" : " %llu\n",
               (unsigned long long)list[i].available);
    }
    fputs(json ? "}\n" : "", stdout);
    free(list);
}

/* Is the answer something else than resource sets? */
static bool answers_data(void)
{
    return count_types || aggregate || validate || tell_when
           || (cli_output_json() && (explain || feasible));
}

static void check_lists(void)
{
    if (strict && !validate)
        cli_usage("--strict needs --validate");
    if (zero && !aggregate)
        cli_usage("--zero needs --aggregate");
    if (count_types && aggregate)
        cli_usage("--count and --aggregate exclude each other");
    if (count_types)
        cli_check_types("--count", count_types);
}

static void check_validate(void)
{
    if (count_types || aggregate)
        cli_usage("--validate and %s exclude each other",
                  count_types ? "--count" : "--aggregate");
    if (cli_request_given() || batch)
        cli_usage("--validate takes no request");
    if (cli_filter_given() || cli_filter_not_of_targets())
        cli_usage("--validate takes no filter");
}

/* What makes sense only with a request, and what not beside one. */
static void check_request(void)
{
    bool given = cli_request_given() || batch;

    if (batch && cli_request_given())
        cli_usage("--batch and a request exclude each other");
    if (batch && (count_types || aggregate))
        cli_usage("--batch and %s exclude each other",
                  count_types ? "--count" : "--aggregate");
    if (given && cli_filter_not_of_targets())
        cli_usage("%s does not go with a request: put another rset-match "
                  "before it in a pipe",
                  cli_filter_not_of_targets());
    if (!given && cli_when_of_request())
        cli_usage("%s needs a request", cli_when_of_request());
    if (!given && cli_at_text && !aggregate && !cli_filter_available())
        cli_usage("--at needs a request, --available or --aggregate");
    cli_when_check();
    if (!given
        && (feasible || tell_when || explain || cli_request_semantics_given()))
        cli_usage("%s needs a request", feasible    ? "--feasible"
                                        : tell_when ? "--when"
                                        : explain   ? "--explain"
                                                    : "--slot-scope or "
                                                      "--granule");
    if ((feasible || tell_when || explain) && (count_types || aggregate))
        cli_usage("%s and %s exclude each other",
                  feasible    ? "--feasible"
                  : tell_when ? "--when"
                              : "--explain",
                  count_types ? "--count" : "--aggregate");
    if (feasible && (tell_when || cli_earliest))
        cli_usage("--feasible and %s exclude each other",
                  tell_when ? "--when" : "--earliest");
    if (batch && (tell_when || explain))
        cli_usage("--batch and %s exclude each other",
                  tell_when ? "--when" : "--explain");
}

static void check_options(void)
{
    cli_document_check(answers_data() ? ANSWER_DATA : ANSWER_SETS);
    check_lists();
    if (validate)
        check_validate();
    check_request();
}

/* --- with a request ----------------------------------------------------- */

struct asking {
    struct request *req;
    struct cli_times times;
    struct cli_when when;
    struct match_options opts;
};

static void end_with(struct diag *d, const char *name)
{
    diag_source(d, "%s", name);
    cli_die_diag(d);
}

static void say_no(const struct asking *ask, const struct named_rset *set,
                   struct usage *u, enum match_answer answer)
{
    struct diag d = {0};

    if (!cli_output_json() && answer != MATCH_FOUND)
        cli_say_no(set->name, u, ask->req, &ask->opts, answer, explain);
    if (!cli_output_json())
        return;
    if (cli_explain_json(stdout, u, ask->req, &ask->opts, answer, &d) < 0)
        end_with(&d, set->name);
    putchar('\n');
}

/* As in an R: whole seconds without a fraction. */
static void print_when(double time)
{
    json_t *value = time_to_json(time);

    fputs(cli_output_json() ? "{\"answer\":\"match\",\"when\":" : "", stdout);
    json_write(stdout, value);
    puts(cli_output_json() ? "}" : "");
    json_decref(value);
}

/* What is selected of a set; NULL and the status of a no. */
static struct rset *match(struct asking *ask, const struct named_rset *set,
                          int *status)
{
    struct diag d = {0};
    struct selection *sel = NULL;
    struct rset *found = NULL;
    struct cli_times times = ask->times;
    struct usage *u = usage_begin(set->rs);
    enum match_answer answer = feasible
                                   ? match_feasible(u, ask->req, &ask->opts, &d)
                                   : cli_find(u, ask->req, &ask->opts,
                                              &ask->when, &times, &sel, &d);

    if (sel && tell_when)
        print_when(times.start);
    else if (sel)
        found = rset_extract(set->rs, sel);
    if (answer == MATCH_ERROR
        || (found && !answers_data() && cli_check_said(found, &d) < 0))
        end_with(&d, set->name);
    if (found && times.start >= 0)
        rset_set_times(found, times.start, times.end);
    if (answer != MATCH_FOUND || (cli_output_json() && !tell_when))
        say_no(ask, set, u, answer);
    selection_destroy(sel);
    *status = cli_answer_status(answer);
    return found;
}

/* All is matched before anything is written. */
static int match_all(struct rset_list *sets, struct asking *ask)
{
    int worst = STATUS_OK;

    for (size_t i = 0; i < sets->n; i++) {
        int status;
        struct rset *found = match(ask, &sets->list[i], &status);
        rset_destroy(sets->list[i].rs);
        sets->list[i].rs = cli_output_json() || tell_when ? NULL : found;
        if (cli_output_json())
            rset_destroy(found);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* --- without ------------------------------------------------------------ */

static void say_nothing_passes(const struct named_rset *set,
                               const struct filter *filter)
{
    char *more = constraint_unknown(filter->targets, set->rs);

    if (!more)
        more = constraint_unknown(filter->find, set->rs);
    cli_warn("%s: nothing passes the filters%s", set->name, more ? more : "");
    free(more);
}

/* What passes the filters; an empty set is a no. */
static int filter_all(struct rset_list *sets, const struct filter *filter)
{
    int status = STATUS_OK;

    for (size_t i = 0; i < sets->n; i++) {
        struct named_rset *set = &sets->list[i];
        struct diag d = {0};
        struct selection *sel = filter_select(set->rs, filter, &d);
        struct rset *found = sel ? rset_extract(set->rs, sel) : NULL;
        bool empty = sel && !sel->root && !sel->loose;
        if (!found)
            end_with(&d, set->name);
        selection_destroy(sel);
        if (empty)
            say_nothing_passes(set, filter);
        rset_destroy(set->rs);
        set->rs = found;
        if (!empty)
            continue;
        status = STATUS_NO;
        if (!count_types && !aggregate) {
            rset_destroy(found);
            set->rs = NULL;
        }
    }
    return status;
}

static void answer(const struct named_rset *set)
{
    if (count_types)
        counts_print(count_types, set->rs);
    else if (aggregate)
        print_aggregate(set->rs);
    else
        cli_write(set->rs, set->name);
}

static int run_batch(const struct rset_list *sets, const struct asking *ask)
{
    if (sets->n != 1)
        cli_usage("--batch needs one document, there are %zu", sets->n);
    return cli_batch(batch, sets, &ask->opts, &ask->when, feasible);
}

/* Select what was asked for from each set; the exit status. */
static int select_all(struct rset_list *sets, struct asking *ask)
{
    struct filter f = cli_filter(sets, ask->opts.now);
    int status = STATUS_OK;

    ask->opts.constraint = f.targets;
    if (batch)
        status = run_batch(sets, ask);
    else if (ask->req)
        status = match_all(sets, ask);
    else if (filter_given(&f))
        status = filter_all(sets, &f);
    for (size_t i = 0; i < sets->n && !batch; i++)
        if (sets->list[i].rs)
            cli_coarsen(&sets->list[i]);
    cli_filter_fini(&f);
    return status;
}

static void print_all(const struct rset_list *sets)
{
    if (!count_types && !aggregate)
        cli_check_writable(sets);
    for (size_t i = 0; i < sets->n; i++) {
        if (i > 0 && aggregate && !cli_output_json())
            putchar('\n');
        if (sets->list[i].rs)
            answer(&sets->list[i]);
    }
}

int main(int argc, const char **argv)
{
    struct asking ask = {0};
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
    if (validate)
        cli_exit(cli_validate(files, strict ? VALIDATE_STRICT : 0));
    cli_request_check_input(files);
    cli_check_input("--batch", batch, files);
    if (batch)
        cli_request_check_input((const char *const[]){batch, NULL});
    ask.opts.now = cli_now();
    cli_request_semantics(&ask.opts);
    ask.when = cli_when(ask.opts.now);
    if ((ask.req = cli_request())) {
        ask.times = cli_times(&ask.when, ask.opts.now, ask.req->duration);
        cli_times_ask(&ask.times, ask.req, &ask.opts);
    }
    cli_filter_check(ask.opts.now);
    sets = cli_read(files);
    for (size_t i = 0; i < sets.n; i++)
        cli_take_subtree(&sets.list[i]);
    if (count_types)
        counts_check("--count", count_types, &sets);
    if (cli_filter_types())
        counts_check("--type", cli_filter_types(), &sets);
    status = select_all(&sets, &ask);
    if (!batch)
        print_all(&sets);
    request_destroy(ask.req);
    cli_leave(&sets);
    poptFreeContext(ctx);
    cli_exit(status);
}

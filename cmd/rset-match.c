/*
 * rset-match: find resources in a set; with no request, the `cat` of
 * resource sets.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/documents.h"
#include "cli/request_options.h"
#include "cli/validate.h"
#include "model/walk.h"
#include "schedule/match.h"

static const struct cli cli = {
    .name = "rset-match",
    .synopsis = "[OPTION...] [FILE...]",
    .summary = "Select resources from resource sets; with no request, check "
               "and convert them.",
    .footer = "Exit status: 0 done or matched, 1 no match now, 2 trouble, "
              "3 no match ever.\n",
};

static const char *count_types;
static int aggregate, zero, validate, strict;

static struct poptOption options[] = {
    CLI_REQUEST_OPTIONS,
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
    CLI_NOW_OPTION,
    CLI_DOCUMENT_OPTIONS,
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

/*
 * One line: the numbers of all types, in the order in which they were asked;
 * with --output=json an object of them.
 */
static void print_counts(const struct rset *rs)
{
    char *types = strdup(count_types), *rest = types, *type;
    const char *sep = "";
    bool json = cli_output_json();

    if (!types)
        cli_die("out of memory");
    fputs(json ? "{" : "", stdout);
    while ((type = strsep(&rest, ","))) {
        fputs(sep, stdout);
        if (json) {
            json_write_string(stdout, type);
            putchar(':');
        }
        printf("%llu", (unsigned long long)rset_count(rs, NULL, type));
        sep = json ? "," : " ";
    }
    puts(json ? "}" : "");
    free(types);
}

/* A line a type, or an object. */
static void print_aggregate(const struct rset *rs)
{
    struct aggregate *list;
    ssize_t n = rset_aggregate(rs, NULL, zero, &list);
    bool json = cli_output_json();

    if (n < 0)
        cli_die("out of memory");
    fputs(json ? "{" : "", stdout);
    for (ssize_t i = 0; i < n; i++) {
        if (json) {
            fputs(i ? "," : "", stdout);
            json_write_string(stdout, list[i].type);
        }
        printf(json ? ":%s%llu" : "%s %llu\n", json ? "" : list[i].type,
               (unsigned long long)list[i].available);
    }
    fputs(json ? "}\n" : "", stdout);
    free(list);
}

static void check_options(void)
{
    cli_document_check(count_types || aggregate || validate ? ANSWER_DATA
                                                            : ANSWER_SETS);
    if (strict && !validate)
        cli_usage("--strict needs --validate");
    if (validate && (count_types || aggregate))
        cli_usage("--validate and %s exclude each other",
                  count_types ? "--count" : "--aggregate");
    if (validate && cli_request_given())
        cli_usage("--validate takes no request");
    if (zero && !aggregate)
        cli_usage("--zero needs --aggregate");
    if (count_types && aggregate)
        cli_usage("--count and --aggregate exclude each other");
    if (count_types
        && (!*count_types || strstr(count_types, ",,") || *count_types == ','
            || count_types[strlen(count_types) - 1] == ','))
        cli_usage("--count: %s: expected TYPE[,TYPE...]",
                  quote(count_types, strlen(count_types)).text);
}

/* What is selected of a set; NULL and the status of a no. */
static struct rset *match(const struct named_rset *set,
                          const struct request *req, double now, int *status)
{
    struct selection *sel = NULL;
    struct rset *found = NULL;
    struct diag d = {0};
    const struct match_options opts = {.now = now};
    enum match_answer answer = match_once(set->rs, req, &opts, &sel, &d);

    if (answer == MATCH_FOUND && (found = rset_extract(set->rs, sel, &d))
        && req->duration > 0
        && rset_set_times(found, now, now + req->duration) < 0) {
        diag_oom(&d);
        answer = MATCH_ERROR;
    }
    selection_destroy(sel);
    if (answer == MATCH_ERROR || (answer == MATCH_FOUND && !found)) {
        diag_source(&d, "%s", set->name);
        cli_die_diag(&d);
    }
    *status = cli_answer(answer, set->name, req);
    return found;
}

/* All is matched before anything is written. */
static int match_all(struct rset_list *sets, const struct request *req)
{
    double now = cli_now();
    int worst = STATUS_OK;

    for (size_t i = 0; i < sets->n; i++) {
        int status;
        struct rset *found = match(&sets->list[i], req, now, &status);
        rset_destroy(sets->list[i].rs);
        sets->list[i].rs = found;
        worst = status > worst ? status : worst;
    }
    return worst;
}

static void answer(const struct named_rset *set)
{
    if (count_types)
        print_counts(set->rs);
    else if (aggregate)
        print_aggregate(set->rs);
    else
        cli_write(set->rs, set->name);
}

int main(int argc, const char **argv)
{
    const char **files;
    struct request *req;
    struct rset_list sets;
    poptContext ctx;
    int status = STATUS_OK;

    cli_init(&cli);
    ctx = poptGetContext(cli.name, argc, argv, options, 0);
    while (cli_next(ctx) >= 0)
        ;
    check_options();
    files = cli_operands(ctx);
    if (validate)
        cli_exit(cli_validate(files, strict));
    cli_request_check_input(files);
    req = cli_request();
    sets = cli_read(files);
    if (req)
        status = match_all(&sets, req);
    if (!count_types && !aggregate)
        cli_check_writable(&sets);
    for (size_t i = 0; i < sets.n; i++) {
        if (i > 0 && aggregate && !cli_output_json())
            putchar('\n');
        if (sets.list[i].rs)
            answer(&sets.list[i]);
    }
    request_destroy(req);
    cli_free(&sets);
    poptFreeContext(ctx);
    cli_exit(status);
}

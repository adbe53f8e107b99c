/* The options that select without a request, for rset-match. */
#include "cli/filter_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/request_options.h"
#include "cli/targets.h"
#include "model/tree/granularity.h"
#include "request/find.h"

/* Those that can be given more than once are lists, NULL if not given. */
static const char **include, **exclude, **property, **find;
static const char **states, **jobs, **type_lists; /* to refuse a second one */
static const char *state, *job, *types;
static int available;

struct poptOption cli_filter_table[] = {
    {"include", '\0', POPT_ARG_ARGV, &include, 0, "only these ranks or hosts",
     "TARGETS"},
    {"exclude", '\0', POPT_ARG_ARGV, &exclude, 0,
     "all but these ranks or hosts", "TARGETS"},
    {"property", '\0', POPT_ARG_ARGV, &property, 0,
     "only targets with this property; ^NAME: without it", "NAME"},
    {"state", '\0', POPT_ARG_ARGV, &states, 0,
     "only pools in one of these states, as up or down,failing", "LIST"},
    {"job", '\0', POPT_ARG_ARGV, &jobs, 0, "only what this job has", "JOB"},
    {"available", '\0', POPT_ARG_NONE, &available, 0,
     "only what is up and nobody has", NULL},
    {"find", '\0', POPT_ARG_ARGV, &find, 0,
     "only pools that match, with all below them, as "
     "'type=gpu and host=node[0-3]'",
     "EXPR"},
    {"type", '\0', POPT_ARG_ARGV, &type_lists, 0,
     "show pools of these types only, and sums of the others", "LIST"},
    POPT_TABLEEND};

/* --- targets ------------------------------------------------------------ */

static struct constraint *get_property(const char *name)
{
    struct diag d = {0};
    struct constraint *c = constraint_from_property(name, &d);

    if (!c)
        cli_usage("--property: %s", d.text);
    return c;
}

static struct constraint *deny(struct constraint *c)
{
    struct diag d = {0};

    if (!(c = constraint_not(c, &d)))
        cli_die("--exclude: %s", d.text);
    return c;
}

/* All that is said of targets, in one constraint; NULL: nothing. */
static struct constraint *make_targets(const struct rset_list *sets)
{
    struct cli_constraints *all = cli_constraints();

    for (const char **t = include; t && *t; t++)
        cli_constraints_add(all, cli_targets(*t, "--include", sets));
    for (const char **t = exclude; t && *t; t++)
        cli_constraints_add(all, deny(cli_targets(*t, "--exclude", sets)));
    for (const char **t = property; t && *t; t++)
        cli_constraints_add(all, get_property(*t));
    cli_constraints_add(all, cli_request_constraint());
    return cli_constraints_join(all);
}

/* --- the others --------------------------------------------------------- */

static void check_states(void)
{
    for (const char *word = state, *end; word; word = *end ? end + 1 : NULL) {
        char name[16];
        end = strchrnul(word, ',');
        snprintf(name, sizeof(name), "%.*s", (int)(end - word), word);
        if (pool_state_from_name(name) < 0)
            cli_usage("--state: %s is not one of up, down, degraded, failing, "
                      "unknown, none",
                      quote(word, (size_t)(end - word)).text);
    }
}

static struct constraint *parse(const char *text, double now)
{
    struct diag d = {0};
    struct constraint *c = find_parse(text, now, &d);

    if (!c) {
        diag_source(&d, "--find");
        cli_die_diag(&d);
    }
    return c;
}

/* Several are joined by `and`. */
static struct constraint *read_find(double now)
{
    struct cli_constraints *all = cli_constraints();

    for (const char **t = find; t && *t; t++)
        cli_constraints_add(all, parse(*t, now));
    return cli_constraints_join(all);
}

/* The states of the list as an expression; they have been checked. */
static struct constraint *read_states(double now)
{
    struct constraint *c;
    char *text;

    if (!state)
        return NULL;
    xasprintf(&text, "state=%s", state);
    c = parse(text, now);
    free(text);
    return c;
}

const char *cli_filter_not_of_targets(void)
{
    return states       ? "--state"
           : jobs       ? "--job"
           : available  ? "--available"
           : find       ? "--find"
           : type_lists ? "--type"
                        : NULL;
}

bool cli_filter_given(void)
{
    return include || exclude || property || states || jobs || available || find
           || cli_request_constrained();
}

const char *cli_filter_types(void)
{
    return types;
}

void cli_filter_check_input(const char *const *files)
{
    for (const char **t = include; t && *t; t++)
        if (cli_targets_read_stdin(*t))
            cli_check_input("--include", "-", files);
    for (const char **t = exclude; t && *t; t++)
        if (cli_targets_read_stdin(*t))
            cli_check_input("--exclude", "-", files);
}

void cli_filter_check(double now)
{
    state = cli_only("--state", states);
    job = cli_only("--job", jobs);
    types = cli_only("--type", type_lists);
    if (job && available)
        cli_usage("--job and --available exclude each other");
    if (job && !*job)
        cli_usage("--job: a job is a number or a name");
    if (state)
        check_states();
    if (types)
        cli_check_types("--type", types);
    constraint_destroy(read_find(now));
    constraint_destroy(make_targets(NULL));
}

struct filter cli_filter(const struct rset_list *sets, double now)
{
    return (struct filter){
        .targets = make_targets(sets),
        .find = read_find(now),
        .each = read_states(now),
        .job = job,
        .available = available,
        .when = {now, now, now},
    };
}

void cli_filter_fini(struct filter *f)
{
    constraint_destroy(f->targets);
    constraint_destroy(f->find);
    constraint_destroy(f->each);
}

void cli_coarsen(const struct named_rset *set)
{
    char *copy, *rest, *word;
    const char **list;
    size_t n = 0;
    struct diag d = {0};

    if (!types)
        return;
    copy = rest = xstrdup(types);
    list = xcalloc(strlen(types) + 1, sizeof(*list));
    while ((word = strsep(&rest, ",")))
        list[n++] = word;
    if (rset_coarsen(set->rs, list, n, &d) < 0) {
        diag_source(&d, "%s", set->name);
        cli_die_diag(&d);
    }
    free(list);
    free(copy);
}

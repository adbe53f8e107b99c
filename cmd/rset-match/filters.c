/* The options of rset-match that select without a request (match.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/request_options.h"
#include "match.h"
#include "model/tree/granularity.h"
#include "model/tree/path.h"
#include "request/find.h"

/* Those that can be given more than once are lists, NULL if not given. */
static const char **find;
static const char **states, **jobs, **type_lists,
    **subtrees; /* to refuse a second one */
static const char *state, *job, *subtree;
const char *filter_types;
int filter_available;

struct poptOption filter_table[] = {
    {"state", '\0', POPT_ARG_ARGV, &states, FILTERS,
     "only pools in one of these states, as up or down,failing",
     "STATE[,STATE...]"},
    {"job", '\0', POPT_ARG_ARGV, &jobs, FILTERS, "only what this job has",
     "JOB"},
    {"available", '\0', POPT_ARG_NONE, &filter_available, FILTERS,
     "only what is up and nobody has", NULL},
    {"find", '\0', POPT_ARG_ARGV, &find, FILTERS,
     "only pools that match, with all below them, as "
     "'type=gpu and host=node[0-3]'",
     "EXPR"},
    {"subtree", '\0', POPT_ARG_ARGV, &subtrees, FILTERS,
     "only the pool at a path, with all below it", "PATH"},
    {"type", '\0', POPT_ARG_ARGV, &type_lists, FILTERS,
     "show pools of these types only, and sums of the others",
     "TYPE[,TYPE...]"},
    POPT_TABLEEND};

static struct constraint *parse(const char *text, double now)
{
    struct diag d = {0};
    struct constraint *c = find_parse(text, now, &d);

    if (!c)
        cli_die_in(&d, "--find");
    return c;
}

/* Several are joined by `and`. */
static struct constraint *read_find(double now)
{
    struct constraint **list = NULL, *all = NULL;
    struct diag d = {0};
    size_t n = 0;

    while (find && find[n]) {
        VECTOR_GROW(list, n);
        list[n] = parse(find[n], now);
        n++;
    }
    if (n > 0 && !(all = constraint_and(list, n, &d)))
        cli_die("%s", d.text);
    free(list);
    return all;
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

void filter_check(double now)
{
    struct diag d = {0};

    state = cli_only("--state", states);
    job = cli_only("--job", jobs);
    filter_types = cli_only("--type", type_lists);
    subtree = cli_only("--subtree", subtrees);
    if (job && filter_available)
        cli_exclude("--job", "--available");
    if (job && !*job)
        cli_usage("--job: a job is a number or a name");
    if (state)
        cli_check_words("--state", state, pool_state_names, POOL_STATES,
                        "there is no state");
    if (subtree && path_check(subtree, &d) < 0)
        cli_usage("--subtree: %s", d.text);
    if (filter_types)
        cli_check_types("--type", filter_types);
    constraint_destroy(read_find(now));
    constraint_destroy(cli_request_constraint(NULL));
}

struct filter filter_make(const struct rset_list *sets, double now)
{
    return (struct filter){
        .targets = cli_request_constraint(sets),
        .find = read_find(now),
        .each = read_states(now),
        .job = job,
        .available = filter_available,
        .when = cli_moment(now),
    };
}

void filter_fini(struct filter *f)
{
    constraint_destroy(f->targets);
    constraint_destroy(f->find);
    constraint_destroy(f->each);
}

void filter_coarsen(const struct named_rset *set)
{
    const char **list;
    char *rest, *word;
    size_t n = 0;
    struct diag d = {0};

    if (!filter_types)
        return;
    rest = cli_own(xstrdup(filter_types), free);
    list = xcalloc(strlen(filter_types) + 1, sizeof(*list));
    while ((word = strsep(&rest, ",")))
        list[n++] = word;
    if (rset_coarsen(set->rs, list, n, &d) < 0)
        cli_die_in(&d, set->name);
    free(list);
}

void filter_subtree(struct named_rset *set)
{
    struct diag d = {0};
    struct lot *lot = subtree ? rset_find_home(set->rs, subtree, &d) : NULL;
    struct rset *part;

    if (subtree && !lot)
        cli_die_in(&d, set->name);
    if (!lot)
        return;
    part = rset_subtree(set->rs, lot);
    rset_destroy(set->rs);
    set->rs = part;
}

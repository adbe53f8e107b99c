/*
 * All options are taken as text and looked at together: popt would read
 * `-n 010` as eight, and a contradiction shows only when all are known.
 */
#include "cli/request_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "cli/targets.h"
#include "schedule/policy.h"
#include "base/digits.h"

static char *nodes, *nslots, *cores, *gpus;
static const char **shapes, **jobspecs; /* to refuse a second request */
static int exclusive, v1;
/* Each can be given again. */
static const char **include, **exclude, **property, **requires, **constraint;
static const char *slot_scope, *granule, *policy;
static int node_exclusive;

struct poptOption cli_request_table[] = {
    CLI_OWN_TEXTS,
    {"nodes", 'N', POPT_ARG_STRING, &nodes, CLI_ASKS,
     "spread the slots over this many nodes; without -n: whole nodes", "N"},
    {"nslots", 'n', POPT_ARG_STRING, &nslots, CLI_ASKS,
     "number of slots (default 1)", "N"},
    {"cores-per-slot", 'c', POPT_ARG_STRING, &cores, CLI_ASKS,
     "cores in a slot (default 1)", "N"},
    {"gpus-per-slot", 'g', POPT_ARG_STRING, &gpus, CLI_ASKS,
     "gpus in a slot (default 0)", "N"},
    {"exclusive", 'x', POPT_ARG_NONE, &exclusive, CLI_ASKS,
     "nodes for this request alone (with -N)", NULL},
    {"shape", '\0', POPT_ARG_ARGV, &shapes, CLI_ASKS,
     "what RFC 46 says in one line, as node=2/slot/core=4", "SHAPE"},
    {"jobspec", '\0', POPT_ARG_ARGV, &jobspecs, CLI_ASKS,
     "a jobspec, JSON or YAML; - is standard input", "FILE"},
    {"v1", '\0', POPT_ARG_NONE, &v1, CLI_ASKS,
     "hold the jobspec to the rules of version 1 (RFC 25)", NULL},
    {"include", '\0', POPT_ARG_ARGV, &include, CLI_BOUNDS,
     "only these ranks or hosts", "TARGETS"},
    {"exclude", '\0', POPT_ARG_ARGV, &exclude, CLI_BOUNDS,
     "all but these ranks or hosts", "TARGETS"},
    {"property", '\0', POPT_ARG_ARGV, &property, CLI_BOUNDS,
     "only targets with this property; ^NAME: without it", "PROPERTY"},
    {"requires", '\0', POPT_ARG_ARGV, &requires, CLI_BOUNDS,
     "only targets of which this is true, as 'ssd and -host:n[3-4]'", "EXPR"},
    {"constraint", '\0', POPT_ARG_ARGV, &constraint, CLI_BOUNDS,
     "the same as an object of RFC 31", "JSON"},
    {"slot-scope", '\0', POPT_ARG_STRING, &slot_scope, CLI_SEMANTICS,
     "what a slot fits into: a node (the default), or a parent of all that it "
     "directly holds",
     "node|parent"},
    {"granule", '\0', POPT_ARG_STRING, &granule, CLI_SEMANTICS,
     "take units of a pool (the default), or pools as a whole", "unit|pool"},
    {"policy", '\0', POPT_ARG_STRING, &policy, CLI_SEMANTICS,
     "in which order pools are taken: first (the default), low, lonode, high, "
     "hinode, best-fit, worst-fit, locality or variation",
     "POLICY"},
    {"node-exclusive", '\0', POPT_ARG_NONE, &node_exclusive, CLI_SEMANTICS,
     "each node in which something is taken for this request alone", NULL},
    POPT_TABLEEND};

/* A short option with a number. */
struct number {
    const char *option;
    char *const *text;
    uint64_t least;
};

static const struct number numbers[] = {
    {"-N", &nodes, 1}, {"-n", &nslots, 1}, {"-c", &cores, 1}, {"-g", &gpus, 0}};
enum { NNUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

/* The short options that were given, by name; NULL if none. */
static const char *short_option(void)
{
    for (int i = 0; i < NNUMBERS; i++)
        if (*numbers[i].text)
            return numbers[i].option;
    return exclusive ? "-x" : NULL;
}

const char *cli_only(const char *option, const char *const *texts)
{
    if (texts && texts[1])
        cli_usage("%s is given twice", option);
    return texts ? texts[0] : NULL;
}

/* Plain decimal digits within bounds; 0 if the option was not given. */
static uint64_t read_number(const struct number *number)
{
    const char *text = *number->text, *end;
    uint64_t n;

    if (!text)
        return 0;
    end = get_number(text, text + strlen(text), &n);
    if (end == text || *end || (*text == '0' && end > text + 1)
        || n < number->least || n > REQUEST_COUNT_MAX)
        cli_usage("%s: %s is not a number from %u to %u", number->option,
                  quote(text, strlen(text)).text, (unsigned)number->least,
                  (unsigned)REQUEST_COUNT_MAX);
    return n;
}

static struct request *from_numbers(struct diag *d)
{
    const struct request_options opts = {
        .nodes = read_number(&numbers[0]),
        .nslots = read_number(&numbers[1]),
        .cores_per_slot = read_number(&numbers[2]),
        .gpus_per_slot = read_number(&numbers[3]),
        .exclusive = exclusive,
    };
    struct request *req;

    if (exclusive && !nodes)
        cli_usage("-x needs -N");
    req = request_from_options(&opts, d);
    if (!req)
        cli_usage("%s", d->text);
    return req;
}

static void check_contradictions(void)
{
    const char *given[] = {
        short_option(), cli_only("--shape", shapes) ? "--shape" : NULL,
        cli_only("--jobspec", jobspecs) ? "--jobspec" : NULL};
    const char *first = NULL;

    for (int i = 0; i < 3; i++) {
        cli_exclude(first, given[i]);
        if (given[i])
            first = given[i];
    }
    if (v1 && !jobspecs)
        cli_usage("--v1 needs --jobspec");
}

static bool any_reads_stdin(const char *const *targets)
{
    for (; targets && *targets; targets++)
        if (cli_targets_read_stdin(*targets))
            return true;
    return false;
}

const char *cli_request_reads_stdin(void)
{
    return jobspecs && cli_is_stdin(cli_only("--jobspec", jobspecs))
               ? "--jobspec"
           : any_reads_stdin(include) ? "--include"
           : any_reads_stdin(exclude) ? "--exclude"
                                      : NULL;
}

/* --- constraints -------------------------------------------------------- */

/*
 * They all have to hold. They are freed if a later one is wrong and the command
 * is left; joined they are a new one, NULL if there are none.
 */
struct constraints {
    struct constraint **list;
    size_t n;
};

static void end_constraints(void *p)
{
    struct constraints *all = p;

    for (size_t i = 0; i < all->n; i++)
        constraint_destroy(all->list[i]);
    free(all->list);
    free(all);
}

static void add(struct constraints *all, struct constraint *c)
{
    VECTOR_GROW(all->list, all->n);
    all->list[all->n++] = c;
}

static void
read_all(struct constraints *all, const char *option, const char *const *texts,
         struct constraint *(*read)(const char *text, struct diag *d))
{
    struct diag d = {0};

    for (; texts && *texts; texts++) {
        struct constraint *c = read(*texts, &d);
        if (!c)
            cli_die_in(&d, option);
        add(all, c);
    }
}

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

struct constraint *cli_request_constraint(const struct rset_list *sets)
{
    struct constraints *all;
    struct diag d = {0};
    struct constraint *c;
    size_t n;

    if (!cli_given(cli_request_table, CLI_BOUNDS))
        return NULL;
    all = cli_own(xcalloc(1, sizeof(*all)), end_constraints);
    for (const char **t = include; t && *t; t++)
        add(all, cli_targets(*t, "--include", sets));
    for (const char **t = exclude; t && *t; t++)
        add(all, deny(cli_targets(*t, "--exclude", sets)));
    for (const char **t = property; t && *t; t++)
        add(all, get_property(*t));
    read_all(all, "--requires", requires, constraint_from_requires);
    read_all(all, "--constraint", constraint, constraint_from_string);
    n = all->n;
    all->n = 0; /* they are parts of the whole now */
    if (!(c = constraint_and(all->list, n, &d)))
        cli_die("%s", d.text);
    return c;
}

static const struct policy *read_policy(void)
{
    struct near near = {.word = policy, .len = strlen(policy)};
    const struct policy *found = policy_find(policy, &near);

    if (!found)
        cli_usage("--policy: there is no policy %s%s",
                  quote(policy, near.len).text, near_or_all(&near));
    return found;
}

void cli_request_semantics(struct match_options *opts)
{
    if (slot_scope)
        opts->slot_parent = cli_second_word("--slot-scope", slot_scope, "node",
                                            "parent");
    if (granule)
        opts->granule_pool = cli_second_word("--granule", granule, "unit",
                                             "pool");
    if (policy)
        opts->policy = read_policy();
    opts->node_exclusive = opts->node_exclusive || node_exclusive;
}

struct request *cli_request(void)
{
    struct diag d = {0};
    struct request *req;

    if (!cli_given(cli_request_table, CLI_ASKS))
        return NULL;
    check_contradictions();
    if (shapes) {
        req = request_from_shape(shapes[0], &d);
        diag_source(&d, "--shape");
    } else if (jobspecs) {
        req = request_from_file(jobspecs[0], v1, &d);
    } else {
        req = from_numbers(&d);
    }
    if (!req)
        cli_die_diag(&d);
    return req;
}

/* Makes requests of options (request_options.h). */
#include "cli/request_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "cli/targets.h"
#include "schedule/policy.h"
#include "base/digits.h"

#define AT(member) CLI_AT(struct cli_request_options, member)
struct poptOption cli_request_table[] = {
    {"nodes", 'N', POPT_ARG_STRING, AT(nodes), CLI_ASKS,
     "spread the slots over this many nodes; without -n: whole nodes", "N"},
    {"nslots", 'n', POPT_ARG_STRING, AT(nslots), CLI_ASKS,
     "number of slots (default 1)", "N"},
    {"cores-per-slot", 'c', POPT_ARG_STRING, AT(cores), CLI_ASKS,
     "cores in a slot (default 1)", "N"},
    {"gpus-per-slot", 'g', POPT_ARG_STRING, AT(gpus), CLI_ASKS,
     "gpus in a slot (default 0)", "N"},
    {"exclusive", 'x', POPT_ARG_NONE, AT(exclusive), CLI_ASKS,
     "nodes for this request alone (with -N)", NULL},
    {"shape", '\0', POPT_ARG_ARGV, AT(shapes), CLI_ASKS,
     "what RFC 46 says in one line, as node=2/slot/core=4", "SHAPE"},
    {"jobspec", '\0', POPT_ARG_ARGV, AT(jobspecs), CLI_ASKS,
     "a jobspec, JSON or YAML; - is standard input", "FILE"},
    {"v1", '\0', POPT_ARG_NONE, AT(v1), CLI_ASKS,
     "hold the jobspec to the rules of version 1 (RFC 25)", NULL},
    {"include", '\0', POPT_ARG_ARGV, AT(include), CLI_BOUNDS,
     "only these ranks or hosts", "TARGETS"},
    {"exclude", '\0', POPT_ARG_ARGV, AT(exclude), CLI_BOUNDS,
     "all but these ranks or hosts", "TARGETS"},
    {"property", '\0', POPT_ARG_ARGV, AT(property), CLI_BOUNDS,
     "only targets with this property; ^NAME: without it", "PROPERTY"},
    {"requires", '\0', POPT_ARG_ARGV, AT(requires), CLI_BOUNDS,
     "only targets of which this is true, as 'ssd and -host:n[3-4]'", "EXPR"},
    {"constraint", '\0', POPT_ARG_ARGV, AT(constraint), CLI_BOUNDS,
     "the same as an object of RFC 31", "JSON"},
    {"slot-scope", '\0', POPT_ARG_STRING, AT(slot_scope), CLI_SEMANTICS,
     "what a slot fits into: a node (the default), or a parent of all that it "
     "directly holds",
     "node|parent"},
    {"granule", '\0', POPT_ARG_STRING, AT(granule), CLI_SEMANTICS,
     "take units of a pool (the default), or pools as a whole", "unit|pool"},
    {"policy", '\0', POPT_ARG_STRING, AT(policy), CLI_SEMANTICS,
     "in which order pools are taken: first (the default), low, lonode, high, "
     "hinode, best-fit, worst-fit, locality or variation",
     "POLICY"},
    {"node-exclusive", '\0', POPT_ARG_NONE, AT(node_exclusive), CLI_SEMANTICS,
     "each node in which something is taken for this request alone", NULL},
    POPT_TABLEEND};

/* The short options that were given, by name; NULL if none. */
static const char *short_option(const struct cli_request_options *o)
{
    return o->nodes       ? "-N"
           : o->nslots    ? "-n"
           : o->cores     ? "-c"
           : o->gpus      ? "-g"
           : o->exclusive ? "-x"
                          : NULL;
}

const char *cli_only(const char *option, char *const *texts)
{
    if (texts && texts[1])
        cli_usage("%s is given twice", option);
    return texts ? texts[0] : NULL;
}

/* Plain decimal digits within bounds; 0 if the option was not given. */
static uint64_t read_number(const char *option, const char *text,
                            uint64_t least)
{
    const char *end;
    uint64_t n;

    if (!text)
        return 0;
    end = get_number(text, text + strlen(text), &n);
    if (end == text || *end || (*text == '0' && end > text + 1) || n < least
        || n > REQUEST_COUNT_MAX)
        cli_usage("%s: %s is not a number from %u to %u", option,
                  quote(text, strlen(text)).text, (unsigned)least,
                  (unsigned)REQUEST_COUNT_MAX);
    return n;
}

static struct request *from_numbers(const struct cli_request_options *o,
                                    struct diag *d)
{
    const struct request_options opts = {
        .nodes = read_number("-N", o->nodes, 1),
        .nslots = read_number("-n", o->nslots, 1),
        .cores_per_slot = read_number("-c", o->cores, 1),
        .gpus_per_slot = read_number("-g", o->gpus, 0),
        .exclusive = o->exclusive,
    };
    struct request *req;

    if (o->exclusive && !o->nodes)
        cli_usage("-x needs -N");
    req = request_from_options(&opts, d);
    if (!req)
        cli_usage("%s", d->text);
    return req;
}

static void check_contradictions(const struct cli_request_options *o)
{
    const char *given[] = {
        short_option(o), cli_only("--shape", o->shapes) ? "--shape" : NULL,
        cli_only("--jobspec", o->jobspecs) ? "--jobspec" : NULL};
    const char *first = NULL;

    for (int i = 0; i < 3; i++) {
        cli_exclude(first, given[i]);
        if (given[i])
            first = given[i];
    }
    if (o->v1 && !o->jobspecs)
        cli_usage("--v1 needs --jobspec");
}

static bool any_reads_stdin(char *const *targets)
{
    for (; targets && *targets; targets++)
        if (cli_targets_read_stdin(*targets))
            return true;
    return false;
}

const char *cli_request_reads_stdin(const struct cli_request_options *o)
{
    return o->jobspecs && cli_is_stdin(cli_only("--jobspec", o->jobspecs))
               ? "--jobspec"
           : any_reads_stdin(o->include) ? "--include"
           : any_reads_stdin(o->exclude) ? "--exclude"
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
read_all(struct constraints *all, const char *option, char *const *texts,
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

struct constraint *cli_request_constraint(const struct cli_request_options *o,
                                          const struct rset_list *sets)
{
    struct constraints *all;
    struct diag d = {0};
    struct constraint *c;
    size_t n;

    if (!cli_given(cli_request_table, o, CLI_BOUNDS))
        return NULL;
    all = cli_own(xcalloc(1, sizeof(*all)), end_constraints);
    for (char **t = o->include; t && *t; t++)
        add(all, cli_targets(*t, "--include", sets));
    for (char **t = o->exclude; t && *t; t++)
        add(all, deny(cli_targets(*t, "--exclude", sets)));
    for (char **t = o->property; t && *t; t++)
        add(all, get_property(*t));
    read_all(all, "--requires", o->requires, constraint_from_requires);
    read_all(all, "--constraint", o->constraint, constraint_from_string);
    n = all->n;
    all->n = 0; /* they are parts of the whole now */
    if (!(c = constraint_and(all->list, n, &d)))
        cli_die("%s", d.text);
    return c;
}

static const struct policy *read_policy(const char *policy)
{
    struct near near = {.word = policy, .len = strlen(policy)};
    const struct policy *found = policy_find(policy, &near);

    if (!found)
        cli_usage("--policy: there is no policy %s%s",
                  quote(policy, near.len).text, near_or_all(&near));
    return found;
}

void cli_request_semantics(const struct cli_request_options *o,
                           struct match_options *opts)
{
    if (o->slot_scope)
        opts->slot_parent = cli_second_word("--slot-scope", o->slot_scope,
                                            "node", "parent");
    if (o->granule)
        opts->granule_pool = cli_second_word("--granule", o->granule, "unit",
                                             "pool");
    if (o->policy)
        opts->policy = read_policy(o->policy);
    opts->node_exclusive = opts->node_exclusive || o->node_exclusive;
}

struct request *cli_request(const struct cli_request_options *o)
{
    struct diag d = {0};
    struct request *req;

    if (!cli_given(cli_request_table, o, CLI_ASKS))
        return NULL;
    check_contradictions(o);
    if (o->shapes) {
        req = request_from_shape(o->shapes[0], &d);
        diag_source(&d, "--shape");
    } else if (o->jobspecs) {
        req = request_from_file(o->jobspecs[0], o->v1, &d);
    } else {
        req = from_numbers(o, &d);
    }
    if (!req)
        cli_die_diag(&d);
    return req;
}

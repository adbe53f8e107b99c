/* Makes requests from options (request_options.h). */
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
const struct cli_option cli_request_table[] = {
    {"nodes", 'N', AT(nodes), CLI_ASKS,
     "spread the slots over N nodes; without -n: whole nodes", "N"},
    {"nslots", 'n', AT(nslots), CLI_ASKS, "request N slots (default 1)", "N"},
    {"cores-per-slot", 'c', AT(cores), CLI_ASKS,
     "request N cores in each slot (default 1)", "N"},
    {"gpus-per-slot", 'g', AT(gpus), CLI_ASKS,
     "request N GPUs in each slot (default 0)", "N"},
    {"exclusive", 'x', AT(exclusive), CLI_ASKS,
     "with -N: share the nodes with no other job"},
    {"shape", '\0', AT(shapes), CLI_ASKS,
     "request a shape (RFC 46), such as node=2/slot/core=4", "SHAPE"},
    {"jobspec", '\0', AT(jobspecs), CLI_ASKS,
     "request a jobspec, JSON or YAML; - is standard input", "FILE"},
    {"include", '\0', AT(include), CLI_BOUNDS,
     "consider only these ranks or hosts", "TARGETS"},
    {"exclude", '\0', AT(exclude), CLI_BOUNDS, "leave out these ranks or hosts",
     "TARGETS"},
    {"requires", '\0', AT(requires), CLI_BOUNDS,
     "consider only targets for which this holds, such as ssd, ^ssd or 'ssd "
     "and -host:n[3-4]'",
     "CONSTRAINT"},
    {"constraint", '\0', AT(constraint), CLI_BOUNDS,
     "like --requires, as an object of RFC 31", "JSON"},
    {"slot-scope", '\0', AT(slot_scope), CLI_SEMANTICS,
     "fit each slot into a node (the default), or into one parent of all that "
     "it directly holds",
     "node|parent"},
    {"granule", '\0', AT(granule), CLI_SEMANTICS,
     "take units of a resource (the default), or resources as a whole",
     "unit|pool"},
    {"policy", '\0', AT(policy), CLI_SEMANTICS,
     "choose the order in which resources are taken: first (the default), low, "
     "lonode, high, hinode, best-fit, worst-fit, locality or variation",
     "POLICY"},
    {"node-exclusive", '\0', AT(node_exclusive), CLI_SEMANTICS,
     "share no node in which something is taken with another job"},
    {0}};

/* Return the first given short option, or NULL. */
static const char *short_option(const struct cli_request_options *o)
{
    return o->nodes       ? "-N"
           : o->nslots    ? "-n"
           : o->cores     ? "-c"
           : o->gpus      ? "-g"
           : o->exclusive ? "-x"
                          : NULL;
}

int cli_only(const char *option, char *const *texts, const char **text,
             struct diag *d)
{
    *text = texts ? texts[0] : NULL;
    return texts && texts[1] ? cli_fault(d, "%s is given twice", option) : 0;
}

/* Read a decimal number from `least` on; 0 if the option was not given. */
static int read_number(const char *option, const char *text, uint64_t least,
                       uint64_t *n, struct diag *d)
{
    *n = 0;
    if (!text)
        return 0;
    if (!text_is_number(text, n) || (*text == '0' && text[1]) || *n < least
        || *n > REQUEST_COUNT_MAX)
        return cli_fault(d, "%s: %s is not a number from %u to %u", option,
                         quote_all(text).text, (unsigned)least,
                         (unsigned)REQUEST_COUNT_MAX);
    return 0;
}

static struct request *from_numbers(const struct cli_request_options *o,
                                    struct diag *d)
{
    struct request_options opts = {.exclusive = o->exclusive};
    struct request *req;
    struct diag why = {0};

    if (read_number("-N", o->nodes, 1, &opts.nodes, d) < 0
        || read_number("-n", o->nslots, 1, &opts.nslots, d) < 0
        || read_number("-c", o->cores, 1, &opts.cores_per_slot, d) < 0
        || read_number("-g", o->gpus, 0, &opts.gpus_per_slot, d) < 0)
        return NULL;
    if (o->exclusive && !o->nodes)
        cli_fault(d, "-x needs -N");
    else if ((req = request_from_options(&opts, &why)))
        return req;
    else
        cli_fault(d, "%s", why.text);
    return NULL;
}

static bool any_reads_stdin(char *const *targets)
{
    for (; *targets; targets++)
        if (cli_targets_read_stdin(*targets))
            return true;
    return false;
}

const char *cli_request_reads_stdin(const struct cli_request_options *o)
{
    return o->jobspecs && cli_is_stdin(o->jobspecs[0]) ? "--jobspec"
           : o->include && any_reads_stdin(o->include) ? "--include"
           : o->exclude && any_reads_stdin(o->exclude) ? "--exclude"
                                                       : NULL;
}

/* --- constraints -------------------------------------------------------- */

/* An option that limits targets. */
struct bound {
    const char *option;
    char *const *texts;
    /* Reads a text; NULL: it names targets. */
    struct constraint *(*read)(const char *text, struct diag *d);
};
enum { BOUNDS = 4 };

/* List those that are given. Returns their number. */
static size_t list_bounds(const struct cli_request_options *o,
                          struct bound given[BOUNDS])
{
    const struct bound all[BOUNDS] = {
        {"--include", o->include, NULL},
        {"--exclude", o->exclude, NULL},
        {"--requires", o->requires, constraint_from_requires},
        {"--constraint", o->constraint, constraint_from_string},
    };
    size_t n = 0;

    for (size_t i = 0; i < BOUNDS; i++)
        if (all[i].texts)
            given[n++] = all[i];
    return n;
}

int cli_request_constraint(const struct cli_request_options *o,
                           const struct rset_list *sets, struct constraint **c,
                           struct diag *d)
{
    struct bound given[BOUNDS];
    size_t ngiven = list_bounds(o, given), n = 0;
    struct constraint **all = NULL, *one; /* all must hold */
    struct diag why = {0};
    int rc = 0;

    *c = NULL;
    for (const struct bound *b = given; b < given + ngiven; b++)
        for (char *const *t = b->texts; *t && rc == 0; t++) {
            one = b->read ? b->read(*t, d)
                          : cli_targets(*t, b->option, sets, true, d);
            if (!one)
                rc = b->read ? diag_source(d, "%s", b->option) : -1;
            else if (b->texts == o->exclude
                     && !(one = constraint_not(one, &why)))
                rc = diag_set(d, "--exclude: %s", why.text);
            else
                VECTOR_ADD(all, n, one);
        }
    for (size_t i = 0; i < n && rc < 0; i++)
        constraint_destroy(all[i]);
    if (rc == 0 && n > 0 && !(*c = constraint_and(all, n, &why)))
        rc = diag_set(d, "%s", why.text);
    free(all);
    return rc;
}

int cli_request_semantics(const struct cli_request_options *o,
                          struct match_options *opts, struct diag *d)
{
    struct bound given[BOUNDS];
    int word;

    if (o->slot_scope) {
        word = cli_word("--slot-scope", o->slot_scope, "node", "parent", NULL,
                        d);
        if (word < 0)
            return -1;
        opts->slot_parent = word;
    }
    if (o->granule) {
        word = cli_word("--granule", o->granule, "unit", "pool", NULL, d);
        if (word < 0)
            return -1;
        opts->granule_pool = word;
    }
    if (o->policy) {
        struct near near = {.word = o->policy, .len = strlen(o->policy)};
        if (!(opts->policy = policy_find(o->policy, &near)))
            return cli_fault(d, "--policy: there is no policy %s%s",
                             quote(o->policy, near.len).text,
                             near_or_all(&near));
    }
    opts->node_exclusive = opts->node_exclusive || o->node_exclusive;
    opts->constraint_option = list_bounds(o, given) == 1 ? given[0].option
                                                         : NULL;
    return 0;
}

int cli_request(const struct cli_request_options *o, struct request **req,
                struct diag *d)
{
    const char *by_shape = o->shapes ? "--shape" : NULL,
               *by_jobspec = o->jobspecs ? "--jobspec" : NULL;
    const char *shape, *jobspec;

    *req = NULL;
    if (!cli_first_set(cli_request_table, o, CLI_ASKS))
        return 0;
    if (cli_only("--shape", o->shapes, &shape, d) < 0
        || cli_only("--jobspec", o->jobspecs, &jobspec, d) < 0
        || cli_exclude(short_option(o), by_shape, d) < 0
        || cli_exclude(short_option(o), by_jobspec, d) < 0
        || cli_exclude(by_shape, by_jobspec, d) < 0)
        return -1;
    if (shape) {
        *req = request_from_shape(shape, d);
        diag_source(d, "--shape");
    } else if (jobspec) {
        *req = request_from_file(jobspec, d);
    } else {
        *req = from_numbers(o, d);
    }
    return *req ? 0 : -1;
}

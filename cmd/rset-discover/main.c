/*
 * rset-discover: make a resource set of a machine, of a description of one,
 * or of a plain list of hosts.
 *
 * Each source is a row: the options that choose it, and a function that
 * makes the set. Options of two sources exclude each other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "source/property.h"
#include "source/spec.h"
#include "source/topology.h"

enum { OPT_PROPERTY = 1, OPT_SOURCE };

static char *xml, *synthetic, *hosts, *cores, *gpus, *ranks;

/* --property, as often as it was given. */
static const char **properties;
static size_t nproperties;

static const struct cli cli = {
    .name = "rset-discover",
    .synopsis = "[OPTION...]",
    .summary = "Write the resources of this machine, of a description of "
               "one, or of a list of hosts.",
    .footer = "Without a source it is this machine, as hwloc sees it: of its "
              "cores those that\nthe process is bound to.\n",
};

static struct poptOption source_options[] = {
    {"xml", '\0', POPT_ARG_STRING, &xml, OPT_SOURCE,
     "the machine of an hwloc XML file; - is standard input", "FILE"},
    {"synthetic", '\0', POPT_ARG_STRING, &synthetic, OPT_SOURCE + 1,
     "the machine of an hwloc description, as 'pack:2 core:8 pu:2'", "TEXT"},
    {"hosts", '\0', POPT_ARG_STRING, &hosts, OPT_SOURCE + 2,
     "these hosts, all alike (default: this one)", "HOSTLIST"},
    {"cores", '\0', POPT_ARG_STRING, &cores, OPT_SOURCE + 3,
     "what each of them has (default: 0)", "IDSET"},
    {"gpus", '\0', POPT_ARG_STRING, &gpus, OPT_SOURCE + 4,
     "what each of them has (default: none)", "IDSET"},
    {"ranks", '\0', POPT_ARG_STRING, &ranks, OPT_SOURCE + 5,
     "their ranks (default: from 0 in the order of the hosts)", "IDSET"},
    POPT_TABLEEND};

static struct poptOption options[] = {
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, source_options, 0, "Sources:", NULL},
    {"property", '\0', POPT_ARG_STRING, NULL, OPT_PROPERTY,
     "give a property to some ranks, or to all (repeatable)", "NAME[:RANKS]"},
    CLI_OUTPUT_OPTIONS,
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

/* --- sources ------------------------------------------------------------ */

static struct rset *from_machine(struct diag *d)
{
    return rset_from_machine(d);
}

static struct rset *from_xml(struct diag *d)
{
    return rset_from_xml(xml, d);
}

static struct rset *from_synthetic(struct diag *d)
{
    struct rset *rs = rset_from_synthetic(synthetic, d);

    if (!rs)
        diag_source(d, "--synthetic");
    return rs;
}

/* The member of a specification that is at fault is named as its option. */
static struct rset *from_spec(struct diag *d)
{
    const struct spec spec = {
        .hosts = hosts, .ranks = ranks, .cores = cores, .gpus = gpus};
    struct rset *rs = rset_from_spec(&spec, d);

    if (!rs && d->where[0]) {
        diag_source(d, "--%s", d->where);
        d->where[0] = '\0';
    }
    return rs;
}

typedef struct rset *(*source_fn)(struct diag *d);

static const struct {
    const char *option;
    char **text;
    source_fn make;
} sources[] = {
    {"--xml", &xml, from_xml},      {"--synthetic", &synthetic, from_synthetic},
    {"--hosts", &hosts, from_spec}, {"--cores", &cores, from_spec},
    {"--gpus", &gpus, from_spec},   {"--ranks", &ranks, from_spec},
};
enum { NSOURCES = sizeof(sources) / sizeof(sources[0]) };

/* The source that the options name; a usage error if they name two. */
static source_fn choose_source(void)
{
    int first = -1;

    for (int i = 0; i < NSOURCES; i++) {
        if (!*sources[i].text)
            continue;
        if (first >= 0 && sources[i].make != sources[first].make)
            cli_usage("%s and %s exclude each other", sources[first].option,
                      sources[i].option);
        if (first < 0)
            first = i;
    }
    return first < 0 ? from_machine : sources[first].make;
}

/* --- options ------------------------------------------------------------ */

static void add_property(const char *text)
{
    VECTOR_GROW(properties, nproperties);
    properties[nproperties++] = text;
}

/* Whoever writes 64 mostly wants that many, and not the one with that id. */
static void warn_single(const char *option, const char *type, const char *ids)
{
    unsigned long n;

    if (!ids || !*ids || *ids == '0'
        || strspn(ids, "0123456789") != strlen(ids))
        return;
    n = strtoul(ids, NULL, 10);
    if (n == 1)
        cli_warn("warning: %s: one %s with id 1; the first is 0", option, type);
    else
        cli_warn("warning: %s: one %s with id %lu; %lu of them are 0-%lu",
                 option, type, n, n, n - 1);
}

static void read_options(poptContext ctx)
{
    const char *operand;
    bool given[NSOURCES] = {false};
    int option;

    while ((option = cli_next(ctx)) >= 0) {
        if (option == OPT_PROPERTY) {
            add_property(poptGetOptArg(ctx));
            continue;
        }
        option -= OPT_SOURCE;
        if (given[option])
            cli_usage("%s is given twice", sources[option].option);
        given[option] = true;
    }
    warn_single("--cores", "core", cores);
    warn_single("--gpus", "gpu", gpus);
    cli_document_check(ANSWER_SETS);
    if ((operand = poptPeekArg(ctx)))
        cli_usage("%s: no operand is expected",
                  quote(operand, strlen(operand)).text);
}

static void free_options(void)
{
    for (int i = 0; i < NSOURCES; i++)
        free(*sources[i].text);
    for (size_t i = 0; i < nproperties; i++)
        free((char *)properties[i]);
    free(properties);
}

/* --- main --------------------------------------------------------------- */

static struct rset *discover(source_fn make)
{
    struct diag d = {0};
    struct rset *rs = make(&d);

    if (!rs)
        cli_die_diag(&d);
    if (rset_add_properties(rs, properties, nproperties, &d) < 0) {
        rset_destroy(rs);
        diag_source(&d, "--property");
        cli_die_diag(&d);
    }
    return rs;
}

int main(int argc, const char **argv)
{
    static poptContext ctx; /* still there when a usage error ends us */
    struct rset *rs;

    cli_init(&cli);
    cli_default_form("r");
    /* hwloc tells of odd hardware on standard error; whoever wants it asks */
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    ctx = cli_options(argc, argv, options, 0);
    read_options(ctx);
    rs = discover(choose_source());
    cli_write(rs, NULL);
    rset_destroy(rs);
    free_options();
    poptFreeContext(ctx);
    cli_exit(STATUS_OK);
}

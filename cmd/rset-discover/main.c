/*
 * rset-discover: make a resource set of a machine, of a description of one,
 * or of a plain list of hosts.
 *
 * The options that name a source are gathered by group: --hosts, given again,
 * begins the next one. Each group is made into a set, and these into one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "discover.h"
#include "source/property.h"
#include "source/spec.h"
#include "source/topology.h"

enum source { XML, SYNTHETIC, HOSTS, CORES, GPUS, RANKS, SOURCES };
enum { OPT_PROPERTY = 1, OPT_SOURCE };

/* What is said of hosts that are all alike; NULL: nothing. */
struct group {
    char *text[SOURCES];
};
static struct group *groups;
static size_t ngroups;

static enum { MAKE, SERVE, TRANSLATE, NONE } command;

/* --property, as often as it was given. */
static const char **properties;
static size_t nproperties;

static const struct cli cli = {
    .name = "rset-discover",
    .synopsis = "[COMMAND] [OPTION...]",
    .summary = "Write the resources of this machine, of a description of "
               "one, or of a list of hosts.",
    .footer = "Commands:\n"
              "  serve                 answer requests and events, a line each:"
              " who may use\n"
              "                        which of the resources, as RFC 28 has "
              "it\n"
              "  translate             lines of the one edition of RFC 28 as "
              "lines of the\n"
              "                        other\n"
              "\n"
              "Without a source it is this machine, as hwloc sees it: of its "
              "cores those that\nthe process is bound to.\n",
};

#define SOURCE(name, which, help, arg)                                     \
    {                                                                      \
        name, '\0', POPT_ARG_STRING, NULL, OPT_SOURCE + (which), help, arg \
    }
static struct poptOption source_options[] = {
    SOURCE("xml", XML, "the machine of an hwloc XML file; - is standard input",
           "FILE"),
    SOURCE("synthetic", SYNTHETIC,
           "the machine of an hwloc description, as 'pack:2 core:8 pu:2'",
           "TEXT"),
    SOURCE("hosts", HOSTS,
           "these hosts, all alike (default: this one); given again, others",
           "HOSTLIST"),
    SOURCE("cores", CORES, "what each of them has (default: 0)", "IDSET"),
    SOURCE("gpus", GPUS, "what each of them has (default: none)", "IDSET"),
    SOURCE("ranks", RANKS,
           "their ranks (default: from 0 in the order of the hosts)", "IDSET"),
    POPT_TABLEEND};

static struct poptOption options[] = {
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, source_options, 0, "Sources:", NULL},
    {"property", '\0', POPT_ARG_STRING, NULL, OPT_PROPERTY,
     "give a property to some targets, or to all (repeatable)",
     "NAME[:TARGETS]"},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, service_options, 0,
     "Options of commands:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, translate_options, 0, NULL, NULL},
    CLI_OUTPUT_OPTIONS,
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

/* --- sources ------------------------------------------------------------ */

static struct rset *from_machine(const struct group *g, struct diag *d)
{
    struct rset *rs;

    if (g->text[XML])
        return rset_from_xml(g->text[XML], d);
    if (!g->text[SYNTHETIC])
        return rset_from_machine(d);
    if (!(rs = rset_from_synthetic(g->text[SYNTHETIC], d)))
        diag_source(d, "--synthetic");
    return rs;
}

/* The option that says what the machine is, none of which is a plain one. */
static enum source machine_of(const struct group *g)
{
    return g->text[XML] ? XML : g->text[SYNTHETIC] ? SYNTHETIC : SOURCES;
}

/* The set of a group, its ranks from `first` on. */
static struct rset *make_group(const struct group *g, uint64_t first,
                               struct diag *d)
{
    const struct spec spec = {.hosts = g->text[HOSTS],
                              .ranks = g->text[RANKS],
                              .cores = g->text[CORES],
                              .gpus = g->text[GPUS],
                              .first = first};
    struct rset *rs;

    if (machine_of(g) == SOURCES
        && (spec.hosts || spec.ranks || spec.cores || spec.gpus))
        return rset_from_spec(&spec, d);
    rs = from_machine(g, d);
    if (rs && spec.hosts && rset_on_hosts(rs, &spec, d) < 0) {
        rset_destroy(rs);
        rs = NULL;
    }
    return rs;
}

/* All groups in one set. What is at fault in one is named as its option. */
static struct rset *discover(struct diag *d)
{
    struct rset *rs = make_group(&groups[0], 0, d), *group;

    for (size_t i = 1; rs && i < ngroups; i++) {
        uint64_t first = idset_empty(rs->ranks)
                             ? 0
                             : (uint64_t)idset_last(rs->ranks) + 1;
        if (!(group = make_group(&groups[i], first, d))
            || rset_add_group(rs, group, d) < 0) {
            rset_destroy(rs);
            rs = NULL;
        }
        rset_destroy(group);
    }
    if (!rs && d->where[0] && !d->source[0]) {
        diag_source(d, "--%s", d->where);
        d->where[0] = '\0';
    }
    return rs;
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

static void note_source(enum source which, char *text)
{
    if (which == HOSTS && groups[ngroups - 1].text[HOSTS]) {
        VECTOR_GROW(groups, ngroups);
        groups[ngroups++] = (struct group){{NULL}};
    }
    if (groups[ngroups - 1].text[which])
        cli_usage("--%s is given twice%s", source_options[which].longName,
                  ngroups > 1 ? " for a group of hosts" : "");
    groups[ngroups - 1].text[which] = text;
}

/* A machine has what it has, and is on hosts that are named. */
static void check_group(const struct group *g)
{
    enum source machine = machine_of(g);

    for (enum source i = SYNTHETIC; i < SOURCES; i++)
        if (machine != SOURCES && i != machine && g->text[i] && i != HOSTS
            && !(i == RANKS && g->text[HOSTS]))
            cli_usage("--%s and --%s exclude each other%s",
                      source_options[machine].longName,
                      source_options[i].longName,
                      i == RANKS ? " without --hosts" : "");
    warn_single("--cores", "core", g->text[CORES]);
    warn_single("--gpus", "gpu", g->text[GPUS]);
}

/* Is any source named, or a property? */
static const char *source_given(void)
{
    for (size_t i = 0; i < ngroups; i++)
        for (int k = 0; k < SOURCES; k++)
            if (groups[i].text[k])
                return source_options[k].longName;
    return NULL;
}

/* No option is read and passed over. */
static void check_command(void)
{
    const char *other = NULL;

    if (command != SERVE)
        other = service_option_given();
    if (!other && command != TRANSLATE)
        other = translate_option_given();
    if (other)
        cli_usage("%s is not for %s", other,
                  command == MAKE    ? "making a set"
                  : command == SERVE ? "serve"
                                     : "translate");
    if (command == TRANSLATE && (source_given() || nproperties > 0))
        cli_usage("translate takes no resources");
}

static void read_command(poptContext ctx)
{
    const char *word = poptGetArg(ctx), *operand = poptGetArg(ctx);

    command = !word                        ? MAKE
              : !strcmp(word, "serve")     ? SERVE
              : !strcmp(word, "translate") ? TRANSLATE
                                           : NONE;
    if (command == NONE)
        cli_usage("%s: serve, translate or nothing is expected",
                  quote(word, strlen(word)).text);
    if (operand)
        cli_usage("%s: nothing is expected after %s",
                  quote(operand, strlen(operand)).text, word);
    check_command();
}

static void read_options(poptContext ctx)
{
    int option;

    VECTOR_GROW(groups, ngroups);
    groups[ngroups++] = (struct group){{NULL}};
    while ((option = cli_next(ctx)) >= 0) {
        char *text = poptGetOptArg(ctx);
        if (option == OPT_PROPERTY)
            add_property(text);
        else
            note_source((enum source)(option - OPT_SOURCE), text);
    }
    for (size_t i = 0; i < ngroups; i++)
        check_group(&groups[i]);
    read_command(ctx);
    cli_document_check(command == MAKE    ? ANSWER_SETS
                       : command == SERVE ? ANSWER_SPOKEN
                                          : ANSWER_DATA);
}

static void free_options(void)
{
    for (size_t i = 0; i < ngroups; i++)
        for (int k = 0; k < SOURCES; k++)
            free(groups[i].text[k]);
    for (size_t i = 0; i < nproperties; i++)
        free((char *)properties[i]);
    free(properties);
    free(groups);
}

/* --- main --------------------------------------------------------------- */

int main(int argc, const char **argv)
{
    static poptContext ctx; /* still there when a usage error ends us */
    struct diag d = {0};
    int status = STATUS_OK;
    struct rset *rs;

    cli_init(&cli);
    cli_default_form("r");
    /* hwloc tells of odd hardware on standard error; whoever wants it asks */
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    ctx = cli_options(argc, argv, options, 0);
    read_options(ctx);
    if (command == TRANSLATE)
        cli_exit(translate());
    rs = command == SERVE ? serve_resources() : NULL;
    if (rs && source_given())
        cli_usage("--%s: the resources are named by another option",
                  source_given());
    if (!rs && !(rs = discover(&d)))
        cli_die_diag(&d);
    if (rset_add_properties(rs, properties, nproperties, &d) < 0)
        cli_die_in(&d, "--property");
    if (command == SERVE)
        status = serve(rs);
    else
        cli_write(rs, NULL);
    rset_destroy(rs);
    free_options();
    poptFreeContext(ctx);
    cli_exit(status);
}

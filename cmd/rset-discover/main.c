/*
 * rset-discover: make a resource set from a machine, a description of one, a
 * list of hosts, a configuration, or Slurm.
 *
 * groups.c has the options about a source.
 */
#include <stdlib.h>

#include "base/time.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/documents.h"
#include "cli/offers.h"
#include "cli/walk.h"
#include "discover.h"
#include "schedule/filter.h"
#include "source/property.h"
#include "source/slurm.h"

static enum { MAKE, SERVE } command;
static bool discovered; /* discover() has used the options of machines */

static char **properties; /* repeatable */
static char *from_name;
const char *config_file;
static struct cli_time_options times;

static const struct cli_command *nth_command(size_t i)
{
    static const struct cli_command commands[] = {
        {"Commands:",
         "serve",
         "",
         "provide the resources to schedulers on standard input and output "
         "(RFC 28)",
         {"--hosts 'node[0-3]' --cores 0-3",
          "--resources set.json --initially offline",
          "--hosts 'node[0-3]' --define-group big=node3 <journal.log"},
         OF_SOURCES | OF_MACHINES | OF_EXPLAINED | CLI_EDITIONS,
         "resources define-group events initially"},
    };
    return i < 1 ? &commands[i] : NULL;
}

static const struct cli cli = {
    .name = "rset-discover",
    .synopsis = "[COMMAND] [OPTION...] [FILE...]",
    .summary = "Write the resources of this machine, of a description of "
               "one, or of a list of hosts.",
    .examples =
        "  rset-discover -o tree\n"
        "  rset-discover --hosts 'node[0-7]' --cores 0-63 --gpus 0-7 "
        ">set.json\n"
        "  rset-discover --hosts 'n[0-3]' --memory 256GiB --nodes-per-rack 2 "
        "-o jgf\n"
        "  rset-discover --hosts @hostfile --memory 64GiB -o table\n"
        "  rset-discover --config cluster.yaml -o tree\n"
        "  rset-discover --config flux.yaml -o tree\n"
        "  rset-discover --config nodes.yaml -o short\n"
        "  rset-discover --xml node0.xml --xml node1.xml\n"
        "  rset-discover --xml node0.xml --hosts 'node[0-3]' -o short\n"
        "  rset-discover --xml gpus.xml --rank 3 --explain -o tree\n"
        "  rset-discover --synthetic 'pack:2 core:8 pu:2' -o svg "
        ">machine.svg\n"
        "  rset-discover --from slurm nodes.json jobs.json >set.json\n"
        "  rset-discover --from slurm sinfo.json squeue.json --explain -o "
        "tree\n"
        "  rset-discover --from slurm slurm.json | rset-alloc status --map "
        "--by gpu\n"
        "  rset-discover --from slurm slurm.json -o svg >jobs.svg\n"
        "  rset-discover --from pbs pbsnodes.json\n",
    .footer = "Without a source it writes this machine as hwloc sees it, with "
              "the cores that\nthe process is bound to.\n",
    .common = "hosts cores gpus memory nodes-per-rack xml from config",
    .command = nth_command,
    .files_with = "from",
    .offer = offer_for_sets,
};

static const struct cli_option other_sources[] = {
    {"from", '\0', CLI_VARIABLE(from_name), 0,
     "read nodes, and what jobs hold, from files written by Slurm with --json, "
     "or by pbsnodes -a -F json",
     "slurm|pbs"},
    {"config", '\0', CLI_VARIABLE(config_file), 0,
     "read the resources of a configuration, JSON or YAML; - is standard input",
     "FILE"},
    {0}};

/* Times of the set. */
static const struct cli_option times_options[] = {
    {"at", '\0', CLI_VARIABLE(times.at), OF_SETS,
     "set the start time of the set", "TIME"},
    {"duration", '\0', CLI_VARIABLE(times.duration), OF_SETS,
     "set its duration, such as 90, 1h30m or 2-00:00:00", "DURATION"},
    {"expiration", '\0', CLI_VARIABLE(times.expiration), OF_SETS,
     "set its end time", "TIME|never"},
    {"now", '\0', CLI_VARIABLE(times.now), OF_SETS,
     "use this as the current time: seconds, +1h, 2026-11-21T08:00:00", "TIME"},
    {0}};

static const struct cli_option options[] = {
    CLI_INCLUDE(source_options, 0, "Sources:"),
    CLI_INCLUDE(launcher_options, 0, NULL),
    CLI_INCLUDE(other_sources, 0, NULL),
    {"property", '\0', CLI_VARIABLE(properties), 0,
     "give a property to some targets, or to all (repeatable)",
     "NAME[:TARGETS]"},
    CLI_INCLUDE(machine_options, 0, "Options of machines:"),
    CLI_INCLUDE(times_options, 0, "Times:"),
    CLI_INCLUDE(service_options, 0, "Options:"),
    CLI_OUTPUT_OPTIONS,
    CLI_EXPAND_OPTIONS(NULL),
    CLI_COMMON_OPTIONS,
    {0},
};

/* --- options ------------------------------------------------------------ */

static const char *time_option(void)
{
    return times.at ? "--at" : cli_when_of_request(&times);
}

static void check_no_machine(void)
{
    const char *option = cli_first_set(
        machine_options, NULL, OF_MACHINES | (from_name ? 0 : OF_EXPLAINED));

    if (option)
        cli_usage("%s is for machines", option);
}

/* Refuse options that the command would ignore. */
static void check_command(void)
{
    const char *from = from_name ? "--from" : NULL,
               *other = command == SERVE
                            ? time_option()
                            : cli_first_set(service_options, NULL, CLI_NAMED);

    if (other)
        cli_usage("%s is not for %s", other,
                  command == MAKE ? "making a set" : "serve");
    if (from || !groups_have_machine())
        check_no_machine();
    cli_exclude(from, source_option(), NULL);
    if (config_file)
        cli_exclude("--config", from ? from : source_option(), NULL);
}

static void read_options(poptContext ctx)
{
    const char *word, *operand;
    struct diag d = {0};
    int option;

    while ((option = cli_next(ctx, &d)) >= 0)
        groups_note(option, cli_value(ctx));
    if (option < -1)
        cli_die_diag(&d);
    groups_check();

    word = poptPeekArg(ctx);
    if (word && (!from_name || walk_find_command(word)))
        command = cli_command(ctx, NULL) ? SERVE : MAKE;
    operand = poptPeekArg(ctx);
    if (operand && !from_name)
        cli_usage("%s: unexpected argument %s", word, quote_all(operand).text);
    check_command();

    if (command == SERVE && cli_quiet)
        cli_usage("--quiet: a service writes messages");
    if (config_file || from_name || groups_need_graph())
        cli_default_form(NULL);
    cli_document_check(command == MAKE ? ANSWER_SETS : ANSWER_SPOKEN, NULL);
}

/* --- the set -------------------------------------------------------------- */

/* Read Slurm's data. Prints the notes, because a service would not. */
static struct rset *from_slurm(const char *const *files)
{
    struct slurm_options opts = {.now = cli_clock(&(bool){false}),
                                 .explain = groups_explain()};
    struct diag d = {0};
    struct rset *rs;

    opts.pbs = cli_word("--from", from_name, "slurm", "pbs", NULL, NULL);
    for (size_t i = 0; command == SERVE && files[i]; i++)
        if (cli_is_stdin(files[i]))
            cli_usage("serve: --from needs a FILE: standard input has the "
                      "requests");
    if (!(rs = rset_from_slurm(files, &opts, &d)))
        cli_die_diag(&d);
    cli_notes(rs, NULL);
    return rs;
}

static struct rset *discover_here(void)
{
    struct diag d = {0};
    struct rset *rs = groups_discover(&d);

    if (!rs)
        cli_die_diag(&d);
    launcher_place(rs, groups_are_machine());
    return rs;
}

/* Make a set from the sources. If they include a machine, a child reads it and
   writes the whole answer, or, for a service, the set. */
static struct rset *discover(void)
{
    struct diag d = {0};
    const char *text;
    struct rset *rs;
    size_t len;

    discovered = true;
    if (!groups_have_machine())
        return discover_here();
    if ((text = apart_run(&len)) && command == SERVE) {
        if (!(rs = rset_read_text(text, len, "hwloc", TRUST_NONE, &d)))
            cli_die_diag(&d);
        return rs;
    }
    if (text) {
        fwrite(text, 1, len, stdout);
        cli_exit(STATUS_OK);
    }
    rs = discover_here();
    if (command != SERVE)
        return rs;
    if (rset_write_as(rs, &(struct rset_style){.form = FORM_RV1}, stdout, &d)
        < 0)
        cli_die_diag(&d);
    cli_exit(STATUS_OK);
}

struct rset *config_discover(bool all, struct diag *d)
{
    (void)d; /* a fault ends the program */
    no_restrict |= all;
    if (command == MAKE) { /* as without a configuration */
        cli_default_form("r");
        cli_document_check(ANSWER_SETS, NULL);
    }
    return discover();
}

/* Read the configuration. A service keeps the excluded ranks. */
static struct rset *configured(struct config *config)
{
    bool input = cli_is_stdin(config_file);
    struct diag d = {0};
    struct rset *rs, *rest;
    int rc = input && command == SERVE
                 ? serve_config(config, &d)
                 : config_read(input ? "-" : config_file, config_discover,
                               config, &d);

    if (rc < 0)
        cli_die_diag(&d);
    rs = config->rs;
    config->rs = NULL;
    cli_notes(rs, input ? "stdin" : config_file);
    if (command != MAKE || !config->exclude)
        return rs;
    rest = rset_without_ranks(rs, config->exclude);
    rset_destroy(rs);
    return rest;
}

/* --- main --------------------------------------------------------------- */

int main(int argc, const char **argv)
{
    static char line[1 << 20];   /* large enough for most sets */
    static poptContext ctx;      /* reachable when a usage error ends us */
    static struct rset *rs;      /* so is this one */
    static struct config config; /* and this */
    struct cli_times span = {0};
    struct diag d = {0};
    size_t nproperties = 0;
    int status = STATUS_OK;

    cli_init(&cli);
    cli_default_form("r");
    /* hide hwloc's messages about odd hardware; users may set this */
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    ctx = cli_options(argc, argv, options, NULL, 0);
    read_options(ctx);
    cli_clock_is(times.now);
    if (command == MAKE) /* in one write(2): others may share the pipe */
        setvbuf(stdout, line, _IOFBF, sizeof(line));
    rs = command == SERVE ? serve_resources() : NULL;
    if (config_file)
        rs = configured(&config);
    if (rs && (source_option() || from_name))
        cli_usage("%s: the resources are named by another option",
                  from_name ? "--from" : source_option());
    if (rs && !discovered)
        check_no_machine();
    if (from_name)
        rs = from_slurm(cli_operands(ctx));
    if (!rs)
        rs = discover();
    else if (!discovered)
        launcher_place(rs, false);
    while (properties && properties[nproperties])
        nproperties++;
    if (rset_add_properties(rs, (const char *const *)properties, nproperties,
                            &d)
        < 0)
        cli_die_in(&d, "--property");
    if (groups_name(rs, &d) < 0)
        cli_die_in(&d, "--name");
    if (time_option()) {
        cli_span(&times, cli_clock(&(bool){false}), &span, NULL);
        rset_set_times(rs, time_round(span.start), time_round(span.end));
    }
    if (command == SERVE)
        status = serve(rs, config.exclude);
    else
        cli_write(rs, NULL);
    config_fini(&config);
    rset_destroy(rs);
    groups_free();
    poptFreeContext(ctx);
    cli_exit(status);
}

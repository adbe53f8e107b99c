/*
 * rset-discover: make a resource set of a machine, of a description of one,
 * or of a plain list of hosts.
 *
 * What the options say of a source is in groups.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "cli/offers.h"
#include "cli/walk.h"
#include "discover.h"
#include "source/property.h"

enum { OPT_PROPERTY = 1 };

static enum { MAKE, SERVE, TRANSLATE } command;

/* --property, as often as it was given. */
static const char **properties;
static size_t nproperties;

static const struct cli_command *nth_command(size_t i)
{
    static const struct cli_command commands[] = {
        {"serve",
         "",
         "answer requests and events, a line each (RFC 28)",
         {"--hosts 'node[0-3]' --cores 0-3",
          "--resources set.json --initially offline"},
         ~(unsigned)(OF_SETS | OF_TRANSLATE | CLI_SETS)},
        {"translate",
         "",
         "write lines of RFC 28 in its other edition",
         {"--to current <lines.txt", "--to seed <lines.txt"},
         OF_TRANSLATE},
    };
    return i < 2 ? &commands[i] : NULL;
}

static void offer(struct complete *c, const char *placeholder)
{
    offer_of_sets(c, placeholder, ANSWER_SETS);
}

static const struct cli cli = {
    .name = "rset-discover",
    .synopsis = "[COMMAND] [OPTION...] [FILE...]",
    .summary = "Write the resources of this machine, of a description of "
               "one, or of a list of hosts.",
    .footer = "Without a source it is this machine, as hwloc sees it: of its "
              "cores those that\nthe process is bound to.\n",
    .command = nth_command,
    .files_with = "from",
    .offer = offer,
};

static struct poptOption options[] = {
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, source_options, 0, "Sources:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, launcher_options, 0, NULL, NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, from_options, 0, NULL, NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, config_options, 0, NULL, NULL},
    {"property", '\0', POPT_ARG_STRING, NULL, OPT_PROPERTY,
     "give a property to some targets, or to all (repeatable)",
     "NAME[:TARGETS]"},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, machine_options, 0,
     "Options of machines:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, times_options, 0, "Times:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, service_options, 0,
     "Options of commands:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, translate_options, 0, NULL, NULL},
    CLI_OUTPUT_OPTIONS,
    CLI_EXPAND_OPTION,
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

/* --- options ------------------------------------------------------------ */

static void add_property(const char *text)
{
    VECTOR_GROW(properties, nproperties);
    properties[nproperties++] = text;
}

/* No option is read and passed over. */
static void check_command(void)
{
    const char *other = NULL;

    if (command != SERVE)
        other = service_option_given();
    if (!other && command != TRANSLATE)
        other = translate_option_given();
    if (!other && command != MAKE)
        other = times_option_given();
    if (other)
        cli_usage("%s is not for %s", other,
                  command == MAKE    ? "making a set"
                  : command == SERVE ? "serve"
                                     : "translate");
    if (machine_option_given()
        && (command == TRANSLATE || from_given() || !groups_have_machine()))
        cli_usage("%s is for machines", machine_option_given());
    if (from_given() && source_given())
        cli_usage("--from and --%s exclude each other", source_given());
    if (config_file && (source_given() || from_given()))
        cli_usage("--config and --%s exclude each other",
                  from_given() ? "from" : source_given());
    if (command == TRANSLATE
        && (source_given() || from_given() || config_file || launcher_given()
            || nproperties > 0))
        cli_usage("translate takes no resources");
}

static void read_command(poptContext ctx)
{
    const char *word = poptPeekArg(ctx), *operand;

    if (word && (!from_given() || walk_find_command(word)))
        command = cli_command(ctx) == nth_command(0) ? SERVE : TRANSLATE;
    operand = poptPeekArg(ctx);
    if (operand && (command == TRANSLATE || !from_given()))
        cli_usage("%s: nothing is expected after %s",
                  quote(operand, strlen(operand)).text, word);
    check_command();
}

static void read_options(poptContext ctx)
{
    int option;

    while ((option = cli_next(ctx)) >= 0) {
        char *text = poptGetOptArg(ctx);
        if (option == OPT_PROPERTY)
            add_property(text);
        else
            groups_note(option, text);
    }
    groups_check();
    read_command(ctx);
    if (command == SERVE && cli_quiet)
        cli_usage("--quiet: a service writes messages");
    if (config_file || groups_need_graph())
        cli_default_form(NULL);
    cli_document_check(command == MAKE    ? ANSWER_SETS
                       : command == SERVE ? ANSWER_SPOKEN
                                          : ANSWER_DATA);
}

static void free_options(void)
{
    groups_free();
    for (size_t i = 0; i < nproperties; i++)
        free((char *)properties[i]);
    free(properties);
}

/* --- the set -------------------------------------------------------------- */

/*
 * By one write(2), as long as what is written is not larger than this: many
 * processes may write into one pipe.
 */
static void write_at_once(void)
{
    static char line[1 << 20];

    setvbuf(stdout, line, _IOFBF, sizeof(line));
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

/* What the child made that looked at a machine to be served. */
static struct rset *read_document(const char *text, size_t len)
{
    struct stream *s = stream_open_text(text, len, "hwloc");
    struct diag d = {0};
    struct rset *rs;

    if (rset_read(s, TRUST_NONE, &rs, &d) != 1)
        cli_die_diag(&d);
    stream_close(s);
    return rs;
}

static void write_document(struct rset *rs)
{
    struct diag d = {0};

    if (rset_write_as(rs, &(struct rset_style){.form = FORM_RV1}, stdout, &d)
        < 0)
        cli_die_diag(&d);
    cli_exit(STATUS_OK);
}

/* A machine is looked at by a child, which writes the whole answer, or what is
   to be served. */
static struct rset *discover(void)
{
    const char *text;
    struct rset *rs;
    size_t len;

    if (!groups_have_machine())
        return discover_here();
    if ((text = apart_run(&len)) && command == SERVE)
        return read_document(text, len);
    if (text) {
        fwrite(text, 1, len, stdout);
        cli_exit(STATUS_OK);
    }
    rs = discover_here();
    if (command == SERVE)
        write_document(rs);
    return rs;
}

/* --- main --------------------------------------------------------------- */

int main(int argc, const char **argv)
{
    static poptContext ctx; /* still there when a usage error ends us */
    static struct rset *rs; /* so is this */
    struct diag d = {0};
    int status = STATUS_OK;

    cli_init(&cli);
    cli_default_form("r");
    /* hwloc tells of odd hardware on standard error; whoever wants it asks */
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    ctx = cli_options(argc, argv, options, 0);
    read_options(ctx);
    if (command == TRANSLATE)
        cli_exit(translate());
    rs = command == SERVE ? serve_resources()
         : config_file    ? configured()
                          : NULL;
    if (rs && (source_given() || from_given()))
        cli_usage("--%s: the resources are named by another option",
                  from_given() ? "from" : source_given());
    if ((rs || from_given()) && machine_option_given())
        cli_usage("%s is for machines", machine_option_given());
    if (!rs && from_given()
        && !(rs = from_discover(cli_operands(ctx), command == SERVE, &d)))
        cli_die_diag(&d);
    if (command == MAKE)
        write_at_once();
    if (rs)
        launcher_place(rs, false);
    else
        rs = discover();
    if (rset_add_properties(rs, properties, nproperties, &d) < 0)
        cli_die_in(&d, "--property");
    if (groups_name(rs, &d) < 0)
        cli_die_in(&d, "--name");
    times_set(rs);
    if (command == SERVE)
        status = serve(rs);
    else
        cli_write(rs, NULL);
    rset_destroy(rs);
    free_options();
    poptFreeContext(ctx);
    cli_exit(status);
}

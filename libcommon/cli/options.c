/*
 * Options of all programs through popt (cli.h), which gets abbreviated ones in
 * full.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/near.h"
#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "cli/progress.h"
#include "cli/walk.h"

static const struct poptOption *all_options; /* of the program */
static volatile poptContext context; /* the first, reachable to the end */
static const struct cli_command *first_command;

enum { OPT_HELP = CLI_ALWAYS, OPT_VERSION };

struct poptOption cli_common_options[] = {
    {"quiet", 'q', POPT_ARG_NONE, &cli_quiet, 0,
     "answer by the exit status alone: write nothing but trouble", NULL},
    {"no-progress", '\0', POPT_ARG_NONE, &progress_off, 0,
     "tell a terminal nothing of how far the work is", NULL},
    {"help", 'h', POPT_ARG_NONE, NULL, OPT_HELP,
     "show this help and exit; of a command if there is one", NULL},
    {"version", 'V', POPT_ARG_NONE, NULL, OPT_VERSION,
     "show the version and exit", NULL},
    POPT_TABLEEND};

/* In full, if it is just one option; else as it is, for popt to complain of. */
static const char *in_full(const struct walk *w, const char *word)
{
    size_t len = strcspn(word, "=");
    char *text;

    if (w->names.n > 1)
        cli_usage("%.*s: it may be %s", (int)len, word, w->names.text);
    if (!w->names.only || strlen(w->names.text) == len)
        return word;
    xasprintf(&text, "%s%s", w->names.text, word + len);
    return cli_own(text, free);
}

/* The words with no option abbreviated. */
static const char **expand(int argc, const char **argv, int first,
                           const struct cli_command *command,
                           const struct poptOption *table)
{
    struct walk w = {.table = table, .command = command};
    const char **words = cli_own(xcalloc((size_t)argc + 1, sizeof(*words)),
                                 free);

    for (int i = 0; i < argc; i++)
        words[i] = i >= first && walk_word(&w, argv[i]) == WORD_LONG
                       ? in_full(&w, argv[i])
                       : argv[i];
    return words;
}

/* --- popt without memory ----------------------------------------------------
 */

/* The words that the last context reads, and how. */
static struct {
    const char **words;
    int first, n;
    const struct poptOption *table;
    unsigned flags;
} reading;

static bool in_popt; /* it calls exit(EXIT_FAILURE) if it has no memory */

static void end_popt(void)
{
    if (in_popt)
        memory_exhausted();
}

/*
 * Has popt kept what it was given? It drops a value and all operands without a
 * word if it has no memory for them.
 */
static void check_kept(poptContext ctx)
{
    struct walk w = {.table = reading.table};

    for (int i = reading.first; i < reading.n; i++) {
        enum walk_kind kind = walk_word(&w, reading.words[i]);
        const struct poptOption *o = w.option;
        if ((kind == WORD_LONG || kind == WORD_SHORT) && o && o->arg
            && (o->argInfo & POPT_ARG_MASK) == POPT_ARG_STRING
            && !*(char **)o->arg)
            memory_exhausted();
    }
    if (w.noperands > 0 && !(reading.flags & POPT_CONTEXT_ARG_OPTS)
        && !poptPeekArg(ctx))
        memory_exhausted();
}

/* The option of this `val`; NULL: there is none. */
static const struct poptOption *find_option(const struct poptOption *table,
                                            int val)
{
    const struct poptOption *found = NULL;

    for (const struct poptOption *o = table; !found && !walk_is_end(o); o++)
        if (walk_is_table(o))
            found = find_option(o->arg, val);
        else if (o->val == val)
            found = o;
    return found;
}

char *cli_value(poptContext ctx, int val)
{
    const struct poptOption *o = val ? find_option(reading.table, val) : NULL;
    char *text = poptGetOptArg(ctx);

    if (!text && (!o || walk_takes_value(o)))
        memory_exhausted();
    return text;
}

/* --- reading them -----------------------------------------------------------
 */

poptContext cli_options(int argc, const char **argv,
                        const struct poptOption *options, unsigned flags)
{
    int first = flags & POPT_CONTEXT_KEEP_FIRST ? 0 : argc > 0;
    const struct cli_command *command = walk_command(options, argv + first,
                                                     (size_t)(argc - first));
    poptContext made;

    if (!context) {
        complete_if_asked(argc, argv, options);
        atexit(end_popt);
    }
    argv = expand(argc, argv, first, command, options);
    reading.words = argv;
    reading.first = first;
    reading.n = argc;
    reading.table = options;
    reading.flags = flags;
    in_popt = true;
    made = poptGetContext(cli_program()->name, argc, argv, options, flags);
    in_popt = false;
    if (!made)
        memory_exhausted();
    if (context)
        return made;
    context = made;
    all_options = options;
    first_command = command;
    return made;
}

static void help(const struct cli_command *command)
{
    if (command)
        help_command(cli_program(), command, all_options);
    else
        help_program(cli_program(), all_options);
    cli_exit(STATUS_OK);
}

static void near_options(struct near *near, const struct poptOption *table)
{
    char name[40];

    for (const struct poptOption *o = table; !walk_is_end(o); o++) {
        if (walk_is_table(o))
            near_options(near, o->arg);
        else if (o->longName) {
            snprintf(name, sizeof(name), "--%s", o->longName);
            near_try(near, name);
        }
    }
}

static void bad_option(poptContext ctx, int rc)
{
    const char *option = poptBadOption(ctx, POPT_BADOPTION_NOALIAS);
    struct near near = {.word = option, .len = strcspn(option, "=")};
    struct walk w = {.table = all_options};

    if (rc == POPT_ERROR_NULLARG || rc == POPT_ERROR_MALLOC)
        memory_exhausted();
    walk_word(&w, option);
    if (rc == POPT_ERROR_BADOPT && ctx != context && w.option)
        cli_usage("%.*s: not in a batch", (int)near.len, option);
    if (rc == POPT_ERROR_BADOPT && near.len > 3)
        near_options(&near, reading.table);
    cli_usage("%s: %s%s", option, poptStrerror(rc), near.text);
}

/* What is written goes nowhere, whoever writes it. */
static void silence(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
        cli_die("--quiet: /dev/null: %s", strerror(errno));
    close(fd);
}

int cli_next(poptContext ctx)
{
    int rc;

    in_popt = true;
    do
        rc = poptGetNextOpt(ctx);
    while (rc >= CLI_SHARED && !(rc & CLI_ALWAYS));
    in_popt = false;
    if (rc == -1)
        check_kept(ctx);
    if (rc == OPT_HELP)
        help(first_command);
    if (rc == OPT_VERSION) {
        printf("%s %s\n", cli_program()->name, RSET_VERSION);
        cli_exit(STATUS_OK);
    }
    if (rc < -1)
        bad_option(ctx, rc);
    if (rc < 0 && ctx == context && cli_quiet)
        silence();
    return rc;
}

/* --- commands ------------------------------------------------------------- */

/* Of the command line, or of a batch, which has a command of its own. */
static const struct cli_command *find_command(const char *name, bool batch)
{
    const struct cli_command *command = walk_find_command(name);
    struct near near = {.word = name, .len = strlen(name)};

    if (command)
        return command;
    for (size_t i = 0; (command = cli_program()->command(i)); i++)
        near_try(&near, command->name);
    near_try(&near, batch ? "now" : "help");
    cli_usage("%s: there is no such command%s", quote(name, near.len).text,
              cli_program()->files_with ? near_or_all(&near) : near.text);
}

const struct cli_command *cli_command(poptContext ctx)
{
    const char *name = poptPeekArg(ctx), *topic;
    const struct cli_command *command;

    if (!name)
        return NULL;
    if (ctx == context && !strcmp(name, "help")) {
        poptGetArg(ctx);
        topic = poptGetArg(ctx);
        help(topic && strcmp(topic, name) != 0 ? find_command(topic, false)
                                               : NULL);
    }
    command = find_command(name, ctx != context);
    poptGetArg(ctx);
    return command;
}

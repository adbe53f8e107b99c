/* Reads the options of all programs through popt (cli.h). */
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

static const struct cli_option *all_options; /* all options of the program */
static volatile poptContext context; /* the first one, reachable to the end for
                                        leak checkers */
static const struct cli_command *first_command;

enum { OPT_HELP = 1 << 20, OPT_VERSION }; /* above the numbers of programs */

const struct cli_option cli_common_options[] = {
    {"quiet", 'q', CLI_VARIABLE(cli_quiet), 0,
     "print nothing but errors: the answer is the exit status"},
    {"no-progress", '\0', CLI_VARIABLE(progress_off), 0,
     "don't show the progress line that a terminal gets after two seconds"},
    {"help", 'h', CLI_RETURNS(OPT_HELP), 0,
     "show this help, or that of a command, and exit; -h: a short one"},
    {"version", 'V', CLI_RETURNS(OPT_VERSION), 0, "show the version and exit"},
    {0}};

/* --- the table for popt --------------------------------------------------- */

/* An option and the place of its value. NULL: cli_next() returns it. */
struct option {
    const struct cli_option *option;
    void *place;
    size_t nth; /* its position among the options read; 0: not read */
};

/* The words that the last context reads, and its table and struct. */
static struct {
    const char **words;
    int first, n;
    const struct cli_option *table;
    const struct cli_command *command; /* the command that they name; or NULL */
    void *into;
    unsigned flags;
    struct option
        *options; /* all options; popt's `val` is a position here, from 1 */
    struct poptOption *plain;
    size_t noptions, nread;
    const struct option *last; /* the last one that was read */
} reading;

/* Return the place of an option's value, or of the struct of an inner table.
   NULL: it has none. `from`: the struct of the table. */
static void *place_of(const struct cli_option *o, const void *from)
{
    return o->variable || o->returned || !from ? o->variable
                                               : (char *)from + o->member;
}

/* Add the options of a table for popt, without places for values. */
static void add_options(const struct cli_option *table, const void *into)
{
    for (const struct cli_option *o = table; !walk_is_end(o); o++) {
        void *place = place_of(o, into);

        if (o->table) {
            add_options(o->table, place);
            continue;
        }
        VECTOR_GROW(reading.options, reading.noptions);
        reading.plain = xreallocarray(reading.plain, reading.noptions + 2,
                                      sizeof(*reading.plain));
        reading.options[reading.noptions] = (struct option){o, place, 0};
        reading.plain[reading.noptions] = (struct poptOption){
            .longName = o->name,
            .shortName = o->letter,
            .argInfo = o->form == CLI_FLAG ? POPT_ARG_NONE : POPT_ARG_STRING,
            .val = (int)reading.noptions + 1};
        reading.plain[++reading.noptions] = (struct poptOption)POPT_TABLEEND;
    }
}

static bool in_popt; /* popt calls exit(EXIT_FAILURE) if memory is exhausted */

static void end_popt(void)
{
    if (in_popt)
        memory_exhausted();
}

char *cli_value(poptContext ctx)
{
    const struct option *last = reading.last;
    char *text = poptGetOptArg(ctx);

    if (!text && (!last || last->option->form != CLI_FLAG))
        memory_exhausted();
    return text;
}

const struct cli_option *cli_last_option(void)
{
    return reading.last ? reading.last->option : NULL;
}

/* Set a flag, replace a text, or append to a list. */
static void store_value(poptContext ctx, const struct option *o)
{
    char ***list = o->place, **text = o->place;
    size_t n = 0;

    if (o->option->form == CLI_FLAG) {
        *(bool *)o->place = true;
    } else if (o->option->form == CLI_TEXT) {
        free(*text);
        *text = cli_value(ctx);
    } else {
        while (*list && (*list)[n])
            n++;
        *list = xreallocarray(*list, n + 2, sizeof(**list));
        (*list)[n] = cli_value(ctx);
        (*list)[n + 1] = NULL;
    }
}

/* --- reading -------------------------------------------------------------- */

poptContext cli_options(int argc, const char **argv,
                        const struct cli_option *options, void *into,
                        unsigned flags)
{
    int first = flags & POPT_CONTEXT_KEEP_FIRST ? 0 : argc > 0;
    const struct cli_command *command = walk_command(options, argv + first,
                                                     (size_t)(argc - first));
    poptContext made;

    if (!context) {
        if (argc > 1 && !strcmp(argv[1], "--complete"))
            complete_answer(argc, argv, options);
        atexit(end_popt);
    }
    reading.words = argv;
    reading.first = first;
    reading.n = argc;
    reading.command = command;
    reading.flags = flags;
    if (options != reading.table || into != reading.into) {
        reading.noptions = 0; /* else reuse those of the last line */
        add_options(options, into);
        reading.table = options;
        reading.into = into;
    }
    in_popt = true;
    made = poptGetContext(cli_program()->name, argc, argv, reading.plain,
                          flags);
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
    bool all = false;

    for (int i = reading.first; i < reading.n && !all; i++)
        all = !strcmp(reading.words[i], "--help")
              || !strcmp(reading.words[i], "help");
    if (command)
        help_command(cli_program(), command, all_options);
    else if (!all)
        help_short(cli_program(), all_options);
    else
        help_program(cli_program(), all_options);
    cli_exit(STATUS_OK);
}

/*
 * Words of other programs, and removed options and commands, with a
 * replacement for each. `has`: an option or command that the program must have
 * for this hint.
 */
static const struct {
    const char *words, *has, *use;
} instead[] = {
    {"free cancel delete remove", "release", "release"},
    {"resume", "undrain", "undrain"},
    {"info", "status", "status or nodes"},
    {"list", "jobs", "jobs"},
    {"show", "nodes", "nodes or status"},
    {"reserve", "allocate", "allocate --at"},
    {"translate", "serve", "serve, which speaks both editions (--dialect)"},
    {"--nodes", "--hosts", "--hosts, such as 'node[0-3]'"},
    {"--mem --memory", "--shape",
     "--shape with memory, such as 'slot=1/[core=2;memory=4]'"},
    {"--ntasks", "--nslots", "-n"},
    {"--cpus-per-task", "--cores-per-slot", "-c"},
    {"--gres", "--gpus-per-slot", "-g"},
    {"--nodelist", "--include", "--include"},
    {"--begin", "--at", "--at"},
    {"--time", "--time-limit", "-t"},
    {"-u --user", "--owner", "--owner"},
    {"-p --partition --property", "--requires", "--requires"},
    {"--units --type", "--give", "--give or --R"},
    {"--job", "--prune", "'rset-alloc allocated JOB'"},
    {"--by", "--key", "--key"},
    {"--expand", "--inventory", "--inventory"},
    {"--if-same", "--grow", "'rset-alloc allocated JOB' to look before"},
};

/* Return "; use WORD" for such a word of `len` bytes, or NULL. */
static const char *use_instead(const char *start, size_t len)
{
    static char text[80];
    char *word = xstrndup(start, len);

    *text = '\0';
    for (size_t i = 0; i < sizeof(instead) / sizeof(instead[0]); i++) {
        const char *has = instead[i].has;

        if (cli_has_word(instead[i].words, word)
            && (*has == '-'
                    ? walk_find_option(all_options, has + 2, strlen(has + 2))
                          != NULL
                    : walk_find_command(has) != NULL))
            snprintf(text, sizeof(text), "; use %s", instead[i].use);
    }
    free(word);
    return *text ? text : NULL;
}

static const char *name_of(const struct cli_option *o)
{
    static char name[40];

    snprintf(name, sizeof(name), "--%s", o->name);
    return name;
}

static int bad_option(poptContext ctx, int rc, struct diag *d)
{
    const char *option = poptBadOption(ctx, POPT_BADOPTION_NOALIAS);
    struct near near = {.word = option, .len = strcspn(option, "=")};
    struct walk w = {.table = all_options};
    const char *use;

    if (rc == POPT_ERROR_NULLARG || rc == POPT_ERROR_MALLOC)
        memory_exhausted();
    walk_word(&w, option);
    if (rc == POPT_ERROR_BADOPT && ctx != context && w.option)
        return cli_fault(d, "%.*s: not in a batch", (int)near.len, option);
    use = rc == POPT_ERROR_BADOPT ? use_instead(option, near.len) : NULL;
    if (rc == POPT_ERROR_BADOPT && !use && near.len > 3)
        for (size_t i = 0; i < reading.noptions; i++)
            if (!reading.command
                || cli_takes(reading.command, reading.options[i].option))
                near_try(&near, name_of(reading.options[i].option));
    return cli_fault(d, "%s: %s%s", option, poptStrerror(rc),
                     use ? use : near.text);
}

int cli_next(poptContext ctx, struct diag *d)
{
    const struct option *o = NULL;
    int rc;

    for (;;) {
        in_popt = true;
        rc = poptGetNextOpt(ctx);
        in_popt = false;
        if (rc > 0)
            reading.options[rc - 1].nth = ++reading.nread;
        reading.last = o = rc > 0 ? &reading.options[rc - 1] : NULL;
        if (!o || !o->place)
            break;
        store_value(ctx, o);
    }
    if (rc == -1 && !(reading.flags & POPT_CONTEXT_ARG_OPTS)
        && !poptPeekArg(ctx)) {
        /* popt silently drops all operands if memory is exhausted */
        struct walk w = {.table = reading.table};
        for (int i = reading.first; i < reading.n; i++)
            walk_word(&w, reading.words[i]);
        if (w.noperands > 0)
            memory_exhausted();
    }
    if (o && o->option->returned == OPT_HELP)
        help(first_command);
    if (o && o->option->returned == OPT_VERSION) {
        printf("%s %s\n", cli_program()->name, RSET_VERSION);
        cli_exit(STATUS_OK);
    }
    if (rc < -1) {
        bad_option(ctx, rc, d);
        return -2;
    }
    if (rc < 0 && ctx == context && cli_quiet) {
        /* no output of anything, child processes included, is shown */
        int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
            cli_die("--quiet: /dev/null: %s", strerror(errno));
        close(fd);
    }
    return o ? o->option->returned : rc;
}

int cli_read_options(poptContext ctx, struct diag *d)
{
    int rc;

    while ((rc = cli_next(ctx, d)) >= 0)
        ;
    return rc + 1;
}

/* --- given options -------------------------------------------------------- */

/* Does the place of an option's value have one? */
static bool is_set(const struct cli_option *o, const void *place)
{
    return place
           && (o->form == CLI_FLAG ? *(const bool *)place
                                   : *(void *const *)place != NULL);
}

const char *cli_first_set(const struct cli_option *table, const void *from,
                          unsigned kinds)
{
    for (const struct cli_option *o = table; !walk_is_end(o); o++)
        if (o->kinds & kinds && is_set(o, place_of(o, from)))
            return name_of(o);
    return NULL;
}

bool cli_has_word(const char *list, const char *word)
{
    for (size_t n; list && *list; list += n + strspn(list + n, " ,")) {
        n = strcspn(list, " ,");
        if (word_is(list, n, word))
            return true;
    }
    return false;
}

bool cli_takes(const struct cli_command *command, const struct cli_option *o)
{
    return !o->kinds || o->kinds & command->takes
           || (o->kinds & CLI_NAMED && cli_has_word(command->named, o->name));
}

const char *cli_first_untaken(const struct cli_option *table, const void *from,
                              const struct cli_command *command)
{
    for (const struct cli_option *o = table; !walk_is_end(o); o++)
        if (!o->table && is_set(o, place_of(o, from)) && !cli_takes(command, o))
            return name_of(o);
    return NULL;
}

void cli_free_options(const struct cli_option *table, void *from)
{
    for (const struct cli_option *o = table; !walk_is_end(o); o++) {
        void *place = place_of(o, from);
        char **text = place, ***list = place;

        if (o->table)
            cli_free_options(o->table, place);
        else if (place && !o->variable && o->form == CLI_TEXT)
            free(*text);
        if (!place || o->variable || o->form != CLI_LIST)
            continue;
        for (size_t i = 0; *list && (*list)[i]; i++)
            free((*list)[i]);
        free(*list);
    }
}

const char *cli_last_set(const char *const *names)
{
    const struct option *last = NULL;

    for (size_t i = 0; i < reading.noptions; i++)
        for (const char *const *name = names; *name; name++)
            if (reading.options[i].nth > (last ? last->nth : 0)
                && !strcmp(*name, reading.options[i].option->name))
                last = &reading.options[i];
    return last ? name_of(last->option) : NULL;
}

/* Was an option of the program given: in the words read last, or before a batch
   if its value is in a variable? */
static bool is_named_set(const char *name)
{
    const struct cli_option *o = walk_find_option(all_options, name,
                                                  strlen(name));
    const void *place = o->variable;

    for (size_t i = 0; i < reading.noptions; i++)
        if (!strcmp(reading.options[i].option->name, name))
            place = reading.options[i].place;
    return is_set(o, place);
}

int cli_check_rules(const struct cli_rule *rules, size_t n, struct diag *d)
{
    for (const struct cli_rule *r = rules; r < rules + n; r++) {
        if (!is_named_set(r->option)
            || is_named_set(r->other) == (r->how == CLI_NEEDS))
            continue;
        return r->how == CLI_NEEDS
                   ? cli_fault(d, "--%s needs --%s", r->option, r->other)
                   : cli_fault(d, "--%s and --%s exclude each other", r->option,
                               r->other);
    }
    return 0;
}

/* --- commands ------------------------------------------------------------- */

/* Find a command of the command line, or of a batch, which also has `now`. */
static const struct cli_command *find_command(const char *name, bool batch,
                                              struct diag *d)
{
    const struct cli_command *command = walk_find_command(name);
    struct near near = {.word = name, .len = strlen(name)};
    const char *use = use_instead(name, near.len);

    if (command)
        return command;
    for (size_t i = 0; (command = cli_program()->command(i)); i++)
        near_try(&near, command->name);
    near_try(&near, batch ? "now" : "help");
    cli_fault(d, "%s: there is no such command%s", quote(name, near.len).text,
              use                                        ? use
              : *near.text || !cli_program()->files_with ? near.text
              : complete_is_file(name)
                  ? "; it is a file: rset-match reads sets, --xml hwloc's "
                    "files, --config configurations"
                  : "; --hosts names hosts");
    return NULL;
}

const struct cli_command *cli_first_command(void)
{
    return first_command;
}

const struct cli_command *cli_command(poptContext ctx, struct diag *d)
{
    const char *name = poptPeekArg(ctx), *topic;
    const struct cli_command *command;

    if (ctx == context && !strcmp(name, "help")) {
        poptGetArg(ctx);
        topic = poptGetArg(ctx);
        help(topic && strcmp(topic, name) != 0
                 ? find_command(topic, false, NULL)
                 : NULL);
    }
    if ((command = find_command(name, ctx != context, d)))
        poptGetArg(ctx);
    return command;
}

/*
 * idset: sets of numbers (RFC 22) and lists of hosts (RFC 29) from the
 * shell. What the command line says is noted down in a job, checked, and then
 * done.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/complete.h"
#include "job.h"
#include "base/digits.h"

#define HOSTS_MAX 10000000 /* unless --limit says otherwise */

/* An option's value says what sort of thing it is, and which one. */
enum {
    OPERAND = 0,
    STEP = 0x100,
    CHOICE = 0x200,
    CHECK = 0x300,
    ANSWER = 0x400,
    PARTS = 0x500,
    SETTING = 0x600,
    WHICH = 0xff
};

enum setting {
    HOSTLIST = SETTING,
    FROM,
    LOOSE,
    MAX,
    LINES,
    MULTI,
    PAD_EACH,
    LIMIT,
    COMPLEMENT,
    SORT,
    UNIQ,
    SEED,
    BRACKETS,
    EXPAND,
    SEPARATOR,
    NUL,
    TO
};

/* A long name with its hyphens before it, for messages. */
#define NAME(name) &("--" name)[2]
#define FLAG(name, letter, val, help)                                \
    {                                                                \
        NAME(name), letter, POPT_ARG_NONE, CLI_TOLD, val, help, NULL \
    }
#define TAKES(name, letter, val, arg, help)                           \
    {                                                                 \
        NAME(name), letter, POPT_ARG_STRING, CLI_TOLD, val, help, arg \
    }

static struct poptOption reading[] = {
    FLAG("hostlist", 'H', HOSTLIST, "sets are lists of hosts (RFC 29)"),
    TAKES("from", '\0', FROM, "FORM", "how sets are written (see below)"),
    FLAG("loose", '\0', LOOSE,
         "take any order, repeats, blanks, leading zeros"),
    TAKES("max", '\0', MAX, "ID", "refuse ids above this"),
    FLAG("lines", 'l', LINES, "answer each line of input by itself"),
    FLAG("multi", '\0', MULTI, "several brackets in a host's name"),
    FLAG("pad-each", '\0', PAD_EACH,
         "zeros pad their own range only, as with Flux"),
    TAKES("limit", '\0', LIMIT, "N", "refuse more hosts than this (10000000)"),
    POPT_TABLEEND};

static struct poptOption algebra[] = {
    TAKES("exclude", 'x', STEP | JOB_EXCLUDE, "SET", "without SET"),
    TAKES("intersection", 'i', STEP | JOB_INTERSECT, "SET",
          "only what SET has, too"),
    TAKES("xor", 'X', STEP | JOB_XOR, "SET", "what either has, but not both"),
    TAKES("complement", '\0', COMPLEMENT, "UNIVERSE",
          "in the end, all of UNIVERSE but this"),
    POPT_TABLEEND};

static struct poptOption choosing[] = {
    FLAG("sort", '\0', SORT, "put hosts in order"),
    FLAG("uniq", '\0', UNIQ, "put hosts in order, each once"),
    TAKES("head", '\0', CHOICE | JOB_HEAD, "N", "the first N"),
    TAKES("tail", '\0', CHOICE | JOB_TAIL, "N", "the last N"),
    TAKES("nth", '\0', CHOICE | JOB_NTH, "POSITIONS",
          "those at POSITIONS, from 0; -1 is the last"),
    TAKES("pick", '\0', CHOICE | JOB_PICK, "N", "N at random"),
    TAKES("seed", '\0', SEED, "S", "the same at random each time"),
    POPT_TABLEEND};

static struct poptOption answering[] = {
    FLAG("fold", 'f', ANSWER | ANSWER_FORM,
         "in the shortest form (the default)"),
    FLAG("brackets", 'b', BRACKETS, "in brackets if it is more than one"),
    FLAG("expand", 'e', EXPAND, "one by one, with blanks between them"),
    TAKES("separator", 'S', SEPARATOR, "TEXT",
          "between them; \\n and \\t are known"),
    FLAG("null", '0', NUL, "end what is printed with NUL"),
    TAKES("to", '\0', TO, "FORM", "in this form (see below)"),
    FLAG("count", 'c', ANSWER | ANSWER_COUNT, "how many"),
    FLAG("first", '\0', ANSWER | ANSWER_FIRST,
         "the first; status 1 if there is none"),
    FLAG("last", '\0', ANSWER | ANSWER_LAST, "the last"),
    TAKES("next", '\0', ANSWER | ANSWER_NEXT, "ID", "the first above ID"),
    TAKES("prev", '\0', ANSWER | ANSWER_PREV, "ID", "the last below ID"),
    TAKES("index", '\0', ANSWER | ANSWER_INDEX, "SET",
          "at which positions SET is"),
    TAKES("split", '\0', PARTS | PARTS_SPLIT, "N", "in N parts, a line each"),
    FLAG("contiguous", '\0', PARTS | PARTS_CONTIGUOUS, "a line for each range"),
    POPT_TABLEEND};

static struct poptOption testing[] = {
    TAKES("equal", '\0', CHECK | JOB_EQUAL, "SET",
          "is it SET (hosts: in order)"),
    TAKES("contains", '\0', CHECK | JOB_CONTAINS, "SET", "is all of SET in it"),
    TAKES("within", '\0', CHECK | JOB_WITHIN, "SET", "is all of it in SET"),
    TAKES("overlaps", '\0', CHECK | JOB_OVERLAPS, "SET",
          "do they have any in common"),
    FLAG("empty", '\0', CHECK | JOB_EMPTY, "is there nothing in it"),
    POPT_TABLEEND};

#define TABLE(options, title) CLI_INCLUDE(options, CLI_APART, title)

static struct poptOption options[] = {
    TABLE(reading, "Reading:"),
    TABLE(algebra, "Algebra, left to right as written:"),
    TABLE(choosing, "Choosing, left to right as written:"),
    TABLE(answering, "Answers:"),
    TABLE(testing, "Tests, answered by the status alone: 0 yes, 1 no:"),
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND};

static void offer(struct complete *c, const char *placeholder)
{
    if (!strcmp(placeholder, "FORM"))
        idset_form_each(complete_word, c);
}

static const struct cli program = {
    .offer = offer,
    .name = "idset",
    .synopsis = "[OPTION...] [SET...]",
    .summary = "Unite sets of numbers, and work with what comes out.",
    .footer =
        "Sets are RFC 22 idsets: 0-3,7. `-' is standard input, which is read\n"
        "if there is no SET, and @FILE a file; both may hold many sets with\n"
        "white space between them.\n"
        "\n"
        "Forms:\n"
        "  idset    0-3,7            list     one a line, or any separator\n"
        "  cpulist  0-3,8-31:2/8     step     0-30/2,40\n"
        "  mask     0x1,0xffffffff   taskset  0x1ffffffff\n"
        "  json     [0,1,2,3,7]      range    2-64:2:*   (RFC 45)\n",
};

static struct idset_job job;

/* "--exclude", of the option that is at hand. */
static const char *name_of(int val)
{
    static const struct poptOption *const tables[] = {
        reading, algebra, choosing, answering, testing};

    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        for (const struct poptOption *o = tables[i]; o->longName; o++)
            if (o->val == val)
                return o->longName - 2;
    return "";
}

/* What is on once its option is given. */
static bool *const switches[] = {[LOOSE & WHICH] = &job.ids.loose,
                                 [LINES & WHICH] = &job.lines,
                                 [MULTI & WHICH] = &job.hosts.multi,
                                 [PAD_EACH & WHICH] = &job.hosts.pad_each,
                                 [SORT & WHICH] = &job.sort,
                                 [UNIQ & WHICH] = &job.unique,
                                 [BRACKETS & WHICH] = &job.brackets,
                                 [NUL & WHICH] = &job.null,
                                 [TO & WHICH] = NULL};

/* --- noting it down ------------------------------------------------------- */

static bool is_input(const char *text)
{
    return strcmp(text, "-") == 0;
}

static void add_step(enum job_op op, const char *source, const char *text)
{
    VECTOR_GROW(job.steps, job.nsteps);
    job.steps[job.nsteps++] = (struct job_step){
        op, {source, text, NULL}, is_input(text)};
}

static void add_operand(const char *text)
{
    char *source;

    xasprintf(&source, "argument %zu", ++job.noperands);
    add_step(JOB_UNION, cli_own(source, free), text);
}

/* The argument of an option as a number up to `max`. */
static uint64_t read_number(const char *option, const char *text, uint64_t max)
{
    const char *end = text + strlen(text);
    uint64_t n;

    if (text == end || get_number(text, end, &n) != end)
        cli_usage("%s: %s is not a number", option,
                  quote(text, (size_t)(end - text)).text);
    if (n > max)
        cli_usage("%s: %s is larger than %" PRIu64, option,
                  quote(text, (size_t)(end - text)).text, max);
    return n;
}

/* Positions, in RFC 22; a hyphen before them counts from the end. */
static void read_positions(struct job_pick *pick, const char *option,
                           const char *text)
{
    struct diag d = {0};

    pick->from_end = *text == '-';
    text += pick->from_end;
    if (pick->from_end && !*text)
        cli_usage("%s: no position behind the hyphen", option);
    if (idset_decode(text, strlen(text), &pick->positions, &d) < 0)
        cli_die_in(&d, option);
}

static void add_pick(enum job_choice choice, const char *option,
                     const char *text)
{
    struct job_pick *pick;

    VECTOR_GROW(job.picks, job.npicks);
    pick = &job.picks[job.npicks++];
    *pick = (struct job_pick){.choice = choice};
    if (choice == JOB_NTH)
        read_positions(pick, option, text);
    else
        pick->n = read_number(option, text, UINT64_MAX - 1);
}

static void add_check(enum job_test test, const char *option, const char *text)
{
    VECTOR_GROW(job.checks, job.nchecks);
    job.checks[job.nchecks++] = (struct job_check){test, {option, text, NULL}};
}

/* Note who asks; no other may have asked before. */
static void claim(const char **by, const char *option)
{
    if (*by && strcmp(*by, option) == 0)
        cli_usage("%s is given twice", option);
    cli_exclude(*by, option);
    *by = option;
}

static void set_answer(enum job_answer answer, const char *option,
                       const char *text)
{
    claim(&job.answer_option, option);
    job.answer = answer;
    if (answer == ANSWER_INDEX)
        job.of = (struct job_set){option, text, NULL};
    if (answer != ANSWER_NEXT && answer != ANSWER_PREV)
        return;
    job.ids_option = option;
    job.id = (uint32_t)read_number(option, text, IDSET_MAX);
}

static void set_parts(enum job_parts parts, const char *option,
                      const char *text)
{
    claim(&job.parts_option, option);
    job.parts = parts;
    if (parts != PARTS_SPLIT)
        return;
    job.nparts = read_number(option, text, UINT64_MAX - 1);
    if (job.nparts == 0)
        cli_usage("%s: there must be at least one part", option);
}

static const struct idset_form *find_form(const char *option, const char *name)
{
    const struct idset_form *form = idset_form(name);
    struct near near = {.word = name, .len = strlen(name)};

    if (!form) {
        idset_form_each(near_try, &near);
        cli_usage("%s: there is no form %s%s", option,
                  quote(name, near.len).text, near_or_all(&near));
    }
    return form;
}

static void set_to(const char *option, const char *name)
{
    claim(&job.answer_option, option);
    job.form = find_form(option, name);
    job.list = strcmp(name, "list") == 0;
    job.folded = strcmp(name, "idset") == 0;
    job.between = "\n";
}

/* A separator, with the escapes \n, \t and \\ in it. */
static char *unescape(const char *text)
{
    static const char escapes[] = "nt\\", meaning[] = "\n\t\\";
    char *out = xmalloc(strlen(text) + 1), *p = out;

    for (; *text; text++) {
        const char *found = NULL;

        if (*text == '\\' && text[1])
            found = strchr(escapes, text[1]);
        if (found)
            text++;
        *p++ = found ? meaning[found - escapes] : *text;
    }
    *p = '\0';
    return cli_own(out, free);
}

static void set(enum setting setting, const char *name, const char *arg)
{
    if (switches[setting & WHICH])
        *switches[setting & WHICH] = true;
    switch (setting) {
    case LOOSE:
        job.ids_option = name;
        break;
    case MULTI:
    case PAD_EACH:
    case SORT:
    case UNIQ:
        job.hosts_option = name;
        break;
    case HOSTLIST:
        job.kind = &kind_hosts;
        break;
    case FROM:
        job.from_option = name;
        job.ids.form = find_form(name, arg);
        job.hosts.step = !strcmp(arg, "step");
        break;
    case MAX:
        job.ids_option = name;
        job.ids.max = (uint32_t)read_number(name, arg, IDSET_MAX);
        break;
    case LIMIT:
        job.hosts_option = name;
        job.hosts.max = read_number(name, arg, UINT32_MAX);
        break;
    case COMPLEMENT:
        job.universe = (struct job_set){name, arg, NULL};
        break;
    case SEED:
        job.seed_option = name;
        job.seed = read_number(name, arg, UINT64_MAX);
        break;
    case EXPAND:
        claim(&job.answer_option, name);
        job.list = true;
        job.folded = false;
        job.between = " ";
        break;
    case SEPARATOR:
        job.separator = unescape(arg);
        break;
    case TO:
        set_to(name, arg);
        break;
    default:
        break;
    }
}

static void note(int val, const char *arg)
{
    const char *name = name_of(val);
    unsigned which = (unsigned)val & WHICH;

    switch (val & ~WHICH) {
    case OPERAND:
        add_operand(arg);
        break;
    case STEP:
        add_step(which, name, arg);
        break;
    case CHOICE:
        add_pick(which, name, arg);
        break;
    case CHECK:
        add_check(which, name, arg);
        break;
    case ANSWER:
        set_answer(which, name, arg);
        break;
    case PARTS:
        set_parts(which, name, arg);
        break;
    case SETTING:
        set((enum setting)val, name, arg);
        break;
    }
}

/* --- checks --------------------------------------------------------------- */

/* Options that would be passed over without a word are refused. */
static void check_answer(void)
{
    const char *asked = job.answer_option ? job.answer_option
                                          : job.parts_option;

    if (job.parts_option && job.answer >= ANSWER_FIRST)
        cli_exclude(job.parts_option, job.answer_option);
    if (job.nchecks && asked && !job.lines)
        cli_usage("%s answers by the status alone; no %s with it",
                  job.checks[0].set.source, asked);
    if (job.separator && !job.list)
        cli_usage("--separator goes with --expand or --to list");
    if (job.separator && job.null)
        cli_exclude("--separator", "--null");
    if (job.brackets && (!job.folded || job.answer != ANSWER_FORM))
        cli_usage("--brackets goes with folded sets");
}

static void check_kind(void)
{
    bool hosts = job.kind == &kind_hosts;

    if (hosts && job.ids_option)
        cli_usage("%s does not go with --hostlist", job.ids_option);
    if (hosts && job.from_option && !job.hosts.step
        && job.ids.form != idset_form("idset"))
        cli_usage("--from: hosts are read as idset or step");
    if (!hosts && job.hosts_option)
        cli_usage("%s goes with --hostlist", job.hosts_option);
    if (hosts && !job.folded && !job.list && job.form != idset_form("json"))
        cli_usage("--to: hosts are written as idset, list or json");
    if (hosts && job.brackets)
        cli_usage("--brackets does not go with --hostlist");
}

static void check_seed(void)
{
    bool random = false;

    for (size_t i = 0; i < job.npicks; i++)
        random |= job.picks[i].choice == JOB_PICK;
    if (job.seed_option && !random)
        cli_usage("--seed goes with --pick");
    if (!job.seed_option && random
        && getrandom(&job.seed, sizeof(job.seed), 0) < 0)
        cli_die("no random numbers: %s", strerror(errno));
}

/* Standard input comes first if it was not named. */
static void add_input(void)
{
    bool named = false;

    for (size_t i = 0; i < job.nsteps; i++)
        named |= job.steps[i].is_input;
    if (job.lines ? named : job.noperands > 0)
        return;
    VECTOR_GROW(job.steps, job.nsteps);
    memmove(job.steps + 1, job.steps, job.nsteps++ * sizeof(*job.steps));
    job.steps[0] = (struct job_step){JOB_UNION, {"stdin", "-", NULL}, true};
}

/* Check what goes together, and fill in what was not said. */
static void finish(void)
{
    check_answer();
    check_kind();
    check_seed();
    add_input();
    if (job.steps[0].op == JOB_EXCLUDE || job.steps[0].op == JOB_INTERSECT)
        cli_warn("%s %s: there is nothing before it to take from",
                 job.steps[0].set.source, job.steps[0].set.text);
    if (job.separator)
        job.between = job.separator;
    job.between_len = job.null ? 1 : strlen(job.between);
    if (job.null)
        job.between = ""; /* its NUL */
}

int main(int argc, const char **argv)
{
    poptContext ctx;
    int opt, status;

    cli_init(&program);
    job = (struct idset_job){.kind = &kind_ids,
                             .ids = IDSET_READER,
                             .hosts = HOSTLIST_READER,
                             .folded = true,
                             .between = " "};
    job.hosts.max = HOSTS_MAX;
    ctx = cli_options(argc, argv, options, NULL, POPT_CONTEXT_ARG_OPTS);
    while ((opt = cli_next(ctx)) >= 0)
        note(opt, cli_own(cli_value(ctx), free));
    poptFreeContext(ctx);
    finish();
    status = job_run(&job);
    cli_free_owned();
    cli_exit(status);
}

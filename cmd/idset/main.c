/* idset: sets of numbers (RFC 22) and lists of hosts (RFC 29) in the shell. The
   command line is noted in a job, checked, and then done. */
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

#define HOSTS_MAX 10000000 /* default of --limit */

/* Numbers of the options whose order on the command line matters (CLI_RETURNS):
   a sort, and one of that sort. Other options are read into the job. */
enum {
    OPERAND = 0,
    STEP = 0x100,
    CHOICE = 0x200,
    CHECK = 0x300,
    ANSWER = 0x400,
    PARTS = 0x500,
    WHICH = 0xff
};

/* A long name, preceded in memory by its hyphens, for messages. */
#define NAME(name) &("--" name)[2]
#define AT(member) CLI_AT(struct idset_job, member)

static const struct cli_option reading[] = {
    {NAME("hostlist"), 'H', AT(hostlist), 0,
     "read lists of hosts (RFC 29) instead of ids"},
    {NAME("from"), '\0', AT(from), 0, "read sets in this form (see below)",
     "FORM"},
    {NAME("loose"), '\0', AT(ids.loose), 0,
     "accept any order, repeats, blanks and leading zeros"},
    {NAME("max"), '\0', AT(max), 0, "refuse ids above this", "ID"},
    {NAME("lines"), 'l', AT(lines), 0, "answer each line of input by itself"},
    {NAME("multi"), '\0', AT(hosts.multi), 0,
     "allow several brackets in a host name"},
    {NAME("pad-each"), '\0', AT(hosts.pad_each), 0,
     "let zeros pad only their own range, like Flux"},
    {NAME("limit"), '\0', AT(limit), 0,
     "refuse more than N hosts (default: 10000000)", "N"},
    {0}};

static const struct cli_option algebra[] = {
    {NAME("exclude"), 'x', CLI_RETURNS_TEXT(STEP | JOB_EXCLUDE), 0,
     "remove SET", "SET"},
    {NAME("intersection"), 'i', CLI_RETURNS_TEXT(STEP | JOB_INTERSECT), 0,
     "keep only what SET has as well", "SET"},
    {NAME("xor"), 'X', CLI_RETURNS_TEXT(STEP | JOB_XOR), 0,
     "keep what one of the two has, and not both", "SET"},
    {NAME("complement"), '\0', AT(universe.text), 0,
     "at the end, print all of UNIVERSE except this", "UNIVERSE"},
    {0}};

static const struct cli_option choosing[] = {
    {NAME("sort"), '\0', AT(sort), 0, "sort the hosts"},
    {NAME("uniq"), '\0', AT(unique), 0, "sort the hosts, each once"},
    {NAME("head"), '\0', CLI_RETURNS_TEXT(CHOICE | JOB_HEAD), 0,
     "keep the first N", "N"},
    {NAME("tail"), '\0', CLI_RETURNS_TEXT(CHOICE | JOB_TAIL), 0,
     "keep the last N", "N"},
    {NAME("nth"), '\0', CLI_RETURNS_TEXT(CHOICE | JOB_NTH), 0,
     "keep those at POSITIONS, counted from 0; -1 is the last", "POSITIONS"},
    {NAME("pick"), '\0', CLI_RETURNS_TEXT(CHOICE | JOB_PICK), 0,
     "keep N, chosen at random", "N"},
    {NAME("seed"), '\0', AT(seed_text), 0,
     "choose at random with this seed: the same each time", "S"},
    {0}};

static const struct cli_option answering[] = {
    {NAME("fold"), 'f', CLI_RETURNS(ANSWER | ANSWER_FORM), 0,
     "print in the shortest form (the default)"},
    {NAME("brackets"), 'b', AT(brackets), 0,
     "print brackets around more than one id"},
    {NAME("expand"), 'e', CLI_RETURNS(ANSWER | ANSWER_EXPANDED), 0,
     "print one by one, separated by blanks"},
    {NAME("separator"), 'S', AT(separator), 0,
     "print TEXT between them, which may have \\n and \\t", "TEXT"},
    {NAME("null"), '0', AT(null), 0, "end the output with NUL"},
    {NAME("to"), '\0', CLI_RETURNS_TEXT(ANSWER | ANSWER_TO), 0,
     "print in this form (see below)", "FORM"},
    {NAME("count"), 'c', CLI_RETURNS(ANSWER | ANSWER_COUNT), 0,
     "print the number of ids"},
    {NAME("first"), '\0', CLI_RETURNS(ANSWER | ANSWER_FIRST), 0,
     "print the first; status 1 if there is none"},
    {NAME("last"), '\0', CLI_RETURNS(ANSWER | ANSWER_LAST), 0,
     "print the last"},
    {NAME("next"), '\0', CLI_RETURNS_TEXT(ANSWER | ANSWER_NEXT), 0,
     "print the first above ID", "ID"},
    {NAME("prev"), '\0', CLI_RETURNS_TEXT(ANSWER | ANSWER_PREV), 0,
     "print the last below ID", "ID"},
    {NAME("index"), '\0', CLI_RETURNS_TEXT(ANSWER | ANSWER_INDEX), 0,
     "print the positions of SET", "SET"},
    {NAME("split"), '\0', CLI_RETURNS_TEXT(PARTS | PARTS_SPLIT), 0,
     "print N parts, one on each line", "N"},
    {NAME("contiguous"), '\0', CLI_RETURNS(PARTS | PARTS_CONTIGUOUS), 0,
     "print each range on a line of its own"},
    {0}};

static const struct cli_option testing[] = {
    {NAME("equal"), '\0', CLI_RETURNS_TEXT(CHECK | JOB_EQUAL), 0,
     "test if it equals SET (hosts: in order)", "SET"},
    {NAME("contains"), '\0', CLI_RETURNS_TEXT(CHECK | JOB_CONTAINS), 0,
     "test if all of SET is in it", "SET"},
    {NAME("within"), '\0', CLI_RETURNS_TEXT(CHECK | JOB_WITHIN), 0,
     "test if all of it is in SET", "SET"},
    {NAME("overlaps"), '\0', CLI_RETURNS_TEXT(CHECK | JOB_OVERLAPS), 0,
     "test if they have any in common", "SET"},
    {NAME("empty"), '\0', CLI_RETURNS(CHECK | JOB_EMPTY), 0,
     "test if it is empty"},
    {0}};

static const struct cli_option options[] = {
    CLI_INCLUDE(reading, 0, "Reading:"),
    CLI_INCLUDE(algebra, 0, "Algebra, in the order of the command line:"),
    CLI_INCLUDE(choosing, 0, "Choosing, in the order of the command line:"),
    CLI_INCLUDE(answering, 0, "Answers:"),
    CLI_INCLUDE(testing, 0,
                "Tests, answered by the exit status alone: 0 yes, 1 no:"),
    CLI_COMMON_OPTIONS,
    {0}};

static void offer(struct complete *c, const char *placeholder)
{
    if (!strcmp(placeholder, "FORM"))
        idset_form_each(complete_word, c);
}

static const struct cli program = {
    .offer = offer,
    .name = "idset",
    .synopsis = "[OPTION...] [SET...]",
    .summary = "Unite sets of ids, and print, change or test the result.",
    .examples = "  idset 0-9 12 --exclude 3-4\n"
                "  idset --count 0-99\n"
                "  idset -H -e -S , 'node[0-3]' login\n"
                "  idset -H --sort @hostfile login1\n"
                "  idset -H --sort --split 2 n10 n9 n2 n1\n"
                "  idset --from cpulist --to taskset 0-31:2/8\n"
                "  idset --from mask --to step 0x000000ff,0x0000ff00\n"
                "  idset --to range 2,4,8,16,32,64\n"
                "  idset --from list --to json <ids.txt\n"
                "  idset --from json --to cpulist '[0,1,2,3,8]'\n"
                "  idset --loose '7 3-5, 04'\n"
                "  idset -H --pick 2 --seed 7 'node[0-9]'\n"
                "  idset -H --multi r0n0 r0n1 r1n0 r1n1\n"
                "  idset -H --to json 'node[0-3]'\n"
                "  idset --complement 0-15 --to step 1,3,5,7,9-15\n"
                "  idset 0-9 --exclude 0-3 --first\n"
                "  idset --within 0-9 3,5 && echo 'all are in it'\n",
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

/* --- noting the command line ---------------------------------------------- */

static void add_step(enum job_op op, const char *option, char *text)
{
    VECTOR_ADD(job.steps, job.nsteps,
               (struct job_step){.op = op,
                                 .set = {.option = option,
                                         .number = option ? 0 : ++job.noperands,
                                         .text = text},
                                 .is_input = strcmp(text, "-") == 0});
}

/* The argument of an option as a number up to `max`. */
static uint64_t read_number(const char *option, const char *text, uint64_t max)
{
    uint64_t n;

    if (!text_is_number(text, &n))
        cli_usage("%s: %s is not a number", option, quote_all(text).text);
    if (n > max)
        cli_usage("%s: %s is larger than %" PRIu64, option,
                  quote_all(text).text, max);
    return n;
}

/* Note a choice: a count, or positions as an idset. A hyphen before them counts
   from the end. */
static void add_pick(enum job_choice choice, const char *option,
                     const char *text)
{
    struct job_pick pick = {.choice = choice};
    struct diag d = {0};

    if (choice != JOB_NTH) {
        pick.n = read_number(option, text, UINT64_MAX - 1);
    } else {
        pick.from_end = *text == '-';
        text += pick.from_end;
        if (pick.from_end && !*text)
            cli_usage("%s: no position after the hyphen", option);
        if (idset_decode(text, strlen(text), &pick.positions, &d) < 0)
            cli_die_in(&d, option);
    }
    VECTOR_ADD(job.picks, job.npicks, pick);
}

/* Note the option that asks for the answer. Only one may. */
static void claim(const char **by, const char *option)
{
    if (*by && strcmp(*by, option) == 0)
        cli_usage("%s is given twice", option);
    cli_exclude(*by, option, NULL);
    *by = option;
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

/* Note the answer. Takes over `text` if it names a set, else frees it. */
static void set_answer(enum job_answer answer, const char *option, char *text)
{
    claim(&job.answer_option, option);
    job.answer = answer < ANSWER_EXPANDED ? answer : ANSWER_FORM;
    if (answer == ANSWER_INDEX) {
        job.of = (struct job_set){.option = option, .text = text};
        return;
    }
    if (answer == ANSWER_NEXT || answer == ANSWER_PREV) {
        job.id = (uint32_t)read_number(option, text, IDSET_MAX);
    } else if (answer == ANSWER_EXPANDED) {
        job.list = true;
        job.folded = false;
        job.between = " ";
    } else if (answer == ANSWER_TO) {
        job.form = find_form(option, text);
        job.list = strcmp(text, "list") == 0;
        job.folded = strcmp(text, "idset") == 0;
        job.between = "\n";
    }
    free(text);
}

/* Note an operand, or an option whose order matters. */
static void note(unsigned val, const char *option, char *text)
{
    unsigned which = val & WHICH;

    switch (val & ~(unsigned)WHICH) {
    case OPERAND:
        add_step(JOB_UNION, NULL, text);
        break;
    case STEP:
        add_step(which, option, text);
        break;
    case CHOICE:
        add_pick(which, option, text);
        free(text);
        break;
    case CHECK:
        VECTOR_ADD(job.checks, job.nchecks,
                   (struct job_check){which, {.option = option, .text = text}});
        break;
    case ANSWER:
        set_answer(which, option, text);
        break;
    case PARTS:
        claim(&job.parts_option, option);
        job.parts = which;
        if (which != PARTS_SPLIT)
            break;
        job.nparts = read_number(option, text, UINT64_MAX - 1);
        if (job.nparts == 0)
            cli_usage("%s: there must be at least one part", option);
        free(text);
        break;
    }
}

/* --- checks --------------------------------------------------------------- */

/* Refuse options that would be ignored. */
static void check_answer(void)
{
    const char *option = job.answer_option ? job.answer_option
                                           : job.parts_option;

    if (job.parts_option && job.answer >= ANSWER_FIRST)
        cli_exclude(job.parts_option, job.answer_option, NULL);
    if (job.nchecks && option && !job.lines)
        cli_usage("%s answers with the exit status alone and excludes %s",
                  job.checks[0].set.option, option);
    if (job.separator && !job.list)
        cli_usage("--separator needs --expand or --to list");
    cli_exclude(job.separator ? "--separator" : NULL,
                job.null ? "--null" : NULL, NULL);
    if (job.brackets && (!job.folded || job.answer != ANSWER_FORM))
        cli_usage("--brackets needs a folded set");
}

/* Check the options that only numbers or only hosts take. */
static void check_kind(void)
{
    static const char *const ids[] = {"loose", "max", "next", "prev", NULL};
    static const char *const hosts[] = {"limit", "multi", "pad-each",
                                        "sort",  "uniq",  NULL};
    const char *other;

    if (job.from) {
        job.ids.form = find_form("--from", job.from);
        job.hosts.step = !strcmp(job.from, "step");
    }
    if (job.max)
        job.ids.max = (uint32_t)read_number("--max", job.max, IDSET_MAX);
    if (job.limit)
        job.hosts.max = read_number("--limit", job.limit, UINT32_MAX);
    if (!job.hostlist && (other = cli_last_set(hosts)))
        cli_usage("%s needs --hostlist", other);
    if (!job.hostlist)
        return;
    if ((other = cli_last_set(ids)))
        cli_usage("%s and --hostlist exclude each other", other);
    if (job.from && !job.hosts.step && job.ids.form != idset_form("idset"))
        cli_usage("--from: hosts are read as idset or step");
    if (!job.folded && !job.list && job.form != idset_form("json"))
        cli_usage("--to: hosts are written as idset, list or json");
    if (job.brackets)
        cli_usage("--brackets and --hostlist exclude each other");
}

/* Replace the escapes \n, \t and \\ in a separator. */
static void unescape(char *text)
{
    static const char escapes[] = "nt\\", meaning[] = "\n\t\\";
    char *to = text;

    for (; *text; text++) {
        const char *found = *text == '\\' && text[1] ? strchr(escapes, text[1])
                                                     : NULL;
        text += found != NULL;
        *to++ = found ? meaning[found - escapes] : *text;
    }
    *to = '\0';
}

/* Check the options together, and set defaults. */
static void finish(void)
{
    bool random = false, named = false;

    job.universe.option = "--complement";
    check_answer();
    check_kind();

    for (size_t i = 0; i < job.npicks; i++)
        random |= job.picks[i].choice == JOB_PICK;
    if (job.seed_text)
        job.seed = read_number("--seed", job.seed_text, UINT64_MAX);
    if (job.seed_text && !random)
        cli_usage("--seed needs --pick");
    if (!job.seed_text && random
        && getrandom(&job.seed, sizeof(job.seed), 0) < 0)
        cli_die("no random numbers: %s", strerror(errno));

    /* make standard input the first step, if it was not named */
    job.kind = job.hostlist ? &kind_hosts : &kind_ids;
    for (size_t i = 0; i < job.nsteps; i++)
        named |= job.steps[i].is_input;
    if (job.lines ? !named : job.noperands == 0) {
        VECTOR_GROW(job.steps, job.nsteps);
        memmove(job.steps + 1, job.steps, job.nsteps++ * sizeof(*job.steps));
        job.steps[0] = (struct job_step){
            .op = JOB_UNION, .set = {.text = xstrdup("-")}, .is_input = true};
    }

    if (job.steps[0].op == JOB_EXCLUDE || job.steps[0].op == JOB_INTERSECT)
        cli_warn("%s %s: there is nothing before it to take from",
                 job.steps[0].set.option, job.steps[0].set.text);
    if (job.separator) {
        unescape(job.separator);
        job.between = job.separator;
    }
    job.between_len = job.null ? 1 : strlen(job.between);
    if (job.null)
        job.between = ""; /* the NUL at its end */
}

int main(int argc, const char **argv)
{
    struct diag d = {0};
    poptContext ctx;
    int val, status;

    cli_init(&program);
    job = (struct idset_job){.ids = IDSET_READER,
                             .hosts = HOSTLIST_READER,
                             .folded = true,
                             .between = " "};
    job.hosts.max = HOSTS_MAX;
    ctx = cli_options(argc, argv, options, &job, POPT_CONTEXT_ARG_OPTS);
    while ((val = cli_next(ctx, &d)) >= 0) {
        const struct cli_option *o = cli_last_option();
        note((unsigned)val, o ? o->name - 2 : NULL, cli_value(ctx));
    }
    if (val < -1)
        cli_die_diag(&d);
    poptFreeContext(ctx);
    finish();
    status = job_run(&job);
    cli_free_options(options, &job);
    cli_exit(status);
}

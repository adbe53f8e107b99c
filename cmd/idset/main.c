/*
 * idset: sets of numbers (RFC 22) and lists of hosts (RFC 29) from the
 * shell. What the command line says is noted down in a job and then done.
 */
#include "cli/cli.h"
#include "job.h"
#include "kind.h"

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
#define FLAG(name, letter, val, help)                            \
    {                                                            \
        NAME(name), letter, POPT_ARG_NONE, NULL, val, help, NULL \
    }
#define TAKES(name, letter, val, arg, help)                       \
    {                                                             \
        NAME(name), letter, POPT_ARG_STRING, NULL, val, help, arg \
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

#define TABLE(options, title)                                       \
    {                                                               \
        NULL, '\0', POPT_ARG_INCLUDE_TABLE, options, 0, title, NULL \
    }

static struct poptOption options[] = {
    TABLE(reading, "Reading:"),
    TABLE(algebra, "Algebra, left to right as written:"),
    TABLE(choosing, "Choosing, left to right as written:"),
    TABLE(answering, "Answers:"),
    TABLE(testing, "Tests, answered by the status alone: 0 yes, 1 no:"),
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND};

static const struct cli program = {
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

/* What is on once its option is given; NULL: it is no such option. */
static bool *switch_of(int val)
{
    switch (val) {
    case LOOSE:
        return &job.ids.loose;
    case LINES:
        return &job.lines;
    case MULTI:
        return &job.hosts.multi;
    case PAD_EACH:
        return &job.hosts.pad_each;
    case SORT:
        return &job.sort;
    case UNIQ:
        return &job.unique;
    case BRACKETS:
        return &job.brackets;
    case NUL:
        return &job.null;
    default:
        return NULL;
    }
}

static void note_setting(int val, const char *name, char *arg)
{
    bool *flag = switch_of(val);

    if (flag)
        *flag = true;
    if (val == LOOSE || val == MAX)
        job.ids_option = name;
    if (val == MULTI || val == PAD_EACH || val == LIMIT || val == SORT
        || val == UNIQ)
        job.hosts_option = name;

    switch (val) {
    case HOSTLIST:
        job.kind = &kind_hosts;
        break;
    case FROM:
        job_set_from(&job, arg);
        break;
    case MAX:
        job.ids.max = (uint32_t)job_number(name, arg, IDSET_MAX);
        break;
    case LIMIT:
        job.hosts.max = job_number(name, arg, UINT32_MAX);
        break;
    case COMPLEMENT:
        job.universe = (struct job_set){name, arg, NULL};
        break;
    case SEED:
        job.seed_option = name;
        job.seed = job_number(name, arg, UINT64_MAX);
        break;
    case EXPAND:
        job_set_expand(&job);
        break;
    case SEPARATOR:
        job_set_separator(&job, arg);
        break;
    case TO:
        job_set_to(&job, arg);
        break;
    }
}

static void note(int val, char *arg)
{
    const char *name = name_of(val);
    unsigned which = (unsigned)val & WHICH;

    switch (val & ~WHICH) {
    case OPERAND:
        job_add_operand(&job, arg);
        break;
    case STEP:
        job_add_step(&job, which, name, arg);
        break;
    case CHOICE:
        job_add_pick(&job, which, name, arg);
        break;
    case CHECK:
        job_add_check(&job, which, name, arg);
        break;
    case ANSWER:
        job_set_answer(&job, which, name, arg);
        break;
    case PARTS:
        job_set_parts(&job, which, name, arg);
        break;
    case SETTING:
        note_setting(val, name, arg);
        break;
    }
}

int main(int argc, const char **argv)
{
    poptContext ctx;
    int opt;

    cli_init(&program);
    job_init(&job);
    ctx = cli_options(argc, argv, options, POPT_CONTEXT_ARG_OPTS);
    while ((opt = cli_next(ctx)) >= 0)
        note(opt, job_own(&job, poptGetOptArg(ctx)));
    poptFreeContext(ctx);
    job_finish(&job);
    cli_exit(job_run(&job));
}

/*
 * The commands of rset-alloc and the options that only some of them take: what
 * there is, and what each takes. command_line.c reads them.
 */
#include <string.h>

#include "alloc.h"
#include "cli/offers.h"

/* What commands of a sort take. */
enum {
    CHANGE = IN_PLACE | DOCUMENTS | SETS,
    GIVE = CHANGE | REQUEST | NOW,
    STATES = CHANGE | NOW | REASON,
    TABLE = NOW | CLI_TABLES | CLI_BOUNDS | DOCUMENTS | CLI_FORMS,
};

#define AT(member) CLI_AT(struct alloc_options, member)

struct poptOption alloc_option_table[] = {
    {"owner", '\0', POPT_ARG_STRING, AT(owner), CLI_NAMED,
     "allocate: whose job it is; jobs: those of these owners", "NAME"},
    {"grow", '\0', POPT_ARG_NONE, AT(grow), CLI_NAMED,
     "allocate: add to what the job holds", NULL},
    {"stage", '\0', POPT_ARG_NONE, AT(stage), CLI_NAMED,
     "allocate: lock it until commit or abort", NULL},
    {"write", 'w', POPT_ARG_STRING, AT(write), CLI_NAMED,
     "allocate, grow: write the job's R to a file as well", "FILE"},
    {"R", '\0', POPT_ARG_STRING, AT(R), CLI_NAMED,
     "allocate, grow, release, shrink: what this R or graph names", "FILE"},
    {"take", '\0', POPT_ARG_ARGV, AT(take), CLI_NAMED,
     "allocate, grow: units of the pool at a path", "PATH=N"},
    {"give", '\0', POPT_ARG_ARGV, AT(give), CLI_NAMED,
     "release, shrink: units of the pool at a path", "PATH=N"},
    {"targets", '\0', POPT_ARG_STRING, AT(targets), CLI_NAMED,
     "release, shrink: what the job has on these ranks or hosts", "TARGETS"},
    {"all", '\0', POPT_ARG_NONE, AT(all), CLI_NAMED,
     "release: what any job holds", NULL},
    {"held", '\0', POPT_ARG_NONE, AT(held), CLI_NAMED,
     "allocated: all that is held, not only what was asked for", NULL},
    {"any-state", '\0', POPT_ARG_NONE, AT(any_state), CLI_NAMED,
     "available: what is down, too", NULL},
    {"reason", '\0', POPT_ARG_STRING, AT(reason), REASON,
     "down, drain, state: why", "TEXT"},
    {"explain", '\0', POPT_ARG_NONE, AT(explain), CLI_NAMED,
     "allocate, grow: when nothing matches, tell in full why", NULL},
    {"save", '\0', POPT_ARG_STRING, AT(save), CLI_NAMED,
     "batch: write the set to a file at the end", "FILE"},
    {"no-R", '\0', POPT_ARG_NONE, AT(no_R), CLI_NAMED,
     "batch: leave sets out of the answers", NULL},
    {"group-commit", '\0', POPT_ARG_NONE, AT(group_commit), CLI_NAMED,
     "batch --store: commit commands together that come together", NULL},
    {"changed", '\0', POPT_ARG_NONE, AT(changed), CLI_NAMED,
     "save: write a patch of what changed since the last save", NULL},
    {"provider", '\0', POPT_ARG_STRING, AT(provider), CLI_NAMED,
     "serve: resources are those of a command, which is run by sh", "COMMAND"},
    {"resources", '\0', POPT_ARG_STRING, AT(resources), CLI_NAMED,
     "serve: resources are those of a document", "FILE"},
    {"group", '\0', POPT_ARG_ARGV, AT(groups), CLI_NAMED,
     "serve: acquire this group of resources (default: default)", "NAME"},
    {"kvs", '\0', POPT_ARG_STRING, AT(kvs), CLI_NAMED,
     "serve: keep the R of each job in a folder, as ID.json", "DIR"},
    {"limit", '\0', POPT_ARG_STRING, AT(limit), CLI_NAMED,
     "serve: take so many requests at a time (default: any number)", "N"},
    {"queue-policy", '\0', POPT_ARG_STRING, AT(queue_policy), CLI_NAMED,
     "serve: in what order jobs are served", "fcfs"},
    {"log-level", '\0', POPT_ARG_STRING, AT(log_level), CLI_NAMED,
     "serve: what is told on standard error (default: warning)",
     "error|warning|info|debug"},
    {"job", '\0', POPT_ARG_STRING, AT(job), CLI_NAMED,
     "jobs: these, as 17 or 1-3,sim", "JOB[,JOB...]"},
    {"job-state", '\0', POPT_ARG_STRING, AT(job_state), CLI_NAMED,
     "jobs: those in one of these states",
     "allocated|reserved|waiting|shared|staged|ended,..."},
    {"in-place", '\0', POPT_ARG_NONE, AT(in_place), IN_PLACE,
     "write the set back into FILE, which is locked from before it is read",
     NULL},
    {"map", '\0', POPT_ARG_NONE, AT(map), CLI_NAMED,
     "status: a map, a cell a node, or a core of a few nodes", NULL},
    {"by", '\0', POPT_ARG_STRING, AT(by), CLI_NAMED,
     "status: a line a property, a value of one, a rack or another pool of "
     "nodes, or a type and state; --map: a cell a pool of a type; timeline: a "
     "row a node or job",
     "GROUP"},
    {"watch", '\0', POPT_ARG_NONE, AT(watch), CLI_NAMED,
     "jobs, nodes, status, timeline: tell it anew whenever the set changes",
     NULL},
    {"expect-jobs", '\0', POPT_ARG_NONE, AT(expect_jobs), DOCUMENTS,
     "refuse a document without any job: it has lost its records", NULL},
    POPT_TABLEEND};

/*
 * A command as help tells of it, with two examples. It takes options by their
 * kinds, and others by name.
 */
#define HELP(name, operands, takes, named, summary, one, other) \
    {                                                           \
        name, operands, summary, {one, other}, takes, named     \
    }

static const struct command commands[] = {
    {HELP("allocate", "JOB REQUEST [FILE]",
          GIVE | CLI_TERMS | EXPIRATION | DURATION | AT,
          "owner grow stage write R take explain",
          "give what is requested, or named, to a job",
          "105 -N1 --duration 1h --owner alice set.json >next.json",
          "105 -n2 -c2 -g1 --in-place set.json"),
     JOB, PIECES | CHANGES | RECORDS, ANSWER_SETS, alloc_allocate},
    {HELP("grow", "JOB REQUEST [FILE]", GIVE, "write R take explain",
          "give it more, on the terms of what it has",
          "101 -N1 set.json >next.json",
          "101 --take /cluster0/node2/core0=1 --in-place set.json"),
     JOB, PIECES | CHANGES | RECORDS, ANSWER_SETS, alloc_grow},
    {HELP("commit", "JOB [FILE]", CHANGE, NULL,
          "make what is staged for it its own", "103 set.json >next.json",
          "103 --in-place set.json"),
     JOB, PIECES | CHANGES | RECORDS, ANSWER_SETS, alloc_commit},
    {HELP("abort", "JOB [FILE]", CHANGE, NULL, "forget what is staged for it",
          "103 set.json >next.json", "103 --in-place set.json"),
     JOB, PIECES | CHANGES, ANSWER_SETS, alloc_abort},
    {HELP("release", "JOBS [PART] [FILE]", CHANGE, "R give targets all",
          "take back what it holds, or a part of that",
          "101-103 set.json >next.json",
          "101 --give /cluster0/node0/core3=1 --in-place set.json"),
     JOB, PIECES | CHANGES, ANSWER_SETS, alloc_release},
    {HELP("shrink", "JOB PART [FILE]", CHANGE, "R give targets",
          "take back a part of what it holds, but not all",
          "101 --give /cluster0/node0/core3=1 set.json >next.json",
          "102 --targets node1 --in-place set.json"),
     JOB, PIECES | CHANGES, ANSWER_SETS, alloc_shrink},
    {HELP("extend", "JOB [FILE]", NOW | EXPIRATION | DURATION | CHANGE, NULL,
          "give what it holds another end",
          "101 --duration +2h set.json >next.json",
          "101 --expiration never --in-place set.json"),
     JOB, PIECES | CHANGES | RECORDS, ANSWER_SETS, alloc_extend},
    {HELP("expire", "[FILE]", NOW | CHANGE, NULL,
          "drop what has ended, and say what", "set.json >next.json",
          "--now +1d --in-place set.json"),
     NOTHING, CHANGES, ANSWER_SETS, alloc_expire},
    {HELP("allocated", "[JOB] [FILE]", NOW | DOCUMENTS | SETS, "held",
          "write what a job, or any job, was given", "101 -o short set.json",
          "101 --store site.db >R.json"),
     MAY_JOB, PIECES, ANSWER_SETS, alloc_allocated},
    {HELP("available", "[FILE]", NOW | AT | DOCUMENTS | SETS, "any-state",
          "write what is up and nobody has", "-o hosts set.json",
          "--at +2h -o short --store site.db"),
     NOTHING, 0, ANSWER_SETS, alloc_available},
    {HELP("jobs", "[FILE]", TABLE, "owner job job-state watch", "list the jobs",
          "--sort -cores set.json",
          "--columns job,left,hosts --include node1 --store site.db"),
     JOB_IN_BATCH, 0, ANSWER_TABLE, alloc_jobs},
    {HELP("nodes", "[WHAT] [FILE]", TABLE, "watch", "list the nodes",
          "--sort -free_cores set.json",
          "--columns host,state,jobs --property ssd --store site.db"),
     MAY_WHAT, 0, ANSWER_TABLE, alloc_nodes},
    {HELP("status", "[WHAT] [FILE]", TABLE, "map by watch",
          "count what there is, had and free; what is down",
          "--by property set.json", "--map --store site.db"),
     MAY_WHAT, 0, ANSWER_TABLE, alloc_status},
    {HELP("timeline", "[WHAT] [FILE]", NOW | DOCUMENTS | CLI_FORMS | CLI_BOUNDS,
          "by watch", "draw who has what when, a row a node or a job",
          "set.json", "--by job -o svg --store site.db >jobs.svg"),
     MAY_WHAT, 0, ANSWER_CHART, alloc_timeline},
    {HELP("up", "WHAT [FILE]", CHANGE, NULL, "say that it is up",
          "node2 set.json >next.json", "node2,node3 --in-place set.json"),
     WHAT, FACTS | CHANGES, ANSWER_SETS, alloc_state},
    {HELP("down", "WHAT [FILE]", STATES, NULL, "say that it is down",
          "node2 set.json >next.json",
          "node2 --reason 'no link' --in-place set.json"),
     WHAT, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_state},
    {HELP("drain", "WHAT [FILE]", STATES, NULL,
          "say that it is down until it is undrained",
          "node2 --reason 'new kernel' set.json >next.json",
          "node[1-2] --in-place set.json"),
     WHAT, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_drain},
    {HELP("undrain", "WHAT [FILE]", CHANGE, NULL,
          "put it back into the state it was drained in",
          "node3 set.json >next.json", "node3 --in-place set.json"),
     WHAT, FACTS | CHANGES, ANSWER_SETS, alloc_undrain},
    {HELP("state", "WHAT STATE [FILE]", STATES, NULL,
          "say in what state it is, as up or failing",
          "node2 failing --reason 'bad fan' set.json >next.json",
          "/cluster0/node2/gpu0 down --in-place set.json"),
     WHAT_WORD, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_state},
    {HELP("exclusive", "WHAT [FILE]", CHANGE, NULL,
          "give it to a job whole or not at all from now on",
          "node2 set.json >next.json", "node[2-3] --in-place set.json"),
     WHAT, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_exclusive},
    {HELP("unexclusive", "WHAT [FILE]", CHANGE, NULL,
          "give parts of it again, too", "node5 set.json >next.json",
          "node5 --in-place set.json"),
     WHAT, FACTS | CHANGES, ANSWER_SETS, alloc_unexclusive},
    {HELP("tag", "WHAT KEY[=VALUE] [FILE]", CHANGE, NULL, "tag it",
          "node1 ticket=4711 set.json >next.json",
          "node[1-2] checked --in-place set.json"),
     WHAT_WORD, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_tag},
    {HELP("untag", "WHAT KEY [FILE]", CHANGE, NULL, "take a tag away",
          "node2 ticket set.json >next.json",
          "node2 ticket --in-place set.json"),
     WHAT_WORD, FACTS | CHANGES, ANSWER_SETS, alloc_untag},
    {HELP("property", "WHAT NAME[=VALUE] [FILE]", CHANGE, NULL,
          "give it a property; ^NAME takes it away",
          "node1 rack=7 set.json >next.json",
          "node[2-3] ^ssd --in-place set.json"),
     WHAT_WORD, FACTS | CHANGES, ANSWER_SETS, alloc_property},
    {HELP("check", "[FILE]", NOW | DOCUMENTS | CLI_FORMS, NULL,
          "print every rule that the set breaks; who waits", "set.json",
          "--store site.db"),
     NOTHING, ALONE, ANSWER_DATA, alloc_check},
    {HELP("batch", "COMMANDS [FILE]", NOW | CHANGE, "save no-R group-commit",
          "answer the commands in a file, one a line",
          "day.txt --save next.json set.json", "- --store site.db <day.txt"),
     COMMANDS, 0, ANSWER_SETS, alloc_batch},
    {HELP("load", "[FILE]", DOCUMENTS, NULL, "make a store of a document",
          "--store new.db set.json", "--store new.db <set.json"),
     NOTHING, STORED, ANSWER_SETS, alloc_load},
    {HELP("save", "", SETS, "changed",
          "write the set of a store, or what changed",
          "--store site.db >set.json", "--store site.db --changed -o json"),
     NOTHING, STORED | ALONE, ANSWER_SETS, alloc_save},
    {HELP("history", "", CLI_TABLES | CLI_FORMS, NULL,
          "list what was done to a store", "--store site.db",
          "--store site.db -o json"),
     NOTHING, STORED | ALONE, ANSWER_TABLE, alloc_history},
    {HELP("serve", "", NOW | CLI_SEMANTICS | CLI_EDITIONS,
          "provider resources group kvs limit queue-policy log-level",
          "be a scheduler on standard input and output",
          "--resources set.json --kvs .",
          "--resources set.json --store jobs.db"),
     NOTHING, ALONE, ANSWER_TALK, alloc_serve},
};

/* What --by takes: of a timeline, of a map, of a table. */
static void offer_groups(struct complete *c, bool chart)
{
    bool map = complete_given(c, "map");
    struct rset *rs = chart || map ? NULL : offer_set(c);

    if (map)
        offer_of_sets(c, "TYPE", ANSWER_TABLE);
    else
        complete_offer(c, chart ? "node" : "property", NULL);
    if (!map)
        complete_offer(c, chart ? "job" : "type", NULL);
    if (rs)
        alloc_each_group(rs, complete_word, c);
}

/* A job that is given something for the first time is not in the set. */
void alloc_offer(struct complete *c, const char *placeholder)
{
    const struct command *command = (const struct command *)c->command;
    alloc_fn run = command ? command->run : NULL;

    if (!strcmp(placeholder, "COLUMN") && run)
        offer_columns(c, alloc_columns(run));
    else if (!strcmp(placeholder, "GROUP"))
        offer_groups(c, run == alloc_timeline);
    else if (run != alloc_allocate || strcmp(placeholder, "JOB") != 0)
        offer_of_sets(c, placeholder, command ? command->answer : ANSWER_SETS);
}

const struct cli_command *alloc_command(size_t i)
{
    return i < sizeof(commands) / sizeof(commands[0]) ? &commands[i].help
                                                      : NULL;
}

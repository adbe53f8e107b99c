/* The commands of rset-alloc, with the options that each takes, and the options
   that only some of them take. command_line.c reads them. */
#include <string.h>

#include "alloc.h"
#include "cli/offers.h"

/* Options that similar commands take. */
enum {
    CHANGE = IN_PLACE | DOCUMENTS | SETS,
    GIVE = CHANGE | REQUEST | NOW,
    STATES = CHANGE | NOW | REASON,
    TABLE = NOW | CLI_TABLES | CLI_BOUNDS | DOCUMENTS | CLI_FORMS,
};

#define AT(member) CLI_AT(struct alloc_options, member)

const struct cli_option alloc_option_table[] = {
    {"owner", '\0', AT(owner), CLI_NAMED, "set the owner of the job", "NAME"},
    {"grow", '\0', AT(grow), CLI_NAMED, "add to what the job holds"},
    {"stage", '\0', AT(stage), CLI_NAMED,
     "only lock the resources until commit or abort"},
    {"write", 'w', AT(write), CLI_NAMED, "also write the job's R to a file",
     "FILE"},
    {"R", '\0', AT(R), CLI_NAMED,
     "use the resources that an R or a graph names", "FILE"},
    {"take", '\0', AT(take), CLI_NAMED,
     "take N units of the resource at a path (repeatable)", "PATH=N"},
    {"give", '\0', AT(give), CLI_NAMED,
     "give back N units of the resource at a path (repeatable)", "PATH=N"},
    {"targets", '\0', AT(targets), CLI_NAMED,
     "give, or give back, what is on these ranks or hosts", "TARGETS"},
    {"all", '\0', AT(all), CLI_NAMED, "release all jobs"},
    {"held", '\0', AT(held), CLI_NAMED,
     "write all that is held, not only what was asked for"},
    {"any-state", '\0', AT(any_state), CLI_NAMED, "include what is down"},
    {"reason", '\0', AT(reason), REASON, "record why", "TEXT"},
    {"update", '\0', AT(update), CLI_NAMED,
     "also take what is drained, and give it the reason if it has none"},
    {"explain", '\0', AT(explain), CLI_NAMED,
     "if nothing matches, explain in full why"},
    {"save", '\0', AT(save), CLI_NAMED, "write the set to a file at the end",
     "FILE"},
    {"no-R", '\0', AT(no_R), CLI_NAMED, "leave sets out of the answers"},
    {"group-commit", '\0', AT(group_commit), CLI_NAMED,
     "with --store: commit commands together that arrive together"},
    {"changed", '\0', AT(changed), CLI_NAMED,
     "write only a patch of what changed since the last save"},
    {"provider", '\0', AT(provider), CLI_NAMED,
     "get the resources from a provider: a command that sh runs", "COMMAND"},
    {"resources", '\0', AT(resources), CLI_NAMED,
     "schedule the resources of a document", "FILE"},
    {"group", '\0', AT(groups), CLI_NAMED,
     "acquire this group of resources (default: default; repeatable)", "NAME"},
    {"kvs", '\0', AT(kvs), CLI_NAMED,
     "keep the R of each job in a directory, as ID.json", "DIR"},
    {"limit", '\0', AT(limit), CLI_NAMED,
     "accept at most N requests at a time (default: no limit)", "N"},
    {"queue-policy", '\0', AT(queue_policy), CLI_NAMED,
     "let no job overtake one that has to wait (fcfs, the default), or jobs "
     "that do not delay it (easy), or several that wait (conservative); "
     "QUEUE=... for one queue",
     "fcfs|easy|conservative,..."},
    {"queue-parent", '\0', AT(parents), CLI_NAMED,
     "let jobs of a queue wait in another one (repeatable)", "QUEUE=PARENT"},
    {"job-form", '\0', AT(job_form), CLI_NAMED,
     "write the R of a job so, if the resources have a graph (default: "
     "shorthand)",
     "shorthand|r|rv1|rv1-compact"},
    {"reservation-depth", '\0', AT(depth), CLI_NAMED,
     "with conservative: reserve for the first N jobs that have to wait "
     "(default: 64)",
     "N"},
    {"reservation-slack", '\0', AT(slack), CLI_NAMED,
     "with easy or conservative: let jobs that end late delay a reservation by "
     "at most this time in sum (default: 60)",
     "DURATION"},
    {"estimates", '\0', AT(estimates), CLI_NAMED,
     "with fcfs: tell the first N jobs of each queue when they may start "
     "(default: 8)",
     "N"},
    {"queues", '\0', AT(queues), CLI_NAMED,
     "let a job that has to wait block its own queue (separate, the default), "
     "or all queues (joined)",
     "separate|joined"},
    {"as", '\0', AT(shape), CLI_NAMED,
     "let jobs ask for whole nodes, or for slots of one core (default: slots, "
     "if the trace has cores)",
     "nodes|slots"},
    {"from", '\0', AT(from), CLI_NAMED,
     "the kind of the trace (default: what its contents say)",
     "swf|flux|sacct"},
    {"queue", '\0', AT(bounds), CLI_NAMED,
     "let jobs of a queue or partition run only where a property or a "
     "constraint (RFC 31) holds (default: the property with the name of the "
     "queue, if there is one; repeatable)",
     "NAME=CONSTRAINT"},
    {"bound", '\0', AT(bound), CLI_NAMED,
     "the least run time in the bounded slowdown (default: 10)", "DURATION"},
    {"jobs", '\0', AT(list_jobs), CLI_NAMED,
     "with -o json: also list each job"},
    {"clock", '\0', AT(clock), CLI_NAMED,
     "take the time from messages, for tests (sched.clock)", "messages"},
    {"log-level", '\0', AT(log_level), CLI_NAMED,
     "log messages of this level and above (default: warning)",
     "error|warning|info|debug"},
    {"job", '\0', AT(job), CLI_NAMED,
     "list only these jobs, such as 17 or 1-3,sim", "JOB[,JOB...]"},
    {"job-state", '\0', AT(job_state), CLI_NAMED,
     "list only jobs in one of these states; with --store also the jobs that "
     "wait for a service (pending)",
     "allocated|reserved|waiting|shared|staged|ended|pending,..."},
    {"state", '\0', AT(state), CLI_NAMED,
     "list only nodes in one of these states, such as idle or down,drained",
     "STATE[,STATE...]"},
    {"in-place", '\0', AT(in_place), IN_PLACE,
     "write the set back to FILE, which is locked while the command runs"},
    {"map", '\0', AT(map), CLI_NAMED,
     "draw a map, a cell for each node, or for each core of a few nodes"},
    {"by", '\0', AT(by), CLI_NAMED,
     "group the counts by property, by the values of a property, by rack or "
     "another parent of nodes, by state, or by type and state; with --map: a "
     "cell for each resource of a type",
     "GROUP"},
    {"watch", '\0', AT(watch), CLI_NAMED,
     "redraw whenever the document or store changes"},
    {"expect-jobs", '\0', AT(expect_jobs), DOCUMENTS,
     "refuse a document without jobs: it may have lost its records"},
    {0}};

/* The groups of commands in the help of the program. */
static const char GIVING[] = "Give resources to jobs, and take them back:";
static const char LOOKING[] = "Look at a set:";
static const char FACTS_OF[] = "Change states and facts:";
static const char STORES[] = "Batches, stores and services:";

/*
 * A command for the help of the program, with examples. The command takes
 * options by their kinds, and others by name.
 */
#define HELP(group, name, operands, takes, named, summary, ...)     \
    {                                                               \
        group, name, operands, summary, {__VA_ARGS__}, takes, named \
    }

#define NO_TABLE NULL, NULL

static const struct command commands[] = {
    {HELP(GIVING, "allocate", "JOB REQUEST [FILE]",
          GIVE | CLI_TERMS | EXPIRATION | DURATION | AT,
          "owner grow stage write R take targets any-state explain",
          "give a job resources that match a request, or that are named",
          "105 -N1 --duration 1h --owner alice set.json >next.json",
          "105 -n2 -c2 -g1 --in-place set.json",
          "106 --jobspec job.yaml -w R106.json --in-place set.json",
          "maint --targets node5 --at +1d --duration 8h set.json"),
     JOB, PIECES | CHANGES | RECORDS | GIVES | NEW_JOB, ANSWER_SETS,
     alloc_allocate, NO_TABLE},
    {HELP(GIVING, "grow", "JOB REQUEST [FILE]", GIVE,
          "write R take targets any-state explain",
          "give a job more, with the times of what it holds",
          "101 -N1 set.json >next.json",
          "101 --take /cluster0/node2/core0=1 --in-place set.json"),
     JOB, PIECES | CHANGES | RECORDS | GIVES, ANSWER_SETS, alloc_allocate,
     NO_TABLE},
    {HELP(GIVING, "commit", "JOB [FILE]", CHANGE, NULL,
          "turn what is staged for a job into its allocation",
          "103 set.json >next.json", "103 --in-place set.json"),
     JOB, PIECES | CHANGES | RECORDS, ANSWER_SETS, alloc_unstage, NO_TABLE},
    {HELP(GIVING, "abort", "JOB [FILE]", CHANGE, NULL,
          "drop what is staged for a job", "103 set.json >next.json",
          "103 --in-place set.json"),
     JOB, PIECES | CHANGES, ANSWER_SETS, alloc_unstage, NO_TABLE},
    {HELP(GIVING, "release", "JOBS [PART] [FILE]", CHANGE, "R give targets all",
          "take back what jobs hold, or a part of it",
          "101-103 set.json >next.json",
          "101 --give /cluster0/node0/core3=1 --in-place set.json"),
     JOBS, PIECES | CHANGES, ANSWER_SETS, alloc_release, NO_TABLE},
    {HELP(GIVING, "shrink", "JOB PART [FILE]", CHANGE, "R give targets",
          "take back a part of what a job holds, never all of it",
          "101 --give /cluster0/node0/core3=1 set.json >next.json",
          "102 --targets node1 --in-place set.json"),
     JOB, PIECES | CHANGES, ANSWER_SETS, alloc_shrink, NO_TABLE},
    {HELP(GIVING, "extend", "JOB [FILE]", NOW | EXPIRATION | DURATION | CHANGE,
          NULL, "change the end of what a job holds",
          "101 --duration +2h set.json >next.json",
          "101 --expiration never --in-place set.json"),
     JOB, PIECES | CHANGES | RECORDS, ANSWER_SETS, alloc_extend, NO_TABLE},
    {HELP(GIVING, "expire", "[FILE]", NOW | CHANGE, NULL,
          "release the jobs whose end has passed, and name them",
          "set.json >next.json", "--now +1d --in-place set.json"),
     NOTHING, CHANGES | EXPIRES, ANSWER_SETS, alloc_expire, NO_TABLE},
    {HELP(LOOKING, "allocated", "[JOB] [FILE]", NOW | DOCUMENTS | SETS, "held",
          "write what a job, or all jobs, were given", "101 -o short set.json",
          "101 --store site.db >R.json"),
     MAY_JOB, PIECES, ANSWER_SETS, alloc_allocated, NO_TABLE},
    {HELP(LOOKING, "available", "[FILE]", NOW | AT | DOCUMENTS | SETS,
          "any-state", "write the resources that are up and free",
          "-o hosts set.json", "--at +2h -o short --store site.db"),
     NOTHING, 0, ANSWER_SETS, alloc_available, NO_TABLE},
    {HELP(LOOKING, "jobs", "[JOB|WHAT] [FILE]", TABLE,
          "owner job job-state by watch",
          "list jobs, or one JOB, or only the jobs on WHAT",
          "--job-state pending --store jobs.db", "--sort -cores set.json",
          "node1 --columns job,left,hosts --store site.db",
          "--by owner -o csv set.json"),
     JOB_OR_WHAT, 0, ANSWER_TABLE, alloc_jobs, alloc_jobs_columns,
     (const struct by_word[]){{"owner", alloc_owners_columns}, {NULL, NULL}}},
    {HELP(LOOKING, "nodes", "[WHAT] [FILE]", TABLE | AT, "state watch",
          "list nodes", "--sort -free_cores set.json",
          "--columns host,state,free_gpus slurm.json",
          "--state idle,drained -o csv set.json",
          "--columns host,state,jobs --requires ssd --store site.db"),
     MAY_WHAT, 0, ANSWER_TABLE, alloc_nodes, alloc_nodes_columns, NULL},
    {HELP(LOOKING, "status", "[WHAT] [FILE]", TABLE | AT, "map by watch",
          "count what is there, allocated and free, and list what is down",
          "--by property -o json set.json", "--map --store site.db",
          "--by rack racks.json", "--watch set.json"),
     MAY_WHAT, 0, ANSWER_TABLE, alloc_status, alloc_groups_columns,
     (const struct by_word[]){{"property", alloc_groups_columns},
                              {"type", alloc_types_columns},
                              {"state", alloc_states_columns},
                              {NULL, NULL}}},
    {HELP(LOOKING, "timeline", "[WHAT] [FILE]",
          NOW | DOCUMENTS | CLI_FORMS | CLI_BOUNDS, "by watch",
          "draw which job holds what and when, a row for each node or job",
          "set.json", "--by job -o svg --store site.db >jobs.svg",
          "/cluster0/rack0 --watch racks.json"),
     MAY_WHAT, 0, ANSWER_CHART, alloc_timeline, NULL,
     (const struct by_word[]){{"node", NULL}, {"job", NULL}, {NULL, NULL}}},
    {HELP(LOOKING, "check", "[FILE]", NOW | DOCUMENTS | CLI_FORMS, NULL,
          "print every rule that the set breaks, and which jobs wait",
          "set.json", "--store site.db", "-o json racks.json"),
     NOTHING, ALONE, ANSWER_DATA, alloc_check, NO_TABLE},
    {HELP(FACTS_OF, "up", "WHAT [FILE]", CHANGE, NULL, "mark resources up",
          "node2 set.json >next.json", "node2,node3 --in-place set.json"),
     WHAT, FACTS | CHANGES, ANSWER_SETS, alloc_state, NO_TABLE},
    {HELP(FACTS_OF, "down", "WHAT [FILE]", STATES, NULL, "mark resources down",
          "node2 set.json >next.json",
          "node2 --reason 'no link' --in-place set.json"),
     WHAT, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_state, NO_TABLE},
    {HELP(FACTS_OF, "drain", "WHAT [FILE]", STATES, "update",
          "drain resources: mark them down until they are undrained",
          "node2 --reason 'new kernel' set.json >next.json",
          "'node[1-2]' --in-place set.json",
          "'node*' --update --reason 'new kernel' set.json >next.json"),
     WHAT, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_mark, NO_TABLE},
    {HELP(FACTS_OF, "undrain", "WHAT [FILE]", CHANGE, NULL,
          "restore the state that resources had before the drain",
          "node3 set.json >next.json", "node3 --in-place set.json"),
     WHAT, FACTS | CHANGES, ANSWER_SETS, alloc_mark, NO_TABLE},
    {HELP(FACTS_OF, "state", "WHAT STATE [FILE]", STATES, NULL,
          "set the state of resources, such as up or failing",
          "node2 failing --reason 'bad fan' set.json >next.json",
          "/cluster0/node2/gpu0 down --in-place set.json"),
     WHAT_STATE, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_state, NO_TABLE},
    {HELP(FACTS_OF, "exclusive", "WHAT [FILE]", CHANGE, NULL,
          "allocate resources only as a whole from now on",
          "node2 set.json >next.json", "'node[2-3]' --in-place set.json"),
     WHAT, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_mark, NO_TABLE},
    {HELP(FACTS_OF, "unexclusive", "WHAT [FILE]", CHANGE, NULL,
          "allocate parts of resources again", "node5 set.json >next.json",
          "node5 --in-place set.json"),
     WHAT, FACTS | CHANGES, ANSWER_SETS, alloc_mark, NO_TABLE},
    {HELP(FACTS_OF, "tag", "WHAT KEY[=VALUE] [FILE]", CHANGE, NULL, "set a tag",
          "node1 ticket=4711 set.json >next.json",
          "'node[1-2]' checked --in-place set.json"),
     WHAT_KEY, FACTS | CHANGES | RECORDS, ANSWER_SETS, alloc_mark, NO_TABLE},
    {HELP(FACTS_OF, "untag", "WHAT KEY [FILE]", CHANGE, NULL, "remove a tag",
          "node2 ticket set.json >next.json",
          "node2 ticket --in-place set.json"),
     WHAT_KEY, FACTS | CHANGES, ANSWER_SETS, alloc_mark, NO_TABLE},
    {HELP(FACTS_OF, "property", "WHAT NAME[=VALUE] [FILE]", CHANGE, NULL,
          "set a property; ^NAME removes it",
          "node1 rack=7 set.json >next.json",
          "'node[2-3]' ^ssd --in-place set.json"),
     WHAT_PROPERTY, FACTS | CHANGES, ANSWER_SETS, alloc_mark, NO_TABLE},
    {HELP(STORES, "batch", "COMMANDS [FILE]", NOW | CHANGE,
          "save no-R group-commit",
          "run the commands in a file, one on each line",
          "day.txt --save next.json set.json", "- --store site.db <day.txt"),
     COMMANDS, 0, ANSWER_SETS, alloc_batch, NO_TABLE},
    {HELP(STORES, "load", "[FILE]", DOCUMENTS, NULL,
          "make a store from a document", "--store new.db set.json",
          "--store new.db <set.json", "--store power.db power.json"),
     NOTHING, STORED | LOADS, ANSWER_SETS, alloc_load, NO_TABLE},
    {HELP(STORES, "save", "", SETS, "changed",
          "write the set of a store, or what changed in it",
          "--store site.db >set.json", "--store site.db --changed -o json"),
     NOTHING, STORED | ALONE, ANSWER_SETS, alloc_save, NO_TABLE},
    {HELP(STORES, "history", "", CLI_TABLES | CLI_FORMS, NULL,
          "list the operations on a store", "--store site.db",
          "--store site.db -o json"),
     NOTHING, STORED | ALONE, ANSWER_TABLE, alloc_history,
     alloc_history_columns, NULL},
    {HELP(STORES, "serve", "", NOW | CLI_SEMANTICS | CLI_EDITIONS,
          "provider resources group kvs limit queue-policy queue-parent "
          "job-form reservation-depth reservation-slack estimates queues clock "
          "log-level",
          "run a scheduler on standard input and output",
          "--resources set.json --kvs .",
          "--resources set.json --store jobs.db",
          "--resources set.json --kvs . --queue-policy easy <lines.txt",
          "--resources set.json --kvs . --queue-parent debug=batch"),
     NOTHING, ALONE, ANSWER_TALK, alloc_serve, NO_TABLE},
    {HELP(
         STORES, "replay", "TRACE [FILE]",
         CLI_SEMANTICS | DOCUMENTS | CLI_FORMS,
         "queue-policy queue-parent reservation-depth reservation-slack queues "
         "as from queue bound by jobs save",
         "show what a scheduler would have done with the jobs of a trace",
         "month.swf.gz --queue-policy fcfs,easy --by day set.json",
         "sacct.json --by owner --jobs -o json set.json",
         "jobs.sacct --as nodes -o svg set.json >waits.svg",
         "flux.json --queue debug=ssd --save next.json set.json"),
     TRACE, 0, ANSWER_FIGURES, alloc_replay, NO_TABLE},
};

const struct cli_meaning alloc_meanings[] = {
    {"allocate grow", "targets", "give the job these ranks or hosts, whole"},
    {"release", "targets", "give back what jobs hold on these ranks or hosts"},
    {"shrink", "targets",
     "give back what the job holds on these ranks or hosts"},
    {"allocate grow", "any-state",
     "with --targets or --take: also give what is down or drained"},
    {"drain", "force", "also take what is drained, and replace its reason"},
    {"jobs", "owner", "list only the jobs of these owners"},
    {"timeline", "by", "draw a row for each node (the default), or each job"},
    {"jobs", "by", "add up the jobs of each owner"},
    {"allocate", "at",
     "start at this time, not now; needs --duration or --expiration"},
    {"available nodes status", "at", "look at this time (default: now)"},
    {"serve", "dialect",
     "speak seed (the default), current, or auto: as the provider does"},
    {"jobs nodes status history", "output",
     "write a table (the default) or json"},
    {"timeline", "output", "draw with characters (the default) or as svg"},
    {"check", "output", "write lines (the default) or json"},
    {"replay", "output", "write a table (the default), json or svg"},
    {"replay", "by", "also show the jobs of each queue, owner, size or day"},
    {"replay", "save", "write the set with the jobs, for one policy"},
    {"replay", "queue-policy",
     "policies to compare; QUEUE=... for one queue belongs to the policy "
     "before"},
    {NULL, NULL, NULL},
};

/* Offer values of --by. */
static void offer_groups(struct complete *c, const struct command *command)
{
    struct rset *rs;

    if (command->operands == TRACE) {
        alloc_each_group_key(complete_word, c);
        return;
    }
    if (complete_option_value(c, "map")) {
        offer_of_sets(c, "TYPE", ANSWER_TABLE);
        return;
    }
    for (const struct by_word *by = command->by; by && by->word; by++)
        complete_offer(c, by->word, NULL);
    if (command->columns == alloc_groups_columns && (rs = offer_set(c)))
        alloc_each_group(rs, complete_word, c);
}

/* Offer words for a placeholder, but no jobs to allocate: its job is new. */
void alloc_offer(struct complete *c, const char *placeholder)
{
    const struct command *command = (const struct command *)c->command;

    if (!strcmp(placeholder, "COLUMN") && command)
        offer_columns(c, alloc_columns(command, complete_option_value(c, "by"),
                                       complete_option_value(c, "job-state")));
    else if (!strcmp(placeholder, "GROUP") && command)
        offer_groups(c, command);
    else if (!strcmp(placeholder, "STATE") && command
             && command->answer == ANSWER_TABLE)
        for (int i = 0; i < NODE_STATE_WORDS; i++)
            complete_offer(c, pool_state_names[i], NULL);
    else if (strcmp(placeholder, "JOB") != 0 || !command
             || !(command->does & NEW_JOB))
        offer_of_sets(c, placeholder, command ? command->answer : ANSWER_SETS);
}

const struct cli_command *alloc_command(size_t i)
{
    return i < sizeof(commands) / sizeof(commands[0]) ? &commands[i].help
                                                      : NULL;
}

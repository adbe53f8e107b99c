/* The commands of rset-alloc. Each works on one set: it changes the set or
   prints something about it. */
#ifndef RSET_ALLOC_ALLOC_H
#define RSET_ALLOC_ALLOC_H

#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/documents.h"
#include "cli/request_options.h"
#include "cli/table.h"
#include "request/constraint.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "store/store.h"
#include "view/table.h"

/* Kinds of options (cli.h): each command says which it takes. */
enum {
    NOW = CLI_NOW,
    AT = CLI_AT_TIME,
    EXPIRATION = CLI_EXPIRATION,
    DURATION = CLI_DURATION,
    REASON = CLI_OWN_KINDS,
    IN_PLACE = CLI_OWN_KINDS << 1,
    DOCUMENTS = CLI_READS, /* also --expect-jobs */
    SETS = CLI_FORMS | CLI_EDITIONS | CLI_SETS,
    REQUEST = CLI_ASKS | CLI_BOUNDS | CLI_SEMANTICS,
};

/* The options of a command line or of a line of a batch, except those that all
   programs have. NULL or false: not given. */
struct alloc_options {
    char *owner, *write, *R, *targets, *reason, *save;
    char *job, *job_state, *state, *by; /* of tables */
    char **take, **give;                /* PATH=N, each repeatable */
    bool grow, stage, held, any_state, expect_jobs, explain, no_R;
    bool in_place, changed, group_commit, all, map, watch, update;
    /* of serve: */
    char *kvs, *limit, *provider, *resources, *queue_policy, *depth, *slack,
        *estimates, *job_form, *queues, *clock, *log_level;
    char **groups, **parents; /* any number of them */
    /* of replay: */
    char *shape, *from, *bound;
    char **bounds;
    bool list_jobs;
    struct cli_request_options request;
    struct cli_time_options times;
    struct cli_table_options table;
};
extern const struct cli_option alloc_option_table[];

/* Options of a command line or a line of a batch, in a struct alloc_options. */
#define ALLOC_OPTIONS                                                 \
    CLI_INCLUDE(alloc_option_table, 0, "Options:"),                   \
        CLI_REQUEST_OPTIONS(offsetof(struct alloc_options, request)), \
        CLI_TIME_OPTIONS(offsetof(struct alloc_options, times))

/* One call of a command: a command line, or a line of a batch. */
struct alloc_call {
    /* What was read. */
    const struct command *command; /* NULL: not known yet */
    const struct alloc_options *options;
    struct table_choice choice; /* columns of the table that it prints */
    const char **files;         /* named documents */
    const char *job;            /* NULL: none was named */
    const char *what, *word;    /* WHAT; the state, tag or property to set */
    char *key;                  /* the key in `word`, owned; NULL: none */
    const char *value;
    double now;
    bool now_is_set; /* false: now is from the system's clock */

    /* The set. This remains for the next line of a batch. */
    const struct rset_list *sets; /* a list of one set: */
    const struct named_rset *set;
    struct rset *rs;
    struct store *store; /* source of the set; NULL: a document */
    bool in_batch;

    /* What the command has found and made: owned, or NULL. */
    struct request *req;
    struct constraint *targets; /* limits of the request, or named by a text */
    struct selection *plan;     /* resources to give or to take back */
    struct lots lots;           /* of WHAT or the limits, split off */
    struct lots tops;           /* of MAY_WHAT: the topmost lots */
    struct rset *part;          /* the document of --R */
    struct job_copy *undo;      /* in a batch: the job as it was before */
    const struct selection *new_plan; /* the plan, if its job is new and has a
                                         known number of slots; or NULL */

    /* The answer. */
    struct rset *made;     /* owned: written in place of the set; NULL: none */
    json_t *data;          /* owned: a table as data, with -o json */
    const char *data_name; /* its key in an answer */
    struct diag d;         /* set with -1 */
    char answer[1024];     /* a negative answer; "": none */
    char *place;           /* owned: see alloc_place() */
    bool nothing_new;      /* success without a change */
};

/*
 * A command returns its exit status, or -1 with a diag in the call. After
 * STATUS_OK the set is written; a negative answer leaves its line.
 */
typedef int (*alloc_fn)(struct alloc_call *call);

/* Operands after the command and before the document. */
enum operands {
    NOTHING,
    JOB,
    JOBS, /* or a set of them */
    MAY_JOB,
    JOB_OR_WHAT, /* a number is a job; in a batch, all but a path */
    WHAT,
    MAY_WHAT,
    WHAT_STATE, /* these three also take a word */
    WHAT_KEY,
    WHAT_PROPERTY,
    COMMANDS,
    TRACE
};

/* Properties of a command, as bits. */
enum {
    RECORDS = 1,   /* all its changes are in records */
    CHANGES = 2,   /* changes the set */
    FACTS = 4,     /* changes facts or states of pools */
    STORED = 8,    /* needs a store */
    PIECES = 16,   /* can work with parts of a set (cli/store.h) */
    ALONE = 32,    /* reads its own input, if any */
    GIVES = 64,    /* gives a job resources: its R is the answer of a store */
    LOADS = 128,   /* makes a store of a document */
    EXPIRES = 256, /* ended jobs are part of the answer */
    NEW_JOB = 512, /* its job holds nothing yet, without --grow */
};

/* A word that --by takes, and the columns of its table. */
struct by_word {
    const char *word;
    const struct table_column *columns;
};

struct command {
    struct cli_command help; /* first, so that cli.h's pointers lead here */
    enum operands operands;
    unsigned does;
    enum answer_kind answer;
    alloc_fn run;
    const struct table_column *columns; /* of its table; NULL: none */
    const struct by_word *by;           /* ends with NULL */
};

/* The table of commands, as cli.h needs it (commands.c). */
const struct cli_command *alloc_command(size_t i);
extern const struct cli_meaning alloc_meanings[];
void alloc_offer(struct complete *c, const char *placeholder);

/*
 * Read a command, its options and its operands into a call (command_line.c).
 * Documents are left in ctx. Returns 0, or -1 with a diag in the call; an
 * unknown command is left in ctx.
 */
int command_read(poptContext ctx, struct alloc_call *call);

/* Return the columns of the table that a command prints, with this value of
   --by (NULL: not given), and of `pending` jobs; NULL: it prints no table. */
const struct table_column *alloc_columns(const struct command *command,
                                         const char *by, bool pending);

/* --- guesses at what was meant (guess.c) --------------------------------- */

/* Is the only operand the document? It is if it is "-", or a file that is not
   called like a number. Returns true or false, or -1 with a diag. */
int guess_document(const struct command *command, poptContext ctx,
                   struct diag *d);

/*
 * Notice a file in place of another operand: `release FILE` means the job FILE
 * of the set on standard input. At a terminal this is refused, because the
 * program would wait for ever. Otherwise the message mentions it if no input
 * comes.
 */
int guess_slip(const struct command *command, const char *word, const char *as,
               struct diag *d);

/*
 * Refuse a missing file in place of paths, ranks or hosts. It is called as
 * files are, by its ending or a directory before it. Otherwise the set would be
 * read from standard input.
 */
int guess_missing(const char *word, struct diag *d);

/* An operand that is left is no document if no file has this name. If it is
   clear what was meant, return -1 with a diag that says so. */
int guess_more(struct alloc_call *call, poptContext ctx);

/* Refuse a second document: a word too many. Say what may have been meant. */
void guess_documents(const struct command *command, const char *const *files);

/* --- the commands ------------------------------------------------------- */

/* Commands that give resources to jobs (allocate.c). */
int alloc_allocate(struct alloc_call *call);
int alloc_unstage(struct alloc_call *call); /* commit and abort */

/* Commands that take resources back (release.c). */
int alloc_release(struct alloc_call *call);
int alloc_shrink(struct alloc_call *call);
int alloc_extend(struct alloc_call *call);
int alloc_expire(struct alloc_call *call);

/* Commands that print something (allocate.c to look.c). */
int alloc_allocated(struct alloc_call *call);
int alloc_available(struct alloc_call *call);
int alloc_jobs(struct alloc_call *call);
extern const struct table_column alloc_jobs_columns[], alloc_pending_columns[],
    alloc_owners_columns[];
/* Check a given --job-state. Returns 0, or -1 with a diag. */
int alloc_jobs_check(const struct alloc_options *o, struct diag *d);
/* Does --job-state name pending jobs, which only stores have? */
bool alloc_jobs_pending(const struct alloc_options *o);
int alloc_nodes(struct alloc_call *call);
extern const struct table_column alloc_nodes_columns[];
int alloc_status(struct alloc_call *call);
int alloc_map(struct alloc_call *call);
int alloc_timeline(struct alloc_call *call);
extern const struct table_column alloc_types_columns[];

/* The next functions look at the lots in call->tops: see alloc_run(). */

/* Is any of them a node, or has one in it (nodes.c)? */
bool alloc_any_nodes(const struct alloc_call *call);

/*
 * alloc_groups: return the table of the groups of --by, or of all as one group
 * (nodes.c), or NULL with a diag in the call. alloc_each_group: call `next`
 * with each type that --by accepts.
 */
void alloc_each_group(struct rset *rs, word_fn *next, void *arg);
struct table *alloc_groups(struct alloc_call *call);
extern const struct table_column alloc_groups_columns[];

/* Return a table with a row for the nodes in each state (nodes.c). */
struct table *alloc_states(struct alloc_call *call);
extern const struct table_column alloc_states_columns[];

/* Print resources that are not up as lines (outages.c; `but_nodes`: not nodes,
   or what has nodes in it), or return all of them as objects. */
void outages_print(const struct alloc_call *call, bool but_nodes);
json_t *outages_json(const struct alloc_call *call);

/* Answer the commands in the file WHAT ("-": standard input) one by one on the
   set of a call (batch.c). */
int alloc_batch(struct alloc_call *call);

/* Run a scheduler (serve.c). */
int alloc_serve(struct alloc_call *call);

/* Read what serve and replay have in common: parents of queues, depth, slack,
   --queues, and how requests are matched. Are there queues with reservations,
   or conservative ones? */
struct scheduler_options;
void alloc_queue_options(struct scheduler_options *o,
                         const struct alloc_options *a, bool reserves,
                         bool conserves);

/* Replay the trace WHAT on the set of a call (replay.c). */
int alloc_replay(struct alloc_call *call);
/* Call `next` with each word that its --by takes. */
void alloc_each_group_key(word_fn *next, void *arg);

/* With --store (store.c): read its set; and note the command that was done,
   which store_sync() will commit. */
struct rset_list alloc_store_open(struct alloc_call *call);
void alloc_store_record(struct alloc_call *call);
int alloc_load(struct alloc_call *call);
int alloc_save(struct alloc_call *call);
int alloc_history(struct alloc_call *call);
extern const struct table_column alloc_history_columns[];
int alloc_check(struct alloc_call *call);

/* Commands on states, tags and properties (state.c). */
int alloc_state(struct alloc_call *call);
int alloc_mark(struct alloc_call *call); /* all but up, down and state */

/* Check the word after the targets, before a set is read. Returns 0, or -1 with
   a diag in the call. */
int alloc_read_word(struct alloc_call *call);

/* --- for all of them (alloc.c) ------------------------------------------ */

/* Is the answer to be JSON? True in a batch and with -o json. */
bool alloc_as_data(const struct alloc_call *call);

/* Print a table, or keep it as data with this name. Destroys the table. */
void alloc_put_table(struct alloc_call *call, const char *name,
                     struct table *t);

/* Add the name of the set to the diag of the call. Returns -1. */
int alloc_trouble(struct alloc_call *call);

/* Set the negative answer of the call and return STATUS_NO. alloc_no_match
   begins it with "no match now" or "no match ever", except in a batch, and
   returns `status`. */
int alloc_no(struct alloc_call *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int alloc_no_match(struct alloc_call *call, int status, const char *text);

/* Return the place of a lot for a message, valid until the next call. */
const char *alloc_place(struct alloc_call *call, const struct lot *lot);

/*
 * Check a text to be recorded: it must not be empty and must be UTF-8. The name
 * of a job or an owner also has a bounded length. `what` names the text in the
 * message. Returns 0, or -1 with a diag.
 */
int alloc_check_text(const char *what, const char *text, struct diag *d);
int alloc_check_name(const char *what, const char *text, struct diag *d);

/*
 * Make a plan of the resources named by PATH=N options. Returns a status. It is
 * negative, with a line, if a path leads nowhere or a resource has fewer units.
 * Naming the same units twice is an error.
 */
int alloc_pools(struct alloc_call *call, const char *option, char *const *list);

/* Return the R of the job, a new set. `held`: with everything that it holds. */
struct rset *alloc_job_R(struct alloc_call *call, bool held);

/* Read the document of --R into call->part. A fragment is placed in the set by
   its paths. Returns a status. */
int alloc_read_R(struct alloc_call *call);

/* Make a plan of the resources of call->part. Returns STATUS_OK; `no` with an
   answer, if the set lacks some of them; or -1. */
int alloc_cover(struct alloc_call *call, int no);

/* Set call->targets to the targets that --targets names. Returns 0 or -1. */
int alloc_targets(struct alloc_call *call);

/* Return the ranks of call->targets, a new set; NULL: no limit. */
struct idset *alloc_bounds(const struct alloc_call *call);

/* Add the lots of the call's targets, which there must be, to its lots. They
   have no other members; alloc_join_lots() ends that, and forgets them. */
void alloc_target_lots(struct alloc_call *call);
void alloc_join_lots(struct alloc_call *call);

/*
 * Run the command and return its status. A command that only prints returns
 * STATUS_NO if the limits name something that the set doesn't know, such as an
 * unknown property. A command with MAY_WHAT finds in call->tops the topmost
 * lots of WHAT, of the limits, or of everything (no lot lies in another), and
 * the usage at the time of --at or now.
 */
int alloc_run(struct alloc_call *call);

/* Does a word name paths, not ranks or hosts? */
bool alloc_names_paths(const char *what);

/*
 * Find the lots of call->what: everything ("/"), paths or URIs, or else
 * targets, ranks or hosts. The lots are split from their neighbours until the
 * command ends. Sets call->lots, which is not empty. Returns a status.
 */
int alloc_lots(struct alloc_call *call);

/* Is WHAT missing, or does it mean the whole set? */
bool alloc_means_all(const struct alloc_call *call);

/* End the call: free everything but the set. */
void alloc_end(struct alloc_call *call);

#endif /* RSET_ALLOC_ALLOC_H */

/*
 * The commands of rset-alloc: each works on one set, which is changed, or of
 * which something is told.
 */
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

/* Kinds of options (cli.h), so that a command can say which it takes. */
enum {
    NOW = CLI_NOW,
    AT = CLI_AT_TIME,
    EXPIRATION = CLI_EXPIRATION,
    DURATION = CLI_DURATION,
    REASON = CLI_OWN_KINDS,
    IN_PLACE = CLI_OWN_KINDS << 1,
    DOCUMENTS = CLI_READS, /* --expect-jobs, too */
    SETS = CLI_FORMS | CLI_EDITIONS | CLI_SETS,
    REQUEST = CLI_ASKS | CLI_BOUNDS | CLI_SEMANTICS,
};

/*
 * The options of a command line, or of a line of a batch: those that only some
 * of the commands take, and others. NULL or false: not given.
 */
struct alloc_options {
    char *owner, *write, *R, *targets, *reason, *save;
    char *job, *job_state, *state, *by; /* of tables */
    char **take, **give;                /* PATH=N, any number of them */
    bool grow, stage, held, any_state, expect_jobs, explain, no_R;
    bool in_place, changed, group_commit, all, map, watch;
    /* of serve: */
    char *kvs, *limit, *provider, *resources, *queue_policy, *clock, *log_level;
    char **groups; /* any number of them */
    struct cli_request_options request;
    struct cli_time_options times;
    struct cli_table_options table;
};
extern struct poptOption alloc_option_table[];

/* Those that a line of a batch has, too; for CLI_AT(struct alloc_options). */
#define ALLOC_OPTIONS                                                 \
    CLI_INCLUDE(alloc_option_table, 0, "Options:"),                   \
        CLI_REQUEST_OPTIONS(offsetof(struct alloc_options, request)), \
        CLI_TIME_OPTIONS(offsetof(struct alloc_options, times))

/* What a command works on. */
struct alloc_call {
    const struct command *command; /* NULL: not known yet */
    const struct alloc_options *options;
    struct table_choice choice;   /* of the table that it tells */
    struct diag d;                /* of STATUS_TROUBLE */
    const struct rset_list *sets; /* one, which is... */
    const struct named_rset *set;
    struct rset *rs;
    struct store *store;     /* from which it was read; NULL: a document */
    const char **files;      /* documents that were named */
    const char *job;         /* NULL: none was named */
    const char *what, *word; /* targets, and what is to become of them */
    char *key;               /* in the word, made for it; NULL: none */
    const char *value;
    double now;
    bool now_given; /* and not by the system's clock */
    const char *data_name;
    /* Made for it, or NULL; alloc_end() frees it. */
    char *owner;
    struct request *req;
    struct constraint *targets; /* of the request, or that a text names */
    struct selection *plan;     /* what is given, or taken back */
    struct lots lots;           /* what is meant */
    struct rset *part;          /* of --R, or a copy of the set */
    struct rset *made;          /* written instead of the set */
    json_t *data;               /* what a table tells, if asked for as data */
    struct job_copy *undo;      /* in a batch: what the job had before */
    bool nothing_new;           /* all is well as it was */
    /* In a batch: */
    char *why;       /* takes the line that says no; NULL: no batch */
    uint64_t nslots; /* that the job was just given, if it had nothing */
    bool moldable;
    bool gave; /* the job was given something */
};
enum { WHY_MAX = 1024 };

/*
 * A command returns its exit status; the set is written when that is 0. A
 * no is told in one line; of trouble there is a diag in the call.
 */
typedef int (*alloc_fn)(struct alloc_call *call);

/* What comes after the command, before the document. */
enum operands {
    NOTHING,
    JOB,
    MAY_JOB,
    JOB_IN_BATCH, /* as MAY_WHAT; in a batch a job, unless it is a path */
    WHAT,
    MAY_WHAT,
    WHAT_WORD,
    COMMANDS
};

/* What it does: bits. */
enum {
    RECORDS = 1, /* all that it does is in records */
    CHANGES = 2, /* it changes the set */
    FACTS = 4,   /* and that is what pools are, or in what state */
    STORED = 8,  /* it is about a store */
    PIECES = 16, /* it can do with pieces of a set */
    ALONE = 32,  /* it works on no set that is read before */
};

struct command {
    struct cli_command help; /* first: a command of cli.h is in one of these */
    enum operands operands;
    unsigned does;
    enum answer_kind answer;
    alloc_fn run;
};

/* The commands and their words, as cli.h wants them (commands.c). */
const struct cli_command *alloc_command(size_t i);
extern const struct cli_meaning alloc_meanings[];
void alloc_offer(struct complete *c, const char *placeholder);

/*
 * Read a command (command_line.c), all options and its operands into a call;
 * documents are left in ctx. Returns 0, or -1 with a fault in the call, and
 * leaves in ctx what is no command.
 */
int command_read(poptContext ctx, struct alloc_call *call);

/* The columns of the table that a command tells; NULL: it tells none. */
const struct table_column *alloc_columns(alloc_fn run);

/* Give (allocate.c). */
int alloc_allocate(struct alloc_call *call);
int alloc_grow(struct alloc_call *call);
int alloc_commit(struct alloc_call *call);
int alloc_abort(struct alloc_call *call);

/* Take back (release.c). */
int alloc_release(struct alloc_call *call);
int alloc_shrink(struct alloc_call *call);
int alloc_extend(struct alloc_call *call);
int alloc_expire(struct alloc_call *call);

/* Tell (allocate.c, jobs.c, nodes.c, status.c). */
int alloc_allocated(struct alloc_call *call);
int alloc_available(struct alloc_call *call);
int alloc_jobs(struct alloc_call *call);
extern const struct table_column alloc_jobs_columns[], alloc_owners_columns[];
/* --job-state, which was given: 0, or -1 with a diag. */
int alloc_jobs_check(const struct alloc_options *o, struct diag *d);
int alloc_nodes(struct alloc_call *call);
extern const struct table_column alloc_nodes_columns[];
/* --state, which was given: 0, or -1 with a diag. */
int alloc_nodes_check(const struct alloc_options *o, struct diag *d);
int alloc_status(struct alloc_call *call);
int alloc_map(struct alloc_call *call);
int alloc_timeline(struct alloc_call *call);
extern const struct table_column alloc_types_columns[];

/* Is any of these lots a node, or has one in it (nodes.c)? */
bool alloc_any_nodes(const struct alloc_call *call, const struct lots *lots);

/* Count the pools of a type (-1: nodes) in these lots (nodes.c). */
uint64_t alloc_count(const struct alloc_call *call, const struct lots *lots,
                     int ntype);

/* The groups of --by, or all as one (nodes.c), NULL with a diag in the call;
   each type that is one of it. */
void alloc_each_group(struct rset *rs, word_fn *next, void *arg);
struct table *alloc_groups(struct alloc_call *call, const struct lots *tops);
extern const struct table_column alloc_groups_columns[];

/* What is not up in these lots (outages.c): a line, or an object, each. */
struct outages *outages_of(struct alloc_call *call, const struct lots *tops);
void outages_destroy(struct outages *o);
void outages_print(const struct outages *o);
json_t *outages_json(const struct outages *o);

/*
 * Answer the commands in a file, which is WHAT ("-": standard input), one by
 * one, on the set of a call (batch.c).
 */
int alloc_batch(struct alloc_call *call);

/* Be a scheduler, of a set that it gets from a provider (serve.c). */
int alloc_serve(struct alloc_call *call);

/*
 * With --store (store.c): a set is read, and a command was done, which
 * store_sync() will commit.
 */
struct rset_list alloc_store_open(struct alloc_call *call);
void alloc_store_record(struct alloc_call *call);
int alloc_load(struct alloc_call *call);
int alloc_save(struct alloc_call *call);
int alloc_history(struct alloc_call *call);
extern const struct table_column alloc_history_columns[];
int alloc_check(struct alloc_call *call);

/* States, tags and properties (state.c). */
int alloc_drain(struct alloc_call *call);
int alloc_undrain(struct alloc_call *call);
int alloc_state(struct alloc_call *call);
int alloc_exclusive(struct alloc_call *call);
int alloc_unexclusive(struct alloc_call *call);
int alloc_tag(struct alloc_call *call);
int alloc_untag(struct alloc_call *call);
int alloc_property(struct alloc_call *call);

/* The word after the targets, checked before a set is read. */
int alloc_read_word(struct alloc_call *call);

/* --- for all of them (alloc.c) ------------------------------------------ */

/* Is a table to be told as data? */
bool alloc_as_data(const struct alloc_call *call);

/* Tell a table, which is destroyed, as such or as data of this name. */
void alloc_tell(struct alloc_call *call, const char *name, struct table *t);

/* The diag of the call is of its set. Returns STATUS_TROUBLE. */
int alloc_trouble(struct alloc_call *call);

/* A no: one line, and STATUS_NO. With a match: "no match now", or "ever". */
int alloc_no(const struct alloc_call *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int alloc_no_match(const struct alloc_call *call, int status, const char *text);

/*
 * Text that is to be recorded is some, and UTF-8; `what` it is names it in a
 * fault. A job or an owner has a name of bounded length, too. Returns 0, or -1
 * with a diag.
 */
int alloc_check_text(const char *what, const char *text, struct diag *d);
int alloc_check_name(const char *what, const char *text, struct diag *d);

/*
 * What is named by PATH=N options, all of them at once, becomes the plan: whole
 * pools or units. Returns a status: a no with a line if a path leads nowhere,
 * or a pool has not so many units; a pool that is named twice is trouble.
 */
int alloc_pools(struct alloc_call *call, const char *option, char *const *list);

/* The R of the job, with its times; all that is held with `held`. */
struct rset *alloc_job_R(struct alloc_call *call, bool held);

/* The document of --R. A fragment of the set lies where its paths say. */
int alloc_read_R(struct alloc_call *call);

/* What it names becomes the plan; or the status of a no, which is told. */
int alloc_cover(struct alloc_call *call, int no);

/* The targets that a text names become the call's. */
int alloc_targets(struct alloc_call *call, const char *text,
                  const char *option);

/* The ranks of the call's targets, a new set; NULL: any, and what has none. */
int alloc_bounds(struct alloc_call *call, struct idset **ranks);

/* Do it. What tells of targets is a no if they are none by a word, as a
   property, that the set does not know. */
int alloc_run(struct alloc_call *call);

/* Does a word name paths, and not ranks or hosts? */
bool alloc_names_paths(const char *what);

/*
 * The lots of what `what` names: all of the set, paths or URIs if it begins
 * like one, else targets, ranks or hosts. They have no other members, which
 * lots_join() ends. They become the call's, and are some: a status.
 */
int alloc_lots(struct alloc_call *call);

/* Is no WHAT given, or one that is all of the set? */
bool alloc_means_all(const struct alloc_call *call);

/*
 * What a command tells of, now or at the time of --at: of WHAT or of bounded
 * targets, or all. None of these lots lies in another. Whoever had them ends
 * them.
 */
int alloc_tops(struct alloc_call *call, struct lots *tops);
void alloc_tops_end(struct alloc_call *call, struct lots *tops);

/* The command is over: only the set is left. */
void alloc_end(struct alloc_call *call);

#endif /* RSET_ALLOC_ALLOC_H */

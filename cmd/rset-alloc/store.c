/* rset-alloc with --store: commands that work on the set of a store in place of
   a document, and commands about the store itself. */
#include <stdlib.h>

#include "alloc.h"
#include "base/show.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/validate.h"
#include "compare/patch.h"
#include "store/store.h"

/* --- commands on a set -------------------------------------------------- */

void alloc_store_record(struct alloc_call *call)
{
    const struct operation op = {.time = call->now,
                                 .command = call->command->help.name,
                                 .job = call->job,
                                 .what = call->what,
                                 .reason = call->options->reason,
                                 .facts = call->command->does & FACTS};

    if (call->store && call->command->does & CHANGES && !call->nothing_new)
        store_record(call->store, &op);
}

struct rset_list alloc_store_open(struct alloc_call *call)
{
    const struct alloc_options *o = call->options;
    enum store_mode mode = call->command->operands == COMMANDS ? STORE_LEASE
                           : call->command->does & CHANGES     ? STORE_WRITE
                                                               : STORE_READ;

    /* some commands need only some pools and one job */
    bool pieces = call->command->does & PIECES && call->job && !o->R && !o->take
                  && !o->give && !o->targets && !o->expect_jobs;

    /* pending jobs are read in the same transaction */
    if (mode == STORE_READ && alloc_jobs_pending(o)) {
        call->store = cli_store_open(mode);
        return cli_store_read(call->store);
    }
    return cli_store_begin(&call->store, mode, pieces, o->times.earliest,
                           call->now);
}

/* --- commands on the store ---------------------------------------------- */

int alloc_load(struct alloc_call *call)
{
    progress_begin("writing", cli_store);
    store_create(cli_store, call->rs, cli_store_how());
    progress_end();
    return STATUS_OK;
}

/* Return a patch from the last save to now, while nobody changes the store. */
static json_t *make_patch(struct rset *now)
{
    struct store *past = cli_store_open(STORE_MARKED);
    struct rset_list was = cli_store_read(past);
    struct diag d = {0};
    json_t *patch = rset_patch(was.list[0].rs, now, &d);

    if (!patch)
        cli_die_in(&d, was.list[0].name);
    cli_free(&was);
    store_close(past);
    return patch;
}

int alloc_save(struct alloc_call *call)
{
    struct store *s;
    struct rset_list sets;
    int64_t revision;

    if (cli_quiet)
        return cli_fault(&call->d,
                         "--quiet: save writes the set, or what changed");
    s = cli_store_open(STORE_MARK);
    sets = cli_store_read(s);
    revision = store_revision(s);
    store_end_reading(s);
    if (cli_drops_records(sets.list[0].rs))
        cli_die("%s: save: an R of the current edition can hold "
                "records only in a graph",
                cli_store);
    if (call->options->changed)
        cli_write_json(make_patch(sets.list[0].rs));
    else
        cli_write(sets.list[0].rs, sets.list[0].name);
    cli_flush(); /* a set that could not be written is not saved */
    store_mark(s);
    cli_warn("revision %lld", (long long)revision);
    cli_free(&sets);
    store_close(s);
    return STATUS_OK;
}

enum {
    COL_REVISION,
    COL_TIME,
    COL_USER,
    COL_COMMAND,
    COL_JOB,
    COL_WHAT,
    COL_REASON
};

const struct table_column alloc_history_columns[] = {
    [COL_REVISION] = {"revision", CELL_NUMBER, true},
    [COL_TIME] = {"time", CELL_TIME, false},
    [COL_USER] = {"user", CELL_NAME, false},
    [COL_COMMAND] = {"command", CELL_NAME, false},
    [COL_JOB] = {"job", CELL_JOB, false},
    [COL_WHAT] = {"what", CELL_NAME, false},
    [COL_REASON] = {"reason", CELL_PROSE, false},
    {0}};

static void put_past(const struct past *past, void *arg)
{
    struct table *t = arg;

    table_row(t);
    table_number(t, COL_REVISION, past->revision);
    table_seconds(t, COL_TIME, past->time);
    table_text(t, COL_USER, past->user);
    table_text(t, COL_COMMAND, past->command);
    table_text(t, COL_JOB, past->job);
    table_text(t, COL_WHAT, past->what);
    table_text(t, COL_REASON, past->reason);
}

int alloc_history(struct alloc_call *call)
{
    struct store *s = cli_store_open(STORE_READ);
    struct table *t = table_create(alloc_history_columns);

    store_history(s, put_past, t);
    store_close(s);
    alloc_put_table(call, "history", t);
    return STATUS_OK;
}

static void print_fault(const char *text, void *arg)
{
    FILE *fp = cli_quiet ? stderr : stdout; /* it is an error */
    bool *any = arg;

    *any = true;
    fprintf(fp, "%s: ", cli_store);
    show(fp, text);
    putc('\n', fp);
}

/* Check the rules of documents, or of a store's set, and that the store's
   database is sound. */
int alloc_check(struct alloc_call *call)
{
    unsigned how = VALIDATE_RECORDS | VALIDATE_WAITING
                   | (call->options->expect_jobs ? VALIDATE_JOBS : 0);
    struct store *s;
    bool any = false;
    struct rset_list sets;
    struct diag d = {0};
    char *text;
    size_t len;
    int status;

    if (!cli_store)
        return cli_validate(call->files, how);
    s = cli_store_open(STORE_READ);
    store_check(s, print_fault, &any);
    if (any)
        cli_exit(STATUS_TROUBLE);
    sets = cli_store_read(s);
    store_check_counts(s, print_fault, &any);
    if (any)
        cli_exit(STATUS_TROUBLE);
    text = rset_text(sets.list[0].rs, &(struct rset_style){0}, &len, &d);
    if (!text)
        cli_die_in(&d, cli_store);
    status = cli_validate_text(text, len, cli_store, how);
    free(text);
    cli_leave(&sets);
    store_close(s);
    return status;
}

/* rset-alloc jobs: a row for each job that passes the filters. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/map.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/store.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "view/holders.h"
#include "view/job_summary.h"

/* A row of the table: what a job has, and, if it waits in the queue of a
   service, what it asks for. */
struct row {
    struct job_summary has;    /* first: see job_compare_first() */
    struct pending_row queued; /* request NULL: it is not pending */
};

static const char *const states[] = {
    "staged", "reserved", "ended", "waiting", "allocated", "shared", "pending"};
enum { STAGED, RESERVED, ENDED, WAITING, ALLOCATED, SHARED, PENDING, STATES };

static int row_state(const struct row *row, double now)
{
    if (row->queued.request)
        return PENDING;
    if (row->has.staged)
        return STAGED;
    if (row->has.start > now)
        return RESERVED;
    if (row->has.end >= 0 && row->has.end <= now)
        return ENDED;
    if (row->has.awaited.n)
        return WAITING;
    return row->has.n > 0 ? ALLOCATED : SHARED;
}

/* --- filters ------------------------------------------------------------- */

/* Does a word mean a name? It may equal the name, be a set with its number, or
   be another form of its id. */
static bool means(const char *word, const char *name)
{
    struct idset *ids = NULL;
    char digits[JOB_DIGITS_MAX];
    struct diag d;
    int64_t number;
    bool found = !strcmp(word, name)
                 || (job_decode(word, true, digits) && !strcmp(digits, name));

    if (!found && job_is_number(name, &number) && number <= IDSET_MAX
        && idset_decode(word, strlen(word), &ids, &d) == 0)
        found = idset_contains(ids, (uint32_t)number);
    idset_destroy(ids);
    return found;
}

/* Does a list with commas contain a name? */
static bool is_among(const char *name, const char *list)
{
    char *copy = xstrdup(list), *rest = copy, *word;
    bool found = !strcmp(name, list);

    while (!found && (word = strsep(&rest, ",")))
        found = means(word, name);
    free(copy);
    return found;
}

bool alloc_jobs_pending(const struct alloc_options *o)
{
    return cli_has_word(o->job_state, states[PENDING]);
}

/* A search for jobs, and the rows of those that pass the filters. */
struct search {
    struct alloc_call *call;
    struct idset *ranks; /* they must hold something on these; NULL: anywhere */
    struct map on_what;  /* jobs that hold anything in WHAT, if there is one */
    struct row *rows;
    size_t n;
    int last;           /* the furthest filter that any job reached */
    const char **names; /* of pending jobs that pass --job */
    size_t nnames;
};

/* Return the words of --job that name no job, separated by commas; or NULL. */
static char *unknown_jobs(const struct search *s, const char *words)
{
    char *copy = xstrdup(words), *rest = copy, *word, *list;
    FILE *fp = memory_open(&list, NULL);
    size_t n = 0;

    while ((word = strsep(&rest, ","))) {
        const struct job *job = usage_jobs(s->call->rs->usage);
        while (job && strcmp(job->name, words) != 0 && !means(word, job->name))
            job = job->next;
        if (!job
            && VECTOR_FIND(i, s->nnames, means(word, s->names[i])) == s->nnames)
            fprintf(fp, "%s%s", n++ ? "," : "", word);
    }
    free(copy);
    return memory_take(fp, &list, n > 0);
}

int alloc_jobs_check(const struct alloc_options *o, struct diag *d)
{
    if (cli_check_words("--job-state", o->job_state, states, STATES,
                        "no job is", d)
        < 0)
        return -1;
    if (alloc_jobs_pending(o) && !cli_store)
        return cli_fault(d, "--job-state pending needs --store");
    return 0;
}

/* Note the jobs that hold anything of a lot, or (`whole`) all of it. */
static void note_jobs(struct search *s, const struct lot *lot, bool whole)
{
    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (term_uses(g->term) && (!whole || grant_is_whole(g)))
            map_at(&s->on_what, &g->term->job, sizeof(g->term->job));
}

enum { BY_JOB, BY_OWNER, BY_STATE, BY_TARGETS, PASSES };

/* Return the first filter that a job does not pass, or PASSES. A job without
   records is pending, and holds nothing anywhere. */
static int filter(const struct search *s, const struct row *row,
                  const struct job *job)
{
    const struct alloc_options *o = s->call->options;
    const char *state = states[row_state(row, s->call->now)];

    if (o->job && !is_among(row->has.job, o->job))
        return BY_JOB;
    if (o->owner && !(row->has.owner && is_among(row->has.owner, o->owner)))
        return BY_OWNER;
    if (o->job_state && !cli_has_word(o->job_state, state))
        return BY_STATE;
    if ((s->ranks && !idset_overlaps(row->has.ranks, s->ranks))
        || (!alloc_means_all(s->call)
            && !map_find(&s->on_what, &job, sizeof(job))))
        return BY_TARGETS;
    return PASSES;
}

/* --- output -------------------------------------------------------------- */

enum {
    COL_JOB,
    COL_OWNER,
    COL_STATE,
    COL_NODES,
    COL_CORES,
    COL_GPUS,
    COL_START,
    COL_END,
    COL_LEFT,
    COL_HOSTS,
    COL_OTHER,
    COL_RANKS,
    COL_UNITS,
    COL_QUEUE,
    COL_WAITS_FOR,
    COL_PRIORITY,
    COL_REQUEST,
    COL_SUBMITTED,
    COL_ESTIMATE,
    COL_PENDING_REASON
};

/* The columns of all jobs. In a table with pending jobs some are hidden. */
#define JOBS_COLUMNS(pending)                      \
    [COL_JOB] = {"job", CELL_JOB, false},          \
    [COL_OWNER] = {"owner", CELL_JOB, false},      \
    [COL_STATE] = {"state", CELL_NAME, false},     \
    [COL_NODES] = {"nodes", CELL_NUMBER, pending}, \
    [COL_CORES] = {"cores", CELL_NUMBER, pending}, \
    [COL_GPUS] = {"gpus", CELL_NUMBER, pending},   \
    [COL_START] = {"start", CELL_TIME, pending},   \
    [COL_END] = {"end", CELL_TIME, pending},       \
    [COL_LEFT] = {"left", CELL_DURATION, pending}, \
    [COL_HOSTS] = {"hosts", CELL_NAME, pending},   \
    [COL_OTHER] = {"other", CELL_LIST, pending},   \
    [COL_RANKS] = {"ranks", CELL_NAME, true},      \
    [COL_UNITS] = {"units", CELL_LIST, true},      \
    [COL_QUEUE] = {"queue", CELL_NAME, true},      \
    [COL_WAITS_FOR] = {"waits_for", CELL_LIST, true}

const struct table_column alloc_jobs_columns[] = {JOBS_COLUMNS(false), {0}};

const struct table_column alloc_pending_columns[] = {
    JOBS_COLUMNS(true),
    [COL_PRIORITY] = {"priority", CELL_NUMBER, false},
    [COL_REQUEST] = {"request", CELL_LIST, false},
    [COL_SUBMITTED] = {"submitted", CELL_TIME, false},
    [COL_ESTIMATE] = {"estimate", CELL_TIME, false},
    [COL_PENDING_REASON] = {"reason", CELL_PROSE, false},
    {0}};

/* Put units by type: as recorded, or all that have no column of their own. */
static void put_units(struct table *t, int column, const struct row *row)
{
    json_t *units = json_object();
    char *text;
    FILE *fp = memory_open(&text, NULL);

    for (size_t i = 0; i < row->has.n; i++) {
        const struct job_units *of = &row->has.list[i];
        bool other = column == COL_OTHER;
        int64_t n = of->units + (other ? of->inside : 0);
        if (other ? job_summary_counts(of->type) : !n)
            continue;
        fprintf(fp, "%s%s=%lld", json_object_size(units) ? "," : "", of->type,
                (long long)n);
        json_object_set_new(units, of->type, json_integer(n));
    }
    memory_close(fp);
    table_list(t, column, text, units);
    free(text);
}

/* Put a job that is pending, with its request as one word. */
static void put_pending(struct table *t, const struct pending_row *queued)
{
    char *word = xstrdup(queued->request);

    for (char *c = word; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    table_seconds(t, COL_LEFT, queued->duration);
    table_number(t, COL_PRIORITY, queued->priority);
    table_list(t, COL_REQUEST, word, json_string(queued->request));
    table_seconds(t, COL_SUBMITTED, queued->submitted);
    table_seconds(t, COL_ESTIMATE, queued->estimate);
    table_text(t, COL_PENDING_REASON, queued->reason);
    free(word);
}

static void put_row(struct alloc_call *call, struct table *t,
                    const struct row *row)
{
    /* before its start a job has all its time left, after its end none */
    double from = row->has.start > call->now ? row->has.start : call->now;
    struct table_choice *choice = &call->choice;
    char *text;

    table_row(t);
    table_text(t, COL_JOB, row->has.job);
    table_text(t, COL_OWNER, row->has.owner);
    table_text(t, COL_STATE, states[row_state(row, call->now)]);
    table_text(t, COL_QUEUE, row->has.queue);
    if (row->queued.request) {
        put_pending(t, &row->queued);
        return;
    }
    table_number(t, COL_NODES, row->has.nodes);
    table_number(t, COL_CORES, row->has.cores);
    table_number(t, COL_GPUS, row->has.gpus);
    table_seconds(t, COL_START, row->has.start);
    table_seconds(t, COL_END, row->has.end);
    table_seconds(t, COL_LEFT,
                  row->has.end < 0      ? TIME_UNSET
                  : row->has.end > from ? row->has.end - from
                                        : 0);
    text = idset_encode(row->has.ranks);
    table_text(t, COL_RANKS, text);
    free(text);
    if (call->rs->hosts && !idset_empty(row->has.ranks)) {
        text = rset_hosts_text(call->rs, row->has.ranks);
        table_text(t, COL_HOSTS, text);
        free(text);
    }
    put_units(t, COL_OTHER, row);
    put_units(t, COL_UNITS, row);
    if (!row->has.awaited.n)
        return;
    holders_put(t, COL_WAITS_FOR, &row->has.awaited);
    /* show this column, too, unless columns were chosen */
    if (!call->options->table.columns
        && choice->columns[choice->ncolumns - 1] != COL_WAITS_FOR)
        choice->columns[choice->ncolumns++] = COL_WAITS_FOR;
}

/* Keep the row of a job that passes the filters. */
static void take_row(struct search *s, const struct row *row, int at)
{
    s->last = at > s->last ? at : s->last;
    if (at < PASSES) {
        job_summary_fini(&row->has);
        return;
    }
    VECTOR_ADD(s->rows, s->n, *row);
}

static void gather_pending(const struct pending_row *p, void *arg)
{
    struct search *s = arg;
    const struct alloc_call *call = s->call;
    char job[JOB_DIGITS_MAX], owner[JOB_DIGITS_MAX];
    struct row row = {.has = {.start = TIME_UNSET, .end = TIME_UNSET},
                      .queued = *p};
    int at;

    snprintf(job, sizeof(job), "%lld", (long long)p->id);
    snprintf(owner, sizeof(owner), "%lld", (long long)p->owner);
    if (call->job && strcmp(call->job, job) != 0)
        return;
    row.has.job = rset_string(call->rs, job);
    row.has.owner = rset_string(call->rs, owner);
    row.has.queue = rset_string(call->rs, p->queue);
    row.queued.request = rset_string(call->rs, p->request);
    row.queued.reason = rset_string(call->rs, p->reason);
    row.has.ranks = idset_create();
    at = filter(s, &row, NULL);
    if (call->options->job && at > BY_JOB)
        VECTOR_ADD(s->names, s->nnames, row.has.job);
    take_row(s, &row, at);
}

/* Answer that no job passes, and name the filter. */
static int no_jobs(struct alloc_call *call, int last)
{
    const struct alloc_options *o = call->options;
    const char *const filters[][2] = {
        [BY_JOB] = {o->job, "--job"},
        [BY_OWNER] = {o->owner, "--owner"},
        [BY_STATE] = {o->job_state, "--job-state"},
        [BY_TARGETS] = {"", cli_first_set(cli_request_table, &o->request,
                                          CLI_BOUNDS)},
    };

    while (!filters[last][0])
        last++;
    if (last == BY_TARGETS && call->what)
        return alloc_no(call, "no job holds anything on %s", call->what);
    return alloc_no(call, "no job passes %s%s%s", filters[last][1],
                    *filters[last][0] ? " " : "", filters[last][0]);
}

/* --- by owner ------------------------------------------------------------- */

enum {
    COL_OWNER_NAME,
    COL_OWNER_JOBS,
    COL_OWNER_NODES,
    COL_OWNER_CORES,
    COL_OWNER_GPUS
};

const struct table_column alloc_owners_columns[] = {
    [COL_OWNER_NAME] = {"owner", CELL_JOB, false},
    [COL_OWNER_JOBS] = {"jobs", CELL_NUMBER, false},
    [COL_OWNER_NODES] = {"nodes", CELL_NUMBER, false},
    [COL_OWNER_CORES] = {"cores", CELL_NUMBER, false},
    [COL_OWNER_GPUS] = {"gpus", CELL_NUMBER, false},
    {0}};

/* Sort by owner; jobs without one come last. */
static int compare_owners(const void *a, const void *b)
{
    const char *x = ((const struct row *)a)->has.owner,
               *y = ((const struct row *)b)->has.owner;

    return x && y ? strverscmp(x, y) : !x - !y;
}

/* Add up the jobs of each owner. A node with several of them counts once. */
static struct table *owners_table(struct row *rows, size_t n)
{
    struct table *t = table_create(alloc_owners_columns);

    VECTOR_SORT(rows, n, compare_owners);
    for (size_t i = 0, next; i < n; i = next) {
        struct idset *ranks = idset_create();
        int64_t nodes = 0, cores = 0, gpus = 0;

        for (next = i; next < n && !compare_owners(&rows[i], &rows[next]);
             next++) {
            const struct row *row = &rows[next];
            /* nodes without ranks are counted for each job */
            nodes += row->has.nodes - (int64_t)idset_count(row->has.ranks);
            idset_add_set(ranks, row->has.ranks);
            cores += row->has.cores;
            gpus += row->has.gpus;
        }
        table_row(t);
        table_text(t, COL_OWNER_NAME, rows[i].has.owner);
        table_number(t, COL_OWNER_JOBS, (int64_t)(next - i));
        table_number(t, COL_OWNER_NODES, nodes + (int64_t)idset_count(ranks));
        table_number(t, COL_OWNER_CORES, cores);
        table_number(t, COL_OWNER_GPUS, gpus);
        idset_destroy(ranks);
    }
    return t;
}

static struct table *jobs_table(struct alloc_call *call, struct row *rows,
                                size_t n)
{
    struct table *t = table_create(alloc_jobs_pending(call->options)
                                       ? alloc_pending_columns
                                       : alloc_jobs_columns);

    VECTOR_SORT(rows, n, job_compare_first);
    for (size_t i = 0; i < n; i++)
        put_row(call, t, &rows[i]);
    return t;
}

/* Gather the rows of all jobs, or of the one that is named, that hold anything
   in WHAT or on the targets of options and pass the filters. Returns a
   status. */
static int find_rows(struct search *s)
{
    struct alloc_call *call = s->call;
    struct row row = {0};
    char digits[JOB_DIGITS_MAX];
    const struct job *job;
    struct usage *u;
    struct diag d;
    int status;

    if (alloc_means_all(call)) {
        s->ranks = alloc_bounds(call);
    } else if ((status = alloc_lots(call)) != STATUS_OK) {
        u = usage_begin(call->rs);
        d = call->d; /* if WHAT is a job, add how to name a job */
        if (!call->in_batch && job_find(u, ledger_job(u, call->what, digits)))
            diag_set(&call->d, "%s; one job: --job %s", d.text, call->what);
        return status;
    }
    u = usage_begin(call->rs);
    for (size_t i = 0; i < call->lots.n; i++) {
        struct lot *top = call->lots.list[i], *lot = top;

        for (; lot; lot = lot_next_in(u, top, lot))
            note_jobs(s, lot, false);
        while ((top = top->parent))
            note_jobs(s, top, true);
    }
    job = call->job ? job_find(u, call->job) : usage_jobs(u);
    for (; job; job = call->job ? NULL : job->next)
        take_row(s, &row,
                 job_summarize(&row.has, u, job, call->now)
                     ? filter(s, &row, job)
                     : BY_JOB);
    if (alloc_jobs_pending(call->options)) {
        store_each_pending(call->store, gather_pending, s);
        store_end_reading(call->store);
    }
    return STATUS_OK;
}

int alloc_jobs(struct alloc_call *call)
{
    const struct alloc_options *o = call->options;
    bool filtered = o->job || o->owner || o->job_state || call->targets
                    || !alloc_means_all(call);
    struct search s = {.call = call, .last = BY_JOB};
    char *unknown;
    int status;

    if ((status = find_rows(&s)) != STATUS_OK)
        return status;
    unknown = o->job ? unknown_jobs(&s, o->job) : NULL;
    if (s.n > 0 || (!call->job && !filtered)) {
        if (unknown)
            cli_warn("%s: there is no job %s", call->set->name, unknown);
        alloc_put_table(call, o->by ? "owners" : "jobs",
                        o->by ? owners_table(s.rows, s.n)
                              : jobs_table(call, s.rows, s.n));
    } else {
        status = call->job ? alloc_no(call, "job %s holds nothing", call->job)
                 : unknown ? alloc_no(call, "there is no job %s", unknown)
                           : no_jobs(call, s.last);
    }
    for (size_t i = 0; i < s.n; i++)
        job_summary_fini(&s.rows[i].has);
    free(s.rows);
    free(s.names);
    idset_destroy(s.ranks);
    map_fini(&s.on_what);
    free(unknown);
    return status;
}

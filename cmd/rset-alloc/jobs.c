/* rset-alloc jobs: a row for each job that passes the filters. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/near.h"
#include "cli/cli.h"
#include "cli/store.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "view/holders.h"

/* Units of one type that a job has, and the first lot with them. */
struct units {
    const char *type;
    const struct lot *first;
    int64_t units;  /* recorded */
    int64_t inside; /* in pools of other types that the job holds whole */
};

struct row {
    const char *job, *owner, *queue;
    double start, end;
    struct job_list awaited; /* ended jobs that still hold its resources */
    bool any, staged, pending;
    int64_t nodes, cores, gpus; /* including those in pools held whole */
    struct idset *ranks;        /* the targets on which it holds anything */
    struct units *list;
    size_t n;
    /* of a job that waits in the queue of a service: */
    int64_t priority;
    const char *request, *reason;
    double submitted, estimate, duration;
};

/* Is lot `a` before lot `b` in the order of the tree? */
static bool comes_before(const struct lot *a, const struct lot *b)
{
    for (const struct lot *up = a; up->parent; up = up->parent) {
        const struct lot *other = b;
        while (other->parent && other->parent != up->parent)
            other = other->parent;
        if (other->parent)
            return up == other ? up == a : lot_compare(up, other) < 0;
    }
    return false;
}

/* Add units of a type: recorded in a lot, or inside of it. If there are
   recorded units, only lots with these count for the first one. */
static void add_units(struct row *row, const struct lot *lot, const char *type,
                      int64_t units, int64_t inside)
{
    struct units *of;
    size_t i = 0;

    while (i < row->n && row->list[i].type != type)
        i++;
    if (i == row->n) {
        VECTOR_GROW(row->list, row->n);
        row->list[row->n++] = (struct units){.type = type, .first = lot};
    }
    of = &row->list[i];
    if ((units && !of->units)
        || ((units || !of->units) && comes_before(lot, of->first)))
        of->first = lot;
    of->units += units;
    of->inside += inside;
}

static bool has_column(const char *type)
{
    return type_is_node(type) || !strcmp(type, "core") || !strcmp(type, "gpu");
}

/*
 * Add the contents of a lot that a job holds whole: memory, for example. Pools
 * that only group others, such as sockets, and parts of cores and GPUs are left
 * out.
 */
static void add_inside(struct row *row, const struct usage *u,
                       const struct lot *lot, int64_t pools)
{
    const struct types *types = usage_types(u);
    const int64_t *below = usage_row(u, lot->v);
    int core = usage_type(u, map_interned(&usage_rset(u)->names, "core")),
        gpu = usage_type(u, map_interned(&usage_rset(u)->names, "gpu"));

    for (int t = 0; below && t < (int)types->count; t++)
        if (below[t] && types->flags[t] & TYPE_BARE
            && !has_column(types->names[t])
            && (core < 0 || !types_below(types, t, core))
            && (gpu < 0 || !types_below(types, t, gpu)))
            add_units(row, lot, types->names[t], 0, below[t] * pools);
}

/* Return the units of a type in `units` units of a lot. */
static int64_t units_of(const struct usage *u, const struct lot *lot,
                        int64_t units, const char *type)
{
    int ntype = usage_type(u, map_interned(&usage_rset(u)->names, type));

    if (ntype >= 0 && lot->v->type == usage_types(u)->names[ntype])
        return units;
    return units < lot->v->size ? 0 : usage_total(u, lot->v, ntype);
}

/* Count the node around a lot, unless counted already in this walk; or, above
   nodes, the nodes in it. */
static void add_nodes(struct row *row, struct usage *u, uint32_t walk,
                      struct lot *lot, int64_t units)
{
    struct lot *node = NULL;

    for (struct lot *up = lot; up->parent; up = up->parent)
        if (type_is_node(up->v->type))
            node = up;
    if (!node)
        row->nodes += units_of(u, lot, units, "node") * lot_pools(lot, NULL);
    else if (lot_visit(node, walk))
        row->nodes += (node == lot && units ? units : 1)
                      * lot_pools(node, NULL);
}

static int compare_shares(const void *a, const void *b)
{
    const struct units *x = a, *y = b;
    int order = comes_before(y->first, x->first)
                - comes_before(x->first, y->first);

    return order ? order : strcmp(x->type, y->type);
}

static void add_grant(struct row *row, struct usage *u, uint32_t walk,
                      const struct grant *g)
{
    bool claim = g->term->kind == GRANT_CLAIM;
    int64_t units = claim ? g->units : 0, pools = lot_pools(g->lot, NULL);

    lot_add_ranks(g->lot, grant_is_whole(g), row->ranks);
    add_nodes(row, u, walk, g->lot, units);
    if (!claim)
        return;
    row->any = true;
    row->cores += units_of(u, g->lot, units, "core") * pools;
    row->gpus += units_of(u, g->lot, units, "gpu") * pools;
    add_units(row, g->lot, g->lot->v->type, units * pools, 0);
    if (grant_is_whole(g))
        add_inside(row, u, g->lot, pools);
}

/* Fill the row of a job. Returns false if all its grants are only listed. */
static bool gather(struct row *row, struct usage *u, const struct job *job,
                   double now)
{
    uint32_t walk = usage_walk(u);
    struct term terms = ledger_terms(u, job->name);
    bool has = false;

    *row = (struct row){.job = job->name,
                        .owner = terms.owner,
                        .queue = terms.queue,
                        .start = terms.start,
                        .end = terms.end,
                        .staged = terms.staged,
                        .ranks = idset_create()};
    for (const struct grant *g = job->grants; g; g = g->next) {
        const struct grant *over = grant_awaits(u, g, now);
        has |= g->term->kind != GRANT_LISTED;
        if (term_uses(g->term))
            add_grant(row, u, walk, g);
        if (over)
            job_list_add(&row->awaited, over->term->job);
    }
    job_list_sort(&row->awaited);
    if (row->n)
        qsort(row->list, row->n, sizeof(*row->list), compare_shares);
    return has;
}

static void row_fini(const struct row *row)
{
    idset_destroy(row->ranks);
    free(row->awaited.list);
    free(row->list);
}

static int compare_rows(const void *a, const void *b)
{
    return job_compare(((const struct row *)a)->job,
                       ((const struct row *)b)->job);
}

static const char *const states[] = {
    "staged", "reserved", "ended", "waiting", "allocated", "shared", "pending"};
enum { STAGED, RESERVED, ENDED, WAITING, ALLOCATED, SHARED, PENDING, STATES };

static int row_state(const struct row *row, double now)
{
    if (row->pending)
        return PENDING;
    if (row->staged)
        return STAGED;
    if (row->start > now)
        return RESERVED;
    if (row->end >= 0 && row->end <= now)
        return ENDED;
    if (row->awaited.n)
        return WAITING;
    return row->any ? ALLOCATED : SHARED;
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
    return o->job_state && is_among(states[PENDING], o->job_state);
}

/* Jobs that pass the filters. */
struct found {
    struct row *rows;
    size_t n;
    int last;           /* the furthest filter that any job reached */
    const char **names; /* of pending jobs that pass --job */
    size_t nnames;
};

/* Return the words of --job that name no job, separated by commas; or NULL. */
static char *unknown_jobs(const struct usage *u, const char *words,
                          const struct found *found)
{
    char *copy = xstrdup(words), *rest = copy, *word;
    char *list = NULL;

    while ((word = strsep(&rest, ","))) {
        char *before = list;
        const struct job *job = usage_jobs(u);
        bool known = false;
        while (job && strcmp(job->name, words) != 0 && !means(word, job->name))
            job = job->next;
        for (size_t i = 0; !job && !known && i < found->nnames; i++)
            known = means(word, found->names[i]);
        if (job || known)
            continue;
        xasprintf(&list, "%s%s%s", before ? before : "", before ? "," : "",
                  word);
        free(before);
    }
    free(copy);
    return list;
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

/* Lots, and all lots above them. */
struct places {
    struct map in, above; /* lots as keys */
};

static void places_init(struct places *p, const struct lots *lots)
{
    *p = (struct places){0};
    for (size_t i = 0; i < lots->n; i++) {
        const struct lot *lot = lots->list[i];

        map_at(&p->in, &lot, sizeof(lot))->value.number = 1;
        while ((lot = lot->parent))
            map_at(&p->above, &lot, sizeof(lot))->value.number = 1;
    }
}

/* Does a job hold anything in these lots, or the whole of a pool around one? */
static bool has_any(const struct job *job, const struct places *p)
{
    for (const struct grant *g = job->grants; g; g = g->next) {
        const struct lot *lot = g->lot;

        if (!term_uses(g->term))
            continue;
        if (grant_is_whole(g) && map_find(&p->above, &lot, sizeof(lot)))
            return true;
        for (; lot; lot = lot->parent)
            if (map_find(&p->in, &lot, sizeof(lot)))
                return true;
    }
    return false;
}

/* Where jobs must hold something: on ranks or in places. NULL: anywhere. */
struct job_filter {
    const struct idset *ranks;
    const struct places *places;
};

enum { BY_JOB, BY_OWNER, BY_STATE, BY_TARGETS, PASSES };

/* Return the first filter that a job does not pass, or PASSES. A job without
   records is pending, and holds nothing anywhere. */
static int filter(const struct alloc_options *o, const struct row *row,
                  const struct job *job, const struct job_filter *wanted,
                  double now)
{
    if (o->job && !is_among(row->job, o->job))
        return BY_JOB;
    if (o->owner && !(row->owner && is_among(row->owner, o->owner)))
        return BY_OWNER;
    if (o->job_state && !is_among(states[row_state(row, now)], o->job_state))
        return BY_STATE;
    if ((wanted->ranks && !idset_overlaps(row->ranks, wanted->ranks))
        || (wanted->places && !(job && has_any(job, wanted->places))))
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

    for (size_t i = 0; i < row->n; i++) {
        const struct units *of = &row->list[i];
        bool other = column == COL_OTHER;
        int64_t n = of->units + (other ? of->inside : 0);
        if (other ? has_column(of->type) : !n)
            continue;
        fprintf(fp, "%s%s=%lld", json_object_size(units) ? "," : "", of->type,
                (long long)n);
        json_object_set_new(units, of->type, json_integer(n));
    }
    memory_close(fp);
    table_list(t, column, text, units);
    free(text);
}

static void put_hosts(struct table *t, const struct row *row,
                      const struct rset *rs)
{
    char *text = idset_encode(row->ranks);

    table_text(t, COL_RANKS, text);
    free(text);
    if (!rs->hosts || idset_empty(row->ranks))
        return;
    text = rset_hosts_text(rs, row->ranks);
    table_text(t, COL_HOSTS, text);
    free(text);
}

/* Also show this column, unless columns were chosen. */
static void show_column(struct alloc_call *call, int column)
{
    struct table_choice *choice = &call->choice;

    for (size_t i = 0; i < choice->ncolumns; i++)
        if (choice->columns[i] == column)
            return;
    if (!call->options->table.columns)
        choice->columns[choice->ncolumns++] = (unsigned char)column;
}

/* Put a job that is pending, with its request as one word. */
static void put_pending(struct table *t, const struct row *row)
{
    char *word = xstrdup(row->request);

    for (char *c = word; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    table_seconds(t, COL_LEFT, row->duration);
    table_number(t, COL_PRIORITY, row->priority);
    table_list(t, COL_REQUEST, word, json_string(row->request));
    table_seconds(t, COL_SUBMITTED, row->submitted);
    table_seconds(t, COL_ESTIMATE, row->estimate);
    table_text(t, COL_PENDING_REASON, row->reason);
    free(word);
}

static void put_row(struct alloc_call *call, struct table *t,
                    const struct row *row)
{
    /* before its start a job has all its time left, after its end none */
    double from = row->start > call->now ? row->start : call->now;

    table_row(t);
    table_text(t, COL_JOB, row->job);
    table_text(t, COL_OWNER, row->owner);
    table_text(t, COL_STATE, states[row_state(row, call->now)]);
    table_text(t, COL_QUEUE, row->queue);
    if (row->pending) {
        put_pending(t, row);
        return;
    }
    table_number(t, COL_NODES, row->nodes);
    table_number(t, COL_CORES, row->cores);
    table_number(t, COL_GPUS, row->gpus);
    table_seconds(t, COL_START, row->start);
    table_seconds(t, COL_END, row->end);
    table_seconds(t, COL_LEFT,
                  row->end < 0      ? TIME_UNSET
                  : row->end > from ? row->end - from
                                    : 0);
    put_hosts(t, row, call->rs);
    put_units(t, COL_OTHER, row);
    put_units(t, COL_UNITS, row);
    if (row->awaited.n) {
        holders_put(t, COL_WAITS_FOR, &row->awaited);
        show_column(call, COL_WAITS_FOR);
    }
}

/* Keep the row of a job that passes the filters. */
static void take_row(struct found *found, const struct row *row, int at)
{
    found->last = at > found->last ? at : found->last;
    if (at < PASSES) {
        row_fini(row);
        return;
    }
    VECTOR_GROW(found->rows, found->n);
    found->rows[found->n++] = *row;
}

/* A search for pending jobs. */
struct search {
    const struct alloc_call *call;
    const struct job_filter *wanted;
    struct found *found;
};

static void gather_pending(const struct pending_row *p, void *arg)
{
    const struct search *look = arg;
    const struct alloc_call *call = look->call;
    struct found *found = look->found;
    char job[JOB_DIGITS_MAX], owner[JOB_DIGITS_MAX];
    struct row row = {.pending = true,
                      .priority = p->priority,
                      .start = TIME_UNSET,
                      .end = TIME_UNSET,
                      .submitted = p->submitted,
                      .estimate = p->estimate,
                      .duration = p->duration};
    int at;

    snprintf(job, sizeof(job), "%lld", (long long)p->id);
    snprintf(owner, sizeof(owner), "%lld", (long long)p->owner);
    if (call->job && strcmp(call->job, job) != 0)
        return;
    row.job = rset_string(call->rs, job);
    row.owner = rset_string(call->rs, owner);
    row.queue = p->queue ? rset_string(call->rs, p->queue) : NULL;
    row.request = rset_string(call->rs, p->request);
    row.reason = rset_string(call->rs, p->reason);
    row.ranks = idset_create();
    at = filter(call->options, &row, NULL, look->wanted, call->now);
    if (call->options->job && at > BY_JOB) {
        VECTOR_GROW(found->names, found->nnames);
        found->names[found->nnames++] = row.job;
    }
    take_row(found, &row, at);
}

/* Gather the rows of all jobs that pass the filters, or of the one that is
   named. */
static void gather_all(struct alloc_call *call, const struct job_filter *wanted,
                       struct found *found)
{
    struct usage *u = usage_begin(call->rs);
    const struct job *job = call->job ? job_find(u, call->job) : usage_jobs(u);
    struct search look = {call, wanted, found};
    struct row row;

    for (; job; job = call->job ? NULL : job->next)
        take_row(found, &row,
                 gather(&row, u, job, call->now)
                     ? filter(call->options, &row, job, wanted, call->now)
                     : BY_JOB);
    if (alloc_jobs_pending(call->options)) {
        store_each_pending(call->store, gather_pending, &look);
        store_end_reading(call->store);
    }
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
    const char *x = ((const struct row *)a)->owner,
               *y = ((const struct row *)b)->owner;

    return x && y ? strverscmp(x, y) : !x - !y;
}

/* Add up the jobs of each owner. A node with several of them counts once. */
static struct table *owners_table(struct row *rows, size_t n)
{
    struct table *t = table_create(alloc_owners_columns);

    if (n > 0)
        qsort(rows, n, sizeof(*rows), compare_owners);
    for (size_t i = 0, next; i < n; i = next) {
        struct idset *ranks = idset_create();
        int64_t nodes = 0, cores = 0, gpus = 0;

        for (next = i; next < n && !compare_owners(&rows[i], &rows[next]);
             next++) {
            const struct row *row = &rows[next];
            /* nodes without ranks are counted for each job */
            nodes += row->nodes - (int64_t)idset_count(row->ranks);
            idset_add_set(ranks, row->ranks);
            cores += row->cores;
            gpus += row->gpus;
        }
        table_row(t);
        table_text(t, COL_OWNER_NAME, rows[i].owner);
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

    if (n > 0)
        qsort(rows, n, sizeof(*rows), compare_rows);
    for (size_t i = 0; i < n; i++)
        put_row(call, t, &rows[i]);
    return t;
}

/* If WHAT is no target but a job, add to the fault how to name a job. */
static void hint_at_job(struct alloc_call *call)
{
    const struct usage *u = usage_begin(call->rs);
    char digits[JOB_DIGITS_MAX];
    struct diag d = call->d;

    if (!call->in_batch && job_find(u, ledger_job(u, call->what, digits)))
        diag_set(&call->d, "%s; one job: --job %s", d.text, call->what);
}

/* Find the jobs that hold anything in WHAT or on the targets of options.
   Returns a status. */
static int find_rows(struct alloc_call *call, struct found *found)
{
    bool what = !alloc_means_all(call);
    struct job_filter wanted = {0};
    struct places places;
    struct idset *ranks;
    int status;

    if (what) {
        if ((status = alloc_lots(call)) != STATUS_OK) {
            hint_at_job(call);
            return status;
        }
        places_init(&places, &call->lots);
        wanted.places = &places;
        gather_all(call, &wanted, found);
        map_fini(&places.in);
        map_fini(&places.above);
        return STATUS_OK;
    }
    wanted.ranks = ranks = alloc_bounds(call);
    gather_all(call, &wanted, found);
    idset_destroy(ranks);
    return STATUS_OK;
}

int alloc_jobs(struct alloc_call *call)
{
    const struct alloc_options *o = call->options;
    bool filtered = o->job || o->owner || o->job_state || call->targets
                    || !alloc_means_all(call);
    struct found found = {.last = BY_JOB};
    char *unknown;
    int status;

    if ((status = find_rows(call, &found)) != STATUS_OK)
        return status;
    unknown = o->job ? unknown_jobs(call->rs->usage, o->job, &found) : NULL;
    if (found.n > 0 || (!call->job && !filtered)) {
        if (unknown)
            cli_warn("%s: there is no job %s", call->set->name, unknown);
        alloc_put_table(call, o->by ? "owners" : "jobs",
                        o->by ? owners_table(found.rows, found.n)
                              : jobs_table(call, found.rows, found.n));
    } else {
        status = call->job ? alloc_no(call, "job %s holds nothing", call->job)
                 : unknown ? alloc_no(call, "there is no job %s", unknown)
                           : no_jobs(call, found.last);
    }
    for (size_t i = 0; i < found.n; i++)
        row_fini(&found.rows[i]);
    free(found.rows);
    free(found.names);
    free(unknown);
    if (call->lots.n > 0)
        lots_join(call->rs->usage, &call->lots);
    return status;
}

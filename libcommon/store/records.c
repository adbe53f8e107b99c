/*
 * Reads and writes the records: jobs, their grants, and states.
 *
 * All rows of a job are replaced when it changes. The first change after a mark
 * keeps the old rows. Each row has its term whole: a table of terms, and its
 * indexes, would be three more trees that a commit writes pages of.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/lots.h"
#include "model/records/usage.h"
#include "store/store_private.h"

void image_changes(struct store *s, int64_t key)
{
    map_at(&s->changed, &key, sizeof(key));
}

/* --- reading ------------------------------------------------------------ */

static struct address address_in(sqlite3_stmt *st, int column)
{
    return (struct address){
        .lot = sqlite3_column_int64(st, column),
        .up = sqlite3_column_int64(st, column + 1),
        .pool = sqlite3_column_int64(st, column + 2),
        .at = (uint32_t)sqlite3_column_int64(st, column + 3),
        .n = (uint32_t)sqlite3_column_int64(st, column + 4),
    };
}

static struct job *job_in(struct store *s, struct usage *u, sqlite3_stmt *st,
                          int column)
{
    const char *name = column_text(st, column);

    if (!name || !*name)
        store_corrupt(s, "a job");
    return job_get(u, name);
}

#define GRANT_COLUMNS                                                    \
    "kind, units, lot, up, pool, at, n, id, job, nslots, owner, queue, " \
    "start, "                                                            \
    "end, reserved"

struct stored_grant {
    int64_t id, units;
    struct term *term;
    struct address at;
};

/* Return the grant in a row of GRANT_COLUMNS. */
static struct stored_grant grant_in(struct store *s, struct usage *u,
                                    sqlite3_stmt *st)
{
    int64_t kind = sqlite3_column_int64(st, 0);
    const struct term like = {
        .kind = (enum grant_kind)kind,
        .nslots = (uint32_t)sqlite3_column_int64(st, 9),
        .owner = column_text(st, 10),
        .queue = column_text(st, 11),
        .start = column_time(st, 12),
        .end = column_time(st, 13),
        .reserved = sqlite3_column_int64(st, 14),
    };
    struct stored_grant g = {.id = sqlite3_column_int64(st, 7),
                             .units = sqlite3_column_int64(st, 1),
                             .at = address_in(st, 2)};

    if (kind < GRANT_CLAIM || kind > GRANT_STAGED || g.id < 0
        || sqlite3_column_type(st, 9) == SQLITE_NULL) /* of an older store */
        store_corrupt(s, "a grant");
    g.term = job_term(u, job_in(s, u, st, 8), &like);
    return g;
}

/* Add a grant in an outer lot (NULL: any). */
static void add_grant(struct store *s, struct usage *u, struct lot *outer,
                      const struct stored_grant *g)
{
    struct lots lots = address_lots(s, u, outer, &g->at);

    for (size_t i = 0; i < lots.n; i++) {
        struct lot *lot = lots.list[i];
        if (g->units < (g->term->kind == GRANT_CLAIM)
            || g->units > lot->v->size)
            store_corrupt(s, "a grant");
        grant_add(u, g->term->job, lot, g->term->kind, g->term, g->units)
            ->seq = g->id >> ROW_BITS;
    }
    free(lots.list);
}

static int compare_ids(const void *a, const void *b)
{
    const struct stored_grant *g = a, *h = b;

    return COMPARE(g->id, h->id);
}

/* The rows of grants as they were when the store was marked: those that were
   kept, and those of jobs that had come and did not change since. */
#define GRANTS_THEN                                                       \
    "(SELECT came, " GRANT_COLUMNS                                        \
    " FROM old_grants WHERE mark = 0 UNION ALL "                          \
    "SELECT came, " GRANT_COLUMNS " FROM grants WHERE came >> 32 <= "     \
    "(SELECT saved FROM store) AND job NOT IN (SELECT name FROM old_job " \
    "WHERE mark = 0))"

/* Read all grants, and sort them here, which is faster than in SQLite. */
static void read_grants(struct store *s, struct usage *u)
{
    struct stored_grant *list = NULL;
    size_t n = 0;
    bool were = s->mode == STORE_MARKED;
    sqlite3_stmt *st;

    /* jobs in the order in which they came, without grants */
    st = store_query(
        s,
        were ? "SELECT job FROM " GRANTS_THEN " GROUP BY job ORDER BY min(came)"
             : "SELECT job FROM grants GROUP BY job ORDER BY min(came)",
        "");
    while (store_row(s, st))
        job_in(s, u, st, 0);
    st = store_query(s,
                     were ? "SELECT " GRANT_COLUMNS " FROM " GRANTS_THEN
                          : "SELECT " GRANT_COLUMNS " FROM grants",
                     "");
    while (store_row(s, st))
        VECTOR_ADD(list, n, grant_in(s, u, st));
    VECTOR_SORT(list, n, compare_ids);
    for (size_t i = 0; i < n; i++)
        add_grant(s, u, NULL, &list[i]);
    free(list);
}

/* Read a state from the columns state, address (5). */
static void read_state(struct store *s, struct usage *u, struct lot *outer,
                       sqlite3_stmt *st)
{
    int64_t state = sqlite3_column_int64(st, 0);
    struct address a = address_in(st, 1);
    struct lots lots = address_lots(s, u, outer, &a);

    if (state < 0 || state >= POOL_STATES)
        store_corrupt(s, "a state");
    for (size_t i = 0; i < lots.n; i++)
        lot_set_state(u, lots.list[i], (enum pool_state)state);
    free(lots.list);
}

void jobs_load_lot(struct rset_source *source, struct usage *u, struct lot *lot)
{
    struct store *s = store_of(source);
    int64_t key = address_of(s, lot).lot;
    sqlite3_stmt *st = store_query(
        s, "SELECT " GRANT_COLUMNS " FROM grants WHERE lot = ? ORDER BY id",
        "i", key);

    while (store_row(s, st)) {
        struct stored_grant g = grant_in(s, u, st);
        add_grant(s, u, lot, &g);
    }
    st = store_query(s,
                     "SELECT state, lot, up, pool, at, n FROM state "
                     "WHERE lot = ?",
                     "i", key);
    while (store_row(s, st))
        read_state(s, u, lot, st);
}

void jobs_load(struct store *s, struct rset *rs)
{
    struct usage *u = usage_get(rs);
    bool were = s->mode == STORE_MARKED
                && store_number(s, "SELECT states_saved & 1 FROM store", "");
    sqlite3_stmt *st;

    read_grants(s, u);
    st = store_query(s,
                     were ? "SELECT state, lot, up, pool, at, n FROM old_state "
                            "WHERE mark = 0"
                          : "SELECT state, lot, up, pool, at, n FROM state",
                     "");
    while (store_row(s, st))
        read_state(s, u, NULL, st);
    for (const struct job *job = usage_jobs(u); job; job = job->next)
        if (!job->grants)
            store_corrupt(s, "the grants of a job");
}

/* --- keeping old rows for a mark ---------------------------------------- */

/* Keep the rows of a job for each mark, if it had come by then. */
static void keep_job(struct store *s, const char *name, int64_t came)
{
    for (int64_t mark = 0; mark < s->marks; mark++) {
        if (came >> 32 > s->marked[mark]
            || store_do(s, "INSERT OR IGNORE INTO old_job VALUES (?, ?)", "it",
                        mark, name)
                   == 0)
            continue;
        store_do(s,
                 "INSERT INTO old_grants SELECT ?, * FROM grants WHERE job = ?",
                 "it", mark, name);
    }
}

static void keep_states(struct store *s)
{
    int64_t saved = store_number(s, "SELECT states_saved FROM store", "");

    for (int64_t mark = 0; mark < s->marks; mark++)
        if (!(saved & 1 << mark))
            store_do(s, "INSERT INTO old_state SELECT ?, * FROM state", "i",
                     mark);
    store_do(s, "UPDATE store SET states_saved = states_saved | ?", "i",
             ((int64_t)1 << s->marks) - 1);
}

/* --- writing a job ------------------------------------------------------ */

/* Return the part of a lot's path that the view of holdings does not add. */
static char *path_of(struct store *s, const struct lot *lot,
                     const struct address *a)
{
    const struct vertex *v = lot->v;
    bool in_run = a->lot <= UINT32_MAX;
    char *path, *place;

    if (in_run && a->pool == 0)
        return xstrdup("");
    if (!v->run)
        return vertex_place(s->rs, v);
    place = in_run ? xstrdup("") : vertex_place(s->rs, v->parent);
    xasprintf(&path, "%s/%s", place, v->basename);
    free(place);
    return path;
}

/* The rows of a job that were written so far. */
struct job_rows {
    const char *name;
    int64_t came, n;
};

/* Write a grant: a row for each target of a run, so that each can be read
   alone. */
static void write_grant(struct store *s, struct job_rows *rows,
                        const struct grant *g)
{
    struct address a = address_of(s, g->lot);
    const struct term *t = g->term;
    char *path = path_of(s, g->lot, &a);

    for (uint32_t n = outer_lot(g->lot)->n; n > 0; n--, a.lot++) {
        image_changes(s, a.lot);
        store_do(s,
                 "INSERT INTO grants VALUES "
                 "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 "tiiiiiiiiitttddiii", rows->name,
                 g->seq << ROW_BITS | rows->n++, rows->came, (int64_t)t->kind,
                 g->units, a.lot, a.up, a.pool, (int64_t)a.at, (int64_t)a.n,
                 path, t->owner, t->queue, t->start, t->end, (int64_t)t->nslots,
                 (int64_t)t->reserved, (int64_t)(t->start > s->counted));
    }
    free(path);
}

/* Write all rows of a job (NULL: it has ended). `ended`: the stored job has
   ended; `job` is another one with the same name. `came`: the place of a new
   job in the order of arrival. */
static void write_job(struct store *s, const char *name, const struct job *job,
                      bool ended, int64_t came)
{
    struct job_rows rows = {.name = name};
    sqlite3_stmt *st = store_query(
        s, "SELECT came, lot FROM grants WHERE job = ?", "t", name);
    bool stored = false;

    for (; store_row(s, st); stored = true) {
        rows.came = sqlite3_column_int64(st, 0);
        image_changes(s, sqlite3_column_int64(st, 1));
    }
    if (stored) {
        keep_job(s, name, rows.came);
        store_do(s, "DELETE FROM grants WHERE job = ?", "t", name);
    }
    if (!stored || ended)
        rows.came = came;
    for (const struct grant *g = job ? job->grants : NULL; g; g = g->next)
        write_grant(s, &rows, g);
}

void jobs_drop(struct store *s)
{
    sqlite3_stmt *st = store_query(s, "SELECT DISTINCT job, came FROM grants",
                                   "");

    while (store_row(s, st))
        keep_job(s, column_text(st, 0), sqlite3_column_int64(st, 1));
    keep_states(s);
    store_run(s, "DELETE FROM grants; DELETE FROM state; DELETE FROM lot;"
                 "DELETE FROM target;");
}

/* --- writing states ----------------------------------------------------- */

static void write_states(struct store *s, struct usage *u)
{
    sqlite3_stmt *st = store_query(s, "SELECT lot FROM state", "");

    while (store_row(s, st))
        image_changes(s, sqlite3_column_int64(st, 0));
    keep_states(s);
    store_do(s, "DELETE FROM state", "");
    for (struct lot *lot = lot_child(usage_top(u)); lot;
         lot = lot_next_in(u, usage_top(u), lot)) {
        struct address a = {0};
        uint32_t n = lot->state != STATE_UP ? outer_lot(lot)->n : 0;
        if (n > 0)
            a = address_of(s, lot);
        for (; n > 0; n--, a.lot++) {
            image_changes(s, a.lot);
            store_do(s,
                     "INSERT INTO state (state, lot, up, pool, at, n) "
                     "VALUES (?, ?, ?, ?, ?, ?)",
                     "iiiiii", (int64_t)lot->state, a.lot, a.up, a.pool,
                     (int64_t)a.at, (int64_t)a.n);
        }
    }
}

void jobs_write(struct store *s, struct rset *rs)
{
    struct usage *u = usage_get(rs);
    int64_t came = s->revision << 32;

    for (size_t i = 0; i < usage_changes(u)->jobs.count; i++) {
        const char *name = usage_changes(u)->jobs.slots[i].key;
        const struct job *job = job_find(u, name);
        if (job && job->grants && job->grants->term->planned)
            job = NULL;
        write_job(s, name, job,
                  usage_changes(u)->jobs.slots[i].value.number == JOB_ENDED,
                  came++);
    }
    if (usage_changes(u)->states)
        write_states(s, u);
    usage_forget_changes(u);
}

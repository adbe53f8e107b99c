/*
 * Reads and writes the records: jobs, their terms and grants, and states.
 *
 * All rows of a job are replaced when it changes. The first change after a mark
 * keeps the old rows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
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

/* Value of the column `reserved` in terms of shares. In terms of claims it is 0
   or 1. */
enum { TERM_OF_SHARES = 2 };

static struct term term_in(sqlite3_stmt *st, int column)
{
    int64_t reserved = sqlite3_column_int64(st, column + 5);

    return (struct term){
        .kind = reserved == TERM_OF_SHARES ? GRANT_SHARE : GRANT_CLAIM,
        .owner = column_text(st, column),
        .queue = column_text(st, column + 1),
        .start = column_time(st, column + 2),
        .end = column_time(st, column + 3),
        .nslots = (uint32_t)sqlite3_column_int64(st, column + 4),
        .reserved = reserved == 1,
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

/* Read a grant from the columns kind, units, address (5), id, in an outer lot
   (NULL: any). */
static void read_grant(struct store *s, struct usage *u, struct lot *outer,
                       sqlite3_stmt *st, struct job *job, struct term *term)
{
    int64_t kind = sqlite3_column_int64(st, 0),
            units = sqlite3_column_int64(st, 1);
    struct address a = address_in(st, 2);
    struct lots lots;

    if (kind < GRANT_CLAIM || kind > GRANT_STAGED
        || (term ? kind != (int64_t)term->kind : kind == GRANT_CLAIM)
        || sqlite3_column_int64(st, 7) < 0)
        store_corrupt(s, "a grant");
    lots = address_lots(s, u, outer, &a);
    for (size_t i = 0; i < lots.n; i++) {
        if (units < (kind == GRANT_CLAIM) || units > lots.list[i]->v->size)
            store_corrupt(s, "a grant");
        grant_add(u, job, lots.list[i], (enum grant_kind)kind, term, units)
            ->seq = sqlite3_column_int64(st, 7) >> ROW_BITS;
    }
    free(lots.list);
}

/* The rows as they were when the store was marked. */
#define NAMES_WERE                                                 \
    "SELECT id, name FROM old_job WHERE mark = 0 AND id NOT NULL " \
    "UNION ALL SELECT id, name FROM job WHERE name NOT IN "        \
    "(SELECT name FROM old_job WHERE mark = 0)"
#define OF_THE_SAME                                       \
    "WHERE job IN (SELECT id FROM job WHERE name NOT IN " \
    "(SELECT name FROM old_job WHERE mark = 0))"
#define TERM_COLUMNS "id, job, owner, queue, start, end, nslots, reserved"
#define TERMS_WERE                                          \
    "SELECT " TERM_COLUMNS " FROM old_term WHERE mark = 0 " \
    "UNION ALL SELECT " TERM_COLUMNS " FROM term " OF_THE_SAME
#define GRANT_COLUMNS "kind, units, lot, up, pool, at, n, id, job, term"
#define GRANTS_WERE                                            \
    "SELECT " GRANT_COLUMNS " FROM old_grants WHERE mark = 0 " \
    "UNION ALL SELECT " GRANT_COLUMNS " FROM grants " OF_THE_SAME

/* Query the rows of a table by id: as they are, or as they were. */
#define query_by_id(s, columns, table, were)                           \
    store_query((s),                                                   \
                (s)->mode == STORE_MARKED                              \
                    ? "SELECT " columns " FROM (" were ") ORDER BY id" \
                    : "SELECT " columns " FROM " table " ORDER BY id", \
                "")

/* Return the job or term with the id of its row. */
static void *find_id(struct store *s, const struct map *ids, int64_t id)
{
    const struct map_slot *slot = map_find(ids, &id, sizeof(id));

    if (!slot)
        store_corrupt(s, "a grant");
    return slot->value.pointer;
}

static void read_grants(struct store *s, struct usage *u)
{
    struct map jobs = {0}, terms = {0};
    sqlite3_stmt *st;

    /* jobs in the order in which they came, without grants */
    st = query_by_id(s, "id, name", "job", NAMES_WERE);
    while (store_row(s, st)) {
        int64_t id = sqlite3_column_int64(st, 0);
        map_at(&jobs, &id, sizeof(id))->value.pointer = job_in(s, u, st, 1);
    }

    st = query_by_id(s, TERM_COLUMNS, "term", TERMS_WERE);
    while (store_row(s, st)) {
        struct job *job = find_id(s, &jobs, sqlite3_column_int64(st, 1));
        struct term like = term_in(st, 2);
        int64_t id = sqlite3_column_int64(st, 0);
        map_at(&terms, &id, sizeof(id))->value.pointer = job_term(u, job,
                                                                  &like);
    }

    st = query_by_id(s, GRANT_COLUMNS, "grants", GRANTS_WERE);
    while (store_row(s, st)) {
        int64_t term = sqlite3_column_int64(st, 9);
        read_grant(s, u, NULL, st,
                   find_id(s, &jobs, sqlite3_column_int64(st, 8)),
                   term ? find_id(s, &terms, term) : NULL);
    }
    map_fini(&jobs);
    map_fini(&terms);
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
        s,
        "SELECT kind, units, lot, up, pool, at, n, grants.id, name, term, "
        "owner, queue, start, end, nslots, reserved FROM grants "
        "JOIN job ON job.id = grants.job "
        "LEFT JOIN term ON term.id = grants.term "
        "WHERE lot = ? ORDER BY grants.id",
        "i", key);

    while (store_row(s, st)) {
        struct job *job = job_in(s, u, st, 8);
        struct term like = term_in(st, 10);
        read_grant(s, u, lot, st, job,
                   sqlite3_column_int64(st, 9) ? job_term(u, job, &like)
                                               : NULL);
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
                && store_number(s, "SELECT states_saved & 1 FROM store");
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

/* Keep the rows of a job for each mark. `id` is 0 if there is no such job. */
static void keep_job(struct store *s, const char *name, int64_t id)
{
    for (int64_t mark = 0; mark < s->marks; mark++) {
        if (store_do(s,
                     "INSERT OR IGNORE INTO old_job VALUES (?, ?, nullif(?, "
                     "0))",
                     "iti", mark, name, id)
                == 0
            || id == 0)
            continue;
        store_do(s, "INSERT INTO old_term SELECT ?, * FROM term WHERE job = ?",
                 "ii", mark, id);
        store_do(s,
                 "INSERT INTO old_grants SELECT ?, * FROM grants WHERE job = ?",
                 "ii", mark, id);
    }
}

static void keep_states(struct store *s)
{
    int64_t saved = store_number(s, "SELECT states_saved FROM store");

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

/* Ids of the terms written so far, and the number of rows of grants. */
struct term_ids {
    struct {
        const struct term *term;
        int64_t id;
    } * list;
    size_t n;
    int64_t rows;
};

static int64_t term_id(struct store *s, struct term_ids *ids, int64_t job,
                       const struct term *t)
{
    for (size_t i = ids->n; i-- > 0;)
        if (ids->list[i].term == t)
            return ids->list[i].id;
    store_do(s,
             "INSERT INTO term (job, owner, queue, start, end, nslots, "
             "reserved) VALUES (?, ?, ?, ?, ?, ?, ?)",
             "ittddii", job, t->owner, t->queue, t->start, t->end,
             (int64_t)t->nslots,
             t->kind == GRANT_SHARE ? (int64_t)TERM_OF_SHARES
                                    : (int64_t)t->reserved);
    VECTOR_GROW(ids->list, ids->n);
    ids->list[ids->n].term = t;
    ids->list[ids->n].id = sqlite3_last_insert_rowid(s->db);
    return ids->list[ids->n++].id;
}

/* Write a grant: a row for each target of a run, so that each can be read
   alone. */
static void write_grant(struct store *s, int64_t job, const struct grant *g,
                        struct term_ids *ids)
{
    struct address a = address_of(s, g->lot);
    int64_t kind = g->term->kind;
    int64_t term = kind == GRANT_CLAIM || term_has_times(g->term)
                       ? term_id(s, ids, job, g->term)
                       : 0;
    char *path = path_of(s, g->lot, &a);

    for (uint32_t n = outer_lot(g->lot)->n; n > 0; n--, a.lot++) {
        image_changes(s, a.lot);
        store_do(s,
                 "INSERT INTO grants (id, job, kind, term, units, lot, up, "
                 "pool, at, n, path) "
                 "VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?)",
                 "iiiiiiiiiit", g->seq << ROW_BITS | ids->rows++, job, kind,
                 term, g->units, a.lot, a.up, a.pool, (int64_t)a.at,
                 (int64_t)a.n, path);
    }
    free(path);
}

/* Write all rows of a job (NULL: it has ended). `ended`: the stored job has
   ended; `job` is another one with the same name. */
static void write_job(struct store *s, const char *name, const struct job *job,
                      bool ended)
{
    sqlite3_stmt *st = store_query(s, "SELECT id FROM job WHERE name = ?", "t",
                                   name);
    int64_t id = store_row(s, st) ? sqlite3_column_int64(st, 0) : 0;
    struct term_ids ids = {0};

    sqlite3_reset(st);
    if (!job && id == 0)
        return; /* it came and went */
    keep_job(s, name, id);
    st = store_query(s, "SELECT lot FROM grants WHERE job = ?", "i", id);
    while (store_row(s, st))
        image_changes(s, sqlite3_column_int64(st, 0));
    store_do(s, "DELETE FROM grants WHERE job = ?", "i", id);
    store_do(s, "DELETE FROM term WHERE job = ?", "i", id);
    if (ended) { /* the row is of an earlier job */
        store_do(s, "DELETE FROM job WHERE id = ?", "i", id);
        id = 0;
    }
    if (job && id == 0) {
        store_do(s, "INSERT INTO job (name) VALUES (?)", "t", name);
        id = sqlite3_last_insert_rowid(s->db);
    }
    for (const struct grant *g = job ? job->grants : NULL; g; g = g->next)
        write_grant(s, id, g, &ids);
    if (!job) /* neither there at the mark nor now */
        store_do(s, "DELETE FROM old_job WHERE name = ? AND id IS NULL", "t",
                 name);
    free(ids.list);
}

void jobs_drop(struct store *s)
{
    sqlite3_stmt *st = store_query(s, "SELECT id, name FROM job", "");

    while (store_row(s, st))
        keep_job(s, column_text(st, 1), sqlite3_column_int64(st, 0));
    keep_states(s);
    store_run(s, "DELETE FROM grants; DELETE FROM term; DELETE FROM job;"
                 "DELETE FROM state; DELETE FROM lot; DELETE FROM target;");
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

    for (size_t i = 0; i < usage_changes(u)->jobs.count; i++) {
        const char *name = usage_changes(u)->jobs.slots[i].key;
        const struct job *job = job_find(u, name);
        if (job && job->grants && job->grants->term->planned)
            job = NULL;
        write_job(s, name, job,
                  usage_changes(u)->jobs.slots[i].value.number == JOB_ENDED);
    }
    store_do(s, "UPDATE store SET seq = ?", "i", usage_seq(u));
    if (usage_changes(u)->states)
        write_states(s, u);
    usage_forget_changes(u);
}

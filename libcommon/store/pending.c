/*
 * The jobs that wait in the queue of a service. Their rows promise nothing. So
 * a commit of such rows alone is not synced to the disk.
 */
#include "store/store_private.h"

void store_pending(struct store *s, const struct pending_row *row)
{
    store_begin_sync(s);
    if (row->request)
        store_do(s,
                 "INSERT OR REPLACE INTO queued VALUES "
                 "(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 "iititdddt", row->id, row->owner, row->queue,
                 (int64_t)row->priority, row->request, row->duration,
                 row->submitted, row->estimate, row->reason);
    else
        store_do(s, "DELETE FROM queued WHERE id = ?", "i", row->id);
}

void store_each_pending(struct store *s,
                        void (*each)(const struct pending_row *row, void *arg),
                        void *arg)
{
    sqlite3_stmt *st;

    if (store_number(s, "PRAGMA user_version", "") < STORE_WITH_QUEUE)
        return;
    st = store_query(s,
                     "SELECT id, owner, queue, priority, request, duration, "
                     "submitted, estimate, reason FROM queued ORDER BY id",
                     "");
    while (store_row(s, st)) {
        const struct pending_row row = {
            .id = sqlite3_column_int64(st, 0),
            .owner = sqlite3_column_int64(st, 1),
            .queue = column_text(st, 2),
            .priority = (uint32_t)sqlite3_column_int64(st, 3),
            .request = column_text(st, 4),
            .duration = column_time(st, 5),
            .submitted = sqlite3_column_double(st, 6),
            .estimate = column_time(st, 7),
            .reason = column_text(st, 8),
        };
        if (!row.request || !row.reason)
            store_corrupt(s, "a job that waits");
        each(&row, arg);
    }
}

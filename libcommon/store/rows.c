/* Numbers and texts as bytes, and rows of facts (rows.h). */
#include "store/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"

/* --- bytes -------------------------------------------------------------- */

void bytes_put(FILE *fp, uint64_t n)
{
    for (; n >= 128; n >>= 7)
        putc_unlocked((int)(n & 127) | 128, fp);
    putc_unlocked((int)n, fp);
}

void bytes_put_signed(FILE *fp, int64_t n)
{
    bytes_put(fp, n < 0 ? ~((uint64_t)n << 1) : (uint64_t)n << 1);
}

void bytes_begin(struct bytes *in, sqlite3_stmt *statement)
{
    const void *bytes = sqlite3_column_blob(statement, 1);

    in->at = bytes ? bytes : (const void *)""; /* no bytes are NULL */
    in->end = in->at + sqlite3_column_bytes(statement, 1);
}

uint64_t bytes_get(struct bytes *in)
{
    uint64_t n = 0;

    for (int shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        n |= (uint64_t)(*in->at & 127) << shift;
        if (!(*in->at++ & 128))
            return n;
    }
    store_corrupt(in->s, in->what);
}

int64_t bytes_get_signed(struct bytes *in)
{
    uint64_t n = bytes_get(in);

    return (int64_t)(n & 1 ? ~(n >> 1) : n >> 1);
}

size_t bytes_get_count(struct bytes *in)
{
    uint64_t n = bytes_get(in);

    if (n > (uint64_t)(in->end - in->at))
        store_corrupt(in->s, in->what);
    return n;
}

static const char *get_bytes(struct bytes *in, size_t *len)
{
    const char *text;

    *len = bytes_get_count(in);
    text = (const char *)in->at;
    in->at += *len;
    return text;
}

/* --- writing ------------------------------------------------------------ */

bool row_is(struct store *s, int64_t id, const void *bytes, size_t len)
{
    return store_number(s, "SELECT 1 FROM facts WHERE id = ? AND facts = ?",
                        "ib", id, bytes, len);
}

/* Store a row if it differs. Keeps its old value for each mark. */
static void row_put(struct store *s, int64_t id, const void *bytes, size_t len)
{
    if (row_is(s, id, bytes, len))
        return;
    for (int64_t mark = 0; mark < s->marks; mark++)
        store_do(s,
                 "INSERT OR IGNORE INTO old_facts VALUES "
                 "(?1, ?2, (SELECT facts FROM facts WHERE id = ?2))",
                 "ii", mark, id);
    store_do(s, "INSERT OR REPLACE INTO facts VALUES (?, ?)", "ib", id, bytes,
             len);
}

void rows_drop(struct store *s, int64_t from, int64_t to)
{
    for (int64_t mark = 0; mark < s->marks; mark++)
        store_do(s,
                 "INSERT OR IGNORE INTO old_facts "
                 "SELECT ?, id, facts FROM facts WHERE id >= ? AND id < ?",
                 "iii", mark, from, to);
    store_do(s, "DELETE FROM facts WHERE id >= ? AND id < ?", "ii", from, to);
}

void put_string(FILE *fp, const char *text)
{
    bytes_put(fp, strlen(text));
    fputs(text, fp);
}

void put_json(FILE *fp, const json_t *value)
{
    char *text;
    FILE *out = memory_open(&text, NULL);

    json_write(out, value);
    memory_close(out);
    put_string(fp, text);
    free(text);
}

void row_begin(struct row_writer *w)
{
    w->fp = memory_open(&w->bytes, &w->len);
    w->things = 0;
}

void row_end(struct row_writer *w)
{
    memory_close(w->fp);
    if (w->len > 0)
        row_put(w->s, w->id++, w->bytes, w->len);
    free(w->bytes);
}

void row_thing(struct row_writer *w)
{
    if (w->things++ < THINGS_A_ROW)
        return;
    row_end(w);
    row_begin(w);
    w->things = 1;
}

/* --- reading ------------------------------------------------------------ */

bool row_step(struct facts_row *r)
{
    if (!store_row(r->in.s, r->st))
        return false;
    bytes_begin(&r->in, r->st);
    return true;
}

void row_next(struct facts_row *r)
{
    if (!row_step(r))
        store_corrupt(r->in.s, r->in.what);
}

struct facts_row row_of(struct store *s, sqlite3_stmt *st)
{
    return (struct facts_row){.in = {.s = s, .what = "a row of facts"},
                              .st = st};
}

const char *get_text(struct facts_row *r, struct rset *rs)
{
    size_t len;
    const char *text = get_bytes(&r->in, &len);

    if (memchr(text, 0, len))
        store_corrupt(r->in.s, r->in.what);
    return map_intern(&rs->names, text, len);
}

const char *get_word(struct facts_row *r)
{
    return word_at(r->in.s, (int64_t)bytes_get(&r->in));
}

json_t *get_json(struct facts_row *r)
{
    size_t len;
    const char *text = get_bytes(&r->in, &len);
    struct diag d = {0};
    json_t *value = json_read(text, len, true, &d);

    if (!value)
        store_corrupt(r->in.s, "JSON in a row of facts");
    return value;
}

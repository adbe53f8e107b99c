/*
 * The facts of a set in a store, as rows that are read without parsing a
 * document (rows.h).
 */
#include "model/records/usage.h"
#include "store/rows.h"

/* --- edges -------------------------------------------------------------- */

static void write_links(struct store *s, const struct rset *rs)
{
    struct row_writer w = {s, .id = FACTS_LINKS};

    row_begin(&w);
    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        row_thing(&w);
        bytes_put(w.fp, (uint64_t)word_id(s, l->subsystem));
        bytes_put(w.fp, (uint64_t)word_id(s, l->relationship));
        bytes_put(w.fp, l->source->number);
        bytes_put(w.fp, l->target->number);
        bytes_put(w.fp, l->extra != NULL);
        if (l->extra)
            put_json(w.fp, l->extra);
    }
    row_end(&w);
    rows_drop(s, w.id, FACTS_TYPES);
}

static void read_links(struct store *s, struct rset *rs)
{
    struct row r = row_of(s, rows_ask(s, "links", FACTS_LINKS, FACTS_TYPES));

    while (row_step(&r)) {
        while (r.in.at < r.in.end) {
            struct link l = {0};
            l.subsystem = get_word(&r);
            l.relationship = get_word(&r);
            l.source = vertex_of_number(s, (int64_t)bytes_get(&r.in));
            l.target = vertex_of_number(s, (int64_t)bytes_get(&r.in));
            if (bytes_get(&r.in))
                l.extra = get_json(&r);
            rset_add_link(rs, &l);
            json_decref(l.extra);
        }
    }
}

/* --- all of it ---------------------------------------------------------- */

struct rset *facts_read(struct store *s)
{
    struct rset *rs = s->rs = rset_create();

    rs->closed.closed = true;
    if (s->source.open)
        rs->source = &s->source;
    words_read(s, rs);
    header_read(s, rs);
    pools_read(s, rs);
    address_index(s, rs);
    read_links(s, rs);
    return rs;
}

void facts_write(struct store *s, struct rset *rs)
{
    usage_get(rs); /* which numbers its vertices */
    header_write(s, rs);
    pools_write(s, rs);
    write_links(s, rs);
    store_do(s, "UPDATE store SET linked = ?", "i", (int64_t)(rs->nlinks > 0));
    rs->numbers = rs->usage->types.nnumbers;
}

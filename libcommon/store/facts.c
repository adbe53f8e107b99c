/*
 * The facts of a set in a store, as rows that are read without parsing a
 * document (rows.h): a header, which is JSON, and edges. pools.c has the pools.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "model/tree/types.h"
#include "store/rows.h"

/* --- the header: all except pools and edges ----------------------------- */

static void write_header(struct store *s, struct rset *rs)
{
    const struct document *doc = &rs->document;
    char *ranks = rs->ranks ? idset_encode(rs->ranks) : NULL,
         *hosts = rs->hosts ? hostlist_encode(rs->hosts) : NULL;
    json_t *header = json_pack(
        "{s:i,s:b,s:b,s:i,s:b,s:I,s:s*,s:s*,s:s*}", "halves", doc->halves,
        "bare", doc->bare, "full", doc->full, "nslots", (int)doc->nslots,
        "shorthand", rs->shorthand, "numbers",
        (json_int_t)usage_types(rs->usage)->nnumbers, "above", rs->above,
        "ranks", ranks, "hosts", hosts);
    struct row_writer w = {s, .id = FACTS_HEADER};

    free(ranks);
    free(hosts);
    for (size_t i = 0; i < doc->types.count; i++)
        json_array_append_new(json_at(header, "types", json_array),
                              json_string(doc->types.slots[i].key));
    for (size_t i = 0; i < doc->nproperty_names; i++)
        json_array_append_new(json_at(header, "property_names", json_array),
                              json_string(doc->property_names[i]));
    for (size_t i = 0; i < RSET_VALUES; i++)
        json_object_set(header, rset_values[i].name, *rset_value(rs, i));
    row_begin(&w);
    json_write(w.fp, header);
    row_end(&w);
    json_decref(header);
}

static const char **get_list(struct store *s, const json_t *array, size_t *n)
{
    const char **list;
    const json_t *text;
    size_t i;

    *n = json_array_size(array);
    list = xcalloc(vector_room(*n), sizeof(*list));
    json_array_foreach (array, i, text) {
        if (!json_is_string(text))
            store_corrupt(s, "the header");
        list[i] = rset_string(s->rs, json_string_value(text));
    }
    return list;
}

static void read_header(struct store *s, struct rset *rs)
{
    struct facts_row r = row_of(
        s, rows_query(s, "header", FACTS_HEADER, FACTS_HEADER + 1));
    struct document *doc = &rs->document;
    const char *ranks, *hosts, **types;
    struct hostlist *list = NULL;
    struct idset *set = NULL;
    struct diag d = {0};
    json_t *header;
    size_t n;

    row_next(&r);
    header = json_read((const char *)r.in.at, (size_t)(r.in.end - r.in.at),
                       true, &d);
    sqlite3_reset(r.st);
    if (!header)
        store_corrupt(s, "the header");
    doc->halves = (int)json_integer_value(json_object_get(header, "halves"));
    if (doc->halves < HALF_EXECUTION
        || doc->halves > (HALF_EXECUTION | HALF_GRAPH))
        store_corrupt(s, "the header");
    doc->nslots = (unsigned)json_integer_value(
        json_object_get(header, "nslots"));
    rs->numbers = (uint32_t)json_integer_value(
        json_object_get(header, "numbers"));
    doc->bare = json_is_true(json_object_get(header, "bare"));
    doc->full = json_is_true(json_object_get(header, "full"));
    rs->shorthand = json_is_true(json_object_get(header, "shorthand"));
    rs->above = rset_string(
        rs, json_string_value(json_object_get(header, "above")));
    types = get_list(s, json_object_get(header, "types"), &n);
    for (size_t i = 0; i < n; i++)
        rlite_add_type(rs, types[i]);
    free(types);
    doc->property_names = get_list(s, json_object_get(header, "property_names"),
                                   &doc->nproperty_names);
    for (size_t i = 0; i < RSET_VALUES; i++)
        *rset_value(rs, i) = json_incref(
            json_object_get(header, rset_values[i].name));

    ranks = json_string_value(json_object_get(header, "ranks"));
    if (ranks && idset_decode(ranks, strlen(ranks), &set, &d) < 0)
        store_corrupt(s, "ranks");
    if ((hosts = json_string_value(json_object_get(header, "hosts")))) {
        list = hostlist_create();
        if (hostlist_decode(list, hosts, strlen(hosts), &d) < 0 || !set
            || hostlist_count(list) != idset_count(set))
            store_corrupt(s, "hosts");
    }
    rset_set_ranks(rs, set, list);
    json_decref(header);
}

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
    struct facts_row r = row_of(
        s, rows_query(s, "links", FACTS_LINKS, FACTS_TYPES));

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

/* --- all facts ---------------------------------------------------------- */

struct rset *facts_read(struct store *s)
{
    struct rset *rs = s->rs = rset_create();

    rs->closed.closed = true;
    if (s->source.open)
        rs->source = &s->source;
    words_read(s, rs);
    read_header(s, rs);
    pools_read(s, rs);
    address_index(s, rs);
    read_links(s, rs);
    return rs;
}

void facts_write(struct store *s, struct rset *rs)
{
    usage_get(rs); /* numbers the vertices */
    write_header(s, rs);
    pools_write(s, rs);
    write_links(s, rs);
    store_do(s, "UPDATE store SET linked = ?", "i", (int64_t)(rs->nlinks > 0));
    rs->numbers = usage_types(rs->usage)->nnumbers;
}

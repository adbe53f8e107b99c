/*
 * The facts of a set as rows of bytes, which are read without parsing a
 * document.
 *
 * Row HEADER is all that is no pool, as JSON. Rows POOLS + k have the pools in
 * preorder, those of other hierarchies after the root's, so many in a row; what
 * is in a node stands in a row of its own, INSIDE + number. Rows LINKS + k are
 * the edges.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/records/usage.h"
#include "store/bytes.h"
#include "store/store_private.h"

enum { HEADER = 0, KIND = 40 };
#define POOLS ((int64_t)1 << KIND)
#define INSIDE ((int64_t)2 << KIND)
#define LINKS ((int64_t)3 << KIND)
#define END ((int64_t)4 << KIND) /* what follows is not of facts: lots.c */

/* So many pools, or edges, in a row. */
enum { POOLS_A_ROW = 512 };

/* What is said of a pool beside what all have. */
enum {
    HAS_CHILDREN = 1,
    HAS_RUN = 2,
    HAS_NAME = 4, /* that is not made of basename and id */
    HAS_BASENAME = 8,
    HAS_UNIT = 16,
    HAS_UUID = 32,
    HAS_HOME = 64,
    HAS_ABOVE = 128,
    HAS_PROPERTIES = 256,
    HAS_EXTRA = 512,
    HAS_SIZE = 1024,
    HAS_RANK = 2048,   /* another than what it lies in */
    HAS_NUMBER = 4096, /* it is not the next one */
    IS_EXCLUSIVE = 8192,
    IS_IMPLIED = 16384,
    IS_CLOSED = 32768, /* what is in it stands in another row */
    HAS_ID = 65536
};

/* --- bytes -------------------------------------------------------------- */

static void put_string(FILE *fp, const char *text)
{
    bytes_put_text(fp, text, strlen(text));
}

static void put_json(FILE *fp, const json_t *value)
{
    char *text;
    size_t len;
    FILE *out = memory_open(&text, &len);

    json_write(out, value);
    memory_close(out);
    bytes_put_text(fp, text, len);
    free(text);
}

/* A row that is being read; the next one follows where it ends. */
struct row {
    struct bytes in;
    sqlite3_stmt *st;
    sqlite3_stmt *insides; /* rows of what is in nodes, in their order */
    uint32_t number;       /* of the pool that was read last */
};

static bool begin_bytes(struct row *r)
{
    if (!store_row(r->in.s, r->st))
        return false;
    r->in.at = sqlite3_column_blob(r->st, 1);
    r->in.end = r->in.at + sqlite3_column_bytes(r->st, 1);
    return true;
}

static void next_row(struct row *r)
{
    if (!begin_bytes(r))
        store_corrupt(r->in.s, r->in.what);
}

static struct row row_of(struct store *s, sqlite3_stmt *st)
{
    return (struct row){.in = {.s = s, .what = "a row of facts"}, .st = st};
}

static const char *get_text(struct row *r, struct rset *rs)
{
    size_t len;
    const char *text = bytes_get_text(&r->in, &len);

    if (memchr(text, 0, len))
        store_corrupt(r->in.s, r->in.what);
    return strtab_intern(&rs->names, text, len);
}

static const char *get_word(struct row *r)
{
    return word_at(r->in.s, (int64_t)bytes_get(&r->in));
}

static json_t *get_json(struct row *r)
{
    size_t len;
    const char *text = bytes_get_text(&r->in, &len);
    struct diag d = {0};
    json_t *value = json_read(text, len, true, &d);

    if (!value)
        store_corrupt(r->in.s, "JSON in a row of facts");
    return value;
}

/* --- rows --------------------------------------------------------------- */

void facts_put(struct store *s, int64_t id, const void *bytes, size_t len)
{
    sqlite3_stmt *st = store_ask(s,
                                 "SELECT 1 FROM facts WHERE id = ? AND "
                                 "facts = ?",
                                 "ib", id, bytes, len);
    bool same = store_row(s, st);

    sqlite3_reset(st);
    if (same)
        return;
    store_do(s,
             "INSERT OR IGNORE INTO old_facts VALUES "
             "(?1, (SELECT facts FROM facts WHERE id = ?1))",
             "i", id);
    store_do(s, "INSERT OR REPLACE INTO facts VALUES (?, ?)", "ib", id, bytes,
             len);
}

/* Rows from one on up to another are no more. */
static void drop_rows(struct store *s, int64_t from, int64_t to)
{
    store_do(s,
             "INSERT OR IGNORE INTO old_facts "
             "SELECT id, facts FROM facts WHERE id >= ? AND id < ?",
             "ii", from, to);
    store_do(s, "DELETE FROM facts WHERE id >= ? AND id < ?", "ii", from, to);
}

/* Rows from one on up to another, as they are or as they were, for `what`. */
#define ROWS_ARE(what)                                     \
    "SELECT id, facts FROM facts WHERE id >= ? AND id < ?" \
    " ORDER BY id -- " what
#define ROWS_WERE(what)                                           \
    "SELECT id, facts FROM facts WHERE id >= ?1 AND id < ?2"      \
    " AND id NOT IN (SELECT id FROM old_facts) UNION ALL"         \
    " SELECT id, facts FROM old_facts WHERE id >= ?1 AND id < ?2" \
    " AND facts NOT NULL ORDER BY id -- " what
#define ask_rows(s, what, from, to)                                         \
    store_ask((s),                                                          \
              (s)->mode == STORE_MARKED ? ROWS_WERE(what) : ROWS_ARE(what), \
              "ii", (int64_t)(from), (int64_t)(to))

/* --- the header --------------------------------------------------------- */

static void set_text(json_t *header, const char *key, const char *text)
{
    if (text)
        json_object_set_new(header, key, json_string(text));
}

static void set_list(json_t *header, const char *key, const char **list,
                     size_t n)
{
    json_t *array = n ? json_array() : NULL;

    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_string(list[i]));
    if (array)
        json_object_set_new(header, key, array);
}

/* What a set carries as JSON, by the key that it has in the header. */
struct carried {
    const char *key;
    size_t at;
};
#define CARRIED(name)                      \
    {                                      \
#name, offsetof(struct rset, name) \
    }
static const struct carried carried[] = {
    CARRIED(starttime),       CARRIED(expiration), CARRIED(attributes),
    CARRIED(execution_extra), CARRIED(scheduling), CARRIED(graph_extra),
    CARRIED(extra),
};

static json_t **carried_at(struct rset *rs, size_t i)
{
    return (json_t **)((char *)rs + carried[i].at);
}

static void set_encoded(json_t *header, const char *key, char *text)
{
    set_text(header, key, text);
    free(text);
}

static void write_header(struct store *s, struct rset *rs)
{
    json_t *header = json_pack("{s:i,s:b,s:b,s:i,s:b}", "halves", rs->halves,
                               "bare", rs->bare, "full", rs->full, "nslots",
                               (int)rs->nslots, "shorthand", rs->shorthand);
    char *text;
    size_t len;
    FILE *fp;

    set_text(header, "above", rs->above);
    if (rs->ranks)
        set_encoded(header, "ranks", idset_encode(rs->ranks));
    if (rs->hosts)
        set_encoded(header, "hosts", hostlist_encode(rs->hosts));
    set_list(header, "types", rs->types, rs->ntypes);
    set_list(header, "property_names", rs->property_names, rs->nproperty_names);
    for (size_t i = 0; i < sizeof(carried) / sizeof(*carried); i++)
        json_object_set(header, carried[i].key, *carried_at(rs, i));
    fp = memory_open(&text, &len);
    json_write(fp, header);
    memory_close(fp);
    facts_put(s, HEADER, text, len);
    free(text);
    json_decref(header);
}

static const char **get_list(struct rset *rs, const json_t *array, size_t *n)
{
    const char **list;
    const json_t *text;
    size_t i;

    *n = json_array_size(array);
    if (*n == 0)
        return NULL;
    list = xcalloc(vector_room(*n), sizeof(*list));
    json_array_foreach (array, i, text)
        list[i] = rset_string(rs, json_string_value(text));
    return list;
}

static void get_targets(struct store *s, struct rset *rs, const json_t *header)
{
    const char *ranks = json_string_value(json_object_get(header, "ranks"));
    const char *hosts = json_string_value(json_object_get(header, "hosts"));
    struct idset *set = NULL;
    struct hostlist *list = hosts ? hostlist_create() : NULL;
    struct diag d = {0};

    if (ranks && idset_decode(ranks, strlen(ranks), &set, &d) < 0)
        store_corrupt(s, "ranks");
    if (hosts && hostlist_decode(list, hosts, strlen(hosts), &d) < 0)
        store_corrupt(s, "hosts");
    rset_set_ranks(rs, set, list);
}

static void read_header(struct store *s, struct rset *rs)
{
    struct row r = row_of(s, ask_rows(s, "header", HEADER, HEADER + 1));
    struct diag d = {0};
    const char *above;
    json_t *header;
    int nslots;

    next_row(&r);
    header = json_read((const char *)r.in.at, (size_t)(r.in.end - r.in.at),
                       true, &d);
    sqlite3_reset(r.st);
    if (!header
        || json_unpack(header, "{s:i,s:b,s:b,s:i,s:b}", "halves", &rs->halves,
                       "bare", &r.number, "full", &d, "nslots", &nslots,
                       "shorthand", &r.number)
               < 0)
        store_corrupt(s, "the header");
    rs->bare = json_is_true(json_object_get(header, "bare"));
    rs->full = json_is_true(json_object_get(header, "full"));
    rs->shorthand = json_is_true(json_object_get(header, "shorthand"));
    rs->nslots = (unsigned)nslots;
    if ((above = json_string_value(json_object_get(header, "above"))))
        rs->above = rset_string(rs, above);
    rs->types = get_list(rs, json_object_get(header, "types"), &rs->ntypes);
    rs->property_names = get_list(rs, json_object_get(header, "property_names"),
                                  &rs->nproperty_names);
    for (size_t i = 0; i < sizeof(carried) / sizeof(*carried); i++)
        *carried_at(rs,
                    i) = json_incref(json_object_get(header, carried[i].key));
    get_targets(s, rs, header);
    json_decref(header);
}

/* --- a pool ------------------------------------------------------------- */

static unsigned what_it_has(const struct vertex *v, uint32_t last)
{
    bool by_id = v->name && is_name_by_id(v->name, v->basename, v->id);
    int64_t rank = v->parent ? v->parent->rank : -1;

    return (v->child ? HAS_CHILDREN : 0) | (v->run ? HAS_RUN : 0)
           | (v->name && !by_id ? HAS_NAME : 0)
           | (v->basename != v->type ? HAS_BASENAME : 0)
           | (*v->unit ? HAS_UNIT : 0) | (v->uuid ? HAS_UUID : 0)
           | (v->home ? HAS_HOME : 0) | (v->above ? HAS_ABOVE : 0)
           | (v->properties ? HAS_PROPERTIES : 0) | (v->extra ? HAS_EXTRA : 0)
           | (v->size != 1 ? HAS_SIZE : 0) | (v->rank != rank ? HAS_RANK : 0)
           | (v->number != last + 1 ? HAS_NUMBER : 0)
           | (v->exclusive ? IS_EXCLUSIVE : 0) | (v->implied ? IS_IMPLIED : 0)
           | (v->id >= 0 ? HAS_ID : 0);
}

static void put_properties(struct store *s, FILE *fp,
                           const struct properties *p)
{
    bytes_put(fp, p->count);
    for (unsigned i = 0; i < p->count; i++) {
        bytes_put(fp, (uint64_t)word_id(s, p->list[i].key));
        bytes_put(fp, (uint64_t)word_id(s, p->list[i].value));
    }
}

static void put_run(FILE *fp, const struct idset *run)
{
    uint64_t last = 0;

    bytes_put(fp, idset_nranges(run));
    for (size_t i = 0; i < idset_nranges(run); i++) {
        struct idrange r = idset_range(run, i);
        bytes_put(fp, r.lo - last);
        bytes_put(fp, r.hi - r.lo);
        last = r.hi;
    }
}

static void put_vertex(struct store *s, FILE *fp, const struct vertex *v,
                       unsigned has)
{
    bytes_put(fp, has);
    bytes_put(fp, (uint64_t)word_id(s, v->type));
    if (has & HAS_NUMBER)
        bytes_put(fp, v->number);
    if (has & HAS_ID)
        bytes_put(fp, (uint64_t)v->id);
    if (has & HAS_BASENAME)
        bytes_put(fp, (uint64_t)word_id(s, v->basename));
    if (has & HAS_RUN)
        put_run(fp, v->run);
    if (has & HAS_NAME)
        put_string(fp, v->name);
    if (has & HAS_UNIT)
        bytes_put(fp, (uint64_t)word_id(s, v->unit));
    if (has & HAS_UUID)
        put_string(fp, v->uuid);
    if (has & HAS_HOME)
        bytes_put(fp, (uint64_t)word_id(s, v->home));
    if (has & HAS_ABOVE)
        put_string(fp, v->above);
    if (has & HAS_PROPERTIES)
        put_properties(s, fp, v->properties);
    if (has & HAS_EXTRA)
        put_json(fp, v->extra);
    if (has & HAS_SIZE)
        bytes_put_signed(fp, v->size);
    if (has & HAS_RANK)
        bytes_put_signed(fp, v->rank);
}

static void get_properties(struct row *r, struct rset *rs, struct vertex *v)
{
    size_t n = bytes_get_count(&r->in);
    struct property *list;

    list = xcalloc(n, sizeof(*list));
    for (size_t i = 0; i < n; i++) {
        list[i].key = get_word(r);
        list[i].value = get_word(r);
    }
    vertex_set_properties(rs, v, list, n);
    free(list);
}

static struct idset *get_run(struct row *r)
{
    struct idset *run = idset_create();
    uint64_t last = 0;

    for (uint64_t n = bytes_get(&r->in); n > 0; n--) {
        uint64_t lo = last + bytes_get(&r->in);
        last = lo + bytes_get(&r->in);
        if (last > IDSET_MAX || lo > last)
            store_corrupt(r->in.s, "a run of pools");
        idset_add(run, (uint32_t)lo, (uint32_t)last);
    }
    return run;
}

/* A pool and what is said of it; *has tells what is in it. */
static struct vertex *get_vertex(struct row *r, struct rset *rs,
                                 struct vertex *parent, unsigned *has)
{
    unsigned what = *has = (unsigned)bytes_get(&r->in);
    struct vertex *v = vertex_create(rs, get_word(r));

    v->parent = parent;
    v->number = r->number += 1;
    if (what & HAS_NUMBER)
        v->number = r->number = (uint32_t)bytes_get(&r->in);
    if (what & HAS_ID)
        v->id = (int64_t)bytes_get(&r->in);
    if (what & HAS_BASENAME)
        v->basename = get_word(r);
    if (what & HAS_RUN)
        v->run = get_run(r);
    if (what & HAS_NAME)
        v->name = get_text(r, rs);
    else if (!v->run)
        v->name = rset_name_by_id(rs, v->basename, v->id);
    if (what & HAS_UNIT)
        v->unit = get_word(r);
    if (what & HAS_UUID)
        v->uuid = get_text(r, rs);
    if (what & HAS_HOME)
        v->home = get_word(r);
    if (what & HAS_ABOVE)
        v->above = get_text(r, rs);
    if (what & HAS_PROPERTIES)
        get_properties(r, rs, v);
    if (what & HAS_EXTRA)
        v->extra = get_json(r);
    if (what & HAS_SIZE)
        v->size = bytes_get_signed(&r->in);
    v->rank = what & HAS_RANK ? bytes_get_signed(&r->in)
              : parent        ? parent->rank
                              : -1;
    v->exclusive = what & IS_EXCLUSIVE;
    v->implied = what & IS_IMPLIED;
    return v;
}

/* --- trees -------------------------------------------------------------- */

/* Rows that are being written. */
struct writing {
    struct store *s;
    FILE *fp;
    char *bytes;
    size_t len;
    uint64_t in_row;
    int64_t id; /* of the next row */
    uint32_t number;
};

static void begin_row(struct writing *w)
{
    w->fp = memory_open(&w->bytes, &w->len);
    w->in_row = 0;
}

static void end_row(struct writing *w)
{
    memory_close(w->fp);
    if (w->len > 0)
        facts_put(w->s, w->id++, w->bytes, w->len);
    free(w->bytes);
}

static void put_children(struct writing *w, const struct vertex *parent);

static uint64_t count_children(const struct vertex *v)
{
    uint64_t n = 0;

    for (v = v->child; v; v = v->next)
        n++;
    return n;
}

/* What is in it, in a row of its own. */
static void put_inside(struct store *s, const struct vertex *v)
{
    struct writing w = {s, .id = INSIDE + v->number, .number = v->number};

    begin_row(&w);
    put_children(&w, v);
    end_row(&w);
}

/* Does what is in it stand in a row of its own? */
static bool is_closed(const struct vertex *v)
{
    return type_is_node(v->type) && v->child && !v->run
           && !(v->parent && vertex_in_node(v->parent));
}

static void put_tree(struct writing *w, const struct vertex *v)
{
    unsigned has = what_it_has(v, w->number);
    bool closed = is_closed(v);

    if (w->in_row++ == POOLS_A_ROW && w->id < INSIDE) {
        end_row(w);
        begin_row(w);
    }
    put_vertex(w->s, w->fp, v, has | (closed ? IS_CLOSED : 0));
    w->number = v->number;
    if (closed) {
        const struct vertex *last = v->child;
        put_inside(w->s, v);
        while (last->next || last->child)
            last = last->next ? last->next : last->child;
        w->number = last->number;
        bytes_put(w->fp, last->number - v->number);
    } else if (v->child) {
        put_children(w, v);
    }
}

static void put_children(struct writing *w, const struct vertex *parent)
{
    bytes_put(w->fp, count_children(parent));
    for (const struct vertex *c = parent->child; c; c = c->next)
        put_tree(w, c);
}

static void write_pools(struct store *s, const struct rset *rs)
{
    struct writing w = {s, .id = POOLS};
    uint64_t n = 0;

    for (const struct vertex *v = rs->loose; v; v = v->next)
        n++;
    begin_row(&w);
    bytes_put(w.fp, rs->root != NULL);
    if (rs->root)
        put_tree(&w, rs->root);
    bytes_put(w.fp, n);
    for (const struct vertex *v = rs->loose; v; v = v->next)
        put_tree(&w, v);
    end_row(&w);
    drop_rows(s, w.id, INSIDE);
}

static struct vertex *get_children(struct row *r, struct rset *rs,
                                   struct vertex *parent);

/*
 * Rows of what is in nodes come in the order of the nodes; of a set that is
 * read in pieces each when it is asked for.
 */
static void get_inside(struct row *r, struct rset *rs, struct vertex *v)
{
    struct row in = row_of(r->in.s, r->insides);

    if (!r->insides) {
        v->child = &rs->closed;
        return;
    }
    in.number = v->number;
    next_row(&in);
    if (sqlite3_column_int64(in.st, 0) != INSIDE + v->number)
        store_corrupt(r->in.s, "what is in a node");
    v->child = get_children(&in, rs, v);
}

static struct vertex *get_tree(struct row *r, struct rset *rs,
                               struct vertex *parent)
{
    struct vertex *v;
    unsigned has;

    if (r->in.at == r->in.end)
        next_row(r);
    v = get_vertex(r, rs, parent, &has);
    if (has & IS_CLOSED) {
        get_inside(r, rs, v);
        r->number += (uint32_t)bytes_get(&r->in);
    } else if (has & HAS_CHILDREN) {
        v->child = get_children(r, rs, v);
    }
    return v;
}

static struct vertex *get_list_of(struct row *r, struct rset *rs,
                                  struct vertex *parent, uint64_t n)
{
    struct vertex *first = NULL, **end = &first;

    for (; n > 0; n--) {
        *end = get_tree(r, rs, parent);
        end = &(*end)->next;
    }
    return first;
}

static struct vertex *get_children(struct row *r, struct rset *rs,
                                   struct vertex *parent)
{
    return get_list_of(r, rs, parent, bytes_get(&r->in));
}

static uint32_t read_pools(struct store *s, struct rset *rs)
{
    struct row r = row_of(s, ask_rows(s, "pools", POOLS, INSIDE));
    bool root;

    if (!rs->source)
        r.insides = ask_rows(s, "insides", INSIDE, LINKS);

    next_row(&r);
    root = bytes_get(&r.in);
    rs->root = root ? get_tree(&r, rs, NULL) : NULL;
    rs->loose = get_children(&r, rs, NULL);
    sqlite3_reset(r.st);
    if (r.insides)
        sqlite3_reset(r.insides);
    return r.number;
}

void facts_open(struct store *s, struct vertex *v)
{
    struct row r = row_of(s, ask_rows(s, "one inside", INSIDE + v->number,
                                      INSIDE + v->number + 1));
    size_t n = s->rs->nvertices;

    r.number = v->number;
    next_row(&r);
    v->child = get_children(&r, s->rs, v);
    sqlite3_reset(r.st);
    for (; n < s->rs->nvertices; n++)
        address_add(s, s->rs->vertices[n]);
}

/* --- edges -------------------------------------------------------------- */

static void write_links(struct store *s, const struct rset *rs)
{
    struct writing w = {s, .id = LINKS};

    begin_row(&w);
    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (w.in_row++ == POOLS_A_ROW) {
            end_row(&w);
            begin_row(&w);
        }
        bytes_put(w.fp, (uint64_t)word_id(s, l->subsystem));
        bytes_put(w.fp, (uint64_t)word_id(s, l->relationship));
        bytes_put(w.fp, l->source->number);
        bytes_put(w.fp, l->target->number);
        bytes_put(w.fp, l->extra != NULL);
        if (l->extra)
            put_json(w.fp, l->extra);
    }
    end_row(&w);
    drop_rows(s, w.id, END);
}

static void read_links(struct store *s, struct rset *rs)
{
    struct row r = row_of(s, ask_rows(s, "links", LINKS, END));

    while (begin_bytes(&r)) {
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
    read_header(s, rs);
    rs->numbers = read_pools(s, rs);
    address_index(s, rs);
    read_links(s, rs);
    return rs;
}

void facts_write(struct store *s, struct rset *rs)
{
    usage_get(rs); /* which numbers its vertices */
    write_header(s, rs);
    write_pools(s, rs);
    write_links(s, rs);
    store_do(s, "UPDATE store SET linked = ?", "i", (int64_t)(rs->nlinks > 0));
    rs->numbers = rs->usage->types.nnumbers;
}

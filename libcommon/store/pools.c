/* Writes and reads the pools of a set as rows, each with all pools in it. */
#include <stdlib.h>

#include "base/memory.h"
#include "store/rows.h"

/* Flags of a pool: which members follow, because they differ from the
   default. */
enum {
    HAS_CHILDREN = 1,
    HAS_RUN = 2,
    HAS_NAME = 4, /* differs from basename and id */
    HAS_BASENAME = 8,
    HAS_UNIT = 16,
    HAS_UUID = 32,
    HAS_HOME = 64,
    HAS_ABOVE = 128,
    HAS_PROPERTIES = 256,
    HAS_EXTRA = 512,
    HAS_SIZE = 1024,
    HAS_RANK = 2048,   /* differs from the parent's */
    HAS_NUMBER = 4096, /* is not the next number */
    IS_EXCLUSIVE = 8192,
    IS_IMPLIED = 16384,
    IS_CLOSED = 32768, /* its children have a row of their own */
    HAS_ID = 65536
};

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

static void get_properties(struct facts_row *r, struct rset *rs,
                           struct vertex *v)
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

static struct idset *get_run(struct facts_row *r)
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
    if (idset_empty(run))
        store_corrupt(r->in.s, "a run of pools");
    return run;
}

/* Read a pool without its children. Sets *has to the flags above. */
static struct vertex *get_vertex(struct facts_row *r, struct rset *rs,
                                 struct vertex *parent, unsigned *has)
{
    unsigned what = *has = (unsigned)bytes_get(&r->in);
    struct vertex *v = vertex_create(rs, get_word(r));

    v->parent = parent;
    v->number = r->number += 1;
    if (what & HAS_NUMBER)
        v->number = r->number = (uint32_t)bytes_get(&r->in);
    if (v->number < 1 || v->number > rs->numbers)
        store_corrupt(r->in.s, "the number of a pool");
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

static void put_pools(struct row_writer *w, const struct vertex *first);

/* Write a pool and all pools below it. The pools in a node get a row of their
   own. */
static void put_tree(struct row_writer *w, const struct vertex *v)
{
    unsigned has = what_it_has(v, w->number);
    bool closed = type_is_node(v->type) && v->child && !v->run
                  && vertex_is_outer(v);

    if (w->id < FACTS_INSIDE)
        row_thing(w);
    put_vertex(w->s, w->fp, v, has | (closed ? IS_CLOSED : 0));
    w->number = v->number;
    if (closed) {
        struct row_writer in = {w->s, .id = FACTS_INSIDE + v->number,
                                .number = v->number};
        row_begin(&in);
        put_pools(&in, v->child);
        row_end(&in);
        w->number = in.number;
        bytes_put(w->fp, in.number - v->number);
    } else if (v->child) {
        put_pools(w, v->child);
    }
}

/* Write a list of vertices, linked by `next`, with all pools below them. */
static void put_pools(struct row_writer *w, const struct vertex *first)
{
    uint64_t n = 0;

    for (const struct vertex *v = first; v; v = v->next)
        n++;
    bytes_put(w->fp, n);
    for (const struct vertex *v = first; v; v = v->next)
        put_tree(w, v);
}

void pools_write(struct store *s, const struct rset *rs)
{
    struct row_writer w = {s, .id = FACTS_POOLS};

    if (s->replaced)
        rows_drop(s, FACTS_INSIDE, FACTS_LINKS);
    row_begin(&w);
    bytes_put(w.fp, rs->root != NULL);
    if (rs->root)
        put_tree(&w, rs->root);
    put_pools(&w, rs->loose);
    row_end(&w);
    rows_drop(s, w.id, FACTS_INSIDE);
}

static struct vertex *get_pools(struct facts_row *r, struct rset *rs,
                                struct vertex *parent);

/* Read the pools in a node. Their rows have the order of the nodes. If the set
   is read in pieces, a row is read on demand. */
static void get_inside(struct facts_row *r, struct rset *rs, struct vertex *v)
{
    struct facts_row in = row_of(r->in.s, r->insides);

    if (!r->insides) {
        if (!rs->source) /* a node inside a node has no row */
            store_corrupt(r->in.s, "the contents of a node");
        v->child = &rs->closed;
        return;
    }
    in.number = v->number;
    in.depth = r->depth;
    row_next(&in);
    if (sqlite3_column_int64(in.st, 0) != FACTS_INSIDE + v->number)
        store_corrupt(r->in.s, "the contents of a node");
    v->child = get_pools(&in, rs, v);
}

static struct vertex *get_tree(struct facts_row *r, struct rset *rs,
                               struct vertex *parent)
{
    struct vertex *v;
    unsigned has;

    if (r->in.at == r->in.end)
        row_next(r);
    v = get_vertex(r, rs, parent, &has);
    if (has & IS_CLOSED) {
        get_inside(r, rs, v);
        r->number += (uint32_t)bytes_get(&r->in);
    } else if (has & HAS_CHILDREN) {
        v->child = get_pools(r, rs, v);
    }
    return v;
}

/* Read the children of a parent, or the vertices without parent (NULL). */
static struct vertex *get_pools(struct facts_row *r, struct rset *rs,
                                struct vertex *parent)
{
    struct vertex *first = NULL, **end = &first;

    if (++r->depth > DEPTH_MAX)
        store_corrupt(r->in.s, "the depth of a pool");
    for (uint64_t n = bytes_get(&r->in); n > 0; n--) {
        *end = get_tree(r, rs, parent);
        end = &(*end)->next;
    }
    r->depth--;
    return first;
}

void pools_read(struct store *s, struct rset *rs)
{
    struct facts_row r = row_of(
        s, rows_query(s, "pools", FACTS_POOLS, FACTS_INSIDE));
    bool root;

    if (!rs->source)
        r.insides = rows_query(s, "insides", FACTS_INSIDE, FACTS_LINKS);

    row_next(&r);
    root = bytes_get(&r.in);
    rs->root = root ? get_tree(&r, rs, NULL) : NULL;
    rs->loose = get_pools(&r, rs, NULL);
    sqlite3_reset(r.st);
    if (r.insides)
        sqlite3_reset(r.insides);
}

void facts_open(struct rset_source *source, struct vertex *v)
{
    struct store *s = store_of(source);
    struct facts_row r = row_of(s, rows_query(s, "one inside",
                                              FACTS_INSIDE + v->number,
                                              FACTS_INSIDE + v->number + 1));
    size_t n = s->rs->nvertices;

    r.number = v->number;
    row_next(&r);
    v->child = get_pools(&r, s->rs, v);
    sqlite3_reset(r.st);
    types_check(s, n);
    for (; n < s->rs->nvertices; n++)
        address_add(s, s->rs->vertices[n]);
}

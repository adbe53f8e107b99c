/*
 * Images: the counts of outer lots (model/records/pieces.h). With images, a
 * match reads grants only for the lots that it takes anything from.
 *
 * A row of the table `lot` is the image of a pool, or of a target in a run: its
 * state, the units claimed from it, and the units free in it, as the difference
 * from all units in it. A lot for which all this is zero has no row. An image
 * counts the claims that had started at the time `counted` in the table
 * `store`; lots with claims that start later, whose rows say so, are read at
 * once. Row FACTS_TYPES contains what usage knows about types.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "store/rows.h"

static size_t width_of(const struct usage *u)
{
    return 2 * (size_t)usage_types(u)->count;
}

/* --- types -------------------------------------------------------------- */

static void put_types(struct store *s, const struct types *t, FILE *fp)
{
    bytes_put(fp, t->count);
    for (unsigned i = 0; i < t->count; i++) {
        bytes_put(fp, (uint64_t)word_id(s, t->names[i]));
        bytes_put(fp, t->flags[i]);
    }
    for (unsigned i = 0; i < t->count; i++)
        for (unsigned k = 0; k < t->count; k++) {
            const struct nesting *in = types_nesting(t, i, k);
            bytes_put(fp, types_nesting(t, k, i)->most > 0);
            bytes_put(fp, types_nesting(t, k, i)->child);
            bytes_put_signed(fp, in->least);
            bytes_put_signed(fp, in->most);
        }
    bytes_put(fp, t->nunits);
    for (size_t i = 0; i < t->nunits; i++) {
        bytes_put(fp, t->units[i].ntype);
        bytes_put(fp, (uint64_t)word_id(s, t->units[i].unit));
        bytes_put_signed(fp, t->units[i].total);
    }
    bytes_put(fp, t->nodes_nested);
    bytes_put(fp, t->marked);
    bytes_put(fp, t->huge);
}

/* The rows of counts (usage.h) of all pools. Most pools share a row with
   others. */
struct rows {
    struct map map; /* rows to their numbers */
    FILE *places;   /* number of each pool's row */
    uint32_t last;
    size_t n;
};

static void put_place(struct usage *u, struct rows *rows, uint32_t number,
                      const struct vertex *v)
{
    const int64_t *row = usage_row(u, v);
    struct map_slot *slot;

    if (!row)
        return;
    slot = map_at(&rows->map, row, usage_types(u)->count * sizeof(*row));
    if (slot->value.number == 0)
        slot->value.number = rows->map.count;
    bytes_put_signed(rows->places, (int64_t)number - rows->last);
    bytes_put(rows->places, slot->value.number);
    rows->last = number;
    rows->n++;
}

static void put_rows(struct usage *u, FILE *fp)
{
    const struct rset *rs = usage_rset(u);
    struct rows rows = {0};
    char *places;
    size_t len;

    rows.places = memory_open(&places, &len);
    put_place(u, &rows, 0, usage_top(u)->v);
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (vertex_is_outer(v) && v->child)
            put_place(u, &rows, v->number, v);
    memory_close(rows.places);
    bytes_put(fp, rows.map.count);
    for (size_t i = 0; i < rows.map.count; i++)
        for (unsigned k = 0; k < usage_types(u)->count; k++) {
            int64_t units; /* a key may not be aligned */
            memcpy(&units, rows.map.slots[i].key + k * sizeof(units),
                   sizeof(units));
            bytes_put_signed(fp, units);
        }
    bytes_put(fp, rows.n);
    fwrite(places, 1, len, fp);
    free(places);
    map_fini(&rows.map);
}

void types_write(struct store *s, struct usage *u)
{
    struct row_writer w = {s, .id = FACTS_TYPES};

    row_begin(&w);
    put_types(s, usage_types(u), w.fp);
    put_rows(u, w.fp);
    row_end(&w);
}

static void get_types(struct bytes *in, struct types *t)
{
    t->count = (unsigned)bytes_get_count(in);
    t->names = xcalloc(t->count, sizeof(*t->names));
    t->flags = xcalloc(t->count, 1);
    for (unsigned i = 0; i < t->count; i++) {
        t->names[i] = word_at(in->s, (int64_t)bytes_get(in));
        t->flags[i] = (unsigned char)bytes_get(in);
    }
    types_make_table(t);
    for (unsigned i = 0; i < t->count; i++)
        for (unsigned k = 0; k < t->count; k++) {
            struct nesting *at = types_nest(t, i, k);
            bytes_get(in); /* does i lie below k? The numbers say that too. */
            types_nest(t, k, i)->child = bytes_get(in);
            at->least = bytes_get_signed(in);
            at->most = bytes_get_signed(in);
        }
    t->nunits = bytes_get_count(in);
    t->units = xcalloc(t->nunits, sizeof(*t->units));
    for (size_t i = 0; i < t->nunits; i++) {
        t->units[i].ntype = (unsigned)bytes_get(in);
        if (t->units[i].ntype >= t->count)
            store_corrupt(in->s, in->what);
        t->units[i].unit = word_at(in->s, (int64_t)bytes_get(in));
        t->units[i].total = bytes_get_signed(in);
    }
    t->nodes_nested = bytes_get(in);
    t->marked = bytes_get(in);
    t->huge = bytes_get(in);
}

static void get_rows(struct bytes *in, struct types *t)
{
    size_t n = bytes_get_count(in);
    int64_t number = 0;

    t->nrows = (uint32_t)n;
    t->rows = xcalloc(vector_room(n) * t->count, sizeof(*t->rows));
    for (size_t i = 0; i < n * t->count; i++)
        t->rows[i] = bytes_get_signed(in);
    t->row_of = xcalloc((size_t)t->nnumbers + 1, sizeof(*t->row_of));
    for (n = bytes_get_count(in); n > 0; n--) {
        number += bytes_get_signed(in);
        if (number < 0 || number > t->nnumbers)
            store_corrupt(in->s, in->what);
        t->row_of[number] = (uint32_t)bytes_get(in);
        if (t->row_of[number] > t->nrows)
            store_corrupt(in->s, in->what);
    }
}

/* Read the row of types. The numbers of pools must be known. */
static void read_types(struct store *s, struct types *t)
{
    struct facts_row r = row_of(
        s, rows_query(s, "types", FACTS_TYPES, FACTS_TYPES + 1));

    r.in.what = "the table of types";
    row_next(&r);
    get_types(&r.in, t);
    get_rows(&r.in, t);
    sqlite3_reset(r.st);
}

void types_check(struct store *s, size_t from)
{
    const char *last = NULL;

    for (; from < s->rs->nvertices; from++) {
        const char *type = s->rs->vertices[from]->type;
        if (type != last && usage_type(s->rs->usage, type) < 0)
            store_corrupt(s, "the table of types");
        last = type;
    }
}

/* Does the row of types have what a survey of the whole set finds? */
static bool types_are_right(struct store *s, struct usage *u)
{
    char *bytes;
    size_t len;
    FILE *fp = memory_open(&bytes, &len);
    bool right;

    put_types(s, usage_types(u), fp);
    put_rows(u, fp);
    memory_close(fp);
    right = row_is(s, FACTS_TYPES, bytes, len);
    free(bytes);
    return right;
}

/* --- images: writing ---------------------------------------------------- */

enum {
    IS_BLOCKED = 1,
    IS_TOUCHED = 2,
    IS_HELD = 4,
    HAS_INSIDE = 8,
    STATE = 16
};

/* Return the image of a lot, new bytes; NULL if it needs none. */
static char *make_image(const struct usage *u, const struct lot *lot,
                        int64_t *sums, size_t *len)
{
    struct lot_image image = {.sums = sums};
    char *bytes;
    FILE *fp;

    if (!lot_to_image(u, lot, &image))
        return NULL;
    fp = memory_open(&bytes, len);
    bytes_put(fp, (image.blocked ? IS_BLOCKED : 0U)
                      | (image.touched ? IS_TOUCHED : 0U)
                      | (image.held ? IS_HELD : 0U)
                      | (image.inside ? HAS_INSIDE : 0U)
                      | STATE * (unsigned)image.state);
    bytes_put_signed(fp, image.taken);
    if (image.inside) {
        bytes_put(fp, 1); /* older stores have three counts */
        bytes_put(fp, image.touched_inside);
        bytes_put(fp, image.held_inside);
        for (size_t i = 0; i < width_of(u); i++)
            bytes_put_signed(
                fp,
                sums[i]
                    - usage_total(u, lot->v, (int)(i % usage_types(u)->count)));
    }
    memory_close(fp);
    return bytes;
}

void images_begin(struct store *s, double now)
{
    sqlite3_stmt *st;
    bool any = false;

    if (now < s->counted) /* the clock has gone back */
        store_do(s, "UPDATE grants SET later = 1 WHERE start > ?", "d", now);
    st = store_query(s, "SELECT lot FROM grants WHERE later = 1 AND start <= ?",
                     "d", now);
    for (; store_row(s, st); any = true)
        image_changes(s, sqlite3_column_int64(st, 0));
    if (any)
        store_do(s,
                 "UPDATE grants SET later = 0 WHERE later = 1 AND start <= ?",
                 "d", now);
    s->counted = now;
}

void images_write(struct store *s, struct usage *u)
{
    /* A service has claims for later that are not stored. Elsewhere lots with
       later claims are read at once, so that the sums may stay as they are. */
    const struct period when = {.now = s->counted,
                                .from = s->counted,
                                .to = s->mode == STORE_LEASE ? s->counted
                                                             : INFINITY};
    int64_t *sums = xcalloc(width_of(u), sizeof(*sums));

    store_do(s, "UPDATE store SET revision = ?, seq = ?, counted = ?", "iid",
             s->revision, usage_seq(u), s->counted);
    for (size_t i = 0; i < s->changed.count; i++) {
        struct lot *lot;
        int64_t key;
        size_t len;
        char *bytes;
        memcpy(&key, s->changed.slots[i].key, sizeof(key));
        lot = lot_of_key(s, u, key);
        lot_load(u, lot);
        usage_at_lot(u, &when, lot);
        if ((bytes = make_image(u, lot, sums, &len)))
            store_do(s, "INSERT OR REPLACE INTO lot VALUES (?, ?)", "ib", key,
                     bytes, len);
        else
            store_do(s, "DELETE FROM lot WHERE lot = ?", "i", key);
        free(bytes);
    }
    map_fini(&s->changed);
    s->changed = (struct map){0};
    free(sums);
}

/* Read an image of a pool from column 1. Counts that are not 0 say no more. */
static void read_image(struct store *s, sqlite3_stmt *st,
                       const struct vertex *v, struct lot_image *out)
{
    const struct usage *u = s->rs->usage;
    struct bytes in = {.s = s, .what = "the counts of a pool"};
    unsigned flags;

    bytes_begin(&in, st);
    flags = (unsigned)bytes_get(&in);
    *out = (struct lot_image){.blocked = flags & IS_BLOCKED,
                              .touched = flags & IS_TOUCHED,
                              .held = flags & IS_HELD,
                              .inside = flags & HAS_INSIDE,
                              .state = flags / STATE,
                              .taken = bytes_get_signed(&in),
                              .sums = out->sums};
    if (flags / STATE >= POOL_STATES
        || (out->inside && bytes_get(&in) == 0)) /* children with records */
        store_corrupt(s, in.what);
    if (!out->inside)
        return;
    out->touched_inside = bytes_get(&in) > 0;
    out->held_inside = bytes_get(&in) > 0;
    for (size_t i = 0; i < width_of(u); i++)
        out->sums[i] = bytes_get_signed(&in)
                       + usage_total(u, v, (int)(i % usage_types(u)->count));
}

/* --- images: checking --------------------------------------------------- */

/* Is the image of a lot right? If the lot has later claims, any image
   is right. */
static bool is_imaged(struct store *s, struct usage *u, int64_t key,
                      const struct lot *lot, int64_t *sums)
{
    struct lot_image is = {.sums = sums}, stored = {.sums = sums + width_of(u)};
    bool needed = lot_to_image(u, lot, &is), right;
    sqlite3_stmt *st = store_query(
        s,
        "SELECT lot, image, EXISTS (SELECT 1 FROM grants WHERE grants.lot = ?1 "
        "AND later = 1) FROM lot WHERE lot = ?1",
        "i", key);

    if (!store_row(s, st))
        return !needed;
    read_image(s, st, lot->v, &stored);
    right = needed
            && (sqlite3_column_int64(st, 2)
                || lot_images_equal(u, &is, &stored));
    sqlite3_reset(st);
    return right;
}

void store_check_counts(struct store *s, store_fault_fn *fault, void *arg)
{
    struct usage *u = usage_begin(s->rs);
    sqlite3_stmt *st = store_query(s, "SELECT counted FROM store", "");
    double counted = store_row(s, st) ? sqlite3_column_double(st, 0) : 0;
    const struct period when = {counted, counted, INFINITY, false},
                        ever = {.to = INFINITY};
    int64_t *sums = xcalloc(2 * width_of(u), sizeof(*sums));

    sqlite3_reset(st);
    if (!types_are_right(s, u))
        fault("wrong counts of types", arg);
    usage_at(u, &when);
    for (struct lot *lot = usage_top(u);
         (lot = lot_next_in(u, usage_top(u), lot));) {
        char *place, *text;
        bool over = lot_claimed(lot, &ever, NULL) > lot->v->size;
        bool outer = vertex_is_outer(lot->v), right = true;
        int64_t key = outer ? address_of(s, lot).lot : 0;
        for (uint32_t i = 0; outer && right && i < lot->n; i++)
            right = is_imaged(s, u, key + i, lot, sums);
        if (!over && right)
            continue;
        place = lot_place(u, lot);
        xasprintf(&text, "%s: %s", place,
                  over ? "more is allocated than there is" : "wrong counts");
        fault(text, arg);
        free(place);
        free(text);
    }
    free(sums);
}

/* --- images: reading ---------------------------------------------------- */

enum { OF_RANKS, OF_POOLS };

static void next_image(struct store *s, int kind)
{
    s->images[kind].key = INT64_MAX;
    if (store_row(s, s->images[kind].rows))
        s->images[kind].key = sqlite3_column_int64(s->images[kind].rows, 0);
}

struct store *store_of(struct rset_source *source)
{
    return (struct store *)((char *)source - offsetof(struct store, source));
}

static bool image_of(struct rset_source *source, const struct vertex *v,
                     uint32_t first, uint32_t last, struct lot_image *out)
{
    struct store *s = store_of(source);
    int kind = v->run ? OF_RANKS : OF_POOLS;
    int64_t key = s->images[kind].key;

    if (v->run ? key < first || key > last : key != (int64_t)v->number << 32)
        return false;
    read_image(s, s->images[kind].rows, v, out);
    out->at = (uint32_t)key;
    next_image(s, kind);
    return true;
}

/* Read the lots with the keys that a statement selects. */
static void read_keys(struct store *s, struct usage *u, sqlite3_stmt *st)
{
    struct lots lots = {0};

    while (store_row(s, st))
        lots_add(&lots, lot_of_key(s, u, sqlite3_column_int64(st, 0)));
    for (size_t i = 0; i < lots.n; i++)
        lot_load(u, lots.list[i]);
    free(lots.list);
}

static void read_ending(struct rset_source *source, struct usage *u, double by)
{
    struct store *s = store_of(source);

    read_keys(s, u,
              store_query(s, "SELECT lot FROM grants WHERE end <= ?", "d", by));
}

static void read_job(struct rset_source *source, struct usage *u,
                     const char *name)
{
    struct store *s = store_of(source);

    read_keys(s, u,
              store_query(s, "SELECT DISTINCT lot FROM grants WHERE job = ?",
                          "t", name));
}

void pieces_read(struct store *s, double now, bool times)
{
    struct usage *u;

    s->source = (struct rset_source){.open = facts_open,
                                     .image = image_of,
                                     .read = jobs_load_lot,
                                     .read_ending = read_ending,
                                     .read_job = read_job};
    u = usage_get(facts_read(s));
    if (s->rs->nlinks > 0)
        store_corrupt(s, "whether there are edges");
    read_types(s, usage_types(u));
    usage_types(u)->known = true;
    types_check(s, 0);

    s->images[OF_RANKS].rows = store_query(
        s, "SELECT lot, image FROM lot WHERE lot < 4294967296 ORDER BY lot",
        "");
    s->images[OF_POOLS].rows = store_query(
        s, "SELECT lot, image FROM lot WHERE lot >= 4294967296 ORDER BY lot",
        "");
    next_image(s, OF_RANKS);
    next_image(s, OF_POOLS);
    usage_begin_pieces(u, now);
    if (s->images[OF_RANKS].key != INT64_MAX
        || s->images[OF_POOLS].key != INT64_MAX)
        store_corrupt(s, "the counts of a pool");
    /* each part has an index, but the last one, for a clock that went back */
    read_keys(s, u,
              store_query(s,
                          "SELECT lot FROM grants WHERE kind = 3 UNION "
                          "SELECT lot FROM grants WHERE later = 1 UNION "
                          "SELECT lot FROM grants WHERE reserved = 1 AND "
                          "end <= ?1 UNION SELECT lot FROM store CROSS JOIN "
                          "grants WHERE counted > ?1 AND start > ?1",
                          "d", now));
    if (times)
        read_keys(
            s, u,
            store_query(
                s,
                "SELECT lot FROM grants WHERE start NOT NULL OR end NOT NULL",
                ""));
}

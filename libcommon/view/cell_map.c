/*
 * Maps of cells (cell_map.h). A walk over the lots of the set collects the
 * cells, grouped by the pool that contains them. After the walk the widths of
 * labels are known, and how many cells fit; then the rows are written.
 */
#include "view/cell_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/near.h"
#include "base/show.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "set/hostlist.h"
#include "view/holders.h"

struct map_cell {
    const struct lot *lot;
    uint32_t at;    /* member of the lot */
    uint32_t paint; /* number in the palette */
    uint32_t part;  /* part of the node, such as a socket */
};

/* The pool whose cells form a group: the node, or the nearest enclosing
   pool. */
struct cell_place {
    const struct lot *lot;
    uint32_t at, part;
    bool node;
};

struct map_group {
    struct cell_place of;
    size_t first, n;
    bool parts;
};

struct map_row {
    const struct map_group *of;
    size_t from, to; /* range in the cells of the group */
    size_t columns;
    char *label;
};

struct cell_map {
    struct usage *u;
    const struct lots *tops;
    struct screen *s;
    int ntype; /* type of the cells; -1: nodes */
    uint32_t part;
    struct map_cell *cells;
    size_t n;
    struct map_group *groups;
    size_t ngroups;
    struct map_row *rows;
    size_t nrows;
    size_t each;   /* number of pools that one cell stands for */
    size_t label;  /* width of labels */
    size_t room;   /* width of the cells of a row */
    size_t beside; /* rows in one line, then without hosts; 0: one */
};

enum { FEW_NODES = 8, MANY_GROUPS = 16, EVERY_NODES = 10, EVERY = 8 };

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t max(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* --- cells -------------------------------------------------------------- */

static void add_cells(struct cell_map *m, struct lot *lot,
                      const struct cell_place *in)
{
    struct holders h = holders_of(m->u, lot);
    uint32_t paint = (uint32_t)holders_paint(&h, m->s->palette).number;
    struct map_group *group = m->ngroups ? &m->groups[m->ngroups - 1] : NULL;

    for (size_t i = 0; h.out && i < h.jobs.n; i++)
        job_list_add(&m->s->used_by[paint], h.jobs.list[i]);
    holders_fini(&h);
    if (!group || group->of.lot != in->lot || group->of.at != in->at) {
        VECTOR_GROW(m->groups, m->ngroups);
        group = &m->groups[m->ngroups++];
        *group = (struct map_group){.of = *in, .first = m->n};
    }
    if (in->part != group->of.part)
        group->parts = true;
    group->n += lot->n;
    for (uint32_t i = 0; i < lot->n; i++)
        VECTOR_ADD(m->cells, m->n,
                   (struct map_cell){lot, lot->at + i, paint, in->part});
}

static void gather_lot(struct cell_map *m, struct lot *lot,
                       const struct cell_place *in)
{
    if (pool_is(m->u, lot->v, m->ntype)) {
        add_cells(m, lot, in);
        return;
    }
    for (uint32_t i = 0; i < lot->n && pool_may_hold(m->u, lot->v, m->ntype);
         i++) {
        struct cell_place at = {lot, lot->at + i, 0,
                                type_is_node(lot->v->type)};
        if (in->node)
            at = *in;
        if (in->node && lot->parent == in->lot)
            at.part = ++m->part;
        for (struct lot *c = lot_open(m->u, lot); c; c = c->next)
            gather_lot(m, c, &at);
    }
}

/* Return the paint of a cell that stands for several pools. A pool that is not
   up decides it. */
static struct paint paint_of(const struct cell_map *m, size_t from, size_t to)
{
    size_t first = m->cells[from].paint;
    bool same = true, idle = false;

    for (size_t i = from; i < to; i++) {
        size_t paint = m->cells[i].paint;
        if (paint >= PAINT_DRAINED && paint < PAINT_STATES)
            return palette_at(m->s->palette, paint);
        same &= paint == first;
        idle |= paint <= PAINT_MIXED;
    }
    return palette_at(m->s->palette, same   ? first
                                     : idle ? PAINT_MIXED
                                            : PAINT_FULL);
}

/* --- rows --------------------------------------------------------------- */

static size_t cells_in(const struct cell_map *m, const struct map_group *g)
{
    return (g->n + m->each - 1) / m->each;
}

static size_t every(const struct cell_map *m)
{
    return m->ntype < 0 ? EVERY_NODES : EVERY;
}

/* Is there a gap before this cell, which is not the first in its row? */
static bool gap_before(const struct cell_map *m, const struct map_group *g,
                       size_t cell, size_t in_row)
{
    const struct map_cell *c = &m->cells[g->first + cell * m->each];

    return g->parts ? c->part != c[-(ptrdiff_t)m->each].part
                    : in_row % every(m) == 0;
}

/* Fill a row from row->from on: find its end and its width. */
static void fill_row(const struct cell_map *m, struct map_row *row)
{
    size_t n = cells_in(m, row->of), unit = every(m), at = row->from, count;

    for (row->columns = 0; at < n; at++) {
        size_t gap = at > row->from
                     && gap_before(m, row->of, at, at - row->from);
        if (at > row->from && row->columns + gap + 1 > m->room)
            break;
        row->columns += gap + 1;
    }
    count = at - row->from;
    if (at < n && !row->of->parts && count > unit) {
        count -= count % unit; /* let the next row begin with a round number */
        row->columns = count + count / unit - 1;
    }
    row->to = row->from + count;
}

/* Return the label of a row: the pool that contains its cells, and the hosts if
   the cells are nodes. If a hostlist can't hold the names, use the last one. */
static char *row_label(const struct cell_map *m, const struct map_row *row)
{
    const struct map_cell *cells = &m->cells[row->of->first];
    const struct lot *lot = row->of->of.lot;
    bool nodes = m->ntype < 0 && !m->beside;
    bool named = row->from == 0 && lot != usage_top(m->u)
                 && (lot->v->parent || !nodes);
    struct hostlist *hosts = hostlist_create();
    char buf[VERTEX_NAME_MAX], *text;
    const char *name = "";
    FILE *fp = memory_open(&text, NULL);

    if (named)
        fputs(vertex_name(usage_rset(m->u), lot->v, row->of->of.at, buf), fp);
    if (named && nodes)
        putc(' ', fp);
    for (size_t i = row->from * m->each;
         nodes && i < row->to * m->each && i < row->of->n; i++) {
        name = vertex_name(usage_rset(m->u), cells[i].lot->v, cells[i].at, buf);
        hostlist_append(hosts, name);
    }
    if (hostlist_count(hosts))
        hostlist_write(hosts, fp);
    else
        fputs(name, fp);
    hostlist_destroy(hosts);
    return memory_take(fp, &text, true);
}

static void drop_rows(struct cell_map *m)
{
    for (size_t i = 0; i < m->nrows; i++)
        free(m->rows[i].label);
    free(m->rows);
    m->rows = NULL;
    m->nrows = 0;
}

/* Make all rows, with labels of at most `label` columns. Returns the width of
   the widest label. */
static size_t make_rows(struct cell_map *m, size_t label)
{
    size_t width = (size_t)m->s->width, widest = 0;

    m->room = width > label + 1 ? width - label - 1 : 1;
    drop_rows(m);
    for (size_t i = 0; i < m->ngroups; i++) {
        struct map_row row = {.of = &m->groups[i]};
        for (; row.from < cells_in(m, row.of); row.from = row.to) {
            fill_row(m, &row);
            row.label = row_label(m, &row);
            widest = max(widest, show_columns(row.label));
            VECTOR_ADD(m->rows, m->nrows, row);
        }
    }
    return widest;
}

static void put_below(struct cell_map *m)
{
    size_t most = (size_t)m->s->width / 3;

    m->beside = 0;
    m->label = min(most, make_rows(m, most));
    m->label = min(most, make_rows(m, m->label));
}

/* Make rows. If there are many small groups, put several into one line. */
static void lay_out(struct cell_map *m)
{
    size_t widest = 0;

    put_below(m);
    if (m->ngroups < MANY_GROUPS || m->nrows > m->ngroups)
        return;
    for (size_t i = 0; i < m->nrows; i++)
        widest = max(widest, m->rows[i].columns);
    m->beside = 1;
    m->label = make_rows(m, m->label);
    m->beside = ((size_t)m->s->width + 2) / (m->label + 1 + widest + 2);
    m->room = widest;
    if (m->beside < 2)
        put_below(m);
}

static size_t lines_of(const struct cell_map *m)
{
    return m->beside ? (m->nrows + m->beside - 1) / m->beside : m->nrows;
}

/* --- output ------------------------------------------------------------- */

static void print_rows(const struct cell_map *m)
{
    size_t beside = m->beside ? m->beside : 1;
    struct screen *s = m->s;

    for (size_t i = 0; i < m->nrows; i++) {
        const struct map_row *row = &m->rows[i];
        const struct map_group *g = row->of;
        screen_label(s, row->label, m->label);
        putc(' ', s->fp);
        for (size_t k = row->from; k < row->to; k++) {
            size_t first = g->first + k * m->each;
            struct paint paint = paint_of(
                m, first, min(first + m->each, g->first + g->n));
            if (k > row->from && gap_before(m, g, k, k - row->from)) {
                screen_cell(s, NULL);
                putc(' ', s->fp);
            }
            screen_cell(s, &paint);
        }
        screen_cell(s, NULL);
        if (i % beside == beside - 1 || i == m->nrows - 1)
            putc('\n', s->fp);
        else
            fprintf(s->fp, "%*s", (int)(m->room - row->columns + 2), "");
    }
}

/* Make a map fit: first drop the groups of nodes, then let each cell stand for
   more and more pools. */
static void fit(struct cell_map *m, size_t height)
{
    static const size_t rounds[] = {2, 5, 10};

    if (lines_of(m) <= height)
        return;
    if (m->ntype < 0) {
        m->ngroups = 1;
        m->groups[0] = (struct map_group){.of.lot = usage_top(m->u), .n = m->n};
    }
    lay_out(m);
    for (size_t i = 0, unit = 1; lines_of(m) > height && m->each < m->n; i++) {
        m->each = unit * rounds[i % 3];
        unit *= i % 3 == 2 ? 10 : 1;
        lay_out(m);
    }
}

/* Print a map in the given height (0: any), and count its cells by paint.
   Returns false if there are none. */
static bool print_map(struct cell_map *m, size_t height, size_t *counts)
{
    FILE *fp = m->s->fp;

    for (size_t k = 0; k < m->tops->n; k++) {
        struct lot *lot = m->tops->list[k], *up = lot->parent;
        struct cell_place at = {.lot = up, .at = up->at};
        while (up && !type_is_node(up->v->type))
            up = up->parent;
        if (up)
            at = (struct cell_place){up, up->at, 0, true};
        gather_lot(m, lot, &at);
    }
    if (!m->n)
        return false;
    m->each = 1;
    lay_out(m);
    if (height)
        fit(m, height);
    fprintf(fp, "cell: %zu ", m->each);
    show(fp, m->ntype < 0 ? "node" : usage_types(m->u)->names[m->ntype]);
    putc('\n', fp);
    print_rows(m);
    for (size_t k = 0; k < m->n; k++)
        counts[m->cells[k].paint]++;
    drop_rows(m);
    free(m->cells);
    free(m->groups);
    return true;
}

size_t cell_map_types(struct rset *rs, const struct lots *tops,
                      const char *type, int ntypes[CELL_MAPS], struct diag *d)
{
    struct usage *u = usage_begin(rs);
    int core = usage_type_named(u, "core");
    struct near near;

    ntypes[0] = -1;
    ntypes[1] = usage_type_named(u, "gpu");
    if (type && strcmp(type, "node") != 0) {
        ntypes[0] = usage_type_named(u, type);
        if (ntypes[0] >= 0)
            return 1;
        near = (struct near){.word = type, .len = strlen(type)};
        for (unsigned i = 0; i < usage_types(u)->count; i++)
            near_try(&near, usage_types(u)->names[i]);
        diag_set(d, "%s is not a type%s", quote(type, near.len).text,
                 near.text);
        return 0;
    }
    if (type || core < 0 || pools_count(u, tops, -1) > FEW_NODES)
        return 1;
    ntypes[0] = core;
    return ntypes[1] >= 0 ? 2 : 1;
}

void cell_map_print(struct rset *rs, const struct lots *tops, const int *ntypes,
                    size_t n, const struct screen *s)
{
    struct usage *u = usage_begin(rs);
    struct screen screen = *s;
    struct palette *palette = palette_create(u);
    size_t *counts = xcalloc(palette_count(palette), sizeof(*counts));
    size_t lines = s->height > 8 ? (size_t)s->height - 5 : 0, maps = 0;

    screen.palette = palette;
    for (size_t i = 0; i < n; i++) {
        struct cell_map m = {
            .u = u, .tops = tops, .s = &screen, .ntype = ntypes[i]};
        maps += print_map(&m, lines / n, counts);
    }
    screen_legend(&screen, counts, maps == 1); /* one for all */
    for (int i = 0; i < PAINT_STATES; i++)
        free(screen.used_by[i].list);
    free(counts);
    palette_destroy(palette);
}

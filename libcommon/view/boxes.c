/* Makes boxes from lots and places them (boxes.h). */
#include "view/boxes.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/lots.h"
#include "model/records/usage.h"
#include "view/holders.h"
#include "view/svg_write.h"

/* Limits: draw every pool; name each node; draw a cell for each node. */
enum { ALL_MAX = 4000, NAMES_MAX = 2000, CELLS_MAX = 100000 };

/* Sizes of cells without a name. Grids of more than LONG_GRID such cells have
   names beside their rows. */
enum {
    CELL = 10,
    CELL_HEIGHT = 18,
    NODE_WIDTH = 72,
    GAP = 4,
    CELL_GAP = 2,
    LONG_GRID = 100
};

/* --- making boxes -------------------------------------------------------- */

/* Count nodes, and the pools that are not in a node. */
static uint64_t count_outer(const struct vertex *list)
{
    uint64_t n = 0;

    for (const struct vertex *v = list; v; v = v->next)
        n += vertex_count(v)
             * (1 + (type_is_node(v->type) ? 0 : count_outer(v->child)));
    return n;
}

enum detail boxes_detail(const struct usage *u)
{
    uint64_t n = count_outer(usage_rset(u)->root)
                 + count_outer(usage_rset(u)->loose);

    return rset_pools(usage_rset(u)) <= ALL_MAX ? DETAIL_ALL
           : n <= NAMES_MAX                     ? DETAIL_NODES
           : n <= CELLS_MAX                     ? DETAIL_CELLS
                                                : DETAIL_RUNS;
}

char *box_name(const struct usage *u, const struct box *box)
{
    const struct vertex *v = box->lot->v;
    char buf[VERTEX_NAME_MAX], *text;

    if (box->n == 1)
        return xstrdup(vertex_name(usage_rset(u), v, box->at, buf));
    if (vertex_is_target(v) && usage_rset(u)->hosts) {
        struct idset *ids = idset_create_range(box->at, box->at + box->n - 1);
        text = rset_hosts_text(usage_rset(u), ids);
        idset_destroy(ids);
        return text;
    }
    xasprintf(&text, "%s[%u-%u]", v->basename, box->at, box->at + box->n - 1);
    return text;
}

/* Return "n1 draining, job 5" if jobs use what is drained; or NULL. */
static char *brief_of(struct usage *u, const struct box *box)
{
    struct holders h = holders_of(u, box->lot);
    char *text = NULL;

    if (h.use == PAINT_DRAINING && h.out == box->lot->v && h.jobs.n == 1)
        xasprintf(&text, "%s %s, job %.20s", box->label, holders_word(&h),
                  h.jobs.list[0]->name);
    else if (h.use == PAINT_DRAINING && h.out == box->lot->v)
        xasprintf(&text, "%s %s, %zu jobs", box->label, holders_word(&h),
                  h.jobs.n);
    holders_fini(&h);
    return text;
}

struct box *boxes_create(struct usage *u, struct lot *top, enum detail detail)
{
    struct box *list = NULL, **end = &list;

    for (struct lot *lot = lot_open(u, top); lot; lot = lot->next) {
        const struct vertex *v = lot->v;
        uint32_t step = detail == DETAIL_RUNS ? lot->n : 1;
        for (uint32_t i = 0; i < lot->n; i += step) {
            struct box *box = *end = xcalloc(1, sizeof(*box));
            end = &box->next;
            box->lot = lot;
            box->at = lot->at + i;
            box->n = step;
            if (v->child && (detail == DETAIL_ALL || !type_is_node(v->type)))
                box->child = boxes_create(u, lot, detail);
            for (struct box *c = box->child; c; c = c->next)
                c->parent = box;
            if (!box->child && detail == DETAIL_CELLS)
                continue;
            box->label = box_name(u, box);
            if (v->size != 1 || *v->unit) {
                char *name = box->label;
                xasprintf(&box->label, "%s %lld%s%s", name, (long long)v->size,
                          *v->unit ? " " : "", v->unit);
                free(name);
            }
            if (box->child)
                box->brief = brief_of(u, box);
        }
    }
    return list;
}

void boxes_destroy(struct box *list)
{
    for (struct box *next; list; list = next) {
        next = list->next;
        boxes_destroy(list->child);
        free(list->label);
        free(list->brief);
        free(list);
    }
}

/* --- grids --------------------------------------------------------------- */

/* Neighbouring boxes of one kind, and their grid. */
struct grid {
    struct box *first, *after; /* `after` is the first box behind the grid */
    size_t n;
    double cell, row; /* size of the widest box and of the highest */
    double w, h;
};

static bool is_closed(const struct box *box)
{
    return !box->child;
}

/* Choose the number of columns: near the one that gives the grid the wanted
   shape, with the fewest holes in the last row. */
static size_t grid_columns(const struct grid *g, double shape)
{
    double wish = sqrt((double)g->n * shape * g->row / g->cell);
    size_t from = (size_t)fmax(1, wish * 0.75), to = (size_t)(wish * 1.34) + 1,
           best = from, fewest = SIZE_MAX;

    for (size_t c = from; c <= to && c <= g->n; c++) {
        size_t holes = (c - g->n % c) % c;
        if (holes < fewest
            || (holes == fewest
                && fabs((double)c - wish) < fabs((double)best - wish))) {
            fewest = holes;
            best = c;
        }
    }
    return best < g->n ? best : g->n;
}

/*
 * Make the grid that begins with a box, and place its boxes in it, row by row.
 * Each row is as high as its highest box. If there are many cells without
 * names, leave a margin for the names of the rows.
 */
static struct grid make_grid(const struct usage *u, struct box *first)
{
    struct grid g = {.first = first, .after = first};
    bool cells = is_closed(first), named = first->label;
    double gap = cells ? CELL_GAP : GAP, margin = 0, y = 0;
    struct box *b;
    size_t columns;

    for (b = first; b && is_closed(b) == cells
                    && (!cells || b->lot->v->type == first->lot->v->type);
         g.after = b = b->next) {
        g.n++;
        g.cell = fmax(g.cell, b->w);
        g.row = fmax(g.row, b->h);
    }
    columns = grid_columns(&g, !cells ? 1.5 : named ? 2.5 : 1.2);
    if (!named && g.n > LONG_GRID) {
        char *name = box_name(u, first);
        columns = (columns + 9) / 10 * 10;
        margin = svg_text_width(name, CELL_FONT) + 2 * GAP;
        free(name);
    }

    g.w = margin + (double)columns * (g.cell + gap) - gap;
    for (b = first; b != g.after;) {
        double row = 0;
        for (size_t c = 0; c < columns && b != g.after; c++, b = b->next) {
            b->x = margin + (double)c * (g.cell + gap);
            b->y = y;
            b->w = g.cell;
            b->begins_row = margin > 0 && c == 0;
            row = fmax(row, b->h);
        }
        y += row + gap;
    }
    g.h = y - gap;
    return g;
}

/* --- boxes --------------------------------------------------------------- */

/* The widest label of the boxes of each type, open and closed. */
struct labels {
    struct label {
        const char *type;
        bool closed;
        double width;
    } * list;
    size_t n;
};

/* Measure the labels in a list, or give each box the greatest width of its
   type, so that equal pools with other numbers are drawn equally. */
static void measure(struct box *list, struct labels *labels, bool apply)
{
    for (struct box *b = list; b; b = b->next) {
        const char *text = b->brief ? b->brief : b->label;
        size_t i = VECTOR_FIND(k, labels->n,
                               labels->list[k].type == b->lot->v->type
                                   && labels->list[k].closed == is_closed(b));
        if (i == labels->n)
            VECTOR_ADD(labels->list, labels->n,
                       (struct label){.type = b->lot->v->type,
                                      .closed = is_closed(b)});
        if (apply)
            b->text = labels->list[i].width;
        else if (text)
            labels->list[i].width = fmax(
                labels->list[i].width,
                svg_text_width(text, is_closed(b) ? CELL_FONT : BOX_FONT));
        measure(b->child, labels, apply);
    }
}

/* Measure the boxes in a list, and place them in grids, line by line. */
static void place(const struct usage *u, struct box *list, double *width,
                  double *height)
{
    struct grid *grids = NULL;
    double widest = 0, x = 0, y = 0, row = 0;
    size_t n = 0;

    for (struct box *b = list; b; b = b->next) {
        b->w = b->h = CELL;
        if (is_closed(b) && b->label) {
            b->w = b->text + 2 * GAP;
            b->h = CELL_HEIGHT;
            if (b->lot->v->child) /* room for shares */
                b->w = fmax(b->w, NODE_WIDTH);
        } else if (!is_closed(b)) {
            place(u, b->child, &b->w, &b->h);
            for (struct box *c = b->child; c; c = c->next) {
                c->x += BOX_PAD;
                c->y += BOX_HEADER + GAP;
            }
            b->w = fmax(b->w, b->text) + 2 * BOX_PAD;
            b->h += BOX_HEADER + GAP + BOX_PAD;
        }
    }

    for (struct box *b = list; b; b = grids[n - 1].after) {
        VECTOR_ADD(grids, n, make_grid(u, b));
        widest = fmax(widest, grids[n - 1].w);
    }
    for (size_t i = 0; i < n; i++) {
        if (x > 0 && x + grids[i].w > widest) {
            x = 0;
            y += row + GAP;
            row = 0;
        }
        for (struct box *b = grids[i].first; b != grids[i].after; b = b->next) {
            b->x += x;
            b->y += y;
        }
        x += grids[i].w + 2 * GAP;
        row = fmax(row, grids[i].h);
    }
    free(grids);
    *width = widest;
    *height = y + row;
}

void boxes_place(const struct usage *u, struct box *list, double *width,
                 double *height)
{
    struct labels labels = {0};

    measure(list, &labels, false);
    measure(list, &labels, true);
    free(labels.list);
    place(u, list, width, height);
}

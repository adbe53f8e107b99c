/*
 * Boxes in boxes (view/boxes.h): in drawings of random sets, at each level of
 * detail, boxes do not overlap, each is inside its parent, below the head, and
 * names fit.
 */
#include "view/boxes.h"

#include <math.h>

#include "model/records/usage.h"
#include "sets.h"
#include "view/svg_write.h"

enum { ROUNDS = 60, ROUNDING = 1000 };

static struct {
    struct law inside, apart, named, once;
} laws = {
    .inside = {.name = "a box lies in that of its parent, below its head"},
    .apart = {.name = "boxes beside each other do not overlap"},
    .named = {.name = "a name fits into its box"},
    .once = {.name = "there is a box for each pool"},
};

/* --- random sets --------------------------------------------------------- */

static void add_pools(struct rset *rs, struct vertex *parent, int depth)
{
    static const char *const types[] = {"rack",   "node", "socket",
                                        "memory", "core", "a-long-type-name"};
    int n = 1 + (int)random_below(one_in(9) ? 60 : 5);

    for (int i = 0; i < n; i++) {
        const char *type = types[random_below(6)];
        struct vertex *v = vertex_add(rs, parent, type, i);
        if (!strcmp(type, "memory")) {
            v->size = 1 + random_below(1 << 20);
            v->unit = rset_string(rs, "MiB");
        } else if (depth > 0 && !one_in(3)) {
            add_pools(rs, v, depth - 1);
        } else if (one_in(3)) {
            vertex_add_run(rs, v, "core",
                           idset_create_range(0, random_below(130)));
        }
    }
    vertex_sort_children(parent);
}

static struct rset *random_rset(void)
{
    struct rset *rs = rset_create();
    struct vertex *root = vertex_add(rs, NULL, "cluster", 0);

    add_pools(rs, root, (int)random_below(4));
    return rs;
}

/* --- laws ---------------------------------------------------------------- */

/* Compare to a tenth, the precision that is written. */
static bool reaches(double end, double begin)
{
    return round((end - begin) * ROUNDING) > 0;
}

static bool overlap(const struct box *a, const struct box *b)
{
    return reaches(a->x + a->w, b->x) && reaches(b->x + b->w, a->x)
           && reaches(a->y + a->h, b->y) && reaches(b->y + b->h, a->y);
}

static void check_box(const struct box *box, double w, double h)
{
    double head = box->parent ? BOX_HEADER : 0;
    double room = box->w - (box->child ? 2 * BOX_PAD : 0);

    holds(&laws.inside,
          box->x >= 0 && box->y >= head && !reaches(box->x + box->w, w)
              && !reaches(box->y + box->h, h),
          "%s: %g %g %g %g in %g %g", box->label ? box->label : "?", box->x,
          box->y, box->w, box->h, w, h);
    for (const struct box *other = box->next; other; other = other->next)
        holds(&laws.apart, !overlap(box, other), "%s and %s",
              box->label ? box->label : "?", other->label ? other->label : "?");
    if (box->label)
        holds(&laws.named,
              !reaches(
                  svg_text_width(box->label, box->child ? BOX_FONT : CELL_FONT),
                  room),
              "%s in %g", box->label, room);
}

/* Return the number of boxes. */
static uint64_t check_boxes(const struct box *list, double w, double h)
{
    uint64_t n = 0;

    for (; list; list = list->next) {
        check_box(list, w, h);
        n += 1 + check_boxes(list->child, list->w, list->h);
    }
    return n;
}

static void check_set(struct rset *rs, enum detail detail)
{
    struct usage *u = usage_begin(rs);
    struct box *boxes = boxes_create(u, usage_top(u), detail);
    double w, h;
    uint64_t n;

    boxes_place(u, boxes, &w, &h);
    n = check_boxes(boxes, w, h);
    if (detail == DETAIL_ALL)
        holds(&laws.once, n == rset_pools(rs), "%d boxes of %d pools", (int)n,
              (int)rset_pools(rs));
    boxes_destroy(boxes);
}

int main(void)
{
    for (long n = random_start(ROUNDS); n > 0; n--) {
        struct rset *rs = random_rset();
        for (int detail = DETAIL_ALL; detail <= DETAIL_RUNS; detail++)
            check_set(rs, (enum detail)detail);
        rset_destroy(rs);
    }
    law_end(&laws.inside);
    law_end(&laws.apart);
    law_end(&laws.named);
    law_end(&laws.once);
    return done_testing();
}

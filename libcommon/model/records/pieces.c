/* Reads the contents and grants of nodes when they are first needed
   (pieces.h). */
#include "model/records/pieces.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/usage_private.h"

struct vertex *vertex_open(const struct vertex *v)
{
    struct vertex *closed = v->child;
    struct rset *rs = (struct rset *)((char *)closed
                                      - offsetof(struct rset, closed));

    rs->source->open(rs->source, (struct vertex *)v);
    if (rs->usage && rs->usage->types.known)
        usage_survey_inside(rs->usage, v);
    return v->child;
}

bool vertex_is_outer(const struct vertex *v)
{
    return !v->parent || !vertex_in_node(v->parent);
}

/* --- images ------------------------------------------------------------- */

/* Has a lot a state, or a grant that is not a planner's? */
static bool is_recorded(const struct lot *lot)
{
    const struct grant *g = lot->grants;

    while (g && g->term->planned)
        g = g->beside;
    return g || lot->state != STATE_UP;
}

static bool is_recorded_inside(const struct lot *lot)
{
    const struct lot *c = lot_nused(lot) > 0 ? lot->in->child : NULL;

    while (c && !is_recorded(c) && !is_recorded_inside(c))
        c = c->next;
    return c;
}

bool lot_to_image(const struct usage *u, const struct lot *lot,
                  struct lot_image *out)
{
    *out = (struct lot_image){.at = lot->at,
                              .state = lot->state,
                              .taken = lot->taken,
                              .blocked = lot->blocked,
                              .touched = lot->touched,
                              .held = lot->held,
                              .inside = type_is_node(lot->v->type)
                                        && is_recorded_inside(lot),
                              .sums = out->sums};
    if (out->inside) {
        out->touched_inside = lot->in->sums[TOUCHED] > 0;
        out->held_inside = lot->in->sums[HELD] > 0;
        memcpy(out->sums, lot->in->sums + ROWS,
               usage_rows(u) * sizeof(*out->sums));
    }
    return out->inside || is_recorded(lot);
}

bool lot_images_equal(const struct usage *u, const struct lot_image *a,
                      const struct lot_image *b)
{
    return a->state == b->state && a->taken == b->taken
           && a->blocked == b->blocked && a->touched == b->touched
           && a->held == b->held && a->inside == b->inside
           && a->touched_inside == b->touched_inside
           && a->held_inside == b->held_inside
           && (!a->inside
               || !memcmp(a->sums, b->sums, usage_rows(u) * sizeof(*a->sums)));
}

static void from_image(struct usage *u, struct lot *lot,
                       const struct lot_image *image)
{
    lot->stored = true;
    lot->state = image->state;
    u->any_state = u->any_state || image->state != STATE_UP || image->inside;
    lot->taken = image->taken;
    lot->blocked = image->blocked;
    lot->touched = image->touched;
    lot->held = image->held;
    if (!image->inside)
        return;
    lot->in = lot_inside(u);
    lot->in->nused = 1;
    lot->in->sums[TOUCHED] = image->touched_inside;
    lot->in->sums[HELD] = image->held_inside;
    memcpy(lot->in->sums + ROWS, image->sums,
           usage_rows(u) * sizeof(*image->sums));
}

/* --- making lots from images ---------------------------------------------- */

/* Make the children of a lot that has no image itself, give them their images,
   and sum them up. In a run of nodes each image is of one member, which becomes
   a lot of its own. */
static void make_inside(struct usage *u, struct lot *lot,
                        struct lot_image *image)
{
    struct rset_source *source = u->rs->source;

    for (struct lot *c = lot_open(u, lot); c; c = c->next) {
        bool node = type_is_node(c->v->type);
        if ((node || !c->v->run)
            && source->image(source, c->v, c->at, c->at + c->n - 1, image)) {
            if (c->v->run)
                lot_split(u, c, image->at, 1); /* the next one has the rest */
            from_image(u, c, image);
        }
        if (!node && c->v->child)
            make_inside(u, c, image);
    }
    memset(lot->in->sums, 0, usage_width(u) * sizeof(lot->in->sums[0]));
    for (struct lot *c = lot->in->child; c; c = c->next) {
        lot->in->nused += !lot_is_blank(c);
        lot_count_in(u, lot->in, c);
    }
}

void usage_begin_pieces(struct usage *u, double now)
{
    struct lot_image image = {0};

    usage_make_room(u);
    u->when = u->base = (struct period){
        .now = now, .from = now, .to = INFINITY};
    image.sums = xcalloc(usage_width(u), sizeof(*image.sums));
    make_inside(u, &u->top, &image);
    free(image.sums);
}

/* --- reading lots --------------------------------------------------------- */

/* Read a lot outside of its parent, with no grants and states before. Then add
   to its parents only the change from the image to the current sums. */
void lot_read(struct usage *u, struct lot *lot)
{
    bool on = u->watch.on, states = u->watch.states;
    size_t size = usage_width(u) * sizeof(*u->before);
    int64_t *gave = xmalloc(size);
    struct lot *parent = lot->parent;

    lot_sums(u, lot, gave);
    lot->stored = false;
    lot->state = STATE_UP;
    lot->blocked = lot->touched = lot->held = false;
    lot->taken = 0;
    if (lot->in && type_is_node(lot->v->type)) {
        stock_free(&u->insides, lot->in);
        lot->in = NULL;
    }
    lot->parent = NULL;
    u->watch.on = false;
    u->rs->source->read(u->rs->source, u, lot);
    u->watch.on = on;
    u->watch.states = states;
    lot->parent = parent;
    memcpy(u->before, gave, size);
    lot_changed(u, lot);
    free(gave);
}

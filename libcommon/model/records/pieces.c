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

void lot_to_image(const struct usage *u, const struct lot *lot,
                  struct lot_image *out)
{
    const struct inside *in = lot->in;
    int64_t *sums = out->sums;

    *out = (struct lot_image){.at = lot->at,
                              .state = lot->state,
                              .taken = lot->taken,
                              .blocked = lot->blocked,
                              .touched = lot->touched,
                              .held = lot->held,
                              .sums = sums};
    if (!in || !type_is_node(lot->v->type) || in->nused == 0)
        return;
    out->inside = true;
    out->nused = in->nused;
    for (const struct lot *c = in->child; c; c = c->next) {
        out->ntouched += !lot_idle(c);
        out->nheld += lot_held(c);
    }
    memcpy(sums, in->sums + ROWS, usage_rows(u) * sizeof(*sums));
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
    lot->in->nused = image->nused;
    lot->in->sums[TOUCHED] = image->ntouched;
    lot->in->sums[HELD] = image->nheld;
    memcpy(lot->in->sums + ROWS, image->sums,
           usage_rows(u) * sizeof(*image->sums));
}

/* --- making lots from images ---------------------------------------------- */

struct making {
    struct usage *u;
    struct rset_source *source;
    struct lot_image image;
};

static void make_inside(struct making *m, struct lot *lot);

/* Make the lots of a run: one for each image, and one for each stretch between
   two images. */
static struct lot *make_run(struct making *m, struct lot *parent,
                            struct lot *last, struct span span)
{
    while (m->source->image(m->source, span.v, span.lo, span.hi, &m->image)) {
        uint32_t at = m->image.at;
        if (at > span.lo)
            last = lot_append(m->u, parent, last,
                              &(struct span){span.v, span.lo, at - 1});
        last = lot_append(m->u, parent, last, &(struct span){span.v, at, at});
        from_image(m->u, last, &m->image);
        if (at == span.hi)
            return last;
        span.lo = at + 1;
    }
    return lot_append(m->u, parent, last, &span);
}

static struct lot *make_lot(struct making *m, struct lot *parent,
                            struct lot *last, struct span span)
{
    bool node = type_is_node(span.v->type);

    if (span.v->run && node)
        return make_run(m, parent, last, span);
    last = lot_append(m->u, parent, last, &span);
    if (!span.v->run && m->source->image(m->source, span.v, 0, 0, &m->image))
        from_image(m->u, last, &m->image);
    if (!node && span.v->child)
        make_inside(m, last);
    return last;
}

/* Make the children of a lot that has no image itself, and sum them up. */
static void make_inside(struct making *m, struct lot *lot)
{
    struct usage *u = m->u;
    struct lot *last = NULL;
    struct span *spans;
    size_t n = vertex_spans(lot->v, &spans);

    lot->in = lot_inside(u);
    for (size_t i = 0; i < n; i++)
        last = make_lot(m, lot, last, spans[i]);
    free(spans);
    for (struct vertex *v = u->rs->loose; v && lot == &u->top; v = v->next)
        last = make_lot(m, lot, last, (struct span){.v = v});
    for (struct lot *c = lot->in->child; c; c = c->next) {
        lot->in->nused += !lot_is_blank(c);
        lot_count_in(u, lot->in, c);
    }
}

void usage_begin_pieces(struct usage *u, double now)
{
    struct making m = {.u = u, .source = u->rs->source};

    usage_make_room(u);
    u->when = u->base = (struct period){
        .now = now, .from = now, .to = INFINITY};
    m.image.sums = xcalloc(usage_width(u), sizeof(*m.image.sums));
    make_inside(&m, &u->top);
    free(m.image.sums);
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

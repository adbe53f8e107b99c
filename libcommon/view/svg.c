/*
 * A drawing of a set: -o svg. Boxes (boxes.h) are painted by holder or state
 * (palette.h, holders.h), with a legend below. Each pool has a title, which
 * browsers show: its path, state and reason, its free resources, and its jobs.
 * A box with others in it is painted at its head. A cell that stands for a
 * whole node shows, from the left, the share that each job holds.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/show.h"
#include "model/records/lots.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "view/boxes.h"
#include "view/holders.h"
#include "view/legend.h"
#include "view/svg_write.h"
#include "view/view.h"

/* A head up to NARROW wide has the name, and more only if all of it fits. */
enum { MARGIN = 12, NARROW = 180, FAULTS_MAX = 4, MARK = 4 };

struct picture {
    struct usage *u;
    struct palette *palette;
    FILE *fp;
    int core, gpu; /* types; -1: not in the set */
    bool *shown;   /* paints in the legend, by number */
    bool shares;   /* some node shows the shares of jobs */
};

/* --- titles -------------------------------------------------------------- */

/* Write the path of a box, without the outermost box. */
static void append_path(const struct picture *dr, const struct box *box,
                        FILE *fp)
{
    char *name = box_name(dr->u, box);

    if (box->parent && box->parent->parent) {
        append_path(dr, box->parent, fp);
        putc('/', fp);
    }
    show(fp, name);
    free(name);
}

static void append_free(const struct picture *dr, const struct box *box,
                        int ntype, const char **sep, FILE *fp)
{
    int64_t total = pool_total(dr->u, box->lot, ntype);

    if (total == 0)
        return;
    fprintf(fp, "%s%lld of %lld %s free", *sep,
            (long long)pool_free(dr->u, box->lot, ntype), (long long)total,
            usage_types(dr->u)->names[ntype]);
    *sep = ", ";
}

/* Return the next pool that is not up in a box whose contents are not drawn. */
static struct lot *next_fault(const struct picture *dr, const struct box *box,
                              struct lot *in)
{
    while (!box->child && (in = lot_next_in(dr->u, box->lot, in)))
        if (in->state != STATE_UP)
            return in;
    return NULL;
}

/* Write text for a title: "down: bad disk; shared by 101,102; reserved
   for 9". */
static void print_holders(FILE *fp, const struct holders *h)
{
    const char *reason = holders_reason(h), *sep = "";

    if (h->out) {
        fputs(holders_word(h), fp);
        if (reason) {
            fputs(": ", fp);
            show(fp, reason);
        }
        sep = "; ";
    }
    if (h->jobs.n) {
        fprintf(fp, "%s%s by ", sep, h->inside ? "shared" : "held");
        job_list_print(&h->jobs, SIZE_MAX, fp);
        sep = "; ";
    }
    if (h->later.n) {
        fprintf(fp, "%sreserved for ", sep);
        job_list_print(&h->later, SIZE_MAX, fp);
    }
}

static char *title_of(const struct picture *dr, const struct box *box,
                      const struct holders *h)
{
    const struct vertex *v = box->lot->v;
    const char *sep = "; ";
    struct lot *fault = box->lot;
    size_t faults = 0;
    char *text;
    FILE *fp = memory_open(&text, NULL);

    append_path(dr, box, fp);
    if (vertex_is_target(v) && box->n == 1)
        fprintf(fp, ", rank %lld", (long long)(v->run ? box->at : v->rank));
    if (v->size != 1 || *v->unit) {
        fprintf(fp, ", %lld%s", (long long)v->size, *v->unit ? " " : "");
        show(fp, v->unit);
        fprintf(
            fp, ", %lld free",
            (long long)pool_free(dr->u, box->lot, usage_type(dr->u, v->type)));
    }
    if (v->child) {
        append_free(dr, box, dr->core, &sep, fp);
        append_free(dr, box, dr->gpu, &sep, fp);
    }
    while ((fault = next_fault(dr, box, fault))) {
        struct box at = {.lot = fault, .at = fault->at, .n = fault->n};
        char *name = faults++ < FAULTS_MAX ? box_name(dr->u, &at) : NULL;
        if (!name)
            continue;
        fputs("; ", fp);
        show(fp, name);
        fprintf(fp, " %s", pool_state_names[fault->state]);
        free(name);
    }
    if (faults > FAULTS_MAX)
        fprintf(fp, "; %zu more not up", faults - FAULTS_MAX);
    if (h->out || h->jobs.n || h->later.n)
        fputs("; ", fp);
    print_holders(fp, h);
    return memory_take(fp, &text, true);
}

/* --- boxes --------------------------------------------------------------- */

/*
 * Write the name of a box in it. A head also has its state and jobs, if there
 * is room and the enclosing pool is not blocked (then its head says why).
 * Letters on stripes or on several colours have a halo.
 */
static void draw_text(const struct picture *dr, const struct box *box,
                      const struct holders *h, const struct paint *paint,
                      bool parts, double x, double y)
{
    bool head = box->child, fits;
    char *text, ink[PAINT_FILL], halo[PAINT_FILL];
    struct svg_text at = {.x = x + (head ? BOX_PAD : box->w / 2),
                          .y = y + (head ? BOX_HEADER - 6 : box->h / 2 + 3.5),
                          .size = head ? BOX_FONT : CELL_FONT,
                          .room = box->w - (head ? 2 * BOX_PAD : 2),
                          .anchor = head ? SVG_START : SVG_MIDDLE,
                          .fill = paint_colour(paint->ink, ink)};
    FILE *fp = memory_open(&text, NULL);

    fputs(box->label, fp);
    if (head && !box->lot->parent->blocked
        && (h->out || h->jobs.n || h->later.n)) {
        putc(' ', fp);
        print_holders(fp, h);
    }
    memory_close(fp);
    if (parts || paint->fill != paint->stripe)
        at.halo = paint_colour(~paint->ink, halo);
    fits = svg_text_width(text, BOX_FONT) <= box->w - 2 * BOX_PAD;
    svg_text(dr->fp, &at,
             !fits && box->brief        ? box->brief
             : !fits && box->w < NARROW ? box->label
                                        : text);
    free(text);
}

/* Return the index of the job of a grant. */
static size_t job_index(const struct job_list *jobs, const struct grant *g)
{
    return VECTOR_FIND(i, jobs->n, jobs->list[i] == g->term->job);
}

/*
 * Return the units of a type that each job holds in a pool, including the pool
 * itself if it has this type: a new array. `jobs` are all that hold any part of
 * the pool. Units that several jobs hold count for each of them.
 */
static int64_t *find_shares(struct usage *u, struct lot *lot, int ntype,
                            const struct job_list *jobs)
{
    int64_t *units = xcalloc(jobs->n + 1, sizeof(*units));

    for (struct lot *in = lot; in; in = lot_next_in(u, lot, in)) {
        bool own = in->v->type == usage_types(u)->names[ntype];
        int64_t inside = usage_total(u, in->v, ntype);
        int64_t pools = lot_pools(in, lot);
        lot_load(u, in);
        for (const struct grant *g = in->grants; g; g = g->beside) {
            int64_t each = own ? g->units : 0;
            if (g->term->kind != GRANT_CLAIM || !grant_holds(u, g))
                continue;
            each += grant_is_whole(g) ? inside : 0;
            units[job_index(jobs, g)] += each * pools;
        }
    }
    for (struct lot *up = lot->parent; up; up = up->parent)
        for (const struct grant *g = up->grants; g; g = g->beside)
            if (grant_is_whole(g) && grant_holds(u, g))
                units[job_index(jobs, g)] += pool_total(u, lot, ntype);
    return units;
}

/* Paint from the left the share of each job: of the cores in a box, or of the
   most frequent type if it has no cores. Stops at the right edge. */
static void draw_shares(struct picture *dr, const struct box *box,
                        const struct job_list *jobs, double x, double y)
{
    int64_t most = pool_total(dr->u, box->lot, dr->core);
    int ntype = dr->core;
    double at = 0;
    int64_t *units;

    if (most == 0) {
        ntype = -1;
        for (unsigned t = 0; t < usage_types(dr->u)->count; t++) {
            int64_t total = pool_total(dr->u, box->lot, (int)t);
            if (total <= most)
                continue;
            most = total;
            ntype = (int)t;
        }
    }
    units = ntype >= 0 ? find_shares(dr->u, box->lot, ntype, jobs) : NULL;
    for (size_t i = 0; units && i < jobs->n; i++) {
        struct paint paint = palette_of(dr->palette, jobs->list[i]->name);
        double end = fmin(1, at + (double)units[i] / (double)most);
        char fill[PAINT_FILL];
        if (units[i] == 0)
            continue;
        svg_rect(dr->fp, &(struct svg_rect){.x = x + at * box->w,
                                            .y = y,
                                            .w = (end - at) * box->w,
                                            .h = box->h,
                                            .fill = paint_fill(&paint, fill)});
        at = end;
    }
    free(units);
    dr->shares = dr->shares || box->lot->v->child;
}

static void draw_boxes(struct picture *dr, const struct box *list, double x,
                       double y);

/* Return the paint of a whole box: of its state, its job, or, where nobody has
   any job, of its type. Notes it for the legend unless it is the paint of a
   job. */
static struct paint paint_box(struct picture *dr, const struct box *box,
                              const struct holders *h)
{
    enum paint_state state = holders_state(h);
    struct paint type;

    if (state == PAINT_FULL && h->jobs.n == 1)
        return holders_paint(h, dr->palette);
    if (state == PAINT_IDLE && !usage_jobs(dr->u) && !box->lot->v->child) {
        type = palette_of(dr->palette, box->lot->v->type);
        dr->shown[type.number] = true;
        return type;
    }
    dr->shown[state] = true;
    return paint_state(state);
}

/* Draw a box, and the boxes in it below its head. If jobs hold parts of a box
   without others in it, paint their shares and then the frame. */
static void draw_box(struct picture *dr, const struct box *box,
                     const struct holders *h, double x, double y,
                     const char *title)
{
    const struct lot *fault = h->out ? NULL : next_fault(dr, box, box->lot);
    bool parts = fault
                 || (!box->child && !h->out
                     && (h->jobs.n > 1 || h->use == PAINT_MIXED));
    bool group = parts || box->label;
    struct paint paint = parts ? paint_state(PAINT_IDLE)
                               : paint_box(dr, box, h);
    char fill[PAINT_FILL];
    struct svg_rect rect = {.x = x,
                            .y = y,
                            .w = box->w,
                            .h = box->h,
                            .fill = paint_fill(&paint, fill),
                            .stroke = parts ? NULL : "#555",
                            .title = group ? NULL : title};

    if (group)
        svg_group(dr->fp, title);
    if (box->child) {
        rect.fill = "#f6f6f6";
        svg_rect(dr->fp, &rect);
        rect.h = BOX_HEADER;
        rect.fill = fill;
    }
    svg_rect(dr->fp, &rect);
    if (parts) {
        draw_shares(dr, box, &h->jobs, x, y);
        if (fault) { /* paint its state at the right edge */
            enum paint_state state = paint_of_pool(fault->state);
            struct paint mark = paint_state(state);
            struct svg_rect edge = {.x = x + box->w - MARK,
                                    .y = y,
                                    .w = MARK,
                                    .h = box->h,
                                    .fill = paint_fill(&mark, fill)};
            dr->shown[state] = true;
            svg_rect(dr->fp, &edge);
        }
        rect.fill = NULL;
        rect.stroke = "#555";
        svg_rect(dr->fp, &rect);
    }
    if (box->label)
        draw_text(dr, box, h, &paint, parts, x, y);
    draw_boxes(dr, box->child, x, y);
    if (group)
        svg_group_end(dr->fp);
}

static void draw_boxes(struct picture *dr, const struct box *list, double x,
                       double y)
{
    for (const struct box *b = list; b; b = b->next) {
        struct holders h = holders_of(dr->u, b->lot);
        char *title = title_of(dr, b, &h);
        draw_box(dr, b, &h, x + b->x, y + b->y, title);
        if (b->begins_row) {
            char *name = box_name(dr->u, b);
            svg_text(dr->fp,
                     &(struct svg_text){.x = x + b->x - 4,
                                        .y = y + b->y + b->h - 1,
                                        .size = CELL_FONT,
                                        .anchor = SVG_END},
                     name);
            free(name);
        }
        holders_fini(&h);
        free(title);
    }
}

/* --- the whole ----------------------------------------------------------- */

void view_svg(struct rset *rs, const struct view *view, FILE *fp)
{
    struct picture dr = {.u = usage_now(rs, view->now)};
    const struct vertex *top = rs->root ? rs->root : rs->loose;
    double width, height;
    char *text, buf[VERTEX_NAME_MAX];
    struct legend legend;
    struct box *boxes;
    size_t len;

    dr.palette = palette_create(dr.u);
    dr.shown = xcalloc(palette_count(dr.palette), sizeof(*dr.shown));
    dr.core = usage_type_named(dr.u, "core");
    dr.gpu = usage_type_named(dr.u, "gpu");
    boxes = boxes_create(dr.u, usage_top(dr.u),
                         view->expand ? DETAIL_ALL : boxes_detail(dr.u));
    boxes_place(dr.u, boxes, &width, &height);
    dr.fp = memory_open(&text, &len);
    draw_boxes(&dr, boxes, MARGIN, MARGIN);
    memory_close(dr.fp);

    /* The legend has all paints used, and all jobs that hold anything. */
    width = fmax(width, 320);
    for (size_t i = PAINT_STATES; i < palette_count(dr.palette); i++) {
        const struct paint paint = palette_at(dr.palette, i);
        const struct job *job = paint.job ? job_find(dr.u, paint.name) : NULL;
        for (const struct grant *g = job ? job->grants : NULL;
             g && !dr.shown[i]; g = g->next)
            dr.shown[i] = g->term->kind == GRANT_STAGED || grant_holds(dr.u, g);
    }
    legend = legend_of(dr.palette, dr.shown,
                       dr.shares ? "a node shows the share that each job holds"
                                 : NULL);
    svg_begin(
        fp, width + 2 * MARGIN,
        height + 3 * MARGIN + legend_draw(&legend, 0, 0, width, NULL),
        top ? vertex_name(rs, top, top->run ? idset_first(top->run) : 0, buf)
            : "nothing");
    palette_stripes(dr.palette, fp);
    fwrite(text, 1, len, fp);
    legend_draw(&legend, MARGIN, height + 2 * MARGIN, width, fp);
    svg_end(fp);
    legend_fini(&legend);
    free(text);
    boxes_destroy(boxes);
    free(dr.shown);
    palette_destroy(dr.palette);
}

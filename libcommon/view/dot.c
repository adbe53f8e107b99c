/* The folded tree as a graph for graphviz: -o dot. Each line of the tree is a
   box, painted as in other drawings. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "view/fold.h"
#include "view/holders.h"

struct dot {
    struct usage *u;
    struct palette *palette;
    FILE *fp;
    unsigned n; /* number of boxes so far */
};

/* Write the lines of a label. Two blanks in the text begin a new line. */
static void append_label(const struct dot *dot, const struct fold *f)
{
    char *label;
    FILE *fp = memory_open(&label, NULL);

    fold_name(f, fp);
    if (f->hosts) {
        fputs("  rank", fp);
        idset_write_members(f->ids, fp);
    }
    if (f->summed) {
        fputs("  ", fp);
        fold_sum(f, fp);
    }
    fputs(f->note, fp);
    memory_close(fp);
    for (const char *text = label; *text; text++)
        if (text[0] == ' ' && text[1] == ' ') {
            fputs("\\n", dot->fp);
            text++;
        } else if (*text == '&') {
            fputs("&amp;", dot->fp);
        } else {
            fprintf(dot->fp, "%s%c", strchr("\\\"", *text) ? "\\" : "", *text);
        }
    free(label);
}

/* Write a box for each fold in a list, in the colours of its first pool, with
   an edge from the box `above` (0: none). */
static void append_list(struct dot *dot, const struct fold *list,
                        unsigned above)
{
    for (const struct fold *f = list; f; f = f->next) {
        struct holders h = holders_of(dot->u, pool_lot(dot->u, f->v));
        struct paint paint = f->mixed ? paint_state(PAINT_MIXED)
                                      : holders_paint(&h, dot->palette);
        char fill[PAINT_FILL], ink[PAINT_FILL], stripe[PAINT_FILL];
        unsigned own = ++dot->n;

        fprintf(dot->fp, "  n%u [label=\"", own);
        append_label(dot, f);
        putc('"', dot->fp);
        paint_colour(paint.fill, fill);
        if (paint.stripe != paint.fill)
            fprintf(dot->fp, ", style=striped, fillcolor=\"%s:%s:%s:%s\"", fill,
                    paint_colour(paint.stripe, stripe), fill, stripe);
        else
            fprintf(dot->fp, ", fillcolor=\"%s\"", fill);
        fprintf(dot->fp, ", fontcolor=\"%s\"];\n",
                paint_colour(paint.ink, ink));
        holders_fini(&h);
        if (above)
            fprintf(dot->fp, "  n%u -> n%u;\n", above, own);
        if (!f->summed)
            append_list(dot, f->child, own);
    }
}

void view_dot(struct rset *rs, const struct view *view, FILE *fp)
{
    const struct view few = {
        .expand = view->expand, .few = !view->expand, .now = view->now};
    struct fold *list = folds_create(rs, &few);
    struct dot dot = {.u = usage_now(rs, view->now), .fp = fp};

    dot.palette = palette_create(dot.u);
    fputs("digraph rset {\n"
          "  rankdir=LR;\n"
          "  node [shape=box, style=filled, fillcolor=white, "
          "fontname=\"DejaVu Sans Mono,monospace\", fontsize=10];\n"
          "  edge [arrowhead=none, color=\"#888888\"];\n",
          fp);
    append_list(&dot, list, 0);
    fputs("}\n", fp);
    palette_destroy(dot.palette);
    folds_destroy(list);
}

/* Draws legends in columns (legend.h). */
#include "view/legend.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "view/svg_write.h"

/* Of a text so much may be shown. */
enum { ROW = 20, SWATCH = 12, ENTRY = 140, TEXT_MAX = 400 };

static void add(struct legend *l, const struct paint *paint, bool job)
{
    struct legend_entry *e;
    size_t i = 0;
    char *text;

    while (job && i < l->n
           && !(l->list[i].njobs && paint_is_like(&l->list[i].paint, paint)))
        i++;
    if (job && i < l->n) {
        e = &l->list[i];
        e->njobs++;
        l->shared = true;
        if (strlen(e->text) > TEXT_MAX)
            return;
        xasprintf(&text, "%s, %s", e->text, paint->name);
        free(e->text);
        e->text = text;
        return;
    }
    VECTOR_GROW(l->list, l->n);
    l->list[l->n++] = (struct legend_entry){*paint, xstrdup(paint->name), job};
}

struct legend legend_of(const struct palette *p, const bool *shown,
                        const char *note)
{
    struct legend l = {.note = note};

    for (size_t i = 0; i < palette_count(p); i++) {
        const struct paint paint = palette_at(p, i);
        if (shown[i])
            add(&l, &paint, i >= PAINT_STATES);
    }
    return l;
}

void legend_fini(struct legend *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->list[i].text);
    free(l->list);
}

static void put_entry(const struct legend_entry *e, double x, double y,
                      double width, FILE *fp)
{
    char fill[PAINT_FILL], *text;

    if (e->njobs > 1)
        xasprintf(&text, "%zu jobs: %s", e->njobs, e->text);
    else
        xasprintf(&text, "%s%s", e->njobs ? "job " : "", e->text);
    svg_rect(fp, &(struct svg_rect){.x = x,
                                    .y = y,
                                    .w = SWATCH,
                                    .h = SWATCH,
                                    .fill = paint_fill(&e->paint, fill),
                                    .stroke = "#555"});
    svg_text(fp,
             &(struct svg_text){.x = x + SWATCH + 6,
                                .y = y + SWATCH - 2,
                                .room = width - SWATCH - 18},
             text);
    free(text);
}

double legend_draw(const struct legend *l, double x, double y, double width,
                   FILE *fp)
{
    size_t columns = width > ENTRY && !l->shared ? (size_t)(width / ENTRY) : 1,
           nrows = (l->n + columns - 1) / columns;
    double bottom = y + ROW * (double)nrows;

    for (size_t i = 0; i < l->n && fp; i++) {
        size_t row = i / columns, column = i % columns;
        put_entry(&l->list[i], x + ENTRY * (double)column,
                  y + ROW * (double)row, l->shared ? width : ENTRY, fp);
    }
    if (l->note && fp)
        svg_text(fp, &(struct svg_text){.x = x, .y = bottom + SWATCH - 2},
                 l->note);
    return bottom + (l->note ? ROW : 0) - y;
}

/* Draws legends in columns (legend.h). */
#include "view/legend.h"

#include <stdlib.h>

#include "base/memory.h"
#include "view/svg_write.h"

/* Of more jobs it is told how many there are. */
enum { JOBS_MAX = 70, ROW = 20, SWATCH = 12, ENTRY = 140 };

void legend_add(struct legend *l, const struct paint *paint, bool job)
{
    VECTOR_GROW(l->list, l->n);
    l->list[l->n++] = *paint;
    l->nstates += !job;
}

void legend_fini(struct legend *l)
{
    free(l->list);
}

static void put_entry(const struct legend *l, size_t i, double x, double y,
                      FILE *fp)
{
    const struct paint *paint = &l->list[i];
    char fill[PAINT_FILL], *text;

    xasprintf(&text, "%s%s", i < l->nstates ? "" : "job ", paint->name);
    svg_rect(fp, &(struct svg_rect){.x = x,
                                    .y = y,
                                    .w = SWATCH,
                                    .h = SWATCH,
                                    .fill = paint_fill(paint, fill),
                                    .stroke = "#555"});
    svg_text(fp,
             &(struct svg_text){.x = x + SWATCH + 6,
                                .y = y + SWATCH - 2,
                                .room = ENTRY - SWATCH - 18},
             text);
    free(text);
}

static void put_note(const char *text, double x, double *y, FILE *fp)
{
    if (fp)
        svg_text(fp, &(struct svg_text){.x = x, .y = *y + SWATCH - 2}, text);
    *y += ROW;
}

double legend_draw(const struct legend *l, double x, double y, double width,
                   FILE *fp)
{
    size_t columns = width > ENTRY ? (size_t)(width / ENTRY) : 1,
           most = l->nstates + JOBS_MAX, n = l->n < most ? l->n : most;
    size_t nrows = (n + columns - 1) / columns;
    double bottom = y + ROW * (double)nrows;
    char more[40];

    for (size_t i = 0; i < n && fp; i++) {
        size_t row = i / columns;
        put_entry(l, i, x + ENTRY * (double)(i % columns),
                  y + ROW * (double)row, fp);
    }
    snprintf(more, sizeof(more), "and %zu more jobs", l->n - n);
    if (l->n > n)
        put_note(more, x, &bottom, fp);
    if (l->note)
        put_note(l->note, x, &bottom, fp);
    return bottom - y;
}

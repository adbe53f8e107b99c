/* Draws legends in columns (legend.h). */
#include "view/legend.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "view/svg_write.h"

/* TEXT_MAX limits the length of an entry. */
enum { ROW = 20, SWATCH = 12, ENTRY = 140, TEXT_MAX = 400 };

struct legend legend_of(const struct palette *p, const bool *shown,
                        const char *note)
{
    struct legend l = {.note = note};
    size_t jobs = 0;

    for (size_t i = PAINT_STATES; i < palette_count(p); i++)
        jobs += shown[i] && palette_at(p, i).job;
    for (size_t i = 0; i < palette_count(p); i++) {
        const struct paint paint = palette_at(p, i);
        bool job = paint.job;
        size_t k = job ? 0 : l.n;
        if (!shown[i] || (job && jobs > PALETTE_LOOKS))
            continue;
        while (k < l.n
               && !(l.list[k].njobs && paint_is_like(&l.list[k].paint, &paint)))
            k++;
        if (k == l.n) {
            VECTOR_ADD(l.list, l.n,
                       (struct legend_entry){.paint = paint,
                                             .text = xstrdup(i == PAINT_MIXED
                                                                 ? "partly held"
                                                                 : paint.name),
                                             .njobs = job});
            continue;
        }
        l.list[k].njobs++;
        l.shared = true;
        if (strlen(l.list[k].text) <= TEXT_MAX) {
            char *text = l.list[k].text;
            xasprintf(&l.list[k].text, "%s, %s", text, paint.name);
            free(text);
        }
    }
    if (jobs > PALETTE_LOOKS) { /* looks repeat, so they name nobody */
        VECTOR_GROW(l.list, l.n);
        l.list[l.n] = (struct legend_entry){.no_swatch = true};
        xasprintf(&l.list[l.n++].text, "%zu jobs", jobs);
    }
    return l;
}

void legend_fini(struct legend *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->list[i].text);
    free(l->list);
}

double legend_draw(const struct legend *l, double x, double y, double width,
                   FILE *fp)
{
    size_t columns = width > ENTRY && !l->shared ? (size_t)(width / ENTRY) : 1,
           nrows = (l->n + columns - 1) / columns;
    double bottom = y + ROW * (double)nrows;

    for (size_t i = 0; i < l->n && fp; i++) {
        const struct legend_entry *e = &l->list[i];
        size_t row = i / columns;
        double left = x + ENTRY * (double)(i % columns),
               top = y + ROW * (double)row;
        char fill[PAINT_FILL], *text;
        if (e->njobs > 1)
            xasprintf(&text, "%zu jobs: %s", e->njobs, e->text);
        else
            xasprintf(&text, "%s%s", e->njobs ? "job " : "", e->text);
        if (!e->no_swatch)
            svg_rect(fp, &(struct svg_rect){.x = left,
                                            .y = top,
                                            .w = SWATCH,
                                            .h = SWATCH,
                                            .fill = paint_fill(&e->paint, fill),
                                            .stroke = "#555"});
        svg_text(fp,
                 &(struct svg_text){.x = left + (e->no_swatch ? 0 : SWATCH + 6),
                                    .y = top + SWATCH - 2,
                                    .room = (l->shared ? width : ENTRY) - SWATCH
                                            - 18},
                 text);
        free(text);
    }
    if (l->note && fp)
        svg_text(fp, &(struct svg_text){.x = x, .y = bottom + SWATCH - 2},
                 l->note);
    return bottom + (l->note ? ROW : 0) - y;
}

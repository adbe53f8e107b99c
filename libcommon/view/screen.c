/* Cells, labels and legends of characters (screen.h). */
#include "view/screen.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/show.h"

enum { LEGEND_HIGH = 20, LEGEND_LOW = 2 };

void screen_cell(struct screen *s, const struct paint *paint)
{
    /* idle cells keep the colours of the terminal */
    uint32_t none = paint_state(PAINT_IDLE).fill,
             fill = s->colour && paint && paint->fill != none ? paint->fill : 0;

    if (s->fill && s->fill != fill)
        paint_end(s->fp);
    if (fill && s->fill != fill)
        paint_begin(paint, s->fp);
    s->fill = fill;
    if (paint && s->utf8 && paint->letter == '.')
        fputs("\u00b7", s->fp);
    else if (paint)
        putc(paint->letter, s->fp);
}

/* --- labels ------------------------------------------------------------- */

void screen_label(const struct screen *s, const char *text, size_t width)
{
    char *out = show_copy(text);
    bool cut = width && show_width(out) > width;

    out[show_fitting(out, width - cut)] = '\0';
    fputs(out, s->fp);
    if (cut)
        fputs(s->utf8 ? "\u2026" : "~", s->fp);
    fprintf(s->fp, "%*s", (int)(width - cut - show_width(out)), "");
    free(out);
}

/* --- legends ------------------------------------------------------------ */

static void print_users(struct job_list *jobs, FILE *fp)
{
    enum { FEW = 8 };

    job_list_sort(jobs);
    for (size_t i = 0; i < jobs->n && i < FEW; i++)
        fprintf(fp, "%s%s", i ? "," : ", still used by ", jobs->list[i]->name);
    if (jobs->n > FEW)
        fprintf(fp, ",+%zu", jobs->n - FEW);
}

/* Return the names of all paints that look like number i, or (`all`) how many
   there are from it on, and clear their counts. The caller frees the string. */
static char *take_names(struct screen *s, size_t *counts, size_t i, bool all,
                        bool numbers)
{
    const struct paint paint = palette_at(s->palette, i);
    size_t n = 0, sum = 0, first = i;
    char *text;
    FILE *fp = memory_open(&text, NULL);

    for (; i < palette_count(s->palette); i++) {
        const struct paint other = palette_at(s->palette, i);
        if (!counts[i]
            || (!all
                && (other.letter != paint.letter
                    || (s->colour && other.fill != paint.fill))))
            continue;
        if (!all)
            fprintf(fp, "%s%s", n ? "," : " ", other.name);
        n++;
        sum += counts[i];
        counts[i] = 0;
    }
    if (all)
        fprintf(fp, "%zu jobs", n);
    if (numbers)
        fprintf(fp, " (%zu)", sum);
    if (first < PAINT_STATES)
        print_users(&s->used_by[first], fp);
    return memory_take(fp, &text, true);
}

void screen_legend(struct screen *s, size_t *counts, bool numbers)
{
    size_t n = palette_count(s->palette), more = 0, column = 0, jobs = 0,
           lines = s->height ? LEGEND_LOW : LEGEND_HIGH;
    bool many;

    for (size_t i = PAINT_STATES; i < n; i++)
        jobs += counts[i] > 0;
    many = jobs > PALETTE_LETTERS; /* letters repeat, so they name nobody */
    lines = many ? 1 : lines;
    for (size_t i = 0; i < n; i++) {
        const struct paint paint = palette_at(s->palette, i);
        bool all = many && i >= PAINT_STATES,
             kept = i < PAINT_STATES || all; /* others may be left out */
        char *name;
        size_t width;
        if (!counts[i])
            continue;
        more += !lines && !kept;
        if (!lines && !kept)
            continue;
        name = take_names(s, counts, i, all, numbers);
        width = !all + show_columns(name);
        if (column && column + 2 + width > (size_t)s->width) {
            putc('\n', s->fp);
            column = 0;
            lines -= lines > kept;
        }
        if (lines) {
            fputs(column ? "  " : "", s->fp);
            column += width + (column ? 2 : 0);
            if (!all) {
                screen_cell(s, &paint);
                screen_cell(s, NULL);
            }
            screen_label(s, name, width - !all);
        } else {
            more++;
        }
        free(name);
    }
    if (more)
        fprintf(s->fp, "and %zu more", more);
    if (column || more)
        putc('\n', s->fp);
}

/* Cells, labels and legends of characters (screen.h). */
#include "view/screen.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/show.h"
#include "base/utf8.h"

/* What nobody has is left as the terminal is. */
static bool is_coloured(const struct screen *s, const struct paint *paint)
{
    return s->colour && paint && paint->fill != paint_state(PAINT_IDLE).fill;
}

void screen_cell(const struct screen *s, const struct paint *paint,
                 const struct paint *last)
{
    bool was = is_coloured(s, last), is = is_coloured(s, paint);
    bool same = was && is && last->fill == paint->fill;

    if (was && !same)
        paint_end(s->fp);
    if (is && !same)
        paint_begin(paint, s->fp);
    if (paint && s->utf8 && paint->letter == '.')
        fputs("\u00b7", s->fp);
    else if (paint)
        putc(paint->letter, s->fp);
}

/* --- labels ------------------------------------------------------------- */

size_t screen_columns(const char *text)
{
    char *out = show_copy(text);
    size_t n = 0;

    for (const char *p = out; *p; p += utf8_length(p))
        n++;
    free(out);
    return n;
}

void screen_label(const struct screen *s, const char *text, size_t width)
{
    char *out = show_copy(text);
    const char *p = out;
    size_t columns = screen_columns(text), n = 0;
    bool cut = columns > width;

    for (; *p && n < width - cut; n++) {
        size_t len = utf8_length(p);
        fwrite(p, 1, len, s->fp);
        p += len;
    }
    if (cut && width)
        fputs(s->utf8 ? "\u2026" : "~", s->fp);
    else
        fprintf(s->fp, "%*s", (int)(width - n), "");
    free(out);
}

/* --- legends ------------------------------------------------------------ */

/* An entry after others in a line, or on the next one. */
static void legend_entry(const struct screen *s, const struct paint *paint,
                         size_t number, size_t *column)
{
    char *name;
    size_t width;

    if (number)
        xasprintf(&name, " %s (%zu)", paint->name, number);
    else
        xasprintf(&name, " %s", paint->name);
    width = 1 + screen_columns(name);
    if (*column && *column + 2 + width > (size_t)s->width) {
        putc('\n', s->fp);
        *column = 0;
    }
    fputs(*column ? "  " : "", s->fp);
    *column += width + (*column ? 2 : 0);
    screen_cell(s, paint, NULL);
    screen_cell(s, NULL, paint);
    screen_label(s, name, width - 1);
    free(name);
}

void screen_legend(const struct screen *s, const size_t *counts, bool numbers)
{
    size_t column = 0;

    for (size_t i = 0; i < palette_count(s->palette); i++) {
        const struct paint paint = palette_at(s->palette, i);
        if (counts[i])
            legend_entry(s, &paint, numbers ? counts[i] : 0, &column);
    }
    if (column)
        putc('\n', s->fp);
}

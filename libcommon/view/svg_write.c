/* Writes the elements of SVG (svg_write.h), one on each line. */
#include "view/svg_write.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"

/* The width of a character in a monospaced font of size 1. */
#define CHARACTER 0.602

/* Write a number. printf() would use the decimal comma of some locales. */
static void put_tenths(FILE *fp, const char *before, double value)
{
    long long tenths = llround(fabs(value) * 10);

    fprintf(fp, "%s%s%lld", before, value < 0 && tenths ? "-" : "",
            tenths / 10);
    if (tenths % 10)
        fprintf(fp, ".%lld", tenths % 10);
}

static void append_number(FILE *fp, const char *before, double value)
{
    put_tenths(fp, before, value);
    putc('"', fp);
}

static void append_colour(FILE *fp, const char *before, const char *colour)
{
    if (colour)
        fprintf(fp, "%s%s\"", before, colour);
}

static void append_escaped(FILE *fp, const char *text, size_t len)
{
    static const char *const entities[UCHAR_MAX + 1] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};

    for (const char *end = text + len; text < end; text++) {
        const char *entity = entities[(unsigned char)*text];

        if (entity)
            fputs(entity, fp);
        else
            putc(*text, fp);
    }
}

static void append_title(FILE *fp, const char *title)
{
    char *out = show_copy(title);

    fputs("<title>", fp);
    append_escaped(fp, out, strlen(out));
    fputs("</title>", fp);
    free(out);
}

void svg_begin(FILE *fp, double width, double height, const char *title)
{
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\"", fp);
    append_number(fp, " width=\"", width);
    append_number(fp, " height=\"", height);
    fprintf(fp, " viewBox=\"0 0 %.0f %.0f\"", ceil(width), ceil(height));
    fputs(" font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\"", fp);
    fprintf(fp, " font-size=\"%d\">\n", SVG_FONT);
    append_title(fp, title);
    fputs("\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", fp);
}

void svg_end(FILE *fp)
{
    fputs("</svg>\n", fp);
}

void svg_group(FILE *fp, const char *title)
{
    fputs("<g>", fp);
    append_title(fp, title);
    putc('\n', fp);
}

void svg_group_end(FILE *fp)
{
    fputs("</g>\n", fp);
}

void svg_rect(FILE *fp, const struct svg_rect *r)
{
    append_number(fp, "<rect x=\"", r->x);
    append_number(fp, " y=\"", r->y);
    append_number(fp, " width=\"", r->w);
    append_number(fp, " height=\"", r->h);
    append_colour(fp, " fill=\"", r->fill ? r->fill : "none");
    append_colour(fp, " stroke=\"", r->stroke);
    if (r->title) {
        putc('>', fp);
        append_title(fp, r->title);
        fputs("</rect>\n", fp);
    } else {
        fputs("/>\n", fp);
    }
}

void svg_line(FILE *fp, double x1, double y1, double x2, double y2,
              const char *stroke)
{
    append_number(fp, "<line x1=\"", x1);
    append_number(fp, " y1=\"", y1);
    append_number(fp, " x2=\"", x2);
    append_number(fp, " y2=\"", y2);
    append_colour(fp, " stroke=\"", stroke);
    fputs("/>\n", fp);
}

void svg_curve(FILE *fp, const struct svg_point *points, size_t n,
               const char *stroke, const char *title)
{
    svg_group(fp, title);
    append_colour(fp, "<path fill=\"none\" stroke-width=\"1.5\" stroke=\"",
                  stroke);
    for (size_t i = 0; i < n; i++) {
        put_tenths(fp, i == 0 ? " d=\"M" : "L", points[i].x);
        put_tenths(fp, " ", points[i].y);
    }
    fputs(n > 0 ? "\"/>\n" : "/>\n", fp);
    svg_group_end(fp);
}

double svg_text_width(const char *text, double size)
{
    return (double)show_columns(text) * CHARACTER
           * (size > 0 ? size : SVG_FONT);
}

void svg_text(FILE *fp, const struct svg_text *t, const char *text)
{
    static const char *const anchors[] = {NULL, "middle", "end"};
    double size = t->size > 0 ? t->size : SVG_FONT;
    size_t most = t->room > 0 ? (size_t)(t->room / (CHARACTER * size) + 0.01)
                              : 0; /* 0.01: allow a text that just fits */
    char *out = show_copy(text);
    bool cut = t->room > 0 && show_width(out) > most;
    size_t end = cut && most > 0 ? show_fitting(out, most - 1) : strlen(out);

    if (!cut || most > 0) {
        append_number(fp, "<text x=\"", t->x);
        append_number(fp, " y=\"", t->y);
        if (t->size > 0)
            append_number(fp, " font-size=\"", t->size);
        append_colour(fp, " text-anchor=\"", anchors[t->anchor]);
        append_colour(fp, " fill=\"", t->fill ? t->fill : "#222");
        if (t->halo)
            fprintf(fp,
                    " paint-order=\"stroke\" stroke=\"%s\" "
                    "stroke-width=\"2.5\"",
                    t->halo);
        putc('>', fp);
        append_escaped(fp, out, end);
        fputs(cut ? "\u2026</text>\n" : "</text>\n", fp);
    }
    free(out);
}

void svg_stripes(FILE *fp, const char *id, const char *one, const char *other)
{
    fprintf(fp,
            "<pattern id=\"%s\" width=\"8\" height=\"8\" "
            "patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\">"
            "<rect width=\"8\" height=\"8\" fill=\"%s\"/>"
            "<rect width=\"3\" height=\"8\" fill=\"%s\"/></pattern>\n",
            id, one, other);
}

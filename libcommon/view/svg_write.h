/*
 * SVG, written shape by shape: the same bytes for the same calls, in every
 * locale, and valid XML whatever names there are.
 *
 *     svg_begin(fp, 200, 40, "two nodes");
 *     svg_group(fp, "node0: up");
 *     svg_rect(fp, &(struct svg_rect){.x = 8, .y = 8, .w = 80, .h = 24,
 *                                     .fill = "#fff", .stroke = "#555"});
 *     svg_text(fp, &(struct svg_text){.x = 12, .y = 24, .room = 72}, "node0");
 *     svg_group_end(fp);
 *     svg_end(fp);
 *
 * Lengths are pixels, and are written to a tenth of one. A title is what a
 * browser shows while the pointer is on a shape. The font is monospaced, so
 * that what room a text needs is known here.
 */
#ifndef VIEW_SVG_WRITE_H
#define VIEW_SVG_WRITE_H

#include <stdio.h>

/* Begin and end a drawing, on white; `title` names the whole of it. */
void svg_begin(FILE *fp, double width, double height, const char *title);
void svg_end(FILE *fp);

/* Begin and end a group of shapes with one title, NULL: none. */
void svg_group(FILE *fp, const char *title);
void svg_group_end(FILE *fp);

/* A colour is what SVG knows as one, or `url(#ID)` of a pattern. */
struct svg_rect {
    double x, y, w, h;
    const char *fill, *stroke; /* NULL: none */
    const char *title;         /* NULL: none */
};
void svg_rect(FILE *fp, const struct svg_rect *r);

void svg_line(FILE *fp, double x1, double y1, double x2, double y2,
              const char *stroke);

/* Text on one line; it is cut, with an ellipsis, where it has no room. */
enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };
struct svg_text {
    double x, y; /* of its anchor, on the base line */
    double size; /* of the font; 0: SVG_FONT */
    double room; /* its width at most; 0: as much as it needs */
    enum svg_anchor anchor;
    const char *fill; /* NULL: nearly black */
    const char *halo; /* around its letters; NULL: none */
};
enum { SVG_FONT = 12 };
void svg_text(FILE *fp, const struct svg_text *t, const char *text);

/* The width that a text of this font size has; the height of its line. */
double svg_text_width(const char *text, double size);

/* Stripes in two colours, to be used as `url(#ID)`. */
void svg_stripes(FILE *fp, const char *id, const char *one, const char *other);

/* Text with what XML and a reader must not be given escaped (base/show.h). */
void svg_escape(FILE *fp, const char *text);

#endif /* VIEW_SVG_WRITE_H */

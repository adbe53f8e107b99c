/*
 * SVG, written shape by shape. The same calls write the same bytes in every
 * locale, and the XML is valid whatever names it contains.
 *
 *     svg_begin(fp, 200, 40, "two nodes");
 *     svg_group(fp, "node0: up");
 *     svg_rect(fp, &(struct svg_rect){.x = 8, .y = 8, .w = 80, .h = 24,
 *                                     .fill = "#fff", .stroke = "#555"});
 *     svg_text(fp, &(struct svg_text){.x = 12, .y = 24, .room = 72}, "node0");
 *     svg_group_end(fp);
 *     svg_end(fp);
 *
 * Lengths are in pixels, written to a tenth. Browsers show a title while the
 * pointer is on the shape. The font is monospaced, so that the width of a text
 * can be computed here. Titles and texts may have any bytes: markup is escaped,
 * and what base/show.h escapes.
 */
#ifndef VIEW_SVG_WRITE_H
#define VIEW_SVG_WRITE_H

#include <stdio.h>

/* Begin or end a drawing on white; `title` names it. */
void svg_begin(FILE *fp, double width, double height, const char *title);
void svg_end(FILE *fp);

/* Begin or end a group of shapes with one title. */
void svg_group(FILE *fp, const char *title);
void svg_group_end(FILE *fp);

/* A rectangle. A colour is any SVG colour, or `url(#ID)` of a pattern. */
struct svg_rect {
    double x, y, w, h;
    const char *fill, *stroke; /* NULL: none */
    const char *title;         /* NULL: none */
};
void svg_rect(FILE *fp, const struct svg_rect *r);

void svg_line(FILE *fp, double x1, double y1, double x2, double y2,
              const char *stroke);

/* A curve through points, with a title. */
struct svg_point {
    double x, y;
};
void svg_curve(FILE *fp, const struct svg_point *points, size_t n,
               const char *stroke, const char *title);

/* Text on one line. If it is wider than `room` it is cut, with an ellipsis. */
enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };
struct svg_text {
    double x, y; /* anchor, on the base line */
    double size; /* font size; 0: SVG_FONT */
    double room; /* maximum width; 0: no limit */
    enum svg_anchor anchor;
    const char *fill; /* NULL: nearly black */
    const char *halo; /* colour around the letters; NULL: none */
};
enum { SVG_FONT = 12 };
void svg_text(FILE *fp, const struct svg_text *t, const char *text);

/* Return the width of a text in this font size (0: SVG_FONT). */
double svg_text_width(const char *text, double size);

/* Write a pattern of stripes in two colours, for use as `url(#ID)`. */
void svg_stripes(FILE *fp, const char *id, const char *one, const char *other);

#endif /* VIEW_SVG_WRITE_H */

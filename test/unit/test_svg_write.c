/* Shapes of SVG (view/svg_write.h): the exact text. */
#include "view/svg_write.h"

#include <stdlib.h>

#include "base/memory.h"
#include "tap.h"

static char *text;
static size_t len;

static FILE *begin(void)
{
    return memory_open(&text, &len);
}

static void wrote(FILE *fp, const char *want, const char *what)
{
    memory_close(fp);
    is(text, want, "%s", what);
    free(text);
}

static void test_shapes(void)
{
    FILE *fp = begin();

    svg_rect(fp, &(struct svg_rect){.x = 1.25, .y = -0.04, .w = 3, .h = 0.1});
    wrote(fp,
          "<rect x=\"1.3\" y=\"0\" width=\"3\" height=\"0.1\" "
          "fill=\"none\"/>\n",
          "a rectangle, with rounded lengths");
    fp = begin();
    svg_rect(fp, &(struct svg_rect){.w = 1,
                                    .h = 1,
                                    .fill = "#fff",
                                    .stroke = "#000",
                                    .title = "a<b>&\"c\"\x1b"});
    wrote(fp,
          "<rect x=\"0\" y=\"0\" width=\"1\" height=\"1\" "
          "fill=\"#fff\" stroke=\"#000\"><title>a&lt;b&gt;&amp;&quot;c&quot;"
          "\\x1b</title></rect>\n",
          "a title is escaped");
    fp = begin();
    svg_group(fp, "\xff\xef\xbf\xbe");
    wrote(fp, "<g><title>\\xff\\ufffe</title>\n",
          "characters that XML lacks are spelled out");
}

static void test_text(void)
{
    FILE *fp = begin();

    svg_text(fp, &(struct svg_text){.x = 1, .y = 2}, "node&0");
    wrote(fp, "<text x=\"1\" y=\"2\" fill=\"#222\">node&amp;0</text>\n",
          "a text");
    fp = begin();
    svg_text(fp,
             &(struct svg_text){
                 .size = 10, .room = 25, .anchor = SVG_MIDDLE, .fill = "#fff"},
             "n\xc3\xb6"
             "de<0");
    wrote(fp,
          "<text x=\"0\" y=\"0\" font-size=\"10\" text-anchor=\"middle\" "
          "fill=\"#fff\">n\xc3\xb6"
          "d\xe2\x80\xa6</text>\n",
          "a text without room is cut between characters");
    fp = begin();
    svg_text(fp, &(struct svg_text){.room = 1}, "node");
    wrote(fp, "", "without room there is no text");
    ok(svg_text_width("n\xc3\xb6", 10) == svg_text_width("no", 10),
       "characters count, not bytes");
}

int main(void)
{
    test_shapes();
    test_text();
    return done_testing();
}

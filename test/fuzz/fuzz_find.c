/*
 * Any expression is refused with a text that has an offset, or it is evaluated
 * on a set of runs and on a graph, and both mean afterwards what they meant
 * before.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "base/memory.h"
#include "model/document/document.h"
#include "request/find.h"
#include "schedule/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char plain[] =
    "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-6,9-99\","
    "\"children\":{\"core\":\"0-47\",\"l2\":\"0-4\"}},{\"rank\":\"7\","
    "\"children\":{\"gpu\":\"0-1\"}}],\"nodelist\":[\"n[08-102],m7,x1y3-ib,"
    "a,a\"],\"properties\":{\"ssd\":\"1-3\"}},\"attributes\":{\"system\":{"
    "\"scheduler\":{\"allocations\":[{\"job\":7,\"start\":100,\"end\":200,"
    "\"R_lite\":[{\"rank\":\"3-5\",\"children\":{\"core\":\"1-3\"}}]}],"
    "\"states\":[{\"state\":\"down\",\"R_lite\":[{\"rank\":\"9\"}]}]}}}}";

static const char graph[] =
    "{\"graph\":{\"nodes\":["
    "{\"id\":\"c\",\"metadata\":{\"type\":\"cluster\",\"shared\":[8]}},"
    "{\"id\":\"n\",\"metadata\":{\"type\":\"node\",\"id\":0,\"rank\":0,"
    "\"properties\":{\"perf\":\"3\"},\"shared\":[8],\"exclusive\":true}},"
    "{\"id\":\"m\",\"metadata\":{\"type\":\"memory\",\"id\":0,\"size\":16,"
    "\"unit\":\"GB\",\"tags\":{\"row\":null},\"allocations\":[{\"job\":8,"
    "\"size\":4,\"end\":50}],\"staged\":3}},"
    "{\"id\":\"d\",\"metadata\":{\"type\":\"pdu\",\"id\":0,\"uuid\":\"u\"}}],"
    "\"edges\":[{\"source\":\"c\",\"target\":\"n\"},"
    "{\"source\":\"n\",\"target\":\"m\"},{\"source\":\"d\",\"target\":\"n\","
    "\"metadata\":{\"subsystem\":\"power\"}}]}}";

static char *written(struct rset *rs)
{
    struct diag d = {0};
    char *text;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    check(rset_write_as(rs, &(struct rset_style){0}, fp, &d) == 0);
    memory_close(fp);
    return text;
}

static void ask(struct constraint *f, const char *document)
{
    struct diag d = {0};
    struct rset *rs = NULL;
    struct stream *s = stream_open_text(document, strlen(document), "-");
    struct selection *sel;
    char *before, *after;

    check(s && rset_read(s, TRUST_NONE, &rs, &d) == 1);
    stream_close(s);
    before = written(rs);
    sel = filter_select(rs, &(struct filter){.find = f});
    after = written(rs);
    check(!strcmp(before, after));
    selection_destroy(sel);
    rset_destroy(rs);
    free(before);
    free(after);
}

/* Long lists of names rightly take long to expand. */
static int is_long(const char *text)
{
    for (size_t n; *text; text += n ? n : 1)
        if ((n = strspn(text, "0123456789")) > 4 && strchr(text, ']'))
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct diag d = {0};
    struct constraint *f;

    check(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    f = is_long(text) ? NULL : find_parse(text, 1000, &d);
    if (f) {
        ask(f, plain);
        ask(f, graph);
    } else if (!is_long(text)) {
        check(d.text[0] && !strncmp(d.where, "offset ", 7));
    }
    constraint_destroy(f);
    free(text);
    return 0;
}

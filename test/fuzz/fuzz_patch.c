/*
 * The first line of the input is a document, each later line another document
 * or a patch. The patch from one set to another, written and read as JSON,
 * gives the other to the byte, and the patch from a set to itself is empty.
 * Anything else that is applied as a patch is refused with a text, or gives a
 * set that is written and read back as the same bytes. Neither the set nor the
 * patch changes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "base/json.h"
#include "compare/patch.h"
#include "model/document/document.h"
#include "mutate_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 3 };

struct line {
    const char *text;
    size_t len;
    struct rset *rs; /* NULL: no document */
};

static struct rset *read_set(const char *text, size_t len)
{
    struct diag d = {0};
    struct rset *rs = NULL;
    struct stream *s = stream_open_text(text, len, "input");

    check(s && (rset_read(s, TRUST_NONE, &rs, &d) >= 0 || d.text[0]));
    stream_close(s);
    return rs;
}

static char *set_text(struct rset *rs)
{
    struct diag d = {0};
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    check(fp && rset_write_as(rs, &(struct rset_style){0}, fp, &d) == 0);
    fclose(fp);
    return text;
}

static char *json_text(const json_t *value)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    check(fp != NULL);
    json_write(fp, value);
    fclose(fp);
    return text;
}

static bool same_text(struct rset *a, struct rset *b)
{
    char *text_a = set_text(a), *text_b = set_text(b);
    bool same = !strcmp(text_a, text_b);

    free(text_a);
    free(text_b);
    return same;
}

static void check_set(struct rset *rs)
{
    char *text = set_text(rs);
    struct rset *again = read_set(text, strlen(text));

    check(again && same_text(rs, again));
    rset_destroy(again);
    free(text);
}

/* Return the result, or NULL if the patch was refused. */
static struct rset *apply(struct rset *rs, const json_t *patch)
{
    char *before = set_text(rs), *after, *patch_before = json_text(patch);
    char *patch_after;
    struct diag d = {0};
    struct rset *out;
    int rc = rset_apply(rs, patch, &out, &d);

    check(rc == 0 ? out != NULL : !out && d.text[0]);
    after = set_text(rs);
    patch_after = json_text(patch);
    check(!strcmp(before, after) && !strcmp(patch_before, patch_after));
    free(before);
    free(after);
    free(patch_before);
    free(patch_after);
    if (out)
        check_set(out);
    return out;
}

static json_t *make_patch(struct rset *a, struct rset *b)
{
    struct diag d = {0};
    json_t *patch = rset_patch(a, b, &d), *read;
    char *text;

    check(patch != NULL);
    text = json_text(patch);
    read = json_read(text, strlen(text), true, &d);
    check(read != NULL);
    json_decref(patch);
    free(text);
    return read;
}

/* Return the patch from a to b. */
static json_t *check_pair(struct rset *a, struct rset *b)
{
    json_t *patch = make_patch(a, b);
    struct rset *result = apply(a, patch);

    check(result && same_text(result, b));
    rset_destroy(result);
    return patch;
}

/* A patched set has much in common with the original. */
static void check_applied(struct rset *rs, const json_t *patch)
{
    struct rset *result = apply(rs, patch);

    if (result) {
        json_decref(check_pair(rs, result));
        json_decref(check_pair(result, rs));
    }
    rset_destroy(result);
}

/*
 * From a to b. The patch does not fit c in general; without its first or its
 * last changes it may or may not fit a.
 */
static void check_patches(struct rset *a, struct rset *b, struct rset *c)
{
    json_t *patch = check_pair(a, b);
    json_t *changes = json_object_get(patch, "changes");
    json_t *part = json_copy(patch), *rest = json_array();
    size_t n = json_array_size(changes);

    check_applied(c, patch);
    json_object_set_new(part, "changes", rest);
    for (size_t i = n / 2; i < n; i++)
        json_array_append(rest, json_array_get(changes, i));
    check_applied(a, part);
    while (json_array_size(changes) > n / 2)
        json_array_remove(changes, json_array_size(changes) - 1);
    check_applied(a, patch);
    json_decref(part);
    json_decref(patch);
}

static void check_self(struct rset *rs)
{
    json_t *patch = make_patch(rs, rs);

    check(json_array_size(json_object_get(patch, "changes")) == 0);
    json_decref(patch);
}

static size_t split(const char *text, size_t size, struct line *lines)
{
    size_t n = 0;

    while (size > 0 && n < LINES_MAX) {
        const char *end = memchr(text, '\n', size);
        size_t len = end ? (size_t)(end - text) : size;
        lines[n++] = (struct line){text, len, read_set(text, len)};
        text += end ? len + 1 : len;
        size -= end ? len + 1 : len;
    }
    return n;
}

static void check_line(struct rset *first, const struct line *line,
                       struct rset *last)
{
    struct diag d = {0};
    json_t *patch;

    if (line->rs) {
        check_patches(first, line->rs, last);
        check_patches(line->rs, first, last);
    } else if ((patch = json_read(line->text, line->len, true, &d))) {
        check_applied(first, patch);
        json_decref(patch);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line lines[LINES_MAX];
    size_t n = split((const char *)data, size, lines);
    struct rset *first = n ? lines[0].rs : NULL;
    struct rset *last = n && lines[n - 1].rs ? lines[n - 1].rs : first;

    if (first)
        check_self(first);
    for (size_t i = 1; first && i < n; i++)
        check_line(first, &lines[i], last);
    for (size_t i = 0; i < n; i++)
        rset_destroy(lines[i].rs);
    return 0;
}

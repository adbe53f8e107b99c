/*
 * Any document is refused with a text that names the source, or it is written
 * in every form that can express it, and each text is read and written again as
 * the same bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/document/document.h"
#include "model/records/usage.h"
#include "mutate_json.h"
#include "schedule/ledger.h"
#include "view/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs may stand for 2^32 pools. Larger sets than this are not written. */
#define POOLS_MAX 20000

/* Return the text of a set in a form, or NULL if it can't be expressed. */
static char *form_text(struct rset *rs, enum rset_form form, size_t *len)
{
    struct diag d = {0};
    char *text = NULL;
    FILE *fp = open_memstream(&text, len);
    int rc;

    check(fp != NULL);
    rc = rset_write_as(rs, &(struct rset_style){.form = form}, fp, &d);
    fclose(fp);
    if (rc == 0)
        return text;
    check(d.text[0] != '\0' && *len == 0);
    free(text);
    return NULL;
}

static struct rset *read_back(const char *text, size_t len)
{
    struct diag d = {0};
    struct rset *rs = NULL;
    struct stream *s = stream_open_text(text, len, "again");

    check(s && rset_read(s, TRUST_NONE, &rs, &d) == 1);
    stream_close(s);
    return rs;
}

static void check_form(struct rset *rs, enum rset_form form)
{
    size_t len, len2;
    char *text = form_text(rs, form, &len), *text2;
    struct rset *again;

    if (!text)
        return;
    again = read_back(text, len);
    text2 = form_text(again, form, &len2);
    check(text2 && len == len2 && !memcmp(text, text2, len));
    rset_destroy(again);
    free(text);
    free(text2);
}

static void check_views(struct rset *rs)
{
    FILE *fp = fopen("/dev/null", "w");
    const struct view view = {0};
    struct diag d = {0};

    check(fp != NULL);
    view_short(rs, fp, &d);
    view_tree(rs, &view, fp);
    view_dot(rs, &view, fp);
    view_svg(rs, &view, fp);
    view_hosts(rs, fp, &d);
    view_ranks(rs, fp, &d);
    fclose(fp);
}

/* Check a part of the set in the same way. */
static void check_part(struct rset *rs, struct selection *sel)
{
    struct rset *part;

    check(sel != NULL);
    part = rset_extract(rs, sel);
    check(part != NULL);
    check_form(part, FORM_AS_READ);
    rset_destroy(part);
    selection_destroy(sel);
}

/* Return how many pools the vertices under v stand for. */
static double count_pools(const struct vertex *v)
{
    double sum = 0;

    for (; v; v = v->next)
        sum += (v->run ? (double)vertex_count(v) : 1)
               * (1 + count_pools(v->child));
    return sum;
}

static void check_set(struct rset *rs)
{
    const struct period moment = {.now = 0};
    struct usage *u;
    int last = count_pools(rs->root) > POOLS_MAX ? FORM_R : FORM_JGF_COMPACT;

    for (int form = FORM_AS_READ; form <= last; form++)
        check_form(rs, form);
    check_views(rs);
    u = usage_begin(rs);
    check_part(rs, ledger_allocated(u, NULL, false, 0));
    check_part(rs, ledger_available(u, &moment, false));
    ledger_release(u, "1");
    check_form(rs, FORM_AS_READ);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d = {0};
    struct rset *rs = NULL;
    struct stream *s = stream_open_text((const char *)data, size, "input");
    int rc;

    check(s != NULL);
    while ((rc = rset_read(s, TRUST_NONE, &rs, &d)) == 1) {
        check_set(rs);
        rset_destroy(rs);
        rs = NULL;
    }
    check(!rs && (rc == 0 || (d.text[0] && d.source[0])));
    stream_close(s);
    return 0;
}

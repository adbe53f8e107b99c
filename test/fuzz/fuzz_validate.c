/*
 * Whatever the document: validation tells a fault for which a document is
 * refused where the reader refuses it, and only there.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/document.h"
#include "mutate_json.h"
#include "model/validate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int good)
{
    if (!good)
        abort();
}

static void check_faults(const struct faults *faults, bool refused)
{
    bool must = false;

    for (size_t i = 0; i < faults->n; i++) {
        const struct fault *f = &faults->list[i];
        check(f->rule && f->where && f->text && *f->text);
        must |= f->level == FAULT_REFUSED;
    }
    check(refused == must);
}

static bool reader_refuses(const char *text, size_t len)
{
    struct diag d = {0};
    struct rset *rs = NULL;
    struct stream *s = stream_open_text(text, len, "input", &d);
    int rc;

    check(s != NULL);
    rc = rset_read(s, TRUST_NONE, &rs, &d);
    rset_destroy(rs);
    stream_close(s);
    return rc != 1;
}

/*
 * Both look at the same text, which is written anew: what is no JSON is no
 * fault of the document, and comes to light earlier or later.
 */
static void check_document(const json_t *doc)
{
    char *text = json_dumps(doc, JSON_COMPACT | JSON_ENCODE_ANY
                                     | JSON_REAL_PRECISION(17));
    struct faults faults = {.strict = true};
    struct diag d = {0};

    check(text && validate_document(doc, &faults, &d) == 0);
    check_faults(&faults, reader_refuses(text, strlen(text)));
    faults_fini(&faults);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d = {0};
    struct stream *s = stream_open_text((const char *)data, size, "input", &d);
    json_t *doc;

    check(s != NULL);
    while (stream_next(s, &d) == 1 && (doc = stream_value(s, &d))) {
        check_document(doc);
        json_decref(doc);
    }
    stream_close(s);
    return 0;
}

/*
 * Validation of any document reports a fault that makes a document invalid
 * exactly if the reader refuses the document.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/document/document.h"
#include "mutate_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static int read_text(const char *text, size_t len)
{
    struct diag d = {0};
    struct rset *rs = NULL;
    struct stream *s = stream_open_text(text, len, "input");
    int rc = rset_read(s, TRUST_NONE, &rs, &d);

    rset_destroy(rs);
    stream_close(s);
    return rc;
}

/* Text that is not JSON is not a fault of the document: both report it, or
   neither. */
static void check_document(const char *text, size_t len)
{
    struct stream *s = stream_open_text(text, len, "input");
    struct faults faults = {.strict = true};
    struct diag d = {0};
    int rc = rset_validate(s, TRUST_NONE, &faults, &d);
    int read = read_text(text, len);

    if (rc == 1)
        check_faults(&faults, read != 1);
    else
        check(read == rc);
    faults_fini(&faults);
    stream_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stream *s = stream_open_text((const char *)data, size, "input");
    struct diag d = {0};
    const char *text;
    size_t len;

    while (stream_next(s, &d) == 1 && stream_text(s, &text, &len, &d) == 0) {
        check_document(text, len);
        stream_skip(s, len);
    }
    stream_close(s);
    return 0;
}

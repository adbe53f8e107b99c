/*
 * Any jobspec, JSON or YAML, is refused with a text, or its resources are read
 * back as the same. RFC 14 accepts what version 1 accepts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "request/request.h"
#include "../unit/request_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_shape(const struct request *req)
{
    struct diag d = {0};
    char *text = request_shape(req), *text2;
    struct request *again;

    check(text != NULL);
    again = request_from_shape(text, &d);
    check(again != NULL);
    text2 = request_shape(again);
    check(text2 && !strcmp(text, text2));
    check(req->duration >= 0);
    free(text);
    free(text2);
    request_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d = {0};
    struct request *req = request_from_text((const char *)data, size, &d);

    if (req)
        check_shape(req);
    check(req || d.text[0]);
    request_destroy(req);
    return 0;
}

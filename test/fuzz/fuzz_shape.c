/*
 * Any shape is refused with a text, or it is written and read back as the same,
 * and so is the list of its resources.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "request/request.h"
#include "../unit/request_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_writing(const struct request *req)
{
    struct diag d = {0};
    char *text = request_shape(req), *text2;
    json_t *list = request_resources(req), *list2;
    struct request *again;

    check(text && list);
    again = request_from_shape(text, &d);
    check(again != NULL);
    text2 = request_shape(again);
    list2 = request_resources(again);
    check(!strcmp(text, text2) && json_equal(list, list2));
    json_decref(list);
    json_decref(list2);
    free(text);
    free(text2);
    request_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct diag d = {0};
    struct request *req;

    check(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    req = request_from_shape(text, &d);
    if (req)
        check_writing(req);
    else
        check(d.text[0] && !strncmp(d.where, "offset ", 7));
    request_destroy(req);
    free(text);
    return 0;
}

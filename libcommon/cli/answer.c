#include "cli/answer.h"

#include <stdlib.h>

#include "cli/cli.h"

int cli_answer(enum match_answer answer, const char *name,
               const struct request *req)
{
    static const int status[] = {
        [MATCH_FOUND] = STATUS_OK,
        [MATCH_NOT_NOW] = STATUS_NO,
        [MATCH_NEVER] = STATUS_NEVER,
        [MATCH_ERROR] = STATUS_TROUBLE,
    };
    char *shape;

    if (answer != MATCH_NOT_NOW && answer != MATCH_NEVER)
        return status[answer];
    shape = request_shape(req);
    cli_warn("%s: %s: %s", name,
             answer == MATCH_NOT_NOW ? "no match now" : "no match ever",
             shape ? shape : "the request");
    free(shape);
    return status[answer];
}

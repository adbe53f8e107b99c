/* For tests of usage: count the sums of a lot again. */
#ifndef TEST_USAGE_SUMS_H
#define TEST_USAGE_SUMS_H

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/usage_private.h"

/* Return what is wrong with the sums of a lot that has contents; NULL:
   nothing. */
static const char *wrong_sums(const struct usage *u, const struct lot *lot)
{
    size_t n = usage_width(u);
    int64_t *sums = xcalloc(n, sizeof(*sums)),
            *gives = xcalloc(n, sizeof(*gives));
    uint32_t said = 0, children = 0;
    const char *wrong = NULL;

    for (struct lot *c = lot_child(lot); c; c = c->next, children++) {
        lot_sums(u, c, gives);
        for (size_t i = 0; i < n; i++)
            sums[i] += gives[i] * (int64_t)c->n;
        if (gives[TOUCHED] != !lot_idle(c) || gives[HELD] != lot_held(c))
            wrong = "it does not say of a child that it is touched, or held";
        said += !lot_is_blank(c);
        if (c->next && lot_compare(c, c->next) >= 0)
            wrong = "the lots in it are not in order";
    }
    if (memcmp(sums, lot->in->sums, n * sizeof(*sums)) != 0)
        wrong = "its sums do not match its contents";
    if (said != lot->in->nused || children != lot->in->nchildren)
        wrong = "it miscounts its children";
    free(sums);
    free(gives);
    return wrong;
}

#endif /* TEST_USAGE_SUMS_H */

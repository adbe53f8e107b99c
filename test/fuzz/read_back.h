/* Read the text of a set back, and write it again as the same bytes. */
#ifndef TEST_READ_BACK_H
#define TEST_READ_BACK_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/document/document.h"

static inline void check_form(struct rset *rs, enum rset_form form)
{
    const struct rset_style style = {.form = form};
    struct diag d = {0};
    size_t len, len2;
    char *text = rset_text(rs, &style, &len, &d), *text2;
    struct rset *again;

    if (!text) { /* a graph can't have each host */
        check(form == FORM_JGF && d.text[0]);
        return;
    }
    again = rset_read_text(text, len, "again", TRUST_NONE, &d);
    check(again != NULL);
    text2 = rset_text(again, &style, &len2, &d);
    check(text2 && len == len2 && !memcmp(text, text2, len));
    rset_destroy(again);
    free(text);
    free(text2);
}

#endif /* TEST_READ_BACK_H */

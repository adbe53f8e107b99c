/* Readable JSON in C: single quotes stand for double ones. */
#ifndef TEST_QUOTES_H
#define TEST_QUOTES_H

#include <stdlib.h>
#include <string.h>

/* Return a new text for free(). */
__attribute__((unused)) static char *with_quotes(const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        abort();
    for (char *p = copy; (p = strchr(p, '\''));)
        *p = '"';
    return copy;
}

#endif /* TEST_QUOTES_H */

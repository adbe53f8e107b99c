/*
 * A list of very many hosts rightly takes long, with sanitizers too long for a
 * fuzzer. Is there one in this text?
 */
#ifndef TEST_LONG_LIST_H
#define TEST_LONG_LIST_H

#include <stdbool.h>
#include <string.h>

static inline bool has_long_list(const char *text)
{
    while ((text = strchr(text, '['))) {
        size_t len = strspn(++text, "0123456789-,");
        for (size_t i = 0; i < len; i++)
            if (strspn(text + i, "0123456789") > 4)
                return true;
    }
    return false;
}

#endif /* TEST_LONG_LIST_H */

/* Laws that hold for any input. The fuzzer prints a broken one and aborts. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define check(good)                                                    \
    do {                                                               \
        if (!(good)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #good); \
            abort();                                                   \
        }                                                              \
    } while (0)

#endif /* TEST_CHECK_H */

/* RFC 45 ranges of any bytes: valid when read, and the same when written. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "base/memory.h"
#include "set/range.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct range r, back;
    struct diag d = {0};
    char *text;
    size_t len;
    FILE *fp;
    uint64_t n, m;

    if (range_decode((const char *)data, size, &r, &d) < 0) {
        check(d.text[0] != '\0');
        return 0;
    }
    check(range_check(&r, &d) == 0);
    fp = memory_open(&text, &len);
    range_write(&r, fp);
    memory_close(fp);
    check(range_decode(text, len, &back, &d) == 0);
    free(text);
    n = m = r.min;
    check(back.min == n);
    for (int i = 0; i < 100; i++) {
        bool more = range_next(&r, &n);

        check(range_largest(&r, n) == n);
        check(range_next(&back, &m) == more && m == n);
        if (!more)
            break;
    }
    return 0;
}

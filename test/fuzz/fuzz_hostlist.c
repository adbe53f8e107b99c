/*
 * The reader of hostlists on any bytes. A list that was read must be read back
 * from its text, with several brackets in a name or with one, and sorting must
 * keep the hosts. The first byte chooses the options of the reader.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "set/hostlist.h"

#define MANY 300 /* hosts that are visited one by one */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct hostlist *hl, bool multi)
{
    struct hostlist_reader how = HOSTLIST_READER;
    struct hostlist *back = hostlist_create();
    struct diag d = {0};
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    how.multi = multi;
    (multi ? hostlist_write_multi : hostlist_write)(hl, fp);
    check(!ferror(fp));
    fclose(fp);
    check(hostlist_read(back, text, len, &how, &d) == 0);
    check(hostlist_equal(hl, back) && hostlist_equal(back, hl));
    free(text);
    hostlist_destroy(back);
}

/* Make the list again from its names. */
static void check_names(const struct hostlist *hl)
{
    struct hostlist *again = hostlist_create();
    char name[HOSTLIST_NAME_MAX], nth[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    uint64_t i = 0;
    int len;

    hostlist_iter_init(&it, hl);
    while ((len = hostlist_iter_next(&it, name)) >= 0) {
        struct idset *at = hostlist_find(hl, name);

        check(idset_contains(at, (uint32_t)i));
        idset_destroy(at);
        check(hostlist_nth(hl, i++, nth) == len);
        check(strcmp(name, nth) == 0);
        check(hostlist_append(again, name) == 0);
    }
    check(i == hostlist_count(hl) && hostlist_equal(hl, again));
    check_text(again, false);
    hostlist_destroy(again);
}

static void check_algebra(const struct hostlist *hl)
{
    struct hostlist *sorted = hostlist_sort(hl, false);
    struct hostlist *once = hostlist_sort(hl, true);
    struct hostlist *none = hostlist_subtract(hl, once);
    struct hostlist *all = hostlist_intersect(hl, once);

    check(hostlist_count(sorted) == hostlist_count(hl));
    check(hostlist_subset(sorted, hl) == 1 && hostlist_subset(hl, once) == 1);
    check(hostlist_count(none) == 0 && hostlist_equal(all, hl));
    check_text(sorted, true);
    hostlist_destroy(sorted);
    hostlist_destroy(once);
    hostlist_destroy(none);
    hostlist_destroy(all);
}

/* A list that can't be read leaves the list as it was. */
static void check_decode(const char *text, size_t len)
{
    struct hostlist *hl = hostlist_create();
    struct diag d = {0};

    check(hostlist_append(hl, "x7") == 0);
    if (hostlist_decode(hl, text, len, &d) < 0)
        check(hostlist_count(hl) == 1 && d.text[0]);
    hostlist_destroy(hl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hostlist_reader how = HOSTLIST_READER;
    struct hostlist *hl = hostlist_create();
    struct diag d = {0};

    if (size >= 1) {
        how.multi = data[0] & 1;
        how.many = data[0] & 2;
        how.pad_each = data[0] & 4;
        how.line = data[0] & 8 ? 1 : 0;
        how.max = data[0] & 16 ? 100000 : MANY;
        if (hostlist_read(hl, (const char *)data + 1, size - 1, &how, &d)
            == 0) {
            check_text(hl, false);
            check_text(hl, true);
            if (hostlist_count(hl) < MANY) {
                check_names(hl);
                check_algebra(hl);
            }
        } else {
            check(d.text[0] != '\0');
        }
        check_decode((const char *)data + 1, size - 1);
    }
    hostlist_destroy(hl);
    return 0;
}

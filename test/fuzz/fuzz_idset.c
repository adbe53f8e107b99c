/*
 * Every reader of sets of numbers on any bytes. The result must be a valid set,
 * and must be read back from its text. The first two bytes choose the form and
 * the options of the reader.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "set/idset_form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_proper(const struct idset *set)
{
    uint64_t next = 0;

    for (size_t i = 0; i < idset_nranges(set); i++) {
        struct idrange r = idset_range(set, i);

        check(r.lo >= next && r.hi >= r.lo && r.hi <= IDSET_MAX);
        next = (uint64_t)r.hi + 2;
    }
}

/* Write a set in a form and read it again. */
static void check_text(const struct idset *set, const struct idset_form *form)
{
    struct idset_reader how = IDSET_READER;
    struct idset *back = idset_create();
    struct diag d = {0};
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    how.form = form;
    if (idset_form_write(form, set, fp, &d) == 0) {
        fclose(fp);
        check(idset_read(back, text, len, &how, &d) == 0);
        idset_settle(back);
        check(idset_equal(set, back));
    } else {
        fclose(fp);
        check(d.text[0] != '\0');
    }
    free(text);
    idset_destroy(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const forms[] = {"idset", "list",    "cpulist", "step",
                                        "mask",  "taskset", "json",    "range"};
    /* a few bytes of a series name too many ids to visit */
    static const uint32_t highest[] = {IDSET_MAX, IDSET_MAX, 300000,    300000,
                                       IDSET_MAX, IDSET_MAX, IDSET_MAX, 300000};
    struct idset_reader how = IDSET_READER;
    struct idset *set = idset_create();
    struct diag d = {0};

    if (size >= 2) {
        how.form = idset_form(forms[data[0] % 8]);
        how.loose = data[1] & 1;
        how.many = data[1] & 2;
        how.line = data[1] & 4 ? 1 : 0;
        how.max = data[1] & 8 ? 100 : highest[data[0] % 8];
        if (idset_read(set, (const char *)data + 2, size - 2, &how, &d) == 0) {
            idset_settle(set);
            check_proper(set);
            check(idset_empty(set) || idset_last(set) <= how.max);
            check_text(set, NULL);
            if (idset_count(set) < 100000 && idset_last(set) < 100000)
                check_text(set, idset_form(forms[data[1] >> 5]));
        } else {
            check(d.text[0] != '\0');
        }
    }
    idset_destroy(set);
    return 0;
}

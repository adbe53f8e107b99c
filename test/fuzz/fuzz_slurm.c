/*
 * Any answer of Slurm, or of PBS if it has a key "pbs_...", is refused with a
 * text, or gives a set that every form can express and that is read back as the
 * same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "mutate_json.h"
#include "read_back.h"
#include "source/slurm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The reader needs a file. */
static struct rset *read_data(const uint8_t *data, size_t size, struct diag *d)
{
    int fd = memfd_create("slurm", 0);
    struct rset *rs;
    char *name;

    check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    xasprintf(&name, "/proc/self/fd/%d", fd);
    rs = rset_from_slurm(
        (const char *const[]){name, NULL},
        &(struct slurm_options){.now = 1000,
                                .pbs = memmem(data, size, "\"pbs_", 5)},
        d);
    close(fd);
    free(name);
    return rs;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d = {0};
    struct rset *rs = read_data(data, size, &d);

    check(rs || (d.text[0] && d.source[0]));
    if (!rs)
        return 0;
    check_form(rs, FORM_R);
    if (rset_pools(rs) < 20000) {
        check_form(rs, FORM_JGF);
        check_form(rs, FORM_RV1_COMPACT);
    }
    rset_destroy(rs);
    return 0;
}

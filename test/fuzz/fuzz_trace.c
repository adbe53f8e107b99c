/*
 * Any trace is refused with a text and its place, or gives jobs in the order of
 * their submission, each with a size and a time that a scheduler can take.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/time.h"
#include "check.h"
#include "source/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("trace", 0);
    struct diag d = {0};
    struct trace t;
    char *name;
    int rc;

    if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b) {
        close(fd);
        return 0; /* gzip is not tested here */
    }
    check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    xasprintf(&name, "/proc/self/fd/%d", fd);
    rc = trace_read(&t, name, TRACE_ANY, &d);
    check(rc == 0 ? t.n > 0 : d.text[0] && d.source[0]);
    for (size_t i = 0; rc == 0 && i < t.n; i++) {
        const struct trace_job *job = &t.jobs[i];
        check(job->name && (job->cores > 0 || job->nodes > 0));
        check(job->submitted >= 0 && job->run >= 0 && job->limit >= 0);
        check(job->submitted + job->run <= TIME_CALENDAR);
        check(i == 0 || t.jobs[i - 1].submitted <= job->submitted);
    }
    if (rc == 0)
        trace_fini(&t);
    close(fd);
    free(name);
    return 0;
}

/* Helpers of the files in which an idset job is done. */
#ifndef IDSET_PRIVATE_H
#define IDSET_PRIVATE_H

#include "cli/cli.h"
#include "kind.h"

/* A pointer, if memory did not run out. */
static inline void *got(void *p)
{
    if (!p)
        cli_die("out of memory");
    return p;
}

/* An answer, if memory did not run out. */
static inline int truth(int answer)
{
    if (answer < 0)
        cli_die("out of memory");
    return answer;
}

/* End with a fault that was found in a source. */
__attribute__((noreturn)) static inline void die_in(struct diag *d,
                                                    const char *source)
{
    diag_source(d, "%s", source);
    cli_die_diag(d);
}

/* Read all sets that the job names, but for the lines of --lines. */
void job_load(struct idset_job *job);
/* Free them, and all that the job owns. */
void job_unload(struct idset_job *job);

#endif /* IDSET_PRIVATE_H */

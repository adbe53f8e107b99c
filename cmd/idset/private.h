/* Helpers of the files in which an idset job is done. */
#ifndef IDSET_PRIVATE_H
#define IDSET_PRIVATE_H

#include "cli/cli.h"
#include "kind.h"

/* Read all sets that the job names, but for the lines of --lines. */
void job_load(struct idset_job *job);
/* Free them, and all that the job owns. */
void job_unload(struct idset_job *job);

#endif /* IDSET_PRIVATE_H */

/*
 * Sets from the JSON that Slurm's commands write about nodes and jobs:
 *
 *     sinfo --json                 nodes, up to Slurm 22.05
 *     scontrol show node --json    nodes, from 23.02 on
 *     squeue --json                jobs, with their resources
 *     scontrol show job --json     jobs, from 23.02 on
 *     scontrol show reservations --json
 *
 * The set is a graph. Ranks follow the order in which nodes are listed:
 *
 *     cluster0
 *     `- NAME               node {FEATURE...}, its state and the reason
 *        |- memory0         MiB
 *        |- gpu0            {TYPE}; in its socket if Slurm names one
 *        |- nic0            any other gres, with its number of units
 *        `- socket0
 *           `- core0
 *
 * A node that is drained or not up has Slurm's reason in the tag `drained` or
 * `down`. A core that Slurm keeps for the system is down, too.
 *
 * A running job has its id. In each node it holds the cores, GPUs, other gres
 * and memory that Slurm lists, or the node if it is exclusive. A suspended job
 * has lent its cores. Two jobs with the same core share it; jobs with shards of
 * a GPU share the GPU (RFC 4, shared). A reservation is the job `resv:NAME`,
 * which holds everything that no other job holds in its nodes and in its time.
 *
 * Users know a job of an array, or a part of a heterogeneous job, by another
 * id. That id is a tag of its nodes, such as `slurm.15_1` or `slurm.17+1`; the
 * value of the tag is the job.
 *
 * Unknown keys are skipped. Known facts that can't be represented are notes of
 * the set.
 */
#ifndef SOURCE_SLURM_H
#define SOURCE_SLURM_H

#include "base/stream.h"
#include "model/tree/rset.h"

struct slurm_options {
    bool pbs;   /* the files are of PBS: `pbsnodes -a -F json` (pbs.c) */
    double now; /* seconds since the Epoch; ended reservations are skipped */
    /* Called with a line for each fact that can't be represented. NULL: notes
       of the set have the first fact of each kind and a count. */
    void (*explain)(const char *line);
};

/*
 * Read files ("-" is standard input) with any of these outputs; at least one
 * must list nodes. `files` ends with NULL. A node, job or reservation that is
 * listed again is skipped. The caller owns the set. Returns NULL with a diag if
 * a file can't be read, is not an output of Slurm, or contains an error of
 * Slurm.
 */
struct rset *rset_from_slurm(const char *const *files,
                             const struct slurm_options *opts, struct diag *d);

/* Read all documents of a stream in the same way. */
struct rset *rset_from_slurm_stream(struct stream *in,
                                    const struct slurm_options *opts,
                                    struct diag *d);

/* Is the next document of a stream from Slurm, by its first key? */
bool stream_is_slurm(struct stream *in);

#endif /* SOURCE_SLURM_H */

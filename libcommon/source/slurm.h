/*
 * What Slurm's commands say of its nodes and jobs as JSON:
 *
 *     sinfo --json                 nodes, up to Slurm 22.05
 *     scontrol show node --json    nodes, from 23.02 on
 *     squeue --json                jobs, which hold what they have
 *     scontrol show job --json     jobs, from 23.02 on
 *     scontrol show reservations --json
 *
 * The set is a graph, ranks in the order in which nodes are listed:
 *
 *     cluster0
 *     `- NAME               node {FEATURE...}, its state and why it is in it
 *        |- memory0         MiB
 *        |- gpu0            {TYPE}; in its socket if it is said to be in one
 *        |- nic0            any other gres: as many units as there are
 *        `- socket0
 *           `- core0
 *
 * A node that is drained or not up has Slurm's reason in the tag `drained` or
 * `down`. A core that Slurm keeps for the system is down, too.
 *
 * A running job has its id, and in each node the cores, GPUs, other gres and
 * memory that Slurm lists, or the node if it is exclusive. A suspended job has
 * lent its cores. Two jobs with the same core share it; jobs with shards of a
 * GPU share the GPU (RFC 4, shared). A reservation is the job `resv:NAME`,
 * which holds what no other job holds in its nodes and in its time.
 *
 * The id that users know of a job in an array or of a part of a heterogeneous
 * job is a tag of its nodes: `slurm.15_1`, `slurm.17+1`. Its value is the job.
 *
 * Unknown keys are skipped. What is known and can't be represented is a note of
 * the set.
 */
#ifndef SOURCE_SLURM_H
#define SOURCE_SLURM_H

#include "model/tree/rset.h"

struct slurm_options {
    double now; /* seconds since the Epoch: reservations that ended are over */
    /* Gets a line for each thing that can't be represented. NULL: notes of the
       set have the first of each kind and a count. */
    void (*explain)(const char *line);
};

/*
 * Read files ("-" is standard input) with any of these, and nodes in at least
 * one of them; a terminated array. A node, job or reservation that is listed
 * again is skipped. The caller owns the set. Returns NULL with a diag if a file
 * can't be read, is not what Slurm writes, or has an error of Slurm.
 */
struct rset *rset_from_slurm(const char *const *files,
                             const struct slurm_options *opts, struct diag *d);

#endif /* SOURCE_SLURM_H */

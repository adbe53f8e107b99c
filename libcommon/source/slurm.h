/*
 * What Slurm's commands say of its nodes and jobs as JSON:
 *
 *     sinfo --json                 nodes, up to Slurm 22.05
 *     scontrol show node --json    nodes, from 23.02 on
 *     squeue --json                jobs, which hold what they have
 *     scontrol show job --json     jobs, from 23.02 on
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
 * Of a node that is drained, or not up, Slurm's reason is the tag `drained` or
 * `down`. A job that runs is its id, with cores, GPUs, other gres and memory
 * as it has them in each of its nodes, or with the nodes if they are its alone;
 * one that is suspended has its cores no more, as in Slurm. What is not known
 * here is passed over; what is known and can't be said is in the set's notes.
 */
#ifndef SOURCE_SLURM_H
#define SOURCE_SLURM_H

#include "model/tree/rset.h"

/*
 * Read files ("-" is standard input) with any of these, nodes somewhere among
 * them; a terminated array. The caller owns the set; NULL with a diag.
 */
struct rset *rset_from_slurm(const char *const *files, struct diag *d);

#endif /* SOURCE_SLURM_H */

/* Inside the reading of what Slurm says (slurm.h). */
#ifndef SOURCE_SLURM_PRIVATE_H
#define SOURCE_SLURM_PRIVATE_H

#include <jansson.h>

#include "base/map.h"
#include "model/tree/rset.h"

enum { SLURM_SOCKETS_MAX = 1 << 8, SLURM_CORES_MAX = 1 << 12 }; /* of each */

/* More of it is not in a node: all nodes together can be counted. */
#define SLURM_UNITS_MAX (INT64_C(1) << 40)

/* Nodes of which everything is the same. */
struct slurm_class {
    struct vertex *node; /* the run of them */
    int64_t state;       /* STATE_UP: not said */
};

/* What was left out, how often, and of whom first. */
enum slurm_loss {
    LOSS_FEATURE,     /* a name that no property can have */
    LOSS_GRES,        /* of a name that other pools have, or too many */
    LOSS_SHARD,       /* parts of GPUs that are counted beside them */
    LOSS_FUTURE,      /* nodes that are not there yet */
    LOSS_RESERVED,    /* nodes of a reservation */
    LOSS_SPECIALIZED, /* cores that Slurm keeps for the system */
    LOSS_ELSEWHERE,   /* what a job has in a node that is not here */
    LOSS_UNSAID,      /* what a job has in a node is not said */
    LOSS_GPUS,        /* which GPUs it has is not */
    LOSS_TAKEN,       /* a job has what another one has */
    LOSSES
};

struct slurm {
    struct rset *rs;
    struct hostlist *hosts; /* in the order of their ranks */
    struct map ranks;       /* of hosts: rank + 1 */
    uint32_t *class_of;     /* of each rank */
    struct slurm_class *classes;
    size_t n;
    struct map by_facts; /* the number of a class + 1 */
    json_t *jobs;        /* those that have anything */
    struct {
        size_t n;
        char first[160];
    } lost[LOSSES];
};

/* Something was left out, as of `what`. */
void slurm_lose(struct slurm *s, enum slurm_loss loss, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A number as it is, or an object that has one; -1: there is none. */
int64_t slurm_number(const json_t *value);

/* Is it, or is among them, that word? A text may have several, with commas. */
bool slurm_has(const json_t *words, const char *word);

/* The next of texts that are separated by commas outside of parentheses. */
bool slurm_next_word(const char **text, const char **word, size_t *len);

/* A gres as it is in a node, or as a job has it there: `gpu:a100:2(S:0-1)`. */
struct slurm_gres {
    const char *name, *type; /* in the text; a type may be missing */
    size_t len, type_len;
    int64_t count;
    struct idset *sockets, *index; /* NULL: not said */
};
bool slurm_next_gres(const char **text, struct slurm_gres *g);
void slurm_gres_fini(struct slurm_gres *g);

/* slurm_nodes.c: a node comes; all of them have come. */
int slurm_add_node(struct slurm *s, const json_t *node, struct diag *d);
void slurm_make_nodes(struct slurm *s);

/* slurm_jobs.c: is it one that has anything? And give it that. */
bool slurm_job_holds(const json_t *job);
void slurm_give(struct slurm *s, const json_t *job);

#endif /* SOURCE_SLURM_PRIVATE_H */

/* Shared by the modules that read what Slurm lists (slurm.h). */
#ifndef SOURCE_SLURM_PRIVATE_H
#define SOURCE_SLURM_PRIVATE_H

#include <jansson.h>

#include "base/map.h"
#include "model/tree/rset.h"
#include "source/slurm.h"

enum { SLURM_SOCKETS_MAX = 1 << 8, SLURM_CORES_MAX = 1 << 12 }; /* of each */

/* More of it is not in a node: all nodes together can be counted. */
#define SLURM_UNITS_MAX (INT64_C(1) << 40)

/* Nodes with the same facts. */
struct slurm_class {
    struct vertex *node;    /* their run */
    int64_t state;          /* STATE_UP also if Slurm does not say */
    int64_t sockets, cores; /* cores of each socket */
    bool specialized;       /* some cores are for the system */
};

/* Kinds of things that can't be represented. */
enum slurm_loss {
    LOSS_FEATURE,     /* a name that no property can have */
    LOSS_GRES,        /* a name that other pools have, or too many units */
    LOSS_PART,        /* parts of GPUs, counted beside the GPUs */
    LOSS_FUTURE,      /* a node that does not exist yet */
    LOSS_SPECIALIZED, /* cores for the system, without their ids */
    LOSS_MEMORY,      /* memory for the system */
    LOSS_TIMES,       /* a reservation that is known from its nodes alone */
    LOSS_ELSEWHERE,   /* resources in a node that is not listed */
    LOSS_UNSAID,      /* a job without its resources in a node */
    LOSS_GPUS,        /* a job without the ids of its GPUs */
    LOSS_OWNERS,      /* a job that shares its nodes with some jobs only */
    LOSS_TAKEN,       /* resources that another job has */
    LOSS_NOTHING,     /* a reservation for which jobs leave nothing */
    LOSSES
};

struct slurm {
    const struct slurm_options *opts;
    struct rset *rs;
    struct hostlist *hosts; /* in the order of their ranks */
    struct map ranks;       /* of hosts: rank + 1 */
    uint32_t *class_of;     /* of each rank */
    struct slurm_class *classes;
    size_t n;
    struct map by_facts;  /* the number of a class + 1 */
    struct map seen;      /* names of jobs, and of reservations as jobs */
    json_t *jobs;         /* that hold anything */
    json_t *reservations; /* as Slurm lists them */
    json_t *reserved;     /* names of reservations (SLURM_NO_NAME: not known),
                             each with the hosts that say they are in it */
    json_t *tags;         /* of hosts, from the ids of their jobs */
    struct {
        size_t n;
        char first[160];
    } lost[LOSSES];
};

/* --- slurm_text.c ------------------------------------------------------- */

/* Note that `what` (printf style) can't be represented. */
void slurm_lose(struct slurm *s, enum slurm_loss loss, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Make notes of the set of all that was lost, unless it was explained. */
void slurm_note_losses(struct slurm *s);

/* Return a number, or the one in an object; -1: there is none. */
int64_t slurm_number(const json_t *value);

/* Is a word in a text, with commas between words, or in a list of texts? */
bool slurm_has(const json_t *words, const char *word);

/* Go to the next of words that commas outside of parentheses separate. */
bool slurm_next_word(const char **text, const char **word, size_t *len);

/*
 * A gres as it is in a node, or as a job has it there: `gpu:a100:2(S:0-1)`,
 * `gpu:1(IDX:3)`, `shard:5(0/8,5/8)`.
 */
struct slurm_gres {
    const char *name, *type; /* in the text; a type may be missing */
    size_t len, type_len;
    int64_t count;
    struct idset *sockets, *index; /* NULL: not said */
};
bool slurm_gres_is(const struct slurm_gres *g, const char *name);
/* Is it a part of a GPU? */
bool slurm_gres_is_part(const struct slurm_gres *g);
bool slurm_next_gres(const char **text, struct slurm_gres *g);
void slurm_gres_fini(struct slurm_gres *g);

/* --- slurm_nodes.c ------------------------------------------------------ */

/* Add a node, unless it was listed before. Returns -1 with a diag. */
int slurm_add_node(struct slurm *s, const json_t *node, struct diag *d);

/* Give all nodes ranks and states, when the last one was added. */
void slurm_make_nodes(struct slurm *s);

/* Return the lot of a host's node, split off, and its class; NULL if the host
   is not listed. */
struct lot *slurm_node_lot(struct slurm *s, const char *host,
                           const struct slurm_class **class);

/* Tag nodes as `tags` says. This must be the last change of the set. */
void slurm_tag_nodes(struct slurm *s);

/*
 * Return the hosts of a list that are nodes here, in a new list. Other hosts,
 * or a fault of the list (NULL: it is missing), are noted as losses of job
 * `what`.
 */
struct hostlist *slurm_hosts(struct slurm *s, const char *text,
                             const char *what);

/* --- slurm_jobs.c ------------------------------------------------------- */

/* Does a job hold anything? */
bool slurm_job_holds(const json_t *job);

/* Give a job what it has. */
void slurm_give(struct slurm *s, const json_t *job);

/* --- slurm_resv.c ------------------------------------------------------- */

/* Return the job of a reservation, `resv:NAME`, a new string. */
#define SLURM_NO_NAME "unknown" /* no name, or one that no job can have */
char *slurm_reservation(const char *name);

/* Let the reservations hold what jobs leave free. */
void slurm_reserve(struct slurm *s);

#endif /* SOURCE_SLURM_PRIVATE_H */

/* Shared by the modules that read Slurm's output (slurm.h). */
#ifndef SOURCE_SLURM_PRIVATE_H
#define SOURCE_SLURM_PRIVATE_H

#include <jansson.h>

#include "base/map.h"
#include "model/tree/rset.h"
#include "source/slurm.h"

enum { SLURM_SOCKETS_MAX = 1 << 8, SLURM_CORES_MAX = 1 << 12 }; /* of each */

/* Most units of a gres or of memory in a node. The sum over all nodes then
   still fits into 64 bits. */
#define SLURM_UNITS_MAX (INT64_C(1) << 44)

/* Slurm has no more nodes; with them the sum of units fits into 64 bits. */
enum { SLURM_NODES_MAX = 1 << 18 };

/* A key that jobs and reservations get: where they were listed. */
#define SLURM_PLACE "rset place"

/* Nodes with the same facts. */
struct slurm_class {
    struct vertex *node;    /* run of these nodes */
    int64_t state;          /* STATE_UP if Slurm gives none */
    int64_t sockets, cores; /* cores of each socket */
    bool specialized;       /* some cores are for the system */
};

/* Kinds of facts that can't be represented. */
enum slurm_loss {
    LOSS_FEATURE,     /* name is not allowed in a property */
    LOSS_GRES,        /* name of another type of pool, or too many units */
    LOSS_PART,        /* parts of GPUs, beside the GPUs themselves */
    LOSS_FUTURE,      /* node that does not exist yet */
    LOSS_SPECIALIZED, /* cores for the system, without their ids */
    LOSS_MEMORY,      /* memory for the system */
    LOSS_TIMES,       /* reservation named by its nodes only */
    LOSS_ELSEWHERE,   /* resources in a node that is not listed */
    LOSS_UNSAID,      /* job without a list of its resources in a node */
    LOSS_GPUS,        /* job without the ids of its GPUs */
    LOSS_PARTS,       /* job without the ids of the GPUs that it has parts of */
    LOSS_BEYOND,      /* job with resources that its node does not have */
    LOSS_UNKNOWN,     /* resources in use that no listed job has */
    LOSS_STATE,       /* word for a state of a node that is not known */
    LOSS_JOB_STATE,   /* state of a job that is not known */
    LOSS_MOMENTS,     /* nodes and jobs of different moments */
    LOSS_OWNERS,      /* job that only some jobs may share nodes with */
    LOSS_TAKEN,       /* resources that another job holds */
    LOSS_NOTHING,     /* reservation for which jobs leave nothing */
    LOSSES
};

/* A node: its class, and what Slurm says of its use. */
struct slurm_node {
    size_t class;          /* index */
    int64_t cores, memory; /* cores may be all: INT64_MAX; -1: not said */
    const char *gres;      /* interned in the set; NULL: not said */
    struct idset *lent;    /* ids of the cores of suspended jobs; NULL: none */
};

struct slurm {
    const struct slurm_options *opts;
    struct rset *rs;
    const char *cluster; /* of the first node; NULL: not said */
    const char *source;  /* document that is read */
    const char *list;    /* and list in it; NULL: none */
    size_t item;         /* and element of the list */
    const char *place;   /* where the job at hand was listed; NULL: unknown */
    struct hostlist *hosts; /* in the order of their ranks */
    struct map ranks;       /* host to rank + 1 */
    struct slurm_class *classes;
    size_t n;
    struct slurm_node *nodes;  /* by rank */
    int64_t nodes_at, jobs_at; /* last_update of the lists; 0: not said */
    struct map by_facts;       /* of the classes, by their facts */
    struct map seen;           /* names of jobs, also those of reservations */
    json_t *jobs;              /* jobs that hold anything */
    json_t *reservations;      /* reservations as Slurm lists them */
    json_t *reserved; /* hosts by reservation; SLURM_NO_NAME: unknown */
    json_t *tags;     /* host to tags from the ids of its jobs */
    struct {
        size_t n;
        char *first; /* the whole note */
    } lost[LOSSES];
};

/* --- slurm_text.c ------------------------------------------------------- */

/* Return where an element is listed: the one that is read, or else the job or
   reservation at hand. A new string; NULL: it is not known. */
char *slurm_place(const struct slurm *s);

/* Note a fact of a kind that can't be represented (printf style), and where it
   is listed. */
void slurm_lose(struct slurm *s, enum slurm_loss loss, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Add notes to the set for all losses, unless `explain` got them. */
void slurm_note_losses(struct slurm *s);

/* Return the text of a key, or NULL. */
const char *slurm_text(const json_t *object, const char *key);

/* Return the number of a key, or the number in a value: it may be an object
   that has the number. -1 if there is none. */
int64_t slurm_number(const json_t *object, const char *key);
int64_t slurm_number_in(const json_t *value);

/* Find the next word of a text. Words end at commas outside parentheses.
   Returns false at the end. */
bool slurm_next_word(const char **text, const char **word, size_t *len);

/* A walk over the words of a text, or of an array of texts. */
struct slurm_words {
    const json_t *value;
    size_t next;
    const char *text; /* what is left of a text; NULL: none */
};
struct slurm_words slurm_words(const json_t *value);
bool slurm_words_next(struct slurm_words *w, const char **word, size_t *len);

/* Is a word this one, in upper or lower case? Is it in a text, or in an array
   of texts? */
bool slurm_is_word(const char *word, size_t len, const char *name);
bool slurm_has(const json_t *value, const char *name);

/* A gres of a node, or the gres that a job has there: `gpu:a100:2(S:0-1)`,
   `gpu:1(IDX:3)`, `shard:5(0/8,5/8)`. */
struct slurm_gres {
    const char *name, *type; /* in the text; type may be NULL */
    size_t len, type_len;
    int64_t count;
    struct idset *sockets, *index; /* NULL: not given */
};
bool slurm_gres_is(const struct slurm_gres *g, const char *name);
/* Does a gres count parts of a GPU? */
bool slurm_gres_is_part(const struct slurm_gres *g);
bool slurm_next_gres(const char **text, struct slurm_gres *g);
void slurm_gres_fini(struct slurm_gres *g);

/* --- slurm_nodes.c ------------------------------------------------------ */

/* Add a node, unless it was listed before. Returns -1 with a diag. */
int slurm_add_node(struct slurm *s, const json_t *node, struct diag *d);

/* Give all nodes ranks and states, after the last one was added. */
void slurm_make_nodes(struct slurm *s);

/* Return the lot of a host's node, split off, and its class. Returns NULL if
   the host is not listed. */
struct lot *slurm_node_lot(struct slurm *s, const char *host,
                           const struct slurm_class **class);

/* Tag nodes with `tags`. This must be the last change of the set. */
void slurm_tag_nodes(struct slurm *s);

/*
 * Return the hosts of a list that are nodes of the set, in a new list. Notes
 * other hosts, or a fault of the list (NULL: missing), as losses of job `what`.
 */
struct hostlist *slurm_hosts(struct slurm *s, const char *text,
                             const char *what);

/* --- pbs.c -------------------------------------------------------------- */

/* Add the nodes of PBS, and their jobs. Returns -1 with a diag. */
int pbs_add_nodes(struct slurm *s, const json_t *nodes, struct diag *d);

/* --- slurm_jobs.c ------------------------------------------------------- */

/* Does a job hold anything? Returns 1 or 0; -1 with a diag, if this is no job
   that squeue lists. */
int slurm_job_holds(struct slurm *s, const json_t *job, struct diag *d);

/* Give a job its resources. With `rest`, when all jobs have what has an id:
   what has none, as any that nobody has. */
void slurm_add_job(struct slurm *s, const json_t *job, bool rest);

/* Let the job `slurm:unknown` hold what Slurm says is in use, and no listed job
   has. */
void slurm_add_unknown(struct slurm *s);

/* --- slurm_resv.c ------------------------------------------------------- */

/* Return the job of a reservation, `resv:NAME`, a new string. */
#define SLURM_NO_NAME "unknown" /* no name, or one that is not allowed */
char *slurm_reservation(const char *name);

/* Let the reservations hold what jobs leave free. */
void slurm_reserve(struct slurm *s);

#endif /* SOURCE_SLURM_PRIVATE_H */

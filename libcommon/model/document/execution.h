/* The execution half of an R (RFC 20, Execution). */
#ifndef MODEL_DOCUMENT_EXECUTION_H
#define MODEL_DOCUMENT_EXECUTION_H

#include "model/document/entry.h"
#include "model/records/layers.h"

struct graph;

/* Characters that are not allowed in the name of a property (RFC 20). */
#define PROPERTY_FORBIDDEN "!&'\"^`|()"

/* The keys of `execution` in both editions; NULL ends the list. */
extern const char *const execution_keys[];

/* An entry of R_lite with ranks that earlier entries list, too. */
struct later_entry {
    struct entry entry;
    size_t number;
    bool reported; /* a repeated resource was reported */
};

/* The contents of `execution`, before they are put into the set. */
struct execution {
    struct reader *r;
    bool there;
    bool rlite, nodelist; /* these keys are present */
    bool sound;           /* R_lite has no faults */
    bool ranked;          /* the ranks have no faults */
    struct rlite lite;    /* sorted */
    struct idset *ranks;  /* of all entries */
    struct later_entry *later;
    size_t nlater;
    struct hostlist *hosts;   /* NULL: missing or faulty */
    struct layer *properties; /* names on their ranks */
    size_t nproperties;
    struct layer *unknown; /* keys of entries, on their ranks: unknown.h */
    size_t nunknown;
};

void execution_fini(struct execution *ex);

/* Read the value of `execution`, which comes next. Times go into the set. */
void execution_read(struct reader *r, struct execution *ex,
                    const struct place *at);

/* Put `execution` into the set: it becomes the tree, or must agree with the
   graph, unless the reader trusts one half. */
void execution_apply(struct reader *r, struct execution *ex, struct graph *g);

/* Report ranks, children and hosts that differ between execution and graph.
   Both must be sound. */
void halves_compare(struct reader *r, const struct execution *ex,
                    struct graph *g);

/* Write `execution` with the R_lite of the set. `nslots` is here in the current
   edition only (edition.h). */
void execution_write(struct rset *rs, const struct rlite *lite,
                     enum dialect dialect, FILE *fp);

#endif /* MODEL_DOCUMENT_EXECUTION_H */

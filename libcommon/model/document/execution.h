/* The execution half of an R (RFC 20, Execution). */
#ifndef MODEL_DOCUMENT_EXECUTION_H
#define MODEL_DOCUMENT_EXECUTION_H

#include "model/document/document.h"
#include "model/document/rlite.h"
#include "model/records/layers.h"

struct graph;
struct place;
struct reader;

/* Characters that no name of a property has (RFC 20). */
#define PROPERTY_FORBIDDEN "!&'\"^`|()"

/* An entry of R_lite with ranks that entries before it list, too. */
struct later_entry {
    size_t number;
    struct idset *ranks;
    struct lite_children children;
    bool told; /* that it lists something again */
};

/* The contents of `execution`, before they are put into the set. */
struct execution {
    struct reader *r;
    bool there;
    bool rlite, nodelist; /* these keys are there */
    bool sound;           /* all of R_lite was understood */
    bool ranked;          /* its ranks were */
    struct rlite lite;    /* sorted */
    struct idset *ranks;  /* of all entries */
    struct later_entry *later;
    size_t nlater;
    struct hostlist *hosts;   /* NULL: there is none, or it is at fault */
    struct layer *properties; /* names on their ranks */
    size_t nproperties;
    struct layer *unknown; /* keys of entries, on their ranks: unknown.h */
    size_t nunknown;
};

void execution_fini(struct execution *ex);

/* Read the value of the key, which comes next; times go into the set. */
void execution_read(struct reader *r, struct execution *ex,
                    const struct place *at);

/* Put it into the set: it becomes the tree, or must agree with a graph (unless
   the reader trusts one half). */
void execution_apply(struct reader *r, struct execution *ex, struct graph *g);

/* Report ranks, children and hosts in which it and the graph disagree. Both are
   sound. */
void halves_compare(struct reader *r, const struct execution *ex,
                    struct graph *g);

/* Write the object, with the R_lite that was made of the set. The current
   edition has `nslots` here, the seed edition elsewhere (edition.h). */
void execution_write(struct rset *rs, const struct rlite *lite,
                     enum dialect dialect, FILE *fp);

#endif /* MODEL_DOCUMENT_EXECUTION_H */

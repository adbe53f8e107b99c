/*
 * A set that is read in pieces: what is in a node, and who has any of it, is
 * read from a source when somebody comes by. What can be given is known
 * before: of each lot that is a node, or lies in none, the source has an image,
 * which is what usage counts in it. So a match comes to the lots that it takes
 * of and reads no others.
 *
 * Images hold from a moment on, for ever: for periods that start `now`, as long
 * as nothing that was claimed starts later. What does is to be read at once, by
 * lot_load(), and so is what is staged. For a period that starts later what
 * ends by then is read, too.
 */
#ifndef MODEL_RECORDS_PIECES_H
#define MODEL_RECORDS_PIECES_H

#include "model/records/usage.h"

/* A lot by what is counted of it: a pool, or one member of a run. */
struct lot_image {
    uint32_t at; /* of a run */
    enum pool_state state;
    int64_t taken;
    bool blocked, touched, held;
    bool inside; /* something in it is held, or not up: of that */
    uint32_t nsaid, ntouched, nheld; /* children */
    int64_t *sums;                   /* units of each row; room for them */
};

struct rset_source {
    /* Give a vertex what is in it. */
    void (*open)(struct rset_source *source, struct vertex *v);
    /*
     * The image of a lot, of a run of targets the next that lies between two
     * members; false: there is none. They are asked in the order of the tree.
     */
    bool (*image)(struct rset_source *source, const struct vertex *v,
                  uint32_t first, uint32_t last, struct lot_image *out);
    /* Give a lot its grants, and those in it, and states. */
    void (*read)(struct rset_source *source, struct usage *u, struct lot *lot);
    /* Read all lots of which claims end by a time. */
    void (*read_ending)(struct rset_source *source, struct usage *u, double by);
    /* Read all lots of which a job has anything. */
    void (*read_job)(struct rset_source *source, struct usage *u,
                     const char *name);
};

/* Is it a node in no other, or in no node: what images are of? */
bool vertex_is_outer(const struct vertex *v);

/* What is counted of such a lot, which was read, now; `sums` has room for a row
 * of each. */
void lot_to_image(const struct usage *u, const struct lot *lot,
                  struct lot_image *out);

/*
 * Begin the usage of a set with a source, of which types are known: make the
 * lots that images are of, for periods that start at a time.
 */
void usage_begin_pieces(struct usage *u, double now);

#endif /* MODEL_RECORDS_PIECES_H */

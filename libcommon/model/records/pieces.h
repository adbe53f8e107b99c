/*
 * A set that is read in pieces: the contents and the grants of a node are read
 * from a source when they are first needed. Free units are known before,
 * because the source has an image, that is the sums, of each lot that is a node
 * or lies in no node. So a match reads only the lots from which it takes
 * something.
 *
 * Images are valid for periods that start `now` and have no end, if no claim
 * starts later. So lots with claims that start later must be read at once, by
 * lot_load(); so must staged lots. For a period that starts later, lots with
 * claims that end before it are read too.
 */
#ifndef MODEL_RECORDS_PIECES_H
#define MODEL_RECORDS_PIECES_H

#include "model/records/records.h"
#include "model/tree/rset.h"

/* The sums of a lot: of a pool, or of one member of a run. */
struct lot_image {
    uint32_t at; /* member of a run */
    enum pool_state state;
    int64_t taken;
    bool blocked, touched, held;
    bool inside; /* it is a node, and something in it has a grant or a state;
                    then also these are set: */
    bool touched_inside, held_inside;
    int64_t *sums; /* units of each row; the caller provides the room */
};

struct rset_source {
    /* Give a vertex its children. */
    void (*open)(struct rset_source *source, struct vertex *v);
    /* Get the image of a lot; of a run of targets, the next image between two
       members. False: there is none. Called in the order of the tree. */
    bool (*image)(struct rset_source *source, const struct vertex *v,
                  uint32_t first, uint32_t last, struct lot_image *out);
    /* Give a lot, and lots in it, their grants and states. */
    void (*read)(struct rset_source *source, struct usage *u, struct lot *lot);
    /* Read all lots with claims that end by a time. */
    void (*read_ending)(struct rset_source *source, struct usage *u, double by);
    /* Read all lots with grants of a job. */
    void (*read_job)(struct rset_source *source, struct usage *u,
                     const char *name);
};

/* Return whether a vertex can have an image: it lies in no node. (A node may be
   one itself.) */
bool vertex_is_outer(const struct vertex *v);

/* Make the image of a lot that was read, without a planner's claims, which must
   not hold now. Returns false if it needs none. `sums` has room for all rows.
 */
bool lot_to_image(const struct usage *u, const struct lot *lot,
                  struct lot_image *out);
bool lot_images_equal(const struct usage *u, const struct lot_image *a,
                      const struct lot_image *b);

/* Begin the usage of a set with a source, when types are known: make the lots
   that have images, for periods that start at `now`. */
void usage_begin_pieces(struct usage *u, double now);

#endif /* MODEL_RECORDS_PIECES_H */

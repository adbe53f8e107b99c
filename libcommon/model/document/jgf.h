/*
 * JSON Graph Format: the graph half of a resource set (RFC 20, Scheduling;
 * RFC 4).
 *
 * The reader takes variants of deployed writers: `nodes` as a list or an
 * object, edges with and without metadata, properties as an object or a list.
 * Outer ids ("id" beside "metadata") are not kept: identity is path and rank.
 *
 * Writing is in preorder, children by type, rank, id and name, outer ids
 * "0", "1", ...: equal sets give equal bytes.
 */
#ifndef MODEL_DOCUMENT_JGF_H
#define MODEL_DOCUMENT_JGF_H

#include <stdio.h>

#include "model/tree/rset.h"

/*
 * How a graph is written. Full (the seed edition): every key of RFC 20, uuid
 * and relationship included. Compact: as deployed Fluxion writes, defaults
 * left out. Beside compact: no relationship, however unusual. Beside either:
 * without the vertices that shorthand_mark() has marked, and their edges.
 *
 * Keyed, for patches: a vertex is a line, from the second on, with the number
 * of its parent from 1 (0: none), a key of path and rank, and its metadata
 * without paths; the line after the last goes on with `links`, a list of
 * [subsystem, relationship, source, target], of which the ends are numbers
 * of vertices from 0. Without these lines it is a JSON object.
 *
 *     {
 *     0 "/cluster0@-1":{"type":"cluster",...},
 *     1 "/cluster0/node0@0":{"type":"node",...},
 *     "links":[["power","supplies_to",2,1]]}
 */
enum jgf_style {
    JGF_FULL = 0,
    JGF_COMPACT = 1,
    JGF_WORDLESS = 2,
    JGF_SHORTHAND = 4,
    JGF_KEYED = 8
};

/*
 * Write a graph object in a style, or several joined by `|`. Runs are written
 * as the vertices that they stand for. Write errors show in ferror().
 */
void jgf_write(struct rset *rs, unsigned style, FILE *fp);

/*
 * The uuid of a vertex without one in the input: a version 8 UUID made of path
 * and rank by FNV-1a with 128 bits. It is the same in every run. The hash goes
 * on from the parent's, so it costs a name and not a path.
 */
struct made_uuid {
    char text[37];
};
__extension__ typedef unsigned __int128 uuid_hash;
uuid_hash uuid_hash_start(void);
uuid_hash uuid_hash_down(uuid_hash h, const struct vertex *v, const char *name);
struct made_uuid uuid_make(uuid_hash h, int64_t rank);

/* Return that uuid of a vertex, which is no run. */
struct made_uuid vertex_made_uuid(const struct vertex *v);

/* The relationship of an edge that does not say one. */
const char *jgf_usual_word(const char *subsystem);

/* The parts of a host's name: how long its basename is, and its number. */
size_t host_basename(const char *name, int64_t *id);

#endif /* MODEL_DOCUMENT_JGF_H */

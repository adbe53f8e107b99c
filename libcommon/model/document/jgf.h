/*
 * JSON Graph Format: the graph half of a resource set (RFC 20, Scheduling; RFC
 * 4).
 *
 * The reader accepts variants of deployed writers: `nodes` as a list or an
 * object, edges with and without metadata, properties as an object or a list.
 * Outer ids ("id" beside "metadata") are not kept: path and rank identify a
 * vertex.
 *
 * Vertices are written in preorder, with children sorted by type, rank, id and
 * name, and with outer ids "0", "1", ...: equal sets give equal bytes.
 */
#ifndef MODEL_DOCUMENT_JGF_H
#define MODEL_DOCUMENT_JGF_H

#include <stdio.h>

#include "model/records/usage.h"

/*
 * Styles of a graph. Full (the seed edition): every key of RFC 20, with uuid
 * and relationship. Compact: as deployed Fluxion writes, without default
 * values. Wordless (with compact): no relationships, not even unusual ones.
 * Shorthand: without the vertices that shorthand_mark() has marked, and without
 * their edges.
 *
 * Keyed, for patches: from the second line on, each line is a vertex: the
 * number of its parent from 1 (0: none), a key of path and rank, and its
 * metadata without paths. The line after the last vertex has `links`, a list of
 * [subsystem, relationship, source, target] with numbers of vertices from 0.
 * Without the lines of vertices the text is a JSON object.
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

/* Write a graph object in a style, or in several joined by `|`. Each member of
   a run is written as a vertex. Write errors show in ferror(). */
void jgf_write(struct settled s, unsigned style, FILE *fp);

/*
 * The uuid of a vertex that had none in the input: a version 8 UUID made from
 * path and rank by FNV-1a with 128 bits. It is the same in every run. The hash
 * continues the parent's hash, so it costs a name, not a path.
 */
struct made_uuid {
    char text[37];
};
__extension__ typedef unsigned __int128 uuid_hash;
uuid_hash uuid_hash_down(const uuid_hash *parent, const struct vertex *v,
                         const char *name); /* NULL: v has no parent */
struct made_uuid uuid_make(uuid_hash h, int64_t rank);

/* Return the made uuid of a single vertex. */
struct made_uuid vertex_made_uuid(const struct vertex *v);

/* Return the relationship of an edge that has none in the input. */
const char *jgf_usual_word(const char *subsystem);

/* Split a host name: return the length of its basename, and set *id to its
   number. */
size_t host_basename(const char *name, int64_t *id);

#endif /* MODEL_DOCUMENT_JGF_H */

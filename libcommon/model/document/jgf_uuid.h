/*
 * The uuid of a vertex to which the input gave none: made from path and rank (a
 * version 8 UUID over FNV-1a with 128 bits), by a hash that goes on from the
 * parent's, so that it costs a name and not a path, and is the same in every
 * run.
 */
#ifndef MODEL_DOCUMENT_JGF_UUID_H
#define MODEL_DOCUMENT_JGF_UUID_H

#include "model/document/jgf.h"

__extension__ typedef unsigned __int128 uuid_hash;

uuid_hash uuid_hash_start(void);

/* Of the path of a vertex, by that of its parent. */
uuid_hash uuid_hash_down(uuid_hash h, const struct vertex *v, const char *name);

struct made_uuid uuid_make(uuid_hash h, int64_t rank);

#endif /* MODEL_DOCUMENT_JGF_UUID_H */

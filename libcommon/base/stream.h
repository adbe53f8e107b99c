/*
 * A stream of JSON documents, read piece by piece.
 *
 * Documents come concatenated or a line each, from a file or standard input.
 * What a document holds can be read whole (stream_value), or entered: keys
 * of an object and elements of an array one after the other. A graph of a
 * million vertices is read so with the memory of one vertex: only the bytes
 * of the value at hand are kept, and only they become a jansson tree.
 *
 * The idea: a light scan finds where a value ends (it counts brackets and
 * steps over strings), then jansson reads just these bytes. The scan costs a
 * small part of what jansson does.
 *
 * Truncated input, garbage and duplicate keys are errors; the end of input
 * between documents is not. All faults carry the source and
 * the line and column of the token at fault, from 1.
 */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/json.h"
#include "base/map.h"

struct stream;

/* Where stream_key() and stream_item() stand in an object or an array. */
struct stream_level {
    bool object, started;
    struct map keys; /* of an object, so far */
};

/* Open a file; "-" is standard input. NULL with a diag. */
struct stream *stream_open(const char *path, struct diag *d);
/*
 * A stream of `len` bytes at `text`, which must stay until it is closed;
 * `name` is its source in faults.
 */
struct stream *stream_open_text(const char *text, size_t len, const char *name);
/*
 * A stream of one value of another: `len` bytes at `text`, which begin at
 * `from` in the source of that other and are told there in faults.
 */
struct stream *stream_open_part(const struct stream *whole, const char *text,
                                size_t len, struct text_place from);
void stream_close(struct stream *s); /* NULL is allowed */

/* So many bytes of the source were read; valid as long as the stream is. */
const uint64_t *stream_count(const struct stream *s);

/*
 * Go to the next document. Returns 1; 0 at the end of input; -1 with a diag.
 * The document before must have been read to its end.
 */
int stream_next(struct stream *s, struct diag *d);

/* Does nothing come any more? 0; -1 with a diag. */
int stream_end(struct stream *s, struct diag *d);

/*
 * Launchers gather what hosts write and put the name of its host before each
 * line: `node7: {...}`. If what comes next is such a line, step over it and
 * make a stream of what the host wrote, whose faults name the host; it must be
 * closed before the next step. Returns 1; 0 if it is none, or at the end of
 * the input; -1 with a diag.
 */
int stream_gathered(struct stream *s, struct stream **line, struct diag *d);

/*
 * What a text is that is no JSON, by its first bytes, and what to do with it;
 * NULL: not known.
 */
const char *stream_other(const char *text, size_t len);

/* Name the stream in a diag: "stdin:2", "a.json". Always returns -1. */
int stream_fault(const struct stream *s, struct diag *d);

/* The first byte of the value that comes next: '{', '[', '"', ...; or -1. */
int stream_peek(struct stream *s, struct diag *d);

/* Read the value that comes next, whole: a new reference, or NULL. */
json_t *stream_value(struct stream *s, struct diag *d);

/*
 * The bytes that are at hand, with which the value that comes next begins. They
 * stay as below.
 */
const char *stream_ahead(const struct stream *s, size_t *len);

/*
 * The text of the value that comes next, not checked beyond where it ends.
 * It stays until the stream is used again; stream_skip() steps over it. For
 * those who know what to do with a text that they have met before.
 */
int stream_text(struct stream *s, const char **text, size_t *len,
                struct diag *d);
void stream_skip(struct stream *s, size_t len);

/* Where in the source the stream stands. */
struct text_place stream_place(struct stream *s);

/*
 * Enter the object or array that comes next; `kinds` says which may come:
 * "{", "[" or both. Another kind of value is a fault that the caller puts
 * its path to: no source is set. stream_leave() frees a level, whether it
 * was read to its end or not.
 */
int stream_enter(struct stream *s, struct stream_level *level,
                 const char *kinds, struct diag *d);
void stream_leave(struct stream_level *level);

/*
 * Step to the next key (a borrowed string, valid until the level is left)
 * or element, and past the end of the object or array. Returns 1, 0 at the end
 * of the object or array, or -1.
 */
int stream_key(struct stream *s, struct stream_level *level, const char **key,
               struct diag *d);
int stream_item(struct stream *s, struct stream_level *level, struct diag *d);

#endif /* BASE_STREAM_H */

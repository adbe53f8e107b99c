/*
 * A stream of JSON documents, read piece by piece.
 *
 * Documents are concatenated or one on each line, in a file or on standard
 * input. The contents of a document can be read whole (stream_value) or
 * entered: keys of an object and elements of an array one after the other. So a
 * graph of a million vertices is read with the memory for one vertex: only the
 * bytes of the current value are kept, and only they become a jansson tree.
 *
 * The idea: a light scan finds the end of a value (it counts brackets and steps
 * over strings), then jansson reads only these bytes. The scan costs a small
 * part of the time that jansson needs.
 *
 * Truncated input, garbage and duplicate keys are errors; the end of input
 * between documents is not. All faults have the source, and the line and column
 * of the token at fault, from 1.
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

/* The position of stream_key() or stream_item() in an object or an array. */
struct stream_level {
    bool object, started;
    struct map keys; /* keys of an object so far */
};

/* Open a file; "-" is standard input. Returns NULL with a diag. */
struct stream *stream_open(const char *path, struct diag *d);
/* Open a stream on `len` bytes of text, which must exist until it is closed.
   Faults have the source `name`. */
struct stream *stream_open_text(const char *text, size_t len, const char *name);
/*
 * Open a stream on one value of another stream: `len` bytes of text, which
 * begin at `from` in the other stream's source. Faults have places in that
 * source.
 */
struct stream *stream_open_part(const struct stream *whole, const char *text,
                                size_t len, struct text_place from);
void stream_close(struct stream *s); /* NULL is allowed */

/* Return a counter of the bytes read from the source. Valid as long as the
   stream. */
const uint64_t *stream_count(const struct stream *s);

/* Go to the next document. The document before must have been read to its end.
   Returns 1; 0 at the end of input; -1 with a diag. */
int stream_next(struct stream *s, struct diag *d);

/* Check that nothing follows. Returns 0, or -1 with a diag. */
int stream_end(struct stream *s, struct diag *d);

/*
 * Read the next line if it is one that a launcher gathered. Launchers put the
 * name of the host before each line that it wrote: `node7: {...}`. Makes a
 * stream of the rest of the line, whose faults name the host; it must be closed
 * before the next call. Returns 1; 0 if the line has no host, or at the end of
 * input; -1 with a diag.
 */
int stream_gathered(struct stream *s, struct stream **line, struct diag *d);

/* Recognize by its first bytes a text that is not JSON. Returns what it is and
   what to do with it; NULL if not known. */
const char *stream_other(const char *text, size_t len);

/* Set the source of a diag: "stdin:2", "a.json". Always returns -1. */
int stream_fault(const struct stream *s, struct diag *d);

/* Return the first byte of the next value: '{', '[', '"', ...; -1 with
   a diag. */
int stream_peek(struct stream *s, struct diag *d);

/* Return the first key of the next value, if it is an object and the key has no
   escapes; otherwise NULL. Not terminated; valid until the stream is used
   again. */
const char *stream_first_key(struct stream *s, size_t *len);

/* Read the next value whole. Returns a new reference, or NULL with a diag. */
json_t *stream_value(struct stream *s, struct diag *d);

/* Return the bytes in the buffer from the next value on. Valid until the stream
   is used again. */
const char *stream_ahead(const struct stream *s, size_t *len);

/*
 * Get the text of the next value without reading it; only its end is found.
 * Valid until the stream is used again. stream_skip() steps over the text. This
 * is for callers that recognize texts they have read before.
 */
int stream_text(struct stream *s, const char **text, size_t *len,
                struct diag *d);
void stream_skip(struct stream *s, size_t len);

/* Return the place of the stream in the source. */
struct text_place stream_place(struct stream *s);

/*
 * Enter the next value, an object or an array. `kinds` says which are allowed:
 * "{", "[" or both. Another kind of value is a fault without a source, so that
 * the caller can add its path. stream_leave() frees a level, even if it was not
 * read to its end.
 */
int stream_enter(struct stream *s, struct stream_level *level,
                 const char *kinds, struct diag *d);
void stream_leave(struct stream_level *level);

/*
 * Step to the next key (a borrowed string, valid until the level is left) or to
 * the next element; at the end step past the object or array. Returns 1, 0 at
 * the end, or -1 with a diag.
 */
int stream_key(struct stream *s, struct stream_level *level, const char **key,
               struct diag *d);
int stream_item(struct stream *s, struct stream_level *level, struct diag *d);

#endif /* BASE_STREAM_H */

/* JSON beside jansson: compact writing with reals in their shortest form, and
   reading with the place of a fault. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

/*
 * Make jansson allocate like our code, in the whole process. A program calls
 * this first. A module that is loaded into another process and may be unloaded
 * must not call it: jansson would go on to call functions that are gone.
 */
void json_use_our_memory(void);

/*
 * Read one JSON value of any kind from `len` bytes. Refuses duplicate keys,
 * integers beyond 64 bits, and reals that a double can't hold as written (these
 * are only searched if `reals`). Returns a new reference. Returns NULL with a
 * diag at "line N, column N" of the text, where the token at fault begins.
 */
json_t *json_read(const char *text, size_t len, bool reals, struct diag *d);

/*
 * Read an object like json_read(). In members that are objects themselves, the
 * values of these keys (the last is NULL) stay text, as strings, for somebody
 * else to read later.
 */
json_t *json_read_texts(const char *text, size_t len, const char *const *keys,
                        struct diag *d);

/* Read a value like json_read(), but set *at to the offset of a fault and leave
   the place out of the diag. */
json_t *json_read_part(const char *text, size_t len, bool reals, size_t *at,
                       struct diag *d);

/* Return the token that the text begins with, for a message. A string keeps its
   own quotes. */
struct quoted json_quote_token(const char *text, size_t len);

/* A place in a text: line, and byte in the line, counted from 1. */
struct text_place {
    uint64_t line, column;
};

/* Return the place behind `len` bytes of text that begin at `from`. */
struct text_place text_place_after(struct text_place from, const char *text,
                                   size_t len);
/* Put a place before the place in a diag. Returns -1. */
int text_place_in(struct text_place place, struct diag *d);

/*
 * Read the value that the text begins with, quickly, if it is plain and
 * complete (see json_plain.c). Sets *end to its length. Returns NULL otherwise,
 * without a reason: json_read() finds that. `texts` has keys as for
 * json_read_texts(), or is NULL.
 */
json_t *json_read_plain(const char *text, size_t len, const char *const *texts,
                        size_t *end);

/*
 * Read a plain object whose keys are all known, into tokens: one for each key.
 * This is for large documents, because making a value of each object would take
 * too long. Returns false if the object is not plain, has an unknown key, a key
 * twice, or a value of another type.
 */
struct json_field {
    const char *key;             /* NULL: end of the list */
    json_type type;              /* JSON_TRUE: either boolean */
    unsigned slot;               /* index of its token */
    const struct json_field *in; /* fields of an object */
};
struct json_token {
    const char *text;  /* contents of a string; NULL: key is missing */
    size_t len;        /* length of a string */
    json_int_t number; /* value of an integer, or of a boolean */
};
bool json_read_fields(const char *text, size_t len,
                      const struct json_field *fields, struct json_token *out,
                      size_t *end);

/* Return the contents of the string that the text begins with; NULL if it is
   not plain. */
const char *json_read_string(const char *text, size_t len, size_t *n);

/* Write a value in compact form, keys in their order. A real is written as the
   shortest decimal that reads back equal. Errors show in ferror(). */
void json_write(FILE *fp, const json_t *value);
void json_write_string(FILE *fp, const char *text);

/* Write `sep`, a key and its value. Writes nothing if the value is NULL. */
void json_write_member(FILE *fp, const char *sep, const char *key,
                       const json_t *value);
/* Write all members of an object with a comma before each. NULL: none. */
void json_write_members(FILE *fp, const json_t *object);
/* Write text as a part of a string, without quotes around it. */
void json_write_text(FILE *fp, const char *text);
/* Return the number of bytes at the start of a text that need no escape. */
size_t json_plain_length(const char *text);
/* Write a string from a text that need not be UTF-8. U+FFFD replaces invalid
   bytes. */
void json_write_message(FILE *fp, const char *text);
/* Write a comma, a key, and such a string; nothing if the text is NULL. */
void json_write_field(FILE *fp, const char *key, const char *text);
void json_write_real(FILE *fp, double value);

/* Put a value into an object, which is made if it is NULL. Takes the value
   over. */
void json_put(json_t **object, const char *key, json_t *value);

/* Return the value of a key (borrowed); if there is none, make it. */
json_t *json_at(json_t *object, const char *key, json_t *(*make)(void));

/* Return the text of a value for a message, cut to the room in a message. */
struct quoted json_quote(const json_t *value);

/* Return "a list" or "an object" for use in a message; NULL for other values,
   which are quoted instead. */
const char *json_container(const json_t *value);

#endif /* BASE_JSON_H */

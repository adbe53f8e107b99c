/*
 * JSON beside jansson: values written compactly with reals in their shortest
 * form, and pieces of text read with the place of a fault.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

/*
 * Let jansson allocate as our code does, for the whole process: a program calls
 * this first of all. Code that is loaded into the process of another, and that
 * may leave it, must not: jansson would go on to call what is no more there.
 */
void json_use_our_memory(void);

/*
 * Read one JSON value of any kind from `len` bytes. Duplicate keys, integers
 * beyond 64 bits and reals that a double cannot hold as written are refused
 * (`reals` says that there may be any). A fault is told at "line N, column N"
 * of the text, where the token at fault begins. Returns a new reference or
 * NULL.
 */
json_t *json_read(const char *text, size_t len, bool reals, struct diag *d);

/*
 * The same of an object; in objects that are its members what has one of these
 * keys (the last is NULL) is not made into a value but stays text, as a string:
 * somebody else will read it, or nobody.
 */
json_t *json_read_texts(const char *text, size_t len, const char *const *keys,
                        struct diag *d);

/* The same for a part of a text: *at is where the fault is, the diag says not.
 */
json_t *json_read_part(const char *text, size_t len, bool reals, size_t *at,
                       struct diag *d);

/* The token that the text begins with, for a message: a string has its own
 * quotes. */
struct quoted json_quote_token(const char *text, size_t len);

/* A place in a text: lines and their bytes, counted from 1. */
struct text_place {
    uint64_t line, column;
};

/* Where one is who has gone on by these bytes. */
struct text_place text_place_after(struct text_place from, const char *text,
                                   size_t len);
/* Put the place before what is known of that of a fault. Returns -1. */
int text_place_in(struct text_place place, struct diag *d);

/*
 * Read the value that the text begins with, quickly, if it is plain and all
 * there: see json_plain.c. *end is then its length. NULL says nothing of
 * what is wrong, or whether anything is: that is left to json_read(). `texts`
 * as for json_read_texts(), or NULL.
 */
json_t *json_read_plain(const char *text, size_t len, const char *const *texts,
                        size_t *end);

/*
 * The same of an object whose keys are all known, for those who meet so many
 * that making values of them would take longest: it is read into tokens, one
 * for each key. False: it is not plain, has other keys or one twice, or a value
 * of another type.
 */
struct json_field {
    const char *key;             /* NULL: the end of the list */
    json_type type;              /* JSON_TRUE: either boolean */
    unsigned slot;               /* of its token */
    const struct json_field *in; /* of an object */
};
struct json_token {
    const char *text;  /* of a string what is in it; NULL: it is not there */
    size_t len;        /* of a string */
    json_int_t number; /* of an integer; of a boolean whether it is true */
};
bool json_read_fields(const char *text, size_t len,
                      const struct json_field *fields, struct json_token *out,
                      size_t *end);

/* The same of a string: what is in it; NULL: it is not plain. */
const char *json_read_string(const char *text, size_t len, size_t *n);

/*
 * Write a value in compact form, keys in their order. A real is the shortest
 * decimal that reads back equal. What fails shows in ferror().
 */
void json_write(FILE *fp, const json_t *value);
void json_write_string(FILE *fp, const char *text);

/* A key and its value behind `sep`, nothing where the value is NULL. */
void json_write_member(FILE *fp, const char *sep, const char *key,
                       const json_t *value);
/* All that are in an object, or none (NULL), with a comma before each. */
void json_write_members(FILE *fp, const json_t *object);
/* The same without the quotes around it, as a part of a string. */
void json_write_text(FILE *fp, const char *text);
/* How many bytes of a text stand in a string as they are, from its start. */
size_t json_plain_length(const char *text);
/* A string of a text that need not be UTF-8: U+FFFD stands for what is not. */
void json_write_message(FILE *fp, const char *text);
void json_write_real(FILE *fp, double value);

/* Text of a value for a message, cut to what a message holds. */
struct quoted json_quote(const json_t *value);

/* "a list" or "an object", to be named in a message; NULL: to be quoted. */
const char *json_container(const json_t *value);

#endif /* BASE_JSON_H */

/*
 * Messages as lines: what a broker would carry in frames (RFC 3, RFC 6) is one
 * JSON object on one line; rset-protocol(5) has the keys.
 *
 *     {"type":"request","topic":"resource.ping","matchtag":3,"payload":{}}
 */
#ifndef PROTOCOL_MESSAGE_H
#define PROTOCOL_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "set/idset.h"

/* Linux's numbers, whatever the system's are. */
enum {
    MESSAGE_ENOENT = 2,
    MESSAGE_EBUSY = 16,
    MESSAGE_EINVAL = 22,
    MESSAGE_ERANGE = 34,
    MESSAGE_ENOSYS = 38,
    MESSAGE_ENODATA = 61,
    MESSAGE_EPROTO = 71,
    MESSAGE_EOVERFLOW = 75
};

/* What becomes of targets (RFC 28): a type in the seed's edition, a key in the
   current one. */
enum fate { FATE_UP, FATE_DOWN, FATE_SHRINK, FATES };
extern const struct fate_words {
    const char *type, *key;
} fate_words[FATES];
/* By its type; FATES: there is no such one. */
enum fate fate_of(const char *type);

struct message {
    json_t *json;      /* the line, which has all strings and values */
    bool response;     /* by its type, or by errnum */
    const char *topic; /* NULL: none */
    uint32_t matchtag;
    bool streaming, noresponse;
    json_t *payload; /* NULL: none */
    int errnum;
    const char *errstr; /* NULL: none */
};

/*
 * Read a line. Returns 0; or -1 with a diag: it is no message. What is known of
 * it is there nevertheless, so that whoever sent it can be told: see
 * message_answered(). For message_fini() either way. `R` and `resources` of a
 * payload are not read: they are strings, of JSON.
 */
int message_read(const char *line, size_t len, struct message *m,
                 struct diag *d);
/*
 * The same of a line that may be an event (RFC 44), which is then m->json: 1.
 * All of it is read. Of what is no message m->json is what it is, if anything.
 */
int message_or_event(const char *line, size_t len, struct message *m,
                     struct diag *d);
void message_fini(struct message *m);

/* Return the id of a job in a payload; -1: it has none from 0 on. */
int64_t message_id(const json_t *payload);

/* Read an idset by its key in an object. Returns a new set, or NULL with a diag
   if the value is no idset or missing. */
struct idset *message_ranks(const json_t *object, const char *key,
                            struct diag *d);

/*
 * Read a time (NULL: missing): seconds since the Epoch, 0 for none, no later
 * than TIME_CALENDAR; with `whole` only an integer. Returns 0, or -1 with a
 * diag.
 */
int message_time(const json_t *value, bool whole, double *out, struct diag *d);

/* Is a request answered? */
bool message_answered(const struct message *m);

/*
 * Write a response to a request: its beginning, up to where a payload comes,
 * and its end; an error (text NULL: none); and one with no payload, or this.
 */
void response_begin(FILE *fp, const struct message *to);
void response_end(FILE *fp);
void response_error(FILE *fp, const struct message *to, int errnum,
                    const char *text);
void response_empty(FILE *fp, const struct message *to);
void response_payload(FILE *fp, const struct message *to,
                      const json_t *payload);

/*
 * Write a request: its beginning, with a flag (NULL: none), up to where a
 * payload comes; response_end() is its end, too.
 */
void request_begin(FILE *fp, const char *topic, uint32_t matchtag,
                   const char *flag);

#endif /* PROTOCOL_MESSAGE_H */

/*
 * Messages as lines: one JSON object on one line instead of the frames of a
 * broker (RFC 3, RFC 6). rset-protocol(5) lists the keys.
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
#include "base/keys.h"
#include "set/idset.h"

/* Error numbers of responses: Linux's, on every system. */
enum {
    MESSAGE_ENOENT = 2,
    MESSAGE_EBUSY = 16,
    MESSAGE_EEXIST = 17,
    MESSAGE_EINVAL = 22,
    MESSAGE_ERANGE = 34,
    MESSAGE_ENOSYS = 38,
    MESSAGE_ENODATA = 61,
    MESSAGE_EPROTO = 71,
    MESSAGE_EOVERFLOW = 75
};

/* Changes of targets (RFC 28). The seeds' edition names one by `type` in the
   payload, the current edition by a key. */
enum fate { FATE_UP, FATE_DOWN, FATE_SHRINK, FATES };
extern const struct fate_words {
    const char *type, *key;
} fate_words[FATES];

struct message {
    json_t *json;      /* owns all strings and values below */
    bool response;     /* by `type`, or, without one, by errnum */
    const char *topic; /* NULL: none */
    uint32_t matchtag;
    bool streaming, noresponse;
    json_t *payload; /* NULL: none */
    int errnum;
    const char *errstr; /* NULL: none */
};

/*
 * Read a message from a line. Returns 0, or -1 with a diag if the line is not a
 * valid message. Even then the members that could be read are set, so that a
 * faulty request can be answered: see message_answered(). Always end with
 * message_fini(). `R` and `resources` in a payload are strings of JSON; they
 * are not parsed here.
 */
int message_read(const char *line, size_t len, struct message *m,
                 struct diag *d);
/*
 * Read a line that is a message or an event (RFC 44). Parses all of it. Returns
 * 1 if it is an event, m->json; 0 for a message; or -1 with a diag. After a
 * fault m->json is the value of the line, or NULL if the line is not JSON.
 * Always end with message_fini().
 */
int message_or_event(const char *line, size_t len, struct message *m,
                     struct diag *d);
void message_fini(struct message *m);

/* Return the job id in a payload; -1 if it has no `id`, or one that is not an
   integer of at least 0. */
int64_t message_id(const json_t *payload);

/* Read the idset with this key. Returns a new set, or NULL with a diag if the
   key is missing or its value is not an idset. */
struct idset *message_ranks(const json_t *object, const char *key,
                            struct diag *d);

/*
 * Read a time (NULL: the key is missing) in seconds since the Epoch: 0 for
 * none, at most TIME_CALENDAR. `whole`: only an integer is valid. Returns 0, or
 * -1 with a diag.
 */
int message_time(const json_t *value, bool whole, double *out, struct diag *d);

/* Reader (base/keys.h) of such a time, whole or not. */
key_reader message_read_time;

/* Does this message need a response? True for requests with a matchtag, unless
   they have the flag `noresponse` (RFC 6). */
bool message_answered(const struct message *m);

/*
 * Write a response to a request. response_begin() writes the part before the
 * payload, and response_end() ends the line; payload_end() ends an object as
 * the payload before. response_error() writes an error (text NULL: none), and
 * response_payload() a payload (NULL: none). These two write nothing if the
 * request needs no answer.
 */
void response_begin(FILE *fp, const struct message *to);
void response_end(FILE *fp);
void payload_end(FILE *fp);
void response_error(FILE *fp, const struct message *to, int errnum,
                    const char *text);
void response_payload(FILE *fp, const struct message *to,
                      const json_t *payload);

/* Write the beginning of a request, up to where a payload would follow. `flag`
   may be NULL. End the line with response_end(). */
void request_begin(FILE *fp, const char *topic, uint32_t matchtag,
                   const char *flag);

#endif /* PROTOCOL_MESSAGE_H */

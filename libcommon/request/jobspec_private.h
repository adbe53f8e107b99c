/*
 * Jobspecs (RFC 14) in parts: what jobspec.c, which reads the resources, and
 * its helpers for the other keys share.
 */
#ifndef REQUEST_JOBSPEC_PRIVATE_H
#define REQUEST_JOBSPEC_PRIVATE_H

#include "request/request_private.h"

/* A jobspec while it is read. */
struct jobspec {
    json_t *labels; /* label: its vertex, as the jobspec has it */
    json_t *types;  /* label of a slot: an object of the types inside */
    int depth;
    uint64_t most; /* that a count may be */
    bool known;    /* resources and constraints are, and were read before */
    struct diag *d;
};

/*
 * Read a whole one into a request; or, with `known`, what is beside resources
 * and constraints, of which *labels is what an earlier one left there.
 */
int jobspec_read(const json_t *jobspec, bool v1, bool known, json_t **labels,
                 struct request *req, struct diag *d);

/*
 * A reader looks at the value of a key, and puts it in `to`: -1 and the fault
 * in js->d.
 */
typedef int jobspec_reader(struct jobspec *js, json_t *value, void *to);

struct jobspec_key {
    const char *name;
    bool required;
    jobspec_reader *read;
    size_t at; /* where its value goes in what the keys describe */
};

/*
 * Read an object by a table that ends with a name of NULL: no key but those
 * of the table (with `strict`), all that are required, and each by its
 * reader in the order of the table. `what` the object is stands in messages.
 * With `to` NULL readers get NULL.
 */
int jobspec_object(struct jobspec *js, json_t *obj, const char *what,
                   const struct jobspec_key *keys, bool strict, void *to);

/*
 * Read a list, which is not empty, by a reader of its elements; `what` they
 * are stands in messages.
 */
int jobspec_list(struct jobspec *js, json_t *list, const char *what,
                 jobspec_reader *read, void *to);

/* `value` is not what it must be: `"x": must be <what>`. Returns -1. */
int jobspec_wrong(struct jobspec *js, const json_t *value, const char *what);

/* Readers without an effect. */
jobspec_reader jobspec_string, jobspec_positive;

/* The keys `tasks` and `attributes`; `to` is the struct request. */
jobspec_reader jobspec_tasks, jobspec_attributes;

/* RFC 25, of a jobspec that has passed all rules of RFC 14. */
int jobspec_check_v1(struct jobspec *js, json_t *jobspec);

#endif /* REQUEST_JOBSPEC_PRIVATE_H */

/*
 * The provider's side of RFC 28: what resources there are, which of them a
 * scheduler may use, and what becomes of them.
 *
 * Every execution target is in one group, `default` if in no other. Whoever
 * acquires a group is given its targets (grow) and told of each that comes and
 * goes (online, offline). A target that leaves a group is taken from whoever
 * has it (shrink), and given to whoever has the other group once it was
 * released. It is up as long as nothing says that it is down: it is online,
 * not drained and not torpid.
 *
 * In the current edition there are one group and one client, what is taken away
 * is not released, and no resources come later: what could be given waits for
 * the next time that all is acquired.
 */
#ifndef PROTOCOL_PROVIDER_H
#define PROTOCOL_PROVIDER_H

#include "model/document/document.h"
#include "protocol/message.h"

struct provider;

struct provider_options {
    enum dialect dialect;
    FILE *out; /* responses */
    /* What the administrator should know: a line. */
    void (*log)(const char *text);
    bool offline; /* all targets are, until they are said to be online */
};

/*
 * A provider of a set, whose states count; the set is the caller's, who changes
 * nothing in it.
 */
struct provider *provider_create(struct rset *rs,
                                 const struct provider_options *options);
void provider_destroy(struct provider *p); /* NULL is allowed */

/* Ranks belong to a group from now on; nobody has acquired any yet. -1 with a
   diag: some are in another. */
int provider_define(struct provider *p, const char *group,
                    const struct idset *ranks, struct diag *d);

/* Answer a request. */
void provider_request(struct provider *p, const struct message *m);

/*
 * An event of RFC 44's resource.eventlog, or one of ours: exclude, include,
 * assign. -1 with a diag: it is none, and nothing has changed.
 */
int provider_event(struct provider *p, const json_t *event, struct diag *d);

/* A line with either of them. What is no message is answered if it can be, else
   -1 with a diag. */
int provider_line(struct provider *p, const char *line, size_t len,
                  struct diag *d);

#endif /* PROTOCOL_PROVIDER_H */

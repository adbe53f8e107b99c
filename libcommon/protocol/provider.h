/*
 * The provider's side of RFC 28: which resources exist, which of them a
 * scheduler may use, and how they change.
 *
 * Each execution target is in exactly one group, `default` unless assigned to
 * another. A scheduler that acquires a group receives its targets (grow) and
 * every change of their state (online, offline). A target that leaves a group
 * is taken from its scheduler (shrink). It is given to the scheduler of its new
 * group after it was released. A target is up if it is online, not drained and
 * not torpid.
 *
 * In the current edition there is one group and one client, targets that are
 * taken away are not released, and resources can't be added: they wait until
 * the client acquires again.
 */
#ifndef PROTOCOL_PROVIDER_H
#define PROTOCOL_PROVIDER_H

#include "model/document/document.h"
#include "protocol/message.h"

struct provider;

struct provider_options {
    enum dialect dialect;
    FILE *out; /* responses are written here */
    /* Log a line for the administrator. */
    void (*log)(const char *text);
    bool offline; /* all targets are offline until events change them */
};

/* Create a provider of a set. Reads the states of its targets. The caller owns
   the set and must not change it while the provider exists. */
struct provider *provider_create(struct rset *rs,
                                 const struct provider_options *options);
void provider_destroy(struct provider *p); /* NULL is allowed */

/* Assign ranks to a group. Nobody may have acquired any group yet. Returns 0,
   or -1 with a diag if some ranks are in another group. */
int provider_define(struct provider *p, const char *group,
                    const struct idset *ranks, struct diag *d);

/* Answer a request. */
void provider_request(struct provider *p, const struct message *m);

/*
 * Handle an event of RFC 44's resource.eventlog, or one of rset's own: exclude,
 * include, assign. Returns 0, or -1 with a diag if it is not a valid event;
 * then nothing has changed.
 */
int provider_event(struct provider *p, const json_t *event, struct diag *d);

/* Handle a line with a request or an event. Returns 0, or -1 with a diag. A
   faulty request is answered if possible; then this also returns 0. */
int provider_line(struct provider *p, const char *line, size_t len,
                  struct diag *d);

#endif /* PROTOCOL_PROVIDER_H */

/* Within the provider: its state, and what events do to it. */
#ifndef PROTOCOL_PROVIDER_PRIVATE_H
#define PROTOCOL_PROVIDER_PRIVATE_H

#include "protocol/provider.h"

struct target_group {
    char *name;
    struct idset *members;
    bool acquired;
    bool answered;         /* the first grow was sent */
    struct message stream; /* the topic and matchtag of its responses */
    struct idset *given;   /* what whoever acquired it has */
    struct idset *owed;    /* what was taken away and not released yet */
};

/* Why a target is up: all of these have to be so. */
enum target_state {
    TARGET_ONLINE,
    TARGET_DRAINED,
    TARGET_TORPID,
    TARGET_STATES
};

struct provider {
    struct rset *rs;
    struct provider_options options;
    struct target_group *groups; /* the first is `default` */
    size_t ngroups;
    struct idset *states[TARGET_STATES];
    struct idset *up;
    size_t nnotes;        /* of the set's notes so many are logged */
    struct rank_map *map; /* events.c; NULL: ranks of events are ours */
};

/* Ranks of the set are in a state, or not any more. */
void provider_set(struct provider *p, enum target_state state,
                  const struct idset *ranks, bool is);
/* These are online and all others not; none is torpid. */
void provider_restart(struct provider *p, const struct idset *online);
/* They belong to a group from now on; with `from` (NULL: any) those that are in
   that. */
void provider_move(struct provider *p, const struct idset *ranks,
                   const char *from, const char *to);
/* The set has another end: seconds since the Epoch, TIME_UNSET: none. */
void provider_expire(struct provider *p, double end);

void provider_log(const struct provider *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void rank_map_destroy(struct rank_map *map); /* NULL is allowed */

#endif /* PROTOCOL_PROVIDER_PRIVATE_H */

/* Within the provider: its state, and the changes that events make. */
#ifndef PROTOCOL_PROVIDER_PRIVATE_H
#define PROTOCOL_PROVIDER_PRIVATE_H

#include "protocol/provider.h"

struct target_group {
    char *name;
    struct idset *members;
    bool acquired;
    bool answered;         /* the first response was sent */
    struct message stream; /* topic and matchtag of its responses */
    struct idset *sent;    /* targets that its scheduler has */
    struct idset *owed;    /* targets taken away and not released yet */
};

/* A target is up if it is online, not drained and not torpid. */
enum target_state {
    TARGET_ONLINE,
    TARGET_DRAINED,
    TARGET_TORPID,
    TARGET_STATES
};

struct provider {
    struct rset *rs;
    struct provider_options options;
    struct target_group *groups; /* the first one is `default` */
    size_t ngroups;
    struct idset *states[TARGET_STATES];
    struct idset *up;
    size_t nnotes;        /* how many of the set's notes were logged */
    struct rank_map *map; /* ranks of events to ours; NULL: equal */
};

/* Add ranks to a state (`is`) or remove them from it. */
void provider_set(struct provider *p, enum target_state state,
                  const struct idset *ranks, bool is);
/* Set which ranks are online. All others are offline, and none is torpid. */
void provider_restart(struct provider *p, const struct idset *online);
/* Move ranks to another group. `from`: only those in this group (NULL: any). */
void provider_move(struct provider *p, const struct idset *ranks,
                   const char *from, const char *to);
/*
 * Change the end of the set: seconds since the Epoch, or TIME_UNSET for none.
 */
void provider_expire(struct provider *p, double end);

void provider_log(const struct provider *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void rank_map_destroy(struct rank_map *map); /* NULL is allowed */

#endif /* PROTOCOL_PROVIDER_PRIVATE_H */

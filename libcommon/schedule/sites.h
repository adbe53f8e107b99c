/*
 * Sites: the pools of a set as a search sees them, with what it has taken so
 * far. They are made where the search comes by.
 *
 * A lot that is one pool is a site. Of a run of targets a member is one, for
 * as long as nothing is taken there the only one: all others that are as
 * usable are as good, and it stands for them. Once something is taken in it
 * the next member becomes a site. Of a run below targets a whole stretch is
 * one site of many units.
 */
#ifndef SCHEDULE_SITES_H
#define SCHEDULE_SITES_H

#include "schedule/match_private.h"

struct site {
    struct site *parent, *child, *next; /* as they were made, the last first */
    struct lot *lot;
    struct vertex *v; /* of the lot */
    uint32_t at, n;   /* of a run: the first member, and how many */
    uint32_t alike;   /* members from it on that are as usable, with it */
    uint32_t touch;   /* how much is taken in it */
    uint32_t class;   /* sites alike have the same; 0: not known */
    bool member;      /* of a run of targets */
    bool matched;     /* the pool of an entry with entries below it */
    bool held;        /* for that entry alone */
    bool whole;       /* with all below it */
    int64_t all;      /* units in it */
    int64_t used;     /* units taken for the job alone */
    int64_t shared;   /* units that only have to be there */
    int64_t *taken;   /* units of each type used below it; NULL: none */
    struct pick pick; /* what comes of it in the end */
};

/* What a site was before something was taken, and what that is. */
struct site_change {
    struct site *site;
    int64_t units, slots;
    uint32_t n;
    bool shared, matched, held, whole;
};

struct sites {
    struct attempt *a; /* the sites live with its selection */
    struct site top;   /* the root is below it, and pools in no containment */
    size_t count;
    const struct policy *policy;
    struct order *ranking; /* of all nodes, by the policy; NULL: none */
    struct site **table;   /* all that are there, by what they are of */
    size_t table_size;
    struct map classes;
    struct site **of; /* by number of their vertices; NULL: not needed yet */
    struct site_change *changes;
    size_t nchanges, changes_size;
    bool greedy; /* nobody asks what is taken below a site */
};

void sites_init(struct sites *s, struct attempt *a, bool greedy);
void sites_fini(struct sites *s);

/*
 * The next child of a site after `from` (NULL: the first), as they stand in the
 * set, or where the policy goes back, from the last on; only those that may
 * serve an entry (NULL: all).
 */
struct site *site_next(struct sites *s, struct site *parent, struct site *from,
                       const struct entry *e);

/* The same by lots; and the site of the first member of a lot, and of those
   after the members of a site (NULL: there are no more). */
struct lot *sites_next_lot(const struct sites *s, const struct site *parent,
                           struct lot *from, const struct entry *e);
struct site *site_first(struct sites *s, struct site *parent, struct lot *lot);
struct site *site_beside(struct sites *s, const struct site *from);

/* The next node in a ranking that may serve an entry and lies below `top`. */
struct site *site_next_ranked(struct sites *s, struct order *ranking,
                              struct site *top, struct site *from,
                              const struct entry *e);

/* Does it stand before another one, both children of one site? */
bool site_is_before(const struct site *site, const struct site *other);

/* For how many members does it stand, itself among them? */
int64_t site_members(const struct site *site);

/* The site of a pool that edges lead to. */
struct site *site_of(struct sites *s, const struct vertex *v);

/* Is it as good as the other, both as yet untouched? */
bool sites_alike(struct sites *s, struct site *a, struct site *b);

/*
 * Remember what a site is, for sites_undo(), and count that something is
 * taken there.
 */
void site_touch(struct sites *s, struct site *site);
/* The same, and then take units of it. */
void site_take(struct sites *s, struct site *site, int64_t units, bool shared);
/* So many slots of the request are there, which lie in no other slot. */
void site_count_slots(struct sites *s, struct site *site, int64_t slots);
/* So many members after it have what it has. */
void site_widen(struct sites *s, struct site *site, uint32_t more);
void sites_undo(struct sites *s, size_t nchanges);

/* Units of a type that are used below a site. */
int64_t site_taken(const struct site *site, int ntype);

/* The selection of all that is taken. */
void sites_select(struct sites *s);

#endif /* SCHEDULE_SITES_H */

/*
 * Sites: the pools of a set as a search sees them, with what it has taken so
 * far. They are made where the search comes by.
 *
 * A vertex that is one pool is a site; of a run of targets so many members
 * are sites as a request could need, for one is as good as the other; a
 * stretch of a run below targets is one site of many units.
 */
#ifndef SCHEDULE_SITES_H
#define SCHEDULE_SITES_H

#include "schedule/match_private.h"

struct site {
    struct site *parent, *child, *next;
    struct lot *lot;
    struct vertex *v; /* of the lot */
    uint32_t at;      /* of a run: the member, or the first of the stretch */
    uint32_t stretch; /* the first position of those that are as usable */
    int64_t all;      /* units in it */
    int64_t used;     /* units taken for the job alone */
    int64_t shared;   /* units that only have to be there */
    int64_t *taken;   /* units of each type used below it; NULL: none */
    uint32_t touch;   /* how much is taken in it */
    uint32_t class;   /* sites alike have the same; 0: not known */
    bool opened;      /* its children were made */
    bool matched;     /* the pool of an entry with entries below it */
    bool held;        /* for that entry alone */
    bool whole;       /* with all below it */
};

/* What a site was before something was taken, and what that is. */
struct site_change {
    struct site *site;
    struct site before;
    int64_t units;
    bool shared;
};

struct sites {
    struct attempt *a;
    struct arena arena;
    struct site top; /* the root is below it, and pools in no containment */
    uint64_t members_max; /* of a run of targets */
    size_t count;
    struct map classes;
    struct site_change *changes;
    size_t nchanges, changes_size;
};

void sites_init(struct sites *s, struct attempt *a, const struct entry *list);
void sites_fini(struct sites *s);

/* The first child of a site; children are made if they are not yet. */
struct site *site_open(struct sites *s, struct site *site);

/* Is it a loose pool whose edges lead to v? */
bool site_leads_to(const struct sites *s, const struct site *site,
                   const struct vertex *v);

/* Is it as good as the other, both as yet untouched? */
bool sites_alike(struct sites *s, struct site *a, struct site *b);

/* What is the same of sites that are alike as long as they are untouched. */
uint32_t sites_class(struct sites *s, struct site *site);

/*
 * Remember what a site is, for sites_undo(), and count that something is
 * taken there.
 */
void site_touch(struct sites *s, struct site *site);
/* The same, and then take units of it. */
void site_take(struct sites *s, struct site *site, int64_t units, bool shared);
void sites_undo(struct sites *s, size_t nchanges);

/* Units of a type that are used below a site. */
int64_t site_taken(const struct site *site, int ntype);

/* The selection of all that is taken. */
void sites_select(struct sites *s);

#endif /* SCHEDULE_SITES_H */

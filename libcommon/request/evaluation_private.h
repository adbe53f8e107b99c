/*
 * The inside of evaluation: a constraint beside what it comes to in a set,
 * asked by evaluation.c and evaluation_names.c.
 */
#ifndef REQUEST_EVALUATION_PRIVATE_H
#define REQUEST_EVALUATION_PRIVATE_H

#include "base/map.h"
#include "request/constraint_private.h"
#include "request/evaluation.h"
#include "set/hostset.h"

/* One name of a path. */
struct path_name {
    char *name;
    struct idset *ranks; /* of the hosts of that name; NULL: not asked yet */
};

/* A constraint, and what it comes to in the set at hand. */
struct asked {
    struct asked *child, *next;
    const struct constraint *c;
    struct idset *ranks;     /* of all targets for which it holds, and with them
                                for all in them; NULL: that is not all */
    struct idset *named;     /* of the targets whose own name, id or basename
                                it is; NULL: not asked yet */
    struct hostset *names;   /* that are asked for */
    struct path_name *steps; /* of a path in containment */
    size_t nsteps;
    struct map listed; /* the vertices that it names, by address */
};

struct evaluation {
    const struct rset *rs;
    struct arena arena; /* what is asked */
    struct asked *top;
};

/* Is its id in a set, in a range? Members with the same answer stay. */
bool member_in(struct member *m, const struct idset *ids);
bool member_in_range(struct member *m, uint32_t lo, uint32_t hi);

/* Is a number in order? One below 0 is none. */
bool criterion_has_number(const struct constraint *c, int64_t number);

/* Is a text in the list of a criterion? */
bool criterion_has_word(const struct constraint *c, const char *word,
                        size_t len);

/* --- evaluation_names.c --- */

/* Find what a path, fed-by or subsystem names in the set at hand. */
void evaluation_bind_links(const struct evaluation *ev, struct asked *a);

/* Ranks of the targets that are named so. */
struct idset *named_ranks(const struct rset *rs, const struct constraint *c);

/* Has a pool one of the names, basenames or ids? */
bool evaluation_is_named(const struct evaluation *ev, struct asked *a,
                         struct member *m);

/* Is a pool at a path or below it, fed by it, or in a subsystem? */
bool evaluation_is_linked(const struct evaluation *ev, struct asked *a,
                          struct member *m);

#endif /* REQUEST_EVALUATION_PRIVATE_H */

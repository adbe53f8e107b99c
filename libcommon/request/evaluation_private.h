/*
 * Inside evaluation: constraints with the values that they have in a set, for
 * evaluation.c and evaluation_names.c.
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
    struct idset *ranks; /* of hosts with that name; NULL: not known yet */
};

/* A constraint, bound to a set. */
struct bound {
    struct bound *child, *next;
    const struct constraint *c;
    struct idset *ranks;     /* targets for which it holds, with everything in
                                them; NULL: ranks alone don't decide it */
    struct idset *named;     /* targets whose own name, id or basename matches;
                                NULL: not known yet */
    struct hostset *names;   /* names to compare with */
    struct path_name *steps; /* the names of a path in containment */
    size_t nsteps;
    struct map listed; /* the vertices that it names, by address */
};

struct evaluation {
    const struct rset *rs;
    struct settled settled; /* only for evaluation_holds() */
    struct arena arena;     /* of the bound constraints */
    struct bound *top;
};

/* Return whether the id of a member is in a set, or in a range. Only members
   with this answer stay. */
bool member_in(struct member *m, const struct idset *ids);
bool member_in_range(struct member *m, uint32_t lo, uint32_t hi);

/* Return whether a number satisfies a criterion. Negative numbers don't. */
bool criterion_has_number(const struct constraint *c, int64_t number);

/* Return whether a text is in the list of a criterion. */
bool criterion_has_word(const struct constraint *c, const char *word,
                        size_t len);

/* --- evaluation_names.c --- */

/* Find the pools that a criterion of a path, fed-by or subsystem names. */
void evaluation_bind_links(const struct evaluation *ev, struct bound *a);

/* Return the ranks of the targets with one of the names, basenames or ids: a
   new set. */
struct idset *named_ranks(const struct rset *rs, const struct constraint *c);

/* Return whether a pool has one of the names, basenames or ids. */
bool evaluation_is_named(const struct evaluation *ev, struct bound *a,
                         struct member *m);

/* Return whether a pool is at or below the path, fed by it, or in the
   subsystem. */
bool evaluation_is_linked(const struct evaluation *ev, struct bound *a,
                          struct member *m);

#endif /* REQUEST_EVALUATION_PRIVATE_H */

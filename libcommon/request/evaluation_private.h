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
struct step {
    char *name;
    struct idset *ranks; /* of the hosts of that name; NULL: not asked yet */
};

/* A constraint, and what it comes to in the set at hand. */
struct asked {
    struct asked *child, *next;
    const struct constraint *c;
    struct idset *ranks;   /* of all targets for which it holds, and with them
                              for all in them; NULL: that is not all */
    struct idset *named;   /* of the targets whose own name, id or basename
                              it is; NULL: not asked yet */
    struct hostset *names; /* that are asked for */
    struct step *steps;    /* of a path in containment */
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

/* = or !=, for what every pool has. */
static inline bool verdict(const struct constraint *c, bool same)
{
    return c->op == OP_NE ? !same : same;
}

/* Is a number in order? One below 0 is none. */
bool criterion_has_number(const struct constraint *c, int64_t number);

/* Is a text in the list of a criterion? */
bool criterion_has_word(const struct constraint *c, const char *word,
                        size_t len);

/* Bind a criterion to the set at hand (evaluation_names.c). */
void bind_path(const struct evaluation *ev, struct asked *a);
void bind_fed_by(const struct evaluation *ev, struct asked *a);
void bind_subsystem(const struct evaluation *ev, struct asked *a);

/* Ranks of the targets that are named so. */
struct idset *named_ranks(const struct rset *rs, const struct constraint *c);

/* What an evaluation asks of a pool, by ABOUT_. */
typedef bool (*holds_fn)(const struct evaluation *ev, struct asked *a,
                         struct member *m);

/* Most look at less than they get. */
#define HOLDS(name)                                                    \
    bool name(const struct evaluation *ev __attribute__((__unused__)), \
              struct asked *a __attribute__((__unused__)),             \
              struct member *m __attribute__((__unused__)))

HOLDS(holds_name);
HOLDS(holds_basename);
HOLDS(holds_id);
HOLDS(holds_path);
HOLDS(holds_fed_by);
HOLDS(holds_subsystem);

#endif /* REQUEST_EVALUATION_PRIVATE_H */
